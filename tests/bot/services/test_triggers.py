"""Which character answers which message: a table of causes, and no endless loops."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from cadenza.bot.characters.character import Character
from cadenza.bot.config.config import ConversationConfig
from cadenza.bot.services.choices import Choice
from cadenza.bot.services.message import ChatMessage
from cadenza.bot.services.triggers import Cause, TriggerMatch, calls

CAST = (
    Character("Cadenza", is_main=True, triggers=("conductor",)),
    Character("Ren", triggers=("mirror boy",)),
    Character("Shy Tomori", triggers=("lilya",)),
    Character("蓮"),
)
SAID = ChatMessage("1", "10", "7", "Mia", "hello there", server="5")
CONFIG = ConversationConfig()
PLAIN = Choice()


def answered(
    said: ChatMessage, config: ConversationConfig = CONFIG, choice: Choice = PLAIN, **options: int
) -> list[str]:
    """The answering characters and their causes, as ``name/cause``."""
    return [f"{call.persona}/{call.cause.value}" for call in calls(said, CAST, config, choice, **options)]


@pytest.mark.parametrize(
    ("change", "config", "choice", "expected"),
    [
        pytest.param({}, {}, {}, [], id="nobody was called"),
        pytest.param({"server": ""}, {}, {}, ["Cadenza/direct"], id="a direct message"),
        pytest.param({"server": "", "text": ""}, {}, {}, ["Cadenza/direct"], id="a direct message without words"),
        pytest.param({"server": ""}, {"direct_messages": False}, {}, [], id="no direct messages"),
        pytest.param({"server": "", "answers": "Ren"}, {}, {}, ["Ren/direct"], id="a direct reply"),
        pytest.param({"server": "", "text": "lilya?"}, {}, {}, ["Shy Tomori/direct"], id="a name in private"),
        pytest.param({"mentions_us": True}, {}, {}, ["Cadenza/mention"], id="a mention"),
        pytest.param({"mentions_us": True, "text": ""}, {}, {}, ["Cadenza/mention"], id="a mention of no words"),
        pytest.param({"mentions_us": True}, {"mentions": False}, {}, [], id="no mentions"),
        pytest.param({"mentions_us": True}, {}, {"mentions": False}, [], id="no mentions here"),
        pytest.param(
            {"mentions_us": True}, {"mentions": False}, {"mentions": True}, ["Cadenza/mention"], id="but here"
        ),
        pytest.param({"mentions_us": True}, {}, {"persona": "ren"}, ["Ren/mention"], id="whom the channel has chosen"),
        pytest.param({"mentions_us": True}, {}, {"persona": "gone"}, ["Cadenza/mention"], id="a choice that is gone"),
        pytest.param(
            {"mentions_us": True, "text": "and Ren?"},
            {},
            {},
            ["Cadenza/mention", "Ren/word"],
            id="a mention and a name",
        ),
        pytest.param({"answers": "ren"}, {}, {}, ["Ren/reply"], id="a reply"),
        pytest.param({"answers": "*"}, {}, {}, ["Cadenza/reply"], id="a reply to nobody knows whom"),
        pytest.param({"answers": "Left"}, {}, {}, ["Cadenza/reply"], id="a reply to somebody who left"),
        pytest.param({"answers": "Ren", "text": ""}, {}, {}, ["Ren/reply"], id="a reply that cannot be read"),
        pytest.param({"answers": "Ren"}, {"replies": False}, {}, [], id="no replies"),
        pytest.param({"answers": "Ren", "text": "Ren!"}, {}, {}, ["Ren/reply"], id="each once, for the first cause"),
        pytest.param({"text": "the Mirror Boy"}, {}, {}, ["Ren/word"], id="a word"),
        pytest.param({"text": "conductor!"}, {}, {"persona": "Ren"}, ["Cadenza/word"], id="the main one by a word"),
        pytest.param({"text": "lilya, Ren"}, {}, {}, ["Shy Tomori/word", "Ren/word"], id="several, as they appear"),
        pytest.param({"text": "lilya, Ren"}, {"match_limit": 1}, {}, ["Shy Tomori/word"], id="not too many"),
        pytest.param({"text": "lilya, Ren"}, {}, {"match_limit": 1}, ["Shy Tomori/word"], id="not too many here"),
        pytest.param({"text": "`Ren` <:Ren:1>"}, {}, {}, [], id="a name in code and in an emoji"),
        pytest.param({"text": "蓮くん"}, {}, {}, ["蓮/word"], id="a script without spaces"),
        pytest.param({"text": "Ren"}, {"trigger_words": False}, {}, [], id="no words"),
        pytest.param({}, {"channels": ("10",)}, {}, ["Cadenza/channel"], id="a chosen channel"),
        pytest.param(
            {"channel": "11", "parent": "10"}, {"channels": ("10",)}, {}, ["Cadenza/channel"], id="its thread"
        ),
        pytest.param({}, {}, {"always": True, "persona": "Ren"}, ["Ren/channel"], id="a channel that chose it"),
        pytest.param({}, {"channels": ("10",)}, {"always": False}, [], id="a channel that chose otherwise"),
        pytest.param({"text": "Ren"}, {"channels": ("10",)}, {}, ["Ren/word"], id="only who is called, even there"),
        pytest.param({"text": ""}, {"channels": ("10",)}, {}, [], id="what cannot be read is not joined in"),
        pytest.param(
            {"text": "", "has_more": True}, {"channels": ("10",)}, {}, ["Cadenza/channel"], id="a picture without words"
        ),
        pytest.param({"mentions_us": True}, {}, {"is_silent": True}, [], id="a silent channel"),
        pytest.param({"server": ""}, {}, {"is_silent": True}, [], id="a silent private channel"),
        pytest.param({"mentions_us": True, "is_system": True}, {}, {}, [], id="what Discord says"),
        pytest.param({"is_bot": True, "mentions_us": True}, {}, {}, [], id="another bot"),
        pytest.param({"is_bot": True, "mentions_us": True}, {"bots": True}, {}, ["Cadenza/mention"], id="bots may"),
        pytest.param({"is_bot": True, "answers": "Ren"}, {}, {"bots": True}, ["Ren/reply"], id="bots may reply here"),
        pytest.param({"is_bot": True, "text": "Ren"}, {"bots": True}, {"always": True}, [], id="but not by words"),
        pytest.param({"is_own": True, "text": "Ren"}, {}, {}, [], id="ours, nobody knows whose"),
        pytest.param({"is_own": True, "persona": "Ren", "text": "Ren says"}, {}, {}, [], id="itself"),
        pytest.param({"is_own": True, "persona": "ren", "text": "mirror boy"}, {}, {}, [], id="itself by another word"),
        pytest.param(
            {"is_own": True, "persona": "Ren", "text": "Hey lilya"}, {}, {}, ["Shy Tomori/word"], id="another"
        ),
        pytest.param(
            {"is_own": True, "persona": "Ren", "mentions_us": True, "answers": "Cadenza"},
            {"channels": ("10",), "every": 1},
            {},
            [],
            id="only by a word",
        ),
        pytest.param(
            {"is_own": True, "persona": "Ren", "text": "lilya"}, {"cascade_limit": 0}, {}, [], id="no cascade"
        ),
    ],
)
def test_who_answers(
    change: dict[str, object], config: dict[str, object], choice: dict[str, object], expected: list[str]
) -> None:
    assert expected == answered(
        replace(SAID, **change),  # type: ignore[arg-type]  # a table of fields
        replace(CONFIG, **config),  # type: ignore[arg-type]  # likewise
        replace(PLAIN, **choice),  # type: ignore[arg-type]  # likewise
    )


@pytest.mark.parametrize(
    ("since_last", "expected"), [(1, []), (2, []), (3, ["Cadenza/every"]), (4, ["Cadenza/every"])], ids=str
)
def test_every_third_message_is_answered(since_last: int, expected: list[str]) -> None:
    assert expected == answered(SAID, replace(CONFIG, every=3), since_last=since_last)
    assert expected == answered(SAID, replace(CONFIG, every=9), replace(PLAIN, every=3), since_last=since_last)


def test_what_cannot_be_read_is_not_the_third_message() -> None:
    assert [] == answered(replace(SAID, text=""), replace(CONFIG, every=3), since_last=3)


def test_bots_are_not_answered_twice_in_a_row() -> None:
    said = replace(SAID, is_bot=True, mentions_us=True)

    assert ["Cadenza/mention"] == answered(said, replace(CONFIG, bots=True), bots_answered=0)
    assert [] == answered(said, replace(CONFIG, bots=True), bots_answered=1)


def test_nobody_answers_where_nobody_is() -> None:
    assert () == calls(replace(SAID, mentions_us=True), (), CONFIG, PLAIN)


TEXTS = st.lists(
    st.sampled_from(["Cadenza", "Ren", "lilya", "conductor", "mirror boy", "蓮", "hello", "`Ren`", "@Ren", "\n"]),
    max_size=6,
).map(" ".join)
SPEAKERS = st.sampled_from([character.name for character in CAST])


SOMEHOW = st.builds(Choice, always=st.booleans(), every=st.integers(0, 2), bots=st.booleans(), persona=SPEAKERS)


@given(TEXTS, SPEAKERS, st.integers(0, 12), st.sampled_from(["5", ""]), SOMEHOW)
def test_no_character_ever_answers_itself(text: str, speaker: str, links: int, server: str, choice: Choice) -> None:
    said = replace(SAID, text=text, server=server, is_own=True, persona=speaker, mentions_us=True, answers=speaker)

    found = calls(said, CAST, CONFIG, choice, since_last=9, links=links)

    assert speaker not in [call.persona for call in found]
    assert {Cause.WORD} >= {call.cause for call in found}


@given(st.data(), st.integers(0, 10), st.integers(1, 10))
def test_characters_who_call_each_other_end(data: st.DataObject, cascade_limit: int, match_limit: int) -> None:
    """Whatever they say, a chain of replies ends at the limit."""
    config = replace(CONFIG, cascade_limit=cascade_limit, match_limit=match_limit)
    waiting = deque(calls(replace(SAID, text="Ren lilya 蓮"), CAST, config, PLAIN))
    links = 0
    while waiting:
        speaker = waiting.popleft().persona
        said = replace(SAID, text=data.draw(TEXTS), is_own=True, persona=speaker)
        found = calls(said, CAST, config, PLAIN, links=links)
        links += len(found)
        waiting.extend(found)

    assert links <= cascade_limit
    assert () == calls(replace(SAID, text="Ren 蓮", is_own=True, persona="Cadenza"), CAST, config, PLAIN, links=99)


def test_a_cascade_does_happen() -> None:
    """The test above must not pass because no character ever answers."""
    said = replace(SAID, text="Ren!", is_own=True, persona="Cadenza")

    assert (TriggerMatch("Ren", Cause.WORD),) == calls(said, CAST, CONFIG, PLAIN, links=CONFIG.cascade_limit - 1)
    assert () == calls(said, CAST, CONFIG, PLAIN, links=CONFIG.cascade_limit)
