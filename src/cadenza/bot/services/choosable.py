"""The pipeline settings that a server may choose, the values of each, and how typed text is parsed.

Excluded is what costs the operator money, applies to all servers at once, or names a file or an address.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from ...errors import InputError, Sentence, SettingsError
from ...settings import Settings, settings_fields

_CHOOSABLE = frozenset(
    {
        *("thinking", "stop_strings", "temperature", "top_p", "top_k", "min_p"),
        *("frequency_penalty", "presence_penalty", "repetition_penalty"),
        "details",
        *("use_emoji", "unknown_emoji", "emoji_lookback", "unicode_spaces", "sanitise", "label_guard", "speaker_guard"),
        *("tables", "math", "degree", "shape", "typing", "casual", "grouping", "gather"),
        *("limit", "message_limit", "when_full", "code_file"),
        *("mention_people", "mention_roles", "mention_author", "silent", "suppress_embeds", "notices"),
        *("typing_speed", "typing_least", "typing_most", "typing_budget", "typing_tail", "thinking_chance"),
        *("on_stop", "random_model", "show_errors", "show_fallback"),
    }
)
_LONGEST_TEXT = 500
_MOST_TEXTS = 8
_YES = frozenset({"true", "yes", "on", "1", "はい", "オン"})
_NO = frozenset({"false", "no", "off", "0", "いいえ", "オフ"})


@dataclass(frozen=True, slots=True)
class Choosable:
    """A setting that a server may choose."""

    name: str
    about: str
    kind: type
    one_of: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None

    @property
    def suggestions(self) -> tuple[str, ...]:
        """The accepted values, if there are only a few."""
        if self.kind is bool:
            return ("on", "off")
        is_short = self.kind is int and self.low is not None and self.high is not None and self.high - self.low < 25
        return (
            tuple(str(number) for number in range(int(self.low or 0), int(self.high or 0) + 1))
            if is_short
            else self.one_of
        )

    def read(self, text: str) -> object:
        """Parse *text*; an invalid value raises a ``SettingsError``."""
        text = text.strip()
        if len(text) > _LONGEST_TEXT:
            msg = Sentence(
                "the setting {name} takes at most {most} characters",
                name=repr(self.name),
                most=_LONGEST_TEXT,
            )
            raise SettingsError(msg)
        value = self._converted(text)
        checked = Settings().with_values({self.name: value})
        section = next(section for section, spec in settings_fields() if spec.name == self.name)
        found = getattr(getattr(checked, section), self.name)
        return list(found) if isinstance(found, tuple) else found

    def _converted(self, text: str) -> object:
        """*text* as the setting's type; what does not convert stays text, and validation rejects it."""
        if self.kind is bool:
            folded = text.casefold()
            return True if folded in _YES else False if folded in _NO else text
        if self.kind is tuple:
            return tuple(filter(None, map(str.strip, text.split(","))))[:_MOST_TEXTS]
        if self.kind is str:
            return text
        try:
            return self.kind(text)
        except ValueError:
            return text


def may_choose(name: str) -> bool:
    """Whether a server may choose the setting *name*."""
    return name in _CHOOSABLE


def choosable() -> tuple[Choosable, ...]:
    """All settings that a server may choose, in pipeline order."""
    return tuple(_known().values())


def find(name: str) -> Choosable:
    """The setting *name*; an unknown one raises an ``InputError``."""
    found = _known().get(name.strip().casefold())
    if found is None:
        msg = "there is no setting of that name that a server may choose"
        raise InputError(msg)
    return found


@cache
def _known() -> Mapping[str, Choosable]:
    return MappingProxyType(
        {spec.name: _as_choosable(spec) for _, spec in settings_fields() if spec.name in _CHOOSABLE}
    )


def _as_choosable(spec: Field[Any]) -> Choosable:
    about = spec.metadata
    return Choosable(spec.name, about["about"], about["kind"], about["one_of"], about["low"], about["high"])
