"""What of our own is no part of a conversation: what delivery really sends, and what only looks like it."""

from __future__ import annotations

from typing import Any

import pytest

from cadenza.replies.notices import still_working
from cadenza.targets.discord_py.channel_info import room_of
from cadenza.targets.discord_py.client_state import ClientState
from cadenza.targets.discord_py.system_messages import is_protocol, is_reply_notice
from cadenza.types import Boundary, Identity, Notice, Post, Urgency
from tests.bot.evening import Evening, at_work
from tests.bot.hearsay import channel_of, heard, made

pytestmark = pytest.mark.timeout(60)

SILENT = 1 << 12
EPHEMERAL = 1 << 6
FILE = {
    "id": "800000000000000001",
    "filename": "table.png",
    "size": 9,
    "url": "https://x.example/t.png",
    "proxy_url": "",
}
BOX = {"description": "Something went wrong."}
JUMP = "https://discord.com/channels/1/2/3"
NOTICE = {"type": "rich", "url": JUMP, "author": {"name": "Antwort an Mia", "url": JUMP}}
COMMAND = {"id": "800000000000000002", "type": 2, "user": {"id": "1", "username": "mia", "discriminator": "0", "avatar": None}, "authorizing_integration_owners": {}}  # fmt: skip


async def test_what_delivery_puts_beside_a_reply_is_left_out() -> None:
    async with at_work(Evening()) as evening:
        asked = await heard(evening, evening.mia.says(evening.general, "Ren?"))
        target = await ClientState.of(evening.client).target(await room_of(asked), turn="1", persona=Identity("Ren"))
        said = await target.send(Post("-# Whispered.", Boundary.FINAL, reply=str(asked.id)))
        await target.notify(Notice("A line."))
        await target.notify(Notice("A box.", Urgency.ERROR, "Oh", ("Try again.",)))
        await target.notify(still_working(3))
        messages = [message async for message in channel_of(evening).history(oldest_first=True)]

    kept = [message.id for message in messages[1:] if not is_protocol(message)]
    assert [int(said.message_id)] == kept
    assert 1 == sum(is_reply_notice(message) for message in messages)


async def test_it_is_told_by_its_shape() -> None:
    async with at_work(Evening()) as evening:

        def protocol(content: str = "", **fields: Any) -> bool:
            return is_protocol(made(evening, content, **fields))

        assert not protocol("Hello.")
        assert not protocol("-# Whispered.")
        assert protocol("-# Another model answered.", flags=SILENT)
        assert not protocol("-# Two\nlines.", flags=SILENT)
        assert not protocol("Silent words.", flags=SILENT)
        assert protocol(embeds=[BOX])
        assert not protocol("See https://example.org", embeds=[BOX])
        assert not protocol(attachments=[FILE])
        assert protocol("Only you see this.", flags=EPHEMERAL)
        assert protocol("Done.", interaction_metadata=COMMAND)

        assert is_reply_notice(made(evening, embeds=[NOTICE]))
        assert not is_reply_notice(made(evening, embeds=[{**NOTICE, "description": "words"}]))
        assert not is_reply_notice(made(evening, embeds=[{**NOTICE, "url": "https://example.org"}]))
        assert not is_reply_notice(made(evening, "words", embeds=[NOTICE]))
