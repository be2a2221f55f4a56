"""Readable text of a message for the model: tags as names, and short words for embeds, stickers and polls."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial

import discord

from ...text.blocks import blocks
from ...text.names import normalised
from ...text.prose import Prose
from ...text.spans import SpanKind
from ...text.units import LINE_ENDS, WHITESPACE
from ...types import Kind

_EMBEDS = 3
"""Embeds of one message at most."""
_LONGEST_EMBED = 400
_LONGEST_QUOTE = 100
_FIELDS = 6
_ENDS = LINE_ENDS + "\x85"
_LINE = re.compile(rf"(?:(?<=[{_ENDS}])|\A)(?P<name>[^{_ENDS}:：]{{1,120}})[:：]")
"""What could be read as a speaker label."""
_NOBODY = ("[system", "[author's note")
"""How system notes begin."""
_BEHIND_NAME = re.compile(rf"[{WHITESPACE}]*[(（\[][^()（）\[\]]*[)）\]]\Z")
"""A sprite or user name in brackets after a name."""
_MEDIA = frozenset({"image", "gifv", "video"})
"""Embeds without text."""


def readable(text: str, names: Mapping[int, str], guild: discord.Guild | None) -> str:
    """*text* with mentions, channels, emoji, times and commands as people see them; code stays as it is."""
    if "<" not in text:
        return text
    return "".join(block if kind is Kind.CODE else _with_names(block, names, guild) for kind, block in blocks(text))


def unmistakable(text: str, speakers: Iterable[str]) -> str:
    """*text* with lines that look like another speaker, one of *speakers*, turned into quotes.

    Lines that look like system notes are, too. Code stays as it is.
    """
    known = {*map(normalised, speakers)}
    parts, done = [], 0
    for kind, block in blocks(text):
        parts.append(block if kind is Kind.CODE else _LINE.sub(partial(_as_quote, known, is_first=done == 0), block))
        done += len(block)
    return "".join(parts)


def _as_quote(known: Collection[str], line: re.Match[str], *, is_first: bool) -> str:
    if (is_first and line.start() == 0) or not _is_speaker(line["name"], known):
        return line[0]
    return f"> {line[0]}"


def _is_speaker(name: str, known: Collection[str]) -> bool:
    name = name.strip(f"*_~|{WHITESPACE}")
    if name.lower().startswith(_NOBODY):
        return True
    return not {normalised(name), normalised(_BEHIND_NAME.sub("", name))}.isdisjoint(known)


def quoted(text: str) -> str:
    """The beginning of *text* in one line, in quotation marks; may be empty."""
    line = " ".join(text.split())
    return f"“{shortened(line, _LONGEST_QUOTE)}”" if line else ""


def shortened(text: str, limit: int) -> str:
    """*text* in at most *limit* characters, with an ellipsis if it was cut."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def embedded(embeds: Iterable[discord.Embed]) -> Iterator[str]:
    """Short texts of *embeds*."""
    for embed in [embed for embed in embeds if embed.type not in _MEDIA][:_EMBEDS]:
        fields = (f"{field.name} = {field.value}" for field in embed.fields[:_FIELDS])
        parts = (embed.author.name, embed.title, embed.description, *fields, embed.footer.text)
        told = "; ".join(" ".join(part.split()) for part in parts if part and part.strip())
        if told:
            yield f"[embed: {shortened(told, _LONGEST_EMBED)}]"


def stuck(stickers: Iterable[discord.StickerItem]) -> Iterator[str]:
    """The names of *stickers*."""
    return (f"[sticker: {sticker.name}]" for sticker in stickers)


def asked(poll: discord.Poll | None) -> Iterator[str]:
    """The question and the answers of *poll*."""
    if poll is not None:
        answers = " / ".join(answer.text for answer in poll.answers)
        yield f"[poll: {shortened(f'{poll.question} {answers}'.strip(), _LONGEST_EMBED)}]"


def _with_names(text: str, names: Mapping[int, str], guild: discord.Guild | None) -> str:
    parts, done = [], 0
    for span in Prose.of(text).kept:
        if span.kind is SpanKind.TAG:
            parts += [text[done : span.start], _tag(text[span.start : span.end], names, guild)]
            done = span.end
    return "".join([*parts, text[done:]])


def _tag(tag: str, names: Mapping[int, str], guild: discord.Guild | None) -> str:
    """One tag as people see it."""
    inside = tag[1:-1]
    id_ = _id(inside)
    match inside[:2]:
        case "@&":
            role = guild.get_role(id_) if guild else None
            return f"@{role.name.lstrip('@') if role else 'role'}"
        case "t:":
            return _time(inside)
        case "id":
            return tag
    match inside[0]:
        case "@":
            return f"@{_person(id_, names, guild)}"
        case "#":
            channel = guild.get_channel_or_thread(id_) if guild else None
            return f"#{channel.name if channel else 'channel'}"
        case "/":
            return inside.rpartition(":")[0]
        case _:
            return f":{inside.split(':')[1]}:"


def _person(id_: int, names: Mapping[int, str], guild: discord.Guild | None) -> str:
    if id_ in names:
        return names[id_]
    member = guild.get_member(id_) if guild else None
    return member.display_name if member else "somebody"


def _id(inside: str) -> int:
    digits = inside.rpartition(":")[2].lstrip("@!&#")
    return int(digits) if digits.isdecimal() else 0


def _time(inside: str) -> str:
    """The time of a timestamp tag; one out of range stays a number."""
    seconds = inside.split(":")[1]
    try:
        return f"{datetime.fromtimestamp(int(seconds), UTC):%Y-%m-%d %H:%M} UTC"
    except (ValueError, OverflowError, OSError):
        return seconds
