"""The world of the playground: its people, its channels, and the built-in personas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ...bot.characters.character import Character, CharacterSprite
from ...bot.config.config import Config, LogConfig, MetricsConfig
from ...bot.demo_server import DemoServer
from ...errors import InputError
from ...settings import Settings
from ...sim.people import Person
from ...sim.wire import Json
from ...sim.world import World
from ..films.rehearsal_room import hosted
from .drawn_avatars import PARROT, STARGAZER, Mood, drawn_avatar

BOT = "Cadenza"
GAZER = "Ren"
LOCALES = {"en": "en-GB", "ja": "ja"}
_OTHERS = ("Mia", "Jo")
_CHANNELS = ("stargazers", "workshop")
_ROLE = "crew"
"""A role of all people, to see what ``mention_roles`` does."""


@dataclass(frozen=True, slots=True)
class PlaygroundChannel:
    """A channel of the playground."""

    id: str
    name: str
    sort: str
    topic: str = ""

    def as_json(self) -> Json:
        """As JSON."""
        return {"id": self.id, "name": self.name, "sort": self.sort, "topic": self.topic}


@dataclass(frozen=True, slots=True)
class PlayWorld:
    """One world, with the people and channels that a page can name."""

    demo_server: DemoServer
    people: tuple[Person, ...]
    """The people one can speak as, oneself first."""
    channels: tuple[PlaygroundChannel, ...] = field(repr=False)

    @property
    def me(self) -> Person:
        """The user of the page."""
        return self.demo_server.me

    @property
    def places(self) -> tuple[str, ...]:
        """The ids of the guild's channels."""
        return tuple(channel.id for channel in self.channels if channel.sort == "text")

    @property
    def stargazers(self) -> str:
        """The id of the persona's channel."""
        return next(channel.id for channel in self.channels if channel.name == "stargazers")

    def person(self, id_: str | None) -> Person:
        """The person with this id; ``None`` is oneself."""
        found = next((person for person in self.people if id_ in (None, person.id)), None)
        if found is None:
            msg = "nobody you can speak as has that id; choose one from the list of people"
            raise InputError(msg)
        return found

    def speak(self, language: str) -> None:
        """Set the locale of all people."""
        for person in self.people:
            self.demo_server.world.set_locale(person.id, LOCALES[language])


def laid_out(bot_named: str) -> PlayWorld:
    """Build the world, with a bot of this name."""
    demo_server = DemoServer("You", bot_named)
    people = (demo_server.me, *map(demo_server.person, _OTHERS))
    crew = demo_server.world.add_role(demo_server.guild, _ROLE, mentionable=True)
    for person in people:
        demo_server.world.give_role(demo_server.guild, person, crew)
    channels = [PlaygroundChannel(demo_server.general, "general", "text")]
    channels += [PlaygroundChannel(demo_server.add_channel(name), name, "text") for name in _CHANNELS]
    channels.append(PlaygroundChannel(demo_server.direct(demo_server.me), bot_named, "direct"))
    return PlayWorld(demo_server, people, tuple(channels))


def built_in() -> Config:
    """The configuration without a file: two personas with sprites and the speaker guard."""
    return Config(personas=tuple(_cast()), settings=Settings.of(speaker_guard=True))


def adapted(config: Config, play_world: PlayWorld, language: str) -> Config:
    """*config* for this world: the bot answers everything, avatars are hosted, the log is quiet, no metrics port is opened."""
    heard = dict.fromkeys((*config.conversation.channels, *play_world.places))
    return replace(
        config,
        personas=tuple(_hosted(one, play_world.demo_server.world) for one in config.personas),
        conversation=replace(config.conversation, channels=tuple(heard), direct_messages=True),
        log=LogConfig(level="warning"),
        metrics=MetricsConfig(),
        language=language,
    )


def _hosted(character: Character, world: World) -> Character:
    """*character* with avatars hosted in *world*: one that must be uploaded first can seldom be changed."""
    sprites = tuple(replace(sprite, avatar=hosted(sprite.avatar, world)) for sprite in character.sprites)
    return replace(character, avatar=hosted(character.avatar, world), sprites=sprites)


def bot_name(config: Config) -> str:
    """The name of the bot: that of its main character."""
    return next((one.name for one in config.personas if one.is_main), BOT)


def _cast() -> Iterator[Character]:
    yield Character(
        BOT,
        prompt="A friendly guide who shows what this bot can do, briefly and with good humour.",
        sprites=(
            CharacterSprite("happy", drawn_avatar(PARROT, Mood.HAPPY), "when there is something to smile about"),
            CharacterSprite("awed", drawn_avatar(PARROT, Mood.AWED), "when something is astonishing"),
        ),
        is_main=True,
    )
    yield Character(
        GAZER,
        prompt="A shy astronomer who loves clear nights, and answers when somebody says their name.",
        avatar=drawn_avatar(STARGAZER, Mood.CALM),
        sprites=(
            CharacterSprite("happy", drawn_avatar(STARGAZER, Mood.HAPPY), "when the sky is clear"),
            CharacterSprite("awed", drawn_avatar(STARGAZER, Mood.AWED), "when something in the sky is astonishing"),
        ),
    )
