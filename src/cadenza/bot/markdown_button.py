"""“Show Markdown”: a button under each table that is shown as a picture, which also works after a restart."""

from __future__ import annotations

import io
import re
from typing import Any, Self

import discord
from discord import ui

from ..targets.discord.api import Button
from .commands.context import Interaction, answered, show, tell
from .services.explanations import Explanations
from .services.languages import translated

CUSTOM_ID = "cadenza:markdown"
"""What was pressed; which table is meant is said by the message that it stands under."""
LABEL = "Show Markdown"

_LONGEST = 1900
_FENCE = "```"


def table_button(language: str) -> Button:
    """The button, for ``Home.target``, in the language of a server."""
    return Button(translated(LABEL, language), CUSTOM_ID)


def listen(client: discord.Client, explanations: Explanations) -> None:
    """From now on, answer whoever presses such a button under a message of *client*, whichever process sent it."""

    class ShowMarkdown(ui.DynamicItem[ui.Button[ui.View]], template=re.escape(CUSTOM_ID)):
        """The button, as discord.py finds it again by its id."""

        @classmethod
        async def from_custom_id(cls, interaction: Interaction, item: ui.Item[Any], match: re.Match[str], /) -> Self:
            """The button that was pressed."""
            del interaction, item, match  # there is but one, and it knows nothing
            return cls(ui.Button(custom_id=CUSTOM_ID))

        async def callback(self, interaction: Interaction) -> None:
            """Answer, so that only who pressed it sees it."""
            await _answer(interaction, explanations)

    client.add_dynamic_items(ShowMarkdown)


@answered
async def _answer(interaction: Interaction, explanations: Explanations) -> None:
    known = None if interaction.message is None else await explanations.about(str(interaction.message.id))
    if known is None or not known.source:
        await tell(interaction, "The Markdown of this table is not kept any more.")
        return
    shown = f"{_FENCE}md\n{known.source.strip()}\n{_FENCE}"
    if len(shown) <= _LONGEST and _FENCE not in known.source:
        await show(interaction, shown)
        return
    await show(interaction, file=discord.File(io.BytesIO(known.source.encode("utf-8", "replace")), "table.md"))
