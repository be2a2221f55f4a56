"""The names of people in a conversation: distinct, and each can be pinged.

The model sees display names, as people do. Users with the same name, or with that of a character, get their user name in
square brackets, ``Mia [mia.k]``; round ones would be read as a sprite.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import discord

from ...text.names import normalised
from ...text.units import WHITESPACE

_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_MARKS = re.compile(rf"[\[\]:：{WHITESPACE}]+")
"""Characters that would end a speaker label."""
_SPRITE = re.compile(rf"[{WHITESPACE}]*[(（][^()（）]*[)）]\Z")
_LONGEST = 64
_EVERYBODY = frozenset({"", "everyone", "here"})

AnyUser = discord.User | discord.Member | discord.ClientUser


def plain_name(name: str) -> str:
    """*name* in one line, without invisible characters and marks that end a label; may be empty."""
    return _UNSEEN.sub("", _MARKS.sub(" ", name)).strip(WHITESPACE)[:_LONGEST].strip(WHITESPACE)


def name_of(user: AnyUser) -> str:
    """The visible name of *user*."""
    return plain_name(user.display_name) or plain_name(user.name) or str(user.id)


def told_apart(users: Iterable[AnyUser], taken: Collection[str] = ()) -> dict[int, str]:
    """Distinct names of *users* by id; a name that is *taken* or shared gets the user name."""
    names = {user.id: (name_of(user), plain_name(user.name) or str(user.id)) for user in users}
    counts = Counter(normalised(shown) for shown, _ in names.values())
    others = {*map(normalised, taken)}
    return {
        id_: shown
        if counts[normalised(shown)] == 1 and others.isdisjoint(_readings(shown))
        else f"{shown} [{username}]"
        for id_, (shown, username) in names.items()
    }


def _readings(name: str) -> tuple[str, str]:
    """*name* normalised, and as it reads if its brackets were a sprite."""
    return normalised(name), normalised(_SPRITE.sub("", name))


def handles(
    here: Sequence[AnyUser], names: Mapping[int, str], others: Iterable[AnyUser] = (), barred: Collection[str] = ()
) -> dict[str, str]:
    """Handles for pings: each name with its tag, empty where several people share it.

    Users *here* win over *others* with the same name. Names in *barred* ping no one.
    """
    known = {user.id for user in here}
    without = {*map(normalised, barred)}
    found = {plain: tag for plain, tag in _handles(here, names) if normalised(plain) not in without}
    taken = {normalised(handle) for handle in found} | without
    for handle, tag in _handles([user for user in others if user.id not in known], {}):
        if normalised(handle) not in taken:
            found.setdefault(handle, tag)
    return found


def _handles(users: Sequence[AnyUser], names: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """Ids and names of users. A name belongs to its only owner as user name, else as name here, else as global name."""
    for user in users:
        yield str(user.id), f"<@{user.id}>"
    kinds = (
        [(user.name, user) for user in users],
        [(names.get(user.id, ""), user) for user in users],
        [(user.display_name, user) for user in users],
        [(user.global_name or "", user) for user in users],
    )
    owners = [_owners(kind) for kind in kinds]
    for handle in dict.fromkeys(handle for kind in kinds for handle, _ in kind):
        key = normalised(handle)
        if key in _EVERYBODY:
            continue
        alone = next((ids for ids in (kind.get(key, set()) for kind in owners) if len(ids) == 1), None)
        yield handle, f"<@{next(iter(alone))}>" if alone else ""


def _owners(kind: Iterable[tuple[str, AnyUser]]) -> dict[str, set[int]]:
    owners: dict[str, set[int]] = {}
    for handle, user in kind:
        owners.setdefault(normalised(handle), set()).add(user.id)
    return owners
