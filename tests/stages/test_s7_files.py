"""What goes out as a file; when it does is in ``test_s7_delivery.py``."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cadenza.settings import BufferSettings
from cadenza.stages.s5_buffer import Buffer
from cadenza.stages.s7_files import LARGEST, Remainder, code_file, file_name, is_whole
from cadenza.types import Attachment, Boundary, Ending, Kind, Post, Segment

LINE, CLOSE, OVERFLOW = Boundary.NEWLINE, Boundary.CODE_CLOSE, Boundary.OVERFLOW


@pytest.mark.parametrize(
    ("info", "name"),
    [
        ("py", "code.py"),
        ("Python", "code.py"),
        ("python title=x", "code.py"),
        (" rust ", "code.rs"),
        ("c++", "code.cpp"),
        ("C#", "code.cs"),
        ("yml", "code.yaml"),
        ("main.py", "main.py"),
        ("../../etc/passwd", "code.txt"),
        ("klingon", "code.txt"),
        ("", "code.txt"),
        ("{.python}", "code.py"),
    ],
)
def test_a_file_is_named_by_what_stands_behind_the_backticks(info: str, name: str) -> None:
    assert name == file_name(info)


def code(text: str, boundary: Boundary = CLOSE) -> Segment:
    return Segment(text, boundary, Kind.CODE)


@pytest.mark.parametrize(
    ("parts", "data", "source"),
    [
        pytest.param([code("```py\na\n\nb\n```")], "a\n\nb\n", "```py\na\n\nb\n```", id="one part"),
        pytest.param(
            [code("```py\na\n```", OVERFLOW), code("```py\nb\n```")], "a\nb\n", "```py\na\nb\n```", id="two parts"
        ),
        pytest.param(
            [replace(code("```py\na\nb\n```", OVERFLOW), is_torn=True), code("```py\nc\n\n```")],
            "a\nbc\n\n",
            "```py\na\nbc\n\n```",
            id="cut in the middle of a line",
        ),
        pytest.param([code("````\n```\na\n````")], "```\na\n", "````\n```\na\n````", id="a fence in a fence"),
        pytest.param(
            [code("```\n`\u200b``\na\n`\u200b``\n```")],
            "```\na\n```\n",
            "````\n```\na\n```\n````",
            id="a fence that was made harmless for the chat",
        ),
    ],
)
def test_the_file_is_the_code_and_the_model_sees_the_block(parts: list[Segment], data: str, source: str) -> None:
    found = code_file(parts)

    assert found is not None
    assert (data.encode(), source) == (found[0].data, found[1])


@pytest.mark.parametrize("size", range(170, 430, 5))
def test_a_line_that_is_too_long_to_be_held_is_one_line_of_the_file(size: int) -> None:
    buffer = Buffer(BufferSettings(code_overflow=200))
    items = [*buffer.feed(f"```py\na\n{'x' * size}\n"), *buffer.feed("```\n"), *buffer.flush(Ending.FINAL)]

    found = code_file([item for item in items if isinstance(item, Segment) and item.kind is Kind.CODE])

    assert found is not None
    assert (f"a\n{'x' * size}\n", f"```py\na\n{'x' * size}\n```") == (found[0].data.decode(), found[1])


def test_code_in_a_quote_is_no_file() -> None:
    assert code_file([code("> ```py\n> a\n> ```")]) is None


@pytest.mark.parametrize("text", ["```py\n```", "```\n\n \n```"])
def test_neither_is_an_empty_block(text: str) -> None:
    assert code_file([code(text)]) is None


def test_a_block_is_over_unless_it_was_cut() -> None:
    assert [True, False] == [is_whole(code("```\na\n```", boundary)) for boundary in (CLOSE, OVERFLOW)]


LAST = Post("last", LINE, label="Ren: ")


def test_what_has_nothing_behind_it_is_a_message_like_any_other() -> None:
    remainder = Remainder(LAST)
    remainder.add(Segment(" \n", LINE))

    assert (LAST, [LAST]) == (remainder.post(), remainder.posts())


def test_what_comes_behind_stands_in_the_file_as_the_model_wrote_it() -> None:
    remainder = Remainder(LAST)
    remainder.append("\nthe rest\n")
    remainder.add(Segment("of it.\n", Boundary.OVERFLOW))
    remainder.add(Segment("```py\na\n```", CLOSE, Kind.CODE, joint="  "))
    remainder.add(Segment("\n", LINE))
    remainder.add(Segment("shown\n", LINE, source="| a |"))
    remainder.add(Segment("grr\n", LINE, label="Ren (mad): "))

    post = remainder.post()

    rest = "the rest\nof it.\n  ```py\na\n```\n| a |\nRen (mad): grr"
    assert Attachment("reply.md", f"{rest}\n".encode()) == post.attachment
    assert ("last", f"Ren: last\n{rest}") == (post.text, post.said)
    assert [("last", ""), (rest, "\n")] == [(part.text, part.joint) for part in remainder.posts()]


def test_a_message_that_has_a_file_already_has_it_in_the_other() -> None:
    remainder = Remainder(Post("", LINE, attachment=Attachment("code.py", b"a\n"), source="```py\na\n```"))
    remainder.add(Segment("\nDone.", LINE))

    post = remainder.post()

    assert Attachment("reply.md", b"```py\na\n```\nDone.\n") == post.attachment
    assert "```py\na\n```\nDone." == post.said


def test_there_is_an_end_to_it() -> None:
    remainder = Remainder(LAST)
    remainder.add(Segment("x" * LARGEST, LINE))
    assert not remainder.is_too_large
    remainder.add(Segment("y", LINE))
    assert remainder.is_too_large
