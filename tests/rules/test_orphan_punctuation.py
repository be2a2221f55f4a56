from __future__ import annotations

import pytest

from cadenza.rules.orphan_punctuation import OrphanPunctuation
from cadenza.rules.rule import RuleContext
from cadenza.text.origins import from_model, origin_of
from cadenza.types import Boundary, Ending, Identity, Kind, Segment


def cleaned(*segments: str | Segment) -> list[str]:
    rule = OrphanPunctuation(RuleContext())
    out: list[str] = []
    for given in segments:
        segment = Segment(given, Boundary.NEWLINE) if isinstance(given, str) else given
        out += [item.text for item in rule.feed(segment)]
    return out + [item.text for item in rule.flush(Ending.FINAL)]


@pytest.mark.parametrize(
    "orphan",
    [
        "...",
        ".",
        "..",
        "!",
        "?",
        "！",
        "…",
        "!!!",
        "?!?",
        "、",
        "，",
        "……",
        "?…",
        "…!",
        ",",
        ";",
        " ... \n",
        "。。。",
        "！？！",
        ":",
        "：",
    ],
)
def test_marks_that_stand_alone_go_in_front_of_what_comes(orphan: str) -> None:
    assert ["hi\n", orphan.strip() + "there\n"] == cleaned("hi\n", orphan, "there\n")


@pytest.mark.parametrize(
    "text",
    ["-", "a.", "...a", "1.", "(...)", "**", "~", "!?", "!!", "?!\n", "？！", "?.", ":::"],
)
def test_what_says_something_stands_alone(text: str) -> None:
    assert [text, "there"] == cleaned(text, "there")


@pytest.mark.parametrize("text", ["あ", "é", "❤", "7", "_", "😀"])
def test_f1_a_single_character_is_not_lost(text: str) -> None:
    assert [text] == cleaned(text)


def test_a_short_outcry_joins_what_waits() -> None:
    assert ["...!?there"] == cleaned("...", "!?", "there")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(("prev\n", "...\n", "next\n"), ["prev\n", "...next\n"], id="001"),
        pytest.param(("...\n", "?!?\n", "next\n"), ["...?!?next\n"], id="002"),
        pytest.param((".\n", "..\n", ",\n"), ["...,"], id="004, but nothing is lost"),
        pytest.param(("!?\n", "!!\n"), ["!?\n", "!!\n"], id="005"),
    ],
)
def test_golden_rows(given: tuple[str, ...], expected: list[str]) -> None:
    assert expected == cleaned(*given)


def test_f21_marks_in_code_are_not_held() -> None:
    code = Segment("...", Boundary.OVERFLOW, Kind.CODE)

    assert ["...", "there"] == cleaned(code, "there")


def test_several_orphans_gather() -> None:
    assert cleaned("...\n", "\n", "...\n", "there")[-1:] == ["......there"]


def test_blank_segments_pass_and_release_nothing() -> None:
    assert cleaned("...", "\n", "there") == ["\n", "...there"]


def test_the_line_end_behind_held_marks_is_the_models() -> None:
    rule = OrphanPunctuation(RuleContext())
    given = (Segment(from_model(text, place), Boundary.NEWLINE) for text, place in ((". ", 0), ("\n", 2), ("- x", 3)))

    empty, marks, _ = (segment for one in given for segment in rule.feed(one))

    assert [("\n", [-1]), (".\n", [0, 2])] == [
        (segment.text, [run.start for run in origin_of(segment.text)]) for segment in (empty, marks)
    ]


def test_marks_with_space_between_them_are_one_orphan() -> None:
    assert cleaned("... !\n?", "there") == ["...!?there"]


def test_a_line_that_somebody_drew_is_no_orphan() -> None:
    drawn = "." * 101

    assert ["...\n", drawn, "there"] == cleaned("...", drawn, "there")


def test_orphans_are_not_gathered_for_ever() -> None:
    assert ["." * 120 + "\n", "." * 60 + "there"] == cleaned("." * 60, "." * 60, "." * 60, "there")


@pytest.mark.parametrize("line", ["*a* b", ">x", "#x", "-5", "1234. x", "<@1> x", ":) x", ":12: x", ":a b: x"])
def test_an_orphan_goes_in_front_of_what_only_looks_like_a_block(line: str) -> None:
    assert ["..." + line] == cleaned("...", line)


@pytest.mark.parametrize(
    "line", ["https://e.org", "<https://e.org>", "<:wave:1> hi", "<a:wave:1>", ":wave: hi", "| a | b |"]
)
def test_an_orphan_does_not_spoil_an_address_an_emoji_or_a_table(line: str) -> None:
    assert ["...\n", line] == cleaned("...", line)


@pytest.mark.parametrize("line", ["- item", "* item", "1. item", "# Head", "> quote", "-# small"])
def test_an_orphan_does_not_spoil_a_list_a_heading_or_a_quote(line: str) -> None:
    assert ["...\n", line] == cleaned("...\n", line)


def test_an_orphan_keeps_its_face_and_its_label() -> None:
    rule = OrphanPunctuation(RuleContext())
    mad = Identity("Ren", "mad.png")

    rule.feed(Segment("...", Boundary.NEWLINE, identity=mad, label="Ren (mad): "))
    (joined,) = rule.feed(Segment("grr", Boundary.NEWLINE, identity=mad))
    rule.feed(Segment("...", Boundary.NEWLINE, identity=mad))
    alone, other = rule.feed(Segment("hi", Boundary.NEWLINE))
    rule.feed(Segment("...", Boundary.NEWLINE, identity=mad))
    (last,) = rule.flush(Ending.FINAL)

    assert ("...grr", mad, "Ren (mad): ") == (joined.text, joined.identity, joined.label)
    assert [("...\n", mad), ("hi", None), ("...", mad)] == [(s.text, s.identity) for s in (alone, other, last)]


def test_orphans_under_two_faces_do_not_gather() -> None:
    rule = OrphanPunctuation(RuleContext())
    mad = Identity("Ren", "mad.png")

    rule.feed(Segment("...", Boundary.NEWLINE, identity=mad))
    (first,) = rule.feed(Segment(".", Boundary.NEWLINE))
    (second,) = rule.flush(Ending.FINAL)

    assert [("...\n", mad), (".", None)] == [(first.text, first.identity), (second.text, second.identity)]


def test_an_orphan_is_not_put_into_code() -> None:
    code = Segment("```\nx\n```", Boundary.CODE_CLOSE, Kind.CODE)

    assert cleaned("...", code, "there") == ["...\n", "```\nx\n```", "there"]


def test_a_line_end_between_an_orphan_and_its_text_is_left_out() -> None:
    assert cleaned("...", "\nthere") == ["...there"]


@pytest.mark.parametrize("why", list(Ending))
def test_an_orphan_with_nothing_behind_it_comes_out_at_the_end(why: Ending) -> None:
    rule = OrphanPunctuation(RuleContext())
    rule.feed(Segment("...", Boundary.NEWLINE))

    assert [Segment("...", why.boundary)] == list(rule.flush(why))
    assert list(rule.flush(why)) == []


def test_f3_an_orphan_joins_the_words_under_the_next_face() -> None:
    rule = OrphanPunctuation(RuleContext())
    mad = Identity("Ren", "mad.png")

    rule.feed(Segment("...", Boundary.NEWLINE))
    (joined,) = rule.feed(Segment("grr", Boundary.NEWLINE, identity=mad, label="Ren (mad): "))

    assert ("...grr", mad, "Ren (mad): ") == (joined.text, joined.identity, joined.label)


@pytest.mark.parametrize("line", ["---", "***\n", "_____ \n"])
def test_nothing_is_put_in_front_of_a_line_that_parts_two_scenes(line: str) -> None:
    assert cleaned("...\n", line, "next") == ["...\n", line, "next"]
