"""A whole reply: whoever is asked, until there is an answer, and what is left of it all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from random import Random

from ..concurrency.stops import StopHandle, Stops
from ..errors import InputError, SettingsError
from ..explain.recorder import Trace, tracing
from ..explain.steps import Hook
from ..models.fallback import FallbackChain, ModelSource
from ..rules import RULES, Rule
from ..settings import Settings
from ..stages.s4_round import Round
from ..stages.s7_delivery import Calling, Chance, Limits, Target
from ..tools.functions import Toolset, toolset
from ..tools.running import Consent, ToolRunner
from ..types import Outcome, Persona, Receipt, Reply, Scene, Usage
from .attempts import AttemptLoop
from .conversation import ModelConversation
from .notices import failed
from .outbox.prepare import PostPreparer
from .outbox.sender import Outbox
from .pipeline import run_round, settle, text_row
from .streams import Speech, from_stream
from .tool_loop import ToolLoop


async def say(
    target: Target,
    stream: Speech,
    *,
    scene: Scene | None = None,
    settings: Settings | None = None,
    stop: StopHandle | None = None,
    chance: Chance | None = None,
    rules: Iterable[type[Rule]] = RULES,
    preparer: PostPreparer | None = None,
    trace: Hook | None = None,
) -> Reply:
    """Deliver what a model says, from any stream of text, to *target* as natural messages.

    *stream* is a text, an iterable or async iterable of texts or chunks, or what the client of a provider gives back:
    see ``from_stream``. *scene* tells the rules who speaks and
    whom they may name; without it names, emoji and mentions stay as the model wrote them. *preparer* is who makes
    pictures of tables and looks people up; a bot keeps one for all its replies. *trace* is told all that happens, and why.
    """
    settings = _within(settings or Settings(), target)
    scene, preparer = scene or Scene("", Persona("")), (preparer or PostPreparer()).under(settings.rules)
    dice, pictures = chance or Random(settings.delivery.seed), _has_pictures(settings, preparer)
    with tracing(trace, "say", scene, settings, stop.turn if stop else "") as seen:
        files = target.limits.files
        text = text_row(scene, settings, dice, rules=rules, pictures=pictures, files=files, trace=seen)
        round_ = Round(text, limit=settings.delivery.limit, on_stop=settings.turn.on_stop)
        async with _outbox(target, settings, stop, preparer, scene, trace=seen) as outbox:
            heard = await run_round(round_, from_stream(stream), outbox, settings=settings, stop=stop)
            if seen:
                seen.round_over(heard, len(round_.said), round_.usage)
            outcome = await settle(round_, outbox, settings=settings, stop=stop)
            asked, when_full = stop.reason if stop else None, settings.delivery.when_full
            notice = failed(outcome, when_full=when_full, asked=asked) if settings.turn.show_errors else None
            if notice:
                await outbox.tell(notice)
    left = _remains([round_], outcome, outbox)
    if seen:
        seen.ends(left)
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
    trace: Hook | None = None,
) -> Reply:
    """Let *model* answer *scene* in *target*. Whatever happens, exactly one ``Reply`` comes back.

    Of several models the first is asked, and the others if it fails; one that is a function is called when it is its
    turn. *tools* are functions or ``Tool``s that the model may have run; *consent* is asked before those that need it.
    *supersedes* are messages that are taken back when the reply begins. *trace* is told all that happens, and why.
    """
    settings = _within(settings or Settings(), target)
    preparer = (preparer or PostPreparer()).under(settings.rules)
    chance = chance or Random(settings.delivery.seed)
    pictures = _has_pictures(settings, preparer)
    with ExitStack() as stack:
        seen = stack.enter_context(tracing(trace, "reply", scene, settings, stop.turn if stop else ""))
        handle = stop or stack.enter_context(Stops().open("reply"))
        workshop = ToolRunner(
            toolset(tools),
            scene=scene,
            turn=stop.turn if stop else "",
            seconds=settings.turn.tool_timeout,
            result_limit=settings.turn.tool_result_limit,
            consent=consent,
        )
        casting = FallbackChain(model, settings.turn, chance, trace=seen)
        new_text = partial(
            text_row,
            settings=settings,
            chance=chance,
            rules=rules,
            pictures=pictures,
            files=target.limits.files,
            trace=seen,
        )
        async with _outbox(target, settings, handle, preparer, scene, trace=seen) as outbox:
            outbox.supersede(supersedes)
            dialogue = ModelConversation(scene, settings)
            rounds = ToolLoop(dialogue, workshop, outbox, settings, handle)
            tries = AttemptLoop(
                casting,
                rounds,
                dialogue=dialogue,
                outbox=outbox,
                settings=settings,
                stop=handle,
                new_text=new_text,
            )
            outcome = await tries.run()
    left = _remains(rounds.kept, outcome, outbox)
    left = replace(
        left,
        usage=rounds.usage,
        served_by=rounds.served_by,
        model=casting.name,
        failures=tuple(casting.failures),
        tools=tuple(workshop.uses),
    )
    if seen:
        seen.ends(left)
    return left


def _has_pictures(settings: Settings, preparer: PostPreparer) -> bool:
    return settings.rules.tables == "picture" and preparer.painter is not None


def _within(settings: object, target: Target) -> Settings:
    """Plan no longer messages than *target* takes, leave tables to one that shows them itself, and no picture for one without."""
    if not isinstance(settings, Settings):
        msg = f"settings are made by Settings.of(degree=3) or read from a file, and {type(settings).__name__} is not"
        raise SettingsError(msg)
    limits, tables = getattr(target, "limits", None), settings.rules.tables
    if not isinstance(limits, Limits):
        msg = f"a target has 'limits', 'send' and 'typing', and {type(target).__name__} has not; CONTRIBUTING.md shows one"
        raise InputError(msg)
    if limits.tables:
        tables = "source"
    elif tables == "picture" and not limits.files:
        tables = "text"
    limit = min(settings.delivery.limit, limits.length)
    if (limit, tables) == (settings.delivery.limit, settings.rules.tables):
        return settings
    return settings.with_values({"limit": limit, "tables": tables})


def _outbox(
    target: Target,
    settings: Settings,
    stop: StopHandle | None,
    preparer: PostPreparer,
    scene: Scene,
    *,
    trace: Trace | None,
) -> Outbox:
    if isinstance(target, Calling):
        target.allow_pings(settings.delivery)
    return Outbox(
        target,
        room=settings.turn.queue,
        stop=stop,
        limit=settings.delivery.limit,
        typing_budget=settings.delivery.typing_budget,
        preparer=preparer,
        roster=scene.roster,
        place=scene.channel,
        trace=trace,
    )


def _remains(rounds: Sequence[Round], outcome: Outcome, outbox: Outbox) -> Reply:
    """Put together what is left of a reply."""
    return Reply(
        outcome=outcome,
        receipts=tuple(outbox.receipts),
        transcript="\n".join(receipt.post.said for receipt in outbox.receipts if receipt.post.said),
        thoughts=tuple(thought for round_ in rounds for thought in round_.thoughts),
        details=tuple(details for round_ in rounds for details in round_.details),
        usage=sum((round_.usage for round_ in rounds), Usage()),
        served_by=next((round_.served_by for round_ in reversed(rounds) if round_.served_by), ""),
        notices=tuple(outbox.notices),
    )
