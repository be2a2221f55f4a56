"""One turn of the bot: a message in, a reply out, and what is to be seen to afterwards."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import discord

from ..concurrency.tasks import end_task, must_rise
from ..errors import CadenzaError
from ..explain.steps import Hook, TraceStep
from ..replies.reply import reply, say
from ..settings import Settings
from ..stages.s7_delivery import receipt_of
from ..targets.discord.target import DiscordTarget
from ..targets.discord_py.channel_info import SendTarget, parent_of, room_of
from ..targets.discord_py.client_state import Home
from ..turns import IncomingMessage, Turn, TurnReason
from ..types import Broke, Identity, Notice, Receipt, Reply, Scene, Stalled, Stopped, StopReason, Urgency
from .admission import Admission, user_of
from .characters.cast import named
from .characters.character import Character
from .characters.placeholders import resolved
from .config.config import Config
from .display_names import AnyUser
from .history import Voice
from .markdown_button import table_button
from .memory.location import Location
from .memory.privacy import PrivacyLevel
from .reply_request import Greeting, ReplyRequest, message_of, request_of
from .scene import TurnContext, scene_for
from .services.choices import Choice, settings_for
from .services.journal import JournalEntry
from .services.languages import chosen
from .services.own_messages import OwnMessage, OwnMessages
from .services.resets import Resets
from .services.translated_notices import reworded
from .speaker_lookup import SpeakerLookup
from .store.store import StoreError
from .thought_log import Thought, log_thoughts
from .wiring import BotServices

logger = logging.getLogger(__name__)

_GONE = "{persona} does not speak here any more, so nobody answers this; ask somebody else."


@dataclass(frozen=True, slots=True)
class Answered:
    """A turn that is over, for whoever comes after it."""

    turn: Turn
    request: ReplyRequest
    occasion: TurnContext
    scene: Scene
    reply: Reply
    besides: tuple[Receipt, ...] = ()
    """What stands in the channel for it besides its messages."""


class Answering:
    """One for a bot.

    *tell* tells people why there is no answer, *afterwards* is told of every reply when all else is done, and *beside*
    sees to what nobody waits for.
    """

    def __init__(
        self,
        staff: BotServices,
        own: OwnMessages,
        admission: Admission,
        client: discord.Client,
        home: Home,
        *,
        tell: Callable[..., Awaitable[None]],
        afterwards: Callable[[Answered], Awaitable[None]],
        beside: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self._staff = staff
        self._own = own
        self._admission = admission
        self._client = client
        self._home = home
        self._tell_people = tell
        self._afterwards = afterwards
        self._beside = beside

    async def answer(self, turn: Turn) -> Reply | None:
        """What the desk calls: answer *turn*; ``None`` if there was nothing to say."""
        if isinstance(greeting := turn.messages[-1].payload, Greeting):
            return await self._greet(turn, greeting)
        messages = sorted(turn.messages, key=_age)
        request = request_of(messages[-1])
        keys = [heard.id for heard in messages]
        is_unfinished = True  # if it is cancelled
        began = asyncio.get_running_loop().time()
        try:
            await self._staff.journal.began(*keys)
            answered = await self._answered(turn, request)
            is_unfinished = answered is not None and answered.reply.outcome == Stopped(StopReason.SHUTDOWN)
        finally:
            await self._admission.over(*keys, is_unfinished=is_unfinished)
        if answered is None:
            return None
        await self._see_to_the_rest(answered, began)
        return answered.reply

    async def _answered(self, turn: Turn, request: ReplyRequest) -> Answered | None:
        room = await room_of(request.message, self._client)
        if self._home.blocked(room) is not None:
            return None
        occasion = await self._occasion(turn, request)
        if occasion is None:
            return None
        since = asyncio.get_running_loop().time()
        showing = asyncio.create_task(self._show_typing(room.channel), name="cadenza first typing")
        try:
            return await self._spoken(turn, request, occasion, room, typing_since=since)
        finally:
            await end_task(showing)  # whoever waits for the answer does not wait for this

    async def _spoken(
        self, turn: Turn, request: ReplyRequest, occasion: TurnContext, room: SendTarget, *, typing_since: float
    ) -> Answered | None:
        identity = identity_of(occasion.character)
        found = None
        if self._home.preparer.lookup is not None:
            found = partial(self._home.preparer.lookup.has_found, place=room.channel)
        scene = await scene_for(occasion, self._staff, user_of(self._client))
        language = language_for(request.message.guild, occasion.choice, self._staff.config.now)
        target = await self._home.target(
            room,
            turn=turn.id,
            persona=identity,
            roster=scene.roster,
            is_found=found,
            table_button=table_button(language),
            reword=partial(reworded, language=language),
            on_last=partial(self._ends, turn),
            typing_since=typing_since,
        )
        said = await self._replied(turn, request, occasion, scene, target)
        return None if said is None else Answered(turn, request, occasion, scene, said, target.besides)

    async def _ends(self, turn: Turn, behind: str) -> None:
        """The last message of *turn* is about to be sent; one that is stopped by our own end is to be finished later."""
        if turn.stop.reason is not StopReason.SHUTDOWN:
            await self._staff.journal.ends(*(heard.id for heard in turn.messages), behind=behind)

    async def _show_typing(self, channel: str) -> None:
        """Show at once that there will be an answer, before anything is looked up for it."""
        try:
            await self._home.api.typing(channel)
        except BaseException as error:  # a courtesy
            if must_rise(error):
                raise
            logger.debug("nobody was shown that something is being written (%s)", type(error).__name__)

    async def _replied(
        self, turn: Turn, request: ReplyRequest, occasion: TurnContext, scene: Scene, target: DiscordTarget
    ) -> Reply | None:
        model = occasion.character.model or occasion.choice.model or ""
        try:
            sources = await self._staff.models.sources(model, occasion.where.server)
        except CadenzaError as error:
            about = {"turn": turn.id, "channel": turn.channel, "server": occasion.where.server}
            logger.warning("a message is not answered: %s", error, extra=about)
            await self._tell(target, str(error))
            return None
        try:
            return await reply(
                scene,
                sources,
                target,
                settings=self._settings(occasion, model),
                tools=[*await self._staff.toolbox.tools(), *self._staff.memory.tools(occasion.where)],
                stop=turn.stop,
                preparer=self._home.preparer,
                supersedes=await self._superseded(turn, request),
                trace=_both(self._staff.explanations.listen(turn.id), self._staff.metrics.hear),
            )
        except BaseException:
            self._staff.explanations.drop(turn.id)
            raise
        finally:
            await self._home.settle(target)

    async def _superseded(self, turn: Turn, request: ReplyRequest) -> tuple[Receipt, ...]:
        """The messages that go when the answer begins, with all that stands there for them, in their order."""
        found = {receipt.message_id: receipt for receipt in (*turn.supersedes, *request.supersedes)}
        for receipt in turn.supersedes:
            own = await self._own.about(receipt.message_id)
            for part in await self._own.of_turn(own) if own else ():
                found.setdefault(part.id, receipt_of(part.id, Identity(part.persona) if part.is_webhook else None))
        return tuple(sorted(found.values(), key=lambda receipt: (len(receipt.message_id), receipt.message_id)))

    def _settings(self, occasion: TurnContext, model: str) -> Settings:
        return settings_for(
            self._staff.config.now,
            occasion.choice,
            degree=occasion.character.degree,
            of_model=self._staff.models.settings_of(model),
        )

    async def _tell(self, target: DiscordTarget, sentence: str) -> None:
        try:
            await target.notify(Notice(sentence, Urgency.ERROR))
        except CadenzaError as error:
            logger.warning("people could not be told why there is no answer: %s", error)

    # --- greetings ------------------------------------------------------------------------------

    async def _greet(self, turn: Turn, greeting: Greeting) -> Reply | None:
        """Let a character say what it says first, as if a model had."""
        try:
            said = await self._greeted(turn, greeting)
        finally:
            await self._admission.over(*(heard.id for heard in turn.messages))
        if said is None:
            return None
        where = Location(greeting.person, turn.channel, server=greeting.server)
        kept = "" if await self._wants_nothing_kept(where) else greeting.server
        own = [_own_message(receipt, turn, turn.persona, author=greeting.person) for receipt in said.receipts]
        await _seen_to("own messages", self._own.note(own, server=kept))
        await _seen_to(
            "explanations", self._staff.explanations.keep(turn.id, said, server=kept, author=greeting.person)
        )
        return said

    async def _greeted(self, turn: Turn, greeting: Greeting) -> Reply | None:
        room = await room_of(greeting.channel, self._client)
        choice = await self._staff.choices.here(greeting.server, turn.channel, parent_of(greeting.channel))
        character = _named(await self._admission.present(greeting.server, choice), turn.persona)
        if character is None or self._home.blocked(room) is not None:
            return None
        settings = settings_for(self._staff.config.now, choice, degree=character.degree)
        roster = room.for_rules(roles=settings.delivery.mention_roles)
        scene = Scene(turn.channel, character.as_persona(greeting.person_name), roster=roster)
        target = await self._home.target(room, turn=turn.id, persona=identity_of(character), roster=roster)
        try:
            return await say(
                target,
                resolved(greeting.text, char=character.called, user=greeting.person_name),
                scene=scene,
                settings=settings,
                stop=turn.stop,
                preparer=self._home.preparer,
                trace=self._staff.explanations.listen(turn.id),
            )
        except BaseException:
            self._staff.explanations.drop(turn.id)
            raise

    # --- before ---------------------------------------------------------------------------------

    async def _occasion(self, turn: Turn, request: ReplyRequest) -> TurnContext | None:
        """All that is known of what is to be answered; ``None`` if who was to answer is not there any more."""
        message = request.message
        server = request.server
        parent = parent_of(message.channel)
        choice = await self._staff.choices.here(server, turn.channel, parent)
        if choice.is_silent:
            return None
        cast = await self._admission.present(server, choice)
        character = _named(cast, turn.persona)
        if character is None:
            if not request.root:  # a character that calls one who is not there waits for nobody
                await self._tell_people(message, _GONE, persona=turn.persona)
            return None
        asker = self._asker(request)
        where = Location(
            request.person,
            turn.channel,
            person_name=asker.display_name if asker else "",
            channel_name=str(getattr(message.channel, "name", "") or ""),
            parent=parent,
            server=server,
            server_name=message.guild.name if message.guild else "",
            persona=character.id or character.name,
            turn=turn.id,
            message=request.root or str(message.id),
            is_private=bool(choice.is_private) or not _is_open(message.channel),
        )
        since = await Resets(self._staff.store).of(turn.channel)
        superseded = [receipt.message_id for receipt in (*turn.supersedes, *request.supersedes)]
        waiting = [message_of(key) for key in turn.waiting]
        return TurnContext(
            message,
            character,
            cast,
            choice,
            where,
            without=frozenset({*superseded, *waiting} - {str(message.id)}),
            asker=asker,
            goes_on=request.goes_on,
            has_waited=_has_waited(turn),
            meanwhile=not request.is_past and turn.why in (TurnReason.QUEUED, TurnReason.STOP_REPLY),
            answers=frozenset(message_of(heard.id) for heard in turn.messages),
            after=since if _is_before(since, message) else "",
        )

    def _asker(self, request: ReplyRequest) -> AnyUser | None:
        """The person whom it goes back to; ``None`` if nothing is known of them."""
        message, person = request.message, request.person
        if str(message.author.id) == person:
            return message.author
        if not person.isdecimal():
            return None
        member = message.guild.get_member(int(person)) if message.guild else None
        return member or self._client.get_user(int(person))

    # --- afterwards -----------------------------------------------------------------------------

    async def _see_to_the_rest(self, answered: Answered, began: float) -> None:
        """Whatever follows a reply; none of it can undo that it was said."""
        turn, request, occasion, said = answered.turn, answered.request, answered.occasion, answered.reply
        now, where = asyncio.get_running_loop().time(), occasion.where
        waited, seconds = began - request.heard_at, now - request.heard_at
        self._staff.metrics.turn_ended(said, seconds=seconds, waited=waited)
        _log(answered, seconds=seconds, waited=waited)
        async with self._staff.memory.privacy.writing:  # nobody is forgotten meanwhile
            # Of whoever wants nothing kept, nothing is written down: what follows knows no server, as in direct messages.
            is_kept = not await self._wants_nothing_kept(where)
            kept = where.server if is_kept else ""
            await _seen_to("own messages", self._own.note(_own_messages(answered), server=kept))
            await _seen_to(
                "explanations",
                self._staff.explanations.keep(turn.id, said, server=kept, author=where.person),
            )
        await _seen_to("limits", self._staff.limits.spent(request.person, where.server, said.usage))
        await _seen_to("memory", self._remember(answered))
        thought = Thought(
            said,
            occasion.message.channel,
            turn.id,
            occasion.character.name,
            identity_of(occasion.character),
            seconds,
            waited,
            language=language_for(occasion.message.guild, occasion.choice, self._staff.config.now),
        )
        if is_kept:  # what was thought of the others is told nobody
            # Beside everything else: whoever waits for their turn does not wait for the rate limit of another channel.
            self._beside(_seen_to("thought log", log_thoughts(thought, occasion.choice, self._home, self._client)))
        await _seen_to("afterwards", self._afterwards(answered))

    async def recognise(self, entry: JournalEntry, parts: Sequence[discord.Message]) -> None:
        """Write down whose *parts* are, with which a process that died had answered *entry*."""
        unknown = [part for part in parts if await self._own.about(str(part.id)) is None]
        if not unknown:
            return
        choice = await self._staff.choices.here(entry.server, entry.channel, parent_of(unknown[0].channel))
        cast = await self._admission.present(entry.server, choice)
        voices = SpeakerLookup(self._staff.store, cast, user_of(self._client))
        own = [_own_of_dead(part, entry, await voices(part)) for part in unknown]
        where = Location(entry.author, entry.channel, server=entry.server, message=entry.root or entry.message)
        async with self._staff.memory.privacy.writing:
            kept = "" if await self._wants_nothing_kept(where) else entry.server
            await self._own.note(own, server=kept)

    async def _wants_nothing_kept(self, where: Location) -> bool:
        privacy = self._staff.memory.privacy
        if privacy.is_forgotten(where.person, where.message):
            return True
        try:
            return (await privacy.of(where.person)).level is PrivacyLevel.FULL
        except StoreError:
            return True

    async def _remember(self, answered: Answered) -> None:
        is_stop_reply = answered.turn.why is TurnReason.STOP_REPLY
        await self._staff.memory.keep(
            answered.occasion.where, answered.scene.history, answered.reply, is_stop_reply=is_stop_reply
        )


def identity_of(character: Character) -> Identity | None:
    """Under which name and face *character* is seen; ``None`` is the bot's own."""
    return None if character.is_main else Identity(character.name, character.avatar or None)


def language_for(guild: discord.Guild | None, choice: Choice, config: Config) -> str:
    """In which language the bot itself speaks where everybody hears it."""
    # Only a community chooses its language; of all others Discord says that it is English.
    locale = guild.preferred_locale.value if guild and "COMMUNITY" in guild.features else None
    return chosen(choice.language, locale, config.language)


def _has_waited(turn: Turn) -> bool:
    """Whether others were answered first, so that it has to be shown what the answer is about.

    What one character says to another stands right before its answer, and so does what several answer.
    """
    is_first = message_of(turn.messages[-1].id) == turn.messages[-1].id
    return turn.why is TurnReason.STOP_REPLY or (turn.why is TurnReason.QUEUED and is_first)


def _age(heard: IncomingMessage) -> int:
    """By what messages stand in the order in which they were said."""
    return request_of(heard).message.id


def _is_before(since: str, message: discord.Message) -> bool:
    return since.isdecimal() and int(since) < message.id


def _is_open(channel: object) -> bool:
    """Whether everybody of the server sees *channel*."""
    guild = getattr(channel, "guild", None)
    if not isinstance(guild, discord.Guild) or not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
        return False
    is_private_thread = isinstance(channel, discord.Thread) and channel.is_private()
    try:
        return not is_private_thread and channel.permissions_for(guild.default_role).view_channel
    except discord.ClientException:  # a thread of whose channel nothing is known
        return False


def _named(cast: tuple[Character, ...], name: str) -> Character | None:
    if not name:
        return cast[0] if cast else None
    return named(cast, name)


def _own_messages(answered: Answered) -> list[OwnMessage]:
    """The messages of a reply, as they are written down."""
    occasion, request = answered.occasion, answered.request
    return [
        _own_message(
            receipt,
            answered.turn,
            occasion.character.name,
            author=request.person,
            answers=str(request.message.id),
        )
        for receipt in (*answered.besides, *answered.reply.receipts)
    ]


def _own_message(receipt: Receipt, turn: Turn, persona: str, *, author: str, answers: str = "") -> OwnMessage:
    return OwnMessage(
        receipt.message_id,
        turn.channel,
        persona,
        label=receipt.post.label,
        sprite=receipt.identity.look if receipt.identity else "",
        turn=turn.id,
        answers=answers,
        author=author,
        is_webhook=receipt.identity is not None,
    )


def _own_of_dead(part: discord.Message, entry: JournalEntry, voice: Voice | None) -> OwnMessage:
    """What can be told of *part* of the answer to *entry* by looking at it."""
    return OwnMessage(
        str(part.id),
        entry.channel,
        entry.persona or (voice.name if voice else ""),
        label=voice.label if voice else "",
        turn=f"{entry.channel}/left-{entry.key}",  # which one it was, nobody knows any more
        answers=entry.message,
        author=entry.author,
        is_webhook=part.webhook_id is not None,
    )


def _both(*hooks: Hook) -> Hook:
    """A hook for all of *hooks*; one that fails does not keep it from the others."""
    listening = list(hooks)

    def tell(traced: TraceStep) -> None:
        for hook in tuple(listening):
            try:
                hook(traced)
            except Exception as error:  # noqa: BLE001  # a reply must not notice who looks on
                listening.remove(hook)
                logger.warning("somebody who looks on a reply failed (%s)", type(error).__name__)

    return tell


def _log(answered: Answered, *, seconds: float, waited: float) -> None:
    """Tell the operator how a turn ended, without a word of what was said in it."""
    said, where = answered.reply, answered.occasion.where
    about = {"turn": where.turn, "channel": where.channel, "server": where.server}
    match said.outcome:
        case Broke(error):
            logger.warning("an answer broke off: %s", error, extra=about)
        case Stalled():
            logger.warning("an answer stalled: the model fell silent", extra=about)
        case outcome:
            ended = outcome.reason.value if isinstance(outcome, Stopped) else type(outcome).__name__.lower()
            numbers = (ended, len(said.receipts), seconds, waited, said.model or "none")
            logger.info(
                "a turn is over: %s; messages: %d, seconds: %.1f, waited: %.1f, model: %s", *numbers, extra=about
            )


async def _seen_to(what: str, task: Awaitable[None]) -> None:
    """Await *task*; a failure of it is no failure of the reply."""
    try:
        await task
    except BaseException as error:
        if must_rise(error):
            raise
        logger.warning("after a reply something went wrong (%s: %s)", what, type(error).__name__)
