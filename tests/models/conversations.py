"""Turns and prompts to write down in any dialect, and what makes a request comparable with a client's own types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from hypothesis import strategies as st

from cadenza.types import Media, MediaKind, Part, Prompt, PromptTurn, Role, Thinking, ToolCall, ToolSpec

PICTURE = Media(MediaKind.IMAGE, "image/png", data=b"picture")
LINKED = Media(MediaKind.IMAGE, "image/png", "https://a.example/b.png")
LOOK = ToolSpec("look", "Looks.", MappingProxyType({"properties": MappingProxyType({"at": {"type": "string"}})}))
CALL = ToolCall("c1", "look", '{"at": "月"}')


def said(*texts: str) -> tuple[PromptTurn, ...]:
    """Turns of a person and the model, in turn."""
    return tuple(PromptTurn.said((Role.USER, Role.MODEL)[index % 2], text) for index, text in enumerate(texts))


def user(*parts: Part) -> PromptTurn:
    """What a person said and showed."""
    return PromptTurn(Role.USER, parts)


def called(*calls: ToolCall, text: str = "") -> PromptTurn:
    """What the model wants to be done, and what it said before."""
    return PromptTurn(Role.MODEL, (text,) if text else (), calls=calls)


def result(call_id: str, *parts: Part) -> PromptTurn:
    """What a call came to."""
    return PromptTurn(Role.TOOL, parts, call_id=call_id)


CALLED = (*said("Look!"), called(CALL, text="I will."), result(CALL.id, "A moon."))

_turns = st.lists(st.sampled_from((*said("Hi", "Hello."), user("See", PICTURE), user(LINKED))), max_size=4).map(tuple)
PROMPTS = st.builds(
    Prompt,
    st.sampled_from(("", "You are Ren.")),
    st.one_of(_turns, _turns.map(lambda turns: (*turns, *CALLED))),
    tools=st.sampled_from(((), (LOOK,))),
    sampling=st.sampled_from(({}, {"temperature": 1.4, "top_p": 0.9, "top_k": 20.0, "presence_penalty": 0.5})),
    stop=st.sampled_from(((), ("\nRen:", "\n"))),
    prefill=st.sampled_from(("", "Well, ")),
    thinking=st.sampled_from(Thinking),
    max_tokens=st.sampled_from((0, 1, 100)),
)


def plain(value: object) -> object:
    """*value* with all that iterates made a list: Pydantic checks what is in an iterable only as it is asked for."""
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value
