"""“Show Markdown”: a button under each picture of a table or formula. It works after a restart, too."""

from __future__ import annotations

import io
import re
from typing import Any, Self

import discord
from discord import ui

from ..languages import translated
from ..targets.discord.api import Button
from .commands.context import Interaction, answered, show, tell
from .services.explanations import Explanations

CUSTOM_ID = "cadenza:markdown"
"""The id of the button; its message tells which picture is meant."""
LABEL = "Show Markdown"

_LONGEST = 1900
_FENCE = "```"


def table_button(language: str) -> Button:
    """The button, for ``Home.target``, in *language*."""
    return Button(translated(LABEL, language), CUSTOM_ID)


def listen(client: discord.Client, explanations: Explanations) -> None:
    """Handle presses of the button in *client*, also under messages of an earlier process."""

    class ShowMarkdown(ui.DynamicItem[ui.Button[ui.View]], template=re.escape(CUSTOM_ID)):
        """The button, which discord.py finds by its id."""

        @classmethod
        async def from_custom_id(cls, interaction: Interaction, item: ui.Item[Any], match: re.Match[str], /) -> Self:
            """The button that was pressed."""
            del interaction, item, match  # it has no state
            return cls(ui.Button(custom_id=CUSTOM_ID))

        async def callback(self, interaction: Interaction) -> None:
            """Answer with an ephemeral message."""
            await _answer(interaction, explanations)

    client.add_dynamic_items(ShowMarkdown)


@answered
async def _answer(interaction: Interaction, explanations: Explanations) -> None:
    known = None if interaction.message is None else await explanations.about(str(interaction.message.id))
    if known is None or not known.source:
        await tell(interaction, "The Markdown of this picture is no longer kept.")
        return
    shown = f"{_FENCE}md\n{known.source.strip()}\n{_FENCE}"
    if len(shown) <= _LONGEST and _FENCE not in known.source:
        await show(interaction, shown)
        return
    await show(interaction, file=discord.File(io.BytesIO(known.source.encode("utf-8", "replace")), "picture.md"))
