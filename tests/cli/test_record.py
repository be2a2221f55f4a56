"""``cadenza record``: asked over loopback, shown, and saved as something that can be played."""

from __future__ import annotations

import asyncio
import io
import json
import sys
from pathlib import Path

import pytest

from cadenza.cli import record
from cadenza.cli.record import RecordOptions
from cadenza.errors import InputError, SettingsError
from cadenza.models.recordings import heard, load
from cadenza.settings import Settings
from cadenza.types import Failed, Finished, TextDelta
from tests.loopback import Act, Answer, serving
from tests.models.recorded import joined

KEY = "very-secret-key-1234"
SAID = (
    b'data: {"id":"1","choices":[{"index":0,"delta":{"role":"assistant","content":"He\\u001b[2Jll"}}]}\n\n',
    b'data: {"id":"1","choices":[{"index":0,"delta":{"content":"o \xf0\x9f\x98\x80"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
)
SCRIPT = '{"text": "Hello "}\n{"text": "there"}\n{"finish": "stop"}\n'


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "recorded.jsonl"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "answer.jsonl"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


async def recorded(order: RecordOptions) -> int:
    return await asyncio.to_thread(record.run, order)


async def test_a_secret_that_the_settings_add_is_not_saved(output: Path) -> None:
    settings = Settings.of(headers={"x-gateway-token": "open sesame"})
    async with serving(lambda asked: Answer((f": {asked.headers['x-gateway-token']}\n\n".encode(),))) as server:
        await recorded(RecordOptions("vllm:tiny", "Hi", output, url=server.url, settings=settings))

    assert [b": ***********\n\n"] == [beat.data for beat in load(output).answers[0].beats]


async def test_an_answer_is_shown_and_saved(
    output: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VLLM_API_KEY", KEY)
    settings = Settings.of(max_tokens=30)
    async with serving(Answer(SAID)) as server:
        order = RecordOptions("vllm:tiny", "Say hello.", output, url=server.url, system="Be brief.", settings=settings)
        status = await recorded(order)

    shown = capsys.readouterr()
    assert (0, "He\ufffd[2Jllo 😀\n") == (status, shown.out)
    assert f"bytes to {output}; play it with: cadenza replay {output}\n" in shown.err
    assert (1, 1) == (shown.err.count("\n"), len(server.asked))
    body = json.loads(server.asked[0].body)
    assert ("Be brief.", "Say hello.", 30) == (*(turn["content"] for turn in body["messages"]), body["max_tokens"])
    (answer,) = load(output).answers
    assert [TextDelta("He\x1b[2Jllo 😀"), Finished("stop")] == joined(heard(answer))
    assert KEY in server.asked[0].headers["authorization"]
    assert KEY not in output.read_text(encoding="utf-8")  # noqa: ASYNC240  # nobody else waits
    assert "Say hello." not in output.read_text(encoding="utf-8")  # noqa: ASYNC240


async def test_what_was_asked_is_saved_on_demand(output: Path) -> None:
    async with serving(Answer(SAID)) as server:
        await recorded(RecordOptions("llamacpp:tiny", "Say hello.", output, url=server.url, with_prompt=True))

    assert "Say hello." in str(load(output).answers[0].request)


async def test_a_refusal_is_saved_and_said(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refusal = Answer.of(b'{"error": {"message": "no such model", "code": 404}}', 404)
    async with serving(refusal) as server:
        status = await recorded(RecordOptions("llamacpp:tiny", "Hi", output, url=server.url))

    assert (1, 2) == (status, capsys.readouterr().err.count("\n"))
    assert isinstance(heard(load(output).answers[0])[-1], Failed)


async def test_a_connection_that_breaks_is_saved_behind_what_came(output: Path) -> None:
    async with serving(Answer((SAID[0], Act.RESET))) as server:
        assert await recorded(RecordOptions("llamacpp:tiny", "Hi", output, url=server.url)) == 1

    text, failed = joined(heard(load(output).answers[0]))
    assert isinstance(text, TextDelta)
    assert isinstance(failed, Failed)


async def test_a_model_that_falls_silent_is_not_waited_for(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = Settings.of(first_timeout=60.0, idle_timeout=0.05)
    async with serving(Answer((SAID[0], Act.STALL))) as server:
        status = await recorded(RecordOptions("llamacpp:tiny", "Hi", output, url=server.url, settings=settings))
        await server.quiet()

    assert (1, True) == (status, "said nothing for 0.05 seconds" in capsys.readouterr().err)
    assert TextDelta("He\x1b[2Jll") == heard(load(output).answers[0])[0]


def test_an_interrupt_keeps_what_came(
    output: Path, script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(text: str) -> None:
        if text == "there":
            raise KeyboardInterrupt

    monkeypatch.setattr(record, "_show", interrupted)
    assert record.run(RecordOptions(f"script:{script}", "Hi", output)) == 130
    assert TextDelta("Hello ") == heard(load(output).answers[0])[0]
    assert "play it with" in capsys.readouterr().err


def test_nothing_is_written_over_without_force(output: Path, script: Path) -> None:
    output.write_text("precious", encoding="utf-8")
    order = RecordOptions(f"script:{script}", "Hi", output)
    with pytest.raises(InputError, match="already; --force"):
        record.run(order)
    assert output.read_text(encoding="utf-8") == "precious"

    assert record.run(RecordOptions(f"script:{script}", "Hi", output, force=True)) == 0
    assert [TextDelta("Hello there"), Finished("stop")] == joined(heard(load(output).answers[0]))


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, script: Path) -> None:
    with pytest.raises(InputError, match="cannot write"):
        record.run(RecordOptions(f"script:{script}", "Hi", tmp_path / "no such folder" / "a.jsonl"))


def test_a_folder_is_no_file(tmp_path: Path, script: Path) -> None:
    with pytest.raises(InputError, match="is a folder; name a file in it"):
        record.run(RecordOptions(f"script:{script}", "Hi", tmp_path))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk here that is always full")
def test_a_full_disk_is_told(script: Path) -> None:
    with pytest.raises(InputError, match="cannot write '/dev/full': No space left"):
        record.run(RecordOptions(f"script:{script}", "Hi", Path("/dev/full"), force=True))


def test_what_came_is_kept_when_nobody_reads_on(output: Path, script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(_: str) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(record, "_show", gone)
    with pytest.raises(BrokenPipeError):
        record.run(RecordOptions(f"script:{script}", "Hi", output))
    assert TextDelta("Hello ") == heard(load(output).answers[0])[0]


def test_how_to_play_it_can_be_typed_as_it_stands(
    tmp_path: Path, script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record.run(RecordOptions(f"script:{script}", "Hi", tmp_path / "my fox.jsonl"))

    assert capsys.readouterr().err.endswith(f"cadenza replay '{tmp_path}/my fox.jsonl'\n")


def test_no_file_is_left_behind_if_there_is_nobody_to_ask(output: Path) -> None:
    with pytest.raises(SettingsError, match="unknown vendor"):
        record.run(RecordOptions("nobody:m", "Hi", output))
    assert not output.exists()


def test_an_output_that_knows_only_ascii_is_no_error(
    output: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "a.jsonl"
    script.write_text('{"text": "é 日"}', encoding="utf-8")
    screen = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", screen)

    assert record.run(RecordOptions(f"script:{script}", "Hi", output)) == 0
    screen.seek(0)
    assert screen.read() == "? ?\n"
