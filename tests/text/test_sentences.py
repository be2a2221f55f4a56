from __future__ import annotations

import pytest

from cadenza.text.sentences import clause_ends, closes, ends_sentence, ends_with_stop, is_whole


def stop_in(text: str) -> tuple[str, int]:
    """*text* without its ``^``, and the index of the stop in front of it."""
    return text.replace("^", ""), text.index("^") - 1


@pytest.mark.parametrize(
    "marked",
    [
        pytest.param("It is.^ Great", id="plain"),
        pytest.param("It is.^", id="the end"),
        pytest.param("It is.^\nGreat", id="before a line end"),
        pytest.param("Send the bus.^ Focus", id="a word that ends like one"),
        pytest.param("xMr.^ Smith", id="a longer word"),
        pytest.param("これは。^次", id="ideographic"),
        pytest.param("half｡^次", id="half width"),
        pytest.param("5。^次", id="ideographic after a digit"),
        pytest.param("Come with us.^ I", id="b24 us"),
        pytest.param("I said no.^ You", id="b24 no"),
        pytest.param("You may.^ Go", id="b24 may"),
        pytest.param("I said No.^ You", id="b24 No before a word"),
        pytest.param("It was I.^ Truly", id="the word I"),
        pytest.param("Done.^\u00a0Next", id="a space that does not break"),
        pytest.param("Mischief.^ Next", id="letters before an abbreviation"),
        pytest.param("そう．^次", id="full width"),
        pytest.param("We sat.^ Then", id="sat before a word"),
        pytest.param("made in the UK.^ Then", id="a country before a word"),
        pytest.param("see e.org/a.b.^ Then", id="an address"),
    ],
)
def test_a_sentence_ends_here(marked: str) -> None:
    assert ends_sentence(*stop_in(marked))


@pytest.mark.parametrize(
    "marked",
    [
        pytest.param("Dr.^ Lin", id="title"),
        pytest.param("see no.^ 5", id="b24 a number"),
        pytest.param("on p.^ 12", id="b24 a page"),
        pytest.param("そう。^。。でも", id="a full-width ellipsis"),
        pytest.param("そうです。^」と言った", id="before a closing bracket"),
        pytest.param("DR.^ LIN", id="shouted title"),
        pytest.param("fruit, e.g.^ plums", id="e.g."),
        pytest.param("red ones, etc.^ Then", id="etc."),
        pytest.param("La Sra.^ Ruiz", id="Spanish"),
        pytest.param("и т.д.^ Потом", id="Russian"),
        pytest.param("I have 5.^ You", id="after a digit"),
        pytest.param("1.^ Mix", id="list number"),
        pytest.param("Hmm...^ okay", id="the last dot of three"),
        pytest.param("file.^txt", id="file name"),
        pytest.param("here.^And", id="no space"),
        pytest.param("The U.S.^ agreed", id="b24 acronym"),
        pytest.param("at 5 p.m.^ sharp", id="b24 p.m."),
        pytest.param("J.^ R. Smith", id="b24 initial"),
        pytest.param("No.^ 5", id="b24 No before a digit"),
        pytest.param("on Sat.^ at noon", id="a day before a small letter"),
        pytest.param("a.k.a.^ Bob", id="a.k.a."),
        pytest.param("approx.^ ten", id="approx."),
        pytest.param("Acme Inc.^ Then", id="Inc."),
        pytest.param("そう。．^でも", id="behind another full-width stop"),
        pytest.param("そう。^”と", id="before a closing quote"),
    ],
)
def test_no_sentence_ends_here(marked: str) -> None:
    assert not ends_sentence(*stop_in(marked))


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("No boundary", [], id="none"),
        pytest.param("Done. Next", ["Done."], id="one"),
        pytest.param("A! B? C…", ["A! B? C…", "A! B?", "A!"], id="marks, last first"),
        pytest.param("line\nline", ["line\n"], id="line end"),
        pytest.param("終わり。次", ["終わり。"], id="ideographic"),
        pytest.param('He said "stop." and', ['He said "stop."'], id="b14 with its quote"),
        pytest.param("(**Yes!**) and", ["(**Yes!**)"], id="b14 with its marks"),
        pytest.param("It is 3.5 or", [], id="b14 decimal"),
        pytest.param("Dr. Lin", [], id="b14 abbreviation"),
        pytest.param("1. Mix", [], id="b14 list number"),
        pytest.param("see e.org/a now", [], id="b14 address"),
        pytest.param("Hmm... and", ["Hmm..."], id="ellipsis"),
        pytest.param('so "Dr." he', [], id="abbreviation in quotes"),
    ],
)
def test_clauses_end_behind_their_closing_marks(text: str, clauses: list[str]) -> None:
    assert clauses == [text[:end] for end in clause_ends(text)]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        pytest.param("Done.", True, id="a stop"),
        pytest.param("終わり。", True, id="ideographic"),
        pytest.param("終わり．", True, id="full width"),
        pytest.param("終わり｡", True, id="half width"),
        pytest.param("It was I.", True, id="the word I"),
        pytest.param("red ones, etc.", True, id="an abbreviation that is a word"),
        pytest.param("it is 5.", True, id="a number"),
        pytest.param("see e.org/a.b.", True, id="an address"),
        pytest.param("Hmm..", False, id="two dots"),
        pytest.param("そう。。", False, id="two ideographic ones"),
        pytest.param("そう．．", False, id="two full-width ones"),
        pytest.param("そう。｡", False, id="two of different kinds"),
        pytest.param("Hmm…", False, id="an ellipsis character"),
        pytest.param("at 5 p.m.", False, id="p.m."),
        pytest.param("in the U.S.", False, id="acronym"),
        pytest.param("by J.", False, id="an initial"),
        pytest.param("12.", False, id="a list number"),
        pytest.param("Done!", False, id="another mark"),
        pytest.param("", False, id="nothing"),
    ],
)
def test_a_stop_that_only_says_that_a_sentence_ends(sentence: str, expected: bool) -> None:  # noqa: FBT001
    assert expected is ends_with_stop(sentence)


@pytest.mark.parametrize(
    "text",
    ["Done.", "Really?!", "Hm…", "終わり。」", "終わり．", "終わり｡", '(He said "ok.")', "**Yes!**", "[Yes.](http://e.org)", "`a.`"],
)  # fmt: skip
def test_a_clause_is_whole_with_all_that_closes_it(text: str) -> None:
    assert is_whole(text)


@pytest.mark.parametrize("text", ["", "Done", "Done. ", "3.5", "(a)", "終わり」", "[Yes](http://e.org)", "Done, **"])
def test_a_clause_without_its_mark_is_not(text: str) -> None:
    assert not is_whole(text)


@pytest.mark.parametrize("text", ["", '"', ")」", "**", "`)", "](http://e.org)", "](http://e.org)**", "](a b)"])
def test_what_only_closes(text: str) -> None:
    assert closes(text)


@pytest.mark.parametrize("text", ["x", "** and", "](http://e.org) x", "](a\nb)", " )"])
def test_what_says_more(text: str) -> None:
    assert not closes(text)
