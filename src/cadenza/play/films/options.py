"""The options of ``cadenza explain``, checked before it starts."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import cast

from ...errors import InputError, Sentence
from ...settings import Settings, given, settings_fields
from ...sim.rate_limits import Rate
from .fault_names import RehearsalFault, RehearsalWhat
from .plan import Rehearsal

_FAULT = re.compile(r"(?P<what>[a-z_]+?)(?:x(?P<times>\d{1,4}))?(?:@(?P<message>\d{1,6}))?")
_LIMIT = re.compile(r"(?P<count>\d{1,6})/(?P<seconds>\d{1,6}(?:\.\d{1,6})?)")
_STANDARD_INPUT = "standard input"


@dataclass(frozen=True, slots=True)
class ExplainOptions:
    """The options of one call."""

    file: str
    is_text: bool = False
    """Whether the input is read as plain text."""
    answer: int | None = None
    message: int | None = None
    is_json: bool = False
    html: str = ""
    is_forced: bool = False
    """Whether the page may overwrite a file."""
    diff: tuple[str, ...] = ()
    """Two files of settings to compare, or none."""
    file_values: dict[str, object] = field(default_factory=dict)
    """Settings of ``--settings``, of the two files of ``--diff``, and of ``--set``."""
    side_values: tuple[dict[str, object], ...] = ({},)
    values: dict[str, object] = field(default_factory=dict)
    rate: float | None = None
    base: Rehearsal = field(default_factory=lambda: Rehearsal(()))
    """The rehearsal, without the model's text and the settings."""
    is_rehearsed: bool = False
    """Whether a trace or a film is rehearsed again, because an option changes something."""

    @classmethod
    def of(cls, options: argparse.Namespace) -> ExplainOptions:
        """The options of a command line; ``InputError`` says what is wrong with them."""
        diff = tuple(options.diff or ())
        order = cls(
            options.file,
            options.text,
            options.answer,
            options.message,
            options.json,
            options.html or "",
            options.force,
            diff,
            _changed(Settings.load(options.settings)) if options.settings is not None else {},
            tuple(_changed(Settings.load(name)) for name in diff) or ({},),
            given(options.set),
            options.rate,
            _rehearsal(options),
            _is_changed(options),
        )
        Settings().with_values(order.values)  # raises what is wrong with them
        order.check(has_html=options.html is not None)
        return order

    @property
    def name(self) -> str:
        """The name of the input."""
        return self.file if self.file != "-" else _STANDARD_INPUT

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the two sides of a comparison: their file names, if these differ."""
        short = tuple(Path(name).name for name in self.diff)
        return short if len(set(short)) == len(short) else self.diff

    @property
    def title(self) -> str:
        """The title of the page."""
        return "" if self.file == "-" else Path(self.file).name

    def check(self, *, has_html: bool) -> None:
        """Refuse options that contradict each other."""
        if has_html and not self.html:
            msg = "a page needs a file; name one after --html, or '-' for standard output"
            raise InputError(msg)
        if self.html == "-" and self.is_json:
            msg = "a page and JSON cannot both go to standard output; name a file after --html"
            raise InputError(msg)
        if self.message is not None and (self.html or self.diff):
            msg = "--message chooses what is told, and goes neither with --html nor with --diff; leave it out"
            raise InputError(msg)
        if self.html not in ("", "-") and not self.is_forced and _is_there(self.html):
            raise self.in_the_way()

    def in_the_way(self) -> InputError:
        """The error for a page whose file exists already."""
        return InputError(
            Sentence(
                "there is already {html}; name another file, or say --force to write over it", html=repr(self.html)
            )
        )

    def settings(self, own: Settings | None) -> list[Settings]:
        """The settings to rehearse with, one or two; *own* are those of the input itself."""
        base = (own or Settings()).with_values(self.file_values)
        return [base.with_values(side).with_values(self.values) for side in self.side_values]


def _is_there(name: str) -> bool:
    try:
        return Path(name).exists()
    except OSError:
        return False  # writing it raises what is wrong with the name


def _is_changed(options: argparse.Namespace) -> bool:
    given_values = (options.settings, options.diff, options.rate, options.limit, options.stop_at)
    return (
        any(value is not None for value in given_values)
        or bool(options.set or options.asked or options.fault)
        or bool(options.text)
    )


def _changed(settings: Settings) -> dict[str, object]:
    """The settings that differ from the defaults."""
    values = {spec.name: (getattr(getattr(settings, section), spec.name), spec) for section, spec in settings_fields()}
    return {name: value for name, (value, spec) in values.items() if value != spec.default}


def _rehearsal(options: argparse.Namespace) -> Rehearsal:
    if options.stop_at is not None and not (isfinite(options.stop_at) and options.stop_at >= 0):
        msg = Sentence(
            "a reply is stopped after some seconds, not {stop_at}; give a number from 0 on",
            stop_at=f"{options.stop_at:g}",
        )
        raise InputError(msg)
    wanted = Rehearsal(
        (),
        asked=options.asked,
        title="" if options.file == "-" else Path(options.file).name,
        faults=tuple(map(_fault, options.fault)),
        stop_at=options.stop_at,
    )
    return wanted if options.limit is None else replace(wanted, limits=_limit(options.limit))


def _limit(word: str) -> Rate | None:
    if word == "off":
        return None
    found = _LIMIT.fullmatch(word)
    if found is None or not int(found["count"]) or not float(found["seconds"]):
        msg = Sentence(
            "a limit is a number of messages and of seconds, such as 5/5, or 'off'; not {word}", word=repr(word[:40])
        )
        raise InputError(msg)
    return Rate(int(found["count"]), float(found["seconds"]))


def _fault(word: str) -> RehearsalFault:
    found = _FAULT.fullmatch(word)
    if found is None:
        msg = Sentence("what goes wrong is given as lost, lostx2 or lost@3, not {word}", word=repr(word[:40]))
        raise InputError(msg)
    return RehearsalFault(cast("RehearsalWhat", found["what"]), int(found["times"] or 1), int(found["message"] or 0))
