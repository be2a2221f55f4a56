"""The way to a model: what is sent, what comes back, and what is said of all that can go wrong with it."""

from __future__ import annotations

import asyncio
import gc
import gzip
import socket
import traceback
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from cadenza.errors import CadenzaError, ErrorKind, HttpError, InputError, ProviderError, SettingsError
from cadenza.models.http import Http
from cadenza.settings import HttpSettings
from cadenza.types import HttpRequest
from tests.helpers import written_by_the_bot
from tests.leaps import leaping
from tests.loopback import Act, Answer, Asked, Loopback, Pause, serving

KEY = "sk-very-secret-key"
PICTURES = ("image/",)


@pytest.fixture(autouse=True, params=["alone", "in a crowd"])
def company(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything holds for a stream alone, and for one of a crowd, each of which is read only now and then."""
    if request.param == "in a crowd":
        monkeypatch.setattr("cadenza.models.http._CROWD", 0)


def request(url: str, body: bytes = b"{}", /, **headers: str) -> HttpRequest:
    return HttpRequest(url, body, {name.replace("_", "-"): value for name, value in headers.items()})


async def heard(http: Http, asked: HttpRequest, *, private: bool = True) -> bytes:
    """All bytes of an answer."""
    return b"".join([data async for data in http.transport(private=private)(asked)])


async def failed(http: Http, asked: HttpRequest, *, private: bool = True) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await heard(http, asked, private=private)
    return caught.value


async def interrupted(body: AsyncIterator[bytes], take: Callable[[bytes], None]) -> ProviderError:
    """Take what comes of *body*; give back the error that ends it."""
    try:
        async for data in body:
            take(data)
    except ProviderError as error:
        return error
    pytest.fail("nothing went wrong")


def told(error: ProviderError) -> tuple[ErrorKind, str, bool]:
    return error.kind, error.code, error.retryable


# --- what is asked --------------------------------------------------------------------------


async def test_a_request_is_posted_and_its_answer_comes_as_it_is_sent() -> None:
    async with serving(Answer((b"one", b"two"))) as loopback, Http() as http:
        transport = http.transport(private=True)
        pieces = [data async for data in transport(request(f"{loopback.url}/v1/chat?beta=true", b'{"a": 1}'))]

    assert b"onetwo" == b"".join(pieces)
    asked = loopback.asked[0]
    assert ("POST", "/v1/chat?beta=true", b'{"a": 1}') == (asked.method, asked.path, asked.body)
    assert ("application/json", "identity") == (asked.headers["content-type"], asked.headers["accept-encoding"])


async def test_words_arrive_before_the_answer_has_ended() -> None:
    async with serving(Answer((b"one", Act.STALL))) as loopback, Http() as http:
        async with aclosing(http.transport(private=True)(request(loopback.url))) as body:  # type: ignore[type-var]
            assert b"one" == await anext(body)
        await loopback.quiet()


async def test_headers_of_the_settings_are_sent_but_never_instead_of_the_dialects_own() -> None:
    settings = HttpSettings(headers={"X-Title": "Ren", "AUTHORIZATION": "Bearer other", "user-agent": "mine"})
    async with serving(Answer()) as loopback, Http(settings) as http:
        await heard(http, request(loopback.url, authorization=f"Bearer {KEY}"))

    headers = loopback.asked[0].headers
    assert ("Ren", f"Bearer {KEY}", "mine") == (headers["x-title"], headers["authorization"], headers["user-agent"])


async def test_a_request_as_long_as_several_pictures_arrives_whole_and_without_a_warning() -> None:
    body = bytes(5_000_000)
    async with serving(Answer()) as loopback, Http() as http:
        await heard(http, request(loopback.url, body))

    assert body == loopback.asked[0].body


async def test_a_proxy_is_asked_instead_of_the_model() -> None:
    async with serving(Answer((b"hi",))) as proxy, Http(HttpSettings(proxy=proxy.url)) as http:
        assert b"hi" == await heard(http, request("http://model.example/v1/chat"), private=False)

    assert "http://model.example/v1/chat" == proxy.asked[0].path


async def test_a_model_on_this_machine_is_asked_without_the_proxy() -> None:
    async with serving(Answer((b"hi",))) as loopback, Http(HttpSettings(proxy="http://proxy.invalid")) as http:
        assert b"hi" == await heard(http, request(loopback.url), private=True)


@pytest.mark.parametrize("address", ["127.0.0.1", "[::1]", "2130706433", "0x7f.1", "169.254.169.254", "10.0.0.1."])
async def test_a_proxy_is_not_asked_for_a_private_address(address: str) -> None:
    async with serving(Answer()) as proxy, Http(HttpSettings(proxy=proxy.url)) as http:
        error = await failed(http, request(f"http://{address}/"), private=False)

    assert (ErrorKind.API, "EACCES", False) == told(error)
    assert [] == proxy.asked


@pytest.mark.parametrize("proxy", ["socks5://proxy", "proxy:8080", "http:///proxy", "http://[::1"])
def test_a_proxy_that_cannot_be_one_is_refused_and_not_repeated(proxy: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Http(HttpSettings(proxy=proxy))

    assert proxy not in str(caught.value)


# --- connections ------------------------------------------------------------------------------


async def test_a_body_that_was_read_to_its_end_gives_its_connection_back() -> None:
    async with serving(Answer((b"hi",))) as loopback, Http() as http:
        for _ in range(3):
            await heard(http, request(loopback.url))

        assert (1, 1) == (loopback.accepted, loopback.open)
    await loopback.quiet()


async def test_a_refusal_gives_its_connection_back_too() -> None:
    async with serving(Answer.of(b'{"error": 1}', 400)) as loopback, Http() as http:
        for _ in range(3):
            with pytest.raises(HttpError):
                await heard(http, request(loopback.url))

        assert 1 == loopback.accepted


@asynccontextmanager
async def hanging_up(answers: int) -> AsyncIterator[tuple[str, list[int]]]:
    """A server that closes a connection without a word when it is asked over it once more than *answers* times."""
    asked: list[int] = []

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(0)
        mine = len(asked) - 1
        while await reader.readline():
            while (line := await reader.readline()).strip():
                if line.lower().startswith(b"content-length"):
                    length = int(line.split(b":")[1])
            await reader.readexactly(length)
            asked[mine] += 1
            if asked[mine] > answers:
                break
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi")
        writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", asked


async def test_a_connection_that_was_closed_meanwhile_is_made_anew() -> None:
    async with hanging_up(1) as (url, asked), Http() as http:
        answers = [await heard(http, request(url)) for _ in range(3)]

        assert [b"hi"] * 3 == answers
        assert [2, 2, 1] == asked


async def test_a_server_that_hangs_up_at_once_is_asked_once() -> None:
    async with hanging_up(0) as (url, asked), Http() as http:
        error = await failed(http, request(url))

        assert "ECONNRESET" == error.code
        assert [1] == asked


async def test_closing_before_the_end_hangs_up_at_once() -> None:
    async with serving(Answer((b"one", Act.STALL))) as loopback, Http() as http:
        body = http.transport(private=True)(request(loopback.url))
        await anext(body)
        await body.aclose()  # type: ignore[attr-defined]  # it is a generator, whatever its signature says

        await loopback.quiet()


async def test_an_answer_that_was_asked_for_and_never_read_was_never_asked_for() -> None:
    async with serving(Answer()) as loopback, Http() as http:
        http.transport(private=True)(request(loopback.url))
        gc.collect()

    assert 0 == loopback.accepted


async def test_cancelling_hangs_up() -> None:
    async with serving(Answer((Act.STALL,))) as loopback, Http() as http:
        reading = asyncio.create_task(heard(http, request(loopback.url)))
        while not loopback.asked:  # noqa: ASYNC110  # nobody is there to set an event
            await asyncio.sleep(0)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading

        await loopback.quiet()


async def test_many_answers_are_read_at_the_same_time() -> None:
    async with serving(Answer((b"hi", Act.STALL))) as loopback, Http() as http:
        bodies = [http.transport(private=True)(request(loopback.url)) for _ in range(120)]
        for some in (bodies[:60], bodies[60:]):
            assert [b"hi"] * 60 == await asyncio.gather(*map(anext, some))

        assert 120 == loopback.open
        for body in bodies:
            await body.aclose()  # type: ignore[attr-defined]  # likewise
        await loopback.quiet()


async def test_one_of_a_crowd_is_read_less_often_and_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cadenza.models.http._CROWD", 3)
    monkeypatch.setattr("cadenza.models.http._SHARE", 0.01)
    words = [b"word %d " % number for number in range(40)]

    async def reads(count: int) -> list[int]:
        answer = Answer(tuple(part for word in words for part in (word, Pause(0.002))))
        async with serving(answer) as loopback, Http() as http:
            bodies = [http.transport(private=True)(request(loopback.url)) for _ in range(count)]
            with leaping():
                return await asyncio.gather(*map(pieces, bodies))

    async def pieces(body: AsyncIterator[bytes]) -> int:
        found = [data async for data in body]
        assert b"".join(words) == b"".join(found)
        return len(found)

    assert sum(await reads(2)) / 2 > 2 * sum(await reads(6)) / 6


async def test_nothing_can_be_asked_after_closing() -> None:
    async with serving(Answer()) as loopback:
        http = Http()
        await heard(http, request(loopback.url))
        await http.close()
        await http.close()
        error = await failed(http, request(loopback.url))

    assert (ErrorKind.API, "closed", False) == told(error)


def test_it_belongs_to_the_loop_in_which_it_was_first_used() -> None:
    http = Http()

    async def ask() -> ProviderError | bytes:
        async with serving(Answer((b"hi",))) as loopback:
            try:
                return await heard(http, request(loopback.url))
            except ProviderError as error:
                return error

    with asyncio.Runner() as first, asyncio.Runner() as second:
        assert b"hi" == first.run(ask())
        refused = second.run(ask())
        first.run(http.close())

    assert isinstance(refused, ProviderError)
    assert "closed" == refused.code


async def test_who_still_listens_when_it_is_closed_hears_that_it_is_over() -> None:
    async with serving(Answer((b"hi", Act.STALL))) as loopback, asyncio.timeout(60):
        http = Http()
        body = http.transport(private=True)(request(loopback.url))
        assert b"hi" == await anext(body)
        listening = asyncio.ensure_future(anext(body))
        await asyncio.sleep(0)
        await http.close()
        with pytest.raises(ProviderError) as caught:
            await listening
        await loopback.quiet()

    assert (ErrorKind.API, "closed", False) == told(caught.value)


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # nobody closed it, and aiohttp says so
def test_one_loop_after_another_may_use_it() -> None:
    """As a script does that calls ``asyncio.run`` for every question."""
    http = Http()

    async def ask() -> bytes:
        async with serving(Answer((b"hi",))) as loopback:
            return await heard(http, request(loopback.url))

    assert [b"hi", b"hi"] == [asyncio.run(ask()) for _ in range(2)]
    asyncio.run(http.close())
    gc.collect()


# --- refusals ---------------------------------------------------------------------------------


async def refusal(answer: Answer, *, headers: HttpSettings | None = None, **sent: str) -> HttpError:
    async with serving(answer) as loopback, Http(headers) as http:
        with pytest.raises(HttpError) as caught:
            await heard(http, request(loopback.url, **sent))
    await loopback.quiet()
    return caught.value


async def test_a_refusal_has_its_status_its_headers_and_its_body() -> None:
    error = await refusal(
        Answer((b'{"error"', b": 1}"), 429, {"Content-Type": "application/json", "X-Request-Id": "7"})
    )

    assert (429, b'{"error": 1}') == (error.status, error.body)
    assert ("application/json", "7") == (error.headers["content-type"], error.headers["x-request-id"])


async def test_of_a_long_refusal_only_the_beginning_is_read() -> None:
    error = await refusal(Answer((b"x" * 50_000, b"y" * 50_000, Act.STALL), 500))

    assert b"x" * 50_000 + b"y" * (65_536 - 50_000) == error.body


@pytest.mark.parametrize("end", [Act.RESET, Act.DROP])
async def test_of_a_refusal_that_breaks_off_there_is_what_arrived(end: Act) -> None:
    error = await refusal(Answer((b"no ", b"money", end), 402))

    assert (402, b"no money") == (error.status, error.body)


async def test_a_refusal_that_repeats_the_key_does_not_give_it_away() -> None:
    settings = HttpSettings(headers={"X-Gateway-Token": "gateway-token", "X-Title": "a long title"})
    body = f"a long title: {KEY} or gateway-token is no key for Bearer auth".encode()

    error = await refusal(Answer((body,), 401), headers=settings, authorization=f"Bearer {KEY}")

    assert b"a long title: *** or *** is no key for Bearer auth" == error.body


async def test_no_cookie_is_kept() -> None:
    async with serving(Answer((b"a",), headers={"set-cookie": "who=me"})) as server, Http() as http:
        for _ in range(2):  # by its name: of an address in numbers, cookies are not kept anyway
            request = HttpRequest(server.url.replace("127.0.0.1", "localhost"), b"")
            assert [b"a"] == [data async for data in http.transport(private=True)(request)]

    assert ["cookie" in asked.headers for asked in server.asked] == [False, False]


NOW = datetime(2030, 5, 6, 7, 8, 9, tzinfo=UTC)


def http_date(seconds: float) -> str:
    return format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param("20", "20", id="seconds"),
        pytest.param("0.5", "0.5", id="a part of a second"),
        pytest.param(http_date(90), "90", id="a date"),
        pytest.param(http_date(2_000_000), "2000000", id="a date far away"),
        pytest.param(http_date(-5), "0", id="a date that is over"),
        pytest.param("Monday, 06-May-30 07:09:09 GMT", "60", id="a date of old"),
        pytest.param("soon", "soon", id="nonsense"),
    ],
)
async def test_a_date_to_wait_for_becomes_seconds_by_the_servers_own_clock(given: str, expected: str) -> None:
    error = await refusal(Answer((), 429, {"Retry-After": given, "Date": http_date(0)}))

    assert expected == error.headers["retry-after"]


async def test_a_server_that_does_not_tell_its_time_is_compared_with_our_clock() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)

    error = await refusal(Answer((), 503, {"Retry-After": later}))

    assert 3500 < int(error.headers["retry-after"]) <= 3600


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_request_to_a_model_is_not_sent_on_to_another_address(status: int) -> None:
    def moved(asked: Asked) -> Answer:
        return Answer((), status, {"Location": "/elsewhere?key=hidden"}) if asked.path == "/" else Answer((b"hi",))

    async with serving(moved) as loopback, Http() as http:
        error = await failed(http, request(loopback.url))

    assert (ErrorKind.API, str(status), False) == told(error)
    assert ["/"] == [asked.path for asked in loopback.asked]
    assert "hidden" not in str(error)
    assert "address is not right" in str(error)


# --- trouble ----------------------------------------------------------------------------------


def unused_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@asynccontextmanager
async def listening(greeting: bytes) -> AsyncIterator[str]:
    """A server that says *greeting*, whatever it is asked, and hangs up; without one it says nothing, and stays."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            writer.write(greeting)
            while await reader.read(1000) and not greeting:
                pass
        except ConnectionError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_nobody_listens() -> None:
    async with Http() as http:
        error = await failed(http, request(f"http://127.0.0.1:{unused_port()}/?key={KEY}"))

    assert (ErrorKind.API, "ECONNREFUSED", False) == told(error)
    assert "no server listens at 127.0.0.1; check that it runs, and its address" == str(error)
    assert "127.0.0.1" in str(error.__cause__)


async def test_there_is_no_such_server() -> None:
    async with Http() as http:
        error = await failed(http, request(f"http://nothing.invalid/?key={KEY}"))

    assert (ErrorKind.API, "ENOTFOUND", False) == told(error)
    assert "there is no server called nothing.invalid; check its address" == str(error)


async def test_a_connection_does_not_come_about_in_time() -> None:
    """The server takes the connection, but says nothing when it is asked for its certificate."""
    async with listening(b"") as address, Http(HttpSettings(connect_timeout=0.05)) as http:
        error = await failed(http, request(f"https://{address}/?key={KEY}"))

    assert (ErrorKind.TIMEOUT, "ETIMEDOUT", True) == told(error)
    assert KEY not in str(error)


async def test_a_connection_is_not_safe() -> None:
    async with listening(b"HTTP/1.1 400 Bad Request\r\n\r\n") as address, Http() as http:
        error = await failed(http, request(f"https://{address}/"))

    assert (ErrorKind.API, "TLS", False) == told(error)


async def test_a_server_speaks_something_else() -> None:
    async with listening(b"220 mail.example ESMTP\r\n") as address, Http() as http:
        error = await failed(http, request(f"http://{address}/"))

    assert (ErrorKind.API, "EPROTO", False) == told(error)


@pytest.mark.parametrize("end", [Act.RESET, Act.DROP])
async def test_an_answer_breaks_off(end: Act) -> None:
    received: list[bytes] = []
    async with serving(Answer((b"one", b"two", end))) as loopback, Http() as http:
        error = await interrupted(http.transport(private=True)(request(loopback.url)), received.append)
        await loopback.quiet()

    assert b"onetwo" == b"".join(received)
    assert (ErrorKind.UNKNOWN, "ECONNRESET", True) == told(error)


async def test_what_arrived_before_a_line_broke_is_read_even_by_somebody_who_was_busy() -> None:
    gate = asyncio.Event()
    async with serving(Answer((b"one", gate, b"two", b"three", Act.DROP))) as loopback, Http() as http:
        body = http.transport(private=True)(request(loopback.url))
        received = [await anext(body)]
        gate.set()
        await loopback.quiet()
        for _ in range(20):  # the line is broken: let that be known here too, with everything that came before it
            await asyncio.sleep(0)
        error = await interrupted(body, received.append)

    assert "ECONNRESET" == error.code
    assert [b"one", b"twothree"] == received


async def test_a_body_of_which_nothing_more_arrives_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cadenza.models.http._SILENCE", 0.05)
    received: list[bytes] = []
    async with serving(Answer((b"one", Act.STALL))) as loopback, Http() as http:
        with leaping():  # only who says nothing is late
            async with asyncio.timeout(60):
                error = await interrupted(http.transport(private=True)(request(loopback.url)), received.append)
        await loopback.quiet()

    assert [b"one"] == received
    assert (ErrorKind.TIMEOUT, "ETIMEDOUT", True) == told(error)


async def test_a_body_that_gets_on_is_not_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cadenza.models.http._SILENCE", 0.2)
    steps = [step for _ in range(10) for step in (b"a", Pause(0.05))]
    async with serving(Answer(steps)) as loopback, Http() as http:
        with leaping():
            body = [piece async for piece in http.transport(private=True)(request(loopback.url))]

    assert b"a" * 10 == b"".join(body)


async def test_an_answer_that_does_not_begin_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cadenza.models.http._SILENCE", 0.05)
    async with listening(b"") as address, Http() as http:
        error = await failed(http, request(f"http://{address}/"))

    assert (ErrorKind.TIMEOUT, "ETIMEDOUT", True) == told(error)


async def test_the_line_breaks_before_there_is_an_answer() -> None:
    async with listening(b"HTTP/1.1 200 O") as address, Http() as http:
        error = await failed(http, request(f"http://{address}/"))

    assert (ErrorKind.UNKNOWN, "ECONNRESET", True) == told(error)


async def test_a_proxy_cannot_be_reached() -> None:
    async with Http(HttpSettings(proxy=f"http://me:{KEY}@127.0.0.1:{unused_port()}")) as http:
        error = await failed(http, request("http://model.example/"), private=False)

    assert (ErrorKind.API, "ECONNREFUSED", False) == told(error)
    assert "the proxy cannot be reached; check that it runs, and its address" == str(error)


async def test_a_proxy_does_not_let_us_through() -> None:
    async with serving(Answer.of(b"", 407)) as proxy, Http(HttpSettings(proxy=proxy.url)) as http:
        error = await failed(http, request("https://model.example/"), private=False)

    assert (ErrorKind.API, "407_proxy", False) == told(error)
    assert 407 == error.status


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param(request("ftp://model.example/"), id="another protocol"),
        pytest.param(request("model.example/v1"), id="no protocol"),
        pytest.param(request("http:///v1"), id="no host"),
        pytest.param(request("http://[::1/"), id="no address at all"),
        pytest.param(request(""), id="nothing"),
    ],
)
async def test_what_cannot_be_sent_is_said_without_repeating_it(asked: HttpRequest) -> None:
    async with Http() as http:
        error = await failed(http, asked)

    assert (ErrorKind.API, "EINVAL", False) == told(error)


async def test_a_header_that_would_be_two_is_not_sent() -> None:
    async with serving(Answer()) as loopback, Http() as http:
        error = await failed(http, request(loopback.url, authorization=f"Bearer {KEY}\r\nX-Other: 1"))
        await loopback.quiet()

    assert (ErrorKind.API, "EINVAL", False) == told(error)
    assert [] == loopback.asked


async def test_a_compressed_answer_is_read_although_none_was_asked_for() -> None:
    answer = Answer((gzip.compress(b"hello"),), headers={"Content-Encoding": "gzip"})
    async with serving(answer) as loopback, Http() as http:
        assert b"hello" == await heard(http, request(loopback.url))


async def test_an_answer_larger_than_the_buffer_reaches_a_slow_reader_whole() -> None:
    """aiohttp pauses the connection when its buffer is full; our handler must resume it."""
    parts = tuple(f"{number:06}".encode() * 20_000 for number in range(40))
    received = bytearray()
    async with serving(Answer(parts)) as loopback, Http() as http:
        async for data in http.transport(private=True)(request(loopback.url)):
            received += data
            for _ in range(50):  # turns of the loop in which the buffer fills
                await asyncio.sleep(0)
    assert b"".join(parts) == received


async def test_an_answer_that_unfolds_without_end_is_broken_off() -> None:
    """Some 300 kB that would become 300 MB. They come in pieces, of which none is large."""
    sizes: list[int] = []
    folding = zlib.compressobj(wbits=31)
    first, another = (folding.compress(bytes(3_000_000)) + folding.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    folded = first + 99 * another  # what was flushed stands for itself, and may be repeated
    assert len(folded) < 400_000
    answer = Answer((folded,), headers={"Content-Encoding": "gzip"})
    async with serving(answer) as loopback, Http() as http:
        error = await interrupted(
            http.transport(private=True)(request(loopback.url)), lambda data: sizes.append(len(data))
        )
        await loopback.quiet()

    assert (ErrorKind.API, "EMSGSIZE", False) == told(error)
    assert max(sizes) < 5_000_000
    assert sum(sizes) < 270_000_000


# --- secrets ----------------------------------------------------------------------------------


async def refused_connection(http: Http) -> None:
    await heard(http, request(f"http://127.0.0.1:{unused_port()}/?key={KEY}", authorization=KEY))


async def broken_answer(http: Http) -> None:
    async with serving(Answer((b"one", Act.RESET))) as loopback:
        await heard(http, request(f"{loopback.url}/?key={KEY}", authorization=KEY))


async def no_answer(http: Http) -> None:
    async with serving(Answer((f"{KEY} is not right".encode(),), 401)) as loopback:
        await heard(http, request(f"{loopback.url}/?key={KEY}", authorization=KEY))


async def another_address(http: Http) -> None:
    async with serving(Answer((), 301, {"Location": f"/?key={KEY}"})) as loopback:
        await heard(http, request(f"{loopback.url}/?key={KEY}", authorization=KEY))


async def no_picture(http: Http) -> None:
    await http.fetch(f"http://127.0.0.1:{unused_port()}/{KEY}.png", kinds=PICTURES, most=1000, private=True)


@pytest.mark.parametrize("fail", [refused_connection, broken_answer, no_answer, another_address, no_picture])
async def test_no_error_knows_a_key(fail: Callable[[Http], object], caplog: pytest.LogCaptureFixture) -> None:
    """Neither its text, nor its attributes, nor its traceback with all causes, nor the log."""
    caplog.set_level("DEBUG", "cadenza.models.http")
    async with Http(HttpSettings(headers={"x-api-key": KEY})) as http:
        with pytest.raises(CadenzaError) as caught:
            await fail(http)  # type: ignore[misc]  # every one of them is a coroutine function

    error = caught.value
    assert error.__context__ is None
    assert KEY not in written_by_the_bot(caplog.records)
    assert KEY not in "".join(traceback.format_exception(error))
    assert KEY not in repr(vars(error))
    assert KEY not in repr(request("http://model.example/", authorization=KEY))


# --- the guard --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"])
async def test_a_private_address_is_not_connected_to(name: str) -> None:
    async with serving(Answer((b"hi",))) as loopback, Http() as http:
        error = await failed(http, request(loopback.url.replace("127.0.0.1", name)), private=False)

        assert (ErrorKind.API, "EACCES", False) == told(error)
        assert "is a private address; if a model runs there, allow it with the setting 'private_addresses'" in str(
            error
        )
        assert 0 == loopback.accepted


@pytest.mark.parametrize("name", ["2130706433", "127.1", "0x7f000001", "0177.0.0.1", "0"])
async def test_no_spelling_of_a_private_address_is_connected_to(name: str) -> None:
    async with serving(Answer((b"hi",))) as loopback, Http() as http:
        await failed(http, request(loopback.url.replace("127.0.0.1", name)), private=False)

        assert 0 == loopback.accepted


async def test_a_private_address_is_connected_to_if_the_settings_allow_it() -> None:
    async with serving(Answer((b"hi",))) as loopback, Http(HttpSettings(private_addresses=True)) as http:
        assert b"hi" == await heard(http, request(loopback.url), private=False)


async def test_the_guard_does_not_use_a_connection_that_was_made_without_it() -> None:
    async with serving(Answer((b"hi",))) as loopback, Http() as http:
        await heard(http, request(loopback.url), private=True)
        error = await failed(http, request(loopback.url), private=False)

    assert "EACCES" == error.code
    assert 1 == len(loopback.asked)


# --- fetching ---------------------------------------------------------------------------------


def redirecting(times: int, last: Answer) -> Callable[[Asked], Answer]:
    """Sends on *times* times before it gives the *last* answer."""

    def answer(asked: Asked) -> Answer:
        number = int(asked.path.strip("/") or 0)
        return Answer((), 302, {"Location": f"/{number + 1}"}) if number < times else last

    return answer


PICTURE = Answer((b"pict", b"ure"), headers={"Content-Type": "image/png; name=x"})


@asynccontextmanager
async def picture_server(answers: Answer | Callable[[Asked], Answer]) -> AsyncIterator[tuple[Loopback, Http]]:
    async with serving(answers) as loopback, Http() as http:
        yield loopback, http
    await loopback.quiet()


@pytest.mark.parametrize("times", [0, 1, 5])
async def test_something_is_fetched_over_a_few_redirects(times: int) -> None:
    async with picture_server(redirecting(times, PICTURE)) as (loopback, http):
        found = await http.fetch(loopback.url, kinds=PICTURES, most=7, private=True)

    assert ("image/png", b"picture") == (found.mime, found.data)
    assert {"GET"} == {asked.method for asked in loopback.asked}


async def test_what_is_fetched_sees_no_header_that_is_meant_for_models() -> None:
    settings = HttpSettings(headers={"Authorization": KEY}, proxy="http://proxy.invalid")
    async with serving(PICTURE) as loopback, Http(settings) as http:
        await http.fetch(loopback.url, kinds=PICTURES, most=7, private=True)

    assert "authorization" not in loopback.asked[0].headers


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        pytest.param(Answer.of(b"<html>", content_type="text/html"), "content type", id="a page"),
        pytest.param(Answer((b"picture!",), headers=PICTURE.headers), "longer than 7 bytes", id="too long"),
        pytest.param(Answer((b"pict", b"picture", Act.STALL), headers=PICTURE.headers), "longer", id="too long so far"),
        pytest.param(Answer((b"gone",), 404), "status 404", id="gone"),
        pytest.param(Answer((), 300), "status 300", id="a choice"),
        pytest.param(Answer((b"pict", Act.DROP), headers=PICTURE.headers), "broke off", id="broken off"),
        pytest.param(Answer((), 302, {"Location": "file:///etc/passwd"}), "is invalid", id="to another protocol"),
        pytest.param(redirecting(6, PICTURE), "too often", id="too many redirects"),
    ],
)
async def test_what_cannot_be_fetched_is_an_error(answer: Answer | Callable[[Asked], Answer], message: str) -> None:
    async with picture_server(answer) as (loopback, http):
        with pytest.raises((InputError, ProviderError, HttpError), match=message):
            await http.fetch(loopback.url, kinds=PICTURES, most=7, private=True)


async def test_nothing_is_read_of_what_says_that_it_is_too_long() -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 8\r\n\r\n"
    async with listening(head) as address, Http() as http:
        with pytest.raises(InputError, match="longer than 7 bytes"):
            await http.fetch(f"http://{address}", kinds=PICTURES, most=7, private=True)


async def test_a_redirect_to_a_private_address_is_not_followed() -> None:
    """Here 127.0.0.1 plays somebody in the open, and 127.0.0.2 the machine next door."""
    async with serving(PICTURE) as private, Http(may_reach=lambda address: address == "127.0.0.1") as http:
        there = private.url.replace("127.0.0.1", "127.0.0.2")
        async with serving(Answer((), 302, {"Location": f"{there}/secret"})) as public:
            with pytest.raises(ProviderError) as caught:
                await http.fetch(public.url, kinds=PICTURES, most=7)

    assert "EACCES" == caught.value.code
    assert (1, 0) == (public.accepted, private.accepted)
