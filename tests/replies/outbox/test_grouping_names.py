"""Names for sprites: a change of sprite is a change of name, but only from one delivered message to the next."""

from __future__ import annotations

import pytest

from cadenza.replies.outbox.grouping_names import NameContinuity
from cadenza.text.names import NEUTRAL
from cadenza.types import Identity

SMUG = Identity("Locke", "smug.png", "smug")
MAD = Identity("Locke", "mad.png", "mad")
PLAIN = Identity("Locke", "locke.png", NEUTRAL)
VOICE = Identity("The Voice (Locke)", "voice.png")
TWIN = "Lock\u0435"


class Channel:
    """A channel in which every message has an id, and what a persona is called there."""

    def __init__(self, most: int = 2000) -> None:
        self.now = 0.0
        self.last = 100
        self.continuity = NameContinuity(clock=lambda: self.now, most=most)

    def dressed(self, identity: Identity) -> Identity:
        return self.continuity.dressed("channel", identity, last_message_id=str(self.last))

    def shown(self, identity: Identity) -> str:
        dressed = self.dressed(identity)
        self.last += 1
        self.continuity.note("channel", dressed, str(self.last))
        return dressed.name

    def spoken_by_the_bot(self) -> None:
        self.last += 1
        self.continuity.note("channel", None, str(self.last))


@pytest.mark.parametrize(
    ("sprites", "names"),
    [
        pytest.param([SMUG, MAD, SMUG, SMUG], ["Locke", TWIN, "Locke", "Locke"], id="there and back"),
        pytest.param([SMUG, MAD, SMUG, MAD], ["Locke", TWIN, "Locke", TWIN], id="T46 by turns"),
        pytest.param([SMUG, SMUG], ["Locke", "Locke"], id="T46 the same"),
        pytest.param([SMUG, MAD, MAD], ["Locke", TWIN, TWIN], id="T46 the same after another"),
        pytest.param([SMUG, PLAIN, PLAIN, SMUG], ["Locke", TWIN, TWIN, "Locke"], id="the plain sprite in between"),
        pytest.param([SMUG, MAD, PLAIN], ["Locke", TWIN, "Locke"], id="the plain look at the end"),
        pytest.param([VOICE, SMUG], [VOICE.name, "Locke"], id="a sprite after somebody"),
        pytest.param([SMUG, VOICE, MAD], ["Locke", VOICE.name, TWIN], id="somebody in between"),
        pytest.param([VOICE, VOICE], [VOICE.name, VOICE.name], id="somebody has one name"),
    ],
)
def test_a_change_of_sprite_is_a_change_of_name(sprites: list[Identity], names: list[str]) -> None:
    channel = Channel()

    assert names == [channel.shown(sprite) for sprite in sprites]


def test_only_the_name_is_changed() -> None:
    channel = Channel()
    channel.shown(SMUG)

    assert Identity(TWIN, "mad.png", "mad") == channel.dressed(MAD)


@pytest.mark.parametrize(
    ("identity", "name"),
    [
        pytest.param(Identity("Ai", None, "mad"), "Ai (mad)", id="a sprite"),
        pytest.param(Identity("Ai", None, NEUTRAL), "Ai (neutral)", id="the plain sprite"),
    ],
)
def test_a_name_without_a_twin_has_the_sprite_in_brackets(identity: Identity, name: str) -> None:
    channel = Channel()
    channel.shown(Identity("Ai", None, "smug"))

    assert name == channel.shown(identity)
    assert channel.shown(Identity("Ai", None, "smug")) == "Ai"


def test_what_was_not_delivered_changes_nothing() -> None:
    channel = Channel()
    channel.shown(SMUG)
    channel.dressed(MAD)

    assert [TWIN, "Locke"] == [channel.dressed(MAD).name, channel.shown(SMUG)]


def test_behind_a_message_of_somebody_else_a_name_stands_for_itself() -> None:
    channel = Channel()
    channel.shown(SMUG)
    channel.last += 1

    assert channel.shown(MAD) == "Locke"
    assert channel.shown(SMUG) == TWIN


def test_behind_a_message_of_the_bot_too() -> None:
    channel = Channel()
    channel.shown(SMUG)
    channel.spoken_by_the_bot()

    assert channel.shown(MAD) == "Locke"


@pytest.mark.parametrize(
    ("own", "last", "name"),
    [
        pytest.param("99", "100", "Locke", id="later by size, not by letters"),
        pytest.param("100", "99", TWIN, id="an echo that lags"),
        pytest.param("100", "100", TWIN, id="our own"),
        pytest.param("100", "0101", "Locke", id="zeros in front"),
        pytest.param("100", None, TWIN, id="unknown"),
        pytest.param("100", "x", TWIN, id="no number"),
        pytest.param("x", "100", TWIN, id="ours is no number"),
        pytest.param("1" * 5000, "2" * 5000, "Locke", id="longer than numbers may be"),
    ],
)
def test_which_message_is_somebody_elses(own: str, last: str | None, name: str) -> None:
    continuity = NameContinuity()
    continuity.note("channel", SMUG, own)

    assert name == continuity.dressed("channel", MAD, last_message_id=last).name


@pytest.mark.parametrize(
    ("passed", "name"), [pytest.param(600.0, TWIN, id="in time"), pytest.param(600.5, "Locke", id="too late")]
)
def test_after_ten_minutes_all_is_forgotten(passed: float, name: str) -> None:
    channel = Channel()
    channel.shown(SMUG)
    channel.now += passed

    assert name == channel.shown(MAD)


def test_every_message_counts_for_the_ten_minutes() -> None:
    channel = Channel()
    channel.shown(SMUG)
    channel.now += 400
    channel.shown(VOICE)
    channel.now += 400

    assert channel.shown(MAD) == TWIN


def test_channels_know_nothing_of_each_other() -> None:
    continuity = NameContinuity()
    continuity.note("one", SMUG, "1")

    assert continuity.dressed("two", MAD, last_message_id=None).name == "Locke"


def test_the_channels_that_are_remembered_are_not_too_many() -> None:
    channel = Channel(most=3)
    for name, passed in (("a", 500.0), ("b", 200.0), ("c", 0.0), ("a", 0.0), ("d", 0.0), ("e", 0.0)):
        channel.continuity.note(name, SMUG, "1")
        channel.now += passed

    remembered = [name for name in "abcde" if channel.continuity.dressed(name, MAD, last_message_id=None).name == TWIN]

    # When "a" came again after its time, "b" was still in time; "d" found no place but that of "b", "e" that of "c".
    assert remembered == ["a", "d", "e"]


def test_what_is_over_goes_before_what_is_not() -> None:
    channel = Channel(most=2)
    channel.continuity.note("old", SMUG, "1")
    channel.now += 500
    channel.continuity.note("new", SMUG, "1")
    channel.now += 200
    channel.continuity.note("newest", SMUG, "1")

    assert channel.continuity.dressed("new", MAD, last_message_id=None).name == TWIN
