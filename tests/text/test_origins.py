"""A traced text is the text that a plain one would be, and each of its characters knows where the model wrote it."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable
from itertools import islice, pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given, strategies as st

from cadenza.text.intake import cleaned
from cadenza.text.origins import (
    OriginRun,
    Range,
    RangeSet,
    Traced,
    explained,
    first_place,
    from_model,
    is_same,
    join,
    line_end_between,
    line_ends,
    lines_of,
    origin_of,
    ranges,
    remaining,
    rewritten,
    substituted,
    union,
    without,
)
from cadenza.text.plain_table import split_columns
from cadenza.text.readable_formulas import in_table
from cadenza.text.repair import close_fence, continue_block, in_backticks, tidy_block, with_three_backticks
from cadenza.text.split import fit, split_code, split_table
from tests.laws.material import nasty_markdown

MODEL = "a b\nba  ab\r\n.aab`a`\u2028b a😀.aB\u0130 ab"
"""What the model wrote."""


class Cell(NamedTuple):
    """A character of a text."""

    character: str
    place: int = -1
    why: str = ""


def cells(text: str) -> list[Cell]:
    """*text*, character by character; each of its runs has some."""
    runs = origin_of(text)
    assert all(run.size > 0 for run in runs)
    assert len(text) == sum(run.size for run in runs)
    origins = [(run.start + number if run.start >= 0 else -1, run.why) for run in runs for number in range(run.size)]
    return [Cell(character, *origin) for character, origin in zip(text, origins, strict=True)]


def traced(*parts: Range | str) -> Traced:
    """A text of what the model wrote there, and of what was put in."""
    texts = [part if isinstance(part, str) else MODEL[slice(*part)] for part in parts]
    runs = [
        OriginRun(len(text), *((-1, "rule") if isinstance(part, str) else part[:1]))
        for text, part in zip(texts, parts, strict=True)
    ]
    return Traced("".join(texts), (run for run in runs if run.size))


def parts_of(result: object) -> list[str]:
    """The texts that a method returned."""
    return [result] if isinstance(result, str) else [*result]  # type: ignore[call-overload]  # a list or a tuple


def is_true(text: str) -> bool:
    """Whether the model wrote each character where *text* says it did."""
    return all(cell.place < 0 or cell.character == MODEL[cell.place] for cell in cells(text))


def is_within(some: Iterable[Cell], whole: Iterable[Cell]) -> bool:
    """Whether *some* are in *whole*, in the same order."""
    left = iter(whole)
    return all(cell in left for cell in some)


PLAIN = st.text("ab .`\n", max_size=4)
SOME = st.text("ab .`\n", min_size=1, max_size=2)
CHARS = st.lists(st.none() | PLAIN, max_size=1).map(tuple)
PLACE = st.integers(0, len(MODEL))
RANGE = st.tuples(PLACE, PLACE).map(sorted).map(tuple)
RUN = st.one_of(
    RANGE.map(lambda place: (MODEL[slice(*place)], place[0], "")),
    st.tuples(PLAIN, st.just(-1), st.sampled_from(["", "rule", "other"])),
)
TRACED = st.lists(RUN, max_size=5).map(
    lambda runs: Traced(
        "".join(text for text, *_ in runs), (OriginRun(len(run[0]), *run[1:]) for run in runs if run[0])
    )
)
TEXT = PLAIN | TRACED
SHORT = st.tuples(PLACE, st.integers(0, 4)).map(lambda found: (found[0], sum(found)))
RANGES: st.SearchStrategy[list[Range]] = st.lists(SHORT, max_size=6)

KEEPS: MappingProxyType[str, st.SearchStrategy[tuple[Any, ...]]] = MappingProxyType(
    {
        "__getitem__": st.tuples(st.slices(len(MODEL))),
        "__add__": st.tuples(TEXT),
        "lstrip": CHARS,
        "rstrip": CHARS,
        "strip": CHARS,
        "removeprefix": st.tuples(TEXT),
        "removesuffix": st.tuples(TEXT),
        "replace": st.tuples(PLAIN, TEXT) | st.tuples(PLAIN, TEXT, st.integers(-1, 3)),
        "split": st.just(()) | st.tuples(st.none() | SOME) | st.tuples(st.none() | SOME, st.integers(-1, 3)),
        "splitlines": st.just(()) | st.tuples(st.booleans()),
        "partition": st.tuples(SOME),
        "rpartition": st.tuples(SOME),
    }
)
"""Methods that keep the origin, and what they are called with."""
TAKES_OUT = sorted(KEEPS.keys() - {"__getitem__", "__add__", "replace"})


# --- the methods of str ----------------------------------------------------------------


def test_every_method_of_our_own_is_tested() -> None:
    assert set(KEEPS) == vars(Traced).keys() & vars(str).keys() - {"__doc__", "__new__"}


@pytest.mark.parametrize("name", KEEPS)
@given(TRACED, st.data())
def test_a_method_returns_what_that_of_a_plain_text_does(name: str, text: Traced, data: st.DataObject) -> None:
    arguments = data.draw(KEEPS[name])

    found = getattr(text, name)(*arguments)

    assert getattr(str(text), name)(*arguments) == found
    assert all(map(is_true, parts_of(found)))


@pytest.mark.parametrize("name", TAKES_OUT)
@given(TRACED, st.data())
def test_a_method_that_takes_something_out_leaves_the_rest_its_origin(
    name: str, text: Traced, data: st.DataObject
) -> None:
    found = getattr(text, name)(*data.draw(KEEPS[name]))

    assert is_within([cell for part in parts_of(found) for cell in cells(part)], cells(text))


@given(TRACED, SOME, st.integers(-1, 3))
@example(traced((12, 15), (13, 14)), "aa", -1)
def test_between_two_parts_is_what_separates_them(text: Traced, mark: str, most: int) -> None:
    found = text.split(mark, most)

    start = 0
    for part in found:
        assert cells(text)[start : start + len(part)] == cells(part)
        start += len(part) + len(mark)


@given(TRACED, st.data())
def test_a_slice_has_the_origin_of_its_characters(text: Traced, data: st.DataObject) -> None:
    part = data.draw(st.slices(len(text)) | st.slices(len(MODEL)))

    assert cells(text)[part] == cells(text[part])


@pytest.mark.parametrize("part", [slice(None), slice(0, 99), slice(-99, None, 1)])
def test_a_slice_of_all_is_the_text_itself(part: slice) -> None:
    text = traced((3, 9), "so")

    assert text is text[part]


@given(TRACED, TEXT)
def test_a_sum_has_the_origin_of_both(text: Traced, other: str) -> None:
    assert cells(text) + cells(other) == cells(text + other)
    assert cells(other) + cells(text) == cells(other + text)
    assert str(other) + str(text) == other + text


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(traced((0, 4)) + traced((4, 9)), [(9, 0, "")], id="the model's text goes on"),
        pytest.param(traced((0, 4)) + traced((5, 9)), [(4, 0, ""), (4, 5, "")], id="something is left out"),
        pytest.param(traced((0, 4)) + traced((0, 4)), [(4, 0, ""), (4, 0, "")], id="the same again"),
        pytest.param(traced("so") + traced("so"), [(4, -1, "rule")], id="put in for the same reason"),
        pytest.param(traced("so") + "so", [(2, -1, "rule"), (2, -1, "")], id="for another"),
        pytest.param(
            traced((0, 4), "so", (4, 5)) + traced((5, 9)), [(4, 0, ""), (2, -1, "rule"), (5, 4, "")], id="more"
        ),
        pytest.param(join([traced((0, 4)), traced((4, 9))]), [(9, 0, "")], id="joined"),
        pytest.param(traced((0, 4))[4:] + traced((6, 9)), [(3, 6, "")], id="after nothing"),
        pytest.param(traced((0, 4))[3:1], [], id="less than nothing"),
    ],
)
def test_neighbours_are_one_run(found: Traced, expected: list[tuple[int, int, str]]) -> None:
    assert tuple(expected) == found.origin


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("capitalize",), id="capitalize"),
        pytest.param(("casefold",), id="casefold"),
        pytest.param(("center", 1), id="center"),
        pytest.param(("expandtabs",), id="expandtabs"),
        pytest.param(("format", "x"), id="format"),
        pytest.param(("join", ["one"]), id="join one"),
        pytest.param(("join", ["one", traced((0, 9))]), id="join"),
        pytest.param(("ljust", 1), id="ljust"),
        pytest.param(("lower",), id="lower"),
        pytest.param(("rjust", 1), id="rjust"),
        pytest.param(("rsplit",), id="rsplit"),
        pytest.param(("rsplit", "a", 1), id="rsplit at a mark"),
        pytest.param(("rsplit", "|"), id="rsplit at none"),
        pytest.param(("swapcase",), id="swapcase"),
        pytest.param(("title",), id="title"),
        pytest.param(("translate", {}), id="translate"),
        pytest.param(("upper",), id="upper"),
        pytest.param(("zfill", 1), id="zfill"),
        pytest.param(("__format__", ""), id="in a template"),
        pytest.param(("__getitem__", 0), id="one character"),
        pytest.param(("__iter__",), id="every character"),
        pytest.param(("__mod__", "x"), id="percent"),
        pytest.param(("__mul__", 1), id="times one"),
        pytest.param(("__rmul__", 1), id="one times"),
        pytest.param(("__str__",), id="str"),
    ],
)
def test_what_other_methods_return_is_plain(arguments: tuple[Any, ...]) -> None:
    name, *rest = arguments
    text = traced((0, 9), "{}%s")

    found = parts_of(getattr(text, name)(*rest))

    assert parts_of(getattr(str(text), name)(*rest)) == found
    assert {str} == set(map(type, found))


def test_a_pattern_finds_plain_text() -> None:
    match = re.match("(.*)", traced((0, 2)))

    assert match
    assert {str} == {type(match.group()), type(match[1]), type(match.expand(r"\1"))}


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_a_copy_has_the_same_origin(duplicate: Callable[[Traced], Traced]) -> None:
    text = traced((3, 9), "so")

    assert cells(text) == cells(duplicate(text))


# --- parts into one text -----------------------------------------------------------------


@given(st.lists(TEXT, max_size=4), TEXT)
def test_joined_parts_have_their_origin(parts: list[str], separator: str) -> None:
    found = join(parts, separator)

    assert separator.join(parts) == found
    assert any(isinstance(part, Traced) for part in parts) == isinstance(found, Traced)
    if isinstance(found, Traced):
        expected = [cell for part in parts for cell in (*cells(separator), *cells(part))]
        assert expected[len(separator) :] == cells(found)


# --- edits ---------------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", ["a", "b+", "x*", "", r"\s+|$", "(?<=a)", "[^a]"])
@pytest.mark.parametrize(
    "new",
    [
        pytest.param(lambda _: "", id="removed"),
        pytest.param(lambda _: "xy", id="replaced"),
        pytest.param(lambda match: match.group(), id="left"),
        pytest.param(lambda match: match.group().upper(), id="partly left"),
        pytest.param(lambda _: traced((0, 3)), id="by the model's words"),
    ],
)
@given(text=TEXT, count=st.integers(0, 3))
def test_what_did_not_match_keeps_its_origin(
    pattern: str, new: Callable[[re.Match[str]], str], text: str, count: int
) -> None:
    compiled = re.compile(pattern)
    expected: list[Cell] = []
    done = 0
    for match in islice(compiled.finditer(str(text)), count or None):
        same = new(match) == match.group()
        expected += cells(text)[done : match.start()]
        expected += cells(text)[slice(*match.span())] if same else cells(new(match))
        done = match.end()

    found = substituted(compiled, new, text, count)

    assert compiled.sub(new, str(text), count) == found
    assert isinstance(text, Traced) == isinstance(found, Traced)
    if isinstance(text, Traced):
        assert expected + cells(text)[done:] == cells(found)


@given(TEXT)
def test_lines_have_their_own_line_ends(text: str) -> None:
    lines = lines_of(text)

    assert [str(line) for line in lines] == [
        *(line + "\n" for line in str(text).split("\n")[:-1]),
        *text.split("\n")[-1:],
    ]
    assert [cell for line in lines for cell in cells(line)] == cells(text)
    assert cells(line_ends(text)) == [cell for cell in cells(text) if cell.character == "\n"]


def parts_in(text: str) -> list[tuple[str, int]]:
    """The runs of *text*, and where they stand in the model's text."""
    sizes = [run.size for run in origin_of(text)]
    starts = [sum(sizes[:number]) for number in range(len(sizes))]
    return [
        (str(text[start : start + run.size]), run.start) for start, run in zip(starts, origin_of(text), strict=True)
    ]


@pytest.mark.parametrize(
    ("step", "text", "expected"),
    [
        (cleaned, "a\r\nb\rc", [[("a", 0), ("\nb", 2), ("\n", -1), ("c", 5)]]),
        (in_backticks, "~~~py\nx\n~~~", [[("```", -1), ("py\nx\n", 3), ("```", -1)]]),
        (with_three_backticks, "````py\nx\n````", [[("```", 0), ("py\nx\n```", 4)]]),
        (tidy_block, "```a ~ 1\nb\n```", [[("```", 0), ("\n", -1), ("a ~ 1\nb\n```", 3)]]),
        (tidy_block, "```py\n```", [[("```", 0), ("\n", -1), ("py\n```", 3)]]),
        (close_fence, "```\nx\n``", [[("```\nx\n", 0), ("```", -1)]]),
        (
            lambda text: continue_block(text, "```\ny\n```", is_torn=False),
            "```\nx\n```",
            [[("```\nx\n", 0), ("y\n```", -1)]],
        ),
        (
            lambda text: split_code(text, 13),
            "```\na\nbc\nd\nef\n```",
            [[("```\na\nbc", 0), ("\n```", -1)], [("```\n", -1), ("d\nef\n```", 9)]],
        ),
        (
            lambda text: split_table(text, 16),
            "|a|\n|-|\n|b|\n|c|\n|d|",
            [[("|a|\n|-|\n|b|\n|c|", 0)], [("|a|\n|-|\n", -1), ("|d|", 16)]],
        ),
        (lambda text: fit(text, 8), "> a\n> b\n> c", [[("> a\n> b", 0)], [("> c", 8)]]),
        (
            lambda text: split_columns(text, 14),
            "```\na\n─\nb\nc\n```",
            [[("```\na\n─\nb\n", 0), ("```", 12)], [("```\na\n─\n", 0), ("c\n```", 10)]],
        ),
        (in_table, "|$x^2$|\n|-|\n|c|", [[("|", 0), ("x²", -1), ("|\n|-|\n|c|", 6)]]),
    ],
    ids=lambda value: None if callable(value) or isinstance(value, list) else repr(value),
)
def test_a_step_puts_in_no_line_end_that_the_model_wrote(
    step: Callable[[str], str | list[str]], text: str, expected: list[list[tuple[str, int]]]
) -> None:
    made = step(from_model(text, 0))

    assert [parts_in(part) for part in ([made] if isinstance(made, str) else made)] == expected


@pytest.mark.parametrize(
    "step",
    [
        cleaned,
        in_backticks,
        with_three_backticks,
        tidy_block,
        close_fence,
        in_table,
        lambda text: split_code(text, 20),
        lambda text: split_table(text, 20),
        lambda text: fit(text, 20),
    ],
)
@given(text=nasty_markdown())
def test_a_step_says_the_same_with_origins(step: Callable[[str], str | list[str]], text: str) -> None:
    assert step(from_model(text, 0)) == step(text)


def test_a_text_without_a_match_is_the_same_text() -> None:
    text = traced((0, 9))

    assert text is substituted(re.compile("x"), lambda _: "y", text)
    assert text is text.replace("a", "b", 0)


@given(TEXT, TEXT)
def test_a_rewritten_text_says_what_it_said(before: str, after: str) -> None:
    found = rewritten(before, after)

    assert after == found
    assert is_true(found)


@pytest.mark.parametrize(
    ("after", "places"),
    [
        pytest.param("a b\nba", [0, 1, 2, 3, 4, 5], id="nothing"),
        pytest.param("a b\nBa", [0, 1, 2, 3, -1, 5], id="a letter"),
        pytest.param("\na", [3, 5], id="only taken out"),
        pytest.param("a, b\nba", [0, -1, 1, 2, 3, 4, 5], id="only put in"),
        pytest.param("a b b\nba", [0, 1, 2, -1, -1, 3, 4, 5], id="the same twice"),
        pytest.param("so", [-1, -1], id="all of it"),
        pytest.param("a", [0], id="all behind it"),
        pytest.param("", [], id="all taken out"),
    ],
)
def test_what_is_equal_at_both_ends_keeps_its_origin(after: str, places: list[int]) -> None:
    before = traced((0, 6))
    if after == "\na":
        before = traced((3, 4), "b", (5, 6))

    assert places == [cell.place for cell in cells(rewritten(before, after))]


@pytest.mark.parametrize(
    ("before", "after"),
    [pytest.param("so", "and so", id="not traced"), pytest.param(traced((0, 3)), traced((4, 6)), id="traced already")],
)
def test_what_need_not_be_rewritten_is_not(before: str, after: str) -> None:
    assert after is rewritten(before, after)


@given(TRACED)
def test_what_was_put_in_gets_a_reason_once(text: Traced) -> None:
    found = explained(explained(text, "mine"), "another")

    assert str(text) == found
    assert [cell if cell.place >= 0 or cell.why else cell._replace(why="mine") for cell in cells(text)] == cells(found)


def test_what_was_put_in_by_the_same_is_one_run() -> None:
    assert ((3, -1, "mine"), (2, 0, "")) == origin_of(explained("a" + explained("bc" + traced((0, 2)), "mine"), "mine"))


@pytest.mark.parametrize("text", ["so", traced((0, 3), "so"), Traced("", ())])
def test_what_has_its_reasons_is_the_same_text(text: str) -> None:
    assert text is explained(text, "mine")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        pytest.param("so", "so", True, id="plain"),
        pytest.param("so", "no", False, id="other words"),
        pytest.param(traced((0, 2)), traced((0, 2)), True, id="from the same place"),
        pytest.param(MODEL[:2], traced((0, 2)), False, id="one is plain"),
        pytest.param(traced((0, 1)), traced((5, 6)), False, id="from another place"),
    ],
)
def test_texts_are_the_same_if_their_words_and_places_are(one: str, other: str, *, expected: bool) -> None:
    assert expected == is_same(one, other)


# --- places --------------------------------------------------------------------------------


def in_order(found: Iterable[Range]) -> list[Range]:
    return union(sorted(found))


def places(found: Iterable[Range]) -> set[int]:
    """Each place of *found*."""
    return {place for start, end in found for place in range(start, end)}


def are_apart(found: Iterable[Range]) -> bool:
    """Whether *found* are in order, and something is between them."""
    found = [*found]
    return all(start < end for start, end in found) and all(one[1] < other[0] for one, other in pairwise(found))


@given(RANGES)
def test_a_union_has_what_one_of_them_has(found: list[Range]) -> None:
    assert places(found) == places(in_order(found))
    assert are_apart(in_order(found))


@given(RANGES, RANGES)
def test_what_others_have_is_taken_out(found: list[Range], others: list[Range]) -> None:
    left = without(in_order(found), in_order(others))

    assert places(found) - places(others) == places(left)
    assert are_apart(left)


@given(st.lists(RANGES, max_size=6), RANGES)
def test_a_set_of_ranges_is_a_set_of_places(steps: list[list[Range]], asked: list[Range]) -> None:
    known, expected = RangeSet(), set[int]()

    for new in steps:
        added = known.add(new)

        assert places(new) - expected == places(added)
        assert len(places(added)) == sum(end - start for start, end in added)
        expected |= places(new)
        assert places(asked) - expected == places(known.missing(asked))
        assert are_apart(known.found)


@given(st.lists(TEXT, max_size=3))
def test_the_ranges_of_texts_are_the_places_of_their_characters(texts: list[str]) -> None:
    found = ranges(*texts)

    assert {cell.place for text in texts for cell in cells(text)} - {-1} == places(found)
    assert are_apart(found)


@given(TEXT, RANGES)
def test_what_remains_is_the_model_s_and_not_gone(text: str, gone: list[Range]) -> None:
    found = remaining(text, in_order(gone))

    left = [cell for cell in cells(text) if cell.place >= 0 and cell.place not in places(gone)]
    assert left == [cell for part in found for cell in cells(part)]
    assert all(len(origin_of(part)) == 1 for part in found)


@given(TEXT)
def test_the_first_place_is_that_of_the_first_character_of_the_model(text: str) -> None:
    assert next((cell.place for cell in cells(text) if cell.place >= 0), -1) == first_place(text)


def test_a_line_end_between_two_parts_is_the_model_s() -> None:
    whole = from_model("one\n\ntwo", 5)

    assert (OriginRun(1, 8),) == origin_of(line_end_between(whole, whole[:3], whole[5:]))
    assert (OriginRun(1),) == origin_of(line_end_between(whole, whole[:3], whole[3:]))
    assert "\n" == line_end_between("one\n\ntwo", "one", "two")
