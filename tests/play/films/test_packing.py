"""Films written shortly: nothing is lost by it, and how short they are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadenza.play.films.film import dump, load, short_form
from cadenza.play.films.packing import packed, unpacked
from cadenza.play.films.rehearsal import Rehearsal, beats_of, rehearse
from cadenza.settings import Settings
from tests.play.films.told import mixed_text

_TEXT = st.sampled_from(["Hello there, you.", "Hello there, you two.", "short", "", "\U0001f319 at night, again"])
_VALUE = st.one_of(st.none(), st.booleans(), st.integers(0, 4), st.floats(0, 4, allow_nan=False), _TEXT, st.just([]))
_INNER = st.dictionaries(st.sampled_from(["text", "content", "markup", "url", "message", "number", "anew"]), _VALUE)
_RECORD = st.fixed_dictionaries(
    {"at": st.just(1.0), "kind": st.sampled_from(["step", "message", "story", "tokens", "note"])},
    optional={
        "step": st.sampled_from(["sent", "post"]) | _VALUE,
        "turn": _VALUE,
        "text": _VALUE,
        "lengths": st.lists(st.integers(0, 9), max_size=4) | _VALUE,
        "times": st.lists(st.sampled_from([0.0, 0.1, 0.2]), max_size=4) | _VALUE,
        "message": _INNER | _VALUE,
        "about": _INNER | _VALUE,
        "story": _INNER | _VALUE,
        "anew": _VALUE,
    },
)


def _again(records: list[Any]) -> list[Any]:
    return list(unpacked(json.loads(json.dumps(list(packed(records))))))


@given(st.lists(_RECORD, max_size=8))
def test_whatever_stands_in_records_comes_back(records: list[Any]) -> None:
    assert json.dumps(records, sort_keys=True) == json.dumps(_again(records), sort_keys=True)


@given(
    st.recursive(_VALUE | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(_TEXT, inner), max_leaves=9)
)
def test_what_nobody_packed_is_read_all_the_same(rubbish: Any) -> None:
    list(unpacked([rubbish, {"about": rubbish}, {"kind": rubbish, "step": rubbish}, {"anew": rubbish}]))


def test_a_film_that_was_written_is_read_as_it_was() -> None:
    film = rehearse(Rehearsal(beats_of(mixed_text(5_000)), asked="Well?", painter=None))

    assert film.as_json() == load(dump(film)).as_json()


PACKED = [
    pytest.param(
        [{"kind": "call", "status": 200, "code": 0}, {"kind": "call", "status": 429, "code": 0}],
        {"kind": "call", "status": 429},
        id="what is as in the last record of its kind is left out",
    ),
    pytest.param(
        [{"kind": "step", "step": "post", "about": {"text": "A long text."}}, {"kind": "story", "story": {"text": "A long text."}}],
        {"kind": "story", "story": {"text": 0}},
        id="a text that was said is named by its record",
    ),
    pytest.param(
        [{"kind": "message", "message": {"content": "Plain.", "markup": ["Plain."]}}],
        {"kind": "message", "message": {"content": "Plain.", "markup": None}},
        id="markup that is only the text is left out",
    ),
    pytest.param(
        [{"kind": "tokens", "text": "One two three", "lengths": [4, 4, 4, 1], "times": [0.0, 0.1, 0.2, 0.3]}],
        {"kind": "tokens", "text": "One two three", "lengths": 4, "times": 0.1},
        id="even tokens are told by their length and distance",
    ),
    pytest.param(
        [{"kind": "note", "text": "a", "urgency": "info"}, {"kind": "note", "text": "a"}],
        {"anew": {"kind": "note", "text": "a"}},
        id="what has less than the last one is told anew",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("records", "last"), PACKED)
def test_what_is_left_out(records: list[Any], last: Any) -> None:
    assert last == list(packed(records))[-1]
    assert records == _again(records)


@pytest.mark.parametrize("degree", [0, 1])
def test_a_film_is_at_most_fifteen_times_as_long_as_its_text(degree: int) -> None:
    text = mixed_text(100_000)
    settings = Settings.of(degree=degree, flood_limit=1_000_000)

    film = rehearse(Rehearsal(beats_of(text, 1000.0), settings=settings, limits=None, painter=None))

    assert len(json.dumps(short_form(film), ensure_ascii=False, separators=(",", ":")).encode()) < 15 * len(text)


def test_a_mixed_text_says_no_line_twice() -> None:
    lines = [line for line in mixed_text(20_000).split("\n") if len(line) > 40]

    assert len(set(lines)) == len(lines)
