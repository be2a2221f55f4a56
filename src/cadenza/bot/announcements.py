"""Short notices that the bot posts under its own name, in the language of the channel."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import discord

from ..languages import chosen, rendered, translated
from ..targets.discord_py.channel_info import parent_of, room_of
from ..types import Notice, Urgency
from .services.quotas import Excess

if TYPE_CHECKING:
    from ..targets.discord_py.client_state import ClientState
    from .background import Background
    from .config.config import Config
    from .services.choices import Choice
    from .wiring import BotServices

_EXCESSES = {
    Excess.USER_ACTIVE: "Several of your messages are waiting already; this one is not answered.",
    Excess.SERVER_ACTIVE: "Too many replies are running in this server; try again in a minute.",
    Excess.USER_PER_HOUR: "You have reached your hourly limit; try again later.",
    Excess.USER_PER_DAY: "You have reached your daily limit; try again tomorrow.",
    Excess.SERVER_PER_HOUR: "This server has reached its hourly limit; try again later.",
    Excess.SERVER_PER_DAY: "This server has reached its daily limit; try again tomorrow.",
    Excess.SERVER_TOKENS: "This server has used up its tokens for today; try again tomorrow.",
}


class Announcements:
    """Posts notices for one client."""

    def __init__(
        self, services: BotServices, client: discord.Client, client_state: ClientState, background: Background
    ) -> None:
        self._services = services
        self._client = client
        self._client_state = client_state
        self._background = background

    async def tell(self, message: discord.Message, text: str, **values: object) -> None:
        """Post *text* in the channel of *message*, small and silent."""
        server, channel = str(message.guild.id) if message.guild else "", str(message.channel.id)
        choice = await self._services.choices.here(server, channel, parent_of(message.channel))
        language = language_for(message.guild, choice, self._services.config.now)
        target = await self._client_state.target(await room_of(message, self._client))
        await target.notify(Notice(translated(text, language, **values), Urgency.INFO))

    def refuse(self, message: discord.Message, excess: Excess) -> None:
        """Tell the author of *message*, in the background, which limit was reached."""
        self._background.start(self.tell(message, _EXCESSES[excess]))


def reworded(notice: Notice, language: str) -> Notice:
    """*notice* in *language*; the words of others stay as they are."""
    return replace(
        notice,
        title=rendered(notice.title, language),
        text=rendered(notice.text, language),
        tips=tuple(rendered(tip, language) for tip in notice.tips),
    )


def language_for(guild: discord.Guild | None, choice: Choice, config: Config) -> str:
    """The language of the bot's own public messages: chosen in the channel, set by the guild, or configured."""
    # Only community guilds choose a locale; Discord reports English for all others.
    locale = guild.preferred_locale.value if guild and "COMMUNITY" in guild.features else None
    return chosen(choice.language, locale, config.language)
