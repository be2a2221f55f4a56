"""The gateway: websocket connections over which bots receive events.

1. A connection has one reader, the task that called ``attend``, and one writer, which the reader starts and ends.
2. Messages are put into the writer's queue without waiting. So an event reaches all sessions in one step, and every bot
   receives events in the same order.
3. A session belongs to the gateway, a connection to its client: when a connection breaks, the session goes on counting.
"""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from aiohttp import WSMsgType, web

from ..concurrency.tasks import end_task
from . import guilds
from .frames import Compression, Frame, framing
from .intents import ALL, PRIVILEGED, Intent, hears
from .members import chunks
from .protocol import Hangup, Op, as_object, as_shard, read, without_token
from .sessions import GatewayRules, IdentifyQuota, Session, as_message
from .wire import GatewayEvent, Json, Refusal
from .world import Bot, World

_VERSIONS = ("9", "10")
_WAY_BACK = 0.03
"""Seconds until a heartbeat is acknowledged: discord.py takes an answer before its own thread has noted it for a late one."""


@dataclass(frozen=True, slots=True)
class ClientFrame:
    """A message that a client sent."""

    op: Op
    data: Any
    """Without the bot's token."""
    session: str
    """The id of its session; empty if it has none yet."""


@dataclass(frozen=True, slots=True)
class _Close:
    """The end of a connection; without a code, it is cut."""

    code: int | None
    reason: str = ""


class GatewaySocket:
    """The writing side of a connection: messages are sent in order."""

    def __init__(self, socket: web.WebSocketResponse, frame: Frame, tear: Callable[[], None]) -> None:
        self._socket = socket
        self._frame = frame
        self.tear = tear
        """Cuts the connection at once, without a close frame."""
        self._row: asyncio.Queue[bytes | _Close] = asyncio.Queue()
        self._is_closing = False

    def say(self, message: bytes) -> None:
        """Queue *message*."""
        self._row.put_nowait(message)

    def close(self, code: int | None, reason: str = "") -> None:
        """Close the connection after all queued messages; later ones are dropped."""
        self._row.put_nowait(_Close(code, reason))
        self._is_closing = True

    async def finish(self, writer: asyncio.Task[None], *, within: float) -> None:
        """End *writer*; a connection that is being closed gets *within* seconds for its close frame."""
        try:
            if self._is_closing and not (await asyncio.wait([writer], timeout=within))[0]:
                self.tear()
        finally:
            await end_task(writer)

    async def write(self) -> None:
        """Send queued messages until the connection is closed by either side."""
        try:
            while isinstance(said := await self._row.get(), bytes):
                framed = self._frame(said)
                if isinstance(framed, str):
                    await self._socket.send_str(framed)
                else:
                    await self._socket.send_bytes(framed)
        except ConnectionError:
            return  # the reader notices it too
        if said.code is None:
            self.tear()
        else:
            await self._socket.close(code=said.code, message=said.reason.encode())


class _Caller:
    """A connected client."""

    def __init__(self, socket: web.WebSocketResponse, line: GatewaySocket, rules: GatewayRules, now: float) -> None:
        self.socket = socket
        self.line = line
        self.session: Session | None = None
        self.beat_at = now
        self.allowance = IdentifyQuota(rules.sends, rules.window)


class Gateway:
    """All connections and sessions. It is a context manager, and receives the events of the world meanwhile."""

    def __init__(
        self, world: World, url: str, *, compression: Compression = "auto", rules: GatewayRules | None = None
    ) -> None:
        self.url = url
        self.rules = rules or GatewayRules()
        self.heard: deque[ClientFrame] = deque(maxlen=10_000)
        """Messages of clients, oldest first."""
        self._state = world.state
        world.state.privileged = self.rules.privileged  # the flags of applications show them
        self._compression = compression
        self._callers: dict[GatewaySocket, _Caller] = {}
        self._sessions: dict[str, Session] = {}
        self._numbers = itertools.count(1)
        self._stop_listening: Callable[[], None] | None = None
        self._everybody_left = asyncio.Event()
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()

    def __enter__(self) -> Self:
        self._stop_listening = self._state.listen(self._hear)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stop_listening:
            self._stop_listening()

    @property
    def sessions(self) -> tuple[Session, ...]:
        """All sessions, oldest first."""
        self._forget_the_old()
        return tuple(self._sessions.values())

    # --- what can go wrong -----------------------------------------------------------------

    def cut(self, code: int | None = 4000, reason: str = "") -> None:
        """Close every connection with *code*; ``None`` cuts it without a close frame. Sessions can be resumed."""
        for caller in self._callers.values():
            self._leave(caller)  # from now on, it misses events
            caller.line.close(code, reason)

    def reconnect(self) -> None:
        """Ask every client to connect again."""
        for caller in self._callers.values():
            caller.line.say(as_message(Op.RECONNECT, None))

    def invalidate(self, *, resumable: bool = False) -> None:
        """Tell every client that its session is invalid; a *resumable* one it may resume."""
        for caller in self._callers.values():
            session = caller.session
            self._leave(caller)
            if session and not resumable:
                self._sessions.pop(session.id, None)
            caller.line.say(as_message(Op.INVALID_SESSION, resumable))

    async def close(self, *, within: float = 1.0) -> None:
        """Close every connection and wait until all clients are gone; after *within* seconds, cut the connections."""
        self.cut(1001, "the server is closing")
        if not self._callers:
            return
        self._everybody_left.clear()
        try:
            async with asyncio.timeout(within):
                await self._everybody_left.wait()
        except TimeoutError:
            for line in self._callers:
                line.tear()
            await self._everybody_left.wait()

    # --- one connection --------------------------------------------------------------------

    async def attend(self, socket: web.WebSocketResponse, query: Mapping[str, str], tear: Callable[[], None]) -> None:
        """Serve one connection until it ends. *tear* cuts it without a close frame."""
        line = GatewaySocket(socket, framing(query.get("compress", ""), self._compression), tear)
        caller = self._callers[line] = _Caller(socket, line, self.rules, self._now())
        writer = asyncio.create_task(line.write())
        try:
            await self._converse(caller, query)
        except Hangup as hangup:
            line.close(hangup.code, hangup.reason)
        finally:
            self._leave(caller)
            try:
                await line.finish(writer, within=self.rules.goodbye)
            finally:
                del self._callers[line]
                if not self._callers:
                    self._everybody_left.set()

    async def _converse(self, caller: _Caller, query: Mapping[str, str]) -> None:
        if query.get("v", "10") not in _VERSIONS:
            raise Hangup(4012, "Invalid API version.")
        if query.get("encoding", "json") != "json":
            raise Hangup(4002, "Only JSON is spoken here.")
        hello = {"heartbeat_interval": int(self.rules.heartbeat * 1000), "_trace": []}
        caller.line.say(as_message(Op.HELLO, hello))
        while (message := await self._receive(caller)) is not None:
            if not caller.allowance.take(self._now()):
                raise Hangup(4008, "You are being rate limited.")
            op, data = read(message)
            if op is Op.HEARTBEAT and caller.session is not None:
                await asyncio.sleep(_WAY_BACK)
            self._obey(caller, op, data)

    async def _receive(self, caller: _Caller) -> bytes | None:
        """The next message of the client; ``None`` when the connection has ended."""
        try:
            async with asyncio.timeout_at(caller.beat_at + self.rules.heartbeat * self.rules.patience):
                received = await caller.socket.receive()
        except TimeoutError:
            self._end_session(caller)
            raise Hangup(4009, "Session timed out.") from None
        match received.type:
            case WSMsgType.TEXT:
                return str(received.data).encode()
            case WSMsgType.BINARY:  # some clients send JSON as bytes
                return bytes(received.data)
            case WSMsgType.CLOSE if received.data in (1000, 1001):
                self._end_session(caller)  # with these codes a client does not resume
        return None

    def _obey(self, caller: _Caller, op: Op, data: Any) -> None:
        self.heard.append(ClientFrame(op, without_token(data), caller.session.id if caller.session else ""))
        match op:
            case Op.HEARTBEAT:
                caller.beat_at = self._now()
                caller.line.say(as_message(Op.HEARTBEAT_ACK, None))
            case Op.IDENTIFY:
                self._identify(caller, as_object(data))
            case Op.RESUME:
                self._resume(caller, as_object(data))
            case _ if caller.session is None:
                raise Hangup(4003, "Not authenticated.")
            case Op.REQUEST_GUILD_MEMBERS:
                self._send_members(caller.session, as_object(data))
            case _:
                pass  # presences and voice are not simulated

    # --- sessions --------------------------------------------------------------------------

    def _identify(self, caller: _Caller, data: Json) -> None:
        if caller.session:
            raise Hangup(4005, "Already authenticated.")
        bot = self._authenticate(data)
        intents = self._intents(data.get("intents"))
        shard = as_shard(data.get("shard", (0, 1)))
        mine = [guild for guild in guilds.of_bot(self._state, bot) if shard.has(guild)]
        if len(mine) > self.rules.guilds_per_shard:
            raise Hangup(4011, "Sharding required.")
        session = Session(f"session-{next(self._numbers)}", bot, intents, shard, backlog=self.rules.backlog)
        self._sessions[session.id] = session
        self._enter(caller, session)
        ready = guilds.ready(self._state, bot)
        ready["guilds"] = [guild for guild in ready["guilds"] if shard.has(guild["id"])]
        ready |= {"v": 10, "session_id": session.id, "resume_gateway_url": self.url, "shard": list(shard)}
        session.tell(GatewayEvent("READY", ready))
        for guild in mine:
            created = GatewayEvent("GUILD_CREATE", guilds.created(self._state, guild, bot), guild=guild)
            if hears(created, intents, bot.id):
                session.tell(created)

    def _resume(self, caller: _Caller, data: Json) -> None:
        if caller.session:
            raise Hangup(4005, "Already authenticated.")
        bot = self._authenticate(data)
        self._forget_the_old()
        session = self._sessions.get(str(data.get("session_id")))
        sequence = data.get("seq")
        if session is None or session.bot.id != bot.id or not isinstance(sequence, int):
            caller.line.say(as_message(Op.INVALID_SESSION, data=False))
            return
        if not 0 <= sequence <= session.sequence:
            raise Hangup(4007, "Invalid seq.")
        missed = session.since(sequence)
        if missed is None:
            caller.line.say(as_message(Op.INVALID_SESSION, data=False))
            return
        for other in [other for other in self._callers.values() if other.session is session]:
            self._leave(other)
            other.line.close(4000, "The session was resumed elsewhere.")
        for message in missed:
            caller.line.say(message)
        self._enter(caller, session)
        session.resumed += 1
        session.tell(GatewayEvent("RESUMED", {"_trace": []}))

    def _authenticate(self, data: Json) -> Bot:
        try:
            return guilds.authenticate(self._state, str(data.get("token", "")).removeprefix("Bot "))
        except Refusal:
            raise Hangup(4004, "Authentication failed.") from None

    def _intents(self, asked: object) -> Intent:
        if not isinstance(asked, int) or asked & ~ALL:
            raise Hangup(4013, "Invalid intent(s).")
        if asked & PRIVILEGED & ~self.rules.privileged:
            raise Hangup(4014, "Disallowed intent(s).")
        return Intent(asked)

    def _send_members(self, session: Session, data: Json) -> None:
        guild = data.get("guild_id")
        guild = str(guild[0] if isinstance(guild, list) and guild else guild)
        if guild not in guilds.of_bot(self._state, session.bot) or not session.shard.has(guild):
            return
        members = guilds.created(self._state, guild, session.bot)["members"]
        for chunk in chunks(members, data, session.intents):
            session.tell(GatewayEvent("GUILD_MEMBERS_CHUNK", {"guild_id": guild, **chunk}, guild=guild))

    def _enter(self, caller: _Caller, session: Session) -> None:
        caller.session = session
        session.attach(caller.line.say)

    def _leave(self, caller: _Caller) -> None:
        if caller.session:
            caller.session.detach(self._now())
        caller.session = None

    def _end_session(self, caller: _Caller) -> None:
        if caller.session:
            self._sessions.pop(caller.session.id, None)

    def _forget_the_old(self) -> None:
        now = self._now()
        for session in list(self._sessions.values()):
            if session.left_at is not None and now - session.left_at > self.rules.resumable:
                del self._sessions[session.id]

    def _hear(self, event: GatewayEvent) -> None:
        """Dispatch an event; plain fixtures change the world while the loop rests, and threads beside it."""
        if threading.get_ident() != self._thread:
            self._loop.call_soon_threadsafe(self._hear, event)
            return
        for session in self.sessions:
            if session.hears(event, guilds.of_bot(self._state, session.bot)):
                session.tell(event)

    def _now(self) -> float:
        return self._loop.time()
