"""Prompts as they may come to stage 1's second half: exchanges with tools and media, notes between them, abilities."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from cadenza.types import (
    Abilities,
    Media,
    MediaKind,
    Part,
    PrefillMode,
    Prompt,
    PromptTurn,
    Role,
    Tag,
    ToolCall,
    ToolSpec,
)

PICTURE = Media(MediaKind.IMAGE, "image/png", data=b"png", reference="media_1")
FILM = Media(MediaKind.VIDEO, "video/mp4", data=b"mp4")
GIF = Media(MediaKind.IMAGE, "image/gif", "https://tenor.com/view/cat-waving-gif-1")
WEATHER = ToolSpec("weather", "tells the weather", {"type": "object", "properties": {"city": {"type": "string"}}})

words = st.sampled_from(["hi", "how are you?", "one\ntwo", "[a] {b}", "猫が好き", "x" * 60])
media = st.sampled_from([PICTURE, FILM, GIF])
parts = (
    st.tuples(words)
    | st.tuples(words, words)
    | st.tuples(words, media)
    | st.tuples(media)
    | st.tuples(words, media, media, words)
)


@st.composite
def exchanges(draw: st.DrawFn, tag: Tag = Tag.HISTORY) -> list[PromptTurn]:
    """What somebody says and what answers it, with calls of tools between, or nothing yet."""
    turns = [PromptTurn(Role.USER, said, tag=tag) for said in draw(st.lists(parts, max_size=2))]
    for index in range(draw(st.integers(0, 2))):
        # The same ids come again and again: they are made of name and index.
        calls = tuple(
            ToolCall(f"weather_{call}", "weather", f'{{"n":{index}}}') for call in range(draw(st.integers(1, 2)))
        )
        said: tuple[Part, ...] = draw(st.just(()) | parts)
        turns.append(PromptTurn(Role.MODEL, said, calls, tag=tag))
        turns += [PromptTurn(Role.TOOL, draw(parts), call_id=call.id, tag=tag) for call in calls]
    if draw(st.booleans()):
        turns.append(PromptTurn(Role.MODEL, draw(parts), tag=tag))
    return turns


def _known(tag: Tag) -> st.SearchStrategy[list[PromptTurn]]:
    return st.lists(st.builds(PromptTurn.said, st.just(Role.USER), words, tag=st.just(tag)), max_size=1)


@st.composite
def prompts(draw: st.DrawFn) -> Prompt:
    """A prompt in the order in which stage 1 puts one together."""
    turns = draw(_known(Tag.CURRENT_CONTEXT))
    for tag, most in ((Tag.SAMPLE, 2), (Tag.HISTORY, 3)):
        for exchange in draw(st.lists(exchanges(tag), max_size=most)):
            turns += [*exchange, *draw(_known(Tag.NOTE))]
    return Prompt(
        draw(st.sampled_from(["", "You are Ren."])),
        tuple(turns),
        tools=draw(st.sampled_from([(), (WEATHER,)])),
        stop=draw(st.sampled_from([(), ("###", "\nRen:", "a", "b", "c", "d")])),
        prefill=draw(st.sampled_from(["", " ", "Sure, here", "hi"])),
        max_tokens=draw(st.sampled_from([0, 50])),
        speaker=draw(st.sampled_from(["", "Ren"])),
        context_tokens=draw(st.sampled_from([0, 1, 40, 100, 1500, 100_000])),
    )


abilities = st.builds(
    Abilities,
    tools=st.booleans(),
    images=st.booleans(),
    videos=st.booleans(),
    system=st.booleans(),
    alternates=st.booleans(),
    prefill=st.sampled_from(PrefillMode),
    prefill_with_tools=st.booleans(),
    stops=st.integers(0, 5),
    speaker_stop=st.booleans(),
    context_tokens=st.sampled_from([0, 1, 100, 2000]),
    token_length=st.sampled_from([4.0, 2.5]),
)


def unbounded(prompt: Prompt, able: Abilities) -> tuple[Prompt, Abilities]:
    """The same, with room for everything."""
    return replace(prompt, context_tokens=0), replace(able, context_tokens=0)
