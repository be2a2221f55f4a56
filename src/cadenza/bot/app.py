"""The bot: what Discord tells of goes to the desk, and what people can do about a reply is done.

Only what has to be wired together stands here. Who is answered is decided in ``admission``, how in ``answering``.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine
from dataclasses import replace
from itertools import count
from typing import Any

import discord
from discord.ext import commands

from ..concurrency.tasks import must_rise
from ..stages.s7_delivery import receipt_of
from ..targets.discord_py.channel_info import parent_of, room_of
from ..targets.discord_py.client_state import Home
from ..turns import Dropped, IncomingMessage, ShutdownResult, StopResult, Turn, Turns, Verdict
from ..types import Identity, Notice, Receipt, Reply, Urgency
from .admission import Admission, user_of
from .answering import Answering, language_for
from .authorship import is_ours
from .cascades import Cascades
from .characters.cast import named
from .commands.context import Desk
from .commands.register import register
from .config.config import Config
from .markdown_button import listen
from .recovery import Fate, fate_of, mark, parts_of, words_of
from .reply_controls import Asker, ControlRefused
from .reply_request import Greeting, ReplyRequest
from .services.journal import JournalEntry
from .services.languages import translated
from .services.own_messages import OwnMessage, OwnMessages
from .services.quotas import Excess
from .store.webhook_store import StoredWebhooks
from .wiring import BotServices

logger = logging.getLogger(__name__)

STOP, AGAIN, MORE = "⏹", "🔁", "▶"
"""Reactions that do what a command does; Discord puts a variation selector behind some of them."""
_VARIATION = "\ufe0f"
_EXCESSES = {
    Excess.USER_ACTIVE: "Several of your messages are being answered already; I did not take this one.",
    Excess.SERVER_ACTIVE: "Too many messages are being answered in this server at the moment; try again in a minute.",
    Excess.USER_PER_HOUR: "You have asked as much as one may in an hour; try again later.",
    Excess.USER_PER_DAY: "You have asked as much as one may in a day; try again tomorrow.",
    Excess.SERVER_PER_HOUR: "This server has asked as much as it may in an hour; try again later.",
    Excess.SERVER_PER_DAY: "This server has asked as much as it may in a day; try again tomorrow.",
    Excess.SERVER_TOKENS: "This server has used up its words for today; try again tomorrow.",
}


def _status(config: Config) -> discord.CustomActivity | None:
    return discord.CustomActivity(config.discord.status) if config.discord.status else None


class CadenzaBot(commands.Bot):
    """A client of discord.py that is a bot of ours; it fulfils ``Control``. Start it as any client.

    ``wind_down`` ends it gracefully; to close it without that ends what is being said at once.
    """

    def __init__(self, staff: BotServices, *, intents: discord.Intents, **options: Any) -> None:
        config = staff.config.now
        super().__init__(
            commands.when_mentioned,
            intents=intents,
            help_command=None,
            allowed_mentions=discord.AllowedMentions.none(),
            activity=_status(config),
            **options,
        )
        self.staff = staff
        self.own = OwnMessages(staff.store)
        self.home = Home.of(self, StoredWebhooks(staff.store, staff.seal, server_of=self._server_of))
        self.turns = Turns(
            self._answer,
            settings=config.settings,
            names=self._names,
            on_dropped=self._dropped,
            on_failed=self._failed,
        )
        self._admission = Admission(staff, self.own, self.turns, client=self, warn=self._warn)
        self._cascades = Cascades(staff, self._admission)
        self._answering = Answering(
            staff,
            self.own,
            self._admission,
            self,
            self.home,
            tell=self._tell,
            afterwards=self._cascades.follow,
            beside=self._do,
        )
        for forget in (self.own.forget_person, self._admission.forget):
            staff.memory.privacy.listen(forget)
        self._chores: set[asyncio.Task[None]] = set()
        self._numbers = count(time.time_ns())
        self._has_recovered = False
        self._is_winding_down = False
        self._has_ended = False
        staff.config.listen(self._follow)

    def _follow(self, before: Config, after: Config) -> None:
        """Take over what Discord has to be told of a new configuration."""
        if before.discord.status == after.discord.status:
            return
        self.activity = _status(after)  # for when it connects again
        if self.is_ready() and not self._is_winding_down:
            self._do(self.change_presence(activity=_status(after)))

    def _server_of(self, channel: str) -> str:
        """The id of the server of a channel; empty if it is of none, or not known."""
        place = self.get_channel(int(channel)) if channel.isdecimal() else None
        return str(place.guild.id) if isinstance(place, discord.abc.GuildChannel | discord.Thread) else ""

    # --- beginning and end --------------------------------------------------------------------

    async def setup_hook(self) -> None:
        """Register the commands; called by discord.py once it is logged in."""
        listen(self, self.staff.explanations)
        await register(self.tree, Desk(self.staff, self, self))

    async def on_ready(self) -> None:
        """The gateway has told all there is; what a process before us left is seen to."""
        if not self._has_recovered:
            self._has_recovered = True
            self._do(self._recover())

    async def wind_down(self) -> ShutdownResult:
        """Answer nobody any more, let replies end for a while, and close."""
        self._is_winding_down = True
        closing = await self.turns.close()
        await self._end_chores()
        await self.home.close()
        await self.home.preparer.close()
        self._has_ended = True
        await self.close()
        return closing

    async def close(self) -> None:
        """Close at once; what is being said is broken off, unless it was wound down before."""
        self._is_winding_down = True
        if not self._has_ended:
            self._has_ended = True
            ending = asyncio.create_task(self.turns.close(), name="cadenza end")
            await asyncio.sleep(0)  # it begins, and waits for nobody
            ending.cancel()
            await asyncio.wait([ending])
            await self._end_chores(within=0.0)
        await super().close()

    async def _end_chores(self, within: float = 5.0) -> None:
        if self._chores:
            _, late = await asyncio.wait(self._chores, timeout=within)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=within or 1.0)

    # --- what happens ---------------------------------------------------------------------------

    async def on_message(self, message: discord.Message, /) -> None:
        """Somebody has written something."""
        if is_ours(message) or self._is_winding_down:
            return
        await self._admission.hear(message)

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        """A message was changed, or Discord has unfolded a link in it."""
        await self._admission.edited(payload.message)

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """A message is gone."""
        self._gone(payload.channel_id, {payload.message_id})

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        """Many messages are gone."""
        self._gone(payload.channel_id, payload.message_ids)

    def _gone(self, channel: int, messages: set[int]) -> None:
        ids = [str(message) for message in messages]
        self.own.forget(*ids)
        self._admission.deleted(str(channel), ids)

    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        """Somebody has put an emoji under a message."""
        emoji = (payload.emoji.name or "").removesuffix(_VARIATION)  # one that was deleted has no name
        if emoji not in (STOP, AGAIN, MORE) or payload.user_id == user_of(self).id:
            return
        if payload.member is not None and payload.member.bot:
            return
        channel, message = str(payload.channel_id), str(payload.message_id)
        if emoji != STOP and await self.own.about(message) is None:
            return
        asker = Asker(str(payload.user_id), may_manage=await self._may_manage(payload))
        match emoji:
            case "⏹":
                self.stop(channel, asker)
            case "🔁":
                await self.regenerate(channel, asker, message=message)
            case _:
                await self.go_on(channel, asker, message=message)

    async def _may_manage(self, payload: discord.RawReactionActionEvent) -> bool:
        if payload.guild_id is None:
            return True
        channel = self.get_channel(payload.channel_id)
        member = payload.member
        if member is None or not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
            return False
        return channel.permissions_for(member).manage_messages

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """We were sent away, or the server is gone: its webhooks are of no use any more."""
        for channel in guild.channels:
            self.home.shared.webhooks.gone(str(channel.id))

    # --- the desk -------------------------------------------------------------------------------

    async def _answer(self, turn: Turn) -> Reply | None:
        return await self._answering.answer(turn)

    def _names(self, heard: IncomingMessage) -> tuple[str, ...]:
        user = self.user
        return (heard.persona, *((user.display_name, f"<@{user.id}>") if user else ()))

    def _dropped(self, heard: IncomingMessage, why: Dropped) -> None:
        logger.info("a message that waited is not answered (%s)", why.value)
        self._do(self._admission.over(heard.id, is_unfinished=why is Dropped.SHUTDOWN))

    def _failed(self, turn: Turn, error: BaseException) -> None:
        logger.debug("why an answer failed", exc_info=error, extra={"turn": turn.id, "channel": turn.channel})
        self._do(self._admission.over(*(heard.id for heard in turn.messages)))
        request = turn.messages[-1].payload
        if isinstance(request, ReplyRequest):
            sentence = "Something went wrong with this answer ({error}); the log of the bot tells more."
            self._do(self._tell(request.message, sentence, error=type(error).__name__))

    def _warn(self, message: discord.Message, excess: Excess) -> None:
        self._do(self._tell(message, _EXCESSES[excess]))

    async def _tell(self, message: discord.Message, text: str, **values: object) -> None:
        """Tell people something under the bot's own name, small and silent."""
        server, channel = str(message.guild.id) if message.guild else "", str(message.channel.id)
        choice = await self.staff.choices.here(server, channel, parent_of(message.channel))
        language = language_for(message.guild, choice, self.staff.config.now)
        target = await self.home.target(await room_of(message, self))
        await target.notify(Notice(translated(text, language, **values), Urgency.INFO))

    def _do(self, chore: Coroutine[Any, Any, None]) -> None:
        """See to *chore* beside everything else; at the end it is waited for."""
        task = asyncio.create_task(self._seen_to(chore), name="cadenza chore")
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)

    @staticmethod
    async def _seen_to(chore: Coroutine[Any, Any, None]) -> None:
        try:
            await chore
        except BaseException as error:
            if must_rise(error):
                raise
            logger.warning("something beside a reply went wrong (%s)", type(error).__name__)

    # --- what people can do about a reply ---------------------------------------------------------

    def running(self, channel: str, /) -> bool:
        """Whether something is being said in *channel*."""
        return any(turn.channel == channel for turn in self.turns.running())

    def stop(self, channel: str, asker: Asker, /) -> StopResult | ControlRefused:
        """End what is being said in *channel*, as far as that is *asker*'s to end."""
        author = None if asker.may_manage else asker.id
        was_running = self.running(channel)
        stopping = self.turns.stop(channel, by=asker.id, author=author)
        if stopping:
            return stopping
        return ControlRefused.NOT_THEIRS if was_running else ControlRefused.NOTHING_THERE

    async def regenerate(self, channel: str, asker: Asker, /, *, message: str = "") -> ControlRefused | None:
        """Answer anew what was answered before; the old reply goes when the new one begins."""
        own = await self._meant(channel, message)
        if own is None or not own.answers:
            return ControlRefused.NOTHING_THERE
        answered = await self._fetched(own.channel, own.answers)
        if answered is None:
            return ControlRefused.NOTHING_THERE
        old = [_as_receipt(part) for part in await self.own.of_turn(own)]
        before = await self.own.about(own.answers)  # what went on from words of its own goes on from them again
        goes_on = before is not None and before.persona == own.persona
        return await self._again(asker, own, answered, supersedes=tuple(old), goes_on=goes_on)

    async def go_on(self, channel: str, asker: Asker, /, *, message: str = "") -> ControlRefused | None:
        """Let a reply go on where it ended."""
        own = await self._meant(channel, message)
        last = (await self.own.of_turn(own))[-1:] if own else ()
        spoken = await self._fetched(last[0].channel, last[0].id) if last else None
        if own is None or spoken is None:
            return ControlRefused.NOTHING_THERE
        return await self._again(asker, own, spoken, goes_on=True)

    async def greet(
        self, channel: discord.abc.MessageableChannel, asker: Asker, /, *, persona: str, text: str
    ) -> ControlRefused | None:
        """Let *persona* say its greeting in *channel*, when its turn comes."""
        guild = getattr(channel, "guild", None)
        server, place = str(guild.id) if guild else "", str(channel.id)
        choice = await self.staff.choices.here(server, place, parent_of(channel))
        if choice.is_silent or named(await self._admission.present(server, choice), persona) is None:
            return ControlRefused.NOTHING_THERE
        if await self.staff.limits.admit(asker.id, server) is not None:
            return ControlRefused.TOO_MUCH
        greeting = Greeting(channel, asker.id, asker.name, text, server)
        verdict = await self._admission.ask(
            IncomingMessage(
                f"greeting-{next(self._numbers)}",
                place,
                asker.id,
                text,
                is_command=True,
                persona=persona,
                payload=greeting,
            )
        )
        return ControlRefused.BUSY if verdict in (Verdict.FULL, Verdict.CLOSED) else None

    async def _meant(self, channel: str, message: str) -> OwnMessage | None:
        return (
            await self.own.about(message) if message else await self.own.last(channel, server=self._server_of(channel))
        )

    async def _again(
        self,
        asker: Asker,
        own: OwnMessage,
        message: discord.Message,
        *,
        supersedes: tuple[Receipt, ...] = (),
        goes_on: bool = False,
    ) -> ControlRefused | None:
        if own.author != asker.id and not asker.may_manage:
            return ControlRefused.NOT_THEIRS
        if self.running(own.channel):
            return ControlRefused.BUSY
        server = str(message.guild.id) if message.guild else ""
        if (excess := await self.staff.limits.admit(asker.id, server)) is not None:
            self.staff.metrics.refused(excess.value)
            return ControlRefused.TOO_MUCH
        request = ReplyRequest(
            message,
            own.author,
            server,
            heard_at=asyncio.get_running_loop().time(),
            supersedes=supersedes,
            goes_on=goes_on,
            is_past=True,
            admitted=asker.id,
        )
        key = f"{message.id}#{'more' if goes_on else 'again'}-{next(self._numbers)}"  # unlike those of a process before
        await self._admission.ask(
            IncomingMessage(
                key, own.channel, own.author, message.content, is_command=True, persona=own.persona, payload=request
            )
        )
        return None

    async def _fetched(self, channel: str, message: str) -> discord.Message | None:
        try:
            place = self.get_channel(int(channel)) or await self.fetch_channel(int(channel))
            if not isinstance(place, discord.abc.Messageable):
                return None
            return await place.fetch_message(int(message))
        except discord.HTTPException:
            return None

    # --- after a death ----------------------------------------------------------------------------

    async def _recover(self) -> None:
        """See to what the process before this one was answering."""
        await self.staff.journal.sweep()
        for entry in await self.staff.journal.left():
            await self._seen_to(self._recovered(entry))

    async def _recovered(self, entry: JournalEntry) -> None:
        how = self.staff.config.now.conversation.after_restart
        fate, message = await fate_of(entry, self, after_restart=how, now=time.time())
        self.staff.metrics.recovered(fate.value)
        logger.info("a message that was being answered when the bot ended: %s", fate.value)
        if message is None or fate is Fate.DROP:
            await self.staff.journal.over(entry.key)
            if message is not None and entry.began:
                await self._seen_to(self._answering.recognise(entry, words_of(await parts_of(entry, message))))
            return
        words = words_of(await parts_of(entry, message)) if fate in (Fate.FINISH, Fate.MARK) else []
        await self._seen_to(self._answering.recognise(entry, words))
        last = (words or [message])[-1]
        if fate is Fate.MARK:
            choice = await self.staff.choices.here(entry.server, entry.channel, parent_of(message.channel))
            await mark(last.channel, last, language_for(message.guild, choice, self.staff.config.now))
            await self.staff.journal.over(entry.key)
            return
        request = ReplyRequest(
            message if fate is Fate.ANSWER else last,
            entry.author,
            entry.server,
            heard_at=asyncio.get_running_loop().time(),
            root=entry.root,
            goes_on=entry.goes_on or fate is Fate.FINISH,
            supersedes=tuple([_as_receipt(await self._own(entry, id_)) for id_ in entry.supersedes]),
        )
        # Under its old key, so that what was begun twice is known as one if this process dies as well. What cannot be
        # written down cannot be struck out either, and would be said again by the next one.
        mine = replace(entry, has_begun=False, last_behind="", tries=entry.tries + 1)
        if not await self.staff.journal.takes_over(mine):
            return
        await self._admission.ask(
            IncomingMessage(
                entry.key,
                entry.channel,
                entry.author,
                message.content,
                is_command=request.goes_on or "#" in entry.key,
                persona=entry.persona,
                payload=request,
            ),
            is_written=True,
        )

    async def _own(self, entry: JournalEntry, message: str) -> OwnMessage:
        """A message in whose place the answer to *entry* comes."""
        return await self.own.about(message) or OwnMessage(message, entry.channel, entry.persona)


def _as_receipt(own: OwnMessage) -> Receipt:
    """What stands for a message of an earlier reply; all that matters is which one it is, and how it was sent."""
    return receipt_of(own.id, Identity(own.persona) if own.is_webhook else None)
