"""Who is asked next: another key, the same model once more, another model, or nobody.

What helps against a failure is decided by ``keys.cure``; here is how often it is tried. A model that said nothing is
asked again; one that had no room for an answer is told less. Whatever concerns the chat and not the model helps nobody.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from ..concurrency.stops import is_cancelled
from ..errors import Aspect, CadenzaError, ErrorKind, InputError, ProviderError, SettingsError
from ..settings import TurnSettings
from ..stages.s7_delivery import Chance
from ..types import Broke, Completed, Empty, Failure, Outcome, StopReason
from .keys import Key, KeyRemedy, Keyring, cure, ready, ready_in
from .model import Model

if TYPE_CHECKING:
    from ..explain.recorder import Trace

logger = logging.getLogger(__name__)

ModelSource: TypeAlias = Model | Callable[[], Awaitable[Model | None] | Model | None]
"""A model, or who makes one ready when it is its turn; ``None`` if there is none to be had."""


class AttemptReason(Enum):
    """Why a model is asked."""

    FIRST = "first"
    KEY = "another key"
    LATER = "later"
    """The same request, now that some time has passed."""
    ONCE_MORE = "once more"
    """It said nothing, or had no room to."""
    MODEL = "another model"


@dataclass(frozen=True, slots=True)
class Attempt:
    """Another try, or the first."""

    model: Model
    before: int = 0
    """How many other models were asked before this one."""
    seconds: float = 0.0
    """How long to wait before it."""
    drop: int = 0
    """How many of the oldest exchanges to leave out."""
    insist: bool = False
    """Whether to remind the model of whom it speaks for."""
    why: AttemptReason = AttemptReason.FIRST


class FallbackChain:
    """The models that may answer, in their order, and the keys that they are asked with."""

    def __init__(
        self,
        models: ModelSource | Iterable[ModelSource],
        settings: TurnSettings,
        chance: Chance,
        *,
        trace: Trace | None = None,
    ) -> None:
        sources = _listed(models)
        self.has_fallback = len(sources) > 1
        """Whether there are several."""
        self.failures: list[Failure] = []
        """What came to nothing, in its order."""
        self._sources = deque(_shuffled(sources, chance) if settings.random_model else sources)
        self._resting: deque[tuple[int, Model]] = deque()  # with no key to use: asked only if nobody else can answer
        self._settings = settings
        self._trace = trace
        self._chosen: Model | None = None
        self._last_word = ""  # whose it is, if not that of the one who was chosen last
        self._before = -1
        self._places = 0
        self._place = 0
        self._start_anew()

    def _start_anew(self) -> None:
        """Nothing is known yet against the model that was chosen."""
        self._key: Key | None = None
        self._asked_at = 0.0  # since when it is asked with
        self._tried: list[Key] = []
        self._retries = self._empties = self._dropped = 0
        self._insists = False

    @property
    def name(self) -> str:
        """The name of the model that is asked, and in the end of the one that had the last word."""
        return self._last_word or (self._chosen.name if self._chosen else "")

    @property
    def key(self) -> str | None:
        """What the key is called that it is asked with; ``None`` if it needs none."""
        return self._key.label if self._key else None

    @property
    def is_fallback(self) -> bool:
        """Whether it is another than the first."""
        return self._place > 0

    @property
    def may_ask_again(self) -> bool:
        """Whether somebody could be asked if this answer comes to nothing."""
        return self._empties < self._settings.empty_retries or bool(self._sources or self._resting)

    async def begin(self) -> Attempt | None:
        """Who is asked first; ``None`` if nobody can be."""
        return await self._another_model()

    def nobody(self) -> Outcome:
        """Why nobody could be asked at all."""
        if self.failures:
            return self.failures.pop().outcome
        return Broke(SettingsError("there is no model that could be asked; name one that can"))

    async def after(self, outcome: Outcome) -> Attempt | None:
        """What to try after *outcome*; ``None`` if that was the last word."""
        help_, failure = cure(outcome), Failure(self.name, outcome)
        if help_ is KeyRemedy.NOTHING:
            return None
        self.failures.append(failure)
        again = self._same_model(outcome, help_) or await self._another_model() or self._at_last(outcome)
        if again is None:
            self.failures.remove(failure)
        return again

    def back_to(self, failure: Failure, outcome: Outcome) -> Outcome:
        """How it ends if half of an answer stands after all, for the reason of *failure*, as nobody did better.

        Whoever had nothing to say behind it did not answer, and half of an answer is not a whole one.
        """
        if not isinstance(outcome, Completed | Empty) or failure not in self.failures:
            return outcome
        self.failures.remove(failure)
        self.failures.append(Failure(self.name, Empty(outcome.reason)))
        self._last_word = failure.model
        return failure.outcome

    def note(self, outcome: Outcome) -> None:
        """Let the key know how it fared; a reply that was stopped, or of which nobody heard, says nothing about it."""
        if self._ring is None or self._key is None:
            return
        match outcome:
            case Broke(ProviderError() as error):
                self._ring.failed(self._key, error)
            case Completed() | Empty():
                self._ring.succeeded(self._key, asked_at=self._asked_at)
            case _:
                pass

    # --- the same model -------------------------------------------------------------------

    def _same_model(self, outcome: Outcome, help_: KeyRemedy) -> Attempt | None:
        match help_:
            case KeyRemedy.KEY:
                return self._another_key()
            case KeyRemedy.TIME:
                return self._later(self._steady_key(), _asked_wait(outcome))
            case _:
                return self._once_more(outcome)

    def _another_key(self) -> Attempt | None:
        if self._ring is None or len(self._tried) >= self._settings.key_attempts:
            return None
        key = self._ring.choose(self._tried)
        return self._again(key, AttemptReason.KEY) if key else None

    def _later(self, key: Key | None, wait: float) -> Attempt | None:
        """The same request a little later, if that is not too late."""
        wait = max(wait, self._settings.retry_delay)
        if self._chosen is None or self._retries >= self._settings.model_retries or wait > self._settings.retry_wait:
            return None
        self._retries += 1
        return self._again(key, AttemptReason.LATER, wait)

    def _at_last(self, outcome: Outcome) -> Attempt | None:
        """Nobody else is there: the same model when it or the first of its keys can be asked again."""
        if not _is_retryable(outcome):
            return None
        if self._ring is None or not self._tried:
            return self._later(self._key, _asked_wait(outcome))
        key = min(self._tried, key=self._ring.cooling_until)
        return self._later(key, self._ring.cooling_until(key) - _now())

    def _once_more(self, outcome: Outcome) -> Attempt | None:
        """The same model, told less or reminded, if it said nothing or had no room."""
        is_short = _has_no_room(outcome)
        if not (isinstance(outcome, Empty) or is_short) or self._empties >= self._settings.empty_retries:
            return None
        self._empties += 1
        self._dropped += self._settings.empty_drop if is_short else 0
        self._insists = self._insists or outcome == Empty(StopReason.SPEAKER_GUARD.value)
        return self._again(self._steady_key(), AttemptReason.ONCE_MORE, self._settings.retry_delay)

    # --- another model ----------------------------------------------------------------------

    async def _another_model(self) -> Attempt | None:
        resting: list[Model] = []
        while self._sources:
            model = await self._prepared(self._sources.popleft())
            if model is None:
                if self._trace:
                    self._trace.passes_over("", "not ready")
                continue
            place, self._places = self._places, self._places + 1
            if ready(model):
                self.failures += [Failure(other.name, Broke(_at_rest())) for other in resting]
                return self._choose(place, model)
            resting.append(model)
            self._resting.append((place, model))
            if self._trace:
                self._trace.passes_over(model.name, "resting", ready_in(model))
        return await self._rested() if self._resting else None

    async def _rested(self) -> Attempt:
        """One whose keys rest, as nobody else is left: when they have rested, if that is soon."""
        place, model = self._resting.popleft()
        wait = ready_in(model)
        if wait <= self._settings.retry_wait:
            await asyncio.sleep(wait)
        return self._choose(place, model)

    async def _prepared(self, source: ModelSource) -> Model | None:
        """The model of *source*; one that cannot be made ready has failed."""
        if isinstance(source, Model):
            return source
        try:
            made = source()
            model = await made if inspect.isawaitable(made) else made
            if isinstance(model, Model | None):
                return model
            raise _no_model(model)  # noqa: TRY301  # it has failed like one that raised something itself
        except (Exception, asyncio.CancelledError) as error:
            if is_cancelled(error):
                raise
            logger.warning("a model could not be made ready and is passed over (%s)", type(error).__name__)
            self._places += 1
            self.failures.append(Failure("", Broke(_not_ready(error))))
            return None

    def _choose(self, place: int, model: Model) -> Attempt:
        self._chosen, self._place = model, place
        self._before += 1
        self._start_anew()
        ring = model.keyring
        return self._again(
            (ring.choose() or ring.main) if ring else None, AttemptReason.MODEL if self._before else AttemptReason.FIRST
        )

    # --- keys -------------------------------------------------------------------------------

    @property
    def _ring(self) -> Keyring | None:
        return self._chosen.keyring if self._chosen else None

    def _steady_key(self) -> Key | None:
        """The key in use; another one if it was put to rest meanwhile, by another reply with the same keys."""
        ring, key = self._ring, self._key
        if ring is None or key is None or ring.cooling_until(key) <= _now():
            return key
        return ring.choose() or key

    def _again(self, key: Key | None, why: AttemptReason, seconds: float = 0.0) -> Attempt:
        """The chosen model, asked with *key*."""
        if self._chosen is None:
            msg = "no model was chosen"
            raise AssertionError(msg)
        self._key, self._asked_at = key, _now() + seconds
        if key is not None and key not in self._tried:
            self._tried.append(key)
        model = self._chosen.keyed(key.secret) if key else self._chosen
        return Attempt(model, self._before, seconds, self._dropped, self._insists, why)


def _listed(models: object) -> list[ModelSource]:
    """*models* as a list; whoever gives something else is told what a model is."""
    if isinstance(models, str) or callable(models) or not isinstance(models, Iterable):
        return [_source(models)]
    return [_source(given) for given in models]


def _source(given: object) -> ModelSource:
    if isinstance(given, Model) or callable(given):
        return given
    raise _no_model(given)


def _no_model(given: object) -> InputError:
    return InputError(
        "a model is what connect('openai:gpt-5.1') gives back, or a function that gives one when it is needed, "
        f"not {type(given).__name__}"
    )


def _now() -> float:
    return asyncio.get_running_loop().time()


def _at_rest() -> ProviderError:
    """Why a model was not even asked."""
    return ProviderError("its keys are resting after an error", kind=ErrorKind.RATE_LIMIT)


def _not_ready(error: BaseException) -> CadenzaError:
    """Why a model could not be asked; whoever makes it ready is foreign code, and its errors may hold secrets."""
    if isinstance(error, CadenzaError):
        return error
    return CadenzaError(f"a model could not be made ready ({type(error).__name__}); look into the log")


def _has_no_room(outcome: Outcome) -> bool:
    """Whether what the model was told left no room for an answer."""
    match outcome:
        case Empty("length"):
            return True
        case Broke(ProviderError(aspect=Aspect.CONTEXT)):
            return True
        case _:
            return False


def _asked_wait(outcome: Outcome) -> float:
    """For how many seconds the provider asks us to wait."""
    error = outcome.error if isinstance(outcome, Broke) else None
    return (error.retry_after or 0.0) if isinstance(error, ProviderError) else 0.0


def _is_retryable(outcome: Outcome) -> bool:
    return isinstance(outcome, Broke) and isinstance(outcome.error, ProviderError) and outcome.error.retryable


def _shuffled(sources: Sequence[ModelSource], chance: Chance) -> list[ModelSource]:
    """*sources* with one of them, whichever the dice say, in front of the others."""
    drawn = int(chance.random() * len(sources))
    return [*sources[drawn : drawn + 1], *sources[:drawn], *sources[drawn + 1 :]]
