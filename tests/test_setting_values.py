"""The settings as a type checker knows them are those that there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, fields
from typing import Any, get_type_hints

from cadenza.setting_values import SettingValues
from cadenza.settings import Settings, settings_fields


def written(spec: Field[Any]) -> str:
    """The type of a setting, as ``setting_values`` writes it."""
    kind, one_of = spec.metadata["kind"], spec.metadata["one_of"]
    names = {tuple: "list[str] | tuple[str, ...]", Mapping: "Mapping[str, str]"}
    told = f"Literal[{', '.join(f'{value!r}' for value in one_of)}]" if one_of else ""
    return (told or names.get(kind) or kind.__name__) + (" | None" if spec.default is None else "")


def test_every_setting_has_its_type() -> None:
    known = {name: hint.__forward_arg__.replace('"', "'") for name, hint in SettingValues.__annotations__.items()}
    sections = {section.name: "Mapping[str, object]" for section in fields(Settings)}

    assert sections | {spec.name: written(spec) for _, spec in settings_fields()} == known
    assert get_type_hints(SettingValues)
