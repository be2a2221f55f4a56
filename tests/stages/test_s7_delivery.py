from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from cadenza.errors import SettingsError
from cadenza.settings import DeliverySettings
from cadenza.stages.s7_delivery import Composer, receipt_of
from cadenza.stages.s7_files import LARGEST
from cadenza.stages.s7_merging import farewell
from cadenza.targets.target import Limits
from cadenza.text.units import units
from cadenza.types import Attachment, Boundary, Ending, Halt, Identity, Kind, Post, Segment, StopReason
from tests.helpers import Dice

NEWLINE, OVERFLOW, FINAL = Boundary.NEWLINE, Boundary.OVERFLOW, Boundary.FINAL
CLOSE = Boundary.CODE_CLOSE
MAD = Identity("Ren", "mad.png")
SOUP = "<:soup:11>"


def posts_for(composer: Composer, *segments: Segment, why: Ending = Ending.FINAL) -> list[Post]:
    planned = [*(item for segment in segments for item in composer.feed(segment)), *composer.flush(why)]
    assert not any(isinstance(item, Halt) for item in planned)
    return [item for item in planned if isinstance(item, Post)]


def lines(*texts: str) -> list[Segment]:
    return [Segment(text, NEWLINE) for text in texts]


# --- from segments to messages -----------------------------------------------------


@pytest.mark.parametrize(
    ("degree", "expected"),
    [
        pytest.param(0, ["It is. So it is.\nThree."], id="0 one message"),
        pytest.param(1, ["It is. So it is.", "Three."], id="1 a line"),
        pytest.param(2, ["It is. So it is.", "Three."], id="2 a line"),
        pytest.param(3, ["it is", "so it is", "three"], id="3 a sentence"),
    ],
)
def test_the_degree_decides_how_much_a_message_holds(degree: int, expected: list[str]) -> None:
    composer = Composer(DeliverySettings(degree=degree), Dice())

    assert expected == [post.text for post in posts_for(composer, *lines("It is. So it is.\n", "Three.\n"))]


def test_a_post_has_the_boundary_of_its_last_segment() -> None:
    composer = Composer(DeliverySettings(degree=1), Dice())

    posts = posts_for(composer, Segment("a\n", NEWLINE), Segment("```\nx\n```", Boundary.CODE_CLOSE, Kind.CODE))

    assert [post.boundary for post in posts] == [NEWLINE, FINAL]


def test_a_blank_segment_is_no_message() -> None:
    assert posts_for(Composer(DeliverySettings(degree=1), Dice()), *lines("\n", "  \n", "")) == []


@pytest.mark.parametrize("degree", range(4))
def test_b07_no_message_is_longer_than_the_limit(degree: int) -> None:
    composer = Composer(DeliverySettings(degree=degree, limit=50), Dice())
    segments = [
        *lines("word " * 100 + "\n", "😀" * 200 + "\n"),
        Segment("```py\n" + "x" * 300 + "\n```", FINAL, Kind.CODE),
    ]

    posts = posts_for(composer, *segments)

    assert len(posts) > 10
    assert all(0 < units(post.text) <= 50 for post in posts)


def test_only_the_first_message_answers() -> None:
    composer = Composer(DeliverySettings(degree=1), Dice(), reply_to="42")

    assert [post.reply for post in posts_for(composer, *lines("a\n", "b\n", "c\n"))] == ["42", None, None]


def test_a_label_goes_with_the_first_message_of_its_segment_and_the_face_with_all() -> None:
    composer = Composer(DeliverySettings(degree=3), Dice())

    posts = posts_for(
        composer, *lines("It is. It was."), Segment("It is. It was.", NEWLINE, identity=MAD, label="Ren (mad): ")
    )

    assert [post.label for post in posts] == ["", "", "Ren (mad): ", ""]
    assert [post.identity for post in posts] == [None, None, MAD, MAD]


def test_a_label_without_a_message_is_lost_with_it() -> None:
    composer = Composer(DeliverySettings(degree=1), Dice())

    posts = posts_for(composer, Segment("\n", NEWLINE, identity=MAD, label="Ren (mad): "), *lines("a"))

    assert [(post.text, post.label) for post in posts] == [("a", "")]


# --- all in one message --------------------------------------------------------------


def gathered(*segments: tuple[str, Boundary], limit: int = 1950) -> list[str]:
    composer = Composer(DeliverySettings(degree=0, limit=limit), Dice())
    kinds = [Kind.CODE if text.startswith("```") else Kind.PROSE for text, _ in segments]
    made = [Segment(text, boundary, kind) for (text, boundary), kind in zip(segments, kinds, strict=True)]
    return [post.text for post in posts_for(composer, *made)]


@pytest.mark.parametrize(
    ("segments", "expected"),
    [
        pytest.param([("A", NEWLINE), ("B", NEWLINE), ("C", OVERFLOW), ("D", FINAL)], ["A\nB\nCD"], id="T9"),
        pytest.param([("A\n\n", NEWLINE), ("\n\nB", FINAL)], ["A\n\n\n\nB"], id="T10 as written"),
        pytest.param(
            [("a\n", NEWLINE), ("\n", NEWLINE), ("\n", NEWLINE), ("b", FINAL)], ["a\n\n\nb"], id="empty lines"
        ),
        pytest.param([(" \n", NEWLINE), ("\n", NEWLINE)], [], id="T12 only space"),
        pytest.param([("a ", OVERFLOW), ("b", FINAL)], ["a b"], id="an overflow leaves no mark"),
        pytest.param([("a\n", OVERFLOW), ("b", FINAL)], ["a\nb"], id="what is only put together keeps its line end"),
        pytest.param([("a", OVERFLOW), ("\nb", FINAL)], ["a\nb"], id="also one in front"),
        pytest.param([("a\n", NEWLINE), ("  in", FINAL)], ["a\n  in"], id="an indent stays"),
        pytest.param([("- a\n", NEWLINE), ("- b\n", NEWLINE)], ["- a\n- b"], id="a list"),
        pytest.param([("a (b\nc)\n", NEWLINE), ("d", FINAL)], ["a (b\nc)\nd"], id="a line end in brackets stays"),
        pytest.param(
            [("T\n", NEWLINE), ("```\nx\n```", Boundary.CODE_CLOSE), ("\n", NEWLINE), ("more", FINAL)],
            ["T\n```\nx\n```\nmore"],
            id="b10 the line end after code counts",
        ),
        pytest.param(
            [("See", Boundary.CODE_OPEN), ("```\nx\n```", Boundary.CODE_CLOSE), ("done", FINAL)],
            ["See```\nx\n```done"],
            id="code within a line",
        ),
        pytest.param([("a", NEWLINE), ("```\n\n```", CLOSE), ("b", FINAL)], ["a\nb"], id="b19 an empty code block"),
        pytest.param(
            [("a", NEWLINE), ("```py\n```", CLOSE), ("b", FINAL)], ["a\n```\npy\n```b"], id="only a first line"
        ),
    ],
)
def test_at_degree_0_all_is_put_together(segments: list[tuple[str, Boundary]], expected: list[str]) -> None:
    assert expected == gathered(*segments)


def test_t11_what_is_too_long_for_one_message_becomes_several_without_a_pause() -> None:
    composer = Composer(DeliverySettings(degree=0), Dice())

    posts = posts_for(composer, *lines(*["word " * 100 + "\n"] * 9))

    assert len(posts) >= 3
    assert all(units(post.text) <= 1950 for post in posts)
    assert [0.0] * len(posts) == [post.pause for post in posts]
    assert [word for post in posts for word in post.text.split()] == ["word"] * 900


def test_whole_segments_are_packed_before_any_is_cut() -> None:
    assert gathered(("a" * 30, NEWLINE), ("b" * 30, NEWLINE), ("c" * 10, FINAL), limit=50) == [
        "a" * 30,
        "b" * 30 + "\n" + "c" * 10,
    ]


def test_at_degree_0_an_emoji_stays_where_it_stands() -> None:
    assert gathered(("hi\n", NEWLINE), (f"{SOUP}\n", NEWLINE), ("bye", FINAL)) == [f"hi\n{SOUP}\nbye"]


def test_at_degree_0_nothing_is_planned_before_the_end() -> None:
    composer = Composer(DeliverySettings(degree=0), Dice())

    assert list(composer.feed(Segment("a\n", NEWLINE))) == []
    assert [Post("a", Boundary.TOOL_CALL)] == list(composer.flush(Ending.TOOL_CALL))
    assert list(composer.flush(Ending.FINAL)) == []


def test_at_degree_0_another_face_sends_what_was_put_aside_first() -> None:
    composer = Composer(DeliverySettings(degree=0), Dice(), reply_to="1")

    posts = posts_for(composer, *lines("a\n", "b\n"), Segment("grr\n", NEWLINE, identity=MAD), *lines("c\n"))

    assert [(post.text, post.identity, post.reply) for post in posts] == [
        ("a\nb", None, "1"),
        ("grr", MAD, None),
        ("c", None, None),
    ]


# --- pauses ------------------------------------------------------------------------------


def pauses(*texts: str, dice: Dice | None = None, **settings: float) -> list[float]:
    composer = Composer(DeliverySettings(**{"degree": 2, **settings}), dice or Dice())  # type: ignore[arg-type]
    kinds = {text: Kind.CODE if text.startswith("```") else Kind.PROSE for text in texts}
    return [post.pause for post in posts_for(composer, *(Segment(text, NEWLINE, kinds[text]) for text in texts))]


@pytest.mark.parametrize(
    ("text", "pause"),
    [
        pytest.param("x", 0.75, id="1"),
        pytest.param("x" * 75, 0.75, id="75"),
        pytest.param("x" * 76, 0.76, id="76"),
        pytest.param("x" * 93, 0.93, id="93"),
        pytest.param("x" * 94, 0.94, id="94"),
        pytest.param("x" * 200, 2.0, id="200"),
        pytest.param("x" * 400, 4.0, id="400"),
        pytest.param("x" * 1900, 4.0, id="1900"),
        pytest.param("😀" * 50, 1.0, id="50 emoji count twice"),
        pytest.param("```\nx\n```", 0.9375, id="short code"),
        pytest.param("```\n" + "x" * 85 + "\n```", 0.9375, id="93 with a fence"),
        pytest.param("```\n" + "x" * 86 + "\n```", 0.94, id="94 with a fence"),
        pytest.param("```\n" + "x" * 192 + "\n```", 2.0, id="200 with a fence"),
    ],
)
def test_t14_typing_takes_its_time(text: str, pause: float) -> None:
    assert [0.0, pause] == pauses("first", text)


def test_t15_the_first_message_comes_at_once_and_breath_is_taken_from_the_third_on() -> None:
    assert pauses("a") == [0.0]
    assert [0.0, 0.75, pytest.approx(0.75 + 0.25), pytest.approx(0.75 + 0.25)] == pauses(
        "a", "b", "c", "d", dice=Dice(0.0, 0.99)
    )


@pytest.mark.parametrize(
    ("rolls", "breath"),
    [
        pytest.param((0.0, 0.99), 0.250, id="shortest"),
        pytest.param((0.9999, 0.99), 1.499, id="longest"),
        pytest.param((0.9999, 0.0), 2.2485, id="longest with thinking"),
        pytest.param((0.0, 0.0), 0.750, id="thinking is never short"),
        pytest.param((0.6, 0.0), 1.500, id="thinking takes half as long again"),
        pytest.param((0.6, 0.2499), 1.500, id="just thinking"),
        pytest.param((0.6, 0.25), 1.000, id="just not"),
    ],
)
def test_t16_a_breath_is_as_long_as_the_dice_say(rolls: tuple[float, float], breath: float) -> None:
    assert pytest.approx(0.75 + breath) == pauses("a", "b", "c", dice=Dice(*rolls))[2]


@pytest.mark.parametrize("degree", [0, 1])
def test_nobody_types_at_degree(degree: int) -> None:
    dice = Dice()

    assert {0.0} == set(pauses("a" * 50, "b", "c", "d", dice=dice, degree=degree))
    assert dice.thrown == 0


def test_no_pause_is_longer_than_the_budget_of_the_reply() -> None:
    """That all of them together are not, the outbox sees to."""
    taken = pauses(*["x" * 400] * 4, dice=Dice(0.5, 0.99), typing_budget=4.5)

    assert [0.0, 4.0, 4.5, 4.5] == taken


def test_the_dice_do_not_depend_on_the_budget() -> None:
    rich, poor = Dice(), Dice()
    pauses(*"abcdef", dice=rich)
    pauses(*"abcdef", dice=poor, typing_budget=0.0)

    assert (rich.thrown, poor.thrown) == (8, 8)


def test_settings_set_the_pace() -> None:
    assert pauses("a", "x" * 10, typing_speed=0.1, typing_least=0.0) == [0.0, 1.0]
    assert pauses("a", "x" * 10, typing_speed=0.1, typing_least=0.0, typing_most=0.5) == [0.0, 0.5]


# --- the end of it ---------------------------------------------------------------------------


def test_a_reply_halts_where_its_messages_are_used_up() -> None:
    composer = Composer(DeliverySettings(degree=1, message_limit=2), Dice())

    out = [composer.feed(segment) for segment in lines("a\n", "b\n", "c\n")]

    assert [["a"], ["b"], [Halt(StopReason.MESSAGE_LIMIT)]] == [
        [item.text if isinstance(item, Post) else item for item in items] for items in out
    ]


def test_a_reply_halts_in_the_middle_of_a_segment() -> None:
    composer = Composer(DeliverySettings(degree=3, message_limit=2), Dice())

    composer.feed(Segment("Number one. Number two. Number three.", FINAL))
    first, second, *rest = composer.flush(Ending.FINAL)

    assert [Post("number one", FINAL), "number two"] == [first, second.text if isinstance(second, Post) else second]
    assert [Halt(StopReason.MESSAGE_LIMIT)] == rest


@pytest.mark.parametrize(
    ("roll", "expected"),
    [
        pytest.param(0.0, ["oh well I am sure!", "why not"], id="the comma goes, the mark ends the message"),
        pytest.param(0.45, ["oh well", "I am sure!", "why not"], id="both end a message"),
        pytest.param(0.99, ["oh well, I am sure! why not"], id="both stay"),
    ],
)
def test_degree_3_writes_in_a_hurry(roll: float, expected: list[str]) -> None:
    composer = Composer(DeliverySettings(degree=3), Dice(roll))

    assert expected == [post.text for post in posts_for(composer, *lines("Oh well, I am sure! Why not.\n"))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a b, , c d", ["a b", "c d"], id="what is blank between two marks"),
        pytest.param(",", [","], id="a lone comma is all there is"),
    ],
)
def test_degree_3_sends_nothing_blank_and_leaves_something(text: str, expected: list[str]) -> None:
    composer = Composer(DeliverySettings(degree=3), Dice(0.45))

    assert expected == [post.text for post in posts_for(composer, *lines(text))]


def test_degree_3_leaves_code_and_tables_alone() -> None:
    code, table = "```py\nPrint(A, B);\n```", "| Ab, C | D; |\n|---|---|\n| E, F | G |"
    composer = Composer(DeliverySettings(degree=3), Dice(0.0))
    segments = Segment(code, Boundary.CODE_CLOSE, Kind.CODE), *lines("\n"), Segment(table, NEWLINE, Kind.TABLE)

    assert [code, table] == [post.text for post in posts_for(composer, *segments)]


@pytest.mark.parametrize(
    ("line", "context"),
    [
        pytest.param("> a line that ", "> ", id="a quote"),
        pytest.param("first\n> > a line that ", "> > ", id="a quote in a quote"),
        pytest.param("plain ", "", id="nothing"),
        pytest.param("> quoted\nplain ", "", id="only the line that is cut counts"),
        pytest.param(">>> a line that ", ">>> ", id="a long quote"),
        pytest.param(">>> a line\nthat ", ">>> ", id="a long quote that is over one line"),
        pytest.param(">>> a line\n", ">>> ", id="a long quote at a line end"),
        pytest.param("> - an item that ", ">   ", id="a list in a quote"),
        pytest.param("- an item that ", "", id="a list needs nothing"),
    ],
)
def test_a_line_that_overflowed_goes_on_as_what_it_was(line: str, context: str) -> None:
    composer = Composer(DeliverySettings(degree=1, grouping=False), Dice())
    planned = posts_for(composer, Segment(line, OVERFLOW), Segment(" goes on\n", NEWLINE), Segment("next\n", NEWLINE))

    assert [f"{context}goes on", "next"] == [post.text for post in planned[-2:]]


@pytest.mark.parametrize(
    ("line", "context"),
    [
        pytest.param("> ", "> ", id="a quote"),
        pytest.param("> > ", "> > ", id="a quote in a quote"),
        pytest.param("", "", id="nothing"),
        pytest.param(">>> ", ">>> ", id="a long quote"),
        pytest.param("- ", "", id="a list needs nothing"),
    ],
)
@pytest.mark.parametrize("shape", ["reply", "blocks", "lines"])
def test_a_line_that_is_cut_for_its_length_goes_on_as_what_it_was(shape: str, line: str, context: str) -> None:
    composer = Composer(DeliverySettings(shape=shape, limit=60), Dice())
    planned = posts_for(composer, Segment(line + "word " * 8, OVERFLOW), Segment(" goes on " * 3 + "\n", NEWLINE))

    assert [post.text[: len(context) + 7] for post in planned[1:]] == [f"{context}goes on"]


def test_a_reply_that_just_fits_does_not_halt() -> None:
    assert len(posts_for(Composer(DeliverySettings(degree=1, message_limit=2), Dice()), *lines("a\n", "b\n"))) == 2


def test_blank_text_uses_up_no_message() -> None:
    composer = Composer(DeliverySettings(degree=1, message_limit=1), Dice())

    assert len(posts_for(composer, *lines("a\n", "\n", " "))) == 1


def test_at_degree_0_the_limit_counts_too() -> None:
    composer = Composer(DeliverySettings(degree=0, limit=50, message_limit=1), Dice())
    composer.feed(Segment("word " * 40, FINAL))

    _, last = composer.flush(Ending.FINAL)

    assert Halt(StopReason.MESSAGE_LIMIT) == last


def post(text: str, identity: Identity | None = None, attachment: Attachment | None = None) -> Post:
    return Post(text, NEWLINE, 1.5, identity, attachment=attachment)


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        pytest.param("a", "a", id="a line without an end"),
        pytest.param("One. Two. Three", "One.", id="several clauses"),
        pytest.param("Well, yes: one. Two.", "Well, yes: one.", id="no end at a comma"),
        pytest.param("- a\n- b\n- c", "- a", id="a line end ends it"),
        pytest.param("1. Dr. No came. He sat.", "1. Dr. No came.", id="no end at a number or a short form"),
        pytest.param("**One. Two.** Three. Four.", "**One. Two.**", id="no half of emphasis"),
        pytest.param("She said (no. No, no) twice. So.", "She said (no. No, no) twice.", id="no half of a bracket"),
        pytest.param("おはよう。元気？", "おはよう。", id="full width"),
        pytest.param("So:\n```\nx = 1\n```", "So:", id="in front of code"),
        pytest.param("> one\n> two", "> one", id="a line of a quote"),
    ],
)
def test_a_farewell_is_the_first_clause_of_what_comes_next(text: str, clause: str) -> None:
    last = farewell(post(text, MAD))

    assert last is not None
    assert (clause, 0.0, MAD, FINAL) == (last.text, last.pause, last.identity, last.boundary)


@pytest.mark.parametrize(
    "last",
    [
        pytest.param(post("```\nOne. Two.\n```"), id="code"),
        pytest.param(post("| a |\n|---|\n| b |\n"), id="a table"),
        pytest.param(Post("Star num", FINAL), id="a stub"),
        pytest.param(post("a.", attachment=Attachment("t.png", b"")), id="a file"),
        pytest.param(Post("", NEWLINE, source="| a |", instead=(Post("one", NEWLINE),)), id="a picture"),
    ],
)
def test_what_has_no_clause_is_no_farewell(last: Post) -> None:
    assert farewell(last) is None


def test_a_target_takes_what_discord_takes_unless_it_says_otherwise() -> None:
    assert (Limits().length, Limits(100).length) == (1950, 100)


def test_a_target_must_take_what_can_stand_alone() -> None:
    with pytest.raises(SettingsError, match="at least 50 characters, not 49"):
        Limits(49)


# --- pictures ------------------------------------------------------------------------


COLUMNS = Segment("```\na  b\n```", NEWLINE, Kind.CODE, MAD, "Ren (mad): ", source="| a | b |", is_painted=True)


def test_a_table_is_planned_as_a_picture_with_a_text_instead() -> None:
    composer = Composer(DeliverySettings(degree=1), Dice(), reply_to="42", pictures=True)

    (post,) = posts_for(composer, COLUMNS)

    text = Post(COLUMNS.text, NEWLINE, identity=MAD, label="Ren (mad): ", reply="42", source="| a | b |")
    picture = replace(text, text="", boundary=FINAL, picture="| a | b |", instead=(text,))
    assert picture == post
    assert "Ren (mad): | a | b |" == post.said


def test_without_pictures_a_table_is_the_text_that_it_became() -> None:
    (post,) = posts_for(Composer(DeliverySettings(degree=1), Dice()), COLUMNS)

    assert (COLUMNS.text, "| a | b |", ()) == (post.text, post.source, post.instead)
    assert "Ren (mad): | a | b |" == post.said


LONG = Segment("```\n" + "a  b\n" * 40 + "```", NEWLINE, Kind.CODE, source="| a | b |", is_painted=True)


def test_what_stands_instead_of_a_picture_counts_as_messages() -> None:
    composer = Composer(DeliverySettings(degree=1, limit=50, message_limit=4), Dice(), pictures=True)

    composer.feed(LONG)
    first, halt = composer.flush(Ending.FINAL)

    assert isinstance(first, Post)
    assert len(first.instead) == 4
    assert Halt(StopReason.MESSAGE_LIMIT) == halt
    composer.feed(LONG)
    assert [Halt(StopReason.MESSAGE_LIMIT)] == composer.flush(Ending.FINAL)


@pytest.mark.parametrize("degree", [0, 1])
def test_only_the_first_message_of_a_table_says_it_to_the_model(degree: int) -> None:
    posts = posts_for(Composer(DeliverySettings(degree=degree, limit=50), Dice()), LONG)

    assert len(posts) > 2
    assert ["| a | b |", *[""] * (len(posts) - 1)] == [post.said for post in posts]


def test_a_table_of_nothing_is_no_message() -> None:
    composer = Composer(DeliverySettings(degree=1), Dice(), pictures=True)

    assert posts_for(composer, Segment(" ", NEWLINE, Kind.PROSE, source="| a | b |")) == []


def test_what_stands_instead_of_a_picture_is_typed_too() -> None:
    composer = Composer(DeliverySettings(degree=2, limit=50), Dice(), pictures=True)

    (post,) = posts_for(composer, LONG)

    first, *rest = [text.pause for text in post.instead]
    assert (0.0, 0.0) == (post.pause, first)
    assert all(pause > 0.75 for pause in rest)


@pytest.mark.parametrize(
    ("last", "said"),
    [
        pytest.param(Post("- a: 1\n- b: 2", FINAL, source="| a | b |"), "- a: 1", id="half of a table"),
        pytest.param(Post("- b: 2", NEWLINE, source=""), "", id="the rest of a table that was said"),
        pytest.param(Post("One. Two.", FINAL), "One.", id="as it is written"),
    ],
)
def test_a_farewell_says_to_the_model_what_it_shows(last: Post, said: str) -> None:
    clause = farewell(last)

    assert clause is not None
    assert said == clause.said


def test_at_degree_0_the_model_sees_the_markdown_of_a_table_among_the_rest() -> None:
    composer = Composer(DeliverySettings(degree=0), Dice())
    records = Segment("- a: 1\n", NEWLINE, Kind.PROSE, source="| a |")
    columns = Segment("```\nb\n```\n", NEWLINE, Kind.CODE, source="| b |")

    (post,) = posts_for(composer, *lines("So:\n"), records, columns, *lines("See?\n"))

    assert "So:\n- a: 1\n```\nb\n```\nSee?" == post.text
    assert "So:\n| a |\n| b |\nSee?" == post.said


def test_at_degree_0_lines_under_one_face_are_put_together() -> None:
    composer = Composer(DeliverySettings(degree=0), Dice())
    mad = [Segment(text, NEWLINE, identity=MAD, label="Ren (mad): ") for text in ("a\n", "b\n")]

    posts = posts_for(composer, *lines("x\n"), *mad, *lines("\n"), mad[0], *lines("y\n", "z\n"))

    assert [("x", None), ("a\nb\n\na", MAD), ("y\nz", None)] == [(post.text, post.identity) for post in posts]
    assert ["", "Ren (mad): ", ""] == [post.label for post in posts]


@pytest.mark.parametrize("degree", range(4))
def test_a_label_waits_for_the_first_words_under_its_face(degree: int) -> None:
    emptied = Segment("\n", NEWLINE, identity=MAD, label="Ren (mad): ")

    composer = Composer(DeliverySettings(degree=degree), Dice())
    posts = posts_for(composer, emptied, Segment("\n", NEWLINE, identity=MAD), Segment("x", FINAL, identity=MAD))
    assert [(post.text, post.label) for post in posts] == [("x", "Ren (mad): ")]

    composer = Composer(DeliverySettings(degree=degree), Dice())
    posts = posts_for(composer, emptied, Segment("x\n", NEWLINE), Segment("y", FINAL, identity=MAD))
    assert [(post.text, post.label) for post in posts] == [("x", ""), ("y", "")]


# --- limits, and what becomes of the rest ---------------------------------------------------------


def full(
    *texts: str, files: bool = True, degree: int = 1, why: Ending = Ending.FINAL, **settings: object
) -> list[Post | Halt]:
    """What a reply of *texts* comes to."""
    composer = Composer(DeliverySettings(degree=degree, **settings), Dice(), limits=Limits(files=files))  # type: ignore[arg-type]
    items: list[Post | Halt] = []
    for segment in lines(*texts):
        items += composer.feed(segment)
        if LIMIT in items:
            return items
    return [*items, *composer.flush(why)]


def shown(items: Sequence[Post | Halt]) -> list[tuple[str, str] | Halt]:
    """The texts and files of posts."""
    return [
        item if isinstance(item, Halt) else (item.text, item.attachment.data.decode() if item.attachment else "")
        for item in items
    ]


LIMIT = Halt(StopReason.MESSAGE_LIMIT)


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_w17_there_is_always_an_end_to_a_flood(degree: int) -> None:
    items = full(*["x" * 40 + "\n"] * 300, files=False, degree=degree, limit=50)

    assert 200 == sum(isinstance(item, Post) for item in items)
    assert LIMIT == items[-1]


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        pytest.param({"message_limit": 2}, 2, id="message_limit"),
        pytest.param({"flood_limit": 2}, 2, id="flood_limit"),
        pytest.param({"message_limit": 3, "flood_limit": 2}, 2, id="the smaller one"),
        pytest.param({"message_limit": 2, "flood_limit": 3}, 2, id="whichever that is"),
    ],
)
def test_both_limits_hold(settings: dict[str, object], wanted: int) -> None:
    items = full("a\n", "b\n", "c\n", "d\n", files=False, **settings)

    assert [*[("abcd"[number], "") for number in range(wanted)], LIMIT] == shown(items)


@pytest.mark.parametrize(
    ("files", "policy", "wanted"),
    [
        pytest.param(True, "file", [("a", ""), ("b", "c\nd\n")], id="a file"),
        pytest.param(False, "file", [("a", ""), ("b", ""), LIMIT], id="no files here"),
        pytest.param(True, "notice", [("a", ""), ("b", ""), LIMIT], id="a notice"),
        pytest.param(True, "stop", [("a", ""), ("b", ""), LIMIT], id="nothing"),
    ],
)
def test_w7_what_is_too_much_for_the_messages_of_a_reply(
    policy: str, wanted: list[tuple[str, str] | Halt], *, files: bool
) -> None:
    items = full("a\n", "b\n", "c\n", "d\n", files=files, message_limit=2, when_full=policy)

    assert wanted == shown(items)


def test_the_model_later_sees_what_stands_in_the_file() -> None:
    items = full("a\n", "b\n", "c\n", message_limit=2)

    assert ["a", "b\nc"] == [item.said for item in items if isinstance(item, Post)]


def test_a_reply_that_just_fits_has_no_file() -> None:
    assert [("a", ""), ("b", "")] == shown(full("a\n", "b\n", message_limit=2))


def test_a_segment_in_the_middle_of_which_the_messages_are_used_up() -> None:
    (post,) = full("It is one. It is two. It is three.\n", "Five.", degree=3, message_limit=1)

    assert isinstance(post, Post)
    assert ("it is one", "it is two\nit is three\nFive.\n") == shown([post])[0]


def test_at_degree_0_the_rest_is_a_file_too() -> None:
    first, last = full("a" * 40 + "\n", "b" * 40 + "\n", "c" * 40, degree=0, limit=50, message_limit=2)

    assert [("a" * 40, ""), ("b" * 40, "c" * 40 + "\n")] == shown([first, last])


def test_after_a_stop_the_rest_is_text_of_which_the_beginning_is_taken() -> None:
    items = full("a.\n", "b.\n", "c.\n", message_limit=2, why=Ending.STOP)

    assert [("a.", ""), ("b.", ""), ("c.", "")] == shown(items)


def test_what_is_said_after_the_file_ends_the_reply() -> None:
    composer = Composer(DeliverySettings(degree=1, message_limit=1), Dice(), limits=Limits(files=True))
    before = [item for segment in lines("a\n", "b\n") for item in composer.feed(segment)]

    assert ([], [("a", "b\n")]) == (before, shown(composer.flush(Ending.TOOL_CALL)))
    assert [LIMIT] == [*composer.feed(Segment("c", FINAL)), *composer.flush(Ending.FINAL)]


def test_a_flood_that_fills_the_file_ends_the_reply() -> None:
    composer = Composer(DeliverySettings(degree=1, message_limit=1), Dice(), limits=Limits(files=True))
    composer.feed(Segment("a\n", NEWLINE))

    post, halt = composer.feed(Segment("b" * (LARGEST + 1), FINAL))

    assert isinstance(post, Post)
    assert (LIMIT, LARGEST + 2) == (halt, len(post.attachment.data if post.attachment else b""))


def test_a_table_that_does_not_fit_any_more_is_no_picture() -> None:
    composer = Composer(
        DeliverySettings(degree=1, limit=50, message_limit=2), Dice(), pictures=True, limits=Limits(files=True)
    )

    items = [*composer.feed(LONG), *composer.flush(Ending.FINAL)]

    assert [False, False] == [bool(item.instead) for item in items if isinstance(item, Post)]
    assert LONG.source == "".join(item.said for item in items if isinstance(item, Post)).partition("\n")[0]


def test_messages_of_a_model_before_count() -> None:
    composer = Composer(DeliverySettings(degree=1, message_limit=3), Dice(), limits=Limits(files=True), planned=2)

    assert [("a", "b\n")] == shown(
        [*composer.feed(Segment("a\n", NEWLINE)), *composer.feed(Segment("b", FINAL)), *composer.flush(Ending.FINAL)]
    )


# --- long code ------------------------------------------------------------------------------------------


def block(count: int, info: str = "py") -> Segment:
    """A code block that is *count* messages of 60 characters."""
    return Segment(f"```{info}\n" + ("x" * 40 + "\n") * count + "```", Boundary.CODE_CLOSE, Kind.CODE)


def planned(*segments: Segment, files: bool = True, degree: int = 1, **settings: object) -> list[Post]:
    composer = Composer(DeliverySettings(degree=degree, limit=60, **settings), Dice(), limits=Limits(files=files))  # type: ignore[arg-type]
    items = [item for segment in segments for item in composer.feed(segment)] + [*composer.flush(Ending.FINAL)]
    return [item for item in items if isinstance(item, Post)]


@pytest.mark.parametrize(
    ("count", "settings", "is_file"),
    [
        pytest.param(3, {}, False, id="three messages"),
        pytest.param(4, {}, True, id="four"),
        pytest.param(40, {"code_file": 0}, False, id="never"),
        pytest.param(2, {"code_file": 2}, True, id="as the setting says"),
        pytest.param(9, {"files": False}, False, id="no files here"),
    ],
)
@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_w26_a_long_code_block_is_a_file(count: int, settings: dict[str, Any], degree: int, *, is_file: bool) -> None:
    posts = planned(block(count), degree=degree, **settings)

    assert is_file is (posts[0].attachment is not None)
    assert (1 if is_file else count) == len(posts)


def test_a_file_stands_where_its_block_stood_and_the_model_sees_the_block() -> None:
    code = block(5, "rust")

    before, file, after = planned(Segment("Look:\n", NEWLINE), code, Segment("Nice.", FINAL))

    assert ("Look:", "", "Nice.") == (before.text, file.text, after.text)
    assert ("code.rs", code.text) == (file.attachment and file.attachment.name, file.said)


@pytest.mark.parametrize("shape", ["reply", "blocks"])
def test_a_file_has_its_lead_in_as_text(shape: str) -> None:
    code = block(5, "rust")

    file, after = planned(Segment("Look:\n", NEWLINE), code, Segment("\nNice.", FINAL), shape=shape)

    assert ("Look:", "Nice.") == (file.text, after.text)
    assert f"Look:\n{code.text}" == file.said


def test_a_block_that_came_in_parts_is_one_file() -> None:
    parts = [replace(block(3), boundary=Boundary.OVERFLOW), block(3)]

    (file,) = planned(*parts)

    assert (("x" * 40 + "\n") * 6).encode() == (file.attachment.data if file.attachment else b"")


def test_a_part_behind_which_nothing_comes_is_shown_as_it_is() -> None:
    assert [None] * 3 == [post.attachment for post in planned(replace(block(3), boundary=Boundary.OVERFLOW))]


def test_a_block_whose_end_left_with_its_last_part_is_over_when_something_else_comes() -> None:
    part = replace(block(3), boundary=Boundary.OVERFLOW)

    posts = planned(part, part, Segment("\n", NEWLINE), block(1), Segment("\n", NEWLINE), Segment("Nice.", FINAL))

    assert [True, False, False] == [post.attachment is not None for post in posts]
    assert "Nice." == posts[-1].text


def test_a_file_that_is_the_last_message_holds_the_rest_too() -> None:
    (post,) = planned(block(5), Segment("\nNice.", FINAL), message_limit=1)

    assert post.attachment is not None
    assert ("reply.md", True) == (post.attachment.name, post.attachment.data.endswith(b"```\nNice.\n"))


def test_a_message_of_an_earlier_process_has_a_receipt_that_is_enough_to_take_it_back() -> None:
    receipt = receipt_of("7", Identity("Ren"))

    assert ("7", Identity("Ren"), "") == (receipt.message_id, receipt.identity, receipt.post.text)
