"""What must not be remembered, whatever a model thinks of it: secrets, and orders to the model itself.

Both are recognised by how they look. A note that is refused by mistake can be written in other words; one that is kept
by mistake is told to a model again and again.
"""

from __future__ import annotations

import re
import unicodedata
from enum import Enum

_SECRETS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:sk|pk|rk)[-_][\w-]{16,}",  # keys of many vendors
        r"\b(?:gh[opusr]_|github_pat_|glpat-|xox[abprs]-|hf_|gsk_|AKIA|AIza|ya29\.)[\w-]{10,}",
        r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*",  # a JSON web token
        r"\b[\w-]{23,28}\.[\w-]{6}\.[\w-]{27,}",  # a token of a bot
        r"api/webhooks/\d+/[\w-]{20,}",
        r"-----BEGIN [A-Z ]+-----",
        r"\b(?:pass(?:word|wort|phrase|code)|(?:api|secret)[ _-]?key|token)s?\b(?: (?:for|of|to)(?: [\w']+){1,4}?)?\s*(?:is|are|ist|=|:)[\s:=]*[\"'“`]?\S{4,}",
        r"(?:パスワード|暗証番号|APIキー|トークン)\s*(?:は|=|:|：)\s*\S{4,}",
    )
)
_LONG_WORD = re.compile(r"[A-Za-z0-9_+/=-]{32,}")

_ORDERS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|prompts?|rules?|guidelines|safety)\b",
        r"\b(?:system|developer) (?:prompt|message|instructions?)\b",
        r"\b(?:you|the (?:assistant|model|bot|ai)) (?:are now|must|shall|should|have to|will)\b",
        r"\bfrom now on\b",
        r"\b(?:always|never) (?:answer|reply|respond|say|tell|obey|refuse|mention|write|use|end|begin|start)\b",
        r"\bpretend (?:to be|that|you)\b|\bact as\b|\bjailbreak\b",
        r"\bdo (?:not|n't) (?:tell|reveal|mention|answer|reply|refuse)\b|\bdon't (?:tell|reveal|mention)\b",
        r"^\s*(?:system|assistant|developer|tool)\s*:",
        r"<\|\w+\|>|\[/?INST\]|<</?SYS>>|</?(?:system|instructions?)>|^#+\s*(?:system|instructions?)\b",
        r"指示を(?:すべて|全て)?無視|システムプロンプト|これまでの指示|今後は(?:必ず|常に)",
    )
)


class Unfit(Enum):
    """Why a text is not remembered."""

    SECRET = "secret"  # noqa: S105  # a kind of text, and no secret itself
    ORDER = "order"


def unfit(text: str) -> Unfit | None:
    """Why *text* must not be remembered by a model; ``None`` if it may be."""
    if holds_secret(text):
        return Unfit.SECRET
    lines = _seen(text).splitlines()
    return Unfit.ORDER if any(order.search(line) for order in _ORDERS for line in (*lines, " ".join(lines))) else None


def holds_secret(text: str) -> bool:
    """Whether there seems to be a key, a token or a password in *text*."""
    text = _seen(text)
    return any(secret.search(text) for secret in _SECRETS) or any(map(_is_random, _LONG_WORD.findall(text)))


def _seen(text: str) -> str:
    """*text* as it is read: without what cannot be seen, and with wide letters as usual ones."""
    plain = unicodedata.normalize("NFKC", text)
    return "".join(character for character in plain if unicodedata.category(character) != "Cf")


def _is_random(word: str) -> bool:
    """Whether a long *word* is no word: letters, large and small, and digits, as a machine makes them."""
    kinds = (str.isdigit, str.islower, str.isupper)
    return all(any(map(kind, word)) for kind in kinds)
