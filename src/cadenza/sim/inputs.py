"""The inputs of commands, menus and forms. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import Sentence
from .api_errors import as_list, as_object, bad_length, required
from .wire import Json

_KINDS: Mapping[type, int] = {bool: 5, int: 4, float: 10}
_TEXT, _WHOLE, _SWITCH, _NUMBER = 3, 4, 5, 10
_TYPES: Mapping[int, tuple[str, tuple[type, ...]]] = {
    _WHOLE: ("a whole number", (int,)),
    _SWITCH: ("true or false", (bool,)),
    _NUMBER: ("a number", (int, float)),
}
_LARGEST = 2**53
_LONGEST = 6000
"""The bounds of an option that sets none."""
_GROUPS = (1, 2)
"""Option types of subcommands and their groups."""
_TEXT_MENU = 3
_MODAL_TITLE = 45
_MODAL_PARTS = 5
_LABEL = 18
_TEXT_INPUT = 4


def find_command(commands: Iterable[Json], name: str) -> tuple[Json, Sequence[str]] | None:
    """The command that *name* begins with, and the words of its subcommand."""
    for command in commands:
        if command["name"] == name:
            return command, ()
        if name.startswith(f"{command['name']} ") and command["type"] == 1:
            return command, name.split()[1:]
    return None


def as_options(
    known: object, words: Sequence[str], values: Mapping[str, Any], *, is_complete: bool = True
) -> list[Json]:
    """The options of a command as sent: *values* by name, nested under the subcommand *words*.

    Values that Discord's client would refuse are refused, unless somebody is still typing them (not *is_complete*).
    """
    options = {option["name"]: option for option in known or ()}  # type: ignore[attr-defined]  # a list, as it was put
    if not words:
        if is_complete:
            _check_values(options, values)
        return [_as_option(options.get(name, {}), name, value) for name, value in values.items()]
    inner = options.get(words[0])
    if inner is None or inner["type"] not in _GROUPS:
        message = Sentence("there is no subcommand {name}", name=words[0])
        raise LookupError(message)
    below = as_options(inner.get("options"), words[1:], values, is_complete=is_complete)
    return [{"name": words[0], "type": inner["type"], "options": below}]


def _check_values(options: Mapping[str, Json], values: Mapping[str, Any]) -> None:
    """Refuse *values* that Discord's client would not send: a required one is missing, or one is wrong."""
    missing = next((name for name, option in options.items() if option.get("required") and name not in values), None)
    if missing is not None:
        raise ValueError(Sentence("the option {name} is required", name=missing))
    for name in options.keys() & values:
        _check_value(options[name], values[name])


def _as_option(known: Json, name: str, value: Any) -> Json:
    kind = known.get("type") or _KINDS.get(type(value), _TEXT)
    return {"name": name, "type": kind, "value": value if type(value) in (*_KINDS, str) else str(value)}


def _check_value(option: Json, value: Any) -> None:
    """Check that *value* can be given to *option*; if not, the test is wrong."""
    name, kind = option["name"], option["type"]
    what, types = _TYPES.get(kind, ("", (object,)))
    if what and not (isinstance(value, types) and isinstance(value, bool) is (kind == _SWITCH)):
        message = Sentence(
            "the option {name} must be {what}, not {value}", name=name, what=Sentence(what), value=repr(value)
        )
        raise ValueError(message)
    low, high = option.get("min_value", -_LARGEST), option.get("max_value", _LARGEST)
    if kind in (_WHOLE, _NUMBER) and not low <= value <= high:
        message = Sentence(
            "the option {name} must be between {low} and {high}, not {value}",
            name=name,
            low=low,
            high=high,
            value=value,
        )
        raise ValueError(message)
    least, most = option.get("min_length", 0), option.get("max_length", _LONGEST)
    if kind == _TEXT and not least <= len(str(value)) <= most:
        message = Sentence(
            "the option {name} must have {least} to {most} characters, not {count}",
            name=name,
            least=least,
            most=most,
            count=len(str(value)),
        )
        raise ValueError(message)
    choices = [choice["value"] for choice in option.get("choices") or ()]
    if choices and value not in choices:
        message = Sentence(
            "the option {name} cannot be {value}; there is {choices}",
            name=name,
            value=repr(value),
            choices=str(choices),
        )
        raise LookupError(message)


def flat(options: Iterable[Json]) -> Iterator[Json]:
    """The options with values, at any depth."""
    for option in options:
        if "value" in option:
            yield option
        yield from flat(option.get("options", ()))


def as_choice(menu: Json, chosen: Sequence[str]) -> list[str]:
    """The values of the options that are *chosen* from *menu* by value or label; if they cannot be, the test is wrong."""
    options = menu.get("options") or ()
    labels = {str(option.get("label")): str(option.get("value")) for option in options}
    known = {str(option.get("value")) for option in options}
    values = [name if name in known else labels.get(name, name) for name in chosen]
    least, most = menu.get("min_values", 1), menu.get("max_values", 1)
    if not least <= len(values) <= most:
        message = Sentence(
            "{count} are chosen, and the menu takes {least} to {most}", count=len(values), least=least, most=most
        )
        raise ValueError(message)
    if menu["type"] == _TEXT_MENU and not known.issuperset(values):
        message = Sentence(
            "{values} cannot be chosen; there is {known}",
            values=str(sorted(set(values) - known)),
            known=str(sorted(known)),
        )
        raise LookupError(message)
    return values


def as_modal(data: Json) -> Json:
    """Validate a form that a bot shows."""
    if not isinstance(data.get("custom_id"), str) or not data["custom_id"]:
        raise required(at="data.custom_id")
    if not 1 <= len(str(data.get("title") or "")) <= _MODAL_TITLE:
        raise bad_length(at="data.title", least=1, most=_MODAL_TITLE)
    parts = as_list(data.get("components"), at="data.components")
    if not 1 <= len(parts) <= _MODAL_PARTS:
        raise bad_length(at="data.components", least=1, most=_MODAL_PARTS)
    for place, part in enumerate(parts):
        at = f"data.components.{place}"
        as_object(part, at=at)
        for inner in _inner(part, at):
            if inner.get("type") == _TEXT_INPUT and not isinstance(inner.get("custom_id"), str):
                raise required(at=f"{at}.custom_id")
    return data


def _inner(part: Json, at: str) -> list[Json]:
    """The parts of a row or a label."""
    if part.get("type") == _LABEL:
        return [as_object(part.get("component"), at=f"{at}.component")]
    return [as_object(inner, at=f"{at}.components") for inner in as_list(part.get("components"), at=f"{at}.components")]


def filled_in(modal: Json, texts: Mapping[str, str]) -> list[Json]:
    """The parts of *modal* as sent, with *texts* by the id or the label of their field."""
    left = dict(texts)
    parts = [_filled_in(part, left) for part in modal["components"]]
    if left:
        message = Sentence("there is nothing to fill in that is called {left}", left=", ".join(left))
        raise LookupError(message)
    return parts


def _filled_in(part: Json, left: dict[str, str]) -> Json:
    if part.get("type") == _LABEL:
        return {"type": _LABEL, "id": 0, "component": _written(part["component"], part.get("label"), left)}
    inner = [_written(one, one.get("label"), left) for one in part.get("components") or ()]
    return {"type": part.get("type", 1), "components": inner}


def _written(field: Json, label: object, left: dict[str, str]) -> Json:
    id_ = str(field.get("custom_id", ""))
    name = id_ if id_ in left else str(label)
    shape: Json = {"type": field.get("type"), "id": 0, "custom_id": id_}
    if field.get("type") != _TEXT_INPUT:
        return shape | {"values": as_choice(field, [left.pop(name)]) if name in left else []}
    text = left.pop(name, field.get("value") or "")
    least, most = field.get("min_length") or 0, field.get("max_length") or 4000
    if not (text or not field.get("required", True)) or not (not text or least <= len(text) <= most):
        message = Sentence(
            "what is written into {name} must have {least} to {most} characters",
            name=label or id_,
            least=max(least, 1),
            most=most,
        )
        raise ValueError(message)
    return shape | {"value": text}
