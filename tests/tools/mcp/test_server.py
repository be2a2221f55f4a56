"""Real MCP servers, written with the official SDK: over standard input and output, and over HTTP on loopback.

Each in the latest protocol (``new``) and in the one before it (``old``), which differ in nearly everything but the words.
Where only beginnings and ends matter, the server is a ``simple`` one, without the SDK. The others are forks of one process
that has loaded it: see ``a_quick_server.py``.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from select import select
from tempfile import TemporaryDirectory
from typing import TypeAlias

import pytest

import cadenza.tools.mcp.server
from cadenza.errors import SettingsError, ToolError
from cadenza.tools.mcp import McpServer
from cadenza.tools.tool import ToolContext
from cadenza.types import Media, MediaKind, ToolResult
from tests.loopback import Act, Answer, Asked, serving

pytestmark = [pytest.mark.usefixtures("mcp_sdk")]

QUICK = str(Path(__file__).with_name("a_quick_server.py"))
SIMPLE = str(Path(__file__).with_name("a_simple_server.py"))
PNG = b"\x89PNG\r\n\x1a\n and so on"
SECRET = "tea-key-4711-0815"  # noqa: S105  # it opens nothing
NAMES = ["greet", "weather", "draw_picture", "fail", "refuse", "slow", "has_begun", "was_cancelled", "crash", "pid"]

each_era = pytest.mark.parametrize("kind", ["new", "old"])
each_way = pytest.mark.parametrize("over", ["stdio", "http"])


def simple(kind: str = "polite", **options: object) -> McpServer:
    return McpServer.stdio(sys.executable, [SIMPLE, kind], env={"TEA_KEY": SECRET}, **options)


@pytest.fixture(scope="module")
def kitchen() -> Iterator[str]:
    """Where the process listens that has loaded the SDK, and of which all servers are forks."""
    with TemporaryDirectory() as folder:
        address = str(Path(folder, "kitchen"))
        words, pipe = [sys.executable, QUICK, "kitchen", address], subprocess.PIPE
        with subprocess.Popen(words, stdin=pipe, stdout=pipe) as process:
            try:
                assert process.stdout
                assert b"ready\n" == process.stdout.readline()
                yield address
                assert process.stdin
                process.stdin.close()
                assert 0 == process.wait(60)  # as it would if we were killed
            finally:
                process.kill()


def command(kitchen: str, *words: str) -> list[str]:
    """What to run for a server with these words; it does without site packages, so it is there at once."""
    return [sys.executable, "-S", QUICK, kitchen, *words]


def program(kitchen: str, kind: str, **options: object) -> McpServer:
    first, *rest = command(kitchen, "stdio", kind)
    return McpServer.stdio(first, rest, env={"TEA_KEY": SECRET}, **options)


@contextmanager
def listening(kitchen: str, kind: str, port: int = 0) -> Iterator[int]:
    """A server over HTTP in a process of its own; gives the port."""
    env = {**os.environ, "TEA_KEY": SECRET}
    with subprocess.Popen(command(kitchen, "http", kind, str(port)), stdout=subprocess.PIPE, env=env) as process:
        assert process.stdout
        port, pid = map(int, process.stdout.readline().split())
        try:
            yield port
        finally:
            with suppress(ProcessLookupError):  # it may have crashed
                os.kill(pid, signal.SIGKILL)
            assert has_ended(pid)  # and with it the port is free


def site(port: int, **options: object) -> McpServer:
    return McpServer.http(f"http://127.0.0.1:{port}/mcp", headers={"x-tea-key": SECRET}, **options)


Serving: TypeAlias = Callable[..., McpServer]


@pytest.fixture(scope="module")
def ports(kitchen: str) -> Iterator[dict[str, int]]:
    """Where a server of each kind listens: one for all tests that leave it alive."""
    with listening(kitchen, "new") as new, listening(kitchen, "old") as old:
        yield {"new": new, "old": old}


@pytest.fixture
def serving_tea(kitchen: str, ports: dict[str, int]) -> Serving:
    """A server, however it is reached."""

    def serve(over: str, kind: str, **options: object) -> McpServer:
        return program(kitchen, kind, **options) if over == "stdio" else site(ports[kind], **options)

    return serve


async def use(server: McpServer, name: str, /, **arguments: object) -> ToolResult:
    """Have the tool *name* run, for a while at most."""
    tool = next(tool for tool in server.tools if tool.spec.name == name)
    async with asyncio.timeout(60):
        result = await tool.run(arguments, ToolContext())
    assert isinstance(result, ToolResult)
    return result


async def asked_until_it_answers(server: McpServer, name: str, /, **arguments: object) -> ToolResult:
    """The same for a server with little patience: it is asked again if the answer was not quick enough."""
    while True:
        with suppress(ToolError):
            return await use(server, name, **arguments)


def children() -> set[int]:
    """The processes that were started here and are still there, if only as zombies."""
    found: set[int] = set()
    for task in Path("/proc/self/task").glob("*"):
        with suppress(OSError):  # a thread that has ended meanwhile has no children
            found.update(map(int, (task / "children").read_text().split()))
    return found


def has_ended(pid: int) -> bool:
    """Whether the process has ended, or does so now: one that was killed needs a moment."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select([process], [], [], 60)[0])
    finally:
        os.close(process)


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    before = children()
    yield
    assert [] == [pid for pid in children() - before if not has_ended(pid)]


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def impatient(mcp_sdk: None, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001  # it is the SDK's patience
    """The SDK waits less long for a process that does not want to end."""
    for name in ("PROCESS_TERMINATION_TIMEOUT", "FORCE_KILL_TIMEOUT"):
        monkeypatch.setattr(f"mcp.client.stdio.{name}", 0.05)


# --- what a server offers and answers ------------------------------------------------------


@each_era
@each_way
async def test_every_kind_of_answer_arrives(serving_tea: Serving, over: str, kind: str) -> None:
    async with serving_tea(over, kind) as tea:
        assert NAMES == [tool.spec.name for tool in tea.tools][: len(NAMES)]
        assert "Ask before you pour." == tea.instructions
        assert ToolResult(("Hello, Bo!",)) == await use(tea, "greet", name="Bo")
        assert {"city": "Oslo", "degrees": 21.5} == json.loads((await use(tea, "weather", city="Oslo")).text)
        assert ToolResult((Media(MediaKind.IMAGE, "image/png", data=PNG),)) == await use(tea, "draw_picture")
        failed = await use(tea, "fail")
        assert failed.is_error
        assert "There is no tea left." in failed.text
        assert (await use(tea, "greet")).is_error  # the server checks the arguments
        with pytest.raises(
            ToolError, match=r"^The tool server refused the call \(error -32050\): not with this key: \*\*\*$"
        ):
            await use(tea, "refuse")


async def test_a_tool_is_told_as_its_server_tells_it(serving_tea: Serving) -> None:
    async with serving_tea("http", "new") as tea:
        greet, weather, picture = tea.tools[:3]

    assert "Say hello to somebody." == greet.spec.description
    assert {"name": {"title": "Name", "type": "string"}} == greet.spec.parameters["properties"]
    assert ["name"] == greet.spec.parameters["required"]
    assert [True] * 3 == [tool.needs_answer for tool in (greet, weather, picture)]
    assert [True, True, False] == [tool.repeatable for tool in (greet, weather, picture)]
    assert [False] * 3 == [tool.needs_consent for tool in (greet, weather, picture)]


async def test_names_have_a_prefix_and_who_may_destroy_needs_consent_if_that_is_wanted(serving_tea: Serving) -> None:
    async with serving_tea("http", "new", prefix="tea_", consent=True, call_seconds=9) as tea:
        greet, weather, picture = tea.tools[:3]
        assert ["tea_greet", "tea_weather", "tea_draw_picture"] == [
            tool.spec.name for tool in (greet, weather, picture)
        ]
        assert [False, False, True] == [tool.needs_consent for tool in (greet, weather, picture)]
        assert 9 == greet.seconds
        assert ToolResult(("Hello, Bo!",)) == await use(tea, "tea_greet", name="Bo")


async def test_all_pages_of_a_list_are_read(kitchen: str) -> None:
    async with program(kitchen, "paged") as server:
        assert ["one", "two", "three"] == [tool.spec.name for tool in server.tools]
        assert ToolResult(("three",)) == await use(server, "three")


@each_era
@each_way
async def test_a_list_that_changes_is_read_again(serving_tea: Serving, over: str, kind: str) -> None:
    async with serving_tea(over, kind) as tea:
        change = asyncio.create_task(tea.changed())
        await asyncio.sleep(0)
        assert ToolResult(("now I know",)) == await use(tea, "learn", name="stir it")
        async with asyncio.timeout(60):
            tools = await change
        assert "stir_it" == tools[-1].spec.name
        assert tools == tea.tools
        assert ToolResult(("learnt",)) == await use(tea, "stir_it")


@each_way
async def test_many_calls_at_once_get_their_own_answers(serving_tea: Serving, over: str) -> None:
    async with serving_tea(over, "new") as tea:
        answers = await asyncio.gather(*(use(tea, "greet", name=str(number)) for number in range(20)))

    assert [f"Hello, {number}!" for number in range(20)] == [answer.text for answer in answers]


# --- calls that do not end well ----------------------------------------------------------------


@each_era
@each_way
async def test_a_server_hears_that_a_call_is_cancelled(serving_tea: Serving, over: str, kind: str) -> None:
    async with serving_tea(over, kind) as tea:
        call = asyncio.create_task(use(tea, "slow", mark="cancelled"))
        await use(tea, "has_begun", mark="cancelled")
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert "true" == (await use(tea, "was_cancelled", mark="cancelled")).text


@each_way
async def test_a_tool_that_is_silent_for_too_long_is_cancelled(serving_tea: Serving, over: str) -> None:
    async with serving_tea(over, "new", idle_seconds=0.5) as tea:
        with pytest.raises(ToolError, match="did not answer in time"):
            await use(tea, "slow", mark="silent")
        assert "true" == (await asked_until_it_answers(tea, "was_cancelled", mark="silent")).text


async def test_a_tool_that_takes_too_long_in_all_is_cancelled(serving_tea: Serving) -> None:
    async with serving_tea("http", "new", call_seconds=0.2) as tea:
        with pytest.raises(ToolError, match="did not answer in time"):
            await use(tea, "slow", mark="long")


@pytest.mark.parametrize("kind", ["polite", "ancient"])
async def test_a_program_that_dies_costs_one_call(kind: str) -> None:
    async with simple(kind) as tea:
        first = (await use(tea, "pid")).text
        with pytest.raises(ToolError, match="has gone away"):
            await use(tea, "crash")
        second = (await use(tea, "pid")).text
        assert first != second
        assert ToolResult(("Hello, Bo!",)) == await use(tea, "greet", name="Bo")


async def test_a_program_that_dies_fails_all_calls_under_way_and_is_started_again_once(kitchen: str) -> None:
    async with program(kitchen, "new") as tea:
        under_way = asyncio.create_task(use(tea, "slow", mark="x"))
        await use(tea, "has_begun", mark="x")
        with pytest.raises(ToolError, match="has gone away"):
            await use(tea, "crash")
        with pytest.raises(ToolError, match="has gone away"):
            await under_way
        answers = await asyncio.gather(*(use(tea, "pid") for _ in range(5)))

    assert 1 == len({answer.text for answer in answers})


@each_era
async def test_a_site_that_dies_is_missed_until_it_is_there_again(kitchen: str, kind: str) -> None:
    with listening(kitchen, kind) as port:
        tea = await site(port).__aenter__()
        with pytest.raises(ToolError, match="has gone away"):
            await use(tea, "crash")
    with pytest.raises(ToolError, match="could not be reached again"):
        await use(tea, "greet", name="Bo")
    with listening(kitchen, kind, port):
        assert ToolResult(("Hello, Bo!",)) == await use(tea, "greet", name="Bo")
    with listening(kitchen, kind, port):  # it was started anew, and nobody asked it meanwhile
        with suppress(ToolError):
            await use(tea, "greet", name="Mo")
        assert ToolResult(("Hello, Bo!",)) == await use(tea, "greet", name="Bo")
        await tea.close()


# --- beginnings and ends ---------------------------------------------------------------------


async def test_a_program_that_knows_only_the_old_greeting_and_ends_at_others_is_started_again() -> None:
    async with simple("ancient") as tea:
        assert ToolResult(("Hello, Bo!",)) == await use(tea, "greet", name="Bo")


async def test_a_server_may_be_entered_in_one_task_and_left_in_another() -> None:
    tea = await asyncio.create_task(simple().__aenter__())
    assert ToolResult(("Hello, Bo!",)) == await use(tea, "greet", name="Bo")

    await asyncio.create_task(tea.__aexit__(None, None, None))

    with pytest.raises(ToolError, match="is closed"):
        await use(tea, "greet", name="Bo")


async def test_several_servers_may_end_in_any_order() -> None:
    first, second = await simple().__aenter__(), await simple().__aenter__()
    await first.close()
    assert ToolResult(("Hello, Bo!",)) == await use(second, "greet", name="Bo")
    await second.close()


async def test_a_server_can_be_entered_again_but_not_twice_at_once() -> None:
    tea = simple()
    async with tea:
        with pytest.raises(SettingsError, match="is in use already"):
            await tea.__aenter__()
    async with tea:
        assert ToolResult(("Hello, Bo!",)) == await use(tea, "greet", name="Bo")


@each_way
async def test_the_end_of_a_server_fails_the_calls_under_way(serving_tea: Serving, over: str) -> None:
    async with serving_tea(over, "new") as tea:
        call = asyncio.create_task(use(tea, "slow", mark="end"))
        await use(tea, "has_begun", mark="end")
        await tea.close()
        with pytest.raises(ToolError, match="has gone away"):
            await call


@pytest.mark.usefixtures("impatient")
async def test_a_program_that_does_not_want_to_end_is_ended() -> None:
    async with asyncio.timeout(60), simple("rude") as tea:
        pid = int((await use(tea, "pid")).text)

    assert has_ended(pid)


def stalling(asked: Asked) -> Answer:
    """An old server by hand: one tool is never answered, one gives nonsense, and a goodbye is not answered either."""
    if asked.method == "DELETE":
        return Answer((Act.STALL,))
    if asked.method != "POST":
        return Answer.of(b"", 405)
    message = json.loads(asked.body)
    match message["method"]:
        case "initialize":
            told = {"protocolVersion": "2025-06-18", "serverInfo": {"name": "x", "version": ""}}
            result: object = {**told, "capabilities": {"tools": {}}}
        case "tools/list":
            result = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("wait", "babble")]}
        case "tools/call" if message["params"]["name"] == "wait":
            return Answer((Act.STALL,))
        case "tools/call":
            result = {"content": SECRET}
        case _:
            return Answer.of(b"", 202 if "id" not in message else 404)
    body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
    return Answer.of(body, mcp_session_id="1")


async def test_a_site_that_talks_nonsense_and_does_not_answer_to_a_goodbye_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from cadenza.tools.mcp import connection

    monkeypatch.setattr(connection, "_END_SECONDS", 0.1)
    async with asyncio.timeout(60), serving(stalling) as loopback:
        server = await McpServer.http(loopback.url).__aenter__()
        call = asyncio.create_task(use(server, "wait"))
        with pytest.raises(ToolError, match=r"^The answer of the tool server could not be read \(ValidationError\)\.$"):
            await use(server, "babble")
        await server.close()
        with pytest.raises(ToolError, match="has gone away"):
            await call

    assert "DELETE" == loopback.asked[-1].method


@pytest.mark.usefixtures("impatient")
async def test_a_program_that_says_nothing_is_not_waited_for() -> None:
    mute = McpServer.stdio(sys.executable, ["-c", "import signal; signal.pause()"], connect_seconds=0.2)

    with pytest.raises(ToolError, match=r"^the MCP server 'python.*' did not answer within 0.2 seconds$"):
        await mute.__aenter__()


@pytest.mark.usefixtures("impatient")
async def test_who_is_cancelled_while_a_server_begins_leaves_nothing_behind() -> None:
    before = children()
    beginning = asyncio.create_task(
        McpServer.stdio(sys.executable, ["-c", "import signal; signal.pause()"]).__aenter__()
    )
    async with asyncio.timeout(60):
        while not children() - before:  # noqa: ASYNC110  # a process says nothing when it has been started
            await asyncio.sleep(0)
        beginning.cancel()
        with pytest.raises(asyncio.CancelledError):
            await beginning


@each_way
async def test_who_is_cancelled_while_a_server_is_used_leaves_nothing_behind(serving_tea: Serving, over: str) -> None:
    begun = asyncio.Event()

    async def work() -> None:
        async with serving_tea(over, "new") as tea:
            begun.set()
            await use(tea, "slow", mark="used")

    working = asyncio.create_task(work())
    async with asyncio.timeout(60):
        await begun.wait()
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working


async def test_a_call_that_is_cancelled_while_a_program_is_started_again_leaves_that_to_the_next() -> None:
    async with simple() as tea:
        with pytest.raises(ToolError):
            await use(tea, "crash")
        call = asyncio.create_task(use(tea, "pid"))
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert ToolResult(("Hello, Bo!",)) == await use(tea, "greet", name="Bo")


# --- what cannot be, and secrets -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("server", "told"),
    [
        pytest.param(
            lambda: McpServer.stdio("no-such-program-anywhere", [SECRET]),
            r"'no-such-program-anywhere' could not be started \(FileNotFoundError\); check its command",
            id="no such program",
        ),
        pytest.param(
            lambda: McpServer.stdio(sys.executable, ["-c", ""], cwd="/no/such/folder"),
            r"could not be started \(FileNotFoundError\); check its command and its folder",
            id="no such folder",
        ),
        pytest.param(
            lambda: McpServer.stdio(sys.executable, ["-c", f"print('{SECRET}')"]),
            "exited before it answered; see its output in the log",
            id="no server",
        ),
        pytest.param(
            lambda: McpServer.http(f"http://127.0.0.1:{closed_port()}/mcp?key={SECRET}", headers={"x-key": SECRET}),
            r"'127.0.0.1' could not be reached \(ConnectError\); check its address",
            id="nobody listens",
        ),
    ],
)
async def test_a_server_that_cannot_be_had_is_told_in_one_sentence(server: Callable[[], McpServer], told: str) -> None:
    with pytest.raises(ToolError, match=told) as raised:
        async with server():
            pytest.fail("it was entered")

    assert SECRET not in str(raised.value)
    assert raised.value.__cause__ is None


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        pytest.param(Answer.of(b"who are you?", 401), "refused the session", id="unauthorised"),
        pytest.param(Answer.of(b"<html>", 200), "refused the session|does not speak MCP", id="a page"),
        pytest.param(
            Answer.of(b"", 302, location="http://127.0.0.1:9/elsewhere"), "refused the session", id="redirected"
        ),
    ],
)
async def test_a_site_that_is_no_server_is_told_without_its_keys(answer: Answer, told: str) -> None:
    async with serving(lambda _: answer) as loopback:
        server = McpServer.http(f"{loopback.url}/mcp?key={SECRET}", headers={"authorization": f"Bearer {SECRET}"})
        with pytest.raises(ToolError, match=told) as raised:
            await server.__aenter__()

    assert SECRET not in f"{raised.value!r} {server!r}"


async def test_headers_reach_the_site(serving_tea: Serving) -> None:
    async with serving_tea("http", "new") as tea:
        assert ToolResult((SECRET,)) == await use(tea, "header", name="x-tea-key")


async def test_a_program_sees_nothing_of_our_environment_but_a_minimum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-you")
    async with simple() as tea:
        seen = json.loads((await use(tea, "environment")).text)

    assert SECRET == seen["TEA_KEY"]
    assert os.environ["PATH"] == seen["PATH"]
    assert seen.keys() <= {"TEA_KEY", "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LC_CTYPE"}


async def test_what_a_program_says_besides_goes_to_the_log_without_keys(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level("DEBUG")
    async with simple() as tea:
        with pytest.raises(ToolError):
            await use(tea, "crash")

    assert "the kettle burst TEA_KEY ***" in caplog.text
    assert SECRET not in caplog.text
    assert "kettle" not in "".join(capfd.readouterr())


def test_nothing_of_a_server_is_shown_but_its_name() -> None:
    shown = [
        repr(program("there", "new")),
        repr(McpServer.http(f"https://{SECRET}:x@tea.example/{SECRET}?key={SECRET}")),
    ]

    assert [f"<McpServer {Path(sys.executable).name!r}>", "<McpServer 'tea.example'>"] == shown


def test_the_sdk_is_not_imported_before_a_server_is_entered() -> None:
    script = "import sys, cadenza.tools.mcp; print([name for name in ('mcp', 'mcp_types', 'pydantic') if name in sys.modules])"

    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)

    assert "[]" == result.stdout.strip()


async def test_without_the_sdk_there_is_one_sentence_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cadenza.tools.mcp.server, "find_spec", lambda _: None)

    with pytest.raises(SettingsError, match=r"^MCP servers need the MCP SDK; try: pip install 'cadenza\[mcp\]'$"):
        await program("nowhere", "new").__aenter__()


@pytest.mark.parametrize("prefix", ["1st", "a b", "-", "é", "x" * 33])
def test_a_prefix_that_no_provider_takes_is_refused(prefix: str) -> None:
    with pytest.raises(SettingsError, match="prefix"):
        McpServer.stdio("x", prefix=prefix)


@pytest.mark.parametrize("option", ["connect_seconds", "idle_seconds", "call_seconds"])
@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_time_limit_must_be_some_time(option: str, seconds: float) -> None:
    with pytest.raises(SettingsError, match="must be more than 0"):
        McpServer.stdio("x", **{option: seconds})


async def test_a_server_can_be_read_from_a_config() -> None:
    entry = {"command": sys.executable, "args": [SIMPLE, "polite"], "env": {"TEA_KEY": SECRET}}
    async with McpServer.from_config(entry, prefix="my_") as tea:
        assert ToolResult(("Hello, Bo!",)) == await use(tea, "my_greet", name="Bo")
