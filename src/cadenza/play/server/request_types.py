"""The request bodies of the page, each as a strict type."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import Field
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from ...errors import InputError, Sentence
from ...settings import settings_fields
from ..films.fault_names import RehearsalWhat, What

T = TypeVar("T")

MOST_BYTES = 12 << 20
"""Most bytes of a body: files of 8 MB take a third more as base64, and the text needs room, too."""
MOST_SHARED = 64 << 20
"""Most bytes of a body that holds films."""

Id: TypeAlias = Annotated[str, Meta(pattern="^[0-9]{1,20}$")]
Short: TypeAlias = Annotated[str, Meta(max_length=200)]
Said: TypeAlias = Annotated[str, Meta(max_length=4000)]
Seconds: TypeAlias = Annotated[float, Meta(ge=0, le=60)]
Packed: TypeAlias = Annotated[str, Meta(pattern="^[A-Za-z0-9+/]+=*$")]
"""A film, packed by ``films.film.packed``."""
Times: TypeAlias = Annotated[int, Meta(ge=1, le=100)]
_NOT_HERE = frozenset({"table_fonts", "shutdown_grace"})
"""Settings without effect at run time, or that name files of this machine. HTTP options may hold secrets, and are left out too."""


def changeable() -> Iterator[tuple[str, Field[Any]]]:
    """The settings that can be changed at run time, with their sections."""
    return (
        (section, spec)
        for section, spec in settings_fields()
        if section != "http" and spec.repr and spec.name not in _NOT_HERE
    )


def check_changeable(names: Iterable[str]) -> None:
    """Refuse settings that no page may choose."""
    known = {spec.name for _, spec in changeable()}
    if strange := [name for name in names if name not in known]:
        msg = Sentence("{strange} is no setting that can be changed here", strange=repr(strange[0][:60]))
        raise InputError(msg)


class Upload(Struct, frozen=True, forbid_unknown_fields=True):
    """An attachment."""

    name: Annotated[str, Meta(min_length=1, max_length=200)]
    data: bytes
    """Written as base64."""


class SayBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Send a message, or use a command."""

    channel: Id
    text: Said
    who: Id | None = None
    reply_to: Id | None = None
    files: Annotated[tuple[Upload, ...], Meta(max_length=10)] = ()


def _tag(name: str) -> str:
    return name.removesuffix("Act").lower()


class _Act(Struct, frozen=True, forbid_unknown_fields=True, tag_field="act", tag=_tag):
    """Any other action; ``act`` names it."""


class EditAct(_Act, frozen=True):
    """Edit a message."""

    channel: Id
    id: Id
    text: Said


class DeleteAct(_Act, frozen=True):
    """Delete a message."""

    channel: Id
    id: Id


class ReactAct(_Act, frozen=True):
    """Add a reaction."""

    channel: Id
    id: Id
    emoji: Short


class UnreactAct(_Act, frozen=True):
    """Remove a reaction."""

    channel: Id
    id: Id
    emoji: Short


class PressAct(_Act, frozen=True):
    """Press a button."""

    channel: Id
    id: Id
    component: Short


class ChooseAct(_Act, frozen=True):
    """Choose from a select menu."""

    channel: Id
    id: Id
    component: Short
    values: Annotated[tuple[Short, ...], Meta(max_length=25)]


class MenuAct(_Act, frozen=True):
    """Use a message command."""

    channel: Id
    id: Id
    name: Short


class SubmitAct(_Act, frozen=True):
    """Submit a modal."""

    interaction: Id
    values: dict[Short, Said]


class SuggestAct(_Act, frozen=True):
    """Ask for autocompletion of a command's option."""

    channel: Id
    command: Short
    option: Short
    text: Said
    others: dict[Short, str | int | float | bool] = {}


class TypeAct(_Act, frozen=True):
    """Start typing."""

    channel: Id
    who: Id | None = None


Act: TypeAlias = (
    EditAct | DeleteAct | ReactAct | UnreactAct | PressAct | ChooseAct | MenuAct | SubmitAct | SuggestAct | TypeAct
)


class NewSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Change settings."""

    values: dict[Short, Any] | UnsetType = UNSET
    reset: Literal[True] | UnsetType = UNSET


class Limit(Struct, frozen=True, forbid_unknown_fields=True):
    """A rate limit."""

    messages: Annotated[int, Meta(ge=1, le=1000)]
    seconds: Annotated[float, Meta(gt=0, le=3600)]


class FaultBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A fault."""

    what: What
    times: Times = 1
    seconds: Seconds | None = None


class NewDiscord(Struct, frozen=True, forbid_unknown_fields=True):
    """Change the simulated Discord; fields that are not set stay as they are."""

    limits: Limit | UnsetType | None = UNSET
    latency: Annotated[float, Meta(ge=0, le=30)] | UnsetType = UNSET
    fault: FaultBody | UnsetType = UNSET
    clear: Literal[True] | UnsetType = UNSET


class NewModel(Struct, frozen=True, forbid_unknown_fields=True):
    """Change the model."""

    name: Short


class NewLanguage(Struct, frozen=True, forbid_unknown_fields=True):
    """Change the language of all people."""

    language: Literal["en", "ja"]


class EmptyBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A body without fields."""


class SideFault(Struct, frozen=True, forbid_unknown_fields=True):
    """A fault in a rehearsal."""

    what: RehearsalWhat
    times: Times = 1
    at_message: Annotated[int, Meta(ge=0, le=10_000)] = 0
    seconds: Seconds = 0.0


class Side(Struct, frozen=True, forbid_unknown_fields=True):
    """One of the deliveries that are compared."""

    settings: dict[Short, Any] = {}
    label: Any = None
    limits: Limit | UnsetType | None = UNSET
    faults: Annotated[tuple[SideFault, ...], Meta(max_length=20)] = ()
    is_usual: bool = False
    stop_at: Annotated[float, Meta(ge=0, le=3600)] | None = None


class Rehearse(Struct, frozen=True, forbid_unknown_fields=True):
    """Rehearse a stream, once for each side."""

    text: str
    rate: Annotated[float, Meta(gt=0, le=100_000)]
    sides: Annotated[tuple[Side, ...], Meta(min_length=1, max_length=2)]
    file: bytes = b""
    """A packed film, instead of a text; written as base64."""
    name: Short = ""
    asked: Said = ""
    answer: Annotated[int, Meta(ge=1, le=1_000_000)] = 1
    """Which of several answers."""


class Share(Struct, frozen=True, forbid_unknown_fields=True):
    """Make an HTML file of films."""

    films: Annotated[tuple[Packed, ...], Meta(min_length=1, max_length=2)]
    labels: Annotated[tuple[Any, ...], Meta(max_length=2)] = ()
    title: Short = ""
    captions: Annotated[tuple[dict[str, Any], ...], Meta(max_length=1000)] = ()


def read(body: bytes, kind: type[T]) -> T:
    """Decode *body* as *kind*; anything else is an ``InputError``."""
    try:
        try:
            return msgspec.json.decode(body, type=kind)
        except (msgspec.ValidationError, RecursionError):
            raise
        except msgspec.DecodeError:
            return msgspec.json.decode(_mended(body), type=kind)
    except msgspec.ValidationError as error:
        msg = Sentence("the request is not valid: {error}", error=error)
        raise InputError(msg) from None
    except (ValueError, RecursionError):
        msg = Sentence("the request is not valid JSON")
        raise InputError(msg) from None


def _mended(body: bytes) -> bytes:
    """*body* with lone surrogates replaced: browsers send them, and msgspec refuses them."""
    text = json.dumps(json.loads(body), ensure_ascii=False)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
