"""What people are called in a conversation, so that a model tells them apart and can call each of them.

People see each other's display names, and so does the model. Two with one name, or one with the name of a character, are
told apart by their user names in square brackets, ``Mia [mia.k]``; round ones would be read as a look.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import discord

from ..text.names import normalised
from ..text.units import WHITESPACE

_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_MARKS = re.compile(rf"[\[\]:：{WHITESPACE}]+")
"""What would end a name in front of what somebody said."""
_LOOK = re.compile(rf"[{WHITESPACE}]*[(（][^()（）]*[)）]\Z")
_LONGEST = 64
_EVERYBODY = frozenset({"", "everyone", "here"})

AnyUser = discord.User | discord.Member | discord.ClientUser


def plain_name(name: str) -> str:
    """*name* in one line, without what nobody sees and without marks that would end it; empty if nothing is left."""
    return _UNSEEN.sub("", _MARKS.sub(" ", name)).strip(WHITESPACE)[:_LONGEST].strip(WHITESPACE)


def name_of(user: AnyUser) -> str:
    """What people see as the name of *user*."""
    return plain_name(user.display_name) or plain_name(user.name) or str(user.id)


def told_apart(users: Iterable[AnyUser], taken: Collection[str] = ()) -> dict[int, str]:
    """What each of *users* is called, by their ids; names that are *taken*, or that several have, get a user name."""
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
    """*name* as it is compared, and as it would be read if what is in brackets behind it were a look."""
    return normalised(name), normalised(_LOOK.sub("", name))


def handles(
    here: Sequence[AnyUser], names: Mapping[int, str], others: Iterable[AnyUser] = (), nobody: Collection[str] = ()
) -> dict[str, str]:
    """By what the model may call whom: each handle with its tag, empty where several people share it.

    Whoever is *here* goes before *others* with the same name. Nobody is called by what *nobody* may be called.
    """
    known = {user.id for user in here}
    barred = {*map(normalised, nobody)}
    found = {plain: tag for plain, tag in _handles(here, names) if normalised(plain) not in barred}
    taken = {normalised(handle) for handle in found} | barred
    for handle, tag in _handles([user for user in others if user.id not in known], {}):
        if normalised(handle) not in taken:
            found.setdefault(handle, tag)
    return found


def _handles(users: Sequence[AnyUser], names: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """Ids, then each name: whoever alone has it as a user name, else as a name here, else as their global one."""
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
