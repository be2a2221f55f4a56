"""What is said of a message, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cadenza.explain.sentences import Said, as_json, rendered
from cadenza.play.films import film_words
from tests.play.films.told import message, told

REPLY = Said("starts.reply", {"decided": ""})
HELD = Said("hold.told", {"seconds": "0.50", "why": Said("hold.code")})


def test_what_the_story_tells_is_rendered() -> None:
    one = message(told={"starts": as_json(REPLY), "holds": [as_json(HELD), None]})

    assert rendered(REPLY) == film_words.told(one, "starts")
    assert "" == film_words.told(one, "merged")
    assert [rendered(HELD), ""] == film_words.all_told(one, "holds")
    assert [] == film_words.all_told(one, "waits")


@pytest.mark.parametrize("odd", [None, 7, "text", [], {}, {"key": 3}, {"key": "a", "values": 3}])
def test_what_is_no_sentence_is_left_out(odd: object) -> None:
    assert "" == film_words.told(message(told={"starts": odd}), "starts")
    assert "" == film_words.told(message(told=odd), "starts")
    assert [""] == film_words.all_told(message(told={"holds": [odd]}), "holds")


@pytest.mark.parametrize(
    ("pings", "shows", "words"),
    [
        ((), (), ""),
        (("@Mia", "@crew"), (), "It pings @Mia, @crew."),
        (("@Mia",), ("@Jo",), "It pings @Mia. It names @Jo without a ping."),
        ((), ("@everyone",), "It names @everyone without a ping."),
    ],
)
def test_whom_a_message_pings_is_told(pings: tuple[str, ...], shows: tuple[str, ...], words: str) -> None:
    assert words == film_words.pings(replace(message(), pings=pings, shows=shows))


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.0, "0.00 s"), (59.994, "59.99 s"), (59.996, "1 min 0 s"), (119.7, "2 min 0 s")]
)
def test_seconds_are_told_as_people_read_them(seconds: float, words: str) -> None:
    assert words == film_words.shown_seconds(seconds)


def test_what_is_in_no_message_is_told() -> None:
    telling = told("Hi.<think>hm</think>")
    dropped = replace(telling, numbers=replace(telling.numbers, unshown={"dropped": 5, "odd": 1}))

    assert "17 characters (thought)" == film_words.unshown(telling)
    assert "5 characters (taken out), 1 character (odd)" == film_words.unshown(dropped)
