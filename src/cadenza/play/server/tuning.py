"""Changes at run time: settings, the model, the simulated Discord, the language."""

from __future__ import annotations

from dataclasses import replace

from msgspec import UNSET

from ...errors import InputError
from .model_choices import offers
from .request_types import NewDiscord, NewSettings, check_changeable
from .session import Live


def change_settings(live: Live, wanted: NewSettings) -> None:
    """Change settings from the next reply on; an invalid one changes nothing."""
    now = live.current.now
    settings = now.settings
    if wanted.reset is not UNSET:
        settings = live.begins_with.settings
    if wanted.values is not UNSET:
        check_changeable(wanted.values)
        settings = settings.with_values(wanted.values)
    live.current.change(replace(now, settings=settings))


def change_model(live: Live, name: str) -> None:
    """Change the model from the next reply on."""
    now = live.current.now
    if name not in {offer.name for offer in offers(now)}:
        msg = "that model is not on offer here; start 'cadenza play --model VENDOR:NAME' to talk with another"
        raise InputError(msg)
    live.current.change(replace(now, models=replace(now.models, default=name)))


def change_discord(live: Live, wanted: NewDiscord) -> None:
    """Change the simulated Discord."""
    fault_controls = live.fault_controls
    if wanted.clear is not UNSET:
        fault_controls.clear()
    if wanted.limits is None:
        fault_controls.lift_limits()
    elif wanted.limits is not UNSET:
        fault_controls.limit(wanted.limits.messages, wanted.limits.seconds)
    if wanted.latency is not UNSET:
        fault_controls.slow_down(wanted.latency)
    if wanted.fault is not UNSET:
        fault_controls.strike(wanted.fault.what, wanted.fault.times, wanted.fault.seconds)


def change_language(live: Live, language: str) -> None:
    """Change the language of all people, and the bot's where no other was chosen."""
    live.play_world.speak(language)
    live.current.change(replace(live.current.now, language=language))
