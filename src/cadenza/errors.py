"""Everything that Cadenza raises, by whose fault it is.

::

    CadenzaError
    ├── SettingsError      yours: a setting, a file or an argument is not right
    ├── InputError         yours: a line given to ``cadenza replay`` or a script cannot be read
    ├── ProviderError      the model's side: it refused, broke off or spoke nonsense
    └── DeliveryError      the chat's side: a message could not be sent

The text of each is one sentence for the person in front of it: what happened and what to do.
Inside the pure half errors are data (``Failed``, ``Broke``); only the edges raise.
"""

from __future__ import annotations

__all__ = ["CadenzaError", "DeliveryError", "InputError", "ProviderError", "SettingsError"]


class CadenzaError(Exception):
    """The root: catch this to catch whatever Cadenza raises on purpose."""


class SettingsError(CadenzaError):
    """A setting is unknown, of the wrong type or out of range."""


class InputError(CadenzaError):
    """A file or a line of input cannot be understood."""


class ProviderError(CadenzaError):
    """The model's side failed."""

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


class DeliveryError(CadenzaError):
    """A message could not be sent. The model is never run again for it."""

    def __init__(self, message: str, *, code: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        """The platform's own error code, where it gave one."""
