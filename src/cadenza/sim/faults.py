"""What can be made to go wrong between a client and the simulated Discord.

``match`` says which calls are meant: ``"POST /channels/*/messages"``, ``"* /webhooks/**"``, or several of these with
commas between them. Of those, the first *after* are spared; of the others each *every*-th is struck, at most *times* in
all. Without either it is one call; with *every* alone it goes on. Faults are asked in the order in which they were
made, and one that strikes speaks alone: a later one does not count that call. Delays come on top.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from .paths import Pattern
from .wire import Json


class LostResponse(ConnectionError):  # noqa: N818  # it is what happened to the answer
    """The connection broke before the answer came; whether the request was carried out, the caller cannot know."""


@dataclass(frozen=True, slots=True)
class Failing:
    """The call is answered with an error."""

    status: int
    code: int
    message: str
    fields: Json | None
    retry_after: float | None
    is_carried_out: bool
    """Whether it was done nevertheless, as after a 502 it may have been."""


@dataclass(frozen=True, slots=True)
class Losing:
    """The call is not answered."""

    is_carried_out: bool


@dataclass(frozen=True, slots=True)
class Slowing:
    """The call is answered with a 429, whatever the limits are."""

    retry_after: float
    is_global: bool
    has_via: bool


@dataclass(frozen=True, slots=True)
class Banning:
    """Cloudflare answers in Discord's place, with a page."""


Verdict: TypeAlias = Failing | Losing | Slowing | Banning


@dataclass(slots=True)
class Fault:
    """One thing that goes wrong; what ``Faults`` gives back for it, to look at it and to end it."""

    matches: tuple[Pattern, ...]
    what: Verdict | float
    """What happens; a number is a delay in seconds."""
    times: int | None
    after: int
    every: int
    seen: int = field(default=0, init=False)
    """How many calls it was asked about."""
    struck: int = field(default=0, init=False)
    """How many it struck."""
    is_over: bool = field(default=False, init=False)

    def end(self) -> None:
        """Let it strike no more."""
        self.is_over = True

    def strikes(self, method: str, path: str) -> bool:
        """Whether it strikes this call, which counts as seen."""
        if self.is_over or not any(match.fits(method, path) for match in self.matches):
            return False
        self.seen += 1
        if self.seen <= self.after or (self.seen - self.after) % self.every:
            return False
        self.struck += 1
        self.is_over = self.struck == self.times
        return True


class Faults:
    """All that is to go wrong. Whatever is added holds from the next call on."""

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
        times: int | None = None,
        after: int = 0,
        every: int | None = None,
    ) -> Fault:
        """Answer with an error; *fields* is what a 50035 says under ``errors``. With *is_carried_out* it was done all the same."""
        failing = Failing(status, code, message or f"{status}: simulated", fields, retry_after, is_carried_out)
        return self._add(match, failing, times, after, every)

    def lose(
        self,
        match: str,
        *,
        is_carried_out: bool = True,
        times: int | None = None,
        after: int = 0,
        every: int | None = None,
    ) -> Fault:
        """Carry the call out and drop the answer; or, if it is not to be carried out, drop the call itself."""
        return self._add(match, Losing(is_carried_out), times, after, every)

    def delay(
        self, match: str, seconds: float, *, times: int | None = None, after: int = 0, every: int | None = 1
    ) -> Fault:
        """Let the call wait before anything is done about it."""
        return self._add(match, float(seconds), times, after, every)

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
        """Answer with a 429; without ``Via`` a client must take it for a ban."""
        return self._add(match, Slowing(retry_after, is_global, has_via), times, after, every)

    def ban(self, match: str = "* /**") -> Fault:
        """Answer as Cloudflare does to an address that it has banned, until the fault is ended."""
        return self._add(match, Banning(), None, 0, 1)

    def clear(self) -> None:
        """Let nothing go wrong any more."""
        for fault in self._faults:
            fault.end()
        self._faults.clear()

    def strike(self, method: str, path: str) -> tuple[float, Verdict | None]:
        """What happens to a call: how many seconds it waits, and what goes wrong then, if anything."""
        seconds, verdict = 0.0, None
        for fault in self._faults:
            if isinstance(fault.what, float):
                seconds += fault.what if fault.strikes(method, path) else 0.0
            elif verdict is None and fault.strikes(method, path):
                verdict = fault.what
        return seconds, verdict

    def _add(self, match: str, what: Verdict | float, times: int | None, after: int, every: int | None) -> Fault:
        if after < 0 or (times is not None and times < 1) or (every is not None and every < 1):
            msg = "A fault strikes at least once, at most each call, and not before the first: check times, every and after."
            raise ValueError(msg)
        self._faults = [fault for fault in self._faults if not fault.is_over]
        matches = tuple(Pattern.read(one.strip()) for one in match.split(","))
        fault = Fault(matches, what, times or (None if every else 1), after, every or 1)
        self._faults.append(fault)
        return fault
