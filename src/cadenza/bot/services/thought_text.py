"""The messages of the thought log: at most three embeds for a turn, and a file for the rest.

This module only composes them; ``bot.thought_log`` decides where they go, and whether at all. They never ping, and
what looks like a key or a token is removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...facts import ToolCalled, Values
from ...languages import SOURCE, rendered, translated
from ...targets.discord.api import Embed, Outgoing
from ...text.redaction import without_secrets
from ...text.units import fits, fitting, units, whole_grapheme
from ...types import Attachment
from .thought_record import FailedAttempt, ThoughtRecord

COLOUR = 0x3498DB
LONGEST = 4096
"""Discord's limit for the text of an embed, in UTF-16 units."""
MOST_EMBEDS = 3
"""Embeds for one turn, each in its own message; the rest goes into a file."""
LARGEST_FILE = 2**20
"""Size limit of that file in bytes."""
FILE_NAME = "thoughts-continued.md"

_FENCE = "```"
_BROKEN_FENCE = "`\u200b``"
"""Looks the same, but does not end a code block."""
_LEAST_ROOM = 200
"""With less room than this, a section begins in a new embed."""
_LEAST_PIECE = 40
"""A cut before this is not used: it would leave little more than a reopened fence."""
_LONGEST_INFO = 20
_LONGEST_LINE = 500
"""Limit for each line before the sections."""
_LONGEST_NAME = 200
_LONGEST_ARGUMENTS = 200


@dataclass(frozen=True, slots=True)
class Account:
    """A turn that ended, as the thought log shows it."""

    record: ThoughtRecord
    source: str
    """The link to its first message, or the mention of its channel."""
    persona: str = ""
    attribution: str = ""
    """A sentence about who paid, if that was not the operator."""
    seconds: float = 0.0
    """From the message to the end of the reply."""
    waited: float = 0.0
    """How much of that was spent in the queue."""
    at: float | None = None
    """When it ended, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class _Section:
    heading: str
    text: str
    is_code: bool = False


def composed(account: Account, language: str = SOURCE) -> tuple[Outgoing, ...]:
    """The messages for *account*, one embed each.

    A turn without thoughts, tools and errors still shows how long it took. A turn without any result has no messages.
    """
    sections = _sections(account.record, language)
    if not sections and not account.attribution and not account.record.is_shown:
        return ()
    pages, rest = _laid_out(_head(account, language), sections)
    whole = Embed(
        title=_clipped(translated("Thoughts of {persona}", language, persona=account.persona or "…"), _LONGEST_NAME),
        footer=_footer(account, language),
        colour=COLOUR,
        at=account.at,
    )
    messages = [Outgoing(embeds=(replace(whole, description=page),), is_silent=True) for page in pages]
    if rest:
        messages[-1] = replace(messages[-1], files=(Attachment(FILE_NAME, _as_file(rest)),))
    return tuple(messages)


def duration(seconds: float) -> str:
    """*seconds* in readable form: ``820ms``, ``4.2s``, ``37s``."""
    milliseconds = max(0, round(seconds * 1000))
    if milliseconds < 1000:
        return f"{milliseconds}ms"
    tenths = round(milliseconds / 100)
    return f"{tenths / 10:.1f}s" if tenths < 100 else f"{round(milliseconds / 1000)}s"


# --- contents ------------------------------------------------------------------------------


def _head(account: Account, language: str) -> str:
    lines = [
        translated("Source: {source}", language, source=account.source),
        _safe(account.attribution),
        _tokens(account.record.tokens, language),
    ]
    return "\n".join(_clipped(line, _LONGEST_LINE) for line in lines if line)


def _tokens(tokens: Mapping[str, int], language: str) -> str:
    if not tokens.get("input_tokens") and not tokens.get("output_tokens"):
        return ""
    return translated(
        "Tokens: {read} read ({cached} cached), {written} written ({thought} thought)",
        language,
        read=f"{tokens.get('input_tokens', 0):,}",
        cached=f"{tokens.get('cached_tokens', 0):,}",
        written=f"{tokens.get('output_tokens', 0):,}",
        thought=f"{tokens.get('thought_tokens', 0):,}",
    )


def _footer(account: Account, language: str) -> str:
    """Provider, model, generation time and queue time."""
    record = account.record
    vendor, _, model = record.model.partition(":")  # the model's own name may have colons too
    served = f"{model} ({record.served_by})" if record.served_by else model
    spent = duration(account.seconds - account.waited)
    parts = [vendor, served, translated("Generation time: {time}", language, time=spent)]
    if account.waited >= 0.001:
        parts.append(translated("Queue time: {time}", language, time=duration(account.waited)))
    return " | ".join(_clipped(_safe(part), _LONGEST_NAME) for part in parts if part)


def _sections(record: ThoughtRecord, language: str) -> list[_Section]:
    """The sections in order, without blank ones."""
    all_ = [
        _Section(translated("Thoughts", language), _merged(record.thoughts)),
        _Section(
            translated("Tools", language), "\n".join(_tool(used, language) for used in record.tools), is_code=True
        ),
        _Section(translated("Errors", language), "\n".join(_error(failed, language) for failed in record.failures)),
    ]
    return [replace(section, text=_safe(section.text).strip()) for section in all_ if section.text.strip()]


def _merged(thoughts: Iterable[str]) -> str:
    """The thoughts of all rounds, without those that another one contains."""
    merged: list[str] = []
    for thought in filter(None, map(str.strip, thoughts)):
        if any(thought in other for other in merged):
            continue
        merged = [other for other in merged if other not in thought] + [thought]
    return "\n\n".join(merged)


def _tool(used: ToolCalled, language: str) -> str:
    arguments = _clipped(" ".join(_safe(used.arguments).split()), _LONGEST_ARGUMENTS)
    result = [
        translated("failed", language) if used.is_error else "",
        translated("{count} characters", language, count=f"{used.size:,}"),
        translated("{count} pictures or videos", language, count=str(used.media)) if used.media else "",
        duration(used.seconds),
    ]
    return f"{used.tool} {arguments} → {', '.join(filter(None, result))}"


def _error(failed: FailedAttempt, language: str) -> str:
    return f"{failed.model or '…'}: {_reason(failed.outcome, language)}"


def _reason(outcome: Values, language: str) -> str:
    """What went wrong. The text of our own errors holds no secret; of foreign ones there is only the type."""
    match outcome:
        case {"error": {"text": str(text), "type": str(name)}}:
            return rendered(text, language) if text else name
        case {"kind": "stalled", "reason": "in the middle"}:
            return translated("it stopped sending in the middle", language)
        case {"kind": "stalled"}:
            return translated("it did not begin to answer", language)
        case {"kind": "empty", "reason": reason}:
            return translated("its answer was empty ({reason})", language, reason=reason)
        case _:
            return str(outcome.get("reason"))


def _safe(text: str) -> str:
    return without_secrets(text)


def _clipped(text: str, longest: int) -> str:
    return text if fits(text, longest) else text[: whole_grapheme(text, fitting(text, longest - 1))] + "…"


# --- layout --------------------------------------------------------------------------------


def _laid_out(head: str, sections: Sequence[_Section]) -> tuple[list[str], list[_Section]]:
    """The texts of the embeds, with *head* before the first, and the sections that do not fit."""
    pages: list[str] = []
    page = head
    for number, section in enumerate(sections):
        rest = section.text
        while rest:
            opening = f"{page}\n\n**{section.heading}**\n" if page else f"**{section.heading}**\n"
            room = LONGEST - units(opening)
            if page and room < _LEAST_ROOM:
                pages.append(page)
                page = ""
            else:
                piece, rest = _coded(rest, room) if section.is_code else _cut_outside_code(rest, room)
                page = opening + piece
                if rest:
                    pages.append(page)
                    page = ""
            if len(pages) == MOST_EMBEDS:
                left = [replace(section, text=rest)] if rest else []
                return pages, [*left, *sections[number + 1 :]]
    return [*pages, page] if page else pages, []


def _coded(text: str, room: int) -> tuple[str, str]:
    """As much of *text* as fits into a code block, and the rest."""
    piece, rest = _cut(_harmless(text), room - len(_fenced("")))
    return _fenced(piece), rest


def _fenced(code: str) -> str:
    return f"{_FENCE}\n{code}\n{_FENCE}"


def _harmless(code: str) -> str:
    return code.replace(_FENCE, _BROKEN_FENCE)


def _cut_outside_code(text: str, room: int) -> tuple[str, str]:
    """As much of *text* as fits, and the rest; a code block that is cut is closed and reopened."""
    piece, rest = _cut(text, room - len(f"\n{_FENCE}"))
    if piece.count(_FENCE) % 2 == 0:
        return piece, rest
    info = piece.rpartition(_FENCE)[2].partition("\n")[0].strip()
    is_info = info.isascii() and info.isalnum() and len(info) <= _LONGEST_INFO
    return f"{piece}\n{_FENCE}", f"{_FENCE}{info if is_info else ''}\n{rest}" if rest else ""


def _cut(text: str, room: int) -> tuple[str, str]:
    """*text* cut at its last newline or space within *room*, else at a grapheme boundary."""
    if fits(text, room):
        return text, ""
    end = fitting(text, room)
    place = max(text.rfind("\n", 0, end + 1), text.rfind(" ", 0, end + 1))
    if place <= _LEAST_PIECE:
        place = whole_grapheme(text, end)
        return text[:place], text[place:]
    rest = text[place + 1 :]
    return text[:place], rest if rest.strip() else ""


def _as_file(sections: Sequence[_Section]) -> bytes:
    texts = (_fenced(_harmless(section.text)) if section.is_code else section.text for section in sections)
    headed = (f"# {section.heading}\n\n{text}\n" for section, text in zip(sections, texts, strict=True))
    data = "\n".join(headed).encode("utf-8", "replace")
    return data if len(data) <= LARGEST_FILE else data[:LARGEST_FILE].decode("utf-8", "ignore").encode()
