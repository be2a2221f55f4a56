"""Stories in another language: every line that ``explain`` can tell."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import cadenza
from cadenza.bot.services.languages import languages
from cadenza.bot.services.languages.catalogues import CONTEXT
from cadenza.bot.services.translated_sentences import book_of
from cadenza.bot.services.translated_stories import in_language
from cadenza.explain.step_words import WORDS, change, ends, held, limited, pause, starts
from cadenza.explain.steps import TraceStep
from cadenza.explain.words import explain_each
from cadenza.types import Boundary, StopReason
from tests.explain.test_step_words import test_what_is_said_of_a_step as table_of_steps
from tests.explain.test_words import HELD, MESSAGE

OTHERS = [language for language in languages() if language != "en"]
NOT_TOLD = {"read", "_traced", "explain", "_escaped"}
"""Functions whose sentences are for who uses the command of the shell."""
SOURCE = Path(cadenza.__file__).parent
ENGLISH = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}|\b(?:s|message|model|held)\b")
GIVEN = re.compile(
    r'"(?:[^"\\]|\\.)*"|\[[^\]]*\]|it is asleep|key \d|(?:設定|お知らせ（表示できず）|お知らせ)：.*|\{.*\}'
)


def assert_told(line: str) -> None:
    (told,) = in_language([line], "ja")
    assert line != told
    assert not ENGLISH.search(GIVEN.sub("…", told.lstrip(" 0123456789.").removeprefix("s  "))), told


def literals(path: Path) -> Iterator[str]:
    """Every piece of an f-string, and every text of several words, with which a line of a story is made."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    explaining = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for part in ast.iter_child_nodes(tree):
        if isinstance(part, ast.FunctionDef) and part.name in NOT_TOLD:
            continue
        pieces = {id(one) for node in ast.walk(part) if isinstance(node, ast.JoinedStr) for one in node.values}
        for node in ast.walk(part):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in explaining:
                text = node.value.strip(" ,:()[]\n")
                if re.search("[a-z]{2}", text) and (" " in text or id(node) in pieces):
                    yield text


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("name", ["explain.py", "explain_steps.py"])
def test_all_words_of_a_story_are_in_the_book(name: str, language: str) -> None:
    found = [text for text in literals(SOURCE / name) if text != "seconds"]
    known = "\n".join(book_of(language, "stories"))

    assert len(found) > 8
    assert [] == [text for text in found if text not in known]


def test_whatever_is_said_of_a_step_is_told() -> None:
    rows = table_of_steps.pytestmark[0].args[1]
    told = [words for step, _, words in rows if words and step != "aside"]  # which are never kept for it
    told += [words for step, about in WORDS.items() if step != "aside" and (words := about({}))]

    assert len(told) > 50
    for words in told:
        for line in words.split("\n"):
            assert_told(line)


def test_whatever_is_said_of_a_message_is_told() -> None:
    for reason in ("code", "table", "hidden", "mark", "undecided", "rule", "gathered"):
        assert_told(held({"why": reason, "mark": "thought" if reason == "hidden" else "**", "from": 1.0, "to": 2.5}))
    for boundary in Boundary:
        assert_told(starts({"starts": boundary.value}))
        assert_told(ends({"ends": boundary.value, "segments": [1, 2], "merged": {"count": 3}}))
        assert_told(ends({"ends": boundary.value}))
    assert_told(starts({"starts": "reply"}))
    assert_told(limited({"why": "rate_limit", "from": 1.0, "to": 2.0}))
    assert_told(pause({"typing": 1.0, "breath": 0.5, "thinking": 2.0, "planned": 3.0, "cut": 0.5}))
    for effect in ("changed", "split", "dropped", "held", "released", "added", "failed"):
        about = {"rule": "own_name", "effect": effect, "before": ["a to b"], "after": ["b"], "identity": "Ren"}
        assert_told(change(about))
        assert_told(change({**about, "after": []}))
        assert_told(f"rule {change({**about, 'identity': None})}")
    assert "" == held({"why": "undecided", "from": 1.0, "to": 1.0})


@pytest.mark.parametrize("reason", StopReason)
def test_every_reason_to_stop_has_words(reason: StopReason) -> None:
    words = book_of("ja", "stories")[f"reason{CONTEXT}{reason.value}"]
    assert [f"停止：{words}"] == in_language([f"stop: {reason.value}"], "ja")


@pytest.mark.parametrize("steps", [MESSAGE, HELD], ids=["a message", "one that was held"])
def test_a_whole_story_is_told_with_its_times(steps: tuple[TraceStep, ...]) -> None:
    for lines in explain_each(steps).values():
        for line in lines:
            assert_told(line)
        assert list(lines) == in_language(lines, "en")
        assert [len(re.match(" *", line)[0]) for line in lines] == [  # type: ignore[index]  # it matches anything
            len(re.match(" *", line)[0])
            for line in in_language(lines, "ja")  # type: ignore[index]  # so here
        ]


@pytest.mark.parametrize("line", ["", "…", "no line of ours", "    1.000 s  ", 'message 1: "half'], ids=repr)
def test_what_is_no_line_of_ours_stays_as_it_is_or_loses_nothing(line: str) -> None:
    (told,) = in_language([line], "ja")

    assert told == line or told.endswith(line.partition(": ")[2])
