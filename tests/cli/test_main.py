"""The command line as people use it: what it answers to its words, and in real processes with real pipes how it lives and ends."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import IO

import pytest

import cadenza
from cadenza.cli.main import main

LINE = '{"chunks":["Hi :) there\\nsecond line"]}\n'


def run(
    *arguments: str, given: str | bytes = "", encoding: str = "utf-8", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command in this process, with standard streams of its own that speak *encoding*."""
    data = given.encode() if isinstance(given, str) else given
    buffers = {"stdin": BytesIO(data), "stdout": BytesIO(), "stderr": BytesIO()}
    streams = {name: TextIOWrapper(buffer, encoding=encoding) for name, buffer in buffers.items()}
    log = logging.getLogger("cadenza")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log, "handlers", log.handlers.copy())
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        for name, value in (env or {}).items():
            patch.setenv(name, value)
        try:
            status = main(arguments)
        except SystemExit as left:  # as argparse does
            status = int(left.code or 0)
    for stream in streams.values():
        stream.flush()
    output, errors = (buffers[name].getvalue().decode() for name in ("stdout", "stderr"))
    return subprocess.CompletedProcess(arguments, status, output, errors)


def start(
    *arguments: str, given: str | bytes = "", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    data = given.encode() if isinstance(given, str) else given
    result = subprocess.run(
        [sys.executable, "-m", "cadenza", *arguments],
        input=data,
        capture_output=True,
        check=False,
        timeout=110,
        env={**os.environ, **(env or {})},
    )
    return subprocess.CompletedProcess(result.args, result.returncode, result.stdout.decode(), result.stderr.decode())


def test_version() -> None:
    assert f"cadenza {cadenza.__version__}\n" == start("--version").stdout


@pytest.mark.parametrize("arguments", [(), ("--help",)])
def test_help_names_every_command(arguments: tuple[str, ...]) -> None:
    result = run(*arguments)

    assert result.returncode == 0
    assert all(command in result.stdout for command in ("demo", "explain", "record", "replay"))


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("demo", "--fast"),
        ("run", "--model"),
        ("demo", "--trace"),
        ("explain", "--message"),
        ("record", "--with-prompt"),
        ("replay", "--slices"),
    ],
)
def test_every_command_explains_itself(command: str, word: str) -> None:
    result = run(command, "--help")

    assert (0, "") == (result.returncode, result.stderr)
    assert word in result.stdout


def test_an_unknown_command_is_refused_in_a_sentence() -> None:
    result = run("repaly")

    assert result.returncode == 2
    assert "invalid choice" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "usage", "complaint"),
    [
        (("run", "--frob"), "usage: cadenza run [-h]", "unrecognized arguments: --frob"),
        (("doctor", "--jsn"), "usage: cadenza doctor [-h]", "unrecognized arguments: --jsn; did you mean --json?"),
        (("replay", "--slice_=chars"), "usage: cadenza replay [-h]", "--slice_=chars; did you mean --slices?"),
        (("store", "check", "--store", "x"), "usage: cadenza store check [-h]", "[--path FILE]"),
        (("demo", "x"), "usage: cadenza demo [-h]", "cadenza demo: error: unrecognized arguments: x"),
    ],
)
def test_an_unknown_option_is_refused_with_the_usage_of_its_command(
    arguments: tuple[str, ...], usage: str, complaint: str
) -> None:
    result = run(*arguments)

    assert (2, "") == (result.returncode, result.stdout)
    assert result.stderr.startswith(usage)
    assert complaint in result.stderr


@pytest.mark.parametrize("slices", [(), ("--slices", "chars"), ("--slices", "whole"), ("--slices", "random:1")])
def test_replay_is_a_filter(slices: tuple[str, ...]) -> None:
    result = run("replay", "--set", "degree=1", *slices, given=LINE)

    assert (0, "") == (result.returncode, result.stderr)
    assert ["Hi :) there", "second line"] == [post["text"] for post in json.loads(result.stdout)["posts"]]


def test_replay_is_a_filter_between_real_pipes() -> None:
    result = start("replay", "--set", "degree=1", given=LINE)

    assert (0, "") == (result.returncode, result.stderr)
    assert ["Hi :) there", "second line"] == [post["text"] for post in json.loads(result.stdout)["posts"]]


def test_a_bad_line_does_not_stop_the_others() -> None:
    result = run("replay", given='{"id": 1, "chunks": ["a"]}\nrubbish\n\n{"id": 2, "chunks": ["b"]}\n')

    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [1, None, 2] == [answer["id"] for answer in answers]
    assert "error" in answers[1]
    assert (1, "") == (result.returncode, result.stderr)


def test_an_error_says_where_it_is(tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    one.write_text(f"{LINE}\n{{broken\n")
    two.write_text("{broken\n")

    result = run("replay", str(one), str(two), "-", given="{broken")

    good, *bad = (json.loads(line) for line in result.stdout.splitlines())
    assert good.keys().isdisjoint({"error", "file", "line"})
    assert [(str(one), 3), (str(two), 1), ("-", 1)] == [(answer["file"], answer["line"]) for answer in bad]
    assert all(answer["error"].startswith("the line is not valid JSON: ") for answer in bad)


def test_nothing_in_nothing_out() -> None:
    result = run("replay")

    assert (0, "", "") == (result.returncode, result.stdout, result.stderr)


def test_files_and_standard_input_may_be_mixed(tmp_path: Path) -> None:
    file = tmp_path / "streams.jsonl"
    file.write_text('{"id": "file", "chunks": []}', encoding="utf-8")

    result = run("replay", str(file), "-", given='{"id": "input", "chunks": []}')

    assert ["file", "input"] == [json.loads(line)["id"] for line in result.stdout.splitlines()]


def test_settings_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "cadenza.toml"
    file.write_text("[delivery]\ndegree = 0\n", encoding="utf-8")

    result = run("replay", "--settings", str(file), given=LINE)

    assert len(json.loads(result.stdout)["posts"]) == 1


def test_settings_from_the_command_line_go_before_those_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "cadenza.toml"
    file.write_text('shape = "reply"\nlimit = 200\n', encoding="utf-8")

    result = run("replay", "--settings", str(file), "--set", "shape=lines", given='{"chunks": ["One.\\nTwo."]}')

    assert ["One.", "Two."] == [post["text"] for post in json.loads(result.stdout)["posts"]]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param(("replay", "no-such-file"), "cannot read 'no-such-file'", id="missing file"),
        pytest.param(("replay", "."), "cannot read '.'", id="a folder"),
        pytest.param(("replay", "--slices", "half"), "cannot slice 'half'", id="slices"),
        pytest.param(("replay", "--settings", "none.toml"), "settings file 'none.toml'", id="missing settings"),
        pytest.param(("replay", "--set", "shape=blob"), "the setting 'shape' must be one of 'reply'", id="setting"),
        pytest.param(("replay", "nul\\0".replace("\\0", "x" * 300)), "cannot read", id="name too long"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(arguments: tuple[str, ...], complaint: str) -> None:
    result = run(*arguments, given=LINE)

    assert result.returncode == 2
    assert result.stderr.startswith("cadenza: ")
    assert complaint in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_broken_settings_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "broken.toml"
    file.write_text("degree = = 1", encoding="utf-8")

    result = run("replay", "--settings", str(file), given=LINE)

    assert (2, True) == (result.returncode, "is not valid TOML" in result.stderr)


def test_output_is_utf8_whatever_the_terminal_says() -> None:
    result = start("replay", given='{"chunks": ["日本語"]}', env={"PYTHONIOENCODING": "ascii"})

    assert "日本語" in result.stdout


def test_an_id_that_utf8_cannot_hold_comes_back_escaped() -> None:
    result = run("replay", given='{"id": "\\ud800", "chunks": []}')

    assert json.loads(result.stdout)["id"] == "\ud800"


_INTERRUPTIBLE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a test that runs in the background may have it ignored
from cadenza.cli.main import main
raise SystemExit(main(["replay"]))
"""


@contextmanager
def waiting_replay() -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes], IO[bytes], IO[bytes]]]:
    """A ``cadenza replay`` that has answered one line and waits for the next, with its three streams."""
    command = [sys.executable, "-c", _INTERRUPTIBLE]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(LINE.encode())
        process.stdin.flush()
        process.stdout.readline()
        yield process, process.stdin, process.stdout, process.stderr


def test_a_reader_that_leaves_early_is_no_error() -> None:
    """``cadenza replay | head -1``: no traceback, and no message from the interpreter's last flush."""
    with waiting_replay() as (process, given, output, errors):
        output.close()
        with suppress(BrokenPipeError):  # it may have gone already, which is fine
            given.write(LINE.encode() * 1000)
            given.close()

        assert process.wait(timeout=110) == 141
        assert errors.read() == b""


def test_ctrl_c_ends_it_quietly() -> None:
    with waiting_replay() as (process, _, _, errors):
        process.send_signal(signal.SIGINT)

        assert process.wait(timeout=110) == 130
        assert errors.read() == b""


def test_the_demo_runs_from_the_command_line() -> None:
    result = start("demo", "--fast")

    assert (0, "") == (result.returncode, result.stderr)
    assert "Ren" in result.stdout


def test_main_gives_back_the_status_instead_of_leaving(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "no-such-file"]) == 2
    assert "no-such-file" in capsys.readouterr().err


# --- recording ---------------------------------------------------------------------------------


@pytest.fixture
def script(tmp_path: Path) -> str:
    file = tmp_path / "answer.jsonl"
    file.write_text('{"text": "Hi :) the"}\n{"text": "re\\nsecond line"}\n{"finish": "stop"}\n', encoding="utf-8")
    return f"script:{file}"


@pytest.mark.parametrize("output", ["-", ""])
def test_a_recording_goes_to_a_file(output: str, script: str) -> None:
    result = run("record", script, "Hi", "-o", output)

    assert (2, "") == (result.returncode, result.stdout)
    assert "a recording needs a file" in result.stderr


def test_whoever_sits_at_a_terminal_is_told_to_ask(tmp_path: Path, script: str) -> None:
    master, slave = os.openpty()
    command = [sys.executable, "-m", "cadenza", "record", script, "-o", str(tmp_path / "recorded.jsonl")]
    with subprocess.Popen(command, stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        os.write(master, b"Hi\n\x04")
        output, errors = process.communicate(timeout=110)
    os.close(slave)
    os.close(master)

    assert (0, b"Hi :) there\nsecond line\n") == (process.returncode, output)
    assert errors.startswith(b"cadenza: type the prompt, and end it with Ctrl-D")


def test_what_was_recorded_is_replayed(tmp_path: Path, script: str) -> None:
    file = tmp_path / "recorded.jsonl"

    recorded = run("record", script, "Hi", "-o", str(file), "--set", "max_tokens=30")
    replayed = run("replay", "--set", "degree=1", str(file))

    assert (0, "Hi :) there\nsecond line\n") == (recorded.returncode, recorded.stdout)
    assert recorded.stderr.endswith(f"play it with: cadenza replay {file}\n")
    assert ["Hi :) there", "second line"] == [post["text"] for post in json.loads(replayed.stdout)["posts"]]
    assert (0, "") == (replayed.returncode, replayed.stderr)
    assert replayed.stdout == run("replay", "--set", "degree=1", given=file.read_bytes()).stdout


def test_what_to_ask_may_come_from_standard_input(tmp_path: Path, script: str) -> None:
    file = tmp_path / "recorded.jsonl"

    assert run("record", script, "-o", str(file), "--with-prompt", given="What about 日本?").returncode == 0
    assert "日本" in json.loads(file.read_text(encoding="utf-8").splitlines()[0])["request"]["body"].encode().decode(
        "unicode_escape"
    )


def test_recordings_and_lines_may_be_mixed(tmp_path: Path, script: str) -> None:
    file = tmp_path / "recorded.jsonl"
    run("record", script, "Hi", "-o", str(file))

    result = run("replay", str(file), "-", str(file), given='{"id": "line", "chunks": ["a"]}')

    assert ["script:script", "line", "script:script"] == [json.loads(line)["id"] for line in result.stdout.splitlines()]


def test_a_recording_that_cannot_be_read_is_answered_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "recorded.jsonl"
    file.write_bytes(b'{"recording": 1, "vendor": "script", "model": ""}\n\n\xff\n')

    result = run("replay", str(file))

    assert (1, "") == (result.returncode, result.stderr)
    assert "line 3 of the recording" in json.loads(result.stdout)["error"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param(("nobody:m", "Hi"), "unknown vendor 'nobody'", id="nobody"),
        pytest.param(("script:no-such-file", "Hi"), "cannot read 'no-such-file'", id="no script"),
        pytest.param(("script:no-such-file",), "the prompt is empty", id="no prompt"),
        pytest.param(("openai:gpt-5.1", "Hi"), "OPENAI_API_KEY", id="no key"),
        pytest.param(("openai:gpt-5.1", "Hi", "--set", "degre=1"), "did you mean 'degree'", id="a misspelt setting"),
        pytest.param(("openai:gpt-5.1", "Hi", "--set", "degree"), "name=value", id="no setting"),
        pytest.param(("local:~nobody-of-this-name/a.gguf", "Hi"), "there is no file", id="no home"),
        pytest.param(("local", "Hi", "--url", "http://localhost"), "has no address", id="no address"),
    ],
)
def test_what_cannot_be_recorded_is_said_in_a_sentence(
    arguments: tuple[str, ...], complaint: str, tmp_path: Path
) -> None:
    file = tmp_path / "recorded.jsonl"

    result = run("record", *arguments, "-o", str(file), env={"OPENAI_API_KEY": ""})

    assert (2, "", 1) == (result.returncode, result.stdout, result.stderr.count("\n"))
    assert complaint in result.stderr
    assert not file.exists()


def test_what_went_wrong_is_said_once(tmp_path: Path) -> None:
    """In a process of its own, for a log that nobody set up writes to standard error."""
    (tmp_path / "broken.jsonl").write_text('{"error": "asleep"}', encoding="utf-8")
    result = start("record", "-o", str(tmp_path / "recorded.jsonl"), f"script:{tmp_path / 'broken.jsonl'}", "Hi")

    assert (1, 1) == (result.returncode, (result.stdout + result.stderr).count("asleep"))


def test_ctrl_c_keeps_what_was_recorded(tmp_path: Path) -> None:
    script, file = tmp_path / "slow.jsonl", tmp_path / "recorded.jsonl"
    script.write_text('{"text": "Hello"}\n{"after": 600, "text": " there"}\n', encoding="utf-8")
    arguments = ["record", f"script:{script}", "Hi", "-o", str(file)]
    command = [sys.executable, "-c", _INTERRUPTIBLE.replace('["replay"]', repr(arguments))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.read(5) == b"Hello"
        process.send_signal(signal.SIGINT)

        assert process.wait(timeout=110) == 130
        assert b"play it with" in process.stderr.read()

    assert ["Hello"] == [post["text"] for post in json.loads(run("replay", str(file)).stdout)["posts"]]


# --- demo --trace, and explain -------------------------------------------------------------------


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trace of a demo."""
    file = tmp_path_factory.mktemp("demo") / "trace.jsonl"
    result = run("demo", "--fast", "--trace", str(file))
    assert (0, "") == (result.returncode, result.stderr)
    return file


def test_the_demo_writes_a_trace_of_every_message_that_it_shows(trace: Path) -> None:
    facts = [json.loads(line)["fact"] for line in trace.read_text(encoding="utf-8").splitlines()]

    assert (16, 5) == (facts.count("message_sent"), facts.count("reply_ended"))


def test_explain_tells_the_story_of_a_trace(trace: Path) -> None:
    result = run("explain", str(trace))

    assert (0, "") == (result.returncode, result.stderr)
    assert re.match(r" +0\.00\d s  The reply as Ren in stargazers begins\.", result.stdout)
    assert all(f"Message {number}" in result.stdout for number in range(1, 17))
    assert "A person stops the reply." in result.stdout


def test_explain_reads_standard_input_and_tells_of_one_message(trace: Path) -> None:
    result = run("explain", "-", "--message", "1", given=trace.read_bytes(), encoding="ascii")

    assert (0, "") == (result.returncode, result.stderr)
    assert 'Message 1: "Evening, @Mia! 🌠"' in result.stdout
    assert "Message 2" not in result.stdout


def test_a_line_that_is_none_of_a_trace_is_named_and_the_rest_is_told(trace: Path) -> None:
    result = run("explain", "-", given=b"rubbish\n" + trace.read_bytes())

    assert 1 == result.returncode
    assert "cadenza: line 1 is no fact of a trace and was skipped: it is not JSON\n" == result.stderr
    assert "Message 16" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param(("demo", "--fast", "--trace", "no-such-folder/x"), "cannot write the trace to 'no-such-folder/x'", id="no folder"),
        pytest.param(("demo", "--fast", "--trace", "."), "cannot write the trace to '.'", id="a folder"),
        pytest.param(("demo", "--fast", "--trace", "-"), "a trace needs a file", id="standard output"),
        pytest.param(("explain", "no-such-file"), "cannot read 'no-such-file'", id="missing file"),
        pytest.param(("explain", "-"), "there is nothing to explain in '-'", id="empty"),
    ],
)  # fmt: skip
def test_a_trace_that_cannot_be_used_is_said_in_a_sentence(arguments: tuple[str, ...], complaint: str) -> None:
    result = run(*arguments)

    assert (2, "") == (result.returncode, result.stdout)
    assert result.stderr.startswith(f"cadenza: {complaint}")
    assert 1 == result.stderr.count("\n")


def test_a_message_that_there_is_not_is_said_in_a_sentence(trace: Path) -> None:
    result = run("explain", str(trace), "--message", "99")

    assert (2, "") == (result.returncode, result.stdout)
    assert "cadenza: there is no message 99 in the trace; it has 16\n" == result.stderr


def test_explain_tells_what_becomes_of_a_text() -> None:
    result = start("explain", "-", given="Hi :) there\nsecond line \x1b[2J", env={"PYTHONIOENCODING": "ascii"})

    assert (0, "") == (result.returncode, result.stderr)
    assert "│ Hi :) there\n" in result.stdout
    assert "│ second line \\x1b[2J\n" in result.stdout


def test_whoever_has_read_enough_of_an_explanation_may_go(tmp_path: Path) -> None:
    file = tmp_path / "long.md"
    file.write_text(f"A line {'that is long, ' * 100}.\n" * 100, encoding="utf-8")  # more than a pipe holds
    command = [sys.executable, "-m", "cadenza", "explain", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.stdout.close()

        assert (141, b"") == (process.wait(timeout=110), process.stderr.read())


def test_ctrl_c_in_the_middle_of_an_explanation_ends_it_without_a_word() -> None:
    command = [sys.executable, "-c", _INTERRUPTIBLE.replace('["replay"]', '["explain", "-"]')]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin
        process.stdin.write(b"A line that says something.\n" * 40_000)  # much of which it has read when this is over
        process.stdin.close()
        process.send_signal(signal.SIGINT)

        assert process.stdout
        assert process.stderr
        assert (130, b"", b"") == (process.wait(timeout=110), process.stdout.read(), process.stderr.read())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
def test_a_full_disk_does_not_disturb_the_demo_and_is_told_in_the_end() -> None:
    result = run("demo", "--fast", "--trace", "/dev/full")

    assert "That was 15 messages" in result.stdout
    assert (1, 1) == (result.returncode, result.stderr.count("\n"))
    assert "cadenza: the trace cannot be written (No space left on device)" in result.stderr
