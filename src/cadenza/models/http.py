"""HTTP for models and pictures, over one shared aiohttp client.

aiohttp's exceptions become ``ProviderError`` here. A message names the host only, because addresses may hold keys in
their query. An error keeps its cause unless the cause's text repeats the address or a header: see ``_SAFE_CAUSES``.

The caller limits how long a model may be silent. This module limits how long connecting takes, and closes a socket
that received nothing for an hour or two, so that none stays open for ever.
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

from ..errors import ErrorKind, HttpError, InputError, ProviderError, Sentence, SettingsError
from ..explain.tracebacks import get_logger
from ..settings import HttpSettings
from ..stages.s2_generation import Transport
from ..text.redaction import HIDDEN, secrets_of
from ..types import HttpRequest
from .network_guard import PrivateAddressError, guard, is_public

logger = get_logger(__name__)

_SILENCE = 3600.0
"""Seconds in which an answer must begin, and the interval of the checks whether anything arrived since."""
_MOST_BYTES = 256 * 2**20
"""The longest answer. No model writes that much; more is an attack, such as a compressed body that expands without end."""
_ERROR_BYTES = 64 * 1024
"""How much of an error's body is read."""
_ERROR_SECONDS = 5.0
"""How long reading it may take."""
_LARGE = 2**20
"""Bytes of a request body above which aiohttp wants to send it in pieces."""
_REDIRECTS = 5
_STALE = 3
"""How many pooled connections in a row may turn out to be closed."""

_CROWD = 150
"""Up to this many open streams, each is read whenever something arrives."""
_SHARE = 50e-6
"""Above that, each read is followed by a pause of this many seconds per open stream: 1000 are read 20 times a second."""
_GRAIN = 0.005
"""Pauses end at multiples of this many seconds, so that many of them share a timer."""

_ERRORS = (aiohttp.ClientError, OSError, ValueError)
"""What aiohttp raises: its own errors, those of sockets, and ``ValueError`` for an invalid header or address."""
_SAFE_CAUSES = (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError, OSError)
"""Exceptions whose text names at most a host. The text of others may be the whole address, with a key in it."""

_DEFAULTS = {
    "user-agent": "cadenza",
    "content-type": "application/json",
    "accept-encoding": "identity",  # compression delays a stream
}


@dataclass(frozen=True, slots=True)
class Fetched:
    """A fetched file and the content type that its server claims."""

    mime: str
    data: bytes = field(repr=False)


class Http:
    """The HTTP client that all models of a program share. Close it, or use it with ``async with``.

    It is bound to the event loop that uses it first; when that loop is closed, to the next one.
    """

    def __init__(self, settings: HttpSettings | None = None, *, may_reach: Callable[[str], bool] = is_public) -> None:
        """Connect only to addresses that *may_reach* allows, unless a request is declared private."""
        self._settings = settings or HttpSettings()
        self._may_reach = may_reach
        self._proxy = _proxy(self._settings.proxy)
        # Two sessions: a request with the address guard must not reuse a pooled connection made without it.
        self._sessions: dict[bool, aiohttp.ClientSession] = {}
        self._open: dict[aiohttp.ClientResponse, _SilenceWatch] = {}
        self._pauses = _ReadPauses()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections. Open streams end with an error, and further requests are refused."""
        self._is_closed = True
        for response in self._open:  # aiohttp would leave their readers waiting for ever
            response.content.set_exception(aiohttp.ClientConnectionError())
        while self._sessions:
            _, session = self._sessions.popitem()
            await session.close()

    def transport(self, *, private: bool = False) -> Transport:
        """The transport for a model. *private* allows addresses on this machine or its network, and skips the proxy."""
        proxy = None if private else self._proxy
        return partial(self._answered, private=private or self._settings.private_addresses, proxy=proxy)

    async def fetch(self, url: str, *, kinds: tuple[str, ...], most: int, private: bool = False) -> Fetched:
        """Get *url*, following a few redirects. It must be of one of *kinds* and at most *most* bytes long.

        Raises a ``CadenzaError`` on any failure. The caller sets the timeout.
        """
        response: aiohttp.ClientResponse | None = None
        try:
            response = await self._session(private=private).get(
                url,
                headers={"user-agent": _DEFAULTS["user-agent"], "accept-encoding": "identity"},
                max_redirects=_REDIRECTS + 1,  # aiohttp counts the last request too
            )
            self._opened(response)
            return Fetched(response.content_type, await _whole(response, kinds, most))
        except _ERRORS as error:
            failure = self._error_for(error, _host(url))
        finally:
            self._close_response(response)
        raise failure

    async def _answered(self, request: HttpRequest, *, private: bool, proxy: URL | None) -> AsyncIterator[bytes]:
        """Send *request* and yield the body as it arrives. At its end the connection returns to the pool."""
        host = _host(request.url)
        response: aiohttp.ClientResponse | None = None
        try:
            response = await self._asked(request, host, private=private, proxy=proxy)
            self._opened(response)
            if response.status >= 300:
                raise await _status_error(response, host, secrets_of(request, self._settings.headers or {}))
            content = response.content
            while data := await content.readany():
                if len(self._open) > _CROWD:
                    self._pause_reading(response)
                yield data
                if content.total_bytes > _MOST_BYTES:
                    raise _endless(host)
        except _ERRORS as error:
            failure = self._error_for(error, host)
            unread = _unread(response)
        else:
            return
        finally:
            self._close_response(response)
        if unread:
            yield unread
        raise failure

    async def _asked(
        self, request: HttpRequest, host: str, *, private: bool, proxy: URL | None
    ) -> aiohttp.ClientResponse:
        # The proxy resolves names, so only an address in numbers can be checked here.
        if proxy is not None and not private and _is_number(host) and not self._may_reach(host.strip("[]")):
            raise PrivateAddressError
        connection = _ConnectionUse()
        session = self._session(private=private or proxy is not None)
        while True:
            connection.is_reused = False
            body = request.body
            try:
                async with asyncio.timeout(_SILENCE):
                    return await session.post(
                        request.url,
                        data=body if len(body) <= _LARGE else BytesIO(body),
                        headers=self._headers(request),
                        proxy=proxy,
                        allow_redirects=False,
                        trace_request_ctx=connection,
                    )
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                connection.failures += 1
                if not connection.is_reused or connection.failures > _STALE:
                    raise

    def _headers(self, request: HttpRequest) -> CIMultiDict[str]:
        """Our defaults, then the settings' headers, then the dialect's own with the key; later ones win."""
        headers = CIMultiDict(_DEFAULTS)
        headers.update(self._settings.headers or {})
        headers.update(request.headers)
        return headers

    def _session(self, *, private: bool) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        if self._loop is not None and self._loop is not loop and self._loop.is_closed():
            self._sessions.clear()  # unusable now; a script may run one loop after another
            self._loop = None
        if self._is_closed or self._loop not in (None, loop):
            raise _closed()
        self._loop = loop
        if private not in self._sessions:
            self._sessions[private] = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, socket_factory=None if private else guard(self._may_reach)),
                cookie_jar=aiohttp.DummyCookieJar(),
                # A timeout for every read would set a timer for every token: see _SilenceWatch.
                timeout=aiohttp.ClientTimeout(total=None, connect=self._settings.connect_timeout),
                trace_configs=[_tracing()],
            )
        return self._sessions[private]

    def _error_for(self, error: Exception, host: str) -> ProviderError:
        """Our error for *error* of aiohttp's, with it as the cause if its text is safe."""
        if self._is_closed:
            return _closed()
        failure = _error_for(error, host)
        if isinstance(error, _SAFE_CAUSES):
            logger.debug("the connection to %s failed", host, exc_info=error)
            failure.__cause__ = error
        return failure

    def _opened(self, response: aiohttp.ClientResponse) -> None:
        if self._is_closed:  # while the request was under way
            raise _closed()
        self._open[response] = _SilenceWatch(response.content)
        if response.connection is not None and (handler := response.connection.protocol) is not None:
            with suppress(TypeError):  # a handler of another layout keeps its class, and costs more
                handler.__class__ = _CheapHandler

    def _pause_reading(self, response: aiohttp.ClientResponse) -> None:
        """Pause the socket of *response* for a time that grows with the number of open streams."""
        if self._loop is not None and response.connection is not None and (line := response.connection.transport):
            self._pauses.begin(line, len(self._open) * _SHARE, self._loop)

    def _close_response(self, response: aiohttp.ClientResponse | None) -> None:
        if response is not None:
            if watch := self._open.pop(response, None):
                watch.close()
            response.close()


class _ReadPauses:
    """Pauses sockets for some milliseconds, so that one read returns several tokens.

    Waking up for a token costs more than reading it. With many streams the wake-ups alone would use up the time, and
    every stream would be late by more than these pauses. Only public API is used: a transport's ``pause_reading``.
    """

    def __init__(self) -> None:
        self._paused: dict[int, list[asyncio.Transport]] = {}

    def begin(self, line: asyncio.Transport, seconds: float, loop: asyncio.AbstractEventLoop) -> None:
        """Read nothing from *line* for about *seconds*."""
        moment = int((loop.time() + seconds) / _GRAIN) + 1
        if moment not in self._paused:
            self._paused[moment] = []
            loop.call_at(moment * _GRAIN, self._end, moment)
        with suppress(RuntimeError):  # the transport is closing
            line.pause_reading()
            self._paused[moment].append(line)

    def _end(self, moment: int) -> None:
        for line in self._paused.pop(moment):
            if not line.is_closing():
                line.resume_reading()


class _CheapHandler(ResponseHandler):
    """aiohttp's connection handler, which resumes reading only after a pause.

    aiohttp 3.14 resumes after each chunk, and then parses no data. This is our only use of its private state. It saves
    13 to 26 % of the CPU time of a stream: ``bench/providers.py``, "cadenza" against "cadenza, plain aiohttp".
    """

    def resume_reading(self, *args: Any, **options: Any) -> None:
        """Resume if reading was paused."""
        if getattr(self, "_reading_paused", True):
            super().resume_reading(*args, **options)


class _SilenceWatch:
    """Fails a body that receives nothing for long. It checks now and then, so that arriving data costs nothing extra."""

    __slots__ = ("_content", "_seen", "_timer")

    def __init__(self, content: aiohttp.StreamReader) -> None:
        self._content = content
        self._start()

    def _start(self) -> None:
        self._seen = self._content.total_bytes
        self._timer = asyncio.get_running_loop().call_later(_SILENCE, self._check)

    def _check(self) -> None:
        if self._content.total_bytes == self._seen:
            self._content.set_exception(aiohttp.SocketTimeoutError())
        else:
            self._start()

    def close(self) -> None:
        """Stop checking."""
        self._timer.cancel()


@dataclass(slots=True)
class _ConnectionUse:
    """The connection of one request.

    A server may close a pooled connection at the moment it is reused. Nothing was answered then, so the request is
    sent again over another one.
    """

    is_reused: bool = False
    failures: int = 0


def _tracing() -> aiohttp.TraceConfig:
    """Notes for each request whether its connection was used before."""

    async def reused(_session: object, context: Any, _parameters: object) -> None:
        if isinstance(connection := context.trace_request_ctx, _ConnectionUse):
            connection.is_reused = True

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
    message = "the setting 'proxy' must be an address that begins with http:// or https://"  # not shown: it may hold a password
    raise SettingsError(message)


def _host(address: str) -> str:
    """The part of *address* that may be shown."""
    with suppress(ValueError):
        return URL(address).host_subcomponent or "its address"
    return "its address"


def _is_number(host: str) -> bool:
    """Whether *host* is an IP address in any spelling that a resolver may accept."""
    return host.startswith("[") or host.rstrip(".").rpartition(".")[2][:1].isdigit()


# --- responses ---------------------------------------------------------------------------


async def _whole(response: aiohttp.ClientResponse, kinds: tuple[str, ...], most: int) -> bytes:
    """The body of *response*, if its type and size are allowed."""
    if response.status >= 300:
        raise HttpError(response.status, _plain_headers(response), b"")
    if not response.content_type.startswith(kinds):
        message = "the fetched file has an unexpected content type"
        raise InputError(message)
    pieces: list[bytes] = []
    if (response.content_length or 0) <= most:
        while data := await response.content.readany():
            pieces.append(data)
            if response.content.total_bytes > most:
                break
        else:
            return b"".join(pieces)
    message = Sentence("the fetched file is longer than {most} bytes", most=most)
    raise InputError(message)


async def _status_error(
    response: aiohttp.ClientResponse, host: str, secrets: Collection[str]
) -> HttpError | ProviderError:
    """The error for a status of 300 or more. Some servers repeat the key in its body, so *secrets* are hidden."""
    if response.status >= 400:
        body = await _beginning(response)
        for secret in sorted(secrets, key=len, reverse=True):  # one may be a part of another
            body = body.replace(secret.encode(), HIDDEN.encode())
        return HttpError(response.status, _plain_headers(response), body)
    return ProviderError(
        Sentence(
            "the model's address is not right: {host} redirects to another one; set that address instead", host=host
        ),
        kind=ErrorKind.API,
        code=str(response.status),
        status=response.status,
    )


async def _beginning(response: aiohttp.ClientResponse) -> bytes:
    """The first bytes of an error's body, or what arrived before it broke off or timed out."""
    body = b""
    with suppress(*_ERRORS):
        async with asyncio.timeout(_ERROR_SECONDS):
            while len(body) < _ERROR_BYTES and (data := await response.content.readany()):
                body += data
    return body[:_ERROR_BYTES]


def _unread(response: aiohttp.ClientResponse | None) -> bytes:
    """Bytes that arrived before the connection broke and were not read yet. aiohttp would drop them."""
    if response is None:
        return b""
    response.content.set_exception(None)  # type: ignore[arg-type]  # clears the error, so that the buffer can be read
    return response.content.read_nowait()


def _plain_headers(response: aiohttp.ClientResponse) -> dict[str, str]:
    """The headers of *response* with lower-case names, and ``retry-after`` in seconds if it was a date."""
    headers = {name.lower(): value for name, value in response.headers.items()}
    until, now = _moment(headers.get("retry-after", "")), _moment(headers.get("date", ""))
    if until is not None:
        # The server's own clock counts; ours only if it sends no date.
        seconds = (until - (now or datetime.now(UTC))).total_seconds()
        headers["retry-after"] = str(max(ceil(seconds), 0))
    return headers


def _moment(text: str) -> datetime | None:
    """Parse an HTTP date."""
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


# --- errors ------------------------------------------------------------------------------


def _closed() -> ProviderError:
    message = "the HTTP client is closed, or belongs to another event loop; make a new one"
    return ProviderError(message, kind=ErrorKind.API, code="closed")


def _endless(host: str) -> ProviderError:
    return ProviderError(
        Sentence(
            "the answer of {host} is longer than {most} bytes; the connection was closed",
            host=host,
            most=_MOST_BYTES,
        ),
        kind=ErrorKind.API,
        code="EMSGSIZE",
    )


def _error_for(error: Exception, host: str) -> ProviderError:
    """Our error for *error*, whose text is not repeated."""
    match error:
        case aiohttp.ClientConnectorDNSError():
            return _refused(f"there is no server called {host}; check its address", "ENOTFOUND")
        case aiohttp.ClientHttpProxyError():
            return _refused(f"the proxy refused the connection to {host}", f"{error.status}_proxy", error.status)
        case aiohttp.ClientProxyConnectionError():
            return _refused("the proxy cannot be reached; check that it runs, and its address", "ECONNREFUSED")
        case aiohttp.ClientSSLError():
            return _refused(f"the connection to {host} is not secure: its certificate or its TLS is invalid", "TLS")
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
            return _refused(f"{host} redirects too often", "ELOOP")
        case aiohttp.ClientPayloadError() | aiohttp.ClientConnectionError() | ConnectionError():
            return ProviderError(
                Sentence("the connection to {host} broke off; try again", host=host), code="ECONNRESET", retryable=True
            )
        case aiohttp.ClientResponseError():
            return _refused(f"{host} does not speak HTTP; check its address", "EPROTO")
        case _:
            return _refused("an address or a header is invalid; check the settings", "EINVAL")


def _refused(message: str, code: str, status: int | None = None) -> ProviderError:
    return ProviderError(message, kind=ErrorKind.API, code=code, status=status)


def _late(host: str) -> ProviderError:
    return ProviderError(
        Sentence("{host} did not answer in time; try again later", host=host),
        kind=ErrorKind.TIMEOUT,
        code="ETIMEDOUT",
        retryable=True,
    )


def _unconnected(cause: OSError, host: str) -> ProviderError:
    match cause.errno:
        case errno.ECONNREFUSED:
            return _refused(f"no server listens at {host}; check that it runs, and its address", "ECONNREFUSED")
        case errno.ETIMEDOUT:
            return _late(host)
        case number:
            code = errno.errorcode.get(number or 0, "ECONNECT")
            return _refused(f"{host} cannot be reached from here; check the network", code)
