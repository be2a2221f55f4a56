"""What looks like a secret: it belongs into ``.env``, and never into the configuration, which people show around."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import NamedTuple

_ADVICE = "take it out, put it into .env beside this file, and make a new one if anybody may have seen it"


class _Look(NamedTuple):
    what: str
    pattern: re.Pattern[str]


def _look(what: str, pattern: str) -> _Look:
    # What stands in the middle of a longer word, as in a picture that is written as text, is a part of that.
    return _Look(what, re.compile(rf"(?<![A-Za-z0-9_/+.-])(?:{pattern})"))


_LOOKS = (
    _look("a Discord token", r"[A-Za-z0-9_-]{23,30}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,}"),
    _look(
        "a Discord webhook's address", r"https://(?:\w+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d+/[\w-]{20,}"
    ),
    _look("an API key", r"(?:sk|xai|pst|pplx|csk|nvapi|glpat|xox[abprs])-[A-Za-z0-9_-]{16,}"),
    _look("an API key", r"(?:gsk|hf|r8|fw|gh[pousr]|github_pat|tgp_v1)_[A-Za-z0-9_-]{16,}"),
    _look("an API key", r"AIza[A-Za-z0-9_-]{30,}"),
    _look("an API key", r"AKIA[A-Z0-9]{16}\b"),
    _look("an API key", r"[Bb]earer\s+[A-Za-z0-9._~+/-]{16,}"),
    _Look("a password in an address", re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s/:@\"'$]+:[^\s/@\"'$]+@")),
)

_CLIENT_SECRET = re.compile(r"[A-Za-z0-9_-]{32}")
_PUBLIC_KEY = re.compile(r"[0-9a-f]{64}")
_ID = re.compile(r"[0-9]{15,21}")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{18,40}\.[A-Za-z0-9_-]{5,10}\.[A-Za-z0-9_-]{20,}")
_WHERE = (
    "open https://discord.com/developers/applications, choose your application, then Bot, then Reset Token, "
    "and take what is shown"
)


def secrets_in(text: str) -> Iterator[str]:
    """One sentence for each line of *text* in which something looks like a secret; it is never repeated."""
    for number, line in enumerate(text.splitlines(), start=1):
        found = next((look.what for look in _LOOKS if look.pattern.search(line)), "")
        if found:
            yield f"line {number} holds what looks like {found}; {_ADVICE}"


def token_complaint(token: str) -> str:
    """What *token* seems to be if it is no bot's token, and where there is one; empty if it may be one."""
    if not token:
        return f"there is no token; {_WHERE}"
    if _TOKEN.fullmatch(token) and application_id(token):
        return ""
    if _ID.fullmatch(token):
        return f"that is an id, as of an application or a client, and not the bot's token; {_WHERE}"
    if _PUBLIC_KEY.fullmatch(token):
        return f"that is the application's public key, and not the bot's token; {_WHERE}"
    if _CLIENT_SECRET.fullmatch(token):
        return f"that looks like the client secret of the page OAuth2, and not like the bot's token; {_WHERE}"
    if token.lower().startswith(("bot ", "bearer ")):
        return "the token must stand alone; take the word before it away"
    if not token.isascii() or not token.isprintable() or " " in token:
        return f"the token holds a character that no token has; {_WHERE}"
    return f"that does not look like a bot's token, which has three parts with dots between them; {_WHERE}"


def application_id(token: str) -> str:
    """The id of the bot, and so of nearly every application, that a token begins with; empty if it does not."""
    first = token.partition(".")[0]
    try:
        number = base64.b64decode(first + "=" * (-len(first) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        return ""
    return number if _ID.fullmatch(number) else ""
