"""What a page may send: every body as a type, and read so that nothing else gets in."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from ..errors import InputError
from ..films.troubles import What

T = TypeVar("T")

MOST_BYTES = 12 << 20
"""Of a body: files of 8 MB take a third more as base64, and what is said with them has room, too."""
MOST_SHARED = 64 << 20
"""Of one that holds films: those of a text are several times as long as it is."""

Id: TypeAlias = Annotated[str, Meta(pattern="^[0-9]{1,20}$")]
Short: TypeAlias = Annotated[str, Meta(max_length=200)]
Said: TypeAlias = Annotated[str, Meta(max_length=4000)]
Seconds: TypeAlias = Annotated[float, Meta(ge=0, le=60)]
Packed: TypeAlias = Annotated[str, Meta(pattern="^[A-Za-z0-9+/]+=*$")]
"""A film as ``films.film.packed`` writes it."""
Times: TypeAlias = Annotated[int, Meta(ge=1, le=100)]


class Upload(Struct, frozen=True, forbid_unknown_fields=True):
    """A file that is sent along."""

    name: Annotated[str, Meta(min_length=1, max_length=200)]
    data: bytes
    """Written as base64."""


class SayBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Something is said, or a command is used."""

    channel: Id
    text: Said
    who: Id | None = None
    reply_to: Id | None = None
    files: Annotated[tuple[Upload, ...], Meta(max_length=10)] = ()


def _tag(name: str) -> str:
    return name.removesuffix("Act").lower()


class _Act(Struct, frozen=True, forbid_unknown_fields=True, tag_field="act", tag=_tag):
    """Something else that people do; its name is under ``act``."""


class EditAct(_Act, frozen=True):
    """A message is changed."""

    channel: Id
    id: Id
    text: Said


class DeleteAct(_Act, frozen=True):
    """A message is taken back."""

    channel: Id
    id: Id


class ReactAct(_Act, frozen=True):
    """An emoji is put under a message."""

    channel: Id
    id: Id
    emoji: Short


class UnreactAct(_Act, frozen=True):
    """It is taken away again."""

    channel: Id
    id: Id
    emoji: Short


class PressAct(_Act, frozen=True):
    """A button is pressed."""

    channel: Id
    id: Id
    component: Short


class ChooseAct(_Act, frozen=True):
    """Something is chosen from a menu below a message."""

    channel: Id
    id: Id
    component: Short
    values: Annotated[tuple[Short, ...], Meta(max_length=25)]


class MenuAct(_Act, frozen=True):
    """A command of the menu of a message is used on it."""

    channel: Id
    id: Id
    name: Short


class SubmitAct(_Act, frozen=True):
    """A form is filled in and sent."""

    interaction: Id
    values: dict[Short, Said]


class SuggestAct(_Act, frozen=True):
    """An option of a command is being written."""

    channel: Id
    command: Short
    option: Short
    text: Said
    others: dict[Short, str | int | float | bool] = {}


class TypeAct(_Act, frozen=True):
    """Somebody begins to write."""

    channel: Id
    who: Id | None = None


Act: TypeAlias = (
    EditAct | DeleteAct | ReactAct | UnreactAct | PressAct | ChooseAct | MenuAct | SubmitAct | SuggestAct | TypeAct
)


class NewSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings that are to hold from now on."""

    values: dict[Short, Any] | UnsetType = UNSET
    reset: Literal[True] | UnsetType = UNSET


class Limit(Struct, frozen=True, forbid_unknown_fields=True):
    """How many messages are taken in how many seconds."""

    messages: Annotated[int, Meta(ge=1, le=1000)]
    seconds: Annotated[float, Meta(gt=0, le=3600)]


class FaultBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Something that is to go wrong."""

    what: What
    times: Times = 1
    seconds: Seconds | None = None


class NewDiscord(Struct, frozen=True, forbid_unknown_fields=True):
    """How the simulated Discord is to behave; what is not said stays as it is."""

    limits: Limit | UnsetType | None = UNSET
    latency: Annotated[float, Meta(ge=0, le=30)] | UnsetType = UNSET
    fault: FaultBody | UnsetType = UNSET
    clear: Literal[True] | UnsetType = UNSET


class NewModel(Struct, frozen=True, forbid_unknown_fields=True):
    """Who is to answer."""

    name: Short


class NewLanguage(Struct, frozen=True, forbid_unknown_fields=True):
    """In which language everybody has their Discord."""

    language: Literal["en", "ja"]


class EmptyBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing more is to be said."""


class SideFault(Struct, frozen=True, forbid_unknown_fields=True):
    """Something that goes wrong in a rehearsal."""

    what: What
    times: Times = 1
    at_message: Annotated[int, Meta(ge=0, le=10_000)] = 0
    seconds: Seconds = 0.0


class Side(Struct, frozen=True, forbid_unknown_fields=True):
    """One way in which a stream is delivered."""

    settings: dict[Short, Any] = {}
    label: Any = None
    limits: Limit | UnsetType | None = UNSET
    faults: Annotated[tuple[SideFault, ...], Meta(max_length=20)] = ()
    is_usual: bool = False
    stop_at: Annotated[float, Meta(ge=0, le=3600)] | None = None


class Rehearse(Struct, frozen=True, forbid_unknown_fields=True):
    """A stream is to be rehearsed, once for each side."""

    text: str
    rate: Annotated[float, Meta(gt=0, le=100_000)]
    sides: Annotated[tuple[Side, ...], Meta(min_length=1, max_length=2)]
    file: bytes = b""
    """A packed film, instead of a text; written as base64."""
    name: Short = ""
    asked: Said = ""
    answer: Annotated[int, Meta(ge=1, le=1_000_000)] = 1
    """Which one, if there are several in it."""


class Share(Struct, frozen=True, forbid_unknown_fields=True):
    """Films are to be put into a page of their own."""

    films: Annotated[tuple[Packed, ...], Meta(min_length=1, max_length=2)]
    labels: Annotated[tuple[Any, ...], Meta(max_length=2)] = ()
    title: Short = ""
    captions: Annotated[tuple[dict[str, Any], ...], Meta(max_length=1000)] = ()


def read(body: bytes, kind: type[T]) -> T:
    """*body* as *kind*; whatever is not exactly that is an ``InputError``."""
    try:
        try:
            return msgspec.json.decode(body, type=kind)
        except (msgspec.ValidationError, RecursionError):
            raise
        except msgspec.DecodeError:
            return msgspec.json.decode(_mended(body), type=kind)
    except msgspec.ValidationError as error:
        msg = f"the request is not valid: {error}"
        raise InputError(msg) from None
    except (ValueError, RecursionError):  # of whoever read it
        msg = "the request is not valid JSON"
        raise InputError(msg) from None


def _mended(body: bytes) -> bytes:
    """*body* with a mark for each half of a character: browsers send those, and nothing else here knows them."""
    text = json.dumps(json.loads(body), ensure_ascii=False)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
