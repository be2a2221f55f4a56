"""Sentences for people about a provider's error: what happened and what to do.

They never repeat the provider's own words, which may hold a key and are written for developers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from ..errors import Aspect, ErrorKind, Sentence

_KNOWN_AS: Mapping[str, str] = MappingProxyType(
    {
        "anthropic": "Anthropic",
        "cerebras": "Cerebras",
        "custom": Sentence("the model's server"),
        "deepseek": "DeepSeek",
        "fireworks": "Fireworks",
        "github": "GitHub Models",
        "google": "Google",
        "groq": "Groq",
        "koboldcpp": "KoboldCpp",
        "llamacpp": "llama.cpp",
        "lmstudio": "LM Studio",
        "local": Sentence("the local model"),
        "mistral": "Mistral",
        "novelai": "NovelAI",
        "nvidia": "NVIDIA",
        "ollama": "Ollama",
        "ollama-compat": "Ollama",
        "openai": "OpenAI",
        "openai-responses": "OpenAI",
        "openrouter": "OpenRouter",
        "perplexity": "Perplexity",
        "together": "Together",
        "vertex": "Google",
        "vllm": "vLLM",
        "xai": "xAI",
        "zai": "Z.ai",
        "zaicoding": "Z.ai",
    }
)

_BY_ASPECT: Mapping[Aspect, str] = MappingProxyType(
    {
        Aspect.PRIVACY: "the privacy settings of the account at {vendor} exclude every provider of this model; "
        "change them or use another model",
        Aspect.CREDIT: "the account at {vendor} does not have enough credit for this; "
        "add some, ask for shorter answers or use another model",
        Aspect.CONTEXT: "the conversation is longer than the model at {vendor} can take; "
        "shorten it, set context_tokens lower or use another model",
    }
)
_BY_CODE: Mapping[str, str] = MappingProxyType(
    {
        "429_balance": _BY_ASPECT[Aspect.CREDIT],
        "429_plan_access": "the plan of the account at {vendor} does not include this model; "
        "use another model or change the plan",
        "ECONNREFUSED": "no server answers at the address of {vendor}; check that it runs, and the address",
        "ENOTFOUND": "the address of {vendor} does not exist; check its spelling",
        "ECONNRESET": "the connection to {vendor} broke off; try again",
        "tool_call_parse_error": "{vendor} called a tool in an unreadable way; try again, or use another model",
    }
)
_BY_KIND: Mapping[ErrorKind, str] = MappingProxyType(
    {
        ErrorKind.RATE_LIMIT: "the rate limit of {vendor} is reached; try again {wait}, or use another model",
        ErrorKind.CONTENT_BLOCKED: "a filter at {vendor} refused this; say it in another way or use another model",
        ErrorKind.TIMEOUT: "{vendor} took too long; try again, or shorten the conversation",
        ErrorKind.OVERLOADED: "{vendor} is overloaded or down; try again {wait}, or use another model",
        ErrorKind.MODEL: "{vendor} has no such model, or no longer; check its name or use another model",
        ErrorKind.UNKNOWN: "{vendor} could not answer; try again, or use another model",
    }
)
_BY_STATUS: Mapping[int, str] = MappingProxyType(
    {
        401: "{vendor} did not accept the key; check that it is correct and still valid",
        403: "{vendor} does not allow this; check the permissions of the key and its account",
        404: "{vendor} has nothing at this address; check the address and the name of the model",
        413: "the request is too large for {vendor}; shorten the conversation or show fewer pictures",
    }
)
_REFUSED = "{vendor} did not accept the request; check the settings for the model or use another model"
_BROKE = "{vendor} had an internal error; try again {wait}, or use another model"
_ONE_OF_TWO = "{vendor} does not take temperature and top_p together; set only one of them"

_KEY_REFUSED = re.compile(
    r"""(?ix) (?<![a-z])(?:
        (?:invalid|incorrect|expired|wrong|missing)(?![a-z]).{0,20}(?<![a-z])api[ _-]?key
        | api[ _-]?key(?![a-z]).{0,20}(?<![a-z])(?:not\ valid|invalid|not\ found|expired)
        | authentication_error
    )""",
)
_BOTH_GIVEN = re.compile(
    r"(?i)\b(?:temperature\b.{1,40}\btop_p|top_p\b.{1,40}\btemperature)\b.{0,40}\bboth\b|\bboth\b.{0,40}\btemperature\b.{1,40}\btop_p\b"
)


def known_as(vendor: str) -> str:
    """The display name of *vendor*."""
    return _KNOWN_AS.get(vendor, vendor)


def refuses_key(detail: str) -> bool:
    """Whether *detail* says that the key was not accepted, whatever the status."""
    return _KEY_REFUSED.search(detail) is not None


def excludes_top_p(detail: str) -> bool:
    """Whether *detail* says that temperature and top_p exclude each other."""
    return _BOTH_GIVEN.search(detail) is not None


def explanation(
    vendor: str,
    *,
    kind: ErrorKind,
    code: str = "",
    status: int | None = None,
    aspect: Aspect | None = None,
    detail: str = "",
    retry_after: float | None = None,
) -> Sentence:
    """The sentence for an error of *vendor*; *detail* is examined, not repeated."""
    template = _template(kind, code, status, aspect, detail)
    return Sentence(template, vendor=known_as(vendor), wait=_wait_in_words(retry_after))


def _template(kind: ErrorKind, code: str, status: int | None, aspect: Aspect | None, detail: str) -> str:
    if aspect is not None:
        return _BY_ASPECT[aspect]
    if code in _BY_CODE:
        return _BY_CODE[code]
    if kind in _BY_KIND:
        return _BY_KIND[kind]
    if excludes_top_p(detail):
        return _ONE_OF_TWO
    if refuses_key(detail):
        return _BY_STATUS[401]
    if (status is not None and status >= 500) or code == "error":  # the code is a finish reason
        return _BROKE
    return _BY_STATUS.get(status or 0, _REFUSED)


def _wait_in_words(seconds: float | None) -> Sentence:
    """The time to wait: in seconds while it is short, rounded when it is long."""
    if seconds is None:
        return Sentence("in a little while")
    whole = max(1, int(-(-seconds // 1)))
    if whole == 1:
        return Sentence("in a second")
    if whole < 120:
        return Sentence("in {count} seconds", count=whole)
    minutes = -(-whole // 60)
    if minutes < 120:
        return Sentence("in {count} minutes", count=minutes)
    return Sentence("in {count} hours", count=-(-minutes // 60))
