from __future__ import annotations

import pytest
from hypothesis import given

from cadenza.text.blocks import blocks, code_in
from cadenza.types import Kind
from tests.laws.nasty import nasty

PROSE, CODE, TABLE = Kind.PROSE, Kind.CODE, Kind.TABLE
ROWS = "| a | b |\n|---|---|\n| 1 | 2 |\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("a `b` c", [(PROSE, "a `b` c")], id="prose"),
        pytest.param("a\n```\nb\n```\nc", [(PROSE, "a\n"), (CODE, "```\nb\n```"), (PROSE, "\nc")], id="code"),
        pytest.param("~~~py\nb\n~~~\nc", [(CODE, "~~~py\nb\n~~~"), (PROSE, "\nc")], id="tildes"),
        pytest.param("> ```\n> b\n> ```\nc", [(CODE, "> ```\n> b\n> ```"), (PROSE, "\nc")], id="code in a quote"),
        pytest.param("a\n```\nb", [(PROSE, "a\n"), (CODE, "```\nb")], id="code that never ends"),
        pytest.param(f"{ROWS}\nc", [(TABLE, ROWS), (PROSE, "\nc")], id="a table"),
        pytest.param("<think>a\n```\nb\n```", [(PROSE, "<think>a\n"), (CODE, "```\nb\n```")], id="a tag is text"),
    ],
)
def test_a_text_is_taken_apart(text: str, expected: list[tuple[Kind, str]]) -> None:
    assert expected == [(kind, block) for kind, block in blocks(text) if block]


@given(nasty())
def test_nothing_is_lost(text: str) -> None:
    assert text == "".join(block for _, block in blocks(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("nobody", [], id="none"),
        pytest.param("a `b` ``c ` d`` e", ["`b`", "``c ` d``"], id="within a line"),
        pytest.param("a `b`\n```\nc\n```\nd `e`", ["`b`", "```\nc\n```", "`e`"], id="behind a block"),
        pytest.param("a ` b", [], id="a mark that never closes"),
    ],
)
def test_code_is_found_where_it_stands(text: str, expected: list[str]) -> None:
    assert expected == [text[one.start : one.stop] for one in code_in(text)]
