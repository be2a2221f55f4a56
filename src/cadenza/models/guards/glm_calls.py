"""Calls in GLM's notation: the name of a tool, and each argument in a pair of tags.

::

    <tool_call>weather
    <arg_key>city</arg_key>
    <arg_value>Oslo</arg_value>
    </tool_call>

The model was trained on this, but its output may differ. A nearly correct name is accepted, a tag may have the brackets
of another script or invisible characters in it, and an end tag may be missing. Arguments may also be a JSON object, or
lines such as ``city: Oslo``. Values are text; where a tool expects a number, the text is converted.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from types import MappingProxyType
from typing import NamedTuple, NoReturn

from ...types import ToolSpec

OPENING = "<＜﹤〈《⟨❮‹"  # lookalikes are the point
"""Brackets that open a tag."""
_CLOSING = ">＞﹥〉》⟩❯›"  # lookalikes are the point
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff"
_SPELT = str.maketrans({**dict.fromkeys(OPENING, "<"), **dict.fromkeys(_CLOSING, ">"), **dict.fromkeys(_INVISIBLE, "")})
_GAP = f"[{_INVISIBLE}]{{0,2}}"

_ALIKE = 0.88
"""Least similarity of names: about one letter in nine may be wrong."""
_DEEPEST = 100
"""Most brackets in a value that is parsed as JSON; with more it stays text."""

Schema = Mapping[str, object]
_ANYTHING: Schema = MappingProxyType({})


def spelt(text: str) -> str:
    """*text* with plain brackets and without invisible characters."""
    return text.translate(_SPELT)


def tag(word: str) -> str:
    """A pattern for the tag ``<word>``, in any brackets."""
    return f"{_unclosed(word)}[{_CLOSING}]"


def _end_tag(word: str) -> str:
    """A pattern for ``</word>``, whose last bracket may be missing."""
    return f"{_unclosed('/' + word)}(?:[{_CLOSING}]|(?=\\s{{0,8}}(?:[{OPENING}]|\\Z)))"


def _unclosed(word: str) -> str:
    return f"[{OPENING}]{_GAP}" + "".join(re.escape(letter) + _GAP for letter in word)


_TAG = re.compile(
    f"(?P<KEY>{tag('arg_key')})|(?P<KEY_END>{_end_tag('arg_key')})"
    f"|(?P<VALUE>{tag('arg_value')})|(?P<VALUE_END>{_end_tag('arg_value')})"
)
_NAME = re.compile(rf"[\s`\"'*{_INVISIBLE}]{{0,16}}(?P<name>[\w.:/{_INVISIBLE}-]{{1,128}})")
_NAMESPACE = re.compile("[.:/]")
_SEPARATOR = re.compile(r"[\W_]+")
_AROUND_ARGUMENTS = " \t\r\n\"'`*()"
_NOTES = tuple(
    re.compile(rf"\s*(?:[-*]\s+)?[\"'`]?(?P<key>\w[\w.-]{{0,63}})[\"'`]?[ \t]*{mark}[ \t]*(?P<value>\S.*)")
    for mark in (":", "=")
)
_QUOTED = re.compile(r"(?P<quote>[\"'`])(?P<text>.*)(?P=quote)", re.DOTALL)


class ParsedCall(NamedTuple):
    """A call: the tool, and its arguments as JSON, possibly cut off."""

    name: str
    arguments: str


class CallEnd(Enum):
    """How a call ended."""

    SEEN = auto()
    """With an end tag, or because something else follows."""
    STOPPED = auto()
    """The model ended its answer inside the call: what was begun is incomplete, but nothing else is missing."""
    CUT = auto()


class GlmTools:
    """The known tools, and the interpretation of their calls."""

    def __init__(self, tools: Iterable[ToolSpec]) -> None:
        self._schemas = {tool.name: _properties(tool.parameters) for tool in tools}
        self._names = _Names(self._schemas)

    def __bool__(self) -> bool:
        return bool(self._schemas)

    def named(self, name: str) -> str | None:
        """The tool meant by *name*; ``None`` if there is none."""
        return self._names.nearest(name) or self._names.nearest(_NAMESPACE.split(name)[-1])

    def read(self, source: str, end: CallEnd) -> ParsedCall | None:
        """The call in *source*; ``None`` if it makes no sense.

        If part of it is missing, its JSON breaks off after the last complete argument.
        """
        first = _TAG.search(source)
        head = source[: first.start()] if first else source
        if head.lstrip().startswith("{"):
            return self._all_json(head)
        match = _NAME.match(head)
        if match is None:
            return None
        called = spelt(match["name"])
        name = self.named(called)
        if name is None and end is not CallEnd.SEEN:
            return None  # may be the beginning of any name
        name = name or called
        if first is None:
            return self._without_tags(name, head[match.end() :], end)
        pairs = _Pairs(source[first.start() :], end)
        return ParsedCall(name, self._arguments(name, pairs.found, is_whole=pairs.is_whole))

    def _all_json(self, source: str) -> ParsedCall | None:
        """A call in other models' notation: ``{"name": "weather", "arguments": {}}``."""
        match _json(source):
            case {"name": str(name), "arguments": dict(arguments)} | {"name": str(name), "parameters": dict(arguments)}:
                return ParsedCall(self.named(name) or name, json.dumps(arguments, ensure_ascii=False))
            case _:
                return None

    def _without_tags(self, name: str, body: str, end: CallEnd) -> ParsedCall | None:
        """Arguments as a JSON object, as lines, or none."""
        body = body.strip(_AROUND_ARGUMENTS)
        if body.startswith("{"):
            return ParsedCall(name, body)
        if not body:
            return ParsedCall(name, self._arguments(name, (), is_whole=end is not CallEnd.CUT))
        for note in _NOTES:
            lines = [note.fullmatch(line.rstrip(" \t\r,")) for line in body.split("\n") if line.strip()]
            noted = [(line["key"], _unquoted(line["value"])) for line in lines if line]
            if len(noted) == len(lines):
                return ParsedCall(name, self._arguments(name, noted, is_whole=end is CallEnd.SEEN))
        return None

    def _arguments(self, name: str, pairs: Sequence[tuple[str, str]], *, is_whole: bool) -> str:
        schemas = self._schemas.get(name, {})
        names = _Names(schemas)
        named = ((names.nearest(key) or key, value) for key, value in pairs)
        values = {key: _meant(value, schemas.get(key, _ANYTHING)) for key, value in named}
        written = json.dumps(values, ensure_ascii=False)
        return written if is_whole else f"{written[:-1]}{',' if values else ''}"


# --- pairs of tags ----------------------------------------------------------------


class _In(Enum):
    """The position between tags."""

    NOTHING = auto()
    KEY = auto()
    KEY_END = auto()
    VALUE = auto()


class _Pairs:
    """Reads key-value pairs, each tag once."""

    def __init__(self, source: str, end: CallEnd) -> None:
        self.found: list[tuple[str, str]] = []
        self._source = source
        self._where = _In.NOTHING
        self._key = ""
        self._start = 0
        for match in _TAG.finditer(source):
            self._take(match)
        if self._where is _In.VALUE and end is CallEnd.SEEN:
            self._put(source[self._start :].rstrip())
        self.is_whole = end is not CallEnd.CUT and self._where is _In.NOTHING
        """Whether nothing is missing except the end tag of a value."""

    def _take(self, match: re.Match[str]) -> None:
        text = self._source[self._start : match.start()]
        match match.lastgroup, self._where:
            case "KEY", _:
                if self._where is _In.VALUE:  # the end tag is missing
                    self._put(text.rstrip())
                self._go_on(_In.KEY, match)
            case "KEY_END" | "VALUE", _In.KEY:
                self._key = spelt(text).strip()
                self._go_on(_In.KEY_END if match.lastgroup == "KEY_END" else _In.VALUE, match)
            case "VALUE", _In.KEY_END:
                self._go_on(_In.VALUE, match)
            case "VALUE_END", _In.VALUE:
                self._put(text)
            case "VALUE_END", _In.KEY_END:  # the opening tag is missing
                self._put(text.strip())
            case _:
                pass  # a tag inside a value, or a stray one

    def _go_on(self, where: _In, match: re.Match[str]) -> None:
        self._where, self._start = where, match.end()

    def _put(self, value: str) -> None:
        self.found.append((self._key, value))
        self._where = _In.NOTHING


# --- names and values ---------------------------------------------------------------


class _Names:
    """Names that may be written in another case, with other dashes, or with a typo."""

    def __init__(self, names: Iterable[str]) -> None:
        self._known = frozenset(names)
        self._plain = {_plain(name): name for name in self._known}

    def nearest(self, name: str) -> str | None:
        """The known name closest to *name*; ``None`` if none is close enough.

        The first letter must match: ``unlock`` is not ``lock``, and ``set_user`` is not ``get_user``.
        """
        if name in self._known:
            return name
        plain = _plain(name)
        if plain in self._plain:
            return self._plain[plain]
        alike = [known for known in self._plain if known[:1] == plain[:1]]
        close = difflib.get_close_matches(plain, alike, n=1, cutoff=_ALIKE)
        return self._plain[close[0]] if close else None


def _plain(name: str) -> str:
    return _SEPARATOR.sub("", name).casefold()


def _properties(parameters: Schema) -> dict[str, Schema]:
    found = parameters.get("properties")
    if not isinstance(found, Mapping):
        return {}
    return {name: schema if isinstance(schema, Mapping) else _ANYTHING for name, schema in found.items()}


def _meant(text: str, schema: Schema) -> object:
    """*text* converted to the type in *schema*, if possible."""
    types = set(_types(schema))
    if "string" in types:
        return text
    word = text.strip()
    value = _json(word.lower() if word.lower() in ("true", "false", "null") else word)
    if value is _NO_JSON:
        return text
    if "integer" in types and isinstance(value, float) and value.is_integer():
        return int(value)
    return value if not types or types & _types_of(value) else text


def _types(schema: Schema) -> Iterator[str]:
    match schema.get("type"):
        case str(name):
            yield name
        case list(names) | tuple(names):
            yield from map(str, names)
    for several in ("anyOf", "oneOf"):
        inner = schema.get(several)
        for one in inner if isinstance(inner, list | tuple) else ():
            if isinstance(one, Mapping):
                yield from _types(one)


def _types_of(value: object) -> set[str]:
    match value:
        case bool():
            return {"boolean"}
        case int():
            return {"integer", "number"}
        case float():
            return {"number"}
        case list():
            return {"array"}
        case dict():
            return {"object"}
        case None:
            return {"null"}
        case _:
            return {"string"}


_NO_JSON = object()


def _json(text: str) -> object:
    """*text* parsed as JSON; ``_NO_JSON`` if it is invalid or nests too deep."""
    if text.count("[") + text.count("{") > _DEEPEST:
        return _NO_JSON
    try:
        return json.loads(text, parse_constant=_refuse)
    except ValueError:
        return _NO_JSON


def _refuse(constant: str) -> NoReturn:
    """Refuse ``NaN``, which Python parses, but which is not JSON."""
    raise ValueError(constant)


def _unquoted(text: str) -> str:
    quoted = _QUOTED.fullmatch(text)
    return quoted["text"] if quoted else text
