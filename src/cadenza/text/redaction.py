"""Hides secrets in text: keys, tokens and signed addresses.

A provider's answer or a traceback may hold a key, whole or in part. There are too many shapes of keys to list, so this
module hides the known secrets, the shapes of keys of vendors, and anything that is introduced as a key. Names, numbers
and sentences stay readable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from ..types import HttpRequest

HIDDEN = "***"

_LEAST_KNOWN = 4
"""Shorter secrets are not hidden, for the text would become unreadable."""
_LEAST_WORD = 8
"""The shortest secret word of a header: ``Bearer`` is none."""

_NONE: Mapping[str, str] = MappingProxyType({})
_NAMES = "auth|key|token|secret|cookie|pass|credential|signature|session"
_SECRET_NAME = re.compile(_NAMES, re.IGNORECASE)
"""Names of headers that hold secrets."""
_SECRET_QUERY = re.compile(rf"(?i)[?&][^=&#]*(?:{_NAMES})[^=&#]*=([^&#]+)")
"""The same for query parameters."""
_WITH_SCHEME = re.compile(r"(?i)\s*(?:bearer|basic|token|key)\s")
_KEYLIKE = re.compile(r"(?=\D*\d)\S{8,}")
"""What may be a key in a header of any name."""
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
"""Headers that hold no secrets."""

_BY_PREFIX = re.compile(
    r"""(?<![A-Za-z0-9])(?:
        (?:sk|csk|gsk|xai|nvapi|pplx|glpat|xox[abeoprs]|gh[oprsu])[-_] | github_pat_ | AIza | AQ\. | ya29\.
        | (?:AKIA|ASIA)(?=[A-Z0-9]{12})
        | (?:pk|rk|key|tok|sess|fw|hf|r8|tgp|pst|dop|npm|pypi)[-_](?=\S{0,100}[\d*])  # words begin so too
    )[A-Za-z0-9*•…._~+/-]{6,}={0,2}""",
    re.VERBOSE,
)
_BOT_TOKEN = re.compile(r"[\w-]{20,40}\.[\w-]{5,8}\.[\w-]{25,80}")
"""A token of Discord."""
_TOKEN_IN_PATH = re.compile(r"(/(?:webhooks|interactions)/\d{1,20}/)[^/\s?\"'>]+")
"""Webhooks and interactions of Discord have their token in the address."""
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
    """Return the secrets in *request* and the headers *added* to it: keys, with and without their schemes."""
    found = set(_SECRET_QUERY.findall(request.url))
    for name, value in (*added.items(), *request.headers.items()):
        if _SECRET_NAME.search(name) or _WITH_SCHEME.match(value):
            found |= {value.strip(), *(word for word in value.split() if len(word) >= _LEAST_WORD)}
        elif name.lower() not in _HARMLESS:
            found |= set(filter(_KEYLIKE.fullmatch, value.split()))
    return {secret for secret in found if len(secret) >= _LEAST_KNOWN}


def without_secrets(text: str, *known: str) -> str:
    """Return *text* without the *known* secrets, and without what looks like a key, a token or a signed address."""
    for secret in sorted({secret.strip() for secret in known}, key=len, reverse=True):
        if len(secret) >= _LEAST_KNOWN:
            text = text.replace(secret, HIDDEN)
    text = _TOKEN_IN_PATH.sub(rf"\1{HIDDEN}", _BOT_TOKEN.sub(HIDDEN, text))
    text = _DATA_ADDRESS.sub(r"data:\1,…", text)
    text = _USER_OF_ADDRESS.sub(rf"\1{HIDDEN}@", text)
    text = _QUERY.sub(rf"\1?{HIDDEN}", text)
    text = _SCHEME.sub(rf"\1\2{HIDDEN}", text)
    text = _INTRODUCED.sub(rf"\1{HIDDEN}", text)
    for shape in (_BY_PREFIX, _WEB_TOKEN, _RUN):
        text = shape.sub(HIDDEN, text)
    return text


def without_payloads(text: str) -> str:
    """Return *text* with base64 data replaced by its length."""
    return _PAYLOAD.sub(lambda match: f"<{len(match[0])} characters of base64>", text)
