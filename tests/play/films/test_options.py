"""The options of ``cadenza explain``, checked."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from cadenza.cli.explain import add_explain
from cadenza.errors import CadenzaError
from cadenza.play.films.fault_names import RehearsalFault
from cadenza.play.films.options import ExplainOptions
from cadenza.settings import Settings
from cadenza.sim.rate_limits import Rate


def order(*words: str) -> ExplainOptions:
    """What is wanted by these words behind the file."""
    parser = argparse.ArgumentParser()
    add_explain(parser.add_subparsers())
    return ExplainOptions.of(parser.parse_args(["explain", "answer.md", *words]))


def test_nothing_but_a_file_leaves_all_as_it_is() -> None:
    plain = order()

    assert not plain.is_rehearsed
    assert [Settings()] == plain.settings(None)
    assert [Settings.of(degree=1)] == plain.settings(Settings.of(degree=1))
    assert ("answer.md", "answer.md") == (plain.name, plain.title)


@pytest.mark.parametrize(
    "words",
    [
        ("--set", "degree=1"),
        ("--rate", "10"),
        ("--asked", "Well?"),
        ("--limit", "off"),
        ("--fault", "lost"),
        ("--stop-at", "1"),
        ("--text",),
    ],
    ids=" ".join,
)
def test_whatever_changes_what_happens_is_rehearsed(words: tuple[str, ...]) -> None:
    assert order(*words).is_rehearsed


@pytest.mark.parametrize("words", [("--json",), ("--html", "-"), ("--message", "1"), ("--answer", "1")], ids=" ".join)
def test_how_it_is_told_changes_nothing(words: tuple[str, ...]) -> None:
    assert not order(*words).is_rehearsed


def test_settings_are_laid_over_each_other(tmp_path: Path) -> None:
    base, left, right = (tmp_path / name for name in ("base.toml", "left.toml", "right.toml"))
    base.write_text("degree = 1\nlimit = 100\n", encoding="utf-8")
    left.write_text("[delivery]\nlimit = 200\n", encoding="utf-8")
    right.write_text("", encoding="utf-8")

    wanted = order("--settings", str(base), "--diff", str(left), str(right), "--set", "seed=7")

    own = Settings.of(degree=3, use_emoji=False)
    assert [
        Settings.of(use_emoji=False, degree=1, limit=200, seed=7),
        Settings.of(use_emoji=False, degree=1, limit=100, seed=7),
    ] == wanted.settings(own)
    assert ("left.toml", "right.toml") == wanted.labels


def test_files_of_the_same_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    names = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.toml").write_text("", encoding="utf-8")
        names.append(str(tmp_path / folder / "x.toml"))

    assert tuple(names) == order("--diff", *names).labels


@pytest.mark.parametrize(
    ("word", "trouble"),
    [
        ("lost", RehearsalFault("lost")),
        ("rate_limitx3", RehearsalFault("rate_limit", 3)),
        ("refused@2", RehearsalFault("refused", 1, 2)),
        ("slowx2@4", RehearsalFault("slow", 2, 4)),
    ],
)
def test_a_fault_is_a_word(word: str, trouble: RehearsalFault) -> None:
    assert (trouble,) == order("--fault", word).base.faults


@pytest.mark.parametrize(("word", "limits"), [("off", None), ("5/2", Rate(5, 2.0)), ("1/0.5", Rate(1, 0.5))])
def test_a_limit_is_messages_and_seconds(word: str, limits: Rate | None) -> None:
    assert limits == order("--limit", word).base.limits


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        pytest.param(("--set", "degre=1"), "unknown setting 'degre'; did you mean 'degree'?", id="setting"),
        pytest.param(("--set", "degree=9"), "the setting 'degree' must be between 0 and 3", id="value"),
        pytest.param(("--set", "degree"), "a setting is given as name=value", id="no value"),
        pytest.param(("--settings", "nowhere.toml"), "cannot read the settings file 'nowhere.toml'", id="no file"),
        pytest.param(("--diff", "nowhere.toml", "x"), "cannot read the settings file 'nowhere.toml'", id="no sides"),
        pytest.param(("--fault", "boom"), "'boom' is not a known fault; choose one of rate_limit", id="fault"),
        pytest.param(("--fault", "lostx0"), "a fault happens at least once", id="never"),
        pytest.param(("--fault", "lost 2"), "what goes wrong is given as lost, lostx2 or lost@3", id="no fault"),
        pytest.param(("--limit", "many"), "a limit is a number of messages and of seconds, such as 5/5", id="limit"),
        pytest.param(("--limit", "0/5"), "a limit is a number of messages and of seconds, such as 5/5", id="none"),
        pytest.param(("--stop-at", "-1"), "a reply is stopped after some seconds, not -1", id="earlier"),
        pytest.param(("--stop-at", "nan"), "a reply is stopped after some seconds, not nan", id="no time"),
        pytest.param(("--asked", "x" * 2001), "a person can say at most 2000 characters", id="too long"),
        pytest.param(("--html", ""), "a page needs a file", id="no page"),
        pytest.param(("--html", "-", "--json"), "a page and JSON cannot both go to standard output", id="both"),
        pytest.param(("--html", "-", "--message", "1"), "--message chooses what is told", id="page of a message"),
        pytest.param(("--html", "."), "there is already '.'", id="in the way"),
    ],
)  # fmt: skip
def test_a_wrong_order_is_refused_in_a_sentence(words: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(CadenzaError) as caught:
        order(*words)

    assert str(caught.value).startswith(complaint)
    assert "\n" not in str(caught.value)


def test_toml_that_is_none_is_refused_in_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text("degree = = 1", encoding="utf-8")

    with pytest.raises(CadenzaError, match="is not valid TOML"):
        order("--diff", str(file), str(file))
