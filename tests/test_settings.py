from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest

from cadenza.errors import SettingsError
from cadenza.settings import Settings, from_environment, given, settings_fields


def complaint(values: dict[str, object]) -> str:
    """What is said about *values*, which must be refused."""
    with pytest.raises(SettingsError) as caught:
        Settings().with_values(values)
    return str(caught.value)


# --- the fields ---------------------------------------------------------------


def test_a_name_belongs_to_one_section_only() -> None:
    names = [spec.name for _, spec in settings_fields()]

    assert sorted(set(names)) == sorted(names)


def test_every_default_is_right_by_its_own_rules() -> None:
    for section, spec in settings_fields():
        assert Settings() == Settings().with_values({section: {spec.name: spec.default}}), spec.name
        assert spec.metadata["about"], spec.name


def test_settings_cannot_be_changed_in_place() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings().delivery.degree = 1  # type: ignore[misc]


# --- values that are taken ------------------------------------------------------


def test_a_setting_may_be_given_flat_or_in_its_section() -> None:
    flat = Settings.of(degree=1)

    assert flat == Settings().with_values({"delivery": {"degree": 1}})
    assert flat.delivery.degree == 1


def test_what_is_not_named_stays() -> None:
    base = Settings.of(degree=1, overflow=500)

    changed = base.with_values({"delivery": {"limit": 100}})

    assert (changed.delivery.degree, changed.delivery.limit, changed.buffer.overflow) == (1, 100, 500)
    assert base.delivery.limit == Settings().delivery.limit


def test_a_whole_number_will_do_for_a_number() -> None:
    typing_speed = Settings.of(typing_speed=1).delivery.typing_speed

    assert (1.0, float) == (typing_speed, type(typing_speed))


@pytest.mark.parametrize("value", [["a", "b"], ("a", "b")], ids=["a list, as in a file", "a tuple, as in code"])
def test_a_list_of_texts_is_kept_as_a_tuple(value: object) -> None:
    assert ("a", "b") == Settings.of(rules_off=value).rules.rules_off


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("degree", 0, id="lowest degree"),
        pytest.param("degree", 3, id="highest degree"),
        pytest.param("limit", 50, id="lowest limit"),
        pytest.param("limit", 100_000, id="highest limit"),
        pytest.param("on_stop", "clause", id="one of several"),
        pytest.param("seed", 10**20, id="no upper end"),
    ],
)
def test_the_ends_of_a_range_belong_to_it(name: str, value: object) -> None:
    settings = Settings().with_values({name: value})

    assert value in [getattr(getattr(settings, section), name, None) for section in ("delivery", "turn")]


# --- values that are refused ------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "said"),
    [
        pytest.param({"degre": 1}, "unknown setting 'degre'; did you mean 'degree'?", id="close by"),
        pytest.param({"zzz": 1}, "unknown setting 'zzz'; known are context_tokens,", id="nothing close"),
        pytest.param({"Degree": 1}, "did you mean 'degree'?", id="capital"),
        pytest.param(
            {"delivery": {"lmit": 1}},
            "unknown setting 'lmit' in the section 'delivery'; did you mean 'limit'?",
            id="in",
        ),
        pytest.param({"buffer": {"degree": 1}}, "unknown setting 'degree' in the section 'buffer'", id="elsewhere"),
        pytest.param({"": 1}, "unknown setting ''", id="empty name"),
    ],
)
def test_an_unknown_name_is_refused_with_a_hint(values: dict[str, object], said: str) -> None:
    assert said in complaint(values)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        pytest.param({"degree": "1"}, "'degree' must be a whole number, not '1'", id="text for int"),
        pytest.param({"degree": True}, "'degree' must be a whole number, not True", id="bool for int"),
        pytest.param({"degree": 1.0}, "'degree' must be a whole number, not 1.0", id="float for int"),
        pytest.param({"gather": None}, "'gather' must be a whole number, not None", id="none for int"),
        pytest.param({"typing_speed": True}, "'typing_speed' must be a number, not True", id="bool for float"),
        pytest.param({"typing_speed": "fast"}, "'typing_speed' must be a number, not 'fast'", id="text for float"),
        pytest.param({"on_stop": 1}, "'on_stop' must be one of 'silence', 'clause', not 1", id="int for text"),
        pytest.param({"degree": {"degree": 1}}, "'degree' must be a whole number", id="table for int"),
        pytest.param({"delivery": 3}, "the section 'delivery' must hold settings, not 3", id="section not a table"),
        pytest.param({"rules_off": "emoji"}, "'rules_off' must be a list of texts, not 'emoji'", id="text for list"),
        pytest.param({"rules_off": [1]}, "'rules_off' must be a list of texts, not [1]", id="list of something else"),
        pytest.param({"delivery": [1]}, "the section 'delivery' must hold settings, not [1]", id="section a list"),
    ],
)
def test_a_wrong_type_is_refused(values: dict[str, object], said: str) -> None:
    assert said in complaint(values)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        pytest.param("degree", -1, "must be between 0 and 3, not -1", id="too low"),
        pytest.param("degree", 4, "must be between 0 and 3, not 4", id="too high"),
        pytest.param("limit", 100_001, "must be between 50 and 100000", id="longer than any message"),
        pytest.param("thinking_chance", 1.01, "must be between 0.0 and 1.0", id="chance above one"),
        pytest.param("seed", -1, "must be at least 0", id="open range"),
        pytest.param("typing_speed", math.nan, "must be between 0.0 and 10.0, not nan", id="NaN"),
        pytest.param("idle_timeout", math.nan, "must be at least 0.001, not nan", id="NaN in an open range"),
        pytest.param("idle_timeout", 0, "must be at least 0.001", id="no time at all"),
        pytest.param("typing_speed", math.inf, "must be between", id="infinity"),
        pytest.param("on_stop", "panic", "must be one of 'silence', 'clause', not 'panic'", id="none of these"),
        pytest.param("typing_speed", 10**400, "must be", id="a whole number too large for a float"),
    ],
)
def test_a_value_out_of_range_is_refused(name: str, value: object, said: str) -> None:
    assert said in complaint({name: value})


def test_a_long_value_is_shown_short() -> None:
    assert len(complaint({"degree": "x" * 10_000})) < 150


# --- files ------------------------------------------------------------------------


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "cadenza.toml"
    path.write_text("overflow = 500\n[delivery]\ndegree = 1\n", encoding="utf-8")

    assert Settings.of(overflow=500, degree=1) == Settings.load(path)
    assert Settings.load(path) == Settings.load(str(path))


def test_settings_may_be_named_at_once() -> None:
    assert Settings.of(degree=1, limit=100) == Settings.of(degree=1, limit=100)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(b"degree = ", "is not valid TOML", id="invalid"),
        pytest.param(b"degree = 1\ndegree = 2\n", "is not valid TOML", id="twice"),
        pytest.param(b'on_stop = "\xff"\n', "is not valid TOML", id="not UTF-8"),
        pytest.param(b"degree = 9\n", "'degree' must be between 0 and 3", id="out of range"),
        pytest.param(b"delivery = 1\n", "the section 'delivery' must hold settings", id="section not a table"),
        pytest.param(b"degree = nan\n", "'degree' must be a whole number", id="NaN"),
    ],
)
def test_a_bad_file_is_refused_in_a_sentence(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "cadenza.toml"
    path.write_bytes(data)

    with pytest.raises(SettingsError) as caught:
        Settings.load(path)

    assert said in str(caught.value)


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"cannot read the settings file .*nowhere\.toml.*No such file"):
        Settings.load(tmp_path / "nowhere.toml")


def test_a_directory_is_no_settings_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot read the settings file"):
        Settings.load(tmp_path)


def test_a_path_that_no_file_can_have_is_refused_too() -> None:
    with pytest.raises(SettingsError, match="cannot read the settings file"):
        Settings.load("nul\0byte.toml")


# --- the environment and the command line -----------------------------------------------------


def test_the_first_variable_in_which_something_stands_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"A_KEY": "  ", "B_KEY": " b\n", "C_KEY": "c"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_KEY", raising=False)

    assert "b" == from_environment(["NO_KEY", "A_KEY", "B_KEY", "C_KEY"])
    assert "" == from_environment(["NO_KEY", "A_KEY"]) == from_environment([])


@pytest.mark.parametrize(
    ("word", "value"),
    [
        pytest.param("degree=1", 1, id="a number"),
        pytest.param("degree = 0.5", 0.5, id="with spaces"),
        pytest.param("degree=true", True, id="true"),
        pytest.param("degree=picture", "picture", id="a text"),
        pytest.param('degree="1"', "1", id="a text in quotes"),
        pytest.param('degree=["a", "b"]', ["a", "b"], id="a list"),
        pytest.param("degree=a=b", "a=b", id="a sign in the value"),
        pytest.param("degree=", "", id="nothing"),
        pytest.param("degree=1\nlimit = 2", "1\nlimit = 2", id="not two of them"),
    ],
)
def test_a_setting_on_the_command_line_is_toml_or_a_text(word: str, value: object) -> None:
    assert {"degree": value} == given([word])


@pytest.mark.parametrize("word", ["degree", "=1", ""])
def test_what_is_no_setting_is_refused(word: str) -> None:
    with pytest.raises(SettingsError, match="name=value"):
        given([word])


def test_what_may_hold_a_key_is_not_shown() -> None:
    settings = Settings.of(headers={"x-key": "sk-secret"}, proxy="http://me:sk-secret@proxy.example")

    assert "sk-secret" not in repr(settings) + repr(settings.http)


@pytest.mark.parametrize(
    "values",
    [
        pytest.param({"headers": {"authorization": "sk-secret", "x": 5}}, id="a header that is no text"),
        pytest.param({"headers": "sk-secret"}, id="no headers"),
        pytest.param({"proxy": ["http://me:sk-secret@proxy.example"]}, id="no address"),
    ],
)
def test_what_may_hold_a_key_is_not_shown_when_it_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(SettingsError) as refused:
        Settings().with_values(values)

    assert "sk-secret" not in str(refused.value)
