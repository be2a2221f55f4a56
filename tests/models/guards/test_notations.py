from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from cadenza.models.guards.notations import gemma_arguments, python_arguments


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("{}", {}, id="none"),
        pytest.param('{city:<|"|>Oslo<|"|>}', {"city": "Oslo"}, id="a text"),
        pytest.param('{a:<|"|>x, {y}: "z"<|"|>,b:1}', {"a": 'x, {y}: "z"', "b": 1}, id="marks in a text"),
        pytest.param('{a:<|"|>1\n2\t\\<|"|>}', {"a": "1\n2\t\\"}, id="what JSON has to escape"),
        pytest.param('{a:<|"|>夜😀<|"|>}', {"a": "夜😀"}, id="other scripts"),
        pytest.param(
            "{a:1,b:-2.5e3,c:true,d:false,e:null}",
            {"a": 1, "b": -2500.0, "c": True, "d": False, "e": None},
            id="literals",
        ),
        pytest.param('{a:[1,<|"|>x<|"|>,[]],b:{c:{d:2}}}', {"a": [1, "x", []], "b": {"c": {"d": 2}}}, id="nested"),
        pytest.param('{ a : 1 , b : <|"|>x<|"|> }', {"a": 1, "b": "x"}, id="space"),
        pytest.param('{<|"|>a<|"|>:1}', {"a": 1}, id="a key in delimiters"),
        pytest.param('{"a": "x\\n", "b": [1, 2]}', {"a": "x\n", "b": [1, 2]}, id="JSON"),
        pytest.param('{"a": "x\ny"}', {"a": "x\ny"}, id="almost JSON"),
        pytest.param("{path:/tmp/x.txt,at:12:30}", {"path": "/tmp/x.txt", "at": "12:30"}, id="bare texts"),  # noqa: S108
        pytest.param('{q:weather in Tokyo<|"|>}', {"q": "weather in Tokyo"}, id="the first delimiter is missing"),
        pytest.param('{q:Paris, France<|"|>,n:5}', {"q": "Paris, France", "n": 5}, id="likewise, with a comma"),
        pytest.param('{c:Oslo,q:<|"|>x<|"|>}', {"c": "Oslo", "q": "x"}, id="a bare text before another"),
        pytest.param("{a:[1,2,],}", {"a": [1, 2]}, id="a comma too many"),
    ],
)
def test_gemmas_arguments_are_json(source: str, expected: dict[str, object]) -> None:
    written = gemma_arguments(f"f{source} and more", 1)

    assert expected == json.loads(written.json)
    assert 1 + len(source) == written.end


class Searched(str):
    """A source that counts how often it was searched."""

    __slots__ = ("times",)

    def find(self, *args: Any) -> int:
        self.times = getattr(self, "times", 0) + 1
        return super().find(*args)


@pytest.mark.parametrize("end", ["", '}<|"|>', ',b:<|"|>x<|"|>}'])
def test_a_delimiter_is_looked_for_once_however_many_values_stand_before_it(end: str) -> None:
    source = Searched("{" + "a:1b," * 100 + end)
    gemma_arguments(source)

    assert 1 == source.times


@pytest.mark.parametrize(
    "source",
    [
        '{a:<|"|>x',
        '{a:<|"|>x<|"|>',
        "{a:1,b:tru",
        "{a:",
        "{a",
        "{",
        '{a:<|"|>x<|"|>,',
        "{:1}",
        "{a:]}",
        '{a:<|"|>x<|"|',
    ],
)
def test_gemmas_arguments_that_are_not_whole_are_no_json(source: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        json.loads(gemma_arguments(source).json)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def in_gemmas_way(value: object) -> str:
    """*value* as Gemma's template writes it."""
    match value:
        case dict():
            return "{" + ",".join(f'<|"|>{key}<|"|>:{in_gemmas_way(item)}' for key, item in value.items()) + "}"
        case list():
            return "[" + ",".join(map(in_gemmas_way, value)) + "]"
        case str():
            return f'<|"|>{value}<|"|>'
        case _:
            return json.dumps(value)


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_whatever_gemmas_template_can_write_is_read_back(value: dict[str, object]) -> None:
    assert value == json.loads(gemma_arguments(in_gemmas_way(value)).json)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("()", {}, id="none"),
        pytest.param('(q="tea")', {"q": "tea"}, id="a keyword"),
        pytest.param("(q='it\\'s', n=2,)", {"q": "it's", "n": 2}, id="single quotes, a comma too many"),
        pytest.param('("tea", 2)', {"query": "tea", "count": 2}, id="by place"),
        pytest.param('("tea", count=2)', {"query": "tea", "count": 2}, id="by place and keyword"),
        pytest.param("(a=True, b=None, c=false, d=-1.5)", {"a": True, "b": None, "c": False, "d": -1.5}, id="literals"),
        pytest.param("(a=[1, 'x'], b={'c': (1, 2)}, d=())", {"a": [1, "x"], "b": {"c": [1, 2]}, "d": []}, id="nested"),
        pytest.param('(a="""x "y"\nz""")', {"a": 'x "y"\nz'}, id="three quotes"),
        pytest.param("(a='\\n\\t\\d\\\\')", {"a": "\n\t\\d\\"}, id="escapes"),
        pytest.param("(a = ')(' )", {"a": ")("}, id="brackets in a text"),
    ],
)
def test_pythons_arguments_are_json(source: str, expected: dict[str, object]) -> None:
    written = python_arguments(f"f{source})", 1, ("query", "count"))

    assert expected == json.loads(written.json)
    assert 1 + len(source) == written.end


@pytest.mark.parametrize(
    "source",
    ["(", "(a='x", "(a=", "(a=1", "(a=b)", "(1, 2, 3)", "(a={b=1})", "(a=1 2)", "(a==1)", "(f(1))", "(a=f'x')"],
)
def test_pythons_arguments_that_are_not_whole_or_not_plain_are_no_json(source: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        json.loads(python_arguments(source, 0, ("query", "count")).json)


@given(st.text("f({[)}],:='\"\\<|> \n1a", max_size=60))
def test_nonsense_is_read_to_its_end(source: str) -> None:
    assert gemma_arguments(source).end <= len(source)
    assert python_arguments(source, 0, ("a",)).end <= max(1, len(source))
