"""Hide secrets in text: keys, tokens and signed addresses that a provider repeats in an error.

An error may contain the API key, whole or in part. The shapes of keys cannot be listed completely, so there are three
checks: for the known secrets, for the shapes of vendors' keys, and for anything that is introduced as a key. Names,
numbers and sentences stay readable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from ..types import HttpRequest

HIDDEN = "***"

_LEAST_KNOWN = 4
"""A shorter secret is not hidden: that would leave nothing to read."""
_LEAST_WORD = 8
"""The same for a word of a header: ``Bearer`` is no secret."""

_NONE: Mapping[str, str] = MappingProxyType({})
_NAMES = "auth|key|token|secret|cookie|pass|credential|signature|session"
_SECRET_NAME = re.compile(_NAMES, re.IGNORECASE)
"""Names of headers with a secret value."""
_SECRET_QUERY = re.compile(rf"(?i)[?&][^=&#]*(?:{_NAMES})[^=&#]*=([^&#]+)")
"""The same in the query of an address."""
_WITH_SCHEME = re.compile(r"(?i)\s*(?:bearer|basic|token|key)\s")
_KEYLIKE = re.compile(r"(?=\D*\d)\S{8,}")
"""What may be a key under any name."""
_HARMLESS = frozenset(
    [
        "accept",
        "anthropic-beta",
        "anthropic-version",
        "content-type",
        "http-referer",
        "referer",
        "user-agent",
        "x-title",
    ]
)
"""Headers whose values look like keys and are none."""

_BY_PREFIX = re.compile(
    r"""(?<![A-Za-z0-9])(?:
        (?:sk|csk|gsk|xai|nvapi|pplx|glpat|xox[abeoprs]|gh[oprsu])[-_] | github_pat_ | AIza | AQ\. | ya29\.
        | (?:AKIA|ASIA)(?=[A-Z0-9]{12})
        | (?:pk|rk|key|tok|sess|fw|hf|r8|tgp|pst|dop|npm|pypi)[-_](?=\S{0,100}[\d*])  # words begin so too
    )[A-Za-z0-9*•…._~+/-]{6,}={0,2}""",
    re.VERBOSE,
)
_WEB_TOKEN = re.compile(r"\beyJ[\w-]{8,}(?:\.[\w*-]*){0,4}")
_SCHEME = re.compile(r"(?i)\b(bearer|basic)(\s+)(?=\S{0,200}[\d=_.*]|\S{20})[^\s\"'<>,;]{6,}")
_INTRODUCED = re.compile(
    r"""(?ix)
    (\b(?:api|access|auth|secret|private|subscription|authorization|x-goog-api|x-api)?[-_\s]?
       (?:keys?|tokens?|secrets?|passwords?|authorization|credentials?|signature|sig|cookie)
       (?:\s+(?:provided|given|is|was|used))?
       ["'`]?\s*[:=]\s*["'`]?(?:(?:bearer|basic|token|key)\s+)?)
    (?=[^\s"'`]{0,200}[\d*]|[^\s"'`]{24})       # a word, as in "api key: missing", is no secret
    (?!\d+(?:\.\d+)?(?![\w*.-]))                # nor is a number, as in "tokens: 40012"
    [^\s"'`,;&<>{}()\[\]]{6,}
    """,
)
_RUN = re.compile(r"(?<![A-Za-z0-9])(?=[a-zA-Z]*\d)(?=\d*[a-zA-Z])[A-Za-z0-9]{32,}(?:\.[\w-]{4,})?")
_QUERY = re.compile(r"(?i)\b(https?://[^\s\"'<>?#]{1,2000})\?[^\s\"'<>]+")
_USER_OF_ADDRESS = re.compile(r"(?i)\b([a-z][a-z0-9+.-]{1,20}://)[^\s/@\"'<>]{1,500}@")
_DATA_ADDRESS = re.compile(r"(?i)\bdata:([\w.+-]+/[\w.+-]+)?(?:;[\w=.+-]+){0,4},[A-Za-z0-9+/=%_-]{16,}")
_PAYLOAD = re.compile(r"[A-Za-z0-9+/_-]{256,}={0,2}")


def secrets_of(request: HttpRequest, added: Mapping[str, str] = _NONE) -> set[str]:
    """The secrets in *request* and in the headers *added* to it: keys, with and without their scheme."""
    found = set(_SECRET_QUERY.findall(request.url))
    for name, value in (*added.items(), *request.headers.items()):
        if _SECRET_NAME.search(name) or _WITH_SCHEME.match(value):
            found |= {value.strip(), *(word for word in value.split() if len(word) >= _LEAST_WORD)}
        elif name.lower() not in _HARMLESS:
            found |= set(filter(_KEYLIKE.fullmatch, value.split()))
    return {secret for secret in found if len(secret) >= _LEAST_KNOWN}


def without_secrets(text: str, *known: str) -> str:
    """*text* with all *known* secrets hidden, and everything that looks like a key, a token or a signed address."""
    for secret in sorted({secret.strip() for secret in known}, key=len, reverse=True):
        if len(secret) >= _LEAST_KNOWN:
            text = text.replace(secret, HIDDEN)
    text = _DATA_ADDRESS.sub(r"data:\1,…", text)
    text = _USER_OF_ADDRESS.sub(rf"\1{HIDDEN}@", text)
    text = _QUERY.sub(rf"\1?{HIDDEN}", text)
    text = _SCHEME.sub(rf"\1\2{HIDDEN}", text)
    text = _INTRODUCED.sub(rf"\1{HIDDEN}", text)
    for shape in (_BY_PREFIX, _WEB_TOKEN, _RUN):
        text = shape.sub(HIDDEN, text)
    return text


def without_payloads(text: str) -> str:
    """*text* with base64 data (pictures, videos and the like) replaced by its length."""
    return _PAYLOAD.sub(lambda match: f"<{len(match[0])} characters of base64>", text)
