"""Whatever a model, a tool, a name or a notice says, and whatever fails: nobody is called whom the roster does not know.

Every request that reached the simulated Discord is looked at, on every way that a text can take: the stream, a tool's
words, a notice, the last words after a stop, a file and what is said in its stead, what a message answers, a webhook
that was lost and made again, and a name that is put in front of a text because it cannot be shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pytest
from hypothesis import example, given, strategies as st
from looptime import new_event_loop

from cadenza.concurrency.stops import Stops
from cadenza.errors import DeliveryError
from cadenza.replies.reply import reply
from cadenza.settings import Settings, settings_fields
from cadenza.sim.permissions import INVITED, Permission
from cadenza.sim.wire import Json
from cadenza.targets.discord.target import DiscordTarget, ReplyTarget
from cadenza.types import Attachment, Identity, Line, Notice, Persona, Roster, Scene, StopReason, Urgency
from tests.actors import Actor, call, tool
from tests.discord_room import BOT_SENDS, WEBHOOK_SENDS, Room, post

CALLS = ("@everyone", "@here", "<@{mia}>", "<@!{mia}>", "<@{kai}>", "<@!{kai}>", "<@&{mods}>", "<@&{staff}>")
OTHERS = (
    "@mia", "@kai", "@mods", "@staff", "everyone", "<@", ">", "@", "`", "```\n", "\n", "\n\n", " ", "**", "||", "> ",
    "Hello. ", "Well, ", "Ren: ", "\u200b", "| a | b |\n|---|---|\n| <@{kai}> | @here |\n", "word " * 60, "x = 1\n" * 250,
)  # fmt: skip
TEXTS = st.lists(st.sampled_from([*CALLS, *CALLS, *OTHERS]), max_size=14).map("".join)
NAMES = st.lists(st.sampled_from([*CALLS, "Ren", "@mia", " "]), min_size=1, max_size=3).map("".join)
PLACES = ("channel", "thread", "direct")


@dataclass(frozen=True)
class Evening:
    """What happens in one example. In texts, ``{kai}`` and the like stand for ids."""

    text: str
    more: str = ""
    persona: str = ""
    place: str = "channel"
    may_webhook: bool = True
    answers: str = ""
    """Who is answered; nobody if there is no name."""
    stopped_after: float | None = None
    lost_webhook: int | None = None
    """After how many messages the webhook is gone."""
    lost_answers: int | None = None
    """Which answers of Discord are lost."""
    refused: int | None = None
    """After how many messages one is refused as it is, so that another form of it is tried."""
    code: int = 50035
    people: int = 10
    roles: bool = False
    degree: int = 1
    code_file: int = 0
    settings: Mapping[str, object] = field(default_factory=dict)
    """Further settings."""


EVENINGS = st.builds(
    Evening,
    text=TEXTS,
    more=TEXTS,
    persona=st.just("") | NAMES | NAMES,
    place=st.sampled_from(PLACES),
    may_webhook=st.sampled_from([True, True, False]),
    answers=st.just("") | NAMES,
    stopped_after=st.none() | st.sampled_from([0.05, 0.4, 2.0]),
    lost_webhook=st.none() | st.integers(0, 2),
    lost_answers=st.none() | st.integers(1, 3),
    refused=st.none() | st.integers(0, 2),
    code=st.sampled_from([50035, 40005, 50013, 160002, 99999]),
    people=st.integers(0, 2),
    roles=st.booleans(),
    degree=st.integers(0, 3),
    code_file=st.sampled_from([0, 500]),
)


class Stage:
    """A room with somebody and a role that the roster knows, and with others that it does not."""

    def __init__(self, evening: Evening) -> None:
        granted = INVITED | Permission.MENTION_EVERYONE  # so that nothing but what we send keeps a message from calling
        room = Room(granted=granted if evening.may_webhook else granted & ~Permission.MANAGE_WEBHOOKS)
        kai = room.world.add_person("Kai")
        room.guild.join(kai)
        mods, services = (room.world.add_role(room.guild, name, mentionable=True) for name in ("mods", "staff"))
        self.room, self.evening = room, evening
        self._ids = {"mia": room.mia.id, "kai": kai.id, "mods": mods, "staff": services}
        self.roster = Roster(mentions={"mia": room.mia.mention, "mods": f"<@&{mods}>", "kai": ""})
        self.users = {room.mia.id} if evening.people else set()
        self.roles = {mods} if evening.roles else set()
        match evening.place:
            case "thread":
                self.place = room.world.add_thread(room.channel, "aside")
            case "direct":
                self.place = room.world.open_direct(room.bot, room.mia)
            case _:
                self.place = room.channel
        self.question = room.mia.says(self.place, "Tea?")
        self._break()

    def filled(self, text: str) -> str:
        for name, id_ in self._ids.items():
            text = text.replace("{" + name + "}", id_)
        return text

    def _break(self) -> None:
        faults, evening = self.room.faults, self.evening
        if evening.lost_webhook is not None:
            faults.fail(WEBHOOK_SENDS, 404, 10015, after=evening.lost_webhook)
        if evening.lost_answers is not None:
            for match in (BOT_SENDS, WEBHOOK_SENDS):
                faults.lose(match, every=evening.lost_answers, times=6)
        if evening.refused is not None:
            fields = {"content": {"_errors": [{"code": "BASE_TYPE_MAX_LENGTH", "message": "no"}]}}
            for match in (BOT_SENDS, WEBHOOK_SENDS):
                faults.fail(match, 400, evening.code, fields=fields, after=evening.refused)

    def target(self) -> DiscordTarget:
        evening = self.evening
        name = self.filled(evening.persona)
        answered = ReplyTarget(self.question, self.filled(evening.answers)) if evening.answers else None
        return self.room.target(
            self.place,
            persona=Identity(name) if name.strip() else None,
            roster=self.roster,
            reply_target=answered,
        )

    async def play(self) -> None:
        """Let all of it happen."""
        evening, target = self.evening, self.target()
        text, more = self.filled(evening.text), self.filled(evening.more)
        actor = Actor([text, call()], [more[: len(more) // 2], 0.5, more[len(more) // 2 :]])
        scene = Scene(
            self.place,
            Persona(self.filled(evening.persona) or "Ren"),
            history=(Line("Mia", "Tea?"),),
            roster=self.roster,
            reply_to=self.question if evening.answers else None,
        )
        settings = Settings.of(
            degree=evening.degree,
            code_file=evening.code_file,
            mention_people=evening.people,
            mention_roles=evening.roles,
            **evening.settings,
        )
        with Stops().open("turn") as stop:
            if evening.stopped_after is not None:
                asyncio.get_running_loop().call_later(evening.stopped_after, stop.take, StopReason.USER, "")
            await reply(scene, actor.model, target, settings=settings, tools=[tool(more)], stop=stop)
        await self._say_besides(target, text, more)

    async def _say_besides(self, target: DiscordTarget, text: str, more: str) -> None:
        """What else is sent: notices in both forms, and files with what is said in their stead."""
        picture = replace(post(text, attachment=Attachment("table.png", b"\x89PNG")), source=more)
        for sending in (
            target.notify(Notice(text or more or "-")),
            target.notify(Notice(text or "-", Urgency.ERROR, title=more, tips=(text or "-", more or "-"))),
            target.send(picture),
            target.send(
                replace(picture, reply=self.question, identity=Identity(self.filled(CALLS[4]), sprite="happy"))
            ),
        ):
            try:
                await sending
            except DeliveryError:
                continue  # that is for others to look at

    def bodies(self) -> Iterator[Json]:
        """All that was asked to be said, whatever came of it."""
        for made in self.room.rest.calls:
            path, body = made.request.path, made.request.body
            is_making = path.endswith(("/typing", "/webhooks"))
            if made.request.method in ("POST", "PATCH") and not is_making and isinstance(body, dict):
                yield body


def played(evening: Evening) -> Stage:
    async def run() -> Stage:
        stage = Stage(evening)
        await stage.play()
        return stage

    with asyncio.Runner(loop_factory=partial(new_event_loop, noop_cycles=0)) as runner:
        return runner.run(run())


def listed(allowed: Json, kind: str) -> set[str]:
    return set(map(str, allowed.get(kind, [])))


def called(stage: Stage) -> tuple[set[str], set[str]]:
    """Whom messages called, people and roles; and that there were none that called everybody."""
    users, roles = set[str](), set[str]()
    for place in {stage.place, stage.room.channel}:
        for message in stage.room.messages(place):
            if message["author"].get("bot"):
                assert not message["mention_everyone"]
                users |= {str(user["id"]) for user in message["mentions"]}
                roles |= set(message["mention_roles"])
    return users, roles


@given(EVENINGS)
@example(
    Evening("<@{kai}> @everyone " * 9, "<@&{staff}> @here", persona="<@{kai}>", may_webhook=False, answers="@everyone")
)
@example(
    Evening("```py\n" + "x = '<@{kai}> @here'\n" * 90 + "```\n", persona="@here", code_file=500, refused=0, code=40005)
)
def test_nothing_that_is_sent_may_call_anybody_whom_the_roster_does_not_know(evening: Evening) -> None:
    stage = played(evening)
    for body in stage.bodies():
        allowed: dict[str, Any] = body["allowed_mentions"]
        assert {"parse", "users", "roles"} >= set(allowed)
        assert [] == allowed["parse"]
        assert listed(allowed, "users") <= stage.users
        assert listed(allowed, "roles") <= stage.roles
    users, roles = called(stage)
    assert users <= stage.users
    assert roles <= stage.roles


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("persona", ["", "Ren"])
def test_those_whom_it_knows_are_called(place: str, persona: str) -> None:
    stage = played(Evening("<@{mia}> and @mods, <@{kai}> and <@&{staff}>.", persona=persona, place=place, roles=True))
    users, _ = called(stage)
    assert stage.users == users
    assert stage.roles == set().union(*(listed(body["allowed_mentions"], "roles") for body in stage.bodies()))


@pytest.mark.parametrize("is_on", [True, False], ids=["everything on", "everything off"])
def test_no_setting_lets_a_reply_call_everybody(is_on: bool) -> None:  # noqa: FBT001  # a table
    switches = {spec.name: is_on for _, spec in settings_fields() if spec.metadata["kind"] is bool}
    roles = bool(switches.pop("mention_roles"))
    stage = played(Evening("@everyone, @here, <@{mia}>!", people=100, roles=roles, settings=switches))
    assert ({stage.room.mia.id}, set()) == called(stage)
    assert stage.room.texts(), "nothing was said"
