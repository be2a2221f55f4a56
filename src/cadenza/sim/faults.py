"""Faults between a client and the simulated Discord.

``match`` selects calls: ``"POST /channels/*/messages"``, ``"* /webhooks/**"``, or several of these with commas between
them. A fault spares the first *after* of them, then strikes each *every*-th, at most *times* in all. Without *times* and
*every* it strikes one call; with *every* alone it has no end. Faults are tried in the order in which they were added. Only
the first that strikes takes effect, and later ones do not count that call. Delays come on top.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias, TypedDict, Unpack

from .paths import Pattern
from .wire import Json


class LostResponse(ConnectionError):  # noqa: N818  # it describes the answer
    """The connection broke before the answer came; the request may or may not have been carried out."""


@dataclass(frozen=True, slots=True)
class Failing:
    """The call is answered with an error."""

    status: int
    code: int
    message: str
    fields: Json | None
    retry_after: float | None
    is_carried_out: bool
    """Whether it is done all the same, as may happen with a 502."""


@dataclass(frozen=True, slots=True)
class Losing:
    """The call is not answered."""

    is_carried_out: bool


@dataclass(frozen=True, slots=True)
class Slowing:
    """The call is answered with a 429, independent of the limits."""

    retry_after: float
    is_global: bool
    has_via: bool


@dataclass(frozen=True, slots=True)
class Banning:
    """Cloudflare answers instead of Discord, with a page."""

    retry_after: float | None


class Which(TypedDict, total=False):
    """Which of the matching calls a fault strikes."""

    times: int | None
    after: int
    every: int | None


Verdict: TypeAlias = Failing | Losing | Slowing | Banning


@dataclass(slots=True)
class Fault:
    """One fault, as ``Faults`` returns it: to inspect and to end it."""

    matches: tuple[Pattern, ...]
    what: Verdict | float
    """The effect; a number is a delay in seconds."""
    times: int | None
    after: int
    every: int
    seen: int = field(default=0, init=False)
    """How many matching calls there were."""
    struck: int = field(default=0, init=False)
    """How many calls it struck."""
    is_over: bool = field(default=False, init=False)

    def end(self) -> None:
        """Stop it."""
        self.is_over = True

    def strikes(self, method: str, path: str) -> bool:
        """Whether it strikes this call; a matching call counts as seen."""
        if self.is_over or not any(match.fits(method, path) for match in self.matches):
            return False
        self.seen += 1
        if self.seen <= self.after or (self.seen - self.after) % self.every:
            return False
        self.struck += 1
        self.is_over = self.struck == self.times
        return True


class Faults:
    """All faults of a server. A new one applies from the next call on."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []

    def fail(
        self,
        match: str,
        status: int,
        code: int = 0,
        *,
        message: str = "",
        fields: Json | None = None,
        retry_after: float | None = None,
        is_carried_out: bool = False,
        **which: Unpack[Which],
    ) -> Fault:
        """Answer with an error; *fields* are the ``errors`` of a 50035. With *is_carried_out* the call is done all the same."""
        failing = Failing(status, code, message or f"{status}: simulated", fields, retry_after, is_carried_out)
        return self._add(match, failing, which)

    def lose(self, match: str, *, is_carried_out: bool = True, **which: Unpack[Which]) -> Fault:
        """Carry the call out and drop the answer; without *is_carried_out*, drop the call itself."""
        return self._add(match, Losing(is_carried_out), which)

    def delay(self, match: str, seconds: float, **which: Unpack[Which]) -> Fault:
        """Let the call wait before it is handled; all calls, unless *which* says otherwise."""
        return self._add(match, float(seconds), {"every": 1, **which})

    def storm(
        self,
        match: str,
        retry_after: float,
        times: int | None = None,
        *,
        is_global: bool = False,
        has_via: bool = True,
        after: int = 0,
        every: int | None = 1,
    ) -> Fault:
        """Answer with a 429; clients take one without ``Via`` for a ban."""
        which: Which = {"times": times, "after": after, "every": every}
        return self._add(match, Slowing(retry_after, is_global, has_via), which)

    def ban(self, match: str = "* /**", *, retry_after: float | None = None, **which: Unpack[Which]) -> Fault:
        """Answer with a page, as Cloudflare does to a banned address; until it is ended, unless *which* says otherwise."""
        return self._add(match, Banning(retry_after), {"every": 1, **which})

    def clear(self) -> None:
        """End all faults."""
        for fault in self._faults:
            fault.end()
        self._faults.clear()

    def strike(self, method: str, path: str) -> tuple[float, Verdict | None]:
        """The effect on a call: seconds to wait, and the fault that strikes it, if any."""
        seconds, verdict = 0.0, None
        for fault in self._faults:
            if isinstance(fault.what, float):
                seconds += fault.what if fault.strikes(method, path) else 0.0
            elif verdict is None and fault.strikes(method, path):
                verdict = fault.what
        return seconds, verdict

    def _add(self, match: str, what: Verdict | float, which: Which) -> Fault:
        times, after, every = which.get("times"), which.get("after", 0), which.get("every")
        if after < 0 or (times is not None and times < 1) or (every is not None and every < 1):
            msg = "A fault strikes at least once, at most each call, and not before the first: check times, every and after."
            raise ValueError(msg)
        self._faults = [fault for fault in self._faults if not fault.is_over]
        matches = tuple(Pattern.read(one.strip()) for one in match.split(","))
        fault = Fault(matches, what, times or (None if every else 1), after, every or 1)
        self._faults.append(fault)
        return fault
