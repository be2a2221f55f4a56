"""The way to a model, and to a picture: HTTP, and what can go wrong with it, in our words.

Whatever aiohttp raises stops here. Its errors carry the whole request, key and all, so none of them is passed on, not
even as the cause of ours; and of an address only the host is ever named, for keys have been seen in queries.

How long a model may be silent is the round's to watch. Here only a connection must come about in time; a socket on
which nothing at all arrives is given up after an hour or two, long after anybody who listens has gone, so that none is
kept for ever.
"""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from io import BytesIO
from math import ceil
from typing import Any, Self

import aiohttp
from aiohttp.client_proto import ResponseHandler
from multidict import CIMultiDict
from yarl import URL

from ..errors import ErrorKind, HttpError, InputError, ProviderError, SettingsError
from ..settings import HttpSettings
from ..stages.s2_generation import Transport
from ..text.redaction import HIDDEN, secrets_of
from ..types import HttpRequest
from .network_guard import PrivateAddressError, guard, is_public

_SILENCE = 3600.0
"""Seconds in which an answer must begin, and then how often it is looked whether anything has arrived since."""
_MOST_BYTES = 256 * 2**20
"""The longest answer. No model says so much; a server that does, or a compressed body that unfolds to it, wants to harm."""
_ERROR_BYTES = 64 * 1024
"""How much of a refusal is worth reading."""
_ERROR_SECONDS = 5.0
"""And how long that may take."""
_LARGE = 2**20
"""Bytes of a body above which aiohttp wants to send it in pieces."""
_REDIRECTS = 5
_STALE = 3
"""How many connections that were used before may turn out to be closed."""

_CROWD = 150
"""How many streams are read whenever something arrives."""
_SHARE = 50e-6
"""And of more than that, how many seconds' rest each has for every one of them: a thousand are read 20 times a second."""
_GRAIN = 0.005
"""Seconds between two moments at which rests end."""

_TROUBLE = (aiohttp.ClientError, OSError, ValueError)
"""What aiohttp raises: errors of its own, of sockets, and ``ValueError`` for a header or an address that cannot be sent."""

_DEFAULTS = {
    "user-agent": "cadenza",
    "content-type": "application/json",
    "accept-encoding": "identity",  # a stream that is compressed arrives late
}


@dataclass(frozen=True, slots=True)
class Fetched:
    """Something that was fetched, and what its server says it is."""

    mime: str
    data: bytes = field(repr=False)


class Http:
    """The way out, shared by all models of a program. Close it, or use it with ``async with``.

    It belongs to the event loop in which it is used; when that has been closed, to the next one.
    """

    def __init__(self, settings: HttpSettings | None = None, *, may_reach: Callable[[str], bool] = is_public) -> None:
        """Only addresses that *may_reach* allows are connected to, but for what is declared private."""
        self._settings = settings or HttpSettings()
        self._may_reach = may_reach
        self._proxy = _proxy(self._settings.proxy)
        # Two, because a connection that was made without the guard must not be found in the pool by somebody with it.
        self._sessions: dict[bool, aiohttp.ClientSession] = {}
        self._open: dict[aiohttp.ClientResponse, _Vigil] = {}
        self._rests = _Rests()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Hang up. Nothing can be asked any more, and who still listens hears that it is over."""
        self._is_closed = True
        for response in self._open:  # aiohttp would let them wait for ever
            response.content.set_exception(aiohttp.ClientConnectionError())
        while self._sessions:
            _, session = self._sessions.popitem()
            await session.close()

    def transport(self, *, private: bool = False) -> Transport:
        """The way to a model; with *private*, to one on this machine or in its network, which no proxy could find."""
        proxy = None if private else self._proxy
        return partial(self._answered, private=private or self._settings.private_addresses, proxy=proxy)

    async def fetch(self, url: str, *, kinds: tuple[str, ...], most: int, private: bool = False) -> Fetched:
        """Get *url*, over a few redirects if need be, if it is of one of *kinds* and no longer than *most* bytes.

        Raises a ``CadenzaError`` whenever that is not possible. How long it may take is up to the caller.
        """
        response: aiohttp.ClientResponse | None = None
        try:
            response = await self._session(private=private).get(
                url,
                headers={"user-agent": _DEFAULTS["user-agent"], "accept-encoding": "identity"},
                max_redirects=_REDIRECTS + 1,  # aiohttp counts the last request too
            )
            self._listen(response)
            return Fetched(response.content_type, await _whole(response, kinds, most))
        except _TROUBLE as error:
            trouble = self._trouble(error, _host(url))
        finally:
            self._hang_up(response)
        raise trouble

    async def _answered(self, request: HttpRequest, *, private: bool, proxy: URL | None) -> AsyncIterator[bytes]:
        """Ask; yield the answer as it comes. Its end gives the connection back, closing it before that ends both."""
        host = _host(request.url)
        response: aiohttp.ClientResponse | None = None
        try:
            response = await self._asked(request, host, private=private, proxy=proxy)
            self._listen(response)
            if response.status >= 300:
                raise await _refusal(response, host, secrets_of(request, self._settings.headers or {}))
            content = response.content
            while data := await content.readany():
                if len(self._open) > _CROWD:
                    self._let_rest(response)
                yield data
                if content.total_bytes > _MOST_BYTES:
                    raise _endless(host)
        except _TROUBLE as error:
            trouble = self._trouble(error, host)
            left = _left(response)
        else:
            return
        finally:
            self._hang_up(response)
        if left:
            yield left
        raise trouble

    async def _asked(
        self, request: HttpRequest, host: str, *, private: bool, proxy: URL | None
    ) -> aiohttp.ClientResponse:
        # Behind a proxy it is the proxy that knows where it goes: all that can be looked at is an address in numbers.
        if proxy is not None and not private and _is_number(host) and not self._may_reach(host.strip("[]")):
            raise PrivateAddressError
        line = _Line()
        session = self._session(private=private or proxy is not None)
        while True:
            line.is_used = False
            body = request.body
            try:
                async with asyncio.timeout(_SILENCE):
                    return await session.post(
                        request.url,
                        data=body if len(body) <= _LARGE else BytesIO(body),
                        headers=self._headers(request),
                        proxy=proxy,
                        allow_redirects=False,
                        trace_request_ctx=line,
                    )
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                line.failures += 1
                if not line.is_used or line.failures > _STALE:
                    raise

    def _headers(self, request: HttpRequest) -> CIMultiDict[str]:
        """Ours, then those of the settings, then the dialect's own, the key among them: the last one counts."""
        headers = CIMultiDict(_DEFAULTS)
        headers.update(self._settings.headers or {})
        headers.update(request.headers)
        return headers

    def _session(self, *, private: bool) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        if self._loop is not None and self._loop is not loop and self._loop.is_closed():
            self._sessions.clear()  # nobody can use or close those any more; a script may run one loop after another
            self._loop = None
        if self._is_closed or self._loop not in (None, loop):
            raise _closed()
        self._loop = loop
        if private not in self._sessions:
            self._sessions[private] = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, socket_factory=None if private else guard(self._may_reach)),
                cookie_jar=aiohttp.DummyCookieJar(),
                # A time limit for every read would be a timer for every token: see _Vigil.
                timeout=aiohttp.ClientTimeout(total=None, connect=self._settings.connect_timeout),
                trace_configs=[_tracing()],
            )
        return self._sessions[private]

    def _trouble(self, error: Exception, host: str) -> ProviderError:
        return _closed() if self._is_closed else _trouble(error, host)

    def _listen(self, response: aiohttp.ClientResponse) -> None:
        if self._is_closed:  # since it was asked for
            raise _closed()
        self._open[response] = _Vigil(response.content)
        if response.connection is not None and (line := response.connection.protocol) is not None:
            with suppress(TypeError):  # one of another kind may not want to be ours
                line.__class__ = _Calm

    def _let_rest(self, response: aiohttp.ClientResponse) -> None:
        """Read no more of *response* for a while: one of a crowd."""
        if self._loop is not None and response.connection is not None and (line := response.connection.transport):
            self._rests.begin(line, len(self._open) * _SHARE, self._loop)

    def _hang_up(self, response: aiohttp.ClientResponse | None) -> None:
        if response is not None:
            if vigil := self._open.pop(response, None):
                vigil.close()
            response.close()


class _Rests:
    """Lines that are not read for a moment, so that more has arrived when they are.

    To wake up for a token costs more than to read it. Where there are many streams, each is therefore read less often,
    and what came meanwhile is read together: later by some milliseconds that nobody notices, where otherwise all of
    them would be late because there is not enough time to wake up for everybody.
    """

    def __init__(self) -> None:
        self._lines: dict[int, list[asyncio.Transport]] = {}

    def begin(self, line: asyncio.Transport, seconds: float, loop: asyncio.AbstractEventLoop) -> None:
        """Read nothing from *line* for about so many *seconds*; many that end together share a timer."""
        moment = int((loop.time() + seconds) / _GRAIN) + 1
        if moment not in self._lines:
            self._lines[moment] = []
            loop.call_at(moment * _GRAIN, self._end, moment)
        with suppress(RuntimeError):  # it is just being closed
            line.pause_reading()
            self._lines[moment].append(line)

    def _end(self, moment: int) -> None:
        for line in self._lines.pop(moment):
            if not line.is_closing():
                line.resume_reading()


class _Calm(ResponseHandler):
    """A connection of aiohttp's that goes on reading only if it had paused.

    Some of its versions go on for every piece of a body that is read, and look each time whether there is anything left
    to parse: with small pieces, that is a good part of what reading them costs.
    """

    def resume_reading(self, *args: Any, **options: Any) -> None:
        """Go on, if there was a pause."""
        if getattr(self, "_reading_paused", True):
            super().resume_reading(*args, **options)


class _Vigil:
    """Gives up a body of which nothing arrives. It looks now and then, so that a piece which does arrive costs nothing."""

    __slots__ = ("_content", "_seen", "_timer")

    def __init__(self, content: aiohttp.StreamReader) -> None:
        self._content = content
        self._rest()

    def _rest(self) -> None:
        self._seen = self._content.total_bytes
        self._timer = asyncio.get_running_loop().call_later(_SILENCE, self._look)

    def _look(self) -> None:
        if self._content.total_bytes == self._seen:
            self._content.set_exception(aiohttp.SocketTimeoutError())
        else:
            self._rest()

    def close(self) -> None:
        """Look no more."""
        self._timer.cancel()


@dataclass(slots=True)
class _Line:
    """The connection over which something is asked.

    A server may hang up on one that was used before at the very moment at which it is used again. Nothing was answered
    then, so it is asked once more over another one.
    """

    is_used: bool = False
    """Whether it is one that was used before."""
    failures: int = 0


def _tracing() -> aiohttp.TraceConfig:
    """What tells us, of each request, whether its connection was used before."""

    async def reused(_session: object, context: Any, _parameters: object) -> None:
        if isinstance(line := context.trace_request_ctx, _Line):
            line.is_used = True

    config = aiohttp.TraceConfig()
    config.on_connection_reuseconn.append(reused)
    return config


# --- addresses ---------------------------------------------------------------------------


def _proxy(address: str) -> URL | None:
    if not address:
        return None
    with suppress(ValueError):
        url = URL(address)
        if url.scheme in ("http", "https") and url.host:
            return url
    message = "the setting 'proxy' must be an address that begins with http:// or https://"  # it may hold a password
    raise SettingsError(message)


def _host(address: str) -> str:
    """The part of *address* that may be shown."""
    with suppress(ValueError):
        return URL(address).host_subcomponent or "its address"
    return "its address"


def _is_number(host: str) -> bool:
    """Whether *host* is no name, but an address in numbers, in any spelling that somebody may understand."""
    return host.startswith("[") or host.rstrip(".").rpartition(".")[2][:1].isdigit()


# --- answers -----------------------------------------------------------------------------


async def _whole(response: aiohttp.ClientResponse, kinds: tuple[str, ...], most: int) -> bytes:
    """The body of *response*, if it is what was wanted."""
    if response.status >= 300:
        raise HttpError(response.status, _plain_headers(response), b"")
    if not response.content_type.startswith(kinds):
        message = "what was to be fetched is something else"
        raise InputError(message)
    pieces: list[bytes] = []
    if (response.content_length or 0) <= most:
        while data := await response.content.readany():
            pieces.append(data)
            if response.content.total_bytes > most:
                break
        else:
            return b"".join(pieces)
    message = f"what was to be fetched is longer than {most} bytes"
    raise InputError(message)


async def _refusal(response: aiohttp.ClientResponse, host: str, secrets: Collection[str]) -> HttpError | ProviderError:
    """The error for an answer that is none; some repeat the key that they did not like."""
    if response.status >= 400:
        body = await _beginning(response)
        for secret in sorted(secrets, key=len, reverse=True):  # one may be a part of another
            body = body.replace(secret.encode(), HIDDEN.encode())
        return HttpError(response.status, _plain_headers(response), body)
    return ProviderError(
        f"the model's address is not right: {host} sends us on to another one; set the address that it means",
        kind=ErrorKind.API,
        code=str(response.status),
        status=response.status,
    )


async def _beginning(response: aiohttp.ClientResponse) -> bytes:
    """As much of a body as is worth reading; if it breaks off or does not come, what there is."""
    body = b""
    with suppress(*_TROUBLE):
        async with asyncio.timeout(_ERROR_SECONDS):
            while len(body) < _ERROR_BYTES and (data := await response.content.readany()):
                body += data
    return body[:_ERROR_BYTES]


def _left(response: aiohttp.ClientResponse | None) -> bytes:
    """What arrived before the line broke and was not read: aiohttp would forget it, but it may be a word."""
    if response is None:
        return b""
    response.content.set_exception(None)  # type: ignore[arg-type]  # no more is wanted than that it forgets the error
    return response.content.read_nowait()


def _plain_headers(response: aiohttp.ClientResponse) -> dict[str, str]:
    """The headers of *response*, their names in small letters, and a date to wait for as seconds to wait."""
    headers = {name.lower(): value for name, value in response.headers.items()}
    until, now = _moment(headers.get("retry-after", "")), _moment(headers.get("date", ""))
    if until is not None:
        # What counts is the server's own clock; one that does not tell its time is compared with ours.
        seconds = (until - (now or datetime.now(UTC))).total_seconds()
        headers["retry-after"] = str(max(ceil(seconds), 0))
    return headers


def _moment(text: str) -> datetime | None:
    """The moment that an HTTP date names."""
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


# --- trouble -----------------------------------------------------------------------------


def _closed() -> ProviderError:
    message = "the way to the models is closed, or belongs to another event loop; make a new one"
    return ProviderError(message, kind=ErrorKind.API, code="closed")


def _endless(host: str) -> ProviderError:
    return ProviderError(
        f"the answer of {host} does not end; after {_MOST_BYTES} bytes nobody listens any more",
        kind=ErrorKind.API,
        code="EMSGSIZE",
    )


def _trouble(error: Exception, host: str) -> ProviderError:
    """What *error* means, in a sentence without anything of its own text."""
    match error:
        case aiohttp.ClientConnectorDNSError():
            return _refused(f"there is no server called {host}; look whether its address is right", "ENOTFOUND")
        case aiohttp.ClientHttpProxyError():
            return _refused(f"the proxy did not let us through to {host}", f"{error.status}_proxy", error.status)
        case aiohttp.ClientProxyConnectionError():
            return _refused(
                "the proxy cannot be reached; look whether it runs and its address is right", "ECONNREFUSED"
            )
        case aiohttp.ClientSSLError():
            return _refused(
                f"the connection to {host} would not be safe: its certificate or its TLS is not right", "TLS"
            )
        case PrivateAddressError() | aiohttp.ClientConnectorError(os_error=PrivateAddressError()):
            return _refused(
                f"{host} is a private address; if a model runs there, allow it with the setting 'private_addresses'",
                "EACCES",
            )
        case TimeoutError():
            return _late(host)
        case aiohttp.ClientConnectorError():
            return _unconnected(error.os_error, host)
        case aiohttp.TooManyRedirects():
            return _refused(f"{host} sends us on and on", "ELOOP")
        case aiohttp.ClientPayloadError() | aiohttp.ClientConnectionError() | ConnectionError():
            return ProviderError(f"the connection to {host} broke off; try again", code="ECONNRESET", retryable=True)
        case aiohttp.ClientResponseError():
            return _refused(f"{host} does not speak HTTP; look whether its address is right", "EPROTO")
        case _:
            return _refused("an address or a header cannot be sent as it is written; look at the settings", "EINVAL")


def _refused(message: str, code: str, status: int | None = None) -> ProviderError:
    return ProviderError(message, kind=ErrorKind.API, code=code, status=status)


def _late(host: str) -> ProviderError:
    return ProviderError(
        f"{host} did not answer in time; try again later", kind=ErrorKind.TIMEOUT, code="ETIMEDOUT", retryable=True
    )


def _unconnected(cause: OSError, host: str) -> ProviderError:
    match cause.errno:
        case errno.ECONNREFUSED:
            return _refused(
                f"nobody listens at {host}; look whether the server runs and its address is right", "ECONNREFUSED"
            )
        case errno.ETIMEDOUT:
            return _late(host)
        case number:
            code = errno.errorcode.get(number or 0, "ECONNECT")
            return _refused(f"{host} cannot be reached from here; look at the network", code)
