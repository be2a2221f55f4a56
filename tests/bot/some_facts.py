"""Facts of which only some values matter."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from cadenza.facts import Edge, Fact, LoggedFact

_BLANK: dict[str, object] = {
    "str": "",
    "int": 0,
    "float": 0.0,
    "bool": False,
    "Edge": Edge("reply"),
    "Values": {},
    "Mapping[str, float]": {},
}
"""Values by the type of their field; other types are tuples."""


def logged(kind: type[Fact], at: float = 0.0, turn: str = "t", /, **values: Any) -> LoggedFact:
    """A fact of *kind* with these *values*; all others are blank."""
    blank = {
        spec.name: None if "None" in str(spec.type) or spec.type == "object" else _BLANK.get(str(spec.type), ())
        for spec in fields(kind)
        if spec.default is MISSING and spec.default_factory is MISSING
    }
    return LoggedFact(kind(**{**blank, **values}), at, turn)
