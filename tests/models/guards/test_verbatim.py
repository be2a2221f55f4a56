from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from cadenza.models.guards.text_calls import TextCalls
from cadenza.models.guards.verbatim import VerbatimGuard
from cadenza.types import Chunk, TextDelta, ToolCall
from tests.helpers import calls_of
from tests.models.guards.guarding import PROMPT, calls, fed, heard, words


def guard() -> VerbatimGuard:
    return VerbatimGuard(TextCalls(PROMPT))


READ = ToolCall("read_file-0", "read_file", '{"path": "a"}')
NOW = ToolCall("now-0", "now", "{}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('Let me look. `read_file("a")`', [TextDelta("Let me look. "), READ], id="5.10 in code"),
        pytest.param(
            'web_search({"query":"x (y)"})',
            [ToolCall("web_search-0", "web_search", '{"query":"x (y)"}')],
            id="5.10 an object",
        ),
        pytest.param('read_file("a")', [READ], id="5.10 a text"),
        pytest.param('read_file ( "a" ) ok', [READ, TextDelta(" ok")], id="space"),
        pytest.param("now()", [NOW], id="nothing"),
        pytest.param("今now()", [TextDelta("今"), NOW], id="behind a script without spaces"),
        pytest.param('```python\nread_file("a")\n``` ok', [READ, TextDelta(" ok")], id="in a code block"),
        pytest.param('```read_file("a")```', [READ], id="in a block on one line"),
        pytest.param('``read_file("a")``', [READ], id="in two backticks"),
        pytest.param(
            '```\nread_file("a")\nnow()\n```', [READ, ToolCall("now-1", "now", "{}")], id="two in a code block"
        ),
        pytest.param('```\nread_file("a")\n', [READ], id="in code that is cut off"),
        pytest.param('`x`read_file("a")', [TextDelta("`x`"), READ], id="right behind code"),
        pytest.param('```\nx\n```\nread_file("a")', [TextDelta("```\nx\n```\n"), READ], id="behind a code block"),
        pytest.param(
            'read_file("a)\\"(")', [ToolCall("read_file-0", "read_file", '{"path": "a)\\"("}')], id="marks in a text"
        ),
        pytest.param('read_file("a")now()', [READ, ToolCall("now-1", "now", "{}")], id="one behind the other"),
        pytest.param(
            'web_search(read_file("a"))', [TextDelta("web_search("), READ, TextDelta(")")], id="within another"
        ),
    ],
)
def test_a_call_in_the_text_is_a_call(text: str, expected: list[Chunk]) -> None:
    assert expected == heard(guard, text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("web_search(query=x)", id="5.10 no JSON"),
        pytest.param('web_search({"query": })', id="broken JSON"),
        pytest.param("web_search([1])", id="a list"),
        pytest.param("read_file()", id="what must be there is missing"),
        pytest.param('now("a")', id="a text for a tool that takes none"),
        pytest.param("foo(1)", id="5.10 no tool"),
        pytest.param('xread_file("a")', id="the end of a word"),
        pytest.param('my.read_file("a") my-read_file("a")', id="the end of a longer name"),
        pytest.param('read_files("a")', id="a longer name"),
        pytest.param("read_file is a tool, and now", id="names in prose"),
        pytest.param('read_file("a', id="cut off in the arguments"),
        pytest.param("read_file(", id="cut off behind the bracket"),
        pytest.param("`read_f", id="cut off in the name"),
        pytest.param("```py\n", id="cut off behind an opener"),
        pytest.param('`read_file("a") and more`', id="code that goes on"),
        pytest.param('```py\nread_file("a")\nprint(1)\n```', id="a block that goes on"),
        pytest.param('```py\nx = 1\nread_file("a")\n```', id="within a block"),
        pytest.param('`see read_file("a")`', id="within code"),
        pytest.param('````\nread_file("a")\n````', id="a long fence"),
        pytest.param('```\nread_file("a")\n' + " " * 17 + "```", id="the end of the code is far away"),
        pytest.param("", id="nothing"),
    ],
)
def test_anything_else_is_text_byte_for_byte(text: str) -> None:
    assert ([TextDelta(text)] if text else []) == heard(guard, text)


@pytest.mark.parametrize(
    ("length", "is_call"),
    [pytest.param(8180, True, id="just short enough"), pytest.param(8181, False, id="too long")],
)
def test_what_is_too_long_is_no_call(length: int, is_call: bool) -> None:  # noqa: FBT001  # a case of a table
    text = f'read_file("{"x" * (length - 1)}")'

    out = heard(guard, text)

    assert is_call is bool(calls(out))
    assert is_call or text == words(out)


def test_a_call_is_made_as_soon_as_it_is_whole() -> None:
    search = ToolCall("web_search-0", "web_search", '{"query":"x"}')

    assert [search] == list(guard().feed(TextDelta('web_search({"query":"x"})')))


def test_prose_does_not_wait() -> None:
    assert [TextDelta("Let me look. ")] == list(guard().feed(TextDelta('Let me look. `read_file("a')))


def test_a_list_of_white_space_behind_the_bracket_is_not_held_for_ever() -> None:
    text = "now(" + " " * 9000 + ")"

    assert [TextDelta(text)] == fed(guard(), [TextDelta(text)]) == fed(guard(), map(TextDelta, text))


PIECES = [
    *(
        "read_file",
        "read",
        "now",
        "(",
        ")",
        '"',
        "a",
        "{",
        "}",
        "`",
        "``",
        "```",
        "\n",
        "py",
        " ",
        "      ",
        "\\",
        "x.",
        "-",
    ),
    *('("a")', '{"path": "a"}', "()"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_nothing_is_lost_however_it_is_sliced(text: str) -> None:
    """What is no call is there as it was; of a call only its name, its arguments and the code marks around it are gone."""
    out = heard(guard, text)
    rest = text
    for chunk in out:
        if isinstance(chunk, TextDelta):
            assert chunk.text in rest
            rest = rest[rest.index(chunk.text) + len(chunk.text) :]
        elif isinstance(chunk, ToolCall):
            assert chunk.name in rest
            assert isinstance(json.loads(chunk.arguments), dict)
    assert calls(out) or text == words(out)


@pytest.mark.parametrize("piece", ["read_file(", "now ", "`", '{"', "read_file", "now("])
def test_each_character_is_looked_at_once(piece: str) -> None:
    def cost(size: int) -> int:
        reader = guard()
        return calls_of(lambda: fed(reader, [TextDelta((piece * size)[:size])]))

    assert cost(40_000) < 5 * cost(10_000) + 100
