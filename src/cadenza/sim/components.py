"""Components: buttons and menus under a message, and layouts, which stand instead of its text. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..errors import Sentence
from .api_errors import as_list, as_object, bad_length, invalid, not_one_of, required, too_long
from .objects import copied
from .wire import Json

ROW, BUTTON, TEXT_MENU, SECTION, TEXT, THUMBNAIL, GALLERY, FILE, SEPARATOR, CONTAINER = 1, 2, 3, 9, 10, 11, 12, 13, 14, 17  # fmt: skip
_MENUS = (TEXT_MENU, 5, 6, 7, 8)
_LINK = 5
"""The style of a button that opens an address."""
_ROWS = 5
_BUTTONS = 5
_IN_ALL = 40
"""Components of a layout, at any depth."""
_TEXT_LENGTH = 4000
"""Characters of a layout, in all its texts."""
_TOP = (ROW, SECTION, TEXT, GALLERY, FILE, SEPARATOR, CONTAINER)
_INSIDE = {ROW: (BUTTON, *_MENUS), SECTION: (TEXT,), CONTAINER: tuple(kind for kind in _TOP if kind != CONTAINER)}
_MOST = {ROW: _BUTTONS, SECTION: 3, CONTAINER: _IN_ALL}
_ACCESSORIES = (BUTTON, THUMBNAIL)
_ITEMS = 10


def as_components(value: object, *, is_layout: bool = False) -> list[Json]:
    """Validate the rows of buttons and menus under a message, or a layout (``IS_COMPONENTS_V2``)."""
    components = as_list(value, at="components")
    most, kinds = (_IN_ALL, _TOP) if is_layout else (_ROWS, (ROW,))
    if len(components) > most:
        raise bad_length(at="components", least=0, most=most)
    for number, component in enumerate(components):
        _check(component, f"components.{number}", kinds)
    parts = list(parts_of(components))
    if len(parts) > _IN_ALL:
        raise bad_length(at="components", least=0, most=_IN_ALL)
    if len("".join(texts_of(components))) > _TEXT_LENGTH:
        problem = f"The total text of the components must be {_TEXT_LENGTH} or fewer in length."
        raise invalid(at="components", code="COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", problem=problem)
    names = [part["custom_id"] for part in parts if part.get("custom_id")]
    if len(names) != len(set(names)):
        problem = "Component custom id cannot be duplicated"
        raise invalid(at="components", code="COMPONENT_CUSTOM_ID_DUPLICATED", problem=problem)
    return [copied(component) for component in components]


def _check(component: object, path: str, kinds: Sequence[int]) -> None:
    if not isinstance(component, dict) or component.get("type") not in kinds:
        problem = f"Value of field 'type' must be one of ({', '.join(map(str, kinds))},)."
        raise invalid(at=path, code="UNION_TYPE_CHOICES", problem=problem)
    kind = component["type"]
    if kind in _INSIDE:
        inner = as_list(component.get("components"), at=f"{path}.components")
        if not 1 <= len(inner) <= _MOST[kind]:
            raise bad_length(at=f"{path}.components", least=1, most=_MOST[kind])
        for place, part in enumerate(inner):
            _check(part, f"{path}.components.{place}", _INSIDE[kind])
    elif kind in (BUTTON, *_MENUS):
        _check_part(component, path)
    else:
        _check_display(component, path)
    if kind == SECTION:
        _check(component.get("accessory"), f"{path}.accessory", _ACCESSORIES)


def _check_part(part: Json, path: str) -> None:
    is_link = part["type"] == BUTTON and part.get("style") == _LINK
    name = part.get("url" if is_link else "custom_id")
    if not name or not isinstance(name, str):
        raise required(at=path)
    if not is_link and len(name) > 100:
        raise too_long(at=f"{path}.custom_id", most=100)
    if part["type"] == BUTTON and len(str(part.get("label") or "")) > 80:
        raise too_long(at=f"{path}.label", most=80)


def _check_display(component: Json, path: str) -> None:
    """Check a text, picture or file of a layout."""
    match component["type"]:
        case 10 if not component.get("content") or not isinstance(component["content"], str):
            raise required(at=f"{path}.content")
        case 11:
            _check_media(component.get("media"), f"{path}.media")
        case 12:
            items = as_list(component.get("items"), at=f"{path}.items")
            if not 1 <= len(items) <= _ITEMS:
                raise bad_length(at=f"{path}.items", least=1, most=_ITEMS)
            for place, item in enumerate(items):
                at = f"{path}.items.{place}"
                _check_media(as_object(item, at=at).get("media"), f"{at}.media")
        case 13:
            _check_media(component.get("file"), f"{path}.file")


def _check_media(media: object, path: str) -> None:
    address = as_object(media, at=path).get("url")
    if not isinstance(address, str) or not address.startswith(("http://", "https://", "attachment://")):
        raise not_one_of(at=f"{path}.url", choices="('http', 'https', 'attachment')")


def parts_of(components: Iterable[Json]) -> Iterator[Json]:
    """All *components*, at any depth."""
    for component in components:
        yield component
        yield from parts_of(component.get("components") or ())
        if component.get("accessory"):
            yield component["accessory"]


def texts_of(components: Iterable[Json]) -> list[str]:
    """The texts of a layout."""
    return [part["content"] for part in parts_of(components) if part.get("type") == TEXT]


def part_called(message: Json, name: str) -> Json:
    """The enabled button or menu of *message* with this id or, if only one has it, this label, placeholder or emoji."""
    parts = [part for part in parts_of(message["components"]) if part.get("custom_id") and not part.get("disabled")]
    for part in parts:
        if part["custom_id"] == name:
            return part
    found = [part for part in parts if name in _labels(part)]
    if len(found) == 1:
        return found[0]
    choices = ", ".join(" or ".join((part["custom_id"], *_labels(part))) for part in found or parts)
    problem = Sentence(
        "there is nothing to press under message {message} that is called {name}; there is {choices}"
        if not found
        else "more than one part of message {message} is called {name}; use an id: {choices}",
        message=message["id"],
        name=name,
        choices=choices or "-",
    )
    raise LookupError(problem)


def _labels(part: Json) -> tuple[str, ...]:
    """What people see on a button or a menu."""
    emoji = (part.get("emoji") or {}).get("name")
    return tuple(label for label in (part.get("label"), part.get("placeholder"), emoji) if label)
