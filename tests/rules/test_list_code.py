from __future__ import annotations

import textwrap

import pytest
from hypothesis import given, strategies as st

from cadenza.rules.list_code import ListCode
from cadenza.rules.rule import RuleContext
from cadenza.settings import BufferSettings
from cadenza.stages.s5_buffer import Buffer
from cadenza.text.repair import split_fence, without_closing
from cadenza.types import Boundary, Ending, Kind, Segment
from tests.helpers import same_every_way
from tests.laws.material import messages


def cleaned(pieces: list[str] | str, **settings: int) -> list[Segment]:
    """The segments of a text after stage 5 and the rule."""
    buffer, rule = Buffer(BufferSettings(**settings)), ListCode(RuleContext())
    items = [item for piece in ([pieces] if isinstance(pieces, str) else pieces) for item in buffer.feed(piece)]
    items += buffer.flush(Ending.FINAL)
    return [out for item in items if isinstance(item, Segment) for out in rule.feed(item)]


def code_of(segments: list[Segment]) -> str:
    """The code of all blocks in *segments*, put together."""
    code = ""
    for segment in segments:
        if segment.kind is Kind.CODE:
            fence, body = split_fence(segment.text)
            code += without_closing(body, fence).removesuffix("\n") + "\n" * (not segment.is_torn)
    return code


@pytest.mark.parametrize(
    ("text", "block", "joint"),
    [
        pytest.param("1. Run:\n   ```python\n   import os\n   ```", "```python\nimport os\n```", "   ", id="in a list"),
        pytest.param("```py\nx\n```", "```py\nx\n```", "", id="not indented"),
        pytest.param("```py\n    x\n```", "```py\n    x\n```", "", id="only its code is indented"),
        pytest.param("  ```\n    x\n  y\n  ```", "```\n  x\ny\n```", "  ", id="deeper lines stay deeper"),
        pytest.param("   ```\n   x\n\n \n  y\n   ```", "```\nx\n\n\ny\n```", "   ", id="a line with less loses what it has"),
        pytest.param("  ```\n  x\n```", "```\nx\n```", "  ", id="a closing fence with less"),
        pytest.param("  ```\n  x\n       ```", "```\nx\n```", "  ", id="a closing fence with more"),
        pytest.param("  ```\n  x```", "```\nx```", "  ", id="a closing fence behind the code"),
        pytest.param("  ```x```", "```x```", "  ", id="on one line"),
        pytest.param("  ```a `b`\n  c\n  ```", "```a `b`\nc\n```", "  ", id="code beside the fence"),
        pytest.param("  ~~~py\n  x\n  ~~~", "```py\nx\n```", "  ", id="tildes"),
        pytest.param("   ````md\n   ```\n   x\n   ```\n   ````", "````md\n```\nx\n```\n````", "   ", id="a long fence"),
        pytest.param("\t```py\n\tx\n\t```", "```py\nx\n```", "\t", id="tabs"),
        pytest.param("\t```py\n    x\n\ty\n\t```", "```py\nx\ny\n```", "\t", id="a tab is as wide as four spaces"),
        pytest.param("   ```py\n\tx\n\t\ty\n   ```", "```py\nx\n\ty\n```", "   ", id="a tab goes as a whole"),
        pytest.param("    ```py\ndef f():\n    x\n    ```", "```py\ndef f():\n    x\n```", "    ", id="only its fence is indented"),
        pytest.param("    ```py\n  def f():\n      x\n```", "```py\ndef f():\n    x\n```", "    ", id="less than its fence"),
        pytest.param("> ```py\n> x\n> ```", "> ```py\n> x\n> ```", "", id="in a quote"),
        pytest.param("  > ```py\n  > x\n  > ```", "  > ```py\n  > x\n  > ```", "", id="in a quote in a list"),
        pytest.param("- ```py\n  x\n  ```", "```py\nx\n```", "", id="beside the bullet"),
        pytest.param("- a\n  10. b: ```py\n      x\n      ```", "```py\nx\n```", "", id="beside the text of an item"),
        pytest.param("Look: ```py\n    x\n```", "```py\n    x\n```", "", id="beside other text"),
        pytest.param("   ```py\n   x", "```py\nx\n```", "   ", id="never closed"),
    ],
)  # fmt: skip
def test_code_in_a_list_is_dedented_as_a_whole(text: str, block: str, joint: str) -> None:
    found = same_every_way(text, cleaned)

    assert [(block, joint)] == [(segment.text, segment.joint) for segment in found if segment.kind is Kind.CODE]


_SNIPPETS = {
    "nested functions": """
        def outer(x):
            def inner(y):
                return x + y

            return inner


        print(outer(1)(2))
        """,
    "continuation lines": """
        total = (1 +
                 2 +
            3)
        text = "a" \\
            "b"
        call(
            total,
        )
        """,
    "a string over lines": '''
        query = """
        select *
          from t
        """
        if query:
            pass
        ''',
    "a class": """
        class A:
            x: int = 1

            @property
            def y(self):
                try:
                    return self.x
                except AttributeError:
                    return 0
        """,
}
_PLACES = {
    "1. Run:\n": "   ",
    "- a\n  - b\n\n": "    ",
    "1. a\n   - b\n     1. c\n": "        ",
    "* a\n\t* b\n": "\t\t",
}


@pytest.mark.parametrize("snippet", _SNIPPETS.values(), ids=_SNIPPETS)
@pytest.mark.parametrize(("lead", "indent"), _PLACES.items(), ids=["numbered", "nested", "three deep", "tabs"])
@pytest.mark.parametrize("bound", [60, 4000], ids=["in parts", "in one"])
def test_python_in_a_list_can_be_run(snippet: str, lead: str, indent: str, bound: int) -> None:
    code = textwrap.dedent(snippet).lstrip("\n")
    block = textwrap.indent(f"```python\n{code}```", indent)

    found = cleaned(f"{lead}{block}\nDone", code_overflow=bound)

    assert code == code_of(found)
    compile(code_of(found), "snippet", "exec")
    blocks = [segment.text for segment in found if segment.kind is Kind.CODE]
    assert len(blocks) > 1 or bound > 60
    assert all(block.startswith("```python\n") and block.endswith("\n```") for block in blocks)


def test_a_line_that_was_cut_goes_on_as_it_is() -> None:
    """The space at the beginning of the second part is code, not indent."""
    line = "x = 1" + " " * 400 + "+ 2"

    found = cleaned(f"- a\n  ```py\n  {line}\n  y\n  ```", code_overflow=100)

    assert [True, True, True, True, False] == [segment.is_torn for segment in found if segment.kind is Kind.CODE]
    assert f"{line}\ny\n" == code_of(found)


def test_a_part_has_the_indent_of_the_first() -> None:
    """Only the fence is indented; a later part begins with a line that is deeper."""
    code = "def f():\n" + "    x = 1\n" * 40

    assert code == code_of(cleaned(f"- a\n    ```py\n{code}    ```", code_overflow=100))


@given(
    st.lists(st.text("ab \t(:", max_size=12), min_size=1, max_size=8).filter(lambda lines: any(map(str.strip, lines))),
    st.sampled_from([" ", "  ", "   ", " " * 8, "\t", "\t\t"]),
)
def test_what_was_indented_comes_back(lines: list[str], indent: str) -> None:
    block = "\n".join(["```py", *lines, "```"])
    segment = Segment(textwrap.indent(block, indent, lambda _: True), Boundary.CODE_CLOSE, Kind.CODE)

    assert [Segment(block, Boundary.CODE_CLOSE, Kind.CODE, source=segment.text.removeprefix(indent), joint=indent)] == [
        *ListCode(RuleContext()).feed(segment)
    ]


def test_prose_and_tables_pass() -> None:
    given = [Segment("   a\n", Boundary.NEWLINE), Segment("  | a |\n", Boundary.NEWLINE, Kind.TABLE)]
    rule = ListCode(RuleContext())

    assert given == [out for segment in given for out in rule.feed(segment)]


def test_it_can_be_switched_off() -> None:
    text = "1. Run:\n   ```python\n   import os\n   ```"

    assert messages(text, degree=1)[-1] == "1. Run:\n```python\nimport os\n```"
    assert messages(text, degree=1, rules_off=("list_code",))[-1] != "```python\nimport os\n```"


def test_the_item_of_one_reply_dedents_nothing_in_the_next() -> None:
    rule = ListCode(RuleContext())
    block = Segment("```py\n    x = 1\n```", Boundary.CODE_CLOSE, Kind.CODE)

    rule.feed(Segment("- 0", Boundary.FINAL))
    rule.flush(Ending.FINAL)

    assert [block] == list(rule.feed(block))
