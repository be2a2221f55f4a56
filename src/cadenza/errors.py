"""Everything that Cadenza raises, by whose fault it is.

::

    CadenzaError
    ├── SettingsError      yours: a setting, a file or an argument is not right
    ├── InputError         yours: a line given to ``cadenza replay`` or a script cannot be read
    ├── ProviderError      the model's side: it refused, broke off or spoke nonsense
    ├── HttpError          the same, as it came over HTTP: a status and a body that a dialect makes a ProviderError of
    ├── ToolError          a tool's side: what it says is told to the model
    └── DeliveryError      the chat's side: a message could not be sent

The text of each is one sentence for the person in front of it: what happened and what to do.
Inside the pure half errors are data (``Failed``, ``Broke``); only the edges raise.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

__all__ = [
    "Aspect",
    "CadenzaError",
    "DeliveryError",
    "DeliveryKind",
    "ErrorKind",
    "HttpError",
    "InputError",
    "ProviderError",
    "SettingsError",
    "ToolError",
]


class CadenzaError(Exception):
    """The root: catch this to catch whatever Cadenza raises on purpose."""


class SettingsError(CadenzaError):
    """A setting is unknown, of the wrong type or out of range."""


class InputError(CadenzaError):
    """A file or a line of input cannot be understood."""


class ErrorKind(Enum):
    """What sort of failure of a provider it is: what decides whether to wait, to try another key or another model."""

    API = "api_error"
    """The request was refused: a key, a right, a parameter, an account."""
    RATE_LIMIT = "rate_limit"
    CONTENT_BLOCKED = "content_blocked"
    TIMEOUT = "timeout"
    OVERLOADED = "provider_overloaded"
    MODEL = "model_error"
    """There is no such model, or not any more."""
    UNKNOWN = "unknown"


class Aspect(Enum):
    """What else is worth knowing of a failure, whatever its kind."""

    CONTEXT = "context"
    """The prompt was too long."""
    CREDIT = "credit"
    """The account has not enough money for it."""
    PRIVACY = "privacy"
    """The account's data policy rules out everybody who could serve the request."""


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
        """Whether the same request may do better later."""
        self.retry_after = retry_after
        """Seconds that the provider asks us to wait."""
        self.aspect = aspect
        self.detail = detail
        """What the provider said, in its own words."""


class HttpError(CadenzaError):
    """A server answered with a status of 400 or more. Never shown: a dialect says what it means."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(f"the server answered with status {status}")
        self.status = status
        self.headers = headers
        """Their names in small letters."""
        self.body = body
        """As much of it as is worth reading."""


class ToolError(CadenzaError):
    """A tool could not do what it was asked. The model is told its text, and may do better."""


class DeliveryKind(Enum):
    """What it means for the channel that a message could not be sent."""

    CHANNEL_GONE = "channel_gone"
    """There is no such channel any more."""
    MISSING_ACCESS = "missing_access"
    """The channel cannot be seen any more."""
    MISSING_PERMISSIONS = "missing_permissions"
    """Nothing may be sent there now; that may clear by itself, as a time-out does."""
    REFUSED = "refused"
    """This message was refused, or did not get through; the next one may fare better."""
    SKIPPED = "skipped"
    """Only this message is left out, as a filter or the target wants it; people are told, and the reply goes on."""

    @property
    def ends_reply(self) -> bool:
        """Whether nothing more of the reply is sent after it."""
        return self is not DeliveryKind.SKIPPED


class DeliveryError(CadenzaError):
    """A message could not be sent. The model is never run again for it."""

    def __init__(self, message: str, *, code: int | None = None, kind: DeliveryKind = DeliveryKind.REFUSED) -> None:
        super().__init__(message)
        self.code = code
        """The chat's own error code, where it gave one; ``kind`` says what it means."""
        self.kind = kind
