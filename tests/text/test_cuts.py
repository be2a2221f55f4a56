from __future__ import annotations

import pytest

from cadenza.text.cuts import overflow_cut, up_to_last_clause
from cadenza.text.spans import Scanner, survey

FAMILY = "👨\u200d👩\u200d👧"


def cut(text: str, target: int = 1000) -> int:
    scanner = Scanner()
    scanner.feed(text)
    while scanner.find():
        pass
    return overflow_cut(scanner, target)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a" * 1100 + ". " + "b" * 300, 1101, id="a sentence a little later"),
        pytest.param("a" * 1199 + ". " + "b" * 300, 1200, id="the last place that is looked at"),
        pytest.param("a" * 1200 + ". " + "b" * 300, 1000, id="too late"),
        pytest.param("a" * 800 + ". " + "b" * 800, 801, id="a sentence a little earlier"),
        pytest.param("a" * 700 + ". " + "b" * 800, 701, id="the first place that is looked at"),
        pytest.param("a" * 900 + "! " + "a" * 200 + "? " + "b" * 400, 1103, id="later before earlier"),
        pytest.param("a" * 900 + ". c " + "b" * 800, 901, id="a sentence before a space"),
        pytest.param("a" * 750 + " " + "b" * 800, 751, id="a space earlier"),
        pytest.param("a" * 1150 + " " + "b" * 800, 1151, id="a space later"),
        pytest.param("x" * 1500, 1000, id="nowhere"),
        pytest.param("あ" * 1100 + "。" + "い" * 300, 1101, id="an ideographic stop needs no space"),
        pytest.param("あ" * 1100 + "．" + "い" * 300, 1101, id="nor does a full-width one"),
        pytest.param("a" * 1100 + ".b " + "c" * 300, 1103, id="a stop in a word is none"),
        pytest.param("a" * 900 + "\n" + "a" * 600, 901, id="a line end"),
    ],
)
def test_an_overflow_is_cut_at_the_best_place_near_its_target(text: str, expected: int) -> None:
    assert expected == cut(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a" * 900 + " (b. c d) " + "e" * 400, 910, id="b36 behind brackets"),
        pytest.param("a" * 990 + " (b. c d. e f) " + "g" * 400, 991, id="b36 in front of brackets"),
        pytest.param("a" * 995 + " **b. c d** " + "e" * 400, 996, id="b36 in front of bold"),
        pytest.param("a" * 800 + " http://e.org/" + "b" * 700, 801, id="b36 in front of an address"),
        pytest.param("a" * 800 + " (b. c" + "d" * 700, 801, id="b36 in front of what may close"),
        pytest.param("a" * 800 + "`b c" + " d" * 300 + "` e", 800, id="b36 in front of code without a space"),
        pytest.param(
            "a" * 700 + "`b" + "c" * 700 + "` e", 700, id="in front of code that opens as far back as is looked"
        ),
        pytest.param("a" * 699 + "`b" + "c" * 700 + "` e", 1403, id="behind code that opens further back"),
        pytest.param('"a ' + "b. " * 500, 0, id="all of it is inside"),
        pytest.param("a (" + "b. " * 500, 0, id="only crumbs are outside"),
        pytest.param("a " * 300 + "(" + "b" * 800 + ") c d", 1403, id="behind a long span"),
    ],
)
def test_b36_an_overflow_cuts_nothing_that_belongs_together(text: str, expected: int) -> None:
    assert expected == cut(text)


@pytest.mark.parametrize("shift", range(5))
def test_b21_an_overflow_cuts_no_visible_character(shift: int) -> None:
    text = "x" * shift + FAMILY * 60

    place = cut(text, 100)

    assert text[place:].startswith(FAMILY)
    assert 95 < place <= 100


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Done. Next  ", "Done.  ", id="with the space at the end"),
        pytest.param("Done.  ", "Done.  ", id="whole already"),
        pytest.param("No boundary", None, id="no clause at all"),
        pytest.param("line1\nline2", "line1\n", id="line end"),
        pytest.param("終わり。次", "終わり。", id="ideographic"),
        pytest.param('He said "stop."', 'He said "stop."', id="whole in quotes"),
        pytest.param('He said "stop." and', 'He said "stop."', id="b14 the quote stays closed"),
        pytest.param("see https://e.org/a.b now", None, id="b14 address"),
        pytest.param("Ok. see https://e.org/a?b=c now", "Ok.", id="b14 a mark in an address"),
        pytest.param("Ok. use `a! b` now", "Ok.", id="b14 a mark in code"),
        pytest.param("It costs 3.5 or so", None, id="b14 decimal"),
        pytest.param("Hi! I saw Dr. Lin", "Hi!", id="b14 abbreviation"),
        pytest.param("Hi! I saw Dr.", "Hi! I saw Dr.", id="whole if the last word looks so"),
        pytest.param("Ok. See [x.](http://e.org)", "Ok. See [x.](http://e.org)", id="whole in a link"),
        pytest.param("Ok. See [x](http://e.org)", "Ok.", id="a link says nothing whole"),
        pytest.param("Hi! [x!](http://e.org) and", "Hi! [x!](http://e.org)", id="with the address of a link"),
        pytest.param("Hi! *I sigh.* and", "Hi! *I sigh.*", id="with the end of emphasis"),
        pytest.param("Hi! *I sigh. And* so", "Hi!", id="not in the middle of emphasis"),
        pytest.param("He (said `a.`) and", "He (said `a.`)", id="with code and brackets"),
        pytest.param("そう．「はい｡」と", "そう．「はい｡」", id="full width, in quotes"),
        pytest.param("", None, id="nothing"),
        pytest.param("  ", None, id="only space"),
    ],
)
def test_text_is_cut_back_to_its_last_whole_clause(text: str, expected: str | None) -> None:
    assert expected == up_to_last_clause(text, survey(text).spans)
