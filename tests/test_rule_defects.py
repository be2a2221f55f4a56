"""What the reference gets wrong in stage 6, by the number in its list of defects, and what Cadenza does instead.

F1 to F21 stand in the specification of stage 6. The inputs are those of the recorded wrong outputs, and neighbours of
them. A text passes stage 5 and the whole row of rules, however it is sliced; a row of segments is fed as it stands.
Where the specification leaves the space around something removed open, words are compared and not space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from cadenza.replies.reply import say
from cadenza.settings import Settings
from cadenza.targets.memory import MemoryTarget
from cadenza.targets.target import Limits
from cadenza.text.units import WHITESPACE, units
from cadenza.types import Boundary, Completed, Ending, Halt, Kind, Persona, Roster, Segment
from tests import rules_at_work as work
from tests.golden_rows import Row, answer, rows
from tests.helpers import calls_of, same_every_way
from tests.rules_at_work import Out, Sent

WAVE = "<:wave:111111111111111111>"
DANCE = "<a:dance:222222222222222222>"
SAD = "<:sad:333333333333333334>"
ALICE = "<@555555555555555555>"
MARY = "<@888888888888888888>"
JOHN = "<@999999999999999999>"
EMOJI = {"wave": WAVE, "dance": DANCE, "sad": SAD}
MENTIONS = {
    "alice": ALICE,
    "555555555555555555": ALICE,
    "bob": "",
    "mary": "<@777777777777777777>",
    "mary jane": MARY,
    "john.doe": JOHN,
}
PERSONAS = {"lilya": "lilya", "shy tomori": "lilya"}
PEOPLE = (work.a_participant("Chris"), work.a_participant("クリス"), work.a_participant("Obonya", ["obo"]))
ROSTER = Roster(mentions=MENTIONS, emoji=EMOJI, personas=PERSONAS, participants=PEOPLE, speakers=("Aki",))
SPRITES = ("mad", "smug", work.a_sprite("The Voice", is_identity=True))


def out_of(text: str, *, persona: Persona | str = "Tomori", roster: Roster = ROSTER, **options: Any) -> list[Out]:
    """What *text* becomes, however it is sliced."""
    options = {"unknown_emoji": "strip", "tables": "source"} | options

    def run(pieces: list[str]) -> list[Out]:
        return work.passed(work.row_of(work.context(persona, roster, **options)), work.segments(pieces))

    return same_every_way(text, run)


def cleaned(text: str, **options: Any) -> str:
    """What *text* reads after the rules, none of which may end it."""
    out = out_of(text, **options)
    assert [] == work.stops(out)
    return work.joined(out).strip(WHITESPACE)


def fed(items: Iterable[str | Segment], *, end: Ending = Ending.FINAL, **options: Any) -> list[Out]:
    """What becomes of *items*, each of them a segment."""
    persona = options.pop("persona", "Tomori")
    roster = options.pop("roster", ROSTER)
    row = work.row_of(work.context(persona, roster, **({"tables": "source"} | options)))
    return work.passed(row, [work.prose(item) if isinstance(item, str) else item for item in items], end=end)


def seen(items: Iterable[str | Segment], **options: Any) -> list[Sent]:
    """What people see of *items*, said by Ren with all the sprites."""
    persona = work.a_persona("Ren", sprites=SPRITES)
    out = fed(items, persona=persona, **options)
    assert [] == work.stops(out)
    return work.shown(out, persona)


def words(text: str) -> list[str]:
    return text.split()


# --- the recorded rows ----------------------------------------------------------------------


_ONE_COLUMN_OF_TWO = {"header": ["a", "b"], "rows": [["1", "2"]], "alignments": ["left", "left"]}
_QUOTED_TABLE = "> | a | b |\n> |---|---|\n> | 1 | 2 |"

_WANTED: dict[str, tuple[Any, ...]] = {
    # F1
    "sendBufferSegment-006": ([[Sent("あ"), Sent("é"), Sent("❤")], []],),
    # F2
    "cleanLLMOutput-028-new": ('"Tomori: hi" she said',),
    "cleanLLMOutput-029-new": ("hi!\nyes", "hi! yes"),
    "cleanLLMOutput-034-new": ("Thai: hello",),
    "cleanLLMOutput-036-new": ("a\n```\nTomori: x\n```\nb\nc",),
    # F3, F4, F5
    "parseLeadingRenderModifier-022": (["...Ren (mad): grr", {None}, []], ["...grr", {"mad"}, ["Ren (mad): "]]),
    "parseLeadingRenderModifier-006": (["grr", {"mad"}, ["Ren (mad): "]],),
    "parseLeadingRenderModifier-024": (["Ren\n(mad): x", {None}, []],),
    "parseLeadingRenderModifier-026": (["* Ren (mad): *sighs* hi", {None}, []],),
    "sendBufferSegment-022": (
        [[Sent("one.", "Locke", "Locke (smug): ", "smug"), Sent("two", "Lock\u0435", "Locke (mad): ", "mad")], []],
    ),
    "sendBufferSegment-027": ([[Sent("text after", "Locke", "Locke (mad): ", "mad")], []],),
    # F6
    "parseLeadingGenericSpeakerLabel-012": ("Three options (pick one): a, b",),
    # F7
    "filterDuplicateCustomEmojis-006": (":kitty: …",),
    "filterDuplicateCustomEmojis-007": ("hi!",),
    "filterDuplicateCustomEmojis-021": ("a\nb", "a\n\nb"),
    "filterDuplicateCustomEmojis-022": ("```\n  if a:\n      b :x:\n```",),
    "filterDuplicateCustomEmojis-023": ("it is 12:30:45",),
    # F8
    "cleanLLMOutput-122": ("Intro.\nHere is the code:",),
    # F9
    "cleanLLMOutput-150": ("@ghost hi",),
    "cleanLLMOutput-151-new": ("@{ghost|123456789012345678}",),
    "cleanLLMOutput-152": (ALICE,),
    "cleanLLMOutput-155": ("https://medium.com/@alice",),
    "cleanLLMOutput-156": ("https://medium.com/@ghost",),
    "cleanLLMOutput-157": ("@john.doe hi",),
    "cleanLLMOutput-159": (f"`$&` {ALICE}",),
    "cleanLLMOutput-160": ("__INLINE_CODE_0__ `@alice`",),
    "resolveGuildMentions-012": (["@lilya", []],),
    # F10
    "cleanLLMOutput-117": ("a b", "a  b"),
    # F11
    "cleanLLMOutput-128": ("3·4 = 12 and Catalan col·legi", "3·4 = 12 and Catalan collegi"),
    # F12
    "cleanLLMOutput-096": ("TM™ ©2024 ☑",),
    "cleanLLMOutput-097": ("keep here",),
    # F13
    "cleanLLMOutput-069-new": ("hello world",),
    "cleanLLMOutput-070-new": (f"{WAVE} {WAVE}",),
    "cleanLLMOutput-071": (f"({WAVE})",),
    "cleanLLMOutput-072": (f"line one\n{WAVE}\nline two",),
    "cleanLLMOutput-074": ("`:wave:` in code",),
    "cleanLLMOutput-078": ("cost __EMOJI_PLACEHOLDER_0__ x",),
    "cleanLLMOutput-081-new": (f"if x < 5 {WAVE}",),
    "cleanLLMOutput-086-new": ("<a:unk:999999999999999999>",),
    "cleanLLMOutput-087-new": ("no list x",),
    # F14
    "prefillStripAndInject(seed-doc version)-005": ("Sure, hereSure, there we go", "Sure, there we go"),
    "sendBufferSegment-041": ([[Sent("Sure,")], []],),
    # F15
    "sendBufferSegment-043": ([[Sent("Step one: go"), Sent("Step two: more")], []],),
    "truncateBeforeGenericSpeakerLine-021": (["x\nRen: plain", False],),
    "truncateBeforeGenericSpeakerLine-023": (["see\nhttps://x.y/z", False],),
    "truncateBeforeGenericSpeakerLine-025": (["plan\n12:30 lunch", False],),
    "truncateBeforeGenericSpeakerLine-026": (["ok\nNote: remember this", False],),
    "truncateBeforeGenericSpeakerLine-027": (["ok\n**Step 1:** go", False],),
    "truncateBeforeGenericSpeakerLine-028": (["x\ndef f(a):\n  return", False],),
    # F16
    "extractMarkdownTableSegments-021": (
        [{"type": "table", "content": "a | b\n---|---\n1 | 2"} | _ONE_COLUMN_OF_TWO],
    ),
    "extractMarkdownTableSegments-023": (
        [{"type": "table", "content": "| a | b |\n|---|---|\n| 1 |\n"} | _ONE_COLUMN_OF_TWO | {"rows": [["1", ""]]}],
    ),
    "extractMarkdownTableSegments-025": (
        [{"type": "text", "content": "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```"}],
    ),
    # Whether a quoted table is a table or stays a quote is left open; it may not fall apart.
    "extractMarkdownTableSegments-026": (
        [{"type": "text", "content": _QUOTED_TABLE}],
        [{"type": "table", "content": _QUOTED_TABLE} | _ONE_COLUMN_OF_TWO],
    ),
    "extractMarkdownTableSegments-028": (
        [
            {"type": "table", "content": "| a | b \\|\n|---|---|\n| 1 | 2 |"}
            | _ONE_COLUMN_OF_TWO
            | {"header": ["a", "b |"]}
        ],
    ),
    # F19, F20, and stage 5
    "cleanLLMOutput-124": (f"```py\nx\n```\nafter {WAVE}",),
    "cleanLLMOutput-120": ("Use `<div>hello</div>` please",),
    "cleanLLMOutput-121": ("<user>x</user>y",),
    "cleanLLMOutput-119-new": ("y",),
}  # fmt: skip
"""What ours answers to each row with a ``bug``: one answer, or any of several where the specification leaves it open."""


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in rows(with_bug=True)])
def test_a_recorded_defect_is_not_copied(row: Row) -> None:
    ours, recorded = answer(row)

    assert ours in _WANTED[row["id"]], f"{row['input']!r}: {row['bug']} (recorded: {recorded!r})"


def test_every_wanted_answer_belongs_to_a_row() -> None:
    assert {row["id"] for row in rows(with_bug=True)} == set(_WANTED)


# --- F1: single characters ------------------------------------------------------------------


@pytest.mark.parametrize("character", [*"あé❤жñ한字7x☃€∞", "😀", "👨\u200d👩\u200d👧", "e\u0301", "🇯🇵", "ß", "ع"])
def test_f01_a_single_character_on_its_line_is_said(character: str) -> None:
    assert ["one", character, "two"] == cleaned(f"one\n{character}\ntwo").split("\n")


@pytest.mark.parametrize("mark", [*".,!?;。、…", "...", "..", "…!"])
def test_f01_a_mark_alone_on_its_line_is_no_message(mark: str) -> None:
    """It goes, or it joins what comes next."""
    out = fed(["one\n", f"{mark}\n", "two\n"])

    assert words(work.joined(out)) in (["one", "two"], ["one", f"{mark}two"])


# --- F2: the own name -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "Good news first.\nTomori: and the rest\nTomori: bye", "Good news first. and the rest bye", id="lines"
        ),
        pytest.param("hi! Tomori: yes", "hi! yes", id="sentence"),
        pytest.param("a `b`\n\nlong story\nTomori: c", "a `b` long story c", id="code before it"),
        pytest.param("one\n```\ntwo\n```\nTomori: three", "one ``` two ``` three", id="code block before it"),
        pytest.param("| a | b |\n|---|---|\n| 1 | 2 |\nTomori: c", "| a | b | |---|---| | 1 | 2 | c", id="table"),
    ],
)
def test_f02_what_was_said_before_a_label_stays(text: str, expected: str) -> None:
    assert words(expected) == words(cleaned(text))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("Ai", "Thai: hello", id="end of a word"),
        pytest.param("Ai", "hm.\nThai: hello\nBonsai: x", id="end of a word, later line"),
        pytest.param("Al", "Personal: yes, total: 5", id="end of two words"),
        pytest.param("Tomori", '"Tomori: hi" she said', id="quoted"),
        pytest.param("Tomori", "「Tomori: hi」と", id="quoted, Japanese"),
        pytest.param("Tomori", "well, Tomori: never quit", id="behind a comma"),
        pytest.param("Tomori", "- Tomori: 12\n- Bella: 9", id="list"),
        pytest.param("Tomori", "1. Tomori: x", id="numbered list"),
        pytest.param("Tomori", "> Tomori: x", id="quote"),
        pytest.param("Tomori", "`Tomori: x` and ``Tomori: y``", id="code"),
        pytest.param("Tomori", "Tomori (the one) is here", id="no colon"),
        pytest.param("Tomori", "Tomoricorp: x", id="longer word"),
        pytest.param("あい", "しあい：はじめ", id="end of a word, Japanese"),
    ],
)
def test_f02_what_is_no_label_stays(name: str, text: str) -> None:
    assert text == cleaned(text, persona=name)


@pytest.mark.parametrize(
    "label",
    [
        *("Tomori:", "Tomori：", "Tomori :", "Tomori ：", "*Tomori*:", "*Tomori:*", "_Tomori_:", "__Tomori__:"),
        *("**Tomori**：", "**Tomori:**", "**Tomori :**", "***Tomori***:", "***Tomori:***", "  Tomori:", "Tomori: Tomori:"),
    ],
)  # fmt: skip
def test_f02_a_label_is_known_in_every_form(label: str) -> None:
    assert "x *y*" == cleaned(f"{label} x *y*")
    assert ["w", "x *y*"] == cleaned(f"w\n{label} x *y*").split("\n")


def test_f02_a_label_in_another_case_is_known_where_the_reply_opens() -> None:
    assert "x\nmax: 5" == cleaned("max: x\nmax: 5", persona="Max")


# --- F3: held punctuation ---------------------------------------------------------------------


def test_f03_held_punctuation_does_not_hide_a_label() -> None:
    """It joins the words that the label stood before, or is said before them without their sprite."""
    grr = Sent("grr", "Ren", "Ren (mad): ", "mad")

    assert seen(["...\n", "Ren (mad): grr\n"]) in ([replace(grr, text="...grr")], [Sent("..."), grr])


def test_f03_held_punctuation_does_not_hide_a_plain_label() -> None:
    assert ["...grr"] == cleaned("...\nTomori: grr").split("\n")


@pytest.mark.parametrize("opening", ["Ren (mad): hi\n", "Ren: hi\n"])
def test_f03_held_punctuation_does_not_cost_the_reply(opening: str) -> None:
    assert "...hi" == "".join(message.text for message in seen(["...\n", opening], may_retry=True))


# --- F4: the grammar of labels ------------------------------------------------------------------


@pytest.mark.parametrize(
    "label",
    [
        *("Ren (mad):", "ren(mad):", "Ren （mad）：", "**Ren (mad):**", "**Ren (mad)**:", "*Ren (mad)*:"),
        *("_Ren (mad):_", "__Ren (mad)__:", "Ren: Ren (mad):", "  Ren  ( mad ) :", "Ren (MAD):"),
    ],
)  # fmt: skip
def test_f04_a_sprite_is_known_in_every_form(label: str) -> None:
    assert [Sent("grr", "Ren", "Ren (mad): ", "mad")] == seen([f"{label} grr\n"])


@pytest.mark.parametrize(
    "text",
    [
        "* Ren (mad): *sighs* hi",
        "- Ren (mad): x",
        "1. Ren (mad): x",
        "> Ren (mad): x",
        "# Ren (mad): x",
        "Ren\n(mad): x",
        "Ren (mad)\n: x",
        "Ren (mad\n): x",
        "Ren (): x",
        "say Ren (mad): x",
    ],
)
def test_f04_what_is_no_label_is_text(text: str) -> None:
    assert [Sent(text)] == seen([Segment(text, Boundary.FINAL)])


def test_f04_every_label_in_a_segment_counts() -> None:
    text = "Ren (smug): one.\nstill\nRen (mad): two\nRen: three"

    messages = seen([Segment(text, Boundary.FINAL)])

    assert words("one. still two three") == words(" ".join(message.text for message in messages))
    assert {"one.": "smug", "two": "mad", "three": None} == {
        words(message.text)[0]: message.sprite for message in messages if words(message.text)[0] != "still"
    }
    assert ["Ren (smug): ", "Ren (mad): "] == [message.prefix for message in messages if message.prefix]


# --- F5: a label alone on its line ----------------------------------------------------------------


@pytest.mark.parametrize(
    "items",
    [
        pytest.param(["Ren (mad):\n", "text after\n"], id="line"),
        pytest.param(["Ren (mad):\n", "\n", "text after\n"], id="blank line between"),
        pytest.param(["Ren (mad):\ntext after\n"], id="one segment"),
    ],
)
def test_f05_a_label_waits_for_what_it_stands_before(items: list[str]) -> None:
    assert [Sent("text after", "Ren", "Ren (mad): ", "mad")] == seen(items)


def test_f05_a_sprite_that_nobody_saw_changes_no_name() -> None:
    messages = seen(["Ren (smug): a\n", "Ren (mad):\n", "Ren (smug): b\n"])

    assert [("a", "Ren", "smug"), ("b", "Ren", "smug")] == [(m.text, m.username, m.sprite) for m in messages]


# --- F6: replies that open as somebody else ---------------------------------------------------------


@pytest.mark.parametrize("may_retry", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        "Three options (pick one): a, b",
        "The plan for today (still a draft): sleep",
        "my answer (short): no",
        "Note: yo",
        "https://e.org/a_(b): look",
        "12:30 (noon): lunch",
        "- Chris (smug): yo",
        "> Chris: yo",
        "[Chris]: yo",
        "`Chris (smug):` is a label",
    ],
)
def test_f06_prose_is_no_label(text: str, may_retry: bool) -> None:  # noqa: FBT001
    assert text == cleaned(text, may_retry=may_retry)


@pytest.mark.parametrize(
    "text",
    [
        "Chris (smug): bro",
        "Chris: bro",
        "クリス（笑）：bro",
        "クリス：bro",
        "obo (mad): bro",
        "Tomori: Chris (smug): bro",
    ],
)
def test_f06_somebody_else_is_asked_again_or_loses_the_label(text: str) -> None:
    assert ["speaker_guard"] == work.stops(out_of(text, may_retry=True))
    assert "" == work.joined(out_of(text, may_retry=True))
    assert "bro" == cleaned(text, may_retry=False)


def test_f06_only_the_opening_counts() -> None:
    text = "He said it.\nChris (smug): bro"

    assert text == cleaned(text, may_retry=True)


# --- F7: repeated emoji -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("line1\nline2\n\nline3 :x:", "line1\nline2\n\nline3", id="paragraphs"),
        pytest.param("- a :x:\n    - b\n\n\n  c", "- a\n    - b\n\n\n  c", id="indentation"),
        pytest.param("two  spaces :x: here", "two  spaces here", id="other space"),
        pytest.param("<:kitty:1> x", "x", id="tag"),
        pytest.param("a <a:kitty:123456789012345678> x", "a x", id="animated tag"),
        pytest.param("a :KITTY: b", "a b", id="case"),
        pytest.param("it is 12:30:45", "it is 12:30:45", id="clock"),
        pytest.param("a:x:b", "a:x:b", id="inside a word"),
        pytest.param("`:x:` :y:", "`:x:` :y:", id="code"),
        pytest.param("see https://e.org/:x:/ ok", "see https://e.org/:x:/ ok", id="address"),
        pytest.param("hi :kitty:!", "hi!", id="before a mark"),
        pytest.param(":kitty: …", ":kitty: …", id="nothing but marks left"),
        pytest.param("```\n  if a:\n      b :x:\n```", "```\n  if a:\n      b :x:\n```", id="code block"),
    ],
)
def test_f07_only_the_emoji_and_the_space_beside_it_go(text: str, expected: str) -> None:
    roster = Roster(recent_emoji=("x", "kitty", "30"))

    assert expected == cleaned(text, roster=roster, unknown_emoji="keep")


# --- F8: a label at the end -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Intro.\nHere is the code:",
        "Title: x\nfirst\nsecond\nthird:",
        "Sure, here:",
        "one\ntwo: three:",
        "ok\n- Aki:",
        "ok\nhttps://Aki:",
        "ok\nask Aki:",
    ],
)
def test_f08_a_last_line_with_a_colon_stays(text: str) -> None:
    assert text == cleaned(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("hello\nAki:", "hello", id="speaker"),
        pytest.param("hello\nChris: ", "hello", id="participant"),
        pytest.param("Title: x\nfirst\nAki:", "Title: x\nfirst", id="only the last line"),
        pytest.param("hello\nAki: hi\nAki:", "hello\nAki: hi", id="only the last of two"),
    ],
)
def test_f08_the_label_of_somebody_known_goes(text: str, expected: str) -> None:
    assert expected == cleaned(text)


# --- F9: mentions -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("@ghost hi", "@ghost hi", id="nobody"),
        pytest.param("@bob hi", "@bob hi", id="one of two"),
        pytest.param("@{ghost|123456789012345678}", "@{ghost|123456789012345678}", id="nobody, braces"),
        pytest.param("@555555555555555555 hi", f"{ALICE} hi", id="id"),
        pytest.param("@mary jane hi", f"{MARY} hi", id="two words"),
        pytest.param("@Mary Janes", "<@777777777777777777> Janes", id="not the longer one"),
        pytest.param("@john.doe hi", f"{JOHN} hi", id="with a dot"),
        pytest.param("ask @john.doe.", f"ask {JOHN}.", id="at the end of a sentence"),
        pytest.param("@(see below) @[1]", "@(see below) @[1]", id="prose in brackets"),
        pytest.param("https://medium.com/@alice", "https://medium.com/@alice", id="address"),
        pytest.param("mail a@alice.com", "mail a@alice.com", id="mail"),
        pytest.param("`$&` @alice $& \\1 \\g<0>", f"`$&` {ALICE} $& \\1 \\g<0>", id="replacement signs"),
        pytest.param("__INLINE_CODE_0__ `@alice`", "__INLINE_CODE_0__ `@alice`", id="placeholder"),
        pytest.param("```\n@alice\n```", "```\n@alice\n```", id="code block"),
        pytest.param("@everyone @here", "@everyone @here", id="all"),
        pytest.param(f"{ALICE} @alice", f"{ALICE} {ALICE}", id="tag"),
        pytest.param("@Shy  Tomori hey", "@lilya hey", id="persona"),
    ],
)
def test_f09_who_is_known_is_mentioned_and_the_rest_stays(text: str, expected: str) -> None:
    assert expected == cleaned(text, persona="Ren")


def test_f09_a_persona_is_not_a_member_of_the_same_name() -> None:
    roster = Roster(mentions={"lilya": ALICE}, personas={"lilya": "lilya"})

    assert "@lilya" == cleaned("@lilya", roster=roster)


async def test_f09_who_is_not_found_is_not_asked_for_again() -> None:
    from cadenza.replies.outbox.lookups import Lookup

    asked: list[str] = []

    async def find(handle: str, _place: str) -> str | None:
        asked.append(handle)
        return JOHN if handle == "john" else None

    lookup = Lookup(find, clock=lambda: 0.0)

    for _ in range(3):
        assert f"@ghost {JOHN} `@ghost`" == await lookup.resolve("@ghost @john `@ghost`", ROSTER)
    assert ["ghost", "john"] == sorted(asked)


# --- F10: leaked system blocks ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("[System: secret] hello", "hello", id="front"),
        pytest.param("a [System: x [nested] y] b", "a b", id="nested"),
        pytest.param("a [system: x [n [m]] y] b [z]", "a b [z]", id="nested twice"),
        pytest.param("a\n[SYSTEM: one\ntwo\n\nthree] b\nc", "a b c", id="over lines"),
        pytest.param("a\n[system: one\n[two]\nthree [four\nfive] six]\nb", "a b", id="nested over lines"),
        pytest.param("[systematic: no] b", "[systematic: no] b", id="another word"),
        pytest.param("`[system: x]` b", "`[system: x]` b", id="code"),
        pytest.param("```\n[system: x]\n```", "``` [system: x] ```", id="code block"),
    ],
)
def test_f10_a_system_block_goes_whole(text: str, expected: str) -> None:
    assert words(expected) == words(cleaned(text))


def test_f10_a_block_that_goes_on_in_the_next_segment_goes_whole() -> None:
    assert words("before after") == words(work.joined(fed(["before\n", "[System: a\n", "b\n", "c] after\n"])))


def test_f10_a_block_that_never_closes_does_not_eat_the_reply() -> None:
    text = cleaned("hello\n[system: never closed\n\n" + "later words\n\n" * 400)

    assert text.startswith("hello")
    assert text.endswith("later words")


# --- F11: middle dots ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("listed", "text", "expected"),
    [
        pytest.param("sneaky", "a sn·eaky fox", "a sneaky fox", id="listed"),
        pytest.param("sneaky", "S·n·e·a·k·y", "Sneaky", id="listed, more dots"),
        pytest.param("sneaky", "3·4 = 12 and Catalan col·legi", "3·4 = 12 and Catalan col·legi", id="not listed"),
        pytest.param("*", "3·4 = 12, a·b", "3·4 = 12, ab", id="every word"),
        pytest.param("*", "名·前 · x", "名·前 · x", id="not Latin"),
        pytest.param("*", "`a·b` https://e.org/a·b", "`a·b` https://e.org/a·b", id="code and address"),
        pytest.param("", "sn·eaky", "sn·eaky", id="off"),
    ],
)
def test_f11_only_dots_in_words_go(listed: str, text: str, expected: str) -> None:
    assert expected == cleaned(text, sanitise=listed)


# --- F12: no emoji ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("TM™ ©2024 ☑ ®", "TM™ ©2024 ☑ ®", id="text symbols"),
        pytest.param("press 1️⃣ or #️⃣ now", "press or now", id="keycaps"),
        pytest.param("keep :+1: and :-1: here", "keep and here", id="signs"),
        pytest.param("a 😀 b 👍🏽 c", "a b c", id="emoji"),
        pytest.param("a 👨\u200d👩\u200d👧 b", "a b", id="family"),
        pytest.param("a 🇯🇵 b 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f c", "a b c", id="flags"),
        pytest.param("a ❤️ b", "a b", id="with a selector"),
        pytest.param(f"a {WAVE} b :dance: c", "a b c", id="own emoji"),
        pytest.param("at 12:30:00 or 3:4:5", "at 12:30:00 or 3:4:5", id="clock"),
        pytest.param("`😀 :x:` y", "`😀 :x:` y", id="code"),
        pytest.param("1 2 3 # * क्षि e\u0301 नमस्ते", "1 2 3 # * क्षि e\u0301 नमस्ते", id="digits and letters"),
    ],
)
def test_f12_without_emoji_the_rest_stays(text: str, expected: str) -> None:
    ours = cleaned(text, use_emoji=False)

    assert words(expected) == words(ours)
    assert not set("\u200d\ufe0f\u20e3") & set(ours) or "`" in text


# --- F13: emoji ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("I <3 you :wave: ok", f"I <3 you {WAVE} ok", id="behind a heart"),
        pytest.param("if x < 5 :wave:", f"if x < 5 {WAVE}", id="behind a sign"),
        pytest.param("- :wave: one\n- :dance: two", f"- {WAVE} one\n- {DANCE} two", id="list"),
        pytest.param("line one\n:wave:\n\n:sad:\nline two", f"line one\n{WAVE}\n\n{SAD}\nline two", id="lines"),
        pytest.param("(:wave:) [:sad:] **:wave: x**", f"({WAVE}) [{SAD}] **{WAVE} x**", id="brackets"),
        pytest.param("hi :wave:, :sad:!", f"hi {WAVE}, {SAD}!", id="marks"),
        pytest.param("hello :wave, friend :dance", f"hello {WAVE}, friend {DANCE}", id="no closing colon"),
        pytest.param("see :sad-face: ok", "see :sad-face: ok", id="longer name"),
        pytest.param("note:wave", "note:wave", id="no closing colon, in a word"),
        pytest.param("`:wave:` ``:sad:``", "`:wave:` ``:sad:``", id="code"),
        pytest.param("https://e.org/:wave:/:nope:", "https://e.org/:wave:/:nope:", id="address"),
        pytest.param("std::vec::new and a::b", "std::vec::new and a::b", id="code-like"),
        pytest.param("at 12:30:45, 3:4:5", "at 12:30:45, 3:4:5", id="clock"),
        pytest.param("hello :nope: world :nope:", "hello world", id="unknown"),
        pytest.param("<:wave:9> <a:dance:> <:sad> <:nope:1>", f"{WAVE} {DANCE} {SAD}", id="broken tags"),
        pytest.param("__EMOJI_PLACEHOLDER_0__ $& :wave:", f"__EMOJI_PLACEHOLDER_0__ $& {WAVE}", id="placeholder"),
    ],
)
def test_f13_an_emoji_is_put_in_place(text: str, expected: str) -> None:
    assert expected == cleaned(text)


@pytest.mark.parametrize("text", ["std::vec::new", "http://h/:id:/x", "`:wave:`", "12:30:00"])
def test_f13_without_a_list_code_like_text_stays(text: str) -> None:
    assert text == cleaned(text, roster=Roster())


def test_f13_what_is_kept_keeps_its_writing() -> None:
    text = "<a:unk:999999999999999999> :nope: <:x:1>"

    assert text == cleaned(text, unknown_emoji="keep")


# --- F14: prefill ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        pytest.param(["Sure, here are three\n"], "are three", id="echoed"),
        pytest.param(["apples\n"], "apples", id="not echoed"),
        pytest.param(["Sure,", " here we go\n"], "we go", id="in two"),
        pytest.param(["Sure,", " there we go\n"], "Sure, there we go", id="failed"),
        pytest.param(["\nSure, here go\n"], "go", id="behind a line end"),
        pytest.param(["Sure,"], "Sure,", id="never finished"),
        pytest.param(["Sur", "e", ",", " he", "llo\n"], "Sure, hello", id="failed late"),
    ],
)
@pytest.mark.parametrize("end", [Ending.FINAL, Ending.TOOL_CALL])
def test_f14_nothing_but_the_prefill_is_taken_off(items: list[str], expected: str, end: Ending) -> None:
    segments = [Segment(item, Boundary.NEWLINE if item.endswith("\n") else Boundary.OVERFLOW) for item in items]

    assert expected == work.joined(fed(segments, prefill="Sure, here", end=end)).strip(WHITESPACE)


@pytest.mark.parametrize("text", ["Sure, here are three", " are three"])
def test_f14_a_prefill_that_is_shown_is_shown_once(text: str) -> None:
    ours = work.joined(fed([Segment(text, Boundary.FINAL)], prefill="Sure, here", show_prefill=True))

    assert "Sure, here are three" == ours


# --- F15: the speaker guard --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        *("https://x.y/z", "12:30 lunch", "- apples: 3", "Note: this", "**Step 1:** go", "def f(a):", "Tomori: plain"),
        *("> User: quoted", "- User: listed", "1. Aki: listed", "# User: heading", "`User: code`", "[User]: link", "so User: x"),
        *("Usergroup: x", "userland：x", "http://User: x", "Step two: more", "クッキー：三つ"),
    ],
)  # fmt: skip
def test_f15_a_line_with_a_colon_is_no_speaker(line: str) -> None:
    ours = cleaned(f"ok\n{line}\nend", speaker_guard=True)

    assert ["ok", line.removeprefix("Tomori: "), "end"] == ours.split("\n")


@pytest.mark.parametrize("colon", [":", "：", " :"])
@pytest.mark.parametrize(
    "name", ["User", "Assistant", "System", "Human", "Aki", "aki", "Chris", "クリス", "lilya", "**Aki**"]
)
def test_f15_a_reply_ends_where_somebody_known_speaks(name: str, colon: str) -> None:
    out = out_of(f"fine.\n\n{name}{colon} hi\nmore", speaker_guard=True)

    assert ("fine.", ["speaker_guard"]) == (work.joined(out).strip(WHITESPACE), work.stops(out))
    assert isinstance(out[-1], Halt)


def test_f15_the_guard_is_off_unless_asked_for() -> None:
    assert "fine.\nUser: hi" == cleaned("fine.\nUser: hi")


# --- F16: tables ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "header", "body"),
    [
        pytest.param("a | b\n---|---\n1 | 2\n", ["a", "b"], [["1", "2"]], id="two columns, no edges"),
        pytest.param("| a | b |\n|---|---|\n| 1 |\n", ["a", "b"], [["1", ""]], id="short row"),
        pytest.param("| a | b |\n|---|---|\n| 1 | 2 | 3 |\n", ["a", "b", ""], [["1", "2", "3"]], id="long row"),
        pytest.param("| a | b |\n|---|---|\n| - | - |\n| 1 | 2 |\n", ["a", "b"], [["-", "-"], ["1", "2"]], id="dashes"),
        pytest.param("| a | b \\|\n|---|---|\n| 1 | 2 |\n", ["a", "b |"], [["1", "2"]], id="escaped bar at the end"),
        pytest.param("| a \\| b | c |\n|-|-|\n| 1 | 2 |\n", ["a | b", "c"], [["1", "2"]], id="escaped bar"),
    ],
)
def test_f16_a_table_is_read_as_github_does(text: str, header: list[str], body: list[list[str]]) -> None:
    """But no cell is lost: GitHub drops those beyond the head."""
    assert [("table", text)] == list(work.parts(text))
    table = work.table_of(text)
    assert table is not None
    assert (header, body) == (table["header"], table["rows"])


def test_f16_prose_behind_a_table_is_prose() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n"

    assert [("table", table), ("text", "plain | pipe\nend")] == list(work.parts(table + "plain | pipe\nend"))


@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
def test_f16_a_table_in_code_is_code(fence: str) -> None:
    text = f"{fence}\n| a | b |\n|---|---|\n| 1 | 2 |\n{fence}\n"

    assert [Kind.CODE] == [segment.kind for segment in work.segments(text) if segment.text.strip()]


# --- F17: pictures ---------------------------------------------------------------------------------------------------


def _table(columns: int, count: int, cell: str = "{}") -> str:
    """A table in which every cell holds a word of its own."""
    numbers = iter(range(columns * (count + 1)))
    lines = [
        "| " + " | ".join(cell.format(f"w{next(numbers)}") for _ in range(columns)) + " |" for _ in range(count + 1)
    ]
    return "\n".join([lines[0], "|" + "---|" * columns, *lines[1:]]) + "\n"


_TABLES = [
    pytest.param(_table(2, 3), id="plain"),
    pytest.param(_table(24, 3), id="wide"),
    pytest.param(_table(2, 300), id="long"),
    pytest.param(_table(3, 2, "日本語 {} 👨\u200d👩\u200d👧 e\u0301"), id="many scripts"),
    pytest.param(_table(2, 2, "{} " + "lorem ipsum " * 60), id="long cells"),
    pytest.param(_table(2, 2, "{} " + "x" * 900), id="long words"),
    pytest.param(_table(2, 2, "**{}** *i* `c` ~~s~~ [l](https://e.org) ||s||"), id="Markdown"),
    pytest.param(_table(2, 2, "{} \x1b[31m\x00\x07 \u202e\ufeff"), id="control characters"),
    pytest.param(_table(2, 2, "{} <b> & \" ' $& \\1"), id="marks of other languages"),
    pytest.param(_table(2, 2, "{} \ud83d"), id="half a character"),
]


@pytest.mark.parametrize("how", ["picture", "text", "source"])
@pytest.mark.parametrize("table", _TABLES)
async def test_f17_every_cell_arrives_whatever_is_in_it(table: str, how: str) -> None:
    target = MemoryTarget(limits=Limits(files=True))

    result = await say(target, f"Look:\n\n{table}\nthat's it.", settings=Settings.of(degree=1, tables=how))

    assert isinstance(result.outcome, Completed)
    said = "\n".join(_everything(post) for post in target.posts)
    assert set(re.findall(r"w\d+", table)) == set(re.findall(r"w\d+", said))
    assert ("Look:", "that's it.") == (target.texts[0], target.texts[-1])
    for post in target.posts:
        assert post.text.strip() or post.attachment or post.source
        assert units(post.text) <= 1950


def _everything(post: Any) -> str:
    return "\n".join([post.text, post.source or "", *map(_everything, post.instead)])


async def test_f17_a_table_that_is_shown_otherwise_keeps_its_markdown() -> None:
    target = MemoryTarget()

    await say(target, _table(2, 2), settings=Settings.of(degree=1, tables="text"))

    assert [_table(2, 2).strip()] == [post.source.strip() for post in target.posts if post.source]


# --- F18: cost -----------------------------------------------------------------------------------------------------------


_CROWD = Roster(
    mentions={f"person{number}": f"<@{10**17 + number}>" for number in range(200)},
    emoji={f"emoji_{number}": f"<:emoji_{number}:{10**17 + number}>" for number in range(250)},
    personas={f"persona {number}": f"persona{number}" for number in range(50)},
    participants=tuple(work.a_participant(f"Guest{number}") for number in range(50)),
    speakers=tuple(f"Speaker{number}" for number in range(50)),
    recent_emoji=tuple(f"old_{number}" for number in range(50)),
)
_FEW = Roster(
    mentions={"person7": "<@1>"},
    emoji={"emoji_7": "<:emoji_7:1>"},
    personas={"persona 7": "persona7"},
    participants=(work.a_participant("Guest7"),),
    speakers=("Speaker7",),
    recent_emoji=("old_7",),
)
_DENSE = {
    "prose": "The quick brown fox jumps over the lazy dog. ",
    "emoji": "hi :emoji_7: and :emoji_x: so ",
    "repeated emoji": "hi :old_7: and <:old_7:1> so ",
    "mentions": "ask @person7 or @nobody or @{person7} ",
    "labels": "Ren: hi there\nRen (mad): grr\n",
    "speakers": "Note: this\nGuest7 said: that\n",
    "tags": "a <b> c </b> <x",
    "less than": "< <3 ",
    "colons": ": :: a:b ",
    "brackets": "[system: x [y] ",
    "line ends": "\n",
    "at signs": "@ @@ ",
    "dots": "a·b · ",
    "spaces": "  \t ",
    "code": "`:emoji_7:` @person7 ",
    "stars": "** * _",
    "one letter": "a",
}


def _cost(text: str, roster: Roster, times: int) -> int:
    """What it costs to pass a thousand characters of *text* so many times, in segments or in one."""
    options = {"unknown_emoji": "strip", "sanitise": "*", "unicode_spaces": True, "tables": "source"}
    scene = work.context(
        work.a_persona("Ren", ["Rennie"], SPRITES), roster, prefill="Sure, here", speaker_guard=True, **options
    )
    row = work.row_of(scene)
    thousand = text * (1000 // len(text))
    return calls_of(lambda: work.passed(row, [Segment(thousand, Boundary.OVERFLOW)] * times))


_EACH_DENSE = pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in _DENSE.items()])


@_EACH_DENSE
def test_f18_the_cost_grows_with_the_text_and_not_faster(text: str) -> None:
    _cost(text, _CROWD, 3)  # what is made once is not counted; in less text an open bracket may take all that follows

    assert _cost(text, _CROWD, 15) <= 5 * 1.2 * _cost(text, _CROWD, 3)


@_EACH_DENSE
def test_f18_one_long_segment_costs_no_more_than_its_parts(text: str) -> None:
    """A pattern that looks back over all that came before would show here."""
    five_thousand = text * (5000 // len(text))  # what is done once for a text weighs little in that

    def cost(text: str) -> int:
        row = work.row_of(
            work.context(work.a_persona("Ren", sprites=SPRITES), _CROWD, unknown_emoji="strip", tables="source")
        )
        return calls_of(lambda: work.passed(row, [Segment(text, Boundary.FINAL)]))

    cost(five_thousand)
    assert cost(five_thousand * 4) <= 4 * 1.2 * cost(five_thousand)


@_EACH_DENSE
def test_f18_the_cost_does_not_grow_with_the_names(text: str) -> None:
    _cost(text, _FEW, 5)

    assert _cost(text, _CROWD, 5) <= 1.3 * _cost(text, _FEW, 5)


# --- F19: beside a fence ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("```py\nx\n```\nTomori: after :wave:", f"```py\nx\n```\nafter {WAVE}", id="behind"),
        pytest.param("Tomori: see :wave:\n```\nx\n```", f"see {WAVE}\n```\nx\n```", id="before"),
        pytest.param("[system: y]\n```\nTomori: :wave: @alice\n```", "```\nTomori: :wave: @alice\n```", id="system block"),
        pytest.param("```\na\n```\n@alice\n```\n@alice\n```\n@alice", f"```\na\n```\n{ALICE}\n```\n@alice\n```\n{ALICE}", id="between"),
    ],
)  # fmt: skip
def test_f19_text_beside_a_fence_is_cleaned_and_the_fence_is_not(text: str, expected: str) -> None:
    assert expected == cleaned(text)


# --- F20: leaked tags ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        *("<b>bold</b> text", "<div>hello</div>", "Use `<div>hello</div>` please", "<user>x</user>y", "a <b> c", "x < y > z"),
        *("<p>one\ntwo</p>", "List<int> and Map<K, V>", "<html><body>x</body></html>", "`<|im_end|>` x", "<|im_end|> hi"),
    ],
)  # fmt: skip
def test_f20_other_tags_stay(text: str) -> None:
    assert text == cleaned(text)


@pytest.mark.parametrize("text", ["hi <|im_end|>", "hi<|file_separator|>\n", "hi<|im_end|>\n\n"])
def test_f20_marks_of_the_model_go_at_the_end(text: str) -> None:
    assert "hi" == cleaned(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("<|im_start|>assistant\nTomori: hi<|im_end|>", "hi", id="a role and a label"),
        pytest.param("<|start_header_id|>assistant<|end_header_id|>\n\nhi<|eot_id|>", "hi", id="a header"),
        pytest.param("<|channel|>final<|message|>hi", "hi", id="a channel"),
        pytest.param("<tool_call>\n```json\n{}\n```\n</tool_call>\nhi", "hi", id="code in a block"),
        pytest.param("a\n\n<tool_call>x</tool_call>\n\nb", "a\n\nb", id="between empty lines"),
        pytest.param("**[System: be nice]** hi", "hi", id="an emphasised block"),
        pytest.param("> [System: x]\n> hi", "> hi", id="a quoted block"),
        pytest.param("...\n- a", "...\n- a", id="held punctuation before a list"),
    ],
)
def test_f20_what_templates_leave_behind_goes_without_a_trace(text: str, expected: str) -> None:
    assert expected == cleaned(text)


def test_f20_what_opens_somebody_elses_turn_ends_the_reply() -> None:
    out = out_of("hi\n...<|im_end|>\n<|im_start|>user\nTomori: x")

    assert (["hi", "..."], ["speaker_guard"]) == (words(work.joined(out)), work.stops(out))


# --- F21: held punctuation on the way out ------------------------------------------------------------------------------------


def test_f21_held_punctuation_is_said_before_a_guard_ends_the_reply() -> None:
    out = out_of("hi\n...\nUser: x\n", speaker_guard=True)

    assert (["hi", "..."], ["speaker_guard"]) == (words(work.joined(out)), work.stops(out))
    assert isinstance(out[-1], Halt)


@pytest.mark.parametrize("end", list(Ending))
def test_f21_held_punctuation_is_said_at_every_end(end: Ending) -> None:
    assert "hi\n..." == work.joined(fed(["hi\n", "...\n"], end=end)).strip(WHITESPACE)


@pytest.mark.parametrize("block", ["| a | b |\n|---|---|\n| 1 | 2 |", "```\nx\n```"])
def test_f21_held_punctuation_is_said_before_a_table_and_before_code(block: str) -> None:
    out = out_of(f"hi\n...\n{block}\n")

    assert ["hi", "...", block] == [
        item.text.strip() for item in out if isinstance(item, Segment) and item.text.strip()
    ]


@pytest.mark.parametrize("text", ["```\n...\n```", "```\na\n...\n\n!\nb\n```", "```\n" + "...\n" * 9 + "```"])
def test_f21_nothing_is_held_in_code(text: str) -> None:
    assert text == cleaned(text)
