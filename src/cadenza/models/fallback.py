"""Fallback: which model and key the next attempt uses.

``keys.cure`` decides what helps against a failure: another key, a retry later, another model. This module counts how
often each is tried. A model that said nothing is asked again; one that ran out of tokens gets a shorter history. A
failed send is never retried here.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from ..concurrency.stops import is_cancelled
from ..errors import Aspect, CadenzaError, ErrorKind, InputError, ProviderError, Sentence, SettingsError
from ..explain.tracebacks import get_logger
from ..settings import FallbackSettings
from ..stages.s4_round import broken_by, said_nothing
from ..stages.s7_delivery import Chance
from ..types import Broke, Completed, Empty, Failure, Outcome, StopReason
from .keys import Key, KeyRemedy, cure, ready, ready_in
from .model import Model

if TYPE_CHECKING:
    from ..explain.recorder import Trace

logger = get_logger(__name__)

ModelSource: TypeAlias = Model | Callable[[], Awaitable[Model | None] | Model | None]
"""A model, or a function that returns one when it is needed; ``None`` means that there is none."""


class AttemptReason(Enum):
    """Why a model is asked."""

    FIRST = "first"
    KEY = "another key"
    LATER = "later"
    """The same request after a delay."""
    ONCE_MORE = "once more"
    """The answer was empty, or the model ran out of tokens."""
    MODEL = "another model"


@dataclass(frozen=True, slots=True)
class Attempt:
    """The next attempt."""

    model: Model
    before: int = 0
    """Number of models asked before this one."""
    seconds: float = 0.0
    """Delay before it."""
    drop: int = 0
    """Number of oldest exchanges to leave out."""
    insist: bool = False
    """Whether to remind the model which persona it is."""
    why: AttemptReason = AttemptReason.FIRST


@dataclass(slots=True)
class _Chosen:
    """The model in use, and what was tried with it."""

    model: Model
    place: int
    """Its index among all models."""
    key: Key | None = None
    asked_at: float = 0.0
    """When the key was last used."""
    tried: list[Key] = field(default_factory=list)
    retries: int = 0
    empties: int = 0
    dropped: int = 0
    insists: bool = False

    @property
    def steady_key(self) -> Key | None:
        """The key in use, or another one if a concurrent reply put it in cooldown."""
        ring, key = self.model.keyring, self.key
        if ring is None or key is None or ring.cooling_until(key) <= _now():
            return key
        return ring.choose() or key


class FallbackChain:
    """Chooses the model and the key of each attempt."""

    def __init__(
        self,
        models: ModelSource | Iterable[ModelSource],
        settings: FallbackSettings,
        chance: Chance,
        *,
        trace: Trace | None = None,
    ) -> None:
        sources = listed(models)
        self.has_fallback = len(sources) > 1
        """Whether there is more than one model."""
        self.failures: list[Failure] = []
        """The failed attempts, in order."""
        self._sources = deque(_shuffled(sources, chance) if settings.random_model else sources)
        self._cooling: deque[tuple[int, Model]] = deque()  # all keys in cooldown: used if no other model is left
        self._settings = settings
        self._trace = trace
        self._chosen: _Chosen | None = None
        self._last_word = ""  # the model whose answer stands, if not the last one
        self._before = -1
        self._places = 0

    @property
    def name(self) -> str:
        """The name of the current model; at the end, of the one whose answer stands."""
        return self._last_word or (self._chosen.model.name if self._chosen else "")

    @property
    def key(self) -> str | None:
        """The label of the current key; ``None`` for a model without keys."""
        return self._chosen.key.label if self._chosen and self._chosen.key else None

    @property
    def is_fallback(self) -> bool:
        """Whether the current model is not the first one."""
        return self._chosen is not None and self._chosen.place > 0

    @property
    def may_ask_again(self) -> bool:
        """Whether another attempt is possible if this one comes back empty."""
        empties = self._chosen.empties if self._chosen else 0
        return empties < self._settings.empty_retries or bool(self._sources or self._cooling)

    async def begin(self) -> Attempt | None:
        """Choose the first attempt; ``None`` if there is no model."""
        return await self._another_model()

    def no_model(self) -> Outcome:
        """Return the outcome of a reply for which there was no model."""
        if self.failures:
            return self.failures.pop().outcome
        return broken_by(SettingsError("there is no model to ask; name at least one"))

    async def after(self, outcome: Outcome) -> Attempt | None:
        """Choose the attempt after *outcome*; ``None`` if it is final."""
        help_, failure = cure(outcome), Failure(self.name, outcome)
        if help_ is KeyRemedy.NOTHING:
            return None
        self.failures.append(failure)
        again = self._same_model(outcome, help_, self._current)
        again = again or await self._another_model() or self._last_resort(outcome, self._current)
        if again is None:
            self.failures.remove(failure)
        return again

    def back_to(self, failure: Failure, outcome: Outcome) -> Outcome:
        """Return the outcome if the partial answer of *failure* stands after all.

        A later model that completed without saying anything counts as a failure.
        """
        if not isinstance(outcome, Completed | Empty) or failure not in self.failures:
            return outcome
        self.failures.remove(failure)
        self.failures.append(Failure(self.name, said_nothing(outcome)))
        self._last_word = failure.model
        return failure.outcome

    def note(self, outcome: Outcome) -> None:
        """Report *outcome* to the keyring; a stop or a stall says nothing about the key."""
        chosen = self._current
        if (ring := chosen.model.keyring) is None or chosen.key is None:
            return
        match outcome:
            case Broke(ProviderError() as error):
                ring.failed(chosen.key, error)
            case Completed() | Empty():
                ring.succeeded(chosen.key, asked_at=chosen.asked_at)
            case _:
                pass

    # --- the same model -------------------------------------------------------------------

    @property
    def _current(self) -> _Chosen:
        if self._chosen is None:
            msg = "no model was chosen"
            raise AssertionError(msg)
        return self._chosen

    def _same_model(self, outcome: Outcome, help_: KeyRemedy, chosen: _Chosen) -> Attempt | None:
        match help_:
            case KeyRemedy.KEY:
                return self._another_key(chosen)
            case KeyRemedy.TIME:
                return self._later(chosen, chosen.steady_key, _asked_wait(outcome))
            case _:
                return self._once_more(outcome, chosen)

    def _another_key(self, chosen: _Chosen) -> Attempt | None:
        ring = chosen.model.keyring
        if ring is None or len(chosen.tried) >= self._settings.key_attempts:
            return None
        key = ring.choose(chosen.tried)
        return self._again(chosen, key, AttemptReason.KEY) if key else None

    def _later(self, chosen: _Chosen, key: Key | None, wait: float) -> Attempt | None:
        """Retry the same request after *wait* seconds, unless that is too long."""
        wait = max(wait, self._settings.retry_delay)
        if chosen.retries >= self._settings.model_retries or wait > self._settings.retry_wait:
            return None
        chosen.retries += 1
        return self._again(chosen, key, AttemptReason.LATER, wait)

    def _last_resort(self, outcome: Outcome, chosen: _Chosen) -> Attempt | None:
        """No other model is left: retry this one when its first key comes out of cooldown."""
        if not _is_retryable(outcome):
            return None
        ring = chosen.model.keyring
        if ring is None or not chosen.tried:
            return self._later(chosen, chosen.key, _asked_wait(outcome))
        key = min(chosen.tried, key=ring.cooling_until)
        return self._later(chosen, key, ring.cooling_until(key) - _now())

    def _once_more(self, outcome: Outcome, chosen: _Chosen) -> Attempt | None:
        """Retry an empty answer, with a shorter history or a reminder."""
        is_short = _has_no_room(outcome)
        if not (isinstance(outcome, Empty) or is_short) or chosen.empties >= self._settings.empty_retries:
            return None
        chosen.empties += 1
        chosen.dropped += self._settings.empty_drop if is_short else 0
        chosen.insists = chosen.insists or outcome == Empty(StopReason.SPEAKER_GUARD.value)
        return self._again(chosen, chosen.steady_key, AttemptReason.ONCE_MORE, self._settings.retry_delay)

    # --- another model ----------------------------------------------------------------------

    async def _another_model(self) -> Attempt | None:
        cooling: list[Model] = []
        while self._sources:
            model = await self._prepared(self._sources.popleft())
            if model is None:
                continue
            place, self._places = self._places, self._places + 1
            if ready(model):
                self.failures += [Failure(other.name, broken_by(_in_cooldown())) for other in cooling]
                return self._choose(place, model)
            cooling.append(model)
            self._cooling.append((place, model))
            if self._trace:
                self._trace.passes_over(model.name, "cooldown", _in_cooldown(), ready_in(model))
        return await self._cooled_down() if self._cooling else None

    async def _cooled_down(self) -> Attempt:
        """Choose a model whose keys are in cooldown, for no other is left; wait for it if that is soon."""
        place, model = self._cooling.popleft()
        wait = ready_in(model)
        if wait <= self._settings.retry_wait:
            await asyncio.sleep(wait)
        return self._choose(place, model)

    async def _prepared(self, source: ModelSource) -> Model | None:
        """Return the model of *source*; if its function fails, note a failure."""
        if isinstance(source, Model):
            return source
        failure: CadenzaError | None = None
        try:
            made = source()
            model = await made if inspect.isawaitable(made) else made
            if isinstance(model, Model):
                return model
            if model is not None:
                raise _no_model(model)  # noqa: TRY301  # it has failed like one that raised something itself
        except (Exception, asyncio.CancelledError) as error:
            if is_cancelled(error):
                raise
            logger.warning("a model could not be created and is skipped", exc_info=error)
            self._places += 1
            failure = _not_ready(error)
            self.failures.append(Failure("", broken_by(failure)))
        if self._trace:
            self._trace.passes_over("", "not ready", failure)
        return None

    def _choose(self, place: int, model: Model) -> Attempt:
        self._chosen = chosen = _Chosen(model, place)
        self._before += 1
        ring = model.keyring
        key = (ring.choose() or ring.main) if ring else None
        return self._again(chosen, key, AttemptReason.MODEL if self._before else AttemptReason.FIRST)

    def _again(self, chosen: _Chosen, key: Key | None, why: AttemptReason, seconds: float = 0.0) -> Attempt:
        """Build the attempt for the model of *chosen* with *key*."""
        chosen.key, chosen.asked_at = key, _now() + seconds
        if key is not None and key not in chosen.tried:
            chosen.tried.append(key)
        model = chosen.model.keyed(key.secret) if key else chosen.model
        return Attempt(model, self._before, seconds, chosen.dropped, chosen.insists, why)


def listed(models: object) -> list[ModelSource]:
    """Return *models* as a list; anything else raises ``InputError``."""
    if isinstance(models, str) or callable(models) or not isinstance(models, Iterable):
        return [_source(models)]
    return [_source(given) for given in models]


def _source(given: object) -> ModelSource:
    if isinstance(given, Model) or callable(given):
        return given
    raise _no_model(given)


def _no_model(given: object) -> InputError:
    return InputError(
        Sentence(
            "a model must come from connect('openai:gpt-5.1'), or be a function that returns one, not {given_type}",
            given_type=type(given).__name__,
        )
    )


def _now() -> float:
    return asyncio.get_running_loop().time()


def _in_cooldown() -> ProviderError:
    """Return the error of a model that was skipped because of its keys."""
    return ProviderError("its keys are in cooldown after an error", kind=ErrorKind.RATE_LIMIT)


def _not_ready(error: BaseException) -> CadenzaError:
    """Return *error* as one of ours: the function is foreign code, and its text may hold secrets."""
    if isinstance(error, CadenzaError):
        return error
    failure = CadenzaError(
        Sentence("a model could not be created ({error_type}); see the log", error_type=type(error).__name__)
    )
    failure.__cause__ = error
    return failure


def _has_no_room(outcome: Outcome) -> bool:
    """Return whether the prompt left no tokens for an answer."""
    match outcome:
        case Empty("length"):
            return True
        case Broke(ProviderError(aspect=Aspect.CONTEXT)):
            return True
        case _:
            return False


def _asked_wait(outcome: Outcome) -> float:
    """Return the ``Retry-After`` of the provider, in seconds."""
    error = outcome.error if isinstance(outcome, Broke) else None
    return (error.retry_after or 0.0) if isinstance(error, ProviderError) else 0.0


def _is_retryable(outcome: Outcome) -> bool:
    return isinstance(outcome, Broke) and isinstance(outcome.error, ProviderError) and outcome.error.retryable


def _shuffled(sources: Sequence[ModelSource], chance: Chance) -> list[ModelSource]:
    """Return *sources* with a random one in front."""
    drawn = int(chance.random() * len(sources))
    return [*sources[drawn : drawn + 1], *sources[:drawn], *sources[drawn + 1 :]]
