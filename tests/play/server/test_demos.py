"""What the guide can show: each thing in both languages, under a name of its own."""

from __future__ import annotations

from cadenza.play.server.demos import LANGUAGES, SHOWS


def test_each_has_a_name_of_its_own_and_both_languages() -> None:
    assert len(SHOWS) == len({show.name for show in SHOWS})
    assert all(set(LANGUAGES) == set(show.asks) == set(show.said) for show in SHOWS)


def test_no_two_are_asked_for_alike() -> None:
    asked = [text for show in SHOWS for text in show.asks.values()]

    assert len(asked) == len(set(asked))
