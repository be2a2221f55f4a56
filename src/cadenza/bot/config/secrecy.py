"""Finds what looks like a secret: it belongs in ``.env``, not in the configuration, which people share."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import NamedTuple

_ADVICE = "move it to .env beside this file, and create a new one if somebody may have seen it"


class _Secret(NamedTuple):
    what: str
    pattern: re.Pattern[str]


def _secret(what: str, pattern: str) -> _Secret:
    # A match in the middle of a longer word, as in a picture in base64, does not count.
    return _Secret(what, re.compile(rf"(?<![A-Za-z0-9_/+.-])(?:{pattern})"))


_SECRETS = (
    _secret("a Discord token", r"[A-Za-z0-9_-]{23,30}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,}"),
    _secret(
        "a Discord webhook's address", r"https://(?:\w+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d+/[\w-]{20,}"
    ),
    _secret("an API key", r"(?:sk|xai|pst|pplx|csk|nvapi|glpat|xox[abprs])-[A-Za-z0-9_-]{16,}"),
    _secret("an API key", r"(?:gsk|hf|r8|fw|gh[pousr]|github_pat|tgp_v1)_[A-Za-z0-9_-]{16,}"),
    _secret("an API key", r"AIza[A-Za-z0-9_-]{30,}"),
    _secret("an API key", r"AKIA[A-Z0-9]{16}\b"),
    _secret("an API key", r"[Bb]earer\s+[A-Za-z0-9._~+/-]{16,}"),
    _Secret("a password in an address", re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s/:@\"'$]+:[^\s/@\"'$]+@")),
)

_CLIENT_SECRET = re.compile(r"[A-Za-z0-9_-]{32}")
_PUBLIC_KEY = re.compile(r"[0-9a-f]{64}")
_ID = re.compile(r"[0-9]{15,21}")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{18,40}\.[A-Za-z0-9_-]{5,10}\.[A-Za-z0-9_-]{20,}")
_WHERE = (
    "open https://discord.com/developers/applications, choose your application, then Bot, then Reset Token, "
    "and copy what is shown"
)


def secrets_in(text: str) -> Iterator[str]:
    """One sentence for each line of *text* with something like a secret, without showing it."""
    for number, line in enumerate(text.splitlines(), start=1):
        found = next((secret.what for secret in _SECRETS if secret.pattern.search(line)), "")
        if found:
            yield f"line {number} contains what looks like {found}; {_ADVICE}"


def token_complaint(token: str) -> str:
    """What is wrong with *token* and where to find the bot's; empty if it may be a bot's token."""
    if not token:
        return f"there is no token; {_WHERE}"
    if _TOKEN.fullmatch(token) and application_id(token):
        return ""
    if _ID.fullmatch(token):
        return f"that is an id, as of an application or a client, not the bot's token; {_WHERE}"
    if _PUBLIC_KEY.fullmatch(token):
        return f"that is the application's public key, not the bot's token; {_WHERE}"
    if _CLIENT_SECRET.fullmatch(token):
        return f"that looks like the client secret of the page OAuth2, not like the bot's token; {_WHERE}"
    if token.lower().startswith(("bot ", "bearer ")):
        return "the token must stand alone; remove the word before it"
    if not token.isascii() or not token.isprintable() or " " in token:
        return f"the token contains a character that no token has; {_WHERE}"
    return f"that does not look like a bot's token, which has three parts with dots between them; {_WHERE}"


def application_id(token: str) -> str:
    """The bot's id at the start of a token, which is nearly always the application's; empty if there is none."""
    first = token.partition(".")[0]
    try:
        number = base64.b64decode(first + "=" * (-len(first) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        return ""
    return number if _ID.fullmatch(number) else ""
