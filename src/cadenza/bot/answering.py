"""One turn of the bot: a message in, a reply out."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial

import discord

from ..concurrency.tasks import end_task, must_rise
from ..errors import CadenzaError
from ..explain.tracebacks import get_logger
from ..facts import Hook, LoggedFact
from ..replies.reply import reply, say
from ..settings import Settings
from ..targets.discord.target import DiscordTarget
from ..targets.discord_py.authorship import user_of
from ..targets.discord_py.channel_info import SendTarget, parent_of, room_of
from ..targets.discord_py.client_state import ClientState
from ..targets.discord_py.display_names import AnyUser
from ..turns import IncomingMessage, Turn, TurnReason
from ..types import Notice, Receipt, Reply, Scene, Stopped, StopReason, Urgency
from .after_reply import AfterReply, ReplyFinished, own_message
from .announcements import Announcements, language_for, reworded
from .characters.cast import named
from .characters.character import Character
from .characters.placeholders import resolved
from .markdown_button import table_button
from .memory.location import Location
from .pending import Pending
from .reply_request import Greeting, ReplyRequest, message_of, receipt_for, request_of
from .scene import TurnContext, identity_of, scene_for
from .services.choices import settings_for
from .services.own_messages import OwnMessages
from .services.resets import Resets
from .services.thought_record import ThoughtFold, ThoughtRecord
from .wiring import BotServices

logger = get_logger(__name__)

_GONE = "{persona} is no longer here, so this is not answered; ask another character."


@dataclass(frozen=True, slots=True)
class _Spoken:
    """A reply, and what it was made from."""

    turn_context: TurnContext
    scene: Scene
    reply: Reply
    thoughts: ThoughtRecord
    besides: tuple[Receipt, ...]


class Answering:
    """Answers the turns of one bot."""

    def __init__(
        self,
        services: BotServices,
        own: OwnMessages,
        client: discord.Client,
        client_state: ClientState,
        *,
        pending: Pending,
        announcements: Announcements,
        after_reply: AfterReply,
    ) -> None:
        self._services = services
        self._own = own
        self._client = client
        self._client_state = client_state
        self._pending = pending
        self._announcements = announcements
        self._after_reply = after_reply

    def names(self, heard: IncomingMessage) -> tuple[str, ...]:
        """The names by which *heard* may address who answers it."""
        user = self._client.user
        return (heard.persona, *((user.display_name, f"<@{user.id}>") if user else ()))

    async def answer(self, turn: Turn) -> Reply | None:
        """Answer *turn*; ``None`` if there was nothing to say."""
        if isinstance(greeting := turn.messages[-1].payload, Greeting):
            return await self._greet(turn, greeting)
        messages = sorted(turn.messages, key=_age)
        request = request_of(messages[-1])
        keys = [heard.id for heard in messages]
        is_unfinished = True  # unless something says otherwise, also when cancelled
        began = asyncio.get_running_loop().time()
        try:
            await self._services.journal.began(*keys)
            spoken = await self._answered(turn, request)
            is_unfinished = spoken is not None and spoken.reply.outcome == Stopped(StopReason.SHUTDOWN)
        finally:
            await self._pending.over(*keys, is_unfinished=is_unfinished)
        if spoken is None:
            return None
        seconds, waited = asyncio.get_running_loop().time() - request.heard_at, began - request.heard_at
        await self._after_reply.publish(
            ReplyFinished(
                turn,
                request,
                spoken.turn_context,
                spoken.scene,
                spoken.reply,
                spoken.thoughts,
                spoken.besides,
                seconds=seconds,
                waited=waited,
            )
        )
        return spoken.reply

    async def _answered(self, turn: Turn, request: ReplyRequest) -> _Spoken | None:
        room = await room_of(request.message, self._client)
        if self._client_state.blocked(room) is not None:
            return None
        turn_context = await self._turn_context(turn, request)
        if turn_context is None:
            return None
        since = asyncio.get_running_loop().time()
        attachment_reader = asyncio.create_task(self._show_typing(room.channel), name="cadenza first typing")
        try:
            return await self._spoken(turn, request, turn_context, room, typing_since=since)
        finally:
            await end_task(attachment_reader)  # the reply does not wait for it

    async def _spoken(
        self, turn: Turn, request: ReplyRequest, turn_context: TurnContext, room: SendTarget, *, typing_since: float
    ) -> _Spoken | None:
        identity = identity_of(turn_context.character)
        found = None
        if self._client_state.preparer.lookup is not None:
            found = partial(self._client_state.preparer.lookup.has_found, place=room.channel)
        scene = await scene_for(turn_context, self._services, user_of(self._client))
        language = language_for(request.message.guild, turn_context.choice, self._services.config.now)
        model = turn_context.character.own.model or turn_context.choice.model or ""
        settings = self._settings(turn_context, model)
        target = await self._client_state.target(
            room,
            turn=turn.id,
            persona=identity,
            roster=scene.roster,
            is_found=found,
            table_button=table_button(language),
            reword=partial(reworded, language=language),
            on_last=partial(self._ends, turn),
            typing_since=typing_since,
            complains=settings.turn.show_errors != "off",
        )
        thoughts = ThoughtFold()
        said = await self._replied(turn, request, turn_context, scene, target, thoughts=thoughts)
        return None if said is None else _Spoken(turn_context, scene, said, thoughts.record, target.besides)

    async def _ends(self, turn: Turn, behind: str) -> None:
        """Journal that the last message of *turn* follows *behind*; a reply stopped by a shutdown is finished later."""
        if turn.stop.reason is not StopReason.SHUTDOWN:
            await self._services.journal.ends(*(heard.id for heard in turn.messages), behind=behind)

    async def _show_typing(self, channel: str) -> None:
        """Show the typing indicator at once, before anything is looked up."""
        cooldown = self._client_state.shared.cooldown
        if cooldown.reason is not None:
            return
        try:
            async with cooldown.request():
                await self._client_state.api.typing(channel)
        except BaseException as error:
            if must_rise(error):
                raise
            logger.debug("typing indicator failed", exc_info=error)

    async def _replied(
        self,
        turn: Turn,
        request: ReplyRequest,
        turn_context: TurnContext,
        scene: Scene,
        target: DiscordTarget,
        *,
        thoughts: ThoughtFold,
    ) -> Reply | None:
        model = turn_context.character.own.model or turn_context.choice.model or ""
        try:
            sources = await self._services.models.sources(model, turn_context.where.server)
        except CadenzaError as error:
            about = {"turn": turn.id, "channel": turn.channel, "server": turn_context.where.server}
            logger.warning("no model for a reply: %s", error, extra=about)
            await self._tell(target, error.sentence)
            return None
        services = self._services
        try:
            return await reply(
                scene,
                sources,
                target,
                settings=self._settings(turn_context, model),
                tools=[*await services.toolbox.tools(), *services.memory.tools(turn_context.where)],
                stop=turn.stop,
                preparer=self._client_state.preparer,
                supersedes=await self._superseded(turn, request),
                trace=_all_of(services.explanations.listen(turn.id), services.metrics.hear, thoughts.hear),
            )
        except BaseException:
            services.explanations.drop(turn.id)
            raise
        finally:
            await self._client_state.settle(target)

    async def _superseded(self, turn: Turn, request: ReplyRequest) -> tuple[Receipt, ...]:
        """The messages that are deleted when the reply begins, with what was posted for them, in order."""
        found = {receipt.message_id: receipt for receipt in (*turn.supersedes, *request.supersedes)}
        for receipt in turn.supersedes:
            own = await self._own.about(receipt.message_id)
            for part in await self._own.of_turn(own) if own else ():
                found.setdefault(part.id, receipt_for(part))
        return tuple(sorted(found.values(), key=lambda receipt: (len(receipt.message_id), receipt.message_id)))

    def _settings(self, turn_context: TurnContext, model: str) -> Settings:
        return settings_for(
            self._services.config.now,
            turn_context.choice,
            degree=turn_context.character.own.degree,
            of_model=self._services.models.settings_of(model),
        )

    async def _tell(self, target: DiscordTarget, sentence: str) -> None:
        try:
            await target.notify(Notice(sentence, Urgency.ERROR))
        except CadenzaError as error:
            logger.warning("notice could not be sent: %s", error)

    # --- greetings ------------------------------------------------------------------------------

    async def _greet(self, turn: Turn, greeting: Greeting) -> Reply | None:
        """Post the greeting of a character, delivered like a reply."""
        try:
            said = await self._greeted(turn, greeting)
        finally:
            await self._pending.over(*(heard.id for heard in turn.messages))
        if said is None:
            return None
        where = Location(greeting.person, turn.channel, server=greeting.server)
        own = [own_message(receipt, turn, turn.persona, author=greeting.person) for receipt in said.receipts]
        await self._after_reply.keep(own, turn.id, said, where)
        return said

    async def _greeted(self, turn: Turn, greeting: Greeting) -> Reply | None:
        room = await room_of(greeting.channel, self._client)
        choice = await self._services.choices.here(greeting.server, turn.channel, parent_of(greeting.channel))
        character = _named(await self._services.present(greeting.server, choice), turn.persona)
        if character is None or self._client_state.blocked(room) is not None:
            return None
        settings = settings_for(self._services.config.now, choice, degree=character.own.degree)
        roster = room.for_rules(roles=settings.delivery.mention_roles)
        scene = Scene(turn.channel, character.as_persona(greeting.person_name), roster=roster)
        target = await self._client_state.target(room, turn=turn.id, persona=identity_of(character), roster=roster)
        try:
            return await say(
                target,
                resolved(greeting.text, char=character.called, user=greeting.person_name),
                scene=scene,
                settings=settings,
                stop=turn.stop,
                preparer=self._client_state.preparer,
                trace=self._services.explanations.listen(turn.id),
            )
        except BaseException:
            self._services.explanations.drop(turn.id)
            raise

    # --- before ---------------------------------------------------------------------------------

    async def _turn_context(self, turn: Turn, request: ReplyRequest) -> TurnContext | None:
        """What is to be answered, where and by whom; ``None`` if the character is not there any more."""
        message = request.message
        server = request.server
        parent = parent_of(message.channel)
        choice = await self._services.choices.here(server, turn.channel, parent)
        if choice.is_silent:
            return None
        cast = await self._services.present(server, choice)
        character = _named(cast, turn.persona)
        if character is None:
            if not request.root:  # between characters a missing one is no news
                await self._announcements.tell(message, _GONE, persona=turn.persona)
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
        since = await Resets(self._services.store).of(turn.channel)
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
            meanwhile=not request.is_past and turn.why is TurnReason.QUEUED,
            answers=frozenset(message_of(heard.id) for heard in turn.messages),
            after=since if _is_before(since, message) else "",
        )

    def _asker(self, request: ReplyRequest) -> AnyUser | None:
        """The person who asked; ``None`` if unknown."""
        message, person = request.message, request.person
        if str(message.author.id) == person:
            return message.author
        if not person.isdecimal():
            return None
        member = message.guild.get_member(int(person)) if message.guild else None
        return member or self._client.get_user(int(person))


def _has_waited(turn: Turn) -> bool:
    """Whether the message waited behind others, so that its reply has to show what it answers.

    Between characters, and among several that answer one message, the message stands right before the reply.
    """
    is_first = message_of(turn.messages[-1].id) == turn.messages[-1].id
    return turn.why is TurnReason.QUEUED and is_first


def _age(heard: IncomingMessage) -> int:
    """The sort key for messages: their ids."""
    return request_of(heard).message.id


def _is_before(since: str, message: discord.Message) -> bool:
    return since.isdecimal() and int(since) < message.id


def _is_open(channel: object) -> bool:
    """Whether all members of the guild see *channel*."""
    guild = getattr(channel, "guild", None)
    if not isinstance(guild, discord.Guild) or not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
        return False
    is_private_thread = isinstance(channel, discord.Thread) and channel.is_private()
    try:
        return not is_private_thread and channel.permissions_for(guild.default_role).view_channel
    except discord.ClientException:  # a thread whose channel is not cached
        return False


def _named(cast: tuple[Character, ...], name: str) -> Character | None:
    if not name:
        return cast[0] if cast else None
    return named(cast, name)


def _all_of(*hooks: Hook) -> Hook:
    """One hook that calls all *hooks*; one that fails is removed."""
    listening = list(hooks)

    def tell(logged: LoggedFact) -> None:
        for hook in tuple(listening):
            try:
                hook(logged)
            except Exception:
                listening.remove(hook)
                logger.warning("trace hook failed and was removed", exc_info=True)

    return tell
