from __future__ import annotations

import pytest

from cadenza.text.sentences import clause_ends, ends_sentence


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
