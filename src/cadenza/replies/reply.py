"""A whole reply: ``say`` delivers a stream, ``reply`` asks models until there is an answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from random import Random

from ..concurrency.stops import StopHandle, Stops
from ..errors import InputError
from ..explain.recorder import Trace, tracing
from ..facts import Hook
from ..models.fallback import FallbackChain, ModelSource
from ..rules import RULES, Rule
from ..settings import Settings
from ..stages.s4_round import Round
from ..stages.s7_delivery import Chance
from ..targets.target import DiscordView, Limits, SupportsPings, Target
from ..tools.functions import Toolset, toolset
from ..tools.running import Consent, ToolRunner
from ..types import Broke, Completed, Outcome, Persona, Receipt, Reply, Scene, Usage
from . import misuse
from .attempts import AttemptLoop
from .channel_queue import QueuedReply
from .conversation import ModelConversation
from .notices import error_of, failed
from .on_error import OnError, report
from .outbox.outbox import Outbox
from .outbox.prepare import PostPreparer
from .pipeline import Takes, run_round, settle, spoken, text_row
from .streams import ModelStream, from_stream
from .tool_loop import ToolLoop
from .views import announce_view, show_view


async def say(
    target: Target,
    stream: ModelStream,
    *,
    scene: Scene | None = None,
    settings: Settings | None = None,
    stop: StopHandle | None = None,
    chance: Chance | None = None,
    rules: Iterable[type[Rule]] = RULES,
    preparer: PostPreparer | None = None,
    view: DiscordView | None = None,
    trace: Hook | None = None,
    queued: QueuedReply | None = None,
    on_error: OnError | None = None,
) -> Reply:
    """Deliver a model's text stream to *target* as natural messages.

    *stream* is a text, an iterable or async iterable of texts or chunks, or what a provider's client returns: see
    ``from_stream``. *scene* tells the rules who speaks and which names they know; without it names, emoji and mentions
    stay as the model wrote them. *preparer* makes pictures of tables and looks up members; a bot keeps one for all
    replies. *view* is shown under the last message. *trace* receives every fact. *on_error* is called with the error of a
    reply that failed; see ``OnError``. *queued* is its place in the queue of the channel: the stream is read at once, and
    nothing is sent before its turn.
    """
    misuse.check_stream(stream)
    misuse.check_scene(scene)
    misuse.check_target(target)
    announce_view(view, target)
    misuse.check_options(settings=settings, stop=stop, chance=chance, preparer=preparer, trace=trace, on_error=on_error)
    rules = misuse.checked_rules(rules)
    settings = _within(settings or Settings(), target)
    scene, preparer = scene or Scene("", Persona("")), (preparer or PostPreparer()).under(settings.rules)
    dice, takes = chance or Random(settings.delivery.seed), _takes(settings, preparer, target)
    with tracing(trace, "say", scene, settings, stop.turn if stop else "") as seen:
        text = text_row(scene, settings, dice, rules=rules, takes=takes, trace=seen)
        round_ = Round(text, on_stop=settings.turn.on_stop)
        async with _outbox(target, settings, stop, preparer, scene, trace=seen, queued=queued) as outbox:
            heard = await run_round(round_, from_stream(stream), outbox, settings=settings, stop=stop, trace=seen)
            if seen:
                seen.round_over(heard, len(round_.said), round_.usage)
            outcome = await settle(round_, outbox, stop=stop, trace=seen)
            if isinstance(outcome, Broke) and isinstance(outcome.error, InputError) and not outbox.receipts:
                raise outcome.error  # the author's mistake, and nothing was sent
            notice = failed(
                outcome,
                show_errors=settings.turn.show_errors,
                when_full=settings.delivery.when_full,
                asked=stop.reason if stop else None,
            )
            if notice:
                await outbox.tell(notice)
    await show_view(view, target, outbox.receipts)
    left = _remains([round_], outcome, outbox)
    if seen:
        seen.ends(left)
    await report(error_of(outcome), on_error)
    return left


async def reply(
    scene: Scene,
    model: ModelSource | Sequence[ModelSource],
    target: Target,
    *,
    settings: Settings | None = None,
    tools: Toolset = (),
    consent: Consent | None = None,
    stop: StopHandle | None = None,
    chance: Chance | None = None,
    rules: Iterable[type[Rule]] = RULES,
    preparer: PostPreparer | None = None,
    supersedes: Iterable[Receipt] = (),
    view: DiscordView | None = None,
    trace: Hook | None = None,
    queued: QueuedReply | None = None,
    on_error: OnError | None = None,
) -> Reply:
    """Let *model* answer *scene* in *target* and return one ``Reply``, whatever happens.

    Further models are fallbacks, asked in order if the first fails; a function is called when its model is needed.
    *tools* are functions or ``Tool``s that the model may call; *consent* is asked before those that need it.
    *supersedes* are messages that are deleted when the reply begins. *view* is shown under the last message. *trace*
    receives every fact. *on_error* is called with the error of a reply that failed; see ``OnError``. *queued* is its place
    in the queue of the channel, of which it is the first by now.
    """
    misuse.check_scene(scene)
    misuse.check_target(target)
    announce_view(view, target)
    misuse.check_options(
        settings=settings,
        stop=stop,
        chance=chance,
        preparer=preparer,
        trace=trace,
        on_error=on_error,
        consent=consent,
    )
    rules, superseded = misuse.checked_rules(rules), misuse.check_superseded(supersedes)
    settings = _within(settings or Settings(), target)
    preparer = (preparer or PostPreparer()).under(settings.rules)
    chance = chance or Random(settings.delivery.seed)
    with ExitStack() as stack:
        seen = stack.enter_context(tracing(trace, "reply", scene, settings, stop.turn if stop else ""))
        handle = stop or stack.enter_context(Stops().open("reply"))
        tool_runner = ToolRunner(
            toolset(tools),
            scene=scene,
            turn=stop.turn if stop else "",
            seconds=settings.turn.tool_timeout,
            result_limit=settings.turn.tool_result_limit,
            consent=consent,
        )
        fallback_chain = FallbackChain(model, settings.fallback, chance, trace=seen)
        new_text = partial(
            text_row,
            settings=settings,
            chance=chance,
            rules=rules,
            takes=_takes(settings, preparer, target),
            trace=seen,
        )
        async with _outbox(target, settings, handle, preparer, scene, trace=seen, queued=queued) as outbox:
            outbox.delete_later(superseded)
            conversation = ModelConversation(scene, settings)
            tool_loop = ToolLoop(conversation, tool_runner, outbox, settings, handle, trace=seen)
            attempt_loop = AttemptLoop(
                fallback_chain,
                tool_loop,
                conversation=conversation,
                outbox=outbox,
                settings=settings,
                stop=handle,
                new_text=new_text,
                trace=seen,
            )
            outcome = await attempt_loop.run()
        await show_view(view, target, outbox.receipts)
    left = _remains(tool_loop.kept, outcome, outbox)
    left = replace(
        left,
        usage=tool_loop.usage,
        served_by=tool_loop.served_by,
        model=fallback_chain.name,
        failures=tuple(fallback_chain.failures),
        tools=tuple(tool_runner.uses),
    )
    if seen:
        seen.ends(left)
    flaw = tool_loop.flaw if isinstance(outcome, Completed) else None
    await report(error_of(flaw or outcome, failures=fallback_chain.failures, model=fallback_chain.name), on_error)
    return left


def _takes(settings: Settings, preparer: PostPreparer, target: Target) -> Takes:
    return Takes(
        target.limits,
        pictures=settings.rules.tables == "picture" and preparer.painter is not None,
        formula_pictures=settings.rules.math == "picture" and preparer.formula_painter is not None,
    )


def _within(settings: Settings, target: Target) -> Settings:
    """Fit *settings* to *target*: its message length, its own tables, and no pictures where it takes no files."""
    limits, tables = target.limits, settings.rules.tables
    if limits.tables:
        tables = "source"
    elif tables == "picture" and not limits.files:
        tables = "text"
    math = "text" if settings.rules.math == "picture" and not limits.files else settings.rules.math
    limit = settings.delivery.limit
    if limits.length != Limits().length or limit is not None:
        limit = min(limit or limits.length, limits.length)
    if (limit, tables, math) == (settings.delivery.limit, settings.rules.tables, settings.rules.math):
        return settings
    return settings.with_values({"limit": limit, "tables": tables, "math": math})


def _outbox(
    target: Target,
    settings: Settings,
    stop: StopHandle | None,
    preparer: PostPreparer,
    scene: Scene,
    *,
    trace: Trace | None,
    queued: QueuedReply | None = None,
) -> Outbox:
    if isinstance(target, SupportsPings):
        target.allow_pings(settings.delivery)
    return Outbox(target, settings=settings, stop=stop, preparer=preparer, scene=scene, trace=trace, queued=queued)


def _remains(rounds: Sequence[Round], outcome: Outcome, outbox: Outbox) -> Reply:
    """Build the reply from its *rounds* and the *outbox*."""
    return Reply(
        outcome=outcome,
        receipts=tuple(outbox.receipts),
        text=_text(rounds),
        transcript="\n".join(receipt.post.said for receipt in outbox.receipts if receipt.post.said),
        thoughts=tuple(thought for round_ in rounds for thought in round_.thoughts),
        details=tuple(details for round_ in rounds for details in round_.details),
        usage=sum((round_.usage for round_ in rounds), Usage()),
        served_by=next((round_.served_by for round_ in reversed(rounds) if round_.served_by), ""),
        notices=tuple(outbox.notices),
    )


def _text(rounds: Iterable[Round]) -> str:
    """Return what the model said in *rounds*; between two there is an empty line, unless it wrote a line end there."""
    text = ""
    for part in filter(None, (spoken(round_.heard) for round_ in rounds)):
        is_joined = not text or text.endswith("\n") or part.startswith("\n")
        text += part if is_joined else "\n\n" + part
    return text
