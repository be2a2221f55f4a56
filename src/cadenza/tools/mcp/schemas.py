"""Foreign JSON Schemas, simplified to what every provider accepts.

Providers refuse references, or follow them only one step; some refuse ``anyOf`` at the top level, and unknown keywords.
The server checks the arguments itself, so a condition that cannot be simplified is dropped. The result never forbids
what the server accepts.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import unquote

_MOST = 2000
"""Schemas in one: nested references can unfold to any size."""
_DEEPEST = 48

_IN_ONE = frozenset(
    [
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    ]
)
"""Keywords whose value is a schema."""
_IN_LIST = frozenset(["allOf", "anyOf", "items", "oneOf", "prefixItems"])
"""Keywords whose value is a list of schemas; in old drafts also ``items``."""
_IN_TABLE = frozenset(["dependentSchemas", "patternProperties", "properties"])
"""Keywords whose value maps names to schemas."""
_DROPPED = frozenset(["definitions", "dependencies"])
"""Definitions, and a keyword of old drafts."""
_NOTES = frozenset(["default", "deprecated", "description", "examples", "readOnly", "title", "writeOnly"])
"""Keywords that restrict nothing."""
_CHOICES = ("allOf", "anyOf", "oneOf")
_NOT_ON_TOP = frozenset(["dependentSchemas", "else", "if", "not", "then", *_CHOICES])


def parameters(schema: Mapping[str, object]) -> dict[str, object]:
    """*schema* as an object schema without references and without alternatives at the top level."""
    top = _Inliner(schema).cleaned(schema)
    properties, required = _gathered(top)
    rest = {key: value for key, value in top.items() if key not in _NOT_ON_TOP}
    found = {**rest, "type": "object", "properties": properties}
    found.pop("required", None)
    return {**found, "required": required} if required else found


def _gathered(schema: Mapping[str, object]) -> tuple[dict[str, object], list[object]]:
    """The properties of *schema* and of its alternatives, and those that are always required."""
    own, wanted = schema.get("properties"), schema.get("required")
    properties = dict(own) if isinstance(own, Mapping) else {}
    required = list(wanted) if isinstance(wanted, list) else []
    for keyword in _CHOICES:
        found = schema.get(keyword)
        branches = [branch for branch in found if isinstance(branch, Mapping)] if isinstance(found, list) else []
        parts = [_gathered(branch) for branch in branches]
        # An alternative without properties accepts every object, so the properties of the others are open.
        takes_any = (not own and _may_be_object(branch) for branch, (own, _) in zip(branches, parts, strict=True))
        is_open = keyword != "allOf" and any(takes_any)
        for more, needed in parts:
            for name, said in more.items():
                part = {} if is_open else said
                properties[name] = _either(properties[name], part) if name in properties else part
            required += [name for name in needed if keyword == "allOf" and name not in required]
    return properties, [name for name in required if name in properties]


def _may_be_object(schema: Mapping[str, object]) -> bool:
    kind = schema.get("type", "object")
    return kind == "object" or (isinstance(kind, list) and "object" in kind)


def _either(one: object, other: object) -> object:
    """A schema that accepts both."""
    return one if one == other else {"anyOf": [one, other]}


class _Inliner:
    """Replaces references by their targets. A recursive reference becomes an open schema."""

    def __init__(self, root: Mapping[str, object]) -> None:
        self._root = root
        self._left = _MOST

    def cleaned(self, schema: Mapping[str, object], within: tuple[str, ...] = (), depth: int = 0) -> dict[str, object]:
        """*schema*, which is inside the targets of *within*, without keywords that providers refuse."""
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST:
            return {}
        kept = {
            key: self._value(key, value, within, depth + 1)
            for key, value in schema.items()
            if not key.startswith(("$", "x-")) and key not in _DROPPED
        }
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return kept
        meant = {} if reference in within else self._meant(reference)
        target = self.cleaned(meant, (*within, reference), depth + 1)
        if (target.keys() & kept.keys()) <= _NOTES:
            return {**target, **kept}
        return {"allOf": [target, kept]}

    def _value(self, key: str, value: object, within: tuple[str, ...], depth: int) -> object:
        match value:
            case Mapping() if key in _IN_TABLE:
                return {name: self._schema(part, within, depth) for name, part in value.items()}
            case list() if key in _IN_LIST:
                return [self._schema(part, within, depth) for part in value]
            case Mapping() if key in _IN_ONE:
                return self.cleaned(value, within, depth)
            case _:
                return value

    def _schema(self, part: object, within: tuple[str, ...], depth: int) -> object:
        match part:
            case Mapping():
                return self.cleaned(part, within, depth)
            case False:
                return {"not": {}}
            case _:
                return {}  # ``true``, or nonsense

    def _meant(self, reference: str) -> Mapping[str, object]:
        """The target of *reference* in this document; an open schema if it is elsewhere."""
        if not reference.startswith("#"):
            return {}
        place: object = self._root
        for step in unquote(reference[1:]).split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            match place:
                case Mapping():
                    place = place.get(name)
                case list() if name.isdecimal() and int(name) < len(place):
                    place = place[int(name)]
                case _:
                    return {}
        is_anchor = len(reference) > 1 and not reference.startswith("#/")
        return place if isinstance(place, Mapping) and not is_anchor else {}
