"""Everything that Cadenza raises, by whose fault it is.

::

    CadenzaError
    ├── SettingsError      yours: a setting, a file or an argument is not right
    ├── InputError         yours: a line given to ``cadenza replay`` or a script cannot be read
    ├── ProviderError      the model's side: it refused, broke off or sent nonsense
    ├── HttpError          the same as an HTTP status and body, which a dialect turns into a ProviderError
    ├── ToolError          a tool's side: its text is told to the model
    └── DeliveryError      the chat's side: a message could not be sent

The text of each is one sentence for the person in front of it: what happened and what to do. A ``Sentence`` keeps its
values apart, so that ``cadenza.languages.rendered`` can say it in the reader's language.
Inside the pure half errors are data (``Failed``, ``Broke``); only the edges raise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:  # it imports this module
    from .types import RefusedAttempt

__all__ = [
    "Aspect",
    "CadenzaError",
    "DeliveryError",
    "DeliveryKind",
    "ErrorKind",
    "HttpError",
    "InputError",
    "ProviderError",
    "Sentence",
    "SettingsError",
    "ToolError",
]

_VALUE = re.compile(r"\{(\w+)\}")


class Sentence(str):
    """An English text that knows its template and values: ``Sentence("there is no message {number}", number=3)``.

    It goes wherever text goes. A value may be a sentence, an error, or a list or tuple, which is joined by commas.
    """

    __slots__ = ("template", "values")

    template: Final[str]  # type: ignore[misc]  # set in __new__, as text is immutable
    values: Final[Mapping[str, object]]  # type: ignore[misc]  # so here

    def __new__(cls, template: str, /, **values: object) -> Self:
        """Insert the *values* into the *template*; others are not kept. A sentence without values stays as it is."""
        if isinstance(template, cls) and not values:
            return template
        kept = {name: _kept(value) for name, value in values.items() if f"{{{name}}}" in template}
        self = super().__new__(cls, filled(template, kept) if kept else template)
        self.template = str(template)  # type: ignore[misc]  # see above
        self.values = MappingProxyType(kept)  # type: ignore[misc]  # see above
        return self

    def __reduce__(self) -> tuple[Callable[..., Sentence], tuple[str, dict[str, object]]]:
        return _again, (self.template, dict(self.values))


def _again(template: str, values: Mapping[str, object]) -> Sentence:
    return Sentence(template, **values)


def _kept(value: object) -> object:
    """*value* as a sentence, a number, text or a tuple of them; nothing else is held on to."""
    match value:
        case list() | tuple():
            return tuple(_kept(one) for one in value)
        case CadenzaError():
            return value.sentence
        case BaseException(args=(Sentence() as sentence, *_)):
            return sentence
        case Sentence() | int() | float():
            return value
        case _:
            return str(value)


def filled(template: str, values: Mapping[str, object]) -> str:
    """*template* with all *values* inserted in one pass, as a value may itself look like a placeholder."""
    return _VALUE.sub(lambda place: _text(values.get(place[1], place[0])), template)


def _text(value: object) -> str:
    return ", ".join(map(_text, value)) if isinstance(value, list | tuple) else str(value)


class CadenzaError(Exception):
    """The base class of everything that Cadenza raises on purpose."""

    @property
    def sentence(self) -> Sentence:
        """Its text, with the values apart if it was raised with a ``Sentence``."""
        first = self.args[0] if self.args else ""
        return first if isinstance(first, Sentence) else Sentence(str(self))


class SettingsError(CadenzaError):
    """A setting is unknown, of the wrong type or out of range."""


class InputError(CadenzaError):
    """A file or a line of input cannot be understood."""


class ErrorKind(Enum):
    """The kind of a provider's failure; it decides whether to wait, or to try another key or model."""

    API = "api_error"
    """The request was refused: a key, a right, a parameter, an account."""
    RATE_LIMIT = "rate_limit"
    CONTENT_BLOCKED = "content_blocked"
    TIMEOUT = "timeout"
    OVERLOADED = "provider_overloaded"
    MODEL = "model_error"
    """The model does not exist, or no longer."""
    UNKNOWN = "unknown"


class Aspect(Enum):
    """A detail of a failure that any kind can have."""

    CONTEXT = "context"
    """The prompt was too long."""
    CREDIT = "credit"
    """The account lacks credit."""
    PRIVACY = "privacy"
    """The account's data policy excludes every provider of the model."""


class ProviderError(CadenzaError):
    """The model's side failed. Its text is for people; ``detail`` is for operators, without secrets."""

    def __init__(
        self,
        message: str,
        *,
        kind: ErrorKind = ErrorKind.UNKNOWN,
        code: str = "",
        status: int | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
        aspect: Aspect | None = None,
        detail: str = "",
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.code = code
        """The provider's own code, or one of ours: ``429``, ``429_balance``, ``SAFETY``, ``ECONNREFUSED``."""
        self.status = status
        """The HTTP status, or the number that stood in an error event."""
        self.retryable = retryable
        """Whether the same request may succeed later."""
        self.retry_after = retry_after
        """Seconds to wait, as the provider says."""
        self.aspect = aspect
        self.detail = detail
        """The provider's own text."""


class HttpError(CadenzaError):
    """A server answered with a status of 400 or more. Never shown: a dialect says what it means."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(Sentence("the server answered with status {status}", status=status))
        self.status = status
        self.headers = headers
        """By lower-case name."""
        self.body = body
        """The beginning of the body."""


class ToolError(CadenzaError):
    """A tool failed. The model is told its text, and may try again."""


class DeliveryKind(Enum):
    """What a failed message means for the channel."""

    CHANNEL_GONE = "channel_gone"
    """The channel does not exist any more."""
    MISSING_ACCESS = "missing_access"
    """The bot lost access to the channel."""
    MISSING_PERMISSIONS = "missing_permissions"
    """The bot may not send there now; this may end by itself, as a member's timeout does."""
    REFUSED = "refused"
    """This message was refused or lost; the next one may succeed."""
    SKIPPED = "skipped"
    """Only this message is skipped, by a filter or the target; people are told, and the reply goes on."""

    @property
    def ends_reply(self) -> bool:
        """Whether it ends the reply."""
        return self is not DeliveryKind.SKIPPED


class DeliveryError(CadenzaError):
    """A message could not be sent. The model is never run again for it."""

    def __init__(
        self,
        message: str,
        *,
        code: int | None = None,
        kind: DeliveryKind = DeliveryKind.REFUSED,
        refusals: tuple[RefusedAttempt, ...] = (),
    ) -> None:
        super().__init__(message)
        self.code = code
        """The chat's own error code, where it gave one; ``kind`` says what it means."""
        self.kind = kind
        self.refusals = refusals
        """What the chat refused before this, and what was done about it."""
