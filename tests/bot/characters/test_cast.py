"""The characters of a server."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import MappingProxyType

import pytest
from hypothesis import given, settings, strategies as st

from cadenza.bot.characters.cast import Cast, named
from cadenza.bot.characters.character import Character, CharacterOverrides, CharacterSprite
from cadenza.bot.characters.names import key_of
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.store import Namespace, Record
from cadenza.errors import InputError
from tests.bot.characters.people import card

pytestmark = pytest.mark.looptime

MAIN, OTHER = Character("Cadenza", prompt="main", is_main=True), Character("Ren", prompt="configured")
FACE = "https://example.org/a.png"


def a_cast(*shared: Character, store: MemoryStore | None = None) -> Cast:
    return Cast(store or MemoryStore(), lambda: shared, clock=lambda: asyncio.get_running_loop().time())


async def names(cast: Cast, server: str = "1") -> list[str]:
    everybody = await cast.of(server)
    assert [True] + [False] * (len(everybody) - 1) == [one.is_main for one in everybody]
    return [one.name for one in everybody]


async def test_the_configurations_are_everywhere_the_main_one_first() -> None:
    cast = a_cast(OTHER, MAIN, Character("Ann"))

    assert ["Cadenza", "Ann", "Ren"] == await names(cast) == await names(cast, "")


async def test_there_is_always_exactly_one_main_one() -> None:
    assert ["Cadenza"] == await names(a_cast())
    assert ["Ren", "Ann"] == await names(a_cast(OTHER, Character("Ann")))
    assert ["Cadenza", "Ren"] == await names(a_cast(MAIN, replace(OTHER, is_main=True)))


async def test_who_is_saved_is_there_and_nowhere_else() -> None:
    cast = a_cast(MAIN)
    ren = Character(
        "蓮", prompt="x", sprites=(CharacterSprite("sad", FACE, "When sad."),), card=MappingProxyType(card("v3"))
    )

    saved = await cast.save("1", ren, by="7")

    assert saved.id
    assert replace(saved, id="") == ren
    assert saved == await cast.find("1", " 蓮 ")
    assert await cast.find("2", "蓮") is None
    assert await cast.keeps("1", "蓮")
    assert not await cast.keeps("1", "Cadenza")


async def test_a_servers_own_stand_in_the_place_of_the_configurations() -> None:
    cast = a_cast(MAIN, OTHER)
    await cast.save("1", Character("REN", prompt="own"))
    await cast.save("1", Character("cadenza", prompt="own main"))

    assert [("cadenza", "own main"), ("REN", "own")] == [(one.name, one.prompt) for one in await cast.of("1")]
    assert await cast.remove("1", "ren")
    assert "configured" == (await cast.of("1"))[1].prompt
    assert not await cast.remove("1", "ren")


async def test_names_are_unique_whatever_case_and_accents() -> None:
    cast = a_cast(MAIN)
    await cast.save("1", Character("É"))

    for name in ("é", "e\u0301", "E\u0301"):
        with pytest.raises(InputError, match="already"):
            await cast.save("1", Character(name))
    await cast.save("2", Character("é"))


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(Character(""), id="no name"),
        pytest.param(Character("x" * 81), id="a long name"),
        pytest.param(Character("x", own=CharacterOverrides(degree=4)), id="a degree that is none"),
        pytest.param(
            Character("x", sprites=(CharacterSprite("a"), CharacterSprite("A"))), id="two sprites of one name"
        ),
        pytest.param(Character("x", sprites=(CharacterSprite("a:"),)), id="a sprite with a colon"),
        pytest.param(Character("x", sprites=tuple(CharacterSprite(f"l{n}") for n in range(51))), id="too many sprites"),
        pytest.param(Character("x", sprites=(CharacterSprite("a", instructions="x" * 1001),)), id="long instructions"),
        pytest.param(Character("x", triggers=tuple(f"t{n}" for n in range(26))), id="too many words"),
        pytest.param(Character("x", triggers=("x" * 101,)), id="a long word"),
    ],
)
async def test_who_cannot_be_is_not_kept(wrong: Character) -> None:
    cast = a_cast(MAIN)

    with pytest.raises(InputError):
        await cast.save("1", wrong)
    assert ["Cadenza"] == await names(cast)


async def test_nobody_is_kept_outside_of_servers() -> None:
    with pytest.raises(InputError, match="only in servers"):
        await a_cast(MAIN).save("", Character("Ren"))


async def test_a_server_keeps_so_many_and_no_more() -> None:
    cast = a_cast(MAIN)
    for number in range(100):
        await cast.save("1", Character(f"n{number}"))

    with pytest.raises(InputError, match="at most 100"):
        await cast.save("1", Character("one more"))
    await cast.save("1", replace((await cast.of("1"))[5], prompt="changed"))


async def test_the_main_one_can_be_chosen_and_only_one() -> None:
    cast = a_cast(MAIN, OTHER)
    await cast.save("1", Character("A", is_main=True))
    assert ["A", "Cadenza", "Ren"] == await names(cast)

    await cast.change("1", "ren", lambda one: replace(one, is_main=True))
    assert ["Ren", "A", "Cadenza"] == await names(cast)
    await cast.remove("1", "Ren")
    assert ["Cadenza", "A", "Ren"] == await names(cast)


async def test_who_is_changed_or_renamed_stays_one() -> None:
    cast = a_cast(MAIN, OTHER)
    await cast.change("1", "Cadenza", lambda one: replace(one, name="蓮"))
    await cast.change("1", "ren", lambda one: replace(one, prompt="changed"))

    assert [("蓮", "main"), ("Ren", "changed")] == [(one.name, one.prompt) for one in await cast.of("1")]
    assert ["Cadenza", "Ren"] == await names(cast, "2")
    with pytest.raises(InputError, match="already"):
        await cast.change("1", "蓮", lambda one: replace(one, name="REN"))
    with pytest.raises(InputError, match="no character called Nobody"):
        await cast.change("1", "Nobody", lambda one: one)


async def test_to_change_somebody_is_not_to_choose_them() -> None:
    """A main character of the configuration is main only as long as the configuration says so."""
    shared = [MAIN, OTHER]
    cast = Cast(MemoryStore(), lambda: shared)
    await cast.change("1", "Cadenza", lambda one: replace(one, prompt="changed"))

    shared[:] = [replace(MAIN, is_main=False), replace(OTHER, is_main=True)]

    assert ["Ren", "Cadenza"] == await names(cast)


async def test_changes_at_the_same_time_do_not_lose_each_other() -> None:
    cast = a_cast(MAIN)
    await asyncio.gather(
        cast.change("1", "Cadenza", lambda one: replace(one, prompt="p")),
        cast.change("1", "Cadenza", lambda one: replace(one, scenario="s")),
        cast.add_sprite("1", "Cadenza", CharacterSprite("a", FACE)),
        cast.add_sprite("1", "Cadenza", CharacterSprite("b", FACE)),
        *(cast.save("1", Character(f"n{number}")) for number in range(5)),
    )

    main = (await cast.of("1"))[0]
    assert ("p", "s", ["a", "b"]) == (main.prompt, main.scenario, [sprite.name for sprite in main.sprites])
    assert 6 == len(await cast.of("1"))


async def test_of_two_who_take_one_name_at_once_one_has_it() -> None:
    cast = a_cast(MAIN)

    done = await asyncio.gather(*(cast.save("1", Character(name)) for name in ("Ren", "REN")), return_exceptions=True)

    assert [Character, InputError] == [type(one) for one in done]
    assert ["Cadenza", "Ren"] == await names(cast)


async def test_what_another_process_changed_is_not_undone() -> None:
    store = MemoryStore()
    here, there = a_cast(MAIN, store=store), a_cast(MAIN, store=store)
    await here.save("1", Character("Ren"))
    await here.of("1")
    await there.change("1", "Ren", lambda one: replace(one, prompt="there"))

    await here.change("1", "Ren", lambda one: replace(one, scenario="here"))

    ren = await here.find("1", "Ren")
    assert ren is not None
    assert ("there", "here") == (ren.prompt, ren.scenario)


async def test_what_another_process_changed_is_seen_after_a_while() -> None:
    store = MemoryStore()
    here, there = a_cast(MAIN, store=store), a_cast(MAIN, store=store)
    assert ["Cadenza"] == await names(here)
    await there.save("1", Character("Ren"))

    await asyncio.sleep(31)

    assert ["Cadenza", "Ren"] == await names(here)


async def test_sprites_are_added_changed_and_taken_away() -> None:
    cast = a_cast(MAIN)
    for name in ("a", "b", "c"):
        await cast.add_sprite("1", "cadenza", CharacterSprite(name, FACE))
    await cast.remove_sprite("1", "Cadenza", "A")
    await cast.change_sprite("1", "Cadenza", "c", lambda one: replace(one, instructions=" When c. "))
    await cast.change_sprite("1", "Cadenza", "B", lambda one: replace(one, name="悲しい"))
    await cast.add_sprite("1", "Cadenza", CharacterSprite("d", FACE))

    sprites = (await cast.of("1"))[0].sprites

    assert [("悲しい", ""), ("c", "When c."), ("d", "")] == [(sprite.name, sprite.instructions) for sprite in sprites]
    with pytest.raises(InputError, match="already"):
        await cast.add_sprite("1", "Cadenza", CharacterSprite("D"))
    with pytest.raises(InputError, match="already"):
        await cast.change_sprite("1", "Cadenza", "c", lambda one: replace(one, name="D"))
    for missing in (
        cast.remove_sprite("1", "Cadenza", "zzz"),
        cast.change_sprite("1", "Cadenza", "zzz", lambda one: one),
    ):
        with pytest.raises(InputError, match="no sprite called zzz"):
            await missing


async def test_a_character_has_so_many_sprites_and_no_more() -> None:
    cast = a_cast(MAIN)
    await cast.save("1", Character("Ren", sprites=tuple(CharacterSprite(f"l{number}") for number in range(50))))

    with pytest.raises(InputError, match="at most 50"):
        await cast.add_sprite("1", "Ren", CharacterSprite("one more"))


async def test_sprites_go_with_their_character_and_with_the_server() -> None:
    store = MemoryStore()
    cast = a_cast(MAIN, store=store)
    await cast.save("1", Character("Ren", sprites=(CharacterSprite("a"),)))
    await cast.save("2", Character("Ren", sprites=(CharacterSprite("a"),)))
    await cast.remove("1", "Ren")

    assert ["2"] == [record.server for record in await store.find(Namespace.SPRITES)]
    assert 2 == await store.forget(server="2")


async def test_saving_again_takes_away_sprites_that_are_no_more() -> None:
    cast = a_cast(MAIN)
    ren = await cast.save("1", Character("Ren", sprites=(CharacterSprite("a"), CharacterSprite("b"))))

    await cast.save("1", replace(ren, sprites=(CharacterSprite("b"),)))

    assert await cast.find("1", "Ren") == replace(ren, sprites=(CharacterSprite("b"),))


async def test_one_who_cannot_be_read_does_not_harm_the_others() -> None:
    store = MemoryStore()
    cast = a_cast(MAIN, store=store)
    await store.put(Record(Namespace.PERSONAS, "1/x", {"name": 5}, server="1"))
    await cast.save("1", Character("Ren"))

    assert ["Cadenza", "Ren"] == await names(cast)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["save", "main", "rename", "remove"]), st.sampled_from(["Ren", "REN", "é", "Cadenza"])
        ),
        max_size=8,
    )
)
def test_whatever_is_done_names_are_unique_and_one_is_main(steps: list[tuple[str, str]]) -> None:
    async def play() -> None:
        cast = a_cast(MAIN, OTHER)
        for what, name in steps:
            try:
                match what:
                    case "save":
                        await cast.save("1", Character(name))
                    case "main":
                        await cast.change("1", name, lambda one: replace(one, is_main=True))
                    case "rename":
                        await cast.change("1", name, lambda one: replace(one, name="E\u0301"))
                    case _:
                        await cast.remove("1", name)
            except InputError:
                pass
            keys = [key_of(each) for each in await names(cast)]
            assert len(set(keys)) == len(keys)

    asyncio.run(play())


async def test_whoever_is_renamed_is_found_by_the_names_of_before() -> None:
    cast = Cast(MemoryStore(), lambda: (Character("Ren", is_main=True), Character("Kira")))
    for before, after in (("Kira", "Kirana"), ("Kirana", "KIRA"), ("Kira", "Kiki")):
        await cast.change("1", before, lambda one, name=after: replace(one, name=name))  # type: ignore[misc]
    everybody = await cast.of("1")

    assert ["Kiki"] * 3 == [getattr(named(everybody, name), "name", None) for name in ("kira", "KIRANA", "Kiki")]
    await cast.save("1", Character("Kirana"))
    assert "Kirana" == getattr(named(await cast.of("1"), "kirana"), "name", None)  # who bears a name now goes first
    assert named(everybody, "") is None
