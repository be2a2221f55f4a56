"""What became of the model's text: each character is in one message, or has one fate."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, strategies as st

from cadenza.explain.places import Places
from cadenza.facts import Edge, MessagePlanned, MessageSent, TextChanged
from cadenza.text.origins import Range, union
from cadenza.text.units import WHITESPACE

TEXT = "Hello Mia, how are you? Fine."
HELLO, MIA, HOW, FINE = (0, 6), (6, 11), (11, 24), (24, 29)
"""Where the parts of the text stand."""
EDGE = Edge("reply")


def places_of(text: str = TEXT) -> Places:
    places = Places()
    places.heard.add(text, 0.0)
    return places


def planned(number: int, *covers: Range) -> MessagePlanned:
    return MessagePlanned(
        number, (), "", (), covers, EDGE, EDGE, 0.0, 0.0, 0.0, 0.0, 0.0, None, "", None, picture=False, file=None
    )


def sent(posts: Iterable[int], *covers: Range) -> MessageSent:
    return MessageSent(tuple(posts), "", (), covers, "1", None, None, None, {}, 0.0)


def gone(*found: Range, by: str = "emoji", stage: str = "rules", effect: str = "changed") -> TextChanged:
    return TextChanged(by, stage, effect, (), (), (), found)


def told(places: Places) -> list[tuple[str, str]]:
    """The fates that have become known, each with its text."""
    fates, places.fates = places.fates, []
    return [("…".join(places.heard.texts(found)), fate) for found, fate in fates]


# --- each character once --------------------------------------------------------------------


WORDS = "ab \nc 😀d  ef\t"
STEPS = ("hear", "hidden", "changed", "planned", "sent", "lose_posts", "lose_rest")


@given(st.data())
def test_each_character_is_in_one_message_or_has_one_fate(data: st.DataObject) -> None:
    """White space that a fate would begin or end with has none."""
    places = Places()
    whole, count = "", 0
    found: list[Range] = []
    for step in data.draw(st.lists(st.sampled_from(STEPS), max_size=25)):
        place = st.integers(0, len(whole))
        some: list[Range] = union(sorted(data.draw(st.lists(st.tuples(place, place), max_size=3))))
        posts = data.draw(st.lists(st.integers(1, 5), unique=True, max_size=3).map(sorted))
        match step:
            case "hear":
                text = data.draw(st.text(WORDS, max_size=8))
                places.heard.add(text, 0.0)
                whole += text
            case "hidden":
                places.hidden(data.draw(st.sampled_from(["thought", "details"])), some)
            case "changed":
                by = data.draw(st.sampled_from(["thought", "split", "stop"]))
                stage = data.draw(st.sampled_from(["buffer", "rules", "composer", "outbox"]))
                places.changed(
                    gone(*some, by=by, stage=stage, effect=data.draw(st.sampled_from(["changed", "dropped"])))
                )
            case "planned":
                count += 1
                places.planned(planned(count, *some))
            case "sent":
                found += places.sent(sent(posts, *some))
            case "lose_posts":
                places.lose_posts(posts, "cut")
            case _:
                places.lose_rest("dropped")

    places.lose_rest("cut")
    places.lose_all("cut")

    found += [place for lost, _ in places.fates for place in lost]
    once = [place for start, end in found for place in range(start, end)]
    assert len(set(once)) == len(once)
    assert set() == {place for place, character in enumerate(whole) if character not in WHITESPACE} - set(once)


# --- fates -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "fate"),
    [pytest.param("thought", "thought", id="a thought"), pytest.param("details", "details", id="details")],
)
def test_hidden_text_is_told_at_once(kind: str, fate: str) -> None:
    places = places_of()

    places.hidden(kind, [MIA])

    assert [("Mia,", fate)] == told(places)


@pytest.mark.parametrize(
    ("fact", "fate"),
    [
        pytest.param(gone(MIA), "dropped", id="a rule"),
        pytest.param(gone(MIA, by="my_own_rule"), "dropped", id="a rule of somebody else"),
        pytest.param(gone(MIA, by="overlap", stage="buffer"), "dropped", id="what was sent twice"),
        pytest.param(gone(MIA, by="split", stage="composer"), "dropped", id="a mark at a cut"),
        pytest.param(gone(MIA, by="thought", stage="buffer"), "thought", id="an empty thought"),
        pytest.param(gone(MIA, by="details", stage="buffer"), "details", id="the tags of details"),
        pytest.param(gone(MIA, by="unfinished_clause", stage="buffer"), "cut", id="half a clause"),
        pytest.param(gone(MIA, by="message_limit", stage="composer"), "cut", id="the end of the reply"),
    ],
)
def test_text_that_is_gone_is_told_once_a_message_ends_behind_it(fact: TextChanged, fate: str) -> None:
    places = places_of()

    places.changed(fact)
    places.planned(planned(1, HELLO))
    before = told(places)
    places.planned(planned(2, HOW))

    assert [] == before
    assert [("Mia,", fate)] == told(places)
    places.planned(planned(3, FINE))
    assert [] == told(places)


def test_a_message_may_end_where_the_text_was_gone() -> None:
    places = places_of()

    places.changed(gone(MIA))
    places.planned(planned(1, HELLO, (9, 11)))

    assert [("Mia", "dropped")] == told(places)


def test_what_a_message_stands_for_is_not_gone() -> None:
    places = places_of()

    places.changed(gone(HELLO, MIA))
    places.planned(planned(1, MIA, HOW))

    assert [("Hello", "dropped")] == told(places)
    assert [(6, 24)] == places.sent(sent([1]))


def test_of_two_steps_that_took_the_same_text_the_first_is_told() -> None:
    places = places_of()

    places.changed(gone(MIA, FINE, by="stop", stage="composer"))
    places.changed(gone((8, 11), HELLO))
    places.planned(planned(1, HOW))

    assert [("Mia,", "cut"), ("Hello", "dropped")] == told(places)
    places.lose_rest("dropped")
    assert [("Fine.", "cut")] == told(places)


@pytest.mark.parametrize(
    ("effect", "fates"),
    [pytest.param("dropped", [("Mia,", "cut")], id="torn by a stop"), pytest.param("changed", [], id="replaced")],
)
def test_what_the_outbox_drops_is_cut_at_once(effect: str, fates: list[tuple[str, str]]) -> None:
    places = places_of()

    places.changed(gone(MIA, stage="outbox", effect=effect))

    assert fates == told(places)
    places.lose_rest("dropped")
    assert [("Mia,", "cut")] == fates or [(TEXT, "dropped")] == told(places)


def test_planned_messages_may_not_be_sent() -> None:
    places = places_of()
    places.planned(planned(1, HELLO))
    places.planned(planned(2, MIA, FINE))

    places.lose_posts([2, 7], "dropped")
    places.lose_posts([2], "cut")

    assert [("Mia,…Fine.", "dropped")] == told(places)
    assert [HELLO] == places.sent(sent([1], HELLO))


def test_the_rest_is_what_no_message_has() -> None:
    places = places_of()
    places.planned(planned(1, MIA))

    places.lose_rest("dropped")
    places.lose_rest("cut")
    places.heard.add(" More.", 1.0)
    places.lose_rest("cut")

    assert [("Hello…how are you? Fine.", "dropped"), ("More.", "cut")] == told(places)


def test_at_the_end_nothing_waits_any_more() -> None:
    places = places_of()
    places.planned(planned(1, MIA))
    places.planned(planned(2, HOW))
    places.sent(sent([1]))

    places.lose_all("cut")
    places.lose_all("dropped")

    assert [("how are you?", "cut")] == told(places)


def test_white_space_has_no_fate() -> None:
    places = places_of("a \n b")

    places.hidden("thought", [(1, 4)])
    places.lose_rest("cut")

    assert [("a…b", "cut")] == told(places)


# --- messages --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        pytest.param(sent([1]), [MIA, (20, 24)], id="as planned"),
        pytest.param(sent([1], MIA, (20, 24)), [MIA, (20, 24)], id="as the chat has it"),
        pytest.param(sent([1], HELLO), [(0, 6)], id="something else, and later what was planned"),
        pytest.param(sent([1], (20, 24)), [MIA, (20, 24)], id="only the end"),
        pytest.param(sent([1, 2], MIA, (20, 29)), [MIA, (20, 29)], id="merged"),
        pytest.param(sent([2, 1], FINE), [MIA, (20, 29)], id="merged in another order"),
        pytest.param(sent([1, 2], MIA), [MIA, (20, 24)], id="merged, and only the beginning of both"),
        pytest.param(sent([7], HELLO), [HELLO], id="a message that nobody planned"),
        pytest.param(sent([]), [], id="a notice"),
    ],
)
def test_a_message_has_what_it_shows_and_what_was_planned(message: MessageSent, expected: list[Range]) -> None:
    places = places_of()
    places.planned(planned(1, MIA, (20, 24)))
    places.planned(planned(2, FINE))

    assert expected == places.sent(message)


def test_what_a_message_does_not_show_yet_is_in_the_next_of_the_same_post() -> None:
    """As when there is no picture of a table: it is several messages."""
    places = places_of()
    places.planned(planned(1, HELLO, HOW, FINE))

    assert [HELLO] == places.sent(sent([1], HELLO))
    assert [HOW] == places.sent(sent([1], HOW))
    places.lose_all("cut")

    assert [("Fine.", "cut")] == told(places)


def test_white_space_does_not_wait_for_another_message() -> None:
    places = places_of("Hello \n")
    places.planned(planned(1, (0, 7)))

    assert [(0, 7)] == places.sent(sent([1], (0, 5)))


def test_a_message_that_is_sent_again_has_nothing_new() -> None:
    places = places_of()

    assert [HELLO] == places.sent(sent([1], HELLO))
    assert [(6, 11)] == places.sent(sent([2], (0, 11)))
    assert [] == places.sent(sent([2], MIA))


def test_what_is_in_a_message_has_no_fate() -> None:
    places = places_of()
    places.planned(planned(1, MIA))
    places.sent(sent([1]))

    places.hidden("thought", [(0, 24)])

    assert [("Hello…how are you?", "thought")] == told(places)
