"""“Show Markdown” under pictures of tables, pressed in the process that sent them and in the next one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from cadenza.bot.config.config import StoreConfig
from cadenza.bot.markdown_button import CUSTOM_ID, listen, table_button
from cadenza.bot.services.explanations import Explanations
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.store import Store
from cadenza.sim import interactions
from cadenza.sim.objects import MessageFlag
from cadenza.sim.wire import Json
from cadenza.targets.discord_py.channel_info import room_of
from cadenza.targets.discord_py.client_state import ClientState
from cadenza.types import Attachment, Boundary, Completed, Identity, Post, Receipt, Reply
from tests.bot.evening import Evening, at_work

pytestmark = pytest.mark.timeout(60)

TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"
PICTURE = Post("", Boundary.FINAL, attachment=Attachment("table.png", b"\x89PNG"), source=TABLE, picture=TABLE)


def explanations(store: Store) -> Explanations:
    return Explanations(store, StoreConfig)


@asynccontextmanager
async def process(evening: Evening, store: Store) -> AsyncIterator[Explanations]:
    """A process of the bot, which listens to the button."""
    async with at_work(evening):
        known = explanations(store)
        listen(evening.client, known)
        yield known
        await ClientState.of(evening.client).close()


async def shown(
    evening: Evening, known: Explanations, post: Post = PICTURE, persona: Identity | None = None
) -> Receipt:
    """A table that stands in the channel, as the bot shows it."""
    channel = evening.client.get_channel(int(evening.general))
    client_state = ClientState.of(evening.client)
    target = await client_state.target(
        await room_of(channel), turn="t", persona=persona, table_button=table_button("en")
    )
    receipt = await target.send(post)
    await known.keep("t", Reply(Completed(), (receipt,)), server=evening.guild.id, author=evening.mia.id)
    return receipt


async def pressed(evening: Evening, message: str) -> Json:
    """What Tom sees who presses the button of *message*."""
    interaction = evening.tom.presses(evening.general, message, CUSTOM_ID)
    state = interactions.find(evening.world.state, interaction)
    await evening.server.until(lambda: state.is_answered)
    return next(one for one in evening.world.messages(evening.general) if one["id"] == state.original)


@pytest.mark.parametrize("persona", [None, Identity("Ren")], ids=["the bot", "a webhook"])
async def test_whoever_presses_it_sees_the_markdown_alone(persona: Identity | None) -> None:
    evening = Evening()
    async with process(evening, MemoryStore()) as known:
        receipt = await shown(evening, known, persona=persona)
        [row] = evening.last()["components"]
        answer = await pressed(evening, receipt.message_id)

    assert [("Show Markdown", CUSTOM_ID)] == [(part["label"], part["custom_id"]) for part in row["components"]]
    assert f"```md\n{TABLE}\n```" == answer["content"]
    assert answer["flags"] & MessageFlag.EPHEMERAL


async def test_it_works_after_a_restart() -> None:
    evening, store = Evening(), MemoryStore()
    async with process(evening, store) as known:
        receipt = await shown(evening, known, persona=Identity("Ren"))
    async with process(evening, store):
        answer = await pressed(evening, receipt.message_id)

    assert f"```md\n{TABLE}\n```" == answer["content"]


async def test_what_is_not_kept_any_more_is_said_to_be_so() -> None:
    evening = Evening()
    async with process(evening, MemoryStore()) as known:
        receipt = await shown(evening, known)
    async with process(evening, MemoryStore()):
        answer = await pressed(evening, receipt.message_id)

    assert "The Markdown of this picture is no longer kept." == answer["content"]


@pytest.mark.parametrize(
    "source", [TABLE + "\n| 3 | 4 |" * 300, TABLE.replace("1", "```")], ids=["long", "with a fence"]
)
async def test_what_does_not_fit_into_a_block_is_a_file(source: str) -> None:
    evening = Evening()
    async with process(evening, MemoryStore()) as known:
        receipt = await shown(evening, known, replace(PICTURE, source=source, picture=source))
        answer = await pressed(evening, receipt.message_id)
        [file] = answer["attachments"]

    assert ("picture.md", source) == (file["filename"], evening.world.file(file["id"]).decode())
    assert answer["flags"] & MessageFlag.EPHEMERAL


@pytest.mark.parametrize(
    "post",
    [
        Post("Hi.", Boundary.FINAL),
        Post("", Boundary.FINAL, attachment=Attachment("code.py", b"1"), source="1"),
        Post("", Boundary.FINAL, attachment=Attachment("table.png", b"\x89PNG"), source=""),
    ],
    ids=["words", "a file", "the rest of a table"],
)
async def test_nothing_else_has_the_button(post: Post) -> None:
    evening = Evening()
    async with process(evening, MemoryStore()) as known:
        await shown(evening, known, post)

        assert [] == evening.last()["components"]


def test_it_is_labelled_in_the_language_of_the_server() -> None:
    assert ("Show Markdown", "Markdownを表示") == (table_button("en-GB").label, table_button("ja").label)
