"""The server as any HTTP client sees it."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator
from contextlib import suppress

import discord
import pytest
from aiohttp import ClientConnectionError, ClientSession, FormData, WSServerHandshakeError

from cadenza.sim.faults import Faults
from cadenza.sim.server import Server, serve
from cadenza.sim.sessions import GatewayRules
from cadenza.sim.world import World
from tests.leaps import leaping
from tests.sim.places import SOON, Place, calling, until

pytestmark = pytest.mark.timeout(60)

AUTHORISED = {"Authorization": "Bot sim-token"}
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


@pytest.fixture
def place() -> Place:
    return Place()


@pytest.fixture
async def server(place: Place) -> AsyncIterator[Server]:
    async with serve(place.world) as server:
        yield server


@pytest.fixture
async def http() -> AsyncIterator[ClientSession]:
    async with ClientSession(headers=AUTHORISED) as session:
        yield session


async def test_the_type_of_an_answer_is_exactly_json(server: Server, place: Place, http: ClientSession) -> None:
    async with http.get(f"{server.url}/users/@me") as response:
        assert "application/json" == response.headers["Content-Type"]
        assert place.bot.id == (await response.json())["id"]


@pytest.mark.parametrize("version", ["/api/v10", "/api/v9", "/api"])
async def test_the_version_may_be_said_or_not(server: Server, http: ClientSession, version: str) -> None:
    async with http.get(server.url.replace("/api/v10", version) + "/users/@me") as response:
        assert 200 == response.status


async def test_a_message_that_is_posted_is_in_the_world(server: Server, place: Place, http: ClientSession) -> None:
    async with http.post(f"{server.url}/channels/{place.general}/messages", json={"content": "hello"}) as response:
        said = await response.json()

    assert ["hello"] == [message["content"] for message in place.world.messages(place.general)]
    assert "hello" == said["content"]
    assert "X-RateLimit-Remaining" in response.headers


async def test_no_content_has_no_body(server: Server, place: Place, http: ClientSession) -> None:
    async with http.post(f"{server.url}/channels/{place.general}/typing") as response:
        assert (204, b"") == (response.status, await response.read())


async def test_files_come_in_the_order_of_their_numbers_with_their_json(
    server: Server, place: Place, http: ClientSession
) -> None:
    form = FormData(quote_fields=False)
    form.add_field("files[1]", b"second", filename="b.txt", content_type="application/octet-stream")
    form.add_field("payload_json", json.dumps({"content": "two files", "attachments": [{"id": 0}, {"id": 1}]}))
    form.add_field("files[0]", b"first", filename="a.txt", content_type="text/plain")

    async with http.post(f"{server.url}/channels/{place.general}/messages", data=form) as response:
        said = await response.json()

    [call] = server.rest.calls
    assert "two files" == said["content"]
    assert [("a.txt", b"first", "text/plain"), ("b.txt", b"second", "application/octet-stream")] == [
        (file.name, file.data, file.kind) for file in call.request.files
    ]


async def test_a_file_that_was_sent_can_be_fetched(server: Server, place: Place, http: ClientSession) -> None:
    form = FormData(quote_fields=False)
    form.add_field("payload_json", "{}")
    form.add_field("files[0]", PNG, filename="table.png")
    async with http.post(f"{server.url}/channels/{place.general}/messages", data=form) as response:
        [attachment] = (await response.json())["attachments"]

    async with http.get(attachment["url"]) as response:
        assert ("image/png", PNG) == (response.headers["Content-Type"], await response.read())
    assert attachment["url"].startswith(server.cdn_url)


@pytest.mark.parametrize("path", ["/attachments/1/2/a.png", "/avatars/1/abc.png"])
async def test_what_was_never_sent_cannot_be_fetched(server: Server, http: ClientSession, path: str) -> None:
    async with http.get(server.cdn_url + path) as response:
        assert 404 == response.status


async def test_a_face_that_is_elsewhere_is_pointed_to(server: Server, place: Place, http: ClientSession) -> None:
    address = "http://127.0.0.1:1/ren.png"
    async with http.post(f"{server.url}/channels/{place.general}/webhooks", json={"name": "Ren"}) as response:
        hook = await response.json()
    said = {"content": "hello", "avatar_url": address}
    async with http.post(f"{server.url}/webhooks/{hook['id']}/{hook['token']}?wait=true", json=said) as response:
        author = (await response.json())["author"]

    face = f"{server.cdn_url}/avatars/{author['id']}/{author['avatar']}.png"
    async with http.get(face, allow_redirects=False) as response:
        assert (302, address) == (response.status, response.headers["Location"])


async def test_the_audit_log_is_told_why(server: Server, place: Place, http: ClientSession) -> None:
    headers = {"X-Audit-Log-Reason": "sch%C3%B6n"}
    async with http.post(
        f"{server.url}/channels/{place.general}/webhooks", json={"name": "Ren"}, headers=headers
    ) as response:
        assert 200 == response.status

    assert "schön" == server.rest.calls[0].request.reason


@pytest.mark.parametrize(
    ("method", "path", "headers", "data", "status", "code"),
    [
        pytest.param("GET", "/users/@me", {"Authorization": "Bot wrong"}, None, 401, 0, id="wrong token"),
        pytest.param("GET", "/users/@me", {"Authorization": "Bearer sim-token"}, None, 401, 0, id="not a bot's"),
        pytest.param("GET", "/gateway/bot", {"Authorization": "Bot wrong"}, None, 401, 0, id="gateway, wrong token"),
        pytest.param("GET", "/nowhere", AUTHORISED, None, 404, 0, id="no such call"),
        pytest.param("GET", "/channels/1", AUTHORISED, None, 404, 10003, id="no such channel"),
        pytest.param("POST", "/channels/1/messages", AUTHORISED, b"{", 400, 50109, id="not JSON"),
        pytest.param("POST", "/channels/1/messages", {**AUTHORISED, "Content-Type": "multipart/form-data; boundary=b"}, b"no parts", 400, 50035, id="no parts"),
        pytest.param("POST", "/channels/1/messages", {**AUTHORISED, "Content-Type": "multipart/form-data"}, b"--b--", 400, 50035, id="no boundary"),
        pytest.param("POST", "/channels/1/messages", {**AUTHORISED, "Content-Type": "multipart/form-data; boundary=b"}, b'--b\r\nContent-Disposition: form-data; name="payload_json"\r\n\r\n{\r\n--b--\r\n', 400, 50109, id="parts that are not JSON"),
    ],
)  # fmt: skip
async def test_a_refusal_has_its_status_and_code(
    server: Server, *, method: str, path: str, headers: dict[str, str], data: bytes | None, status: int, code: int
) -> None:
    async with ClientSession() as http, http.request(method, server.url + path, headers=headers, data=data) as response:
        assert (status, code) == (response.status, (await response.json())["code"])


async def test_what_is_too_large_is_not_read(server: Server, place: Place, http: ClientSession) -> None:
    body = io.BytesIO(bytes((25 << 20) + 1))
    async with http.post(f"{server.url}/channels/{place.general}/messages", data=body) as response:
        assert (413, 40005) == (response.status, (await response.json())["code"])


async def test_where_the_gateway_is_can_be_asked(place: Place, http: ClientSession) -> None:
    async with serve(place.world, rules=GatewayRules(shards=3)) as server:
        async with http.get(f"{server.url}/gateway/bot") as response:
            answer = await response.json()
        async with http.get(f"{server.url}/gateway") as response:
            assert {"url": server.gateway_url} == await response.json()

    assert (server.gateway_url, 3) == (answer["url"], answer["shards"])
    assert {"total", "remaining", "reset_after", "max_concurrency"} == set(answer["session_start_limit"])


async def test_the_gateway_is_only_for_websockets(server: Server, http: ClientSession) -> None:
    async with http.get(server.gateway_url.replace("ws:", "http:")) as response:
        assert 400 == response.status


async def test_an_answer_that_is_lost_cuts_the_line_though_the_thing_was_done(
    server: Server, place: Place, http: ClientSession
) -> None:
    server.faults.lose("POST /channels/*/messages", times=1)

    with pytest.raises(ClientConnectionError):
        await http.post(f"{server.url}/channels/{place.general}/messages", json={"content": "once"})

    assert ["once"] == [message["content"] for message in place.world.messages(place.general)]


async def test_a_ban_is_a_page(place: Place, http: ClientSession) -> None:
    faults = Faults()
    faults.ban()
    async with serve(place.world, faults=faults) as server, http.get(f"{server.url}/users/@me") as response:
        assert (429, "text/html") == (response.status, response.content_type)
        assert "Via" not in response.headers


async def test_who_waits_for_an_answer_when_the_server_closes_does_not_hold_it_up(
    place: Place, http: ClientSession
) -> None:
    async with serve(place.world) as server:
        server.faults.delay("GET /users/@me", 60)
        waiting = asyncio.create_task(http.get(f"{server.url}/users/@me"))
        await until(lambda: server._at_work)
        begun = asyncio.get_running_loop().time()

    assert asyncio.get_running_loop().time() - begun < SOON
    assert set() == server._at_work
    with pytest.raises(ClientConnectionError):
        await waiting


async def test_only_this_machine_can_reach_it(server: Server) -> None:
    assert all("//127.0.0.1:" in url for url in (server.url, server.gateway_url, server.cdn_url))


async def test_one_can_wait_until_something_has_happened(server: Server, place: Place) -> None:
    async def say_later() -> None:
        await asyncio.sleep(0.01)
        place.mia.says(place.general, "now")

    async with asyncio.TaskGroup() as group:
        group.create_task(say_later())
        message = await server.until(lambda: place.world.messages(place.general)[0])

    assert "now" == message["content"]


async def test_one_can_wait_for_what_no_event_tells(server: Server) -> None:
    results: list[str] = []
    looks: list[float] = []

    def look() -> list[str]:
        looks.append(loop.time())
        return results

    loop = asyncio.get_running_loop()
    with leaping():
        begun = loop.time()
        loop.call_later(3, results.append, "done")
        assert ["done"] == await server.until(look)

    assert 3 <= looks[-1] - begun < 3.3
    assert len(looks) < 60


async def test_in_vain_one_is_told_what_there_is(server: Server, place: Place) -> None:
    place.mia.says(place.general, "Hello?")

    with pytest.raises(TimeoutError) as caught:
        await server.until(lambda: place.world.messages(place.general)[1], within=0.02)

    assert str(caught.value).splitlines() == [
        "the condition did not hold within 0.02 seconds; this is what there is:",
        "#general:",
        "    Mia: Hello?",
        "(no bot is connected)",
    ]
    assert isinstance(caught.value.__cause__, IndexError)


async def test_a_condition_that_is_asynchronous_would_always_hold(server: Server) -> None:
    waiting = asyncio.get_running_loop().create_future()

    with pytest.raises(TypeError, match="plain function"):
        await server.until(lambda: waiting)


async def test_a_server_of_another_loop_says_so_at_once(server: Server) -> None:
    async def elsewhere() -> None:
        await server.until(lambda: True)

    with pytest.raises(RuntimeError, match="another event loop"):
        await asyncio.to_thread(asyncio.run, elsewhere())


async def test_afterwards_everything_is_as_before(place: Place) -> None:
    before = place.world.cdn
    async with serve(place.world) as server, calling(server) as phone:
        await phone.identify()
        during = place.world.cdn

    place.mia.says(place.general, "nobody listens any more")
    assert (server.cdn_url, before) == (during, place.world.cdn)
    with pytest.raises(OSError):  # noqa: PT011  # refused, in words of the system
        await asyncio.open_connection("127.0.0.1", int(server.url.split(":")[2].split("/")[0]))


async def test_the_addresses_of_discord_py_are_put_back(server: Server) -> None:
    def addresses() -> tuple[str, ...]:
        gateway = discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY
        return discord.http.Route.BASE, str(gateway), discord.Asset.BASE

    before = addresses()
    with suppress(ZeroDivisionError), server.discord_py():
        during = addresses()
        raise ZeroDivisionError

    assert (server.url, server.gateway_url, server.cdn_url) == during
    assert before == addresses()


async def test_a_client_of_discord_py_that_is_run_here_connects_here_and_nowhere_else() -> None:
    world = World()
    account, mia = world.add_bot(), world.add_person("Mia")
    world.add_guild("Home", owner=mia, members=[mia, account])
    before = discord.http.Route.BASE
    async with serve(world) as server:
        client = discord.Client(intents=discord.Intents.default(), guild_ready_timeout=0.05)
        async with server.running(client, account.token):
            assert ["Home"] == [guild.name for guild in client.guilds]
        assert before == discord.http.Route.BASE


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Host": "evil.example"},
        {"Host": "evil.example:80"},
    ],
    ids=["origin", "null", "cross-site", "another-port", "name", "name-and-port"],
)
async def test_no_page_in_a_browser_is_taken_for_a_bot(
    server: Server, http: ClientSession, headers: dict[str, str]
) -> None:
    async with http.get(f"{server.url}/users/@me", headers=headers) as response:
        assert 403 == response.status
    with pytest.raises(WSServerHandshakeError, match="403"):
        await http.ws_connect(server.gateway_url, headers=headers)
