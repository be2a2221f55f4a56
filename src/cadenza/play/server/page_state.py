"""The state that a page gets when it opens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import Field
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from ...rules import RULES
from ...settings import Manner, Settings
from ...targets.discord.labels import LONGEST
from ...targets.discord.target import LIMITS
from .demos import SHOWS
from .model_choices import offers
from .request_types import changeable
from .tour import STORIES, Story

if TYPE_CHECKING:
    from ...sim.wire import Json
    from .session import Live

_MAIN = frozenset(
    {
        "shape", "casual", "gather", "limit", "message_limit", "when_full", "code_file", "typing", "typing_speed",
        "typing_least", "typing_most", "typing_budget", "typing_tail", "thinking_chance", "overflow", "hold",
        "label_guard", "speaker_guard", "use_emoji", "unknown_emoji", "emoji_lookback", "tables", "rules_off", "on_stop", "debounce",
        "interrupts", "stop_phrases", "mention_people", "mention_roles", "math",
    }
)  # fmt: skip
"""Settings whose effect is visible at once."""
_KINDS: Mapping[type, str] = {bool: "bool", int: "int", float: "float", str: "text", tuple: "texts"}
_OPTIONS: Mapping[int, str] = {
    3: "text", 4: "whole", 5: "flag", 6: "user", 7: "channel", 8: "text", 9: "user", 10: "number", 11: "file",
}  # fmt: skip
_GROUPS = (1, 2)
_SLASH, _OF_A_MESSAGE = 1, 3


def state_of(live: Live, language: str, spoken: str) -> Json:
    """The state for a page in the language *spoken*, in a world whose language is *language*."""
    world, bot = live.world, live.play_world.demo_server.bot
    known = world.get_commands(bot, None)
    return {
        "session": live.session,
        "version": _version(),
        "me": live.play_world.me.id,
        "people": [
            {"id": person.id, "name": person.name, "is_me": person is live.play_world.me}
            for person in live.play_world.people
        ],
        "channels": [channel.as_json() for channel in live.play_world.channels],
        "commands": [one for command in known if command["type"] == _SLASH for one in _leaves(command, spoken)],
        "menus": [command["name"] for command in known if command["type"] == _OF_A_MESSAGE],
        "models": models_of(live),
        "settings": settings_of(live),
        "discord": live.fault_controls.as_json(),
        "stories": [_story(story) for story in STORIES],
        "suggestions": [dict(show.asks) for show in SHOWS],
        "language": language,
    }


def _version() -> str:
    """The installed version; empty if the package is not installed."""
    try:
        return version("cadenza")
    except PackageNotFoundError:
        return ""


def models_of(live: Live) -> Json:
    """The current model, and all choices."""
    config = live.current.now
    return {
        "now": config.models.default,
        "choices": [{"name": offer.name, "by": offer.by} for offer in offers(config)],
    }


def settings_of(live: Live) -> list[Json]:
    """Every setting that can be changed, with its value; a degree is shown as what it stands for."""
    now, before = live.current.now.settings, live.begins_with.settings
    return [_setting(section, spec, now, before) for section, spec in changeable() if spec.name != "degree"]


def _setting(section: str, spec: Field[Any], now: Settings, before: Settings) -> Json:
    about = spec.metadata
    kind = "choice" if about["one_of"] else _KINDS[about["kind"]]
    known = [rule.name for rule in RULES] if spec.name == "rules_off" else about["one_of"]
    value, default, high = (
        getattr(getattr(now, section), spec.name),
        getattr(getattr(before, section), spec.name),
        about["high"],
    )
    if spec.name == "limit":  # not set, it is what the target takes, and here that is Discord
        value, default, high = value or LIMITS.length, default or LIMITS.length, LONGEST
    elif spec.name in Manner._fields:
        value, default = (getattr(settings.delivery.manner, spec.name) for settings in (now, before))
    return {
        "name": spec.name,
        "section": section,
        "kind": kind,
        "value": value,
        "default": default,
        "low": about["low"],
        "high": high,
        "one_of": list(known),
        "about": about["about"],
        "is_main": spec.name in _MAIN,
    }


def _story(story: Story) -> Json:
    return {"id": story.id, "title": dict(story.title), "about": dict(story.about), "seconds": story.seconds}


def _leaves(command: Json, language: str, before: str = "") -> Iterator[Json]:
    """Every usable command, with its full name."""
    name = f"{before} {command['name']}".strip()
    options: Sequence[Json] = command.get("options") or ()
    inner = [option for option in options if option["type"] in _GROUPS]
    if not inner:
        yield {"name": name, "about": _about(command, language), "options": list(_options(options, language))}
    for option in inner:
        yield from _leaves(option, language, name)


def _options(options: Iterable[Json], language: str) -> Iterator[Json]:
    for option in options:
        choices = option.get("choices") or ()
        yield {
            "name": option["name"],
            "about": _about(option, language),
            "kind": _OPTIONS.get(option["type"], "text"),
            "is_required": bool(option.get("required")),
            "choices": [{"name": _named(choice, language), "value": choice["value"]} for choice in choices],
            "is_suggested": bool(option.get("autocomplete")),
        }


def _about(thing: Json, language: str) -> str:
    localised: Mapping[str, str] = thing.get("description_localizations") or {}
    return str(localised.get(language) or thing.get("description") or "")


def _named(choice: Json, language: str) -> str:
    localised: Mapping[str, str] = choice.get("name_localizations") or {}
    return str(localised.get(language) or choice["name"])
