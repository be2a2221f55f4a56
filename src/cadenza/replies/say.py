"""``say`` and ``reply`` for objects of discord.py and for any target.

This module imports next to nothing: it is often first used in the middle of an event. What it needs is imported in a
thread, and discord.py only if it is given an object of discord.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

from ..concurrency.imports import imported
from ..errors import InputError
from .places import check_loop, is_of_discord, refuse_no_place

if TYPE_CHECKING:
    from ..concurrency.stops import StopHandle
    from ..facts import Hook
    from ..models.fallback import ModelSource
    from ..rules import Rule
    from ..settings import Settings
    from ..stages.s7_delivery import Chance
    from ..targets.target import DiscordView, Target
    from ..tools.functions import Toolset
    from ..tools.running import Consent
    from ..types import Persona, Receipt, Reply, Scene
    from .on_error import OnError
    from .outbox.prepare import PostPreparer
    from .places import DiscordPlace
    from .streams import ModelStream

    Models = ModelSource | Sequence[ModelSource]

_OF_SPEAKER = ("settings", "rules", "preparer", "trace", "on_error")
_NEEDED = ("cadenza.replies.speaker", "cadenza.text.latex")
_NEEDED_FOR_DISCORD = ("cadenza.targets.discord_py.channel_history",)


async def say(
    target: Target | DiscordPlace,
    stream: ModelStream,
    *,
    scene: Scene | None = None,
    settings: Settings | None = None,
    stop: StopHandle | None = None,
    chance: Chance | None = None,
    rules: Iterable[type[Rule]] | None = None,
    preparer: PostPreparer | None = None,
    view: DiscordView | None = None,
    trace: Hook | None = None,
    on_error: OnError | None = None,
    queue: bool = True,
) -> Reply:
    """Deliver a model's text stream to *target* as natural messages.

    *target* is a channel, thread, user, context, message (which is answered) or interaction of discord.py, or a
    ``Target``. *stream* is a text, an iterable or async iterable of texts or chunks, or what a provider's client returns:
    see ``from_stream``. *scene* tells the rules who speaks and which names they know; without one, names stay as the
    model wrote them. In a guild, its emoji and mentioned members are resolved even without a scene. *preparer* makes
    pictures of tables and looks up members; a bot keeps one for all replies. *view*, a ``View`` of discord.py, is shown
    under the last message; a ``LayoutView`` is a message after it. *trace* receives every fact. Only mentioned
    members are pinged, as many as *settings* allow; roles only if the settings allow it; ``@everyone`` never.
    *on_error* is called with the error of a reply that failed; see ``OnError``.

    Replies in one channel go one after the other: the stream is read at once, and its messages wait, with the typing
    indicator, until the replies before are over. With ``queue=False`` they do not wait.
    """
    await _ready("say", target)
    from .queueing import say_to  # noqa: PLC0415  # imported by now, in a thread
    from .speaker import Speaker  # noqa: PLC0415  # imported by now, in a thread

    options: dict[str, Any] = {} if rules is None else {"rules": rules}
    place: Any = target
    if is_of_discord(place):
        speaker = Speaker(settings=settings, preparer=preparer, trace=trace, on_error=on_error, **options)
        return await speaker.say(place, stream, scene=scene, stop=stop, chance=chance, view=view, queue=queue)
    return await say_to(
        place,
        stream,
        scene=scene,
        settings=settings,
        stop=stop,
        chance=chance,
        preparer=preparer,
        view=view,
        trace=trace,
        on_error=on_error,
        queue=queue,
        **options,
    )


class ReplyOptions(TypedDict, total=False):
    """The options of ``reply``."""

    settings: Settings | None
    tools: Toolset
    """Functions or ``Tool``s that the model may call."""
    consent: Consent | None
    """It is asked before a tool that needs it."""
    stop: StopHandle | None
    chance: Chance | None
    rules: Iterable[type[Rule]]
    preparer: PostPreparer | None
    supersedes: Iterable[Receipt]
    """Messages that are deleted when the reply begins."""
    view: DiscordView | None
    """A ``View`` of discord.py, shown under the last message, or a ``LayoutView``, a message after it."""
    trace: Hook | None
    """It receives every fact."""
    on_error: OnError | None
    """It is called with the error of a reply that failed."""
    queue: bool
    """Whether it waits for the replies before it in the channel, before the model is asked."""


@overload
async def reply(
    scene: Scene, /, model: Models, target: Target | DiscordPlace, **options: Unpack[ReplyOptions]
) -> Reply: ...


@overload
async def reply(
    place: DiscordPlace,
    /,
    model: Models,
    *,
    persona: Persona | None = None,
    history: int = 20,
    **options: Unpack[ReplyOptions],
) -> Reply: ...


async def reply(
    scene_or_place: Scene | DiscordPlace,
    /,
    model: Models,
    target: Target | DiscordPlace | None = None,
    *,
    persona: Persona | None = None,
    history: int = 20,
    **options: Unpack[ReplyOptions],
) -> Reply:
    """Let *model* answer and return one ``Reply``, whatever happens.

    ``reply(message, model)`` answers a message, an interaction or the newest message of a channel of discord.py: the model
    is sent the newest *history* lines of the channel, and speaks as *persona*, by default as the bot.
    ``reply(scene, model, target)`` answers a ``Scene`` that you made, in a place of discord.py or any ``Target``.

    Further models are fallbacks, asked in order if the first fails; a function is called when its model is needed.
    Replies in one channel go one after the other. The options are those of ``ReplyOptions``.
    """
    place: Any = scene_or_place if target is None else target
    await _ready("reply", place)
    from .queueing import reply_in  # noqa: PLC0415  # imported by now, in a thread
    from .speaker import Speaker  # noqa: PLC0415  # imported by now, in a thread

    scene = None if target is None else _scene(scene_or_place, persona)
    if not is_of_discord(place):
        return await reply_in(scene, model, place, **options)
    own: dict[str, Any] = {name: value for name, value in options.items() if name in _OF_SPEAKER}
    rest: dict[str, Any] = {name: value for name, value in options.items() if name not in _OF_SPEAKER}
    return await Speaker(persona=persona, **own).reply(place, model, scene=scene, history=history, **rest)


def _scene(scene: Any, persona: object) -> Scene:
    """*scene*, which the caller made; an ``InputError`` if it is none, or if there is a *persona* besides."""
    from .misuse import check_scene  # noqa: PLC0415  # imported by now, in a thread

    check_scene(scene)
    if persona is not None:
        msg = "a Scene has its own persona; give the persona to the Scene"
        raise InputError(msg)
    made: Scene = scene
    return made


async def _ready(call: str, place: object) -> None:
    """Import what a reply in *place* needs."""
    check_loop(call)
    refuse_no_place(place)
    await imported(*_NEEDED, *(_NEEDED_FOR_DISCORD if is_of_discord(place) else ()))
