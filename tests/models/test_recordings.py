"""What a provider really sent, saved and played again: the same bytes, the same pauses, and no secret among them."""

from __future__ import annotations

import asyncio
import base64
import io
import json
from collections.abc import AsyncIterator, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from cadenza.errors import CadenzaError, ErrorKind, HttpError, InputError, ProviderError
from cadenza.models import recordings
from cadenza.models.dialects.scripted import Beat
from cadenza.models.model import stream
from cadenza.models.recordings import heard, hide_secrets, is_head, load, parse, playing, recorder, transport
from cadenza.stages.s2_generation import Transport
from cadenza.types import Failed, Finished, HttpRequest, Prompt, TextDelta

KEY = "sk-proj-0123456789abcdef/ghij"
REQUEST = HttpRequest("https://api.example/v1?key=1", b'{"messages": []}', {"authorization": f"Bearer {KEY}"})
HEAD = '{"recording": 1, "vendor": "script", "model": "m", "status": 200}\n'

pytestmark = pytest.mark.looptime


def sending(*steps: bytes | float | CadenzaError) -> Transport:
    """A way over which *steps* come: bytes, pauses, and what goes wrong."""

    async def send(_: HttpRequest) -> AsyncIterator[bytes]:
        for step in steps:
            if isinstance(step, bytes):
                yield step
            elif isinstance(step, CadenzaError):
                raise step
            else:
                await asyncio.sleep(step)

    return send


async def recorded(*steps: bytes | float | CadenzaError, request: HttpRequest = REQUEST, **options: Any) -> str:
    """The recording of *steps*."""
    file = io.StringIO()
    way = recorder(sending(*steps), file, **{"vendor": "script", "model": "m", **options})
    try:
        async for _ in way(request):
            pass
    except CadenzaError:
        pass
    return file.getvalue()


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


# --- recording -----------------------------------------------------------------------------


async def test_bytes_are_written_down_as_they_came() -> None:
    head, *rest = lines(await recorded(0.5, b"data: \xf0\x9f", b"\x98\x80\n", 1.25, b"\n"))

    assert {"recording": 1, "vendor": "script", "model": "m", "status": 200} == head
    assert [
        {"after": 0.5, "base64": base64.b64encode(b"data: \xf0\x9f").decode()},
        {"after": 0.0, "base64": base64.b64encode(b"\x98\x80\n").decode()},
        {"after": 1.25, "text": "\n"},
    ] == rest


async def test_a_refusal_is_written_down_with_its_status() -> None:
    refusal = HttpError(429, {"content-type": "application/json", "retry-after": "7", "set-cookie": "a=b"}, b'{"e": 1}')

    text = await recorded(0.5, refusal)

    assert [
        {
            "recording": 1, "vendor": "script", "model": "m", "status": 429, "content_type": "application/json",
            "retry_after": "7",
        },
        {"after": 0.5, "text": '{"e": 1}'},
    ] == lines(text)  # fmt: skip


async def test_a_connection_that_breaks_is_written_down_behind_what_came() -> None:
    broken = ProviderError("it broke", kind=ErrorKind.TIMEOUT, code="ECONNRESET", retryable=True)

    assert [
        {"after": 0.0, "text": "a"},
        {"after": 2.0, "broke": {"message": "it broke", "kind": "timeout", "code": "ECONNRESET", "retryable": True}},
    ] == lines(await recorded(b"a", 2.0, broken))[1:]


async def test_who_hangs_up_keeps_what_came() -> None:
    file = io.StringIO()
    body = recorder(sending(b"one", 1.0, b"two"), file, vendor="script", model="m")(REQUEST)

    await anext(body)
    await body.aclose()  # type: ignore[attr-defined]  # it is a generator, whatever its signature says

    assert [{"after": 0.0, "text": "one"}] == lines(file.getvalue())[1:]


async def test_what_was_asked_is_kept_only_if_that_is_wanted() -> None:
    assert "request" not in lines(await recorded(b"a"))[0]

    request = lines(await recorded(b"a", with_prompt=True))[0]["request"]
    assert {"url": "https://api.example/v1", "body": '{"messages": []}'} == request


# --- secrets ---------------------------------------------------------------------------------


def sliced(data: bytes, cuts: Iterable[int]) -> list[bytes]:
    places = [0, *sorted(cuts), len(data)]
    return [data[start:end] for start, end in pairwise(places)]


FORMS = [
    pytest.param(KEY, id="as it is"),
    pytest.param(KEY.replace("/", "\\/"), id="with an escaped slash"),
    pytest.param(KEY.replace("/", "%2F"), id="in an address"),
    pytest.param(base64.b64encode(KEY.encode()).decode(), id="in base64"),
    pytest.param(f"Bearer {KEY}", id="the whole header"),
]


@pytest.mark.parametrize("form", FORMS)
async def test_a_key_is_blacked_out_wherever_the_network_cut_it(form: str) -> None:
    data = f'data: {{"error": "no such key: {form}!"}}\n\n'.encode()
    for cut in range(len(data)):
        text = await recorded(*sliced(data, [cut, min(cut + 5, len(data))]))
        played = b"".join(beat.data for beat in parse(text).answers[0].beats)

        assert len(data) == len(played)
        assert form[8:].encode() not in played  # in the text a backslash would be two
        assert played.startswith(b'data: {"error": "no such key: ')
        assert played.endswith(b'!"}\n\n')


@given(data=st.data())
def test_a_key_is_found_in_any_bytes(data: st.DataObject) -> None:
    before, after = data.draw(st.binary(max_size=30)), data.draw(st.binary(max_size=30))
    key = data.draw(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=4, max_size=40)).encode()

    clean = hide_secrets(before + key + after, [key])

    assert not key.strip(b"*") or key not in clean
    assert len(before + key + after) == len(clean)


@pytest.mark.parametrize(
    "secret",
    [
        "sk-ant-api03-AbCdEfGh1234567890",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "Bearer abcdefgh12345678ijkl",
        "eyJhbGciOiJIUzI1NiJ9abc.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2ln",
        "set-cookie: session=very-secret; path=/",
    ],
)
async def test_what_looks_like_a_key_is_blacked_out_whosever_it_is(secret: str) -> None:
    text = await recorded(f"you sent {secret}\n".encode(), with_prompt=True)

    assert secret not in text
    assert "you sent " in text
    assert secret[-6:] not in text


@pytest.mark.parametrize("text", ["the bearer of bad news came skiing", "sk-ip this", "cookies: yes", "eyJ is a word"])
def test_words_stay_readable(text: str) -> None:
    assert text.encode() == hide_secrets(text.encode(), [])


async def test_no_header_of_the_request_is_ever_written() -> None:
    headers = {"x-api-key": "k" * 12, "cookie": "session=abc123", "user-agent": "cadenza", "x-goog-api-key": "g" * 39}
    request = HttpRequest("https://api.example", f"{headers}".encode(), headers)

    text = await recorded(f"{headers}".encode(), request=request, with_prompt=True)

    assert all(value not in text for name, value in headers.items() if name != "user-agent")


@pytest.mark.parametrize("form", ["open/sesame", "open%2Fsesame", "open\\/sesame"])
async def test_what_is_secret_in_an_address_or_added_on_the_way_is_blacked_out(form: str) -> None:
    asked = HttpRequest("https://api.example/v1?key=open%2Fsesame", b"{}")

    for text in (
        await recorded(f"no: {form}".encode(), request=asked),
        await recorded(f"no: {form}".encode(), added={"x-gateway-token": "open/sesame"}),
    ):
        assert b"no: " + b"*" * len(form) == parse(text).answers[0].beats[0].data


async def test_a_key_in_an_error_of_ours_is_blacked_out_too() -> None:
    text = await recorded(ProviderError("it broke", detail=f"with {KEY}"))

    assert KEY not in text
    assert isinstance(parse(text).answers[0].beats[-1].error, ProviderError)


# --- playing -----------------------------------------------------------------------------------


class Clock:
    """Counts the seconds that were asked for, and waits for none of them."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


@pytest.mark.parametrize(("pace", "slept"), [(1.0, [0.5, 1.25]), (2.0, [1.0, 2.5]), (0.0, [])])
async def test_what_was_recorded_is_played_at_its_own_pace_or_another(pace: float, slept: list[float]) -> None:
    recording = parse(await recorded(0.5, b"data: \xf0\x9f", b"\x98\x80\n", 1.25, b"\n"))
    clock = Clock()

    played = [data async for data in transport(recording, clock.sleep, pace=pace)(REQUEST)]

    assert ([b"data: \xf0\x9f", b"\x98\x80\n", b"\n"], slept) == (played, clock.slept)


async def test_a_refusal_is_played_as_one() -> None:
    recording = parse(await recorded(0.5, HttpError(429, {"retry-after": "7"}, b"slow down")))
    clock = Clock()

    with pytest.raises(HttpError) as caught:
        await anext(transport(recording, clock.sleep)(REQUEST))

    assert (429, {"retry-after": "7"}, b"slow down") == (caught.value.status, caught.value.headers, caught.value.body)
    assert [0.5] == clock.slept


async def test_a_broken_connection_is_played_as_one() -> None:
    error = ProviderError("it broke", kind=ErrorKind.TIMEOUT, code="x", status=5, retryable=True, retry_after=2.0)
    recording = parse(await recorded(b'{"text": "a"}\n', error))

    text, failed = heard(recording.answers[0])

    assert TextDelta("a") == text
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, ProviderError)
    assert vars(error) == vars(failed.error)


async def test_several_answers_are_played_in_their_order_and_over_and_over() -> None:
    text = await recorded(HttpError(400, {}, b"no")) + await recorded(b'{"text": "yes"}\n')
    model = playing(parse(text), Clock().sleep)

    replies = [[chunk async for chunk in stream(model, Prompt("", ()))] for _ in range(4)]

    assert [Failed, TextDelta, Failed, TextDelta] == [type(chunks[0]) for chunks in replies]
    assert [TextDelta("yes"), Finished("end_of_stream")] == replies[1] == replies[3]


async def test_a_recording_of_a_real_dialect_is_read_by_it() -> None:
    body = b'data: {"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
    for vendor in ("openai", "custom"):
        (answer,) = parse(await recorded(body[:20], body[20:], vendor=vendor, model="gpt-5.1")).answers

        assert [TextDelta("Hi"), Finished("stop")] == heard(answer)


async def test_a_refusal_is_what_its_dialect_makes_of_it() -> None:
    refusal = HttpError(401, {}, b'{"error": {"message": "Incorrect API key"}}')

    (failed,) = heard(parse(await recorded(refusal, vendor="openai")).answers[0])

    assert isinstance(failed, Failed)
    assert isinstance(failed.error, ProviderError)
    assert failed.error.status == 401


def test_a_vendor_that_nobody_knows_is_named() -> None:
    with pytest.raises(InputError, match="unknown vendor 'acme'"):
        heard(parse(HEAD.replace("script", "acme")).answers[0])


# --- files ---------------------------------------------------------------------------------------


def test_a_file_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(HEAD + '\n{"after": 1, "text": "a"}\r\n', encoding="utf-8-sig")

    assert (Beat(1, b"a"),) == load(file).answers[0].beats


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param("", "line 1 .*no recording in it", id="empty"),
        pytest.param('{"text": "a"}', "line 1 .*begins with a line such as", id="no head"),
        pytest.param("nonsense", "line 1 .*not valid JSON", id="no JSON"),
        pytest.param("[" * 100_000, "line 1 .*not valid JSON", id="nested too deep"),
        pytest.param(HEAD + "\n[]", "line 3 .*not an object", id="a list"),
        pytest.param(HEAD + '{"after": -1, "text": ""}', "line 2 .*number of seconds", id="a pause below nothing"),
        pytest.param(HEAD + '{"after": 1e999, "text": ""}', "line 2 .*number of seconds", id="a pause for ever"),
        pytest.param(HEAD + '{"after": true, "text": ""}', "line 2 .*number of seconds", id="no pause"),
        pytest.param(HEAD + '{"base64": "?"}', "line 2 .*not base64", id="no base64"),
        pytest.param(HEAD + '{"after": 1}', "line 2 .*expected 'text'", id="nothing in it"),
        pytest.param(HEAD + '{"broke": {"message": "a", "kind": "b"}}', "line 2 .*a kind", id="unknown kind"),
        pytest.param('{"recording": 2, "vendor": "a"}', "line 1 .*version 2", id="a newer one"),
        pytest.param('{"recording": 1}', "line 1 .*'vendor'", id="nobody's"),
        pytest.param('{"recording": 1, "vendor": "a", "status": "x"}', "line 1 .*'status'", id="status"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        parse(text)


@pytest.mark.parametrize("data", [None, b"\xff\xfe"], ids=["missing", "not UTF-8"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, data: bytes | None) -> None:
    file = tmp_path / "a.jsonl"
    if data is not None:
        file.write_bytes(data)

    with pytest.raises(InputError, match=r"a\.jsonl"):
        load(file)


@pytest.mark.parametrize(
    ("line", "is_one"), [(HEAD, True), (HEAD.encode(), True), ('{"chunks": []}', False), ("x", False), (b"\xff", False)]
)
def test_a_head_is_recognised(line: str | bytes, is_one: bool) -> None:  # noqa: FBT001  # a table
    assert is_one == is_head(line)


def test_a_name_that_no_file_can_have_is_no_crash() -> None:
    with pytest.raises(InputError, match="cannot read"):
        recordings.load("nul\0")
