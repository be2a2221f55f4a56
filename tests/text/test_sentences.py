from __future__ import annotations

import pytest

from cadenza.text.sentences import (
    clause_ends,
    closes,
    ends_sentence,
    ends_with_stop,
    is_lone_word,
    is_whole,
    leaves_lone_word,
    may_leave_lone_word,
)


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
        pytest.param("I met al.^ He", id="al without et"),
        pytest.param("we solve for x.^ Then", id="a letter that counts nothing"),
        pytest.param("that was my ex.^ She", id="ex before a word"),
        pytest.param("I did.^ You", id="letters that are no number"),
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
        pytest.param("Smith et al.^ (2023)", id="et al."),
        pytest.param("fruit, e.g.^ this", id="e.g. this"),
        pytest.param("see Fig.^ 3", id="Fig."),
        pytest.param("see Eq.^ (3)", id="Eq."),
        pytest.param("U.S.^ policy", id="U.S."),
        pytest.param("us vs.^ them", id="vs."),
        pytest.param("a.^ First", id="a letter"),
        pytest.param("so:\n  b.^ Second", id="a letter on its line"),
        pytest.param("> c.^ Third", id="a letter in a quote"),
        pytest.param("I.^ First", id="a Roman one"),
        pytest.param("iv.^ Fourth", id="a Roman number"),
        pytest.param("一.^ 首先", id="a Chinese number"),
        pytest.param("choose: a.^ Foo", id="a letter behind a colon"),
        pytest.param("choose: a. Foo b.^ Bar", id="the next letter"),
        pytest.param(r"\( x = y.^ \) Then", id="the end of a formula"),
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
        pytest.param("b.", False, id="a letter that counts"),
        pytest.param("iv.", False, id="a Roman number"),
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


@pytest.mark.parametrize(
    "text", ["Yes", " yes! ", "**Really**?!", "don't", "e-ew", "(ok)", "はい", "好，", "네", "`A`"]
)
def test_a_single_word(text: str) -> None:
    assert is_lone_word(f"ab{text}cd", 2, 2 + len(text))


@pytest.mark.parametrize(
    "text", ["", "!!", "😀", "oh no", "example.org", "<@1>", "<:soup:1>", "そうだ", "x" * 21, " " * 50 + "a"]
)
def test_more_or_less_than_a_word(text: str) -> None:
    assert not is_lone_word(text, 0, len(text))


@pytest.mark.parametrize(
    ("marked", "leaves"),
    [
        pytest.param("Yes.^ I know it", True, id="before"),
        pytest.param("I know it. Yes.^ I do", True, id="before, behind a sentence"),
        pytest.param("a b\n- **Yes.**^ I do", False, id="a stop behind marks is not asked for"),
        pytest.param("a b\n- **Yes**.^ I do", True, id="before, in an item"),
        pytest.param("I know it.^ Truly!\nSo", True, id="after, on its line"),
        pytest.param("I know it.^ *Truly.*", True, id="after, at the end"),
        pytest.param("I know it.^ Truly I", False, id="two words after"),
        pytest.param("See Mr. Fox.^ I do", False, id="a title before"),
        pytest.param("I know it.^ 😀", False, id="an emoji"),
    ],
)
def test_a_stop_that_leaves_a_single_word(marked: str, leaves: bool) -> None:  # noqa: FBT001
    assert leaves is leaves_lone_word(*stop_in(marked))


@pytest.mark.parametrize(
    ("marked", "may"),
    [
        pytest.param("I know it.^", True, id="nothing"),
        pytest.param("I know it.^ Tru", True, id="half a word"),
        pytest.param("I know it.^ Truly! ", True, id="a word"),
        pytest.param("I know it.^ Truly I", False, id="another word"),
        pytest.param("I know it.^ Truly\n", False, id="a line"),
        pytest.param("I know it.^ " + "x" * 60, False, id="too long"),
    ],
)
def test_what_follows_may_be_a_single_word(marked: str, may: bool) -> None:  # noqa: FBT001
    assert may is may_leave_lone_word(*stop_in(marked))
