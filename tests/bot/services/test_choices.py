from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from cadenza.bot.config.config import Config
from cadenza.bot.services.choices import Choice, Choices, settings_for
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.store import Namespace, Record
from cadenza.settings import Settings

SETTINGS = st.dictionaries(st.sampled_from(["degree", "shape", "typing", "limit"]), st.integers(0, 3)).map(
    MappingProxyType
)
CHOICES = st.builds(
    Choice,
    settings=SETTINGS,
    model=st.none() | st.sampled_from(["", "a", "b"]),
    personas=st.none() | st.lists(st.sampled_from(["Ren", "Ash"]), unique=True).map(tuple),
    mentions=st.none() | st.booleans(),
    every=st.none() | st.integers(0, 9),
    thought_log=st.none() | st.sampled_from(["", "7"]),
    is_silent=st.none() | st.booleans(),
)


@settings(max_examples=40)
@given(choice=CHOICES)
def test_what_is_kept_comes_back(choice: Choice) -> None:
    assert choice == Choice.of_value(choice.as_value())


@settings(max_examples=40)
@given(one=CHOICES, other=CHOICES, third=CHOICES)
def test_it_does_not_matter_in_which_order_choices_are_laid_over_each_other(
    one: Choice, other: Choice, third: Choice
) -> None:
    assert one.over(other).over(third) == one.over(other.over(third))
    assert one.over(Choice()) == one == Choice().over(one)


@pytest.mark.parametrize(
    ("kept", "choice"),
    [
        ({"unheard_of": 1, "every": 3}, Choice(every=3)),
        ({"every": "three"}, Choice()),
        ({"every": True}, Choice()),
        ({"mentions": 1}, Choice()),
        ({"model": None}, Choice()),
        ({"personas": ["Ren"]}, Choice(personas=("Ren",))),
        ({"settings": ["degree"]}, Choice()),
        ({"settings": {"degree": 1}}, Choice(settings=MappingProxyType({"degree": 1}))),
    ],
)
def test_what_is_not_right_any_more_is_passed_over(kept: dict[str, Any], choice: Choice) -> None:
    assert choice == Choice.of_value(kept)


async def test_a_channel_is_asked_before_the_channel_of_its_thread_and_that_before_its_server() -> None:
    choices = Choices(MemoryStore())
    await choices.change_server("1", lambda _: Choice(model="server", every=1, history=10))
    await choices.change_channel("2", "1", lambda _: Choice(model="parent", every=2))
    await choices.change_channel("3", "1", lambda _: Choice(model="thread"))

    assert Choice(model="thread", every=2, history=10) == await choices.here("1", "3", "2")
    assert Choice(model="thread", every=1, history=10) == await choices.here("1", "3")
    assert Choice(model="server", every=1, history=10) == await choices.here("1", "4")
    assert Choice(model="thread") == await choices.here("", "3")


async def test_a_choice_goes_with_its_server() -> None:
    store = MemoryStore()
    choices = Choices(store)
    await choices.change_server("1", lambda _: Choice(every=1))
    await choices.change_channel("2", "1", lambda _: Choice(every=2))

    assert 2 == await store.forget(server="1")
    assert Choice() == await choices.here("1", "2")


async def test_a_choice_of_nothing_is_not_kept() -> None:
    store = MemoryStore()
    choices = Choices(store)
    await choices.change_server("1", lambda _: Choice(every=1))

    assert Choice() == await choices.change_server("1", lambda _: Choice())
    assert await store.get(Namespace.SERVERS, "1") is None


async def test_a_record_that_somebody_else_wrote_does_no_harm() -> None:
    store = MemoryStore()
    await store.put(Record(Namespace.SERVERS, "1", {"every": [], "settings": 3}))

    assert Choice() == await Choices(store).of_server("1")


def test_a_character_s_degree_goes_over_what_was_chosen_and_that_over_the_model_s_settings() -> None:
    config = Config(settings=Settings.of(degree=0, temperature=0.1, limit=1000, top_p=0.5))
    choice = Choice(settings=MappingProxyType({"degree": 1, "temperature": 0.3}))

    held = settings_for(config, choice, degree=3, of_model={"temperature": 0.2, "top_p": 0.9})

    assert held == Settings.of(degree=3, temperature=0.3, limit=1000, top_p=0.9)


@pytest.mark.parametrize(
    "chosen", [{"degree": 9}, {"gone": 1}, {"proxy": "http://example.org"}, {"turn_timeout": 9e9}, {"seed": 4}]
)
def test_what_is_wrong_or_not_a_server_s_to_choose_does_not_hold(chosen: dict[str, object]) -> None:
    held = settings_for(Config(), Choice(settings=MappingProxyType({**chosen, "limit": 500})))

    assert Settings.of(limit=500) == held


@pytest.mark.parametrize(
    ("channel", "server", "manner"),
    [
        pytest.param({}, {"degree": 2}, ("lines", True, False), id="an old choice of a degree"),
        pytest.param({"degree": 1}, {"shape": "reply", "casual": True}, ("lines", False, False), id="a degree above"),
        pytest.param({"shape": "reply"}, {"degree": 3}, ("reply", True, True), id="a shape above"),
        pytest.param({}, {"shape": "reply", "degree": 3}, ("reply", True, True), id="both, in any order"),
        pytest.param({"typing": False}, {"shape": "reply"}, ("reply", False, False), id="typing above"),
    ],
)
def test_a_degree_replaces_the_shape_below_it(
    channel: dict[str, object], server: dict[str, object], manner: tuple[str, bool, bool]
) -> None:
    config = Config(settings=Settings.of(shape="blocks", typing=False))
    here = Choice(settings=MappingProxyType(channel)).over(Choice(settings=MappingProxyType(server)))

    assert manner == settings_for(config, here).delivery.manner


def test_a_degree_that_is_not_one_is_passed_over() -> None:
    assert Settings() == settings_for(Config(), Choice(), degree=7)
