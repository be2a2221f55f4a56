"""The server behind the page, over real HTTP on loopback, with the real bot: talk, commands, changes, refusals."""

from __future__ import annotations

import asyncio
import base64
import io
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from yarl import URL

from cadenza.bot.demo_server import DemoServer
from cadenza.play.films.film import Film, packed
from cadenza.play.films.urls import Paths
from cadenza.play.server import actions
from cadenza.play.server.request_types import SayBody
from cadenza.settings import Settings
from cadenza.sim.objects import MessageFlag
from cadenza.sim.wire import Json
from tests.play.films.told import unpacked
from tests.play.server.playing import HEADERS, Play, playing

pytestmark = pytest.mark.asyncio(loop_scope="module")
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def play() -> AsyncIterator[Play]:
    async with playing() as found:
        yield found


async def _records(play: Play, start: int) -> list[Json]:
    """All that has happened since record *start*."""
    last, found = play.live.reel.last, list[Json]()
    async with play.events(f"?from={start + 1}") as events:
        async for id_, record in events:
            if id_:
                found.append(record)
            if id_ == str(last):
                return found
    raise AssertionError(found)


async def _answer_to(play: Play, interaction: str) -> Json:
    """The message with which the bot answers an interaction."""

    def found() -> list[Json]:
        return [
            one
            for one in play.world.messages(play.general)
            if one.get("interaction", {}).get("id") == interaction and not one["flags"] & MessageFlag.LOADING
        ]

    await play.until(found)
    return found()[0]


async def test_what_is_said_is_answered_and_everything_is_told_in_order(play: Play) -> None:
    start = play.live.reel.last

    assert ["Hello!", "You said: Good evening"] == (await play.answered("Good evening"))[:2]

    records = await _records(play, start)
    kinds = [record["kind"] for record in records]
    said = [record["message"]["content"] for record in records if record["kind"] == "message"]
    assert "Good evening" == said[0]
    assert "Hello!" == said[1]
    assert {"message", "fact", "tokens", "call", "story"} <= set(kinds)
    assert kinds.index("message") < kinds.index("tokens") < kinds.index("story")
    assert [record["at"] for record in records] == sorted(record["at"] for record in records)


async def test_limits_make_messages_go_together(play: Play) -> None:
    limits = (await play.post("/api/discord", {"limits": {"messages": 1, "seconds": 0.5}}))["discord"]["limits"]
    assert {"messages": 1, "seconds": 0.5} == limits

    said = await play.answered("Talk about tea, I will interrupt you")

    assert 1 <= len(said) < 8
    assert (await play.post("/api/discord", {"limits": None}))["discord"]["limits"] is None
    await play.answered("Good evening")  # with its headers the bot learns that there is no limit any more


async def test_the_state_tells_who_and_what_there_is(play: Play) -> None:
    state = await play.get("/api/state")

    assert ["You", "Mia", "Jo"] == [person["name"] for person in state["people"]]
    assert [True, False, False] == [person["is_me"] for person in state["people"]]
    assert ["general", "stargazers", "workshop", "Cadenza"] == [channel["name"] for channel in state["channels"]]
    assert "direct" == state["channels"][-1]["sort"]
    assert {"stop", "persona create"} <= {command["name"] for command in state["commands"]}
    assert "Explain" in state["menus"]
    assert "guide" == state["models"]["now"]
    assert {"en", "ja"} == set(state["suggestions"][0])
    assert {"limits", "latency", "faults"} == set(state["discord"])
    assert play.live.session == state["session"]


async def test_others_speak_too_and_everybody_answers_everywhere(play: Play) -> None:
    mia = play.play_world.people[1]
    gazers, direct = play.play_world.stargazers, play.play_world.channels[-1].id
    before, answers = len(play.world.messages(gazers)), len(play.answers(direct))

    await play.post("/api/say", {"channel": gazers, "text": "Smile!", "who": mia.id})
    await play.post("/api/say", {"channel": direct, "text": "Call everyone together"})
    await play.until(lambda: len(play.world.messages(gazers)) > before + 1 and len(play.answers(direct)) > answers + 1)

    said, answer, *_ = play.world.messages(gazers)[before:]
    assert mia.id == said["author"]["id"]
    assert "Ren" == answer["author"]["username"]
    assert "@everyone, come here!" == play.answers(direct)[answers]
    await play.quiet(gazers)
    await play.quiet(direct)


async def test_a_command_is_used_as_the_terminal_chat_does_it(play: Play) -> None:
    interaction = (await play.say("/status"))["interaction"]

    assert "status" == (await _answer_to(play, interaction))["interaction"]["name"]
    assert (
        "there is no command /nothing"
        in (await play.post("/api/say", {"channel": play.general, "text": "/nothing"}, status=400))["error"]
    )


async def test_two_slashes_say_one(play: Play) -> None:
    before = len(play.world.messages(play.general))
    await play.answered("//shrug")  # the next test must not meet its answer

    assert "/shrug" == play.world.messages(play.general)[before]["content"]


async def test_a_form_is_shown_filled_in_and_sent(play: Play) -> None:
    made = (await play.say("/persona create name:Nova prompt:A bright star."))["interaction"]
    await play.until(lambda: play.world.is_answered(made))
    await _answer_to(play, made)
    start = play.live.reel.last
    interaction = (await play.say("/persona edit name:Nova"))["interaction"]
    await play.until(lambda: play.world.is_answered(interaction))

    forms = [record for record in await _records(play, start) if record["kind"] == "form"]
    fields = forms[0]["form"]["fields"]
    assert interaction == forms[0]["interaction"]
    values = {fields[0]["id"]: "A very bright star."}
    sent = await play.post("/api/act", {"act": "submit", "interaction": interaction, "values": values})

    await play.until(lambda: play.world.is_answered(sent["interaction"]))
    shown = await _answer_to(play, (await play.say("/persona show name:Nova"))["interaction"])
    assert "A very bright star." in str(shown)


async def test_options_are_suggested(play: Play) -> None:
    wanted = {"act": "suggest", "channel": play.general, "command": "persona show", "option": "name", "text": "re"}

    found = await play.post("/api/act", wanted)

    assert ["Ren"] == [one["value"] for one in found["suggestions"]]


async def test_a_button_is_pressed(play: Play) -> None:
    await play.answered("Put the planets into a table")
    message = next(one for one in reversed(play.world.messages(play.general)) if one["components"])
    component = message["components"][0]["components"][0]["custom_id"]

    pressed = await play.post(
        "/api/act", {"act": "press", "channel": play.general, "id": message["id"], "component": component}
    )

    await play.until(lambda: play.world.is_answered(pressed["interaction"]))
    await play.until(lambda: "| planet |" in play.world.messages(play.general)[-1]["content"])


async def test_a_menu_of_a_message_explains_it(play: Play) -> None:
    await play.answered("Call everyone together")
    message = play.world.messages(play.general)[-1]

    used = await play.post("/api/act", {"act": "menu", "channel": play.general, "id": message["id"], "name": "Explain"})

    await play.until(lambda: play.world.is_answered(used["interaction"]))


async def test_messages_are_changed_taken_back_and_reacted_to(play: Play) -> None:
    jo = play.play_world.people[2]
    place = {"channel": play.general, "id": (await play.say("Helo", who=jo.id))["id"]}

    def now() -> Json:
        return play.world.get_message(play.play_world.me.id, place["channel"], place["id"])

    await play.post("/api/act", {"act": "edit", **place, "text": "Hello, @Mia"})
    assert f"Hello, {play.play_world.people[1].mention}" == now()["content"]
    await play.post("/api/act", {"act": "react", **place, "emoji": "👋"})
    assert 1 == now()["reactions"][0]["count"]
    await play.post("/api/act", {"act": "unreact", **place, "emoji": "👋"})
    assert not now().get("reactions")
    await play.post("/api/act", {"act": "type", "channel": play.general, "who": jo.id})
    await play.post("/api/act", {"act": "delete", **place})
    assert place["id"] not in {one["id"] for one in play.world.messages(play.general)}
    await play.quiet()


async def test_what_discord_refuses_is_said(play: Play) -> None:
    await play.answered("Good evening")
    theirs = play.world.messages(play.general)[-1]["id"]

    told = await play.post("/api/act", {"act": "edit", "channel": play.general, "id": theirs, "text": "no"}, status=400)

    assert told["error"].startswith("Discord refuses that: ")


async def test_a_picture_is_shown_and_everything_else_can_only_be_saved(play: Play) -> None:
    files = [("a.png", PNG), ("page.html", b"<script>alert(1)</script>"), ("x.svg", b"<svg onload=alert(1)>")]
    uploads = [{"name": name, "data": base64.b64encode(data).decode()} for name, data in files]

    id_ = (await play.say("look", files=uploads))["id"]

    sent = play.world.get_message(play.play_world.me.id, play.general, id_)["attachments"]
    found = []
    for attachment in sent:
        async with play.http.get(f"{play.url}/files/{attachment['id']}/{attachment['filename']}") as response:
            assert 200 == response.status
            found.append((response.content_type, "Content-Disposition" in response.headers, await response.read()))
    saved = "application/octet-stream"
    assert [("image/png", False, PNG), (saved, True, files[1][1]), (saved, True, files[2][1])] == found
    await play.quiet()


async def test_a_face_is_a_picture(play: Play) -> None:
    await play.post("/api/say", {"channel": play.play_world.stargazers, "text": "Good evening"})
    await play.until(lambda: play.answers(play.play_world.stargazers))
    await play.quiet(play.play_world.stargazers)
    author = play.world.messages(play.play_world.stargazers)[-1]["author"]

    async with play.http.get(f"{play.url}{Paths(play.world).avatar(author)}") as response:
        assert ("image/png", 200) == (response.content_type, response.status)
    async with play.http.get(f"{play.url}/avatars/nobody") as response:
        assert 404 == response.status


async def test_settings_take_hold_and_can_be_put_back(play: Play) -> None:
    await play.post("/api/settings", {"values": {"shape": "reply"}})
    told = {one["name"]: one for one in (await play.get("/api/state"))["settings"]}
    before = Settings().delivery.manner.shape
    expected = ("reply", before, "choice", True)
    assert expected == tuple(told["shape"][name] for name in ("value", "default", "kind", "is_main"))

    assert 1 == len(await play.answered("Good evening"))

    await play.post("/api/settings", {"values": {"degree": 1}})
    assert 3 == len(await play.answered("Good evening"))
    told = {one["name"]: one for one in (await play.post("/api/settings", {"reset": True}))["settings"]}
    assert all(one["value"] == one["default"] for one in told.values())
    play.hurry()


async def test_whom_a_reply_calls_is_as_the_settings_say(play: Play) -> None:
    mia = play.play_world.people[1].id
    called = []
    for values in ({"mention_people": 10, "mention_roles": False}, {"mention_people": 0, "mention_roles": True}):
        await play.post("/api/settings", {"values": values})
        count = len(await play.answered("Call Mia and the crew"))
        first = play.world.messages(play.general)[-count]
        called.append(([user["id"] for user in first["mentions"]], len(first["mention_roles"])))

    assert [([mia], 0), ([], 1)] == called
    await play.post("/api/settings", {"values": {"mention_people": 10, "mention_roles": False}})


async def test_settings_of_who_waits_for_whom_take_hold_too(play: Play) -> None:
    await play.post("/api/settings", {"values": {"debounce": 0.5}})
    before = len(play.answers())

    for text in ("One more thing", "Good evening"):  # both at once, so that the first has no time to be answered
        actions.say(play.live, SayBody(play.general, text))
    await play.until(lambda: len(play.answers()) >= before + 3)
    await play.quiet()

    assert ["Hello!", "You said: Good evening"] == play.answers()[before : before + 2]
    await play.post("/api/settings", {"values": {"debounce": 0.0}})


async def test_no_setting_can_hold_a_secret_or_a_file(play: Play) -> None:
    names = {one["name"] for one in (await play.get("/api/state"))["settings"]}

    assert names.isdisjoint({"proxy", "headers", "table_fonts", "private_addresses"})


async def test_a_fault_strikes_and_what_is_said_arrives_all_the_same(play: Play) -> None:
    body = {"fault": {"what": "broken", "times": 1}}
    discord = (await play.post("/api/discord", body))["discord"]
    assert ["broken"] == [one["what"] for one in discord["faults"]]

    assert "Hello!" == (await play.answered("Good evening"))[0]

    assert [] == (await play.get("/api/state"))["discord"]["faults"]
    assert None in {call.status for call in play.live.server.rest.calls}


async def test_a_connection_that_is_cut_comes_back(play: Play) -> None:
    await play.post("/api/discord", {"fault": {"what": "disconnect"}})

    assert (await play.answered("Good evening"))[0].startswith("Hello!")


async def test_webhooks_that_are_gone_are_made_anew(play: Play) -> None:
    gazers = play.play_world.stargazers
    await play.post("/api/discord", {"fault": {"what": "webhook_gone"}})
    before = len(play.answers(gazers))

    await play.post("/api/say", {"channel": gazers, "text": "Good evening"})

    await play.until(lambda: len(play.answers(gazers)) > before)
    await play.quiet(gazers)
    assert "Ren" == play.world.messages(gazers)[-1]["author"]["username"]


async def test_each_page_is_answered_in_its_own_language(play: Play) -> None:
    """Two may be open; the world has the language that was chosen last."""
    for tags, words in {
        "ja": "そのアドレスには何もありません",
        "en": "there is nothing at that address",
        "ja-JP,ja;q=0.9,en;q=0.8": "そのアドレスには何もありません",
        "fr, *": "there is nothing at that address",
    }.items():
        async with play.http.get(f"{play.url}/api/nowhere", headers={"Accept-Language": tags}) as response:
            assert words in (await response.json())["error"]
    async with play.http.get(f"{play.url}/api/state", headers={"Accept-Language": "ja"}) as response:
        state = await response.json()
    assert "en" == state["language"]
    assert any(character >= "ぁ" for command in state["commands"] for character in command["about"])


async def test_everything_is_slower_with_a_latency(play: Play) -> None:
    assert 0.05 == (await play.post("/api/discord", {"latency": 0.05}))["discord"]["latency"]
    assert (await play.answered("Good evening"))[0].startswith("Hello!")
    assert 0.0 == (await play.post("/api/discord", {"latency": 0.0, "clear": True}))["discord"]["latency"]


async def test_the_language_is_that_of_the_bot_too(play: Play) -> None:
    await play.post("/api/language", {"language": "ja"})
    state = await play.get("/api/state")
    about = {command["name"]: command["about"] for command in state["commands"]}

    answer = await _answer_to(play, (await play.say("/status"))["interaction"])

    assert "ja" == state["language"]
    assert any(character >= "ぁ" for character in about["stop"])
    assert any(character >= "ぁ" for character in str(answer["embeds"]) + answer["content"])
    await play.post("/api/language", {"language": "en"})


async def test_only_a_model_on_offer_can_be_chosen(play: Play) -> None:
    assert "guide" == (await play.post("/api/model", {"name": "guide"}))["models"]["now"]
    told = await play.post("/api/model", {"name": "openai:gpt-5.1"}, status=400)
    assert told["error"].startswith("that model is not on offer here")


async def test_a_page_comes_again_where_it_was(play: Play) -> None:
    await play.answered("Good evening")
    last = play.live.reel.last

    async with play.events("", **{"Last-Event-ID": str(last - 2)}) as events:
        greeting = await anext(events)
        again = [await anext(events), await anext(events)]

    assert ("", play.live.session) == (greeting[0], greeting[1]["session"])
    assert [str(last - 1), str(last)] == [id_ for id_, _ in again]


async def test_many_pages_hear_the_same(play: Play) -> None:
    async def heard() -> str:
        async with play.events(f"?from={play.live.reel.last + 1}") as events:
            await anext(events)
            is_listening.release()
            async for _, record in events:
                if record["kind"] == "message":
                    return str(record["message"]["content"])
        raise AssertionError

    is_listening = asyncio.Semaphore(0)
    pages = [asyncio.create_task(heard()) for _ in range(5)]
    for _ in pages:
        await is_listening.acquire()

    await play.say("Good evening")

    assert ["Good evening"] * 5 == await asyncio.gather(*pages)
    await play.quiet()


async def test_a_rehearsal_gives_back_its_films(play: Play) -> None:
    sides: list[Json] = [{"settings": {"degree": 1}}, {"is_usual": True, "limits": None, "stop_at": 9.0}]
    body: Json = {"text": "Hello there.\nHow are you?", "rate": 50, "sides": sides, "asked": "Hello"}

    made = await play.post("/api/rehearse", body)

    assert 2 == len(made["films"])
    said = [one.about["message"]["content"] for one in unpacked(made["films"][0]).of_kind("message")]
    assert ["Hello", "Hello there.", "How are you?"] == said


async def test_a_story_of_the_tour_is_told(play: Play) -> None:
    first = (await play.get("/api/state"))["stories"][0]

    story = await play.get(f"/api/stories/{first['id']}")

    assert first["title"] == story["title"]
    assert len(story["films"]) == len(story["labels"])


async def test_films_are_shared_as_a_page_to_be_saved(play: Play) -> None:
    body = {"films": [packed(Film(()))], "labels": [], "title": "A film"}

    async with play.http.post(f"{play.url}/api/share", json=body, headers=HEADERS) as response:
        assert (200, "text/html") == (response.status, response.content_type)
        assert response.headers["Content-Disposition"].startswith("attachment")
        assert "A film" in await response.text()


BODIES: dict[str, tuple[str, Any]] = {
    "no JSON": ("/api/say", b"{"),
    "not UTF-8": ("/api/say", b'{"channel": "1", "text": "\xff"}'),
    "half a character": ("/api/say", b'{"channel": "1", "text": "\\ud800"}'),
    "deep": ("/api/settings", b'{"values": ' + b"[" * 100_000),
    "an unknown field": ("/api/say", {"channel": "1", "text": "x", "more": 1}),
    "a wrong type": ("/api/say", {"channel": 1, "text": "x"}),
    "something missing": ("/api/say", {"channel": "1"}),
    "no such channel": ("/api/say", {"channel": "1", "text": "x"}),
    "a stranger": ("/api/say", {"channel": "GENERAL", "text": "x", "who": "1"}),
    "nothing to say": ("/api/say", {"channel": "GENERAL", "text": " "}),
    "too long": ("/api/say", {"channel": "GENERAL", "text": "x" * 2001}),
    "not base64": ("/api/say", {"channel": "GENERAL", "text": "x", "files": [{"name": "a", "data": "?"}]}),
    "a file for a command without": (
        "/api/say",
        {"channel": "GENERAL", "text": "/status", "files": [{"name": "a", "data": ""}]},
    ),
    "no such act": ("/api/act", {"act": "shout", "channel": "GENERAL"}),
    "no such message": ("/api/act", {"act": "delete", "channel": "GENERAL", "id": "1"}),
    "no such form": ("/api/act", {"act": "submit", "interaction": "1", "values": {}}),
    "no such command": ("/api/act", {"act": "menu", "channel": "GENERAL", "id": "1", "name": "x"}),
    "no such setting": ("/api/settings", {"values": {"degre": 1}}),
    "a setting of elsewhere": ("/api/settings", {"values": {"proxy": "http://127.0.0.1"}}),
    "a wrong setting": ("/api/settings", {"values": {"degree": 9}}),
    "no such fault": ("/api/discord", {"fault": {"what": "earthquake"}}),
    "no such limit": ("/api/discord", {"limits": {"messages": 0, "seconds": 1}}),
    "no such language": ("/api/language", {"language": "xx"}),
    "too much for nothing": ("/api/reset", {"all": True}),
    "no side": ("/api/rehearse", {"text": "x", "rate": 1, "sides": []}),
    "a side with a wrong setting": ("/api/rehearse", {"text": "x", "rate": 1, "sides": [{"settings": {"x": 1}}]}),
    "no rate": ("/api/rehearse", {"text": "x", "rate": 0, "sides": [{}]}),
    "no film": ("/api/share", {"films": []}),
    "a film that is not packed": ("/api/share", {"films": ["<b>"]}),
}


@pytest.mark.parametrize(("path", "body"), BODIES.values(), ids=BODIES)
async def test_what_is_not_right_is_refused_with_a_sentence(play: Play, path: str, body: Any) -> None:
    if isinstance(body, dict) and body.get("channel") == "GENERAL":
        body = {**body, "channel": play.general}
    how: dict[str, Any] = {"data": body} if isinstance(body, bytes) else {"json": body}
    headers = {**HEADERS, "Content-Type": "application/json"}

    async with play.http.post(f"{play.url}{path}", headers=headers, **how) as response:
        told = (await response.json())["error"]

    assert 400 == response.status
    assert "\n" not in told
    assert "Traceback" not in told


REFUSALS: dict[str, tuple[str, str, dict[str, str], int]] = {
    "a foreign name": ("GET", "/api/state", {"Host": "evil.example"}, 403),
    "a name that leads here": ("GET", "/", {"Host": "rebound.example:80"}, 403),
    "another port": ("GET", "/api/state", {"Host": "127.0.0.1:1"}, 403),
    "another page": ("GET", "/api/state", {"Origin": "http://evil.example"}, 403),
    "a page of nowhere": ("GET", "/api/state", {"Origin": "null"}, 403),
    "another page that listens": ("GET", "/api/events", {"Sec-Fetch-Site": "cross-site"}, 403),
    "another page of this machine": ("GET", "/api/state", {"Sec-Fetch-Site": "same-site"}, 403),
    "somebody who types an address of ours": ("GET", "/api/state", {"Sec-Fetch-Site": "none"}, 403),
    "another page that shows ours": ("GET", "/", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
    "a picture in another page": ("GET", "/page/base.css", {"Sec-Fetch-Site": "cross-site"}, 403),
    "a form of another page": ("POST", "/api/reset", {"Content-Type": "text/plain"}, 403),
    "no header": ("POST", "/api/reset", {"Content-Type": "application/json"}, 403),
    "no JSON": ("POST", "/api/reset", {**HEADERS, "Content-Type": "text/plain"}, 403),
    "no such address": ("GET", "/api/nothing", {}, 404),
    "no such asset": ("GET", "/page/secret.txt", {}, 404),
    "a way out": ("GET", "/page/..%2f__init__.py", {}, 404),
    "no such file": ("GET", "/files/1/a.png", {}, 404),
    "no such story": ("GET", "/api/stories/none", {}, 404),
    "a wrong place": ("GET", "/api/events?from=x", {}, 400),
    "a wrong method": ("DELETE", "/api/reset", {**HEADERS, "Content-Type": "application/json"}, 405),
}


@pytest.mark.parametrize(("method", "path", "headers", "status"), REFUSALS.values(), ids=REFUSALS)
async def test_who_has_no_business_here_is_refused(
    play: Play, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    session = play.live.session
    address = URL(play.url + path, encoded=True)  # so that nothing of it is tidied

    async with play.http.request(method, address, headers=headers) as response:
        told = await response.json()

    assert status == response.status
    assert ["error"] == list(told)
    assert "nosniff" == response.headers["X-Content-Type-Options"]
    assert session == (await play.playground.live()).session


OPENED: dict[str, dict[str, str]] = {
    "typed": {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"},
    "by a link": {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
    "from itself": {"Sec-Fetch-Site": "same-origin"},
}


@pytest.mark.parametrize("headers", OPENED.values(), ids=OPENED)
async def test_the_page_opens_and_lets_nothing_foreign_in(play: Play, headers: dict[str, str]) -> None:
    async with play.http.get(f"{play.url}/", headers=headers) as response:
        assert (200, "text/html") == (response.status, response.content_type)
        policy = response.headers["Content-Security-Policy"]

    assert policy.startswith("default-src 'none'; script-src 'self' 'sha256-")
    assert "unsafe" not in policy
    assert ("no-referrer", "same-origin", "same-origin") == tuple(
        response.headers[name]
        for name in ("Referrer-Policy", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy")
    )


@pytest.mark.parametrize("path", ["/", "/page/app.js", "/page/base.css"])
async def test_a_page_that_is_opened_again_loads_only_what_has_changed(play: Play, path: str) -> None:
    async with play.http.get(f"{play.url}{path}") as response:
        tag = response.headers["ETag"]
        assert (200, "no-cache") == (response.status, response.headers["Cache-Control"])

    for known in (tag, f"W/{tag}", f'"of-an-older-version", {tag}'):
        async with play.http.get(f"{play.url}{path}", headers={"If-None-Match": known}) as response:
            assert (304, b"") == (response.status, await response.read())
            assert (tag, "no-cache") == (response.headers["ETag"], response.headers["Cache-Control"])

    for unknown in ('"of-an-older-version"', "no tag at all", ""):
        async with play.http.get(f"{play.url}{path}", headers={"If-None-Match": unknown}) as response:
            assert (200, tag) == (response.status, response.headers["ETag"])
            assert await response.read()


async def test_what_is_said_and_who_is_there_is_kept_by_no_browser(play: Play) -> None:
    async with play.http.get(f"{play.url}/api/state") as response:
        assert ("no-store", None) == (response.headers["Cache-Control"], response.headers.get("ETag"))


async def test_a_body_that_is_too_large_is_refused(play: Play) -> None:
    body: Json = {"text": "x" * (13 << 20), "rate": 1, "sides": [{}]}

    how: Json = {
        "data": io.BytesIO(json.dumps(body).encode()),
        "headers": {**HEADERS, "Content-Type": "application/json"},
    }
    async with play.http.post(f"{play.url}/api/rehearse", **how) as response:
        assert 413 == response.status
        assert "that is too large; a request may have 12 MB" == (await response.json())["error"]


async def test_films_that_are_shared_may_be_larger_than_what_they_are_made_of(play: Play) -> None:
    body = json.dumps({"films": ["A" * (13 << 20)]}).encode()

    headers = {**HEADERS, "Content-Type": "application/json"}
    async with play.http.post(f"{play.url}/api/share", data=io.BytesIO(body), headers=headers) as response:
        assert 200 == response.status


async def test_a_request_that_fails_is_refused_in_a_sentence_and_logged_with_its_traceback(
    play: Play, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> Json:
        msg = "what was said"
        raise RuntimeError(msg)

    monkeypatch.setattr(actions, "say", broken)
    body = {"channel": "1", "text": "Hello"}
    async with play.http.post(f"{play.url}/api/say", json=body, headers=HEADERS) as response:
        assert 500 == response.status
        assert "something went wrong inside (RuntimeError); the log may tell more" == (await response.json())["error"]

    [logged] = [one for one in caplog.records if one.name == "cadenza.play.server.site"]
    assert (logged.exc_text or "").endswith("RuntimeError")
    assert "what was said" not in logged.getMessage()


async def test_a_body_that_does_not_come_is_not_waited_for(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cadenza.play.server.site.SLOWEST", 0.05)
    never = asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield b"{"
        await never.wait()

    headers = {**HEADERS, "Content-Type": "application/json"}
    async with play.http.post(f"{play.url}/api/reset", data=slow(), headers=headers) as response:
        assert 408 == response.status
        assert "took too long" in (await response.json())["error"]
    never.set()


async def test_no_page_can_be_the_bot(play: Play) -> None:
    assert len(play.play_world.demo_server.token) >= 32
    assert play.play_world.demo_server.token != DemoServer("You").token


async def test_a_new_world_begins_and_pages_are_told(play: Play) -> None:
    old = play.live
    async with play.events(f"?from={old.reel.last + 1}") as events:
        await anext(events)
        await play.post("/api/reset", {})
        assert [] == [record async for _, record in events if record["kind"] == "message"]

    await play.renew()

    assert old.session != play.live.session
    assert [] == play.answers()
    play.hurry()
    assert "Hello!" == (await play.answered("Good evening"))[0]


async def test_what_is_refused_is_said_in_the_language_of_the_page(play: Play) -> None:
    wanted = {"text": "Hi", "rate": 50, "sides": [{"settings": {"limit": "a"}}]}
    asked: list[tuple[str, Json, str, str]] = [
        ("/api/say", {"channel": "1", "text": "Hi"}, "Unknown Channel", "不明なチャンネル"),
        ("/api/say", {"channel": "1", "text": ""}, "there is nothing to say", "送るものがありません"),
        ("/api/act", {"act": "submit", "interaction": "1", "values": {}}, "no interaction 1", "操作 1 はありません"),
        ("/api/model", {"name": "nobody"}, "not on offer", "そのモデルはここでは選べません"),
        ("/api/model", {}, "not valid: Object", "リクエストの形が正しくありません：Object"),
        ("/api/rehearse", wanted, "the setting 'limit' must be", "設定 'limit' の値は"),
        ("/api/rehearse", {**wanted, "answer": 2, "sides": [{}]}, "there is no answer 2", "2 番目の返答はありません"),
        ("/api/nowhere", {}, "there is nothing at that address", "そのアドレスには何もありません"),
    ]
    for language in ("ja", "en"):
        await play.post("/api/language", {"language": language})
        for path, body, english, japanese in asked:
            async with play.http.post(f"{play.url}{path}", json=body, headers=HEADERS) as response:
                assert response.status in (400, 404)
                assert (english if language == "en" else japanese) in (await response.json())["error"]
        async with play.http.post(f"{play.url}/api/reset", json={}) as response:
            assert ("the header" if language == "en" else "ヘッダー") in (await response.json())["error"]
