"""The guide: every suggestion, in English and in Japanese, does what it promises, in the real bot."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio

from cadenza.play.server.demos import LANGUAGES, SHOWS, Show
from cadenza.play.server.guide import guide, language_of
from cadenza.sim.wire import Json
from cadenza.types import Finished, Prompt, PromptTurn, Role, ThoughtDelta
from tests.play.server.guest import lines
from tests.play.server.playing import Play, playing

Check = Callable[[list[Json], str], bool]
"""Whether these messages, whose text is that, show what they should."""

PROMISES: dict[str, Check] = {
    "help": lambda messages, text: len(messages) > 1 and "discord.py" in text,
    "reasoning": lambda _, text: "**7 × 13**" in text and "think>" not in text and "13＝91" not in text,
    "code": lambda messages, text: (
        all(one["content"].count("```") % 2 == 0 for one in messages) and text.count("```python") > 1
    ),
    "table": lambda messages, _: any(one["attachments"] for one in messages),
    "spoiler": lambda messages, _: any(one["content"].count("||") == 2 for one in messages),
    "layout": lambda _, text: (
        {"# ", "## ", "- ", "1. ", "> ", "-# "} <= {f"{line.split()[0]} " for line in text.splitlines()}
    ),
    "everyone": lambda messages, text: "@everyone" in text and not any(one["mention_everyone"] for one in messages),
    "crew": lambda messages, text: (
        ["Mia"] == [user["global_name"] for one in messages for user in one["mentions"]]
        and "@crew" in text
        and not any(one["mention_roles"] for one in messages)
    ),
    "smile": lambda messages, text: "(happy)" not in text and bool(messages[-1]["author"]["avatar"]),
    "moods": lambda messages, text: "(" not in text and len({one["author"]["avatar"] for one in messages}) == 3,
    "guard": lambda messages, text: len(messages) == 1 and "You:" not in text,
    "emoji": lambda _, text: "👦" in text and ("🇳🇴" in text or "🇯🇵" in text),
    "links": lambda _, text: "https://example.org/a/rather/long/path?with=a_query&and=(brackets)#here" in text,
    "dice": lambda _, text: "2d6: " in text,
    "story": lambda _, text: text.count("\n") > 9,  # lines, because queued messages may be merged
    "follow-up": lambda _, text: text.count("\n") > 2,
    "endless": lambda messages, text: bool(messages[-1]["attachments"]) and "99" in text,
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def play() -> AsyncIterator[Play]:
    async with playing(emoji_lookback=0, flood_limit=110) as found:
        yield found


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("show", SHOWS, ids=lambda show: show.name)
async def test_every_suggestion_does_what_it_promises(play: Play, show: Show, language: str) -> None:
    before = len(play.world.messages(play.general))

    text = "\n".join(await play.answered(show.asks[language]))

    messages = play.world.messages(play.general)[before + 1 :]
    assert PROMISES[show.name](messages, text), text
    assert language == language_of(text.replace("Cadenza", "")) or show.name in ("dice", "code")


@pytest.mark.asyncio(loop_scope="module")
async def test_a_story_is_stopped_in_its_middle_by_a_word() -> None:
    async with playing(gated=True) as slow:
        await slow.held("Tell me a long story", "\n".join(lines("story")[:2]))
        await slow.say("stop")
        await slow.quiet()

        assert lines("story")[:2] == "\n".join(slow.answers()).split("\n")
        assert ["There is nothing to stop."] == await slow.answered("stop")
        assert ["今は止めるものがありません。"] == await slow.answered("ストップ")


@pytest.mark.asyncio(loop_scope="module")
async def test_who_says_more_is_answered_anew() -> None:
    async with playing(gated=True) as slow:
        await slow.held("Talk about tea, I will interrupt you", lines("follow-up")[0])
        await slow.say("Smile!")
        await slow.until(lambda: any("another face" in one for one in slow.answers()))
        await slow.quiet()

        assert "Still here?" not in "\n".join(slow.answers())


def _asked(text: str) -> list[object]:
    return list(guide(0.5)(Prompt("", (PromptTurn.said(Role.USER, f"You: {text}"),))))


@pytest.mark.parametrize("show", SHOWS, ids=lambda show: show.name)
def test_no_suggestion_is_taken_for_another(show: Show) -> None:
    for asked in show.asks.values():
        assert show == next(one for one in SHOWS if any(word in asked.casefold() for word in one.triggers))


def test_it_speaks_at_its_pace() -> None:
    said = _asked("Think it through: is 91 a prime number?")

    assert 8.0 == said[0]
    assert [0.5, ThoughtDelta("Is 9")] == said[1:3]
    assert isinstance(said[-1], Finished)
    assert all(len(one) <= 4 for one in said if isinstance(one, str))


@pytest.mark.parametrize(
    ("asked", "answer"),
    [("Good evening", "You said: Good evening"), ("こんばんは", "「こんばんは」ですね。")],
    ids=["English", "Japanese"],
)
def test_whatever_else_is_said_is_answered_in_its_language(asked: str, answer: str) -> None:
    assert answer in "".join(one for one in _asked(asked) if isinstance(one, str))


def test_without_dice_it_says_so() -> None:
    assert "I have no dice" in "".join(one for one in _asked("Roll the dice") if isinstance(one, str))
