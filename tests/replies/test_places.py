"""What a reply can be delivered to, recognised without the library it comes from."""

from __future__ import annotations

import sys
from types import ModuleType

import discord
import pytest

from cadenza.errors import InputError
from cadenza.replies.places import OTHER_CLIENTS, is_client, is_of_discord, refuse_no_place
from cadenza.targets.memory import MemoryTarget


def made_by(package: str) -> object:
    """An object whose class says that it comes from *package*."""
    return type("TextChannel", (), {"__module__": f"{package}.channel"})()


def test_objects_of_discord_py_are_recognised() -> None:
    class Own(discord.Client):
        pass

    client = Own(intents=discord.Intents.none())

    assert is_client(client)
    assert is_of_discord(client)
    assert not is_client(made_by("discord"))
    assert not is_of_discord(MemoryTarget())


@pytest.mark.parametrize(
    "place", [MemoryTarget(), made_by("discord"), made_by("elsewhere")], ids=["target", "ours", "other"]
)
def test_what_may_be_a_place_is_let_through(place: object) -> None:
    refuse_no_place(place)


@pytest.mark.parametrize("place", [None, 123456789, "general"], ids=repr)
def test_a_name_or_an_id_is_no_place(place: object) -> None:
    with pytest.raises(
        InputError, match=r"is not a channel; pass the channel object, which client\.get_channel returns"
    ):
        refuse_no_place(place)


@pytest.mark.parametrize("library", OTHER_CLIENTS)
def test_an_object_of_another_client_is_refused_in_one_sentence(library: str) -> None:
    with pytest.raises(InputError) as refused:
        refuse_no_place(made_by(library))

    assert (
        f"this TextChannel is of {library}, and Cadenza speaks to Discord through discord.py; "
        "pass a Target for it, as docs/recipes/other-clients.md shows" == str(refused.value)
    )


def test_py_cord_is_told_from_discord_py_by_its_title(monkeypatch: pytest.MonkeyPatch) -> None:
    pycord = ModuleType("discord")
    pycord.__title__ = "pycord"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "discord", pycord)

    with pytest.raises(InputError, match="this TextChannel is of py-cord"):
        refuse_no_place(made_by("discord"))
