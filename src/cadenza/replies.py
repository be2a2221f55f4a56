"""A whole reply: rounds with a model until there is an answer, tools in between, and what is left of it all."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random

from .backstage import Backstage
from .errors import InputError
from .models import Model, stream
from .pipeline import (
    Outbox,
    conclude,
    end_task,
    overtaking,
    run_round,
    settle,
    text_row,
)
from .rules import RULES, Rule
from .rules.prefill import can_be_shown
from .settings import Settings
from .stages.s1_context import assemble
from .stages.s4_round import Round
from .stages.s7_delivery import Chance, Limits, Target
from .stages.stage import Pipe
from .stops import StopHandle
from .streams import Speech, from_stream
from .tools.running import run_call
from .tools.tool import Tool
from .types import (
    Completed,
    Empty,
    NeedsTools,
    Outcome,
    Persona,
    Prompt,
    PromptTurn,
    Receipt,
    Reply,
    Role,
    Scene,
    Usage,
)


async def say(
    target: Target,
    stream: Speech,
    *,
    scene: Scene | None = None,
    settings: Settings | None = None,
    stop: StopHandle | None = None,
    chance: Chance | None = None,
    rules: Iterable[type[Rule]] = RULES,
    backstage: Backstage | None = None,
) -> Reply:
    """Deliver what a model says, from any stream of text, to *target* as natural messages.

    *stream* is a text, an iterable or async iterable of texts or chunks, or what the client of a provider gives back:
    see ``from_stream``. *scene* tells the rules who speaks and
    whom they may name; without it names, emoji and mentions stay as the model wrote them. *backstage* is who makes
    pictures of tables and looks people up; a bot keeps one for all its replies.
    """
    settings = _within(settings or Settings(), target)
    scene, backstage = scene or Scene("", Persona("")), (backstage or Backstage()).under(settings.rules)
    text = _text_row(scene, settings, chance, rules, backstage)
    round_ = _new_round(text, settings)
    async with _outbox(target, settings, stop, backstage, scene) as outbox:
        await run_round(round_, from_stream(stream), outbox, settings=settings, stop=stop)
        outcome = await settle(round_, outbox, settings=settings, stop=stop)
    return _remains([round_], outcome, outbox.receipts)


async def reply(
    scene: Scene,
    model: Model,
    target: Target,
    *,
    settings: Settings | None = None,
    tools: Mapping[str, Tool] | None = None,
    stop: StopHandle | None = None,
    chance: Chance | None = None,
    rules: Iterable[type[Rule]] = RULES,
    backstage: Backstage | None = None,
) -> Reply:
    """Let *model* answer *scene* in *target*. Whatever happens, exactly one ``Reply`` comes back."""
    settings = _within(settings or Settings(), target)
    backstage = (backstage or Backstage()).under(settings.rules)
    text = _text_row(scene, settings, chance, rules, backstage)
    turn = _Turn(scene, model, text, settings, tools or {})
    async with _outbox(target, settings, stop, backstage, scene) as outbox:
        outcome = await turn.run(outbox, stop)
    return _remains(turn.rounds, outcome, outbox.receipts)


def _within(settings: Settings, target: Target) -> Settings:
    """Plan no longer messages than *target* takes, leave tables to one that shows them itself, and no picture for one without."""
    limits, tables = getattr(target, "limits", None), settings.rules.tables
    if not isinstance(limits, Limits):
        msg = f"a target has 'limits', 'send' and 'typing', and {type(target).__name__} has not; CONTRIBUTING.md shows one"
        raise InputError(msg)
    if limits.tables:
        tables = "source"
    elif tables == "picture" and not limits.files:
        tables = "text"
    return settings.with_values({"limit": min(settings.delivery.limit, limits.length), "tables": tables})


def _text_row(
    scene: Scene, settings: Settings, chance: Chance | None, rules: Iterable[type[Rule]], backstage: Backstage
) -> Pipe:
    pictures = settings.rules.tables == "picture" and backstage.painter is not None
    return text_row(scene, settings, chance or Random(settings.delivery.seed), rules=rules, pictures=pictures)


def _outbox(target: Target, settings: Settings, stop: StopHandle | None, backstage: Backstage, scene: Scene) -> Outbox:
    limit, room = settings.delivery.limit, settings.turn.queue
    return Outbox(
        target, room=room, stop=stop, limit=limit, backstage=backstage, roster=scene.roster, place=scene.channel
    )


def _new_round(text: Pipe, settings: Settings) -> Round:
    return Round(text, limit=settings.delivery.limit, on_stop=settings.turn.on_stop)


def _remains(rounds: Sequence[Round], outcome: Outcome, receipts: Sequence[Receipt]) -> Reply:
    """Put together what is left of a reply."""
    return Reply(
        outcome=outcome,
        receipts=tuple(receipts),
        transcript="\n".join(receipt.post.said for receipt in receipts if receipt.post.said),
        thoughts=tuple(thought for round_ in rounds for thought in round_.thoughts),
        details=tuple(details for round_ in rounds for details in round_.details),
        usage=sum((round_.usage for round_ in rounds), Usage()),
        served_by=next((round_.served_by for round_ in reversed(rounds) if round_.served_by), ""),
    )


class _Turn:
    """The rounds of one reply, and what they leave behind."""

    def __init__(self, scene: Scene, model: Model, text: Pipe, settings: Settings, tools: Mapping[str, Tool]) -> None:
        self._model = model
        self._settings = settings
        self._tools = tools
        specs, guard = [tool.spec for tool in tools.values()], settings.rules.speaker_guard
        self._prompt = assemble(scene, specs, settings.context, stop_at_speaker=guard)
        self._text = text
        self.rounds: list[Round] = []

    async def run(self, outbox: Outbox, stop: StopHandle | None) -> Outcome:
        """Run rounds until one does not want tools, then wait for the last message."""
        for left in range(self._settings.turn.tool_rounds, -1, -1):
            round_ = _new_round(self._text, self._settings)
            self.rounds.append(round_)
            outcome = await run_round(
                round_, stream(self._model, self._prompt), outbox, settings=self._settings, stop=stop
            )
            if not left or not isinstance(outcome, NeedsTools):
                break
            if not await self._run_tools(round_, outcome, outbox, stop):
                break
        outcome = await settle(round_, outbox, settings=self._settings, stop=stop)
        if isinstance(outcome, Empty) and outbox.receipts:
            return Completed(outcome.reason)  # it had said what there was to say before it called its tools
        return outcome

    async def _run_tools(self, round_: Round, wanted: NeedsTools, outbox: Outbox, stop: StopHandle | None) -> bool:
        """Run what the model wants and put the results into the prompt; ``False`` if the reply was over first."""
        running = asyncio.create_task(self._run_all(wanted), name="cadenza tools")
        try:
            event = await overtaking(running, outbox=outbox, stop=stop)
            if event:  # decided now, however long a tool takes to clean up
                conclude(event, round_, outbox, self._settings.turn.on_stop)
                return False
        finally:
            await end_task(running)
        said = _said(round_, self._prompt.prefill, is_shown=self._settings.rules.show_prefill)
        self._prompt = _continued(self._prompt, said, wanted, running.result())
        return True

    async def _run_all(self, wanted: NeedsTools) -> list[str]:
        seconds = self._settings.turn.tool_timeout
        return await asyncio.gather(*(run_call(self._tools, call, seconds=seconds) for call in wanted.calls))


def _said(round_: Round, prefill: str, *, is_shown: bool) -> str:
    """What was said before the calls, behind the words that were put into the model's mouth.

    Where people see those, they are there already; where code or a hidden block opens in them, so it does out of sight.
    """
    said = "\n".join(round_.said)
    if said.startswith(prefill) or (said and is_shown) or not can_be_shown(prefill):
        return said
    return f"{prefill} {said}".rstrip()


def _continued(prompt: Prompt, said: str, wanted: NeedsTools, results: list[str]) -> Prompt:
    """Add what was *said* before the calls, the calls, and their results; the words to begin with were said once."""
    turns = [replace(PromptTurn.said(Role.MODEL, said), calls=wanted.calls)]
    turns += [
        PromptTurn(Role.TOOL, (result,), call_id=call.id) for call, result in zip(wanted.calls, results, strict=True)
    ]
    return replace(prompt, turns=prompt.turns + tuple(turns), prefill="")
