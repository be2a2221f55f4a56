"""Stage 1, the parts of a turn: words, media, and the text for media that a model cannot be shown.

Media never vanish silently: a model that does not know of a picture answers as if there were none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import Enum
from itertools import groupby

from ..types import Abilities, Links, Media, MediaKind, Part, PromptTurn, Role

NOTICE = "[System: "
"""The beginning of every text among the turns that was not said by a participant."""

_TENOR = re.compile(r"https?://(?:[\w-]+\.)*tenor\.com/[^\s\[\]]+", re.IGNORECASE)
"""A link that describes in its words what it shows."""
_YOUTUBE = re.compile(
    r"https?://(?:[\w-]+\.)*(?:youtube(?:-nocookie)?\.com|youtu\.be)(?::\d+)?/[^\s\[\]]+", re.IGNORECASE
)
"""A link to a video page, which a tool may be able to use."""
_HERE = re.compile(r"data:[^,]*;base64,.")
STORE = "gs://"
"""The beginning of an address that only Google's own API can follow."""
_WEB = ("https://", "http://")
_GIF = "image/gif"


def together(parts: Iterable[Part]) -> tuple[Part, ...]:
    """*parts* with neighbouring texts joined, one per line."""
    whole: list[Part] = []
    for is_text, run in groupby(parts, key=lambda part: isinstance(part, str)):
        if is_text:
            whole.append("\n".join(part for part in run if isinstance(part, str)))
        else:
            whole.extend(run)
    return tuple(whole)


def by_line(parts: Iterable[Part]) -> list[tuple[Part, ...]]:
    """*parts* by line: each text with the media that follow it."""
    lines: list[list[Part]] = []
    for part in parts:
        if isinstance(part, str) or not lines:
            lines.append([part])
        else:
            lines[-1].append(part)
    return [tuple(line) for line in lines]


def notice(text: str) -> str:
    """*text* marked as a notice."""
    return f"{NOTICE}{text}]"


def is_notice(turn: PromptTurn) -> bool:
    """Whether *turn* is a notice."""
    return turn.role is Role.USER and begins_as_notice(turn.parts)


def begins_as_notice(parts: Sequence[Part]) -> bool:
    """Whether the first of *parts* is a notice."""
    return bool(parts) and isinstance(parts[0], str) and parts[0].startswith(NOTICE)


def relocated(turn: PromptTurn, speaker: str) -> tuple[PromptTurn, ...]:
    """*turn* without media if it is the model's: no API accepts those, so they follow as a notice.

    Nothing may come between a call and its result, so for a turn with calls the notice comes first.
    """
    if turn.role is not Role.MODEL or not (media := turn.media):
        return (turn,)
    words = tuple(part for part in turn.parts if isinstance(part, str) and part.strip())
    by = f" by {' '.join(speaker.split())}" if speaker.strip() else ""
    verb = "was" if len(media) == 1 else "were"
    shown = PromptTurn(Role.USER, (notice(f"{_counted(media)} {verb} sent{by}."), *media), tag=turn.tag)
    said = replace(turn, parts=together(words))
    if turn.calls:
        return (shown, said)
    return (said, shown) if words else (shown,)


def described(turn: PromptTurn, abilities: Abilities) -> PromptTurn:
    """*turn* with words in place of media that the model cannot be shown."""
    unseen = tuple(part for part in turn.media if not _is_shown(part, abilities))
    if not unseen:
        return turn
    if turn.role is Role.TOOL:
        seen = (part for part in turn.parts if isinstance(part, str) or _is_shown(part, abilities))
        return replace(turn, parts=together((*seen, notice(_delivered(unseen)))))
    return replace(turn, parts=tuple(part for line in by_line(turn.parts) for part in _described(line, abilities)))


def _described(line: tuple[Part, ...], abilities: Abilities) -> tuple[Part, ...]:
    """*line* with its media in words, which stay in the line so that it can be dropped as a whole."""
    runs = groupby(line, key=lambda part: _sort(part, abilities))
    return together(part for sort, run in runs for part in _told(sort, tuple(run)))


def is_seen(media: Media, abilities: Abilities) -> bool:
    """Whether a model with these *abilities* can be shown *media*, if they can be loaded."""
    if media.kind is MediaKind.VIDEO:
        return abilities.videos
    return abilities.images and not _is_gif(media)


def is_youtube(media: Media) -> bool:
    """Whether *media* is a video page, which is only useful to a model that watches videos itself."""
    return _YOUTUBE.fullmatch(media.url) is not None


def _is_shown(media: Media, abilities: Abilities) -> bool:
    return is_seen(media, abilities) and _can_be_sent(media, abilities.links)


def _can_be_sent(media: Media, links: Links) -> bool:
    """Whether *media* can be sent, as data or as a link that the API follows."""
    if media.data or media.is_lost:
        return bool(media.data)
    if _HERE.match(media.url):
        return True
    is_on_web = media.url.startswith(_WEB)
    match links:
        case Links.NONE:
            return False
        case Links.OWN:
            return media.url.startswith(STORE) or (media.is_watched and is_on_web)
        case Links.ALL:
            return is_on_web


def _is_gif(media: Media) -> bool:
    return media.mime.partition(";")[0].strip().lower() == _GIF


class _Sort(Enum):
    """How a part is told; neighbours of one sort are told together, and possible links separately."""

    SHOWN = ""
    LOST = "that cannot be loaded"
    IMAGE = "that you cannot see"
    VIDEO = "that you cannot watch"
    GIF = "A GIF"
    YOUTUBE = "A video"


def _sort(part: Part, abilities: Abilities) -> _Sort:
    if isinstance(part, str) or _is_shown(part, abilities):
        return _Sort.SHOWN
    if _is_gif(part):
        return _Sort.GIF
    if is_youtube(part):
        return _Sort.YOUTUBE
    if is_seen(part, abilities):
        return _Sort.LOST
    return _Sort.IMAGE if part.kind is MediaKind.IMAGE else _Sort.VIDEO


def _told(sort: _Sort, run: tuple[Part, ...]) -> tuple[Part, ...]:
    """*run* as the model gets it: unchanged or in words."""
    media = tuple(part for part in run if isinstance(part, Media))
    match sort:
        case _Sort.SHOWN:
            return run
        case _Sort.GIF | _Sort.YOUTUBE:
            return tuple(_linked(sort.value, part) for part in media)
        case _Sort.LOST | _Sort.IMAGE | _Sort.VIDEO:
            verb = "was" if len(media) == 1 else "were"
            return (f"[{_counted(media)} {verb} sent here{_names(media)} {sort.value}.]",)


def _linked(what: str, media: Media) -> str:
    """A medium that cannot be watched, with its link if that is useful."""
    link = _TENOR.fullmatch(media.url) or _TENOR.fullmatch(media.fallback) or _YOUTUBE.fullmatch(media.url)
    address = f": {link[0]}" if link else "."
    return f"[{what} was sent here{_names((media,))} that you cannot watch{address}]"


def _delivered(media: tuple[Media, ...]) -> str:
    verb, them = ("was", "it") if len(media) == 1 else ("were", "them")
    return f"{_counted(media)} {verb} shown to the user. You cannot see {them}, so do not describe {them}."


def _counted(media: tuple[Media, ...]) -> str:
    """How many of which kind: ``2 images and a video``."""
    counts = [(kind, sum(part.kind is kind for part in media)) for kind in MediaKind]
    words = " and ".join(
        f"{count} {kind.value}s" if count > 1 else f"{_article(kind)} {kind.value}" for kind, count in counts if count
    )
    return words[0].upper() + words[1:]


def _article(kind: MediaKind) -> str:
    return "an" if kind is MediaKind.IMAGE else "a"


def _names(media: tuple[Media, ...]) -> str:
    """The references by which tools can find *media*."""
    names = dict.fromkeys(part.reference for part in media if part.reference)
    return f" ({', '.join(names)})" if names else ""
