from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import discord
import pytest

from cadenza.bot.characters.character import Character
from cadenza.bot.commands.context import CommandContext
from cadenza.bot.commands.status import commands
from cadenza.bot.config.config import Config, ConversationConfig, LimitsConfig, MemoryConfig, ModelsConfig
from cadenza.bot.services.choices import Choice
from cadenza.bot.services.quotas import Excess
from cadenza.errors import ErrorKind, ProviderError
from cadenza.models.model import Model
from cadenza.settings import Settings
from cadenza.sim.permissions import Permission
from cadenza.targets.discord.api import ApiError
from cadenza.targets.discord_py.client_state import ClientState
from tests.bot.command_room import CommandRoom, command_room

MODELS = ModelsConfig("openai:gpt-5.1")


async def fields(room: CommandRoom, channel: str = "") -> dict[str, str]:
    """What ``/status`` says to Tom, who may do nothing in particular."""
    assert "" == await room.use(room.tom, "status", channel=channel)
    assert room.is_ephemeral
    [embed] = room.answers[0]["embeds"]
    told = {field["name"]: field["value"] for field in embed["fields"]}
    return {
        **told,
        "title": embed["title"],
        "troubles": embed.get("description", ""),
        "footer": embed["footer"]["text"],
    }


async def test_anybody_is_told_how_the_bot_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    async with command_room(
        commands, config=Config(models=MODELS, settings=Settings.of(shape="blocks", typing=False))
    ) as room:
        told = await fields(room)

        assert "All is well" == told["title"]
        assert "" == told["troubles"]
        assert "`openai:gpt-5.1`" == told["Model"]
        assert "mentions, replies, names and words" == told["Answers"]
        assert "shape: paragraphs" == told["Delivery"]
        assert "3 at once" == told["Limits"]
        assert "short term on, notes on" == told["Memory"]
        assert re.fullmatch(r"Cadenza( \d+\.\d+\S*)?( · \d+ ms)?", told["footer"])


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"degree": 0}, "shape: one message"),
        ({"degree": 2}, "shape: lines, with typing"),
        ({"degree": 3}, "shape: sentences, with typing, casual"),
        ({"degree": 3, "shape": "blocks", "typing": False}, "shape: paragraphs, casual"),
    ],
    ids=str,
)
async def test_it_says_how_replies_are_shaped(chosen: dict[str, object], told: str) -> None:
    async with command_room(commands, config=Config(models=MODELS, settings=Settings.of(shape="lines"))) as room:
        await room.services.choices.change_server(room.guild.id, lambda _: Choice(settings=chosen))

        assert told == (await fields(room))["Delivery"]


async def test_it_says_that_discord_shuts_the_bot_out() -> None:
    async with command_room(commands, config=Config(models=MODELS)) as room:
        cooldown, page = ClientState.of(room.client).shared.cooldown, ApiError("", status=429, is_ban=True)
        with pytest.raises(ApiError):
            async with cooldown.request():
                raise page

        assert "⚠ Discord takes no messages from me for 60 s" in (await fields(room))["troubles"]
        cooldown.reset()
        assert "" == (await fields(room))["troubles"]


@pytest.mark.parametrize(
    ("talk", "choice", "told"),
    [
        (ConversationConfig(every=5, replies=False), Choice(), "mentions, names and words, one message in 5"),
        (ConversationConfig(), Choice(mentions=False, replies=False, trigger_words=False), "nothing"),
        (ConversationConfig(every=5), Choice(every=0, replies=False, trigger_words=False), "mentions"),
        (ConversationConfig(), Choice(always=True), "everything"),
        (ConversationConfig(), Choice(always=True, is_silent=True), "nothing: the bot is silent here"),
    ],
)
async def test_it_says_what_is_answered_here(talk: ConversationConfig, choice: Choice, told: str) -> None:
    async with command_room(commands, config=Config(models=MODELS, conversation=talk)) as room:
        await room.services.choices.change_server(room.guild.id, lambda _: choice)

        assert told == (await fields(room))["Answers"]


async def test_in_a_channel_of_the_configuration_and_in_private_everything_is_answered() -> None:
    async with command_room(commands, config=Config(models=MODELS)) as room:
        talk = ConversationConfig(channels=(room.general,))
        room.services.config.change(replace(room.services.config.now, conversation=talk))
        direct = room.world.open_direct(room.bot, room.tom)

        assert "everything" == (await fields(room))["Answers"]
        assert "everything" == (await fields(room, room.world.add_thread(room.general, "aside")))["Answers"]
        assert "everything" == (await fields(room, direct))["Answers"]
        assert "" == (await fields(room, direct))["troubles"]

        talk = ConversationConfig(direct_messages=False)
        room.services.config.change(replace(room.services.config.now, conversation=talk))
        assert "nothing" == (await fields(room, direct))["Answers"]


async def test_what_is_missing_is_named_with_what_to_click() -> None:
    intents = discord.Intents.default()
    async with command_room(commands, intents=intents) as room:
        room.world.overwrite(room.general, room.bot, deny=Permission.MANAGE_WEBHOOKS | Permission.READ_MESSAGE_HISTORY)

        told = await fields(room)

        assert "Something is missing here" == told["title"]
        lacks, content, model = told["troubles"].splitlines()
        assert (
            "⚠ I lack “Read Message History”, “Manage Webhooks”: "
            "open the channel's settings, then Permissions, add my role, and allow them."
        ) == lacks
        assert "“Message Content Intent”" in content
        assert "cadenza.toml" in model
        assert "none; the bot's operator has to name one in cadenza.toml" == told["Model"]

        nothing = Choice(trigger_words=False)
        await room.services.choices.change_channel(room.general, room.guild.id, lambda _: nothing)
        assert "Message Content" not in (await fields(room))["troubles"]
        talk = ConversationConfig(channels=(room.general,))
        room.services.config.change(replace(room.services.config.now, conversation=talk))
        assert "Message Content" in (await fields(room))["troubles"]


async def test_a_model_that_rests_or_has_gone_is_named_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    async with command_room(commands, config=Config(models=MODELS)) as room:
        model = (await room.services.models.sources(""))[0]()  # type: ignore[operator]  # it is a function
        assert isinstance(model, Model)
        assert model.keyring is not None
        model.keyring.failed(model.keyring.main, ProviderError("x", kind=ErrorKind.RATE_LIMIT, retry_after=100))
        assert (await fields(room))["Model"] == "`openai:gpt-5.1` cools down for 100 s after an error"

        await room.services.choices.change_server(room.guild.id, lambda _: Choice(model="gone"))
        assert (await fields(room))["Model"] == "`gone` is no longer available, so `openai:gpt-5.1` answers"
        await room.services.models.close()


class Counts:
    """Limits of which some is left."""

    async def left(self, person: str, server: str) -> Mapping[Excess, int]:
        """Somebody has had some of it."""
        assert person
        return {Excess.USER_PER_HOUR: 4, **({Excess.SERVER_TOKENS: 100} if server else {})}


class Company:
    """Who is in every server."""

    async def of(self, server: str) -> tuple[Character, ...]:
        """Thirty of them."""
        assert server
        return tuple(Character(f"Nr{number}") for number in range(30))


class Gone:
    """A part of the bot that fails whatever it is asked."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        async def fail(*_: object, **__: object) -> None:
            raise RuntimeError(name)

        return fail


def staffed(**parts: object) -> Callable[[CommandContext], Any]:
    """The command, with other *parts* of the staff."""
    return lambda context: commands(replace(context, services=replace(context.services, **parts)))  # type: ignore[arg-type]


async def test_it_says_how_much_is_left_and_who_is_there() -> None:
    limits = LimitsConfig(user_per_hour=10, server_tokens_per_day=5000)
    config = Config(
        models=MODELS, limits=limits, memory=MemoryConfig(notes=False), settings=Settings.of(degree=1, message_limit=5)
    )
    async with command_room(staffed(limits=Counts(), cast=Company()), config=config) as room:
        told = await fields(room)

        assert "3 at once, 4 of 10 an hour left, 100 of 5000 tokens a day left for the server" == told["Limits"]
        assert told["Characters"].startswith("`Nr0`, `Nr1`, ")
        assert told["Characters"].endswith("`Nr19` +10")
        assert "short term on, notes off" == told["Memory"]
        assert "shape: lines, at most 5 messages" == told["Delivery"]

        await room.services.choices.change_server(room.guild.id, lambda _: Choice(personas=("nr3", "gone")))
        assert "`Nr3`" == (await fields(room))["Characters"]


async def test_a_part_that_fails_does_not_hide_the_rest() -> None:
    gone = Gone()
    parts = {"limits": gone, "cast": gone, "choices": gone, "models": gone}
    config = Config(models=MODELS, limits=LimitsConfig(user_per_day=10))
    async with command_room(staffed(**parts), config=config) as room:
        told = await fields(room)

        assert ("`openai:gpt-5.1`", "none") == (told["Model"], told["Characters"])
        assert "3 at once, ? of 10 a day left" == told["Limits"]
