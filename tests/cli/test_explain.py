"""``cadenza explain``, from its words to what it writes."""

from __future__ import annotations

import asyncio
import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cadenza.cli.main import main
from cadenza.explain.fact_log import JsonLines
from cadenza.play.films.fault_names import WHAT
from cadenza.play.films.film import dump
from cadenza.replies.reply import say
from cadenza.settings import Settings
from cadenza.targets.memory import MemoryTarget
from tests.play.films.told import filmed, unpacked

LINES = ("--set", "degree=2")
TALK = "Evening, @Mia!\n<think>hm</think>Look (it\nworks).\n```py\nx = 1\n```\nBye.\n"
Explain = Callable[..., tuple[int, str, str]]


@pytest.fixture
def explain(capfdbinary: pytest.CaptureFixture[bytes]) -> Explain:
    """Runs the command; gives back its status, output and complaints."""

    def run(*words: str | Path) -> tuple[int, str, str]:
        status = main(["explain", *map(str, words)])
        out, complaints = capfdbinary.readouterr()
        return status, out.decode(), complaints.decode()

    return run


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """A text that a model wrote."""
    file = tmp_path / "talk.md"
    file.write_text(TALK, encoding="utf-8")
    return file


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """A trace of two replies."""
    file = tmp_path / "trace.jsonl"
    with JsonLines(file) as hook:
        for text in ("One.\nTwo.\n", "Three."):
            asyncio.run(say(MemoryTarget(), text, settings=Settings.of(degree=1), trace=hook))
    return file


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    """Two files of settings."""
    left, right = tmp_path / "left.toml", tmp_path / "right.toml"
    left.write_text("degree = 1\n", encoding="utf-8")
    right.write_text("degree = 3\n", encoding="utf-8")
    return left, right


def test_the_help_names_all_that_can_go_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["explain", "--help"])

    told = " ".join(capsys.readouterr().out.split())
    assert all(what in told for what in WHAT)


def test_a_text_is_told_message_by_message(explain: Explain, talk: Path) -> None:
    status, out, complaints = explain(talk, *LINES)

    assert (0, "") == (status, complaints)
    assert ["1", "2", "3", "4"] == re.findall(r"^── (\d+)  Cadenza", out, re.MULTILINE)
    assert "│ Evening, @Mia!" in out
    assert "── Summary" in out
    assert "\x1b" not in out


def test_one_message_is_told_with_all_of_it(explain: Explain, talk: Path) -> None:
    status, out, _ = explain(talk, *LINES, "--message", "3")

    assert 0 == status
    assert "│ x = 1" in out
    assert "Evening" not in out
    assert "Summary" not in out


def test_a_message_that_there_is_not_is_said(explain: Explain, talk: Path) -> None:
    assert (2, "", f"cadenza: there is no message 9: {str(talk)!r} becomes 4 messages\n") == explain(
        talk, *LINES, "--message", "9"
    )


def test_json_is_one_object_and_the_same_each_time(explain: Explain, talk: Path) -> None:
    status, out, _ = explain(talk, "--json", "--set", "degree=1")

    value = json.loads(out)
    assert (0, 1) == (status, out.count("\n"))
    assert {"explained": 2, "what": "text", "told": f"A text of {len(TALK)} characters.", "is_rehearsed": True} == {
        name: value[name] for name in value if name != "replies"
    }
    assert 4 == len(value["replies"][0]["messages"])
    assert {"degree": 1} == value["replies"][0]["settings"]
    assert explain(talk, "--json", "--set", "degree=1")[1] == out


def test_json_of_one_message_has_only_that(explain: Explain, talk: Path) -> None:
    _, out, _ = explain(talk, *LINES, "--json", "--message", "4")

    assert ["Bye."] == [message["text"] for message in json.loads(out)["replies"][0]["messages"]]


def test_half_a_character_can_be_told_and_written(explain: Explain, tmp_path: Path) -> None:
    file = tmp_path / "half.jsonl"
    file.write_text('{"chunks": ["a \\ud83d b"]}', encoding="utf-8")

    assert "│ a " in explain(file)[1]
    assert json.loads(explain(file, "--json")[1])["what"] == "replay"
    assert 0 == explain(file, "--html", "-")[0]


# --- several answers -----------------------------------------------------------------------------


def test_several_answers_are_told_one_after_the_other_and_counted_through(explain: Explain, tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_text('{"chunks": ["One.\\nTwo."]}\n{"chunks": ["Three."]}\n', encoding="utf-8")

    out = explain(file, *LINES)[1]

    assert ["1", "2", "3"] == re.findall(r"^── (\d+)  ", out, re.MULTILINE)
    assert 2 == out.count("── Summary")
    assert "│ Three." in explain(file, *LINES, "--message", "3")[1]
    assert [2, 1] == [len(reply["messages"]) for reply in json.loads(explain(file, *LINES, "--json")[1])["replies"]]


# --- traces and films ----------------------------------------------------------------------------


def test_a_trace_is_told_fact_by_fact(explain: Explain, trace: Path) -> None:
    status, out, complaints = explain(trace)

    assert (0, "") == (status, complaints)
    assert 'Message 3: "Three."' in out
    assert 2 == out.count("The reply begins.")


def test_one_answer_of_a_trace_is_told(explain: Explain, trace: Path) -> None:
    status, out, complaints = explain(trace, "--answer", "2")

    assert (0, "", 1) == (status, complaints, out.count("The reply begins."))
    assert 'Message 1: "Three."' in out
    assert (2, "", f"cadenza: there is no answer 3 in {str(trace)!r}; it has 2\n") == explain(trace, "--answer", "3")


def test_a_trace_of_an_older_version_is_refused(explain: Explain, tmp_path: Path) -> None:
    file = tmp_path / "old.jsonl"
    file.write_text('{"turn": "a", "at": 0.0, "step": "reply"}\n' * 3, encoding="utf-8")

    status, out, complaints = explain(file)

    assert (2, "", 1) == (status, out, complaints.count("\n"))
    assert complaints.startswith("cadenza: the trace cannot be read: it was written by ")
    assert complaints.endswith("; record the reply again\n")


def test_a_trace_is_json_too_as_it_happened(explain: Explain, trace: Path) -> None:
    value = json.loads(explain(trace, "--json")[1])

    assert ("trace", False) == (value["what"], value["is_rehearsed"])
    assert [["One.", "Two."], ["Three."]] == [
        [message["text"] for message in reply["messages"]] for reply in value["replies"]
    ]


def test_a_line_of_a_trace_that_cannot_be_read_is_named_whatever_is_written(explain: Explain, trace: Path) -> None:
    trace.write_bytes(trace.read_bytes() + b"rubbish\n")

    status, out, complaints = explain(trace, "--json")

    assert 1 == status
    assert "replies" in json.loads(out)
    assert "is no fact of a trace and was skipped: it is not JSON\n" in complaints


def test_a_trace_is_rehearsed_if_something_is_to_be_otherwise(explain: Explain, trace: Path) -> None:
    value = json.loads(explain(trace, "--json", "--set", "degree=0", "--answer", "1")[1])

    assert value["is_rehearsed"]
    assert ["One.\nTwo."] == [message["text"] for message in value["replies"][0]["messages"]]


def test_a_film_is_told_as_it_happened(explain: Explain, tmp_path: Path) -> None:
    file = tmp_path / "evening.film.gz"
    file.write_bytes(dump(filmed("One.\n", latency=7.0)))

    value = json.loads(explain(file, "--json")[1])
    assert ("film", False) == (value["what"], value["is_rehearsed"])
    assert [7.0] == [message["took"]["sending"] for message in value["replies"][0]["messages"]]
    assert "│ One." in explain(file)[1]


# --- pages ---------------------------------------------------------------------------------------


def films_in(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="films">(.*?)</script>', page, re.DOTALL)
    assert found
    value: dict[str, Any] = json.loads(found[1])
    return value


def test_a_page_is_written_and_said_where(explain: Explain, talk: Path, tmp_path: Path) -> None:
    page = tmp_path / "out.html"

    assert (0, "", f"cadenza: the page is in {str(page)!r}; any browser opens it\n") == explain(talk, "--html", page)
    value = films_in(page.read_text(encoding="utf-8"))
    assert ("talk.md", 1) == (value["title"], len(value["films"]))
    assert str(tmp_path) not in page.read_text(encoding="utf-8")


def test_a_page_does_not_write_over_a_file_unless_forced(explain: Explain, talk: Path, tmp_path: Path) -> None:
    page = tmp_path / "out.html"
    page.write_text("precious", encoding="utf-8")

    status, _, complaints = explain(talk, "--html", page)
    assert (2, "precious") == (status, page.read_text(encoding="utf-8"))
    assert "say --force" in complaints
    assert 0 == explain(talk, "--html", page, "--force")[0]
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_page_on_standard_output_is_alone_there(explain: Explain, talk: Path) -> None:
    status, out, complaints = explain(talk, "--html", "-")

    assert (0, "") == (status, complaints)
    assert out.startswith("<!doctype html>")
    assert out.endswith("</html>\n")


def test_a_page_and_json_can_be_had_together(explain: Explain, talk: Path, tmp_path: Path) -> None:
    status, out, _ = explain(talk, "--html", tmp_path / "out.html", "--json")

    assert 0 == status
    assert "replies" in json.loads(out)
    assert (tmp_path / "out.html").exists()


@pytest.mark.parametrize("name", ["nowhere/out.html", "x" * 300 + ".html", "out\0.html"], ids=["folder", "long", "NUL"])
def test_a_page_that_cannot_be_written_is_said(explain: Explain, talk: Path, tmp_path: Path, name: str) -> None:
    status, out, complaints = explain(talk, "--html", tmp_path / name)

    assert (2, "", 1) == (status, out, complaints.count("\n"))
    assert complaints.startswith("cadenza: cannot write ")


def test_the_page_of_a_trace_shows_its_messages(explain: Explain, trace: Path) -> None:
    value = films_in(explain(trace, "--answer", "1", "--html", "-")[1])

    said = [record.about["message"]["content"] for record in unpacked(value["films"][0]).of_kind("message")]
    assert ["One.", "Two."] == said


# --- two settings --------------------------------------------------------------------------------


def test_a_difference_is_told_and_is_the_exit_status(explain: Explain, talk: Path, sides: tuple[Path, Path]) -> None:
    status, out, complaints = explain(talk, "--diff", *sides)

    assert (1, "") == (status, complaints)
    assert out.startswith("- A  left.toml\n+ B  right.toml\n")
    assert "+ bye\n" in out
    assert (0, "  People read the same messages.") == (
        (same := explain(talk, "--diff", sides[0], sides[0]))[0],
        same[1].splitlines()[-1],
    )


def test_a_difference_is_json(explain: Explain, talk: Path, sides: tuple[Path, Path]) -> None:
    status, out, _ = explain(talk, "--diff", *sides, "--json")

    value = json.loads(out)
    assert (1, ["left.toml", "right.toml"]) == (status, value["labels"])
    assert (False, [1, 3]) == (value["replies"][0]["is_same"], value["replies"][0]["settings"]["degree"])
    assert 2 == len(value["replies"][0]["sides"])


def test_a_difference_is_a_page_with_two_films(explain: Explain, talk: Path, sides: tuple[Path, Path]) -> None:
    status, out, _ = explain(talk, "--diff", *sides, "--html", "-")

    value = films_in(out)
    assert (1, ["left.toml", "right.toml"], 2) == (status, value["labels"], len(value["films"]))


# --- the page in docs ------------------------------------------------------------------------------

PAGE = (Path(__file__).parents[2] / "docs" / "explain.md").read_text(encoding="utf-8")


def documented(heading: str) -> set[str]:
    """The fields in the table behind *heading*."""
    table = PAGE.split(heading, 1)[1].split("|---|---|\n", 1)[1].split("\n\n", 1)[0]
    return {name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])}


def test_the_example_in_the_docs_is_what_is_told(explain: Explain, tmp_path: Path) -> None:
    file = tmp_path / "example.md"
    file.write_text("Evening, @Mia!\nLook (it\nworks).", encoding="utf-8")

    told = explain(file, "--set", "shape=lines", "--set", "typing=true")[1]

    assert f"```text\n{told}```" in PAGE


def test_the_fields_in_the_docs_are_those_of_the_json(explain: Explain, talk: Path, sides: tuple[Path, Path]) -> None:
    plain = json.loads(explain(talk, "--json")[1])
    compared = json.loads(explain(talk, "--json", "--diff", *sides)[1])

    assert documented("## JSON") == compared.keys() == plain.keys() | {"labels"}
    assert documented("A reply:") == plain["replies"][0].keys()
    assert documented("Its numbers;") == plain["replies"][0]["numbers"].keys()
    assert documented("a reply is a comparison:") == compared["replies"][0].keys()


# --- somebody who sits there ---------------------------------------------------------------------


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def test_somebody_who_sits_there_is_told_what_it_is_taken_for_in_colours(
    talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, err = _Terminal(io.BytesIO()), io.StringIO()
    monkeypatch.setattr(err, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.delenv("NO_COLOR", raising=False)

    assert 0 == main(["explain", str(talk)])

    shown = out.buffer.getvalue().decode()  # type: ignore[attr-defined]  # it is the one from above
    assert "\x1b[1m1  Cadenza\x1b[0m" in shown
    assert max(len(re.sub(r"\x1b\[[\d;]*m", "", line)) for line in shown.splitlines()) <= 60
    assert f"cadenza: A text of {len(TALK)} characters.\n" == err.getvalue()
