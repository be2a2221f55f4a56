"""Facts with any values, as an edited trace may have them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

from hypothesis import strategies as st

from cadenza.facts import FACTS, VERSION, Edge, Fact

_TEXT = st.sampled_from(
    ["", "text", "thought", "Hello you.", "<think>a</think>", "a\nb", "\ud83c", "\x1b[", "stop", "{n}"]
)
_NUMBER = st.integers(0, 6)
_SECONDS = st.floats(0, 10)
_PLAIN: st.SearchStrategy[Any] = st.none() | st.booleans() | _NUMBER | _TEXT | st.lists(_TEXT, max_size=2)
_VALUES = st.dictionaries(st.sampled_from(["kind", "reason", "error", "text", "name", "on_stop"]), _PLAIN, max_size=3)
_EDGE = st.builds(Edge, _TEXT, _TEXT, _PLAIN, _TEXT)
_BY_TYPE: Mapping[str, st.SearchStrategy[Any]] = MappingProxyType(
    {
        "str": _TEXT,
        "str | None": st.none() | _TEXT,
        "int": _NUMBER,
        "float": _SECONDS,
        "float | None": st.none() | _SECONDS,
        "bool": st.booleans(),
        "object": _PLAIN,
        "Values": _VALUES,
        "Values | None": st.none() | _VALUES,
        "Mapping[str, float]": st.dictionaries(_TEXT, _SECONDS, max_size=2),
        "tuple[int, ...]": st.lists(_NUMBER, max_size=3).map(tuple),
        "tuple[str, ...]": st.lists(_TEXT, max_size=3).map(tuple),
        "Ranges": st.lists(st.tuples(_NUMBER, _NUMBER), max_size=3).map(tuple),
        "OriginRuns": st.lists(st.tuples(_NUMBER, st.integers(-1, 6), _TEXT), max_size=3).map(tuple),
        "Edge": _EDGE,
        "tuple[Edge, ...]": st.lists(_EDGE, max_size=2).map(tuple),
        "Edge | None": st.none() | _EDGE,
    }
)


def _of(kind: type[Fact]) -> st.SearchStrategy[Fact]:
    values = {spec.name: _BY_TYPE[str(spec.type)] for spec in fields(kind)}
    if "version" in values:
        values["version"] = st.just(VERSION)
    return st.builds(kind, **values)


ANY_FACT: st.SearchStrategy[Fact] = st.sampled_from([*FACTS.values()]).flatmap(_of)
