"""Whatever the server refuses is said in the language of the page: every sentence, wherever it comes from."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cadenza.bot.terminal_input import command_of
from cadenza.errors import CadenzaError, Sentence
from cadenza.languages import catalogue, languages, rendered
from cadenza.play.films.fault_names import RehearsalFault
from cadenza.play.films.sources import understood
from cadenza.play.server import request_types
from cadenza.play.server.filming import rehearsed
from cadenza.play.server.request_types import check_changeable
from cadenza.settings import Settings, settings_fields
from cadenza.sim import api_errors as discord
from cadenza.sim.inputs import as_choice, as_options, filled_in
from cadenza.sim.wire import Refusal
from tests.play.server.sentences import found, refusals

BOUNDS = (("low", -1), ("high", 1))
OTHERS = [language for language in languages() if language != "en"]
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\[[^\]]*\]|\{.*\}|（[A-Z0-9][^）]*）")
ENGLISH = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")


def assert_told(sentence: str, language: str = "ja") -> None:
    """That *sentence* is wholly said in another language, but for names and for what was given."""
    told = rendered(sentence, language)
    assert sentence != told
    assert not ENGLISH.search(QUOTED.sub("…", told)), told


# --- as they stand in the source ---------------------------------------------------------------


@pytest.mark.parametrize("language", OTHERS)
def test_every_refusal_that_can_reach_a_page_is_in_the_catalogue(language: str) -> None:
    """One that is missing needs words in ``errors.po``, or, if no page can be told it, its function a place in ``WHO``."""
    sentences = refusals()

    assert len(sentences) > 90
    assert [] == [one for one in sentences if one[1] not in catalogue(language)]


@pytest.mark.parametrize("language", OTHERS)
def test_all_that_discord_refuses_is_in_the_catalogue(language: str) -> None:
    made = [discord.refuse(code) for code in discord._KNOWN]  # all that there are
    others = [discord.unauthorised(), discord.required(at="content")]

    for refusal in (*made, *others):
        assert str(refusal) in catalogue(language)
        assert_told(Sentence("Discord refuses that: {error}", error=Sentence(str(refusal))), language)


def test_a_new_refusal_is_found_wherever_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "sample.py"
    file.write_text(
        """
_SENTENCES = {404: "in a table"}

def sample(value):
    msg = Sentence("it has {value} in it", value=value)
    raise InputError(msg)

def other():
    raise _unreadable(3, "given at once")

def complaint():
    return "given back" if True else ""

def strange():
    raise ValueError("nobody calls this")

class Site:
    def watch(self):
        return self._refused(400, Sentence("refused by {me}", me=self))
""",
        encoding="utf-8",
    )

    sentences = set(found(file, frozenset({"strange"})))
    assert {"in a table", "it has {value} in it", "given at once", "given back", "refused by {me}"} == sentences


# --- as they are said --------------------------------------------------------------------------


def wrong_settings() -> Iterator[tuple[str, object]]:
    """Each setting with values that it cannot have."""
    for section, spec in settings_fields():
        if section == "http":
            continue
        about = spec.metadata
        yield spec.name, {"a": 1}
        yield from ((spec.name, about[bound] + step) for bound, step in BOUNDS if about[bound] is not None)
        if about["one_of"]:
            yield spec.name, "nonsense"


def test_whatever_is_wrong_with_a_setting_is_said_and_names_it() -> None:
    wrong = list(wrong_settings())
    assert len(wrong) > 90
    for name, value in wrong:
        with pytest.raises(CadenzaError) as raised:
            Settings().with_values({name: value})

        assert_told(raised.value.sentence)
        assert f"設定 '{name}' の値は" in rendered(raised.value.sentence, "ja")  # by which the lab finds its control


COMMANDS: list[Any] = [
    {"name": "look", "type": 1, "options": [
        {"name": "far", "type": 4}, {"name": "who", "type": 6}, {"name": "is", "type": 5}, {"name": "at", "type": 11},
        {"name": "must", "type": 3, "required": True}, {"name": "too", "type": 3, "required": True}]},
    {"name": "plain", "type": 1},
]  # fmt: skip
HEAD = {"recording": 1, "vendor": "openai", "model": "m"}
MODAL = {"components": [{"type": 1, "components": [{"type": 4, "custom_id": "a", "label": "A", "max_length": 2}]}]}
FILM = '{"film": 3, "records": [%s]}'


def lines(*values: object) -> str:
    return "\n".join(map(json.dumps, values))


def use(text: str, commands: list[Any] = COMMANDS) -> Callable[[], object]:
    return lambda: command_of(text, commands, {"@mia": "1"})


def read(text: str, name: str = "") -> Callable[[], object]:
    return lambda: understood(text, name)


def line(**more: object) -> Callable[[], object]:
    return read(lines({"chunks": ["a"], **more}))


def rehearse(**more: Any) -> Callable[[], object]:
    return lambda: rehearsed(request_types.Rehearse(text="Hello", rate=50, sides=(request_types.Side(),), **more))


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(use("dance"), id="no such command"),
        pytest.param(use("dance", []), id="no command at all"),
        pytest.param(use("look around"), id="no options"),
        pytest.param(use("look far:1"), id="options are missing"),
        pytest.param(use("plain thing"), id="no options at all"),
        pytest.param(use("look must:a too:b far:away"), id="no number"),
        pytest.param(use("look must:a too:b is:perhaps"), id="neither yes nor no"),
        pytest.param(use("look must:a too:b at:home"), id="a file"),
        pytest.param(use("look must:a too:b who:jo"), id="nobody"),
        pytest.param(lambda: as_options([], ["far"], {}), id="no subcommand"),
        pytest.param(lambda: as_choice({"type": 3}, ["a", "b"]), id="too many choices"),
        pytest.param(lambda: as_choice({"type": 3, "options": [{"value": "b"}]}, ["a"]), id="no such choice"),
        pytest.param(lambda: filled_in(MODAL, {"b": "x"}), id="no such field"),
        pytest.param(lambda: filled_in(MODAL, {"a": "xxx"}), id="too long for a field"),
        pytest.param(lambda: request_types.read(b"{", request_types.SayBody), id="no JSON"),
        pytest.param(lambda: check_changeable(["http"]), id="not changed here"),
        pytest.param(lambda: RehearsalFault("fire"), id="no such trouble"),  # type: ignore[arg-type]  # that is the point
        pytest.param(lambda: RehearsalFault("lost", times=0), id="trouble that never comes"),
        pytest.param(lambda: Settings().with_values({"degre": 1}), id="a slip in a setting"),
        pytest.param(lambda: Settings().with_values({"zzzzz": 1}), id="no such setting"),
        pytest.param(lambda: Settings().with_values({"http": {"degre": 1}}), id="no such setting there"),
        pytest.param(lambda: Settings().with_values({"http": 1}), id="no section"),
        pytest.param(rehearse(answer=2), id="no such answer"),
        pytest.param(rehearse(asked="a" * 3000), id="too much asked"),
        pytest.param(read(" "), id="nothing"),
        pytest.param(read(" ", "a b.txt"), id="nothing in a file"),
        pytest.param(read("a\x00"), id="no text"),
        pytest.param(lambda: understood(b"\xc3", "a"), id="no UTF-8"),
        pytest.param(read("a" * (8 * 2**20 + 1)), id="too large"),
        pytest.param(lambda: understood("a", rate=0), id="no rate"),
        pytest.param(read('{"film"'), id="half a film"),
        pytest.param(read('{"film": 1}'), id="an old film"),
        pytest.param(read('{"film": 9}'), id="a newer film"),
        pytest.param(lambda: understood(b"\x1f\x8b"), id="half a packed film"),
        pytest.param(lambda: understood(b"\x1f\x8b" + bytes(20)), id="a damaged film"),
        pytest.param(lambda: understood(gzip.compress(b" " * (64 << 20) + b"x")), id="a film that is too large"),
        pytest.param(read('{"film": "no"}'), id="no film"),
        pytest.param(read(FILM[:-1] % "" + ', "title": 1}'), id="no title"),
        pytest.param(read(FILM % "1"), id="no record"),
        pytest.param(read(FILM % '{"at": 2, "kind": "a"}, {"at": 1, "kind": "a"}'), id="no order"),
        pytest.param(read(FILM % ""), id="a film in which nothing is said"),
        pytest.param(
            read(lines({"fact": "stop_asked", "at": 1, "reason": "user", "by": ""})),
            id="a trace in which nothing is said",
        ),
        pytest.param(read(lines({"step": "end", "at": 1})), id="an old trace"),
        pytest.param(read(lines({**HEAD, "vendor": "nobody"}, {"text": "a"})), id="no vendor"),
        pytest.param(read(lines({**HEAD, "recording": 2})), id="another recording"),
        pytest.param(read(lines({**HEAD, "model": 1})), id="no model"),
        pytest.param(read(lines({**HEAD, "status": "a"})), id="no status"),
        pytest.param(read(lines(HEAD, {"after": -1})), id="no time"),
        pytest.param(read(lines(HEAD, {"base64": "!"})), id="no base64"),
        pytest.param(read(lines(HEAD, {"broke": {"message": "a", "kind": "?"}})), id="no kind"),
        pytest.param(read(lines(HEAD, {"nothing": 1})), id="no beat"),
        pytest.param(read(lines(HEAD, 1)), id="no object"),
        pytest.param(read(lines(HEAD) + "\n{"), id="no JSON in a recording"),
        pytest.param(read(lines({"chunks": ["a"]}, {"id": 1})), id="no chunks"),
        pytest.param(line(chunks=1), id="chunks that are none"),
        pytest.param(line(chunks=[1]), id="chunks that are no texts"),
        pytest.param(line(setings={}), id="a slip"),
        pytest.param(line(settings=1), id="settings that are none"),
        pytest.param(line(settings={"limit": "a"}), id="a setting that is none"),
        pytest.param(line(end="never"), id="no end"),
        pytest.param(line(prefill=1), id="no prefill"),
        pytest.param(line(persona={"is_alter": 1}), id="no flag"),
        pytest.param(line(roster={"emoji": ["a"]}), id="no emoji"),
    ],
)
def test_what_is_refused_is_wholly_said_in_japanese(work: Callable[[], object]) -> None:
    with pytest.raises((CadenzaError, LookupError, ValueError, Refusal)) as raised:
        work()

    assert_told(raised.value.args[0])
