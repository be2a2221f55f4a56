"""What a provider's failure is: by its status first, by its words last."""

from __future__ import annotations

from ..errors import Aspect, ErrorKind, HttpError, ProviderError


def failure(
    detail: str,
    *,
    vendor: str,
    status: int | None = None,
    kind: ErrorKind | None = None,
    code: str = "",
    retry_after: float | None = None,
    aspect: Aspect | None = None,
) -> ProviderError:
    """The error for what *vendor* said, ``detail``; what is not given is read from the status, or else the words."""
    kind = kind or ErrorKind.UNKNOWN
    return ProviderError(
        f"{vendor} could not answer",
        kind=kind,
        code=code or str(status or "unknown"),
        status=status,
        retry_after=retry_after,
        aspect=aspect,
        detail=detail,
    )


def refused(refusal: HttpError, vendor: str) -> ProviderError:
    """The error for an HTTP answer with a status of 400 or more."""
    return failure(refusal.body.decode("utf-8", "replace"), vendor=vendor, status=refusal.status)
