"""Foreign code that raises: its traceback is logged, its cause is kept, and no secret is shown anywhere."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import logging.config
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings, strategies as st

from cadenza.bot.config.config import LogConfig
from cadenza.bot.services.logs import set_up, take_down
from cadenza.explain.tracebacks import get_logger, traceback_text
from cadenza.facts import LoggedFact
from cadenza.models.dialects.scripted import ScriptedCodec, parse_script, transport
from cadenza.models.model import Model
from cadenza.replies.outbox.lookups import Lookup
from cadenza.replies.outbox.prepare import PostPreparer
from cadenza.replies.reply import reply
from cadenza.rules import RULES, Rule
from cadenza.settings import Settings
from cadenza.stages.s7_delivery import Limits
from cadenza.targets.memory import MemoryTarget
from cadenza.tools.functions import tool
from cadenza.types import Broke, Identity, Line, Notice, Persona, Post, Receipt, Reply, Scene, Segment

SCENE = Scene("channel", Persona("Ren"), history=(Line("Mia", "hello"),))
SWIFT = Settings.of(degree=1, typing_budget=0.0, tool_failures=1, model_retries=0)
CALL = '{"text": "hi @ghost\\n\\n| a | b |\\n|---|---|\\n| 1 | 2 |\\n\\n"}\n{"tool": {"id": "7", "name": "roll", "arguments": {}}}\n{"finish": "tool_calls"}'

PLACES = ["tool", "consent", "rule", "send", "typing", "notify", "hook", "lookup", "painter"]
"""Whose code raises."""
CARRIES = {"tool", "rule", "send"}
"""Those whose failure ends the reply, with an error that has a cause."""


def raising_frame(error: BaseException, secret: str = "") -> None:
    """The frame that a traceback must show; *secret* is one of its locals."""
    copies = {"authorization": f"Bearer {secret}"}
    if copies:
        raise error


class Failing(MemoryTarget):
    """A chat in which one method raises."""

    def __init__(self, place: str, fail: Callable[[], None]) -> None:
        super().__init__(limits=Limits(files=True))
        self._place, self._fail = place, fail

    async def send(self, post: Post, /) -> Receipt:
        if self._place == "send":
            self._fail()
        return await super().send(post)

    async def typing(self, identity: Identity | None, /) -> None:
        if self._place == "typing":
            self._fail()
        await super().typing(identity)

    async def notify(self, notice: Notice, /) -> None:
        if self._place == "notify":
            self._fail()
        await super().notify(notice)


@dataclass
class Ran:
    """What became of a reply in which something raised."""

    reply: Reply
    target: MemoryTarget
    facts: list[LoggedFact]

    @property
    def shown(self) -> str:
        """All that people, traces and exceptions tell."""
        texts = [*self.target.texts, *map(str, self.target.notices), *map(str, self.reply.notices)]
        error = self.reply.outcome.error if isinstance(self.reply.outcome, Broke) else None
        results = [use.result.text for use in self.reply.tools]
        return "\n".join([*texts, *results, str(error), repr(error), *map(repr, self.facts)])


async def ran(place: str, fail: Callable[[], None]) -> Ran:
    """A reply in which the code of *place* calls *fail*."""

    class Broken(Rule):
        def change(self, segment: Segment) -> Segment:
            if place == "rule":
                fail()
            return segment

    async def find(_handle: str, _channel: str) -> str | None:
        if place == "lookup":
            fail()
        return None

    def roll() -> str:
        """Roll dice."""
        if place in ("tool", "notify"):
            fail()
        return "4"

    def consent(*_: object) -> bool:
        if place == "consent":
            fail()
        return True

    def hook(logged: LoggedFact) -> None:
        facts.append(logged)
        if place == "hook":
            fail()

    class Painter:
        def paint(self, _: object, /) -> bytes | None:
            if place == "painter":
                fail()
            return None

    facts: list[LoggedFact] = []
    target = Failing(place, fail)
    script = parse_script(CALL)
    model = Model(ScriptedCodec(), transport([script, parse_script('{"text": "Done."}')], asyncio.sleep))
    rolling = replace(tool(roll), needs_consent=place == "consent")
    answer = await reply(
        SCENE,
        model,
        target,
        settings=SWIFT,
        tools={"roll": rolling},
        consent=consent,
        rules=[*RULES, Broken],
        preparer=PostPreparer(painter=Painter(), lookup=Lookup(find)),
        trace=hook,
    )
    return Ran(answer, target, facts)


@contextmanager
def plain_log(level: int) -> Iterator[io.StringIO]:
    """What a program sees that knows nothing of ours: one handler on the root logger."""
    out, root, ours = io.StringIO(), logging.getLogger(), logging.getLogger("cadenza")
    handler = logging.StreamHandler(out)
    root.addHandler(handler)
    ours.setLevel(level)
    try:
        yield out
    finally:
        ours.setLevel(logging.NOTSET)
        root.removeHandler(handler)


@contextmanager
def bot_log(level: str, form: str) -> Iterator[io.StringIO]:
    out = io.StringIO()
    set_up(LogConfig(level, form), stream=out)
    try:
        yield out
    finally:
        take_down()


LOGS = {
    "library, warning": lambda: plain_log(logging.WARNING),
    "library, debug": lambda: plain_log(logging.DEBUG),
    "bot, info": lambda: bot_log("info", "text"),
    "bot, debug": lambda: bot_log("debug", "text"),
    "bot, json": lambda: bot_log("debug", "json"),
}

# --- secrets wherever they may be --------------------------------------------------------------

TAILS = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", min_size=28, max_size=36).map(
    "Z9{}".format
)
SHAPES = [
    "sk-{}",
    "sk-ant-api03-{}",
    "AIza{}",
    "xoxb-123456789012-{}",
    "Bearer {}",
    "Authorization: Bearer {}",
    "api_key={}",
    "{{'x-api-key': '{}'}}",
    "https://models.example/v1/chat?key={}",
    "https://user:{}@models.example/v1",
    "https://discord.com/api/webhooks/123456789012345678/{}",
    "MTIzNDU2Nzg5MDEyMzQ1Njc4OQ.GabcDE.{}",
]
KINDS: list[type[Exception]] = [KeyError, ValueError, OSError, RuntimeError, LookupError]


def _raised(error: BaseException, secret: str = "") -> BaseException:
    try:
        raising_frame(error, secret)
    except BaseException as caught:  # noqa: BLE001  # it comes back with its traceback
        return caught
    return error


@dataclass(frozen=True)
class Planted:
    """An exception with a secret in it."""

    secret: str
    where: str
    build: Callable[[], BaseException]

    def fail(self) -> None:
        raising_frame(self.build(), self.secret)


@st.composite
def planted(draw: st.DrawFn) -> Planted:
    tail, shape = draw(TAILS), draw(st.sampled_from(SHAPES))
    before, after = (
        draw(st.sampled_from(["", "could not ask ", "<", "'"])),
        draw(st.sampled_from(["", " (403)", "'", "\n>"])),
    )
    text = f"{before}{shape.format(tail)}{after}"
    kind, where = (
        draw(st.sampled_from(KINDS)),
        draw(st.sampled_from(["local", "text", "note", "cause", "context", "group", "both"])),
    )

    def build() -> BaseException:
        error = kind("plain" if where in ("local", "note", "cause", "context") else text)
        match where:
            case "note":
                error.add_note(text)
            case "cause":
                error.__cause__ = _raised(LookupError(text), tail)
            case "context":
                error.__context__ = _raised(LookupError(text), tail)
            case "group":
                return ExceptionGroup(text, [_raised(error, tail), ValueError(text)])
            case "both":
                error.__cause__ = ExceptionGroup(text, [_raised(OSError(text))])
        return error

    return Planted(tail, f"{where}: {text!r}", build)


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("place", PLACES)
@given(found=planted())
@settings(max_examples=8)
def test_the_traceback_is_logged_and_the_secret_is_nowhere(place: str, log: str, found: Planted) -> None:
    with LOGS[log]() as out:
        made = asyncio.run(ran(place, found.fail))

    written = out.getvalue()
    assert ", in raising_frame" in written
    assert type(found.build()).__name__ in written
    assert found.secret not in written
    assert found.secret not in made.shown


@given(found=planted())
def test_a_traceback_has_no_secret_and_its_texts_only_if_they_are_wanted(found: Planted) -> None:
    error = _raised(found.build(), found.secret)

    whole, bare = traceback_text(error, has_texts=True), traceback_text(error, has_texts=False)

    assert found.secret not in whole + bare
    assert "could not ask" not in bare
    assert ", in raising_frame" in bare


# --- causes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", sorted(CARRIES))
def test_the_error_of_an_outcome_has_what_was_raised_as_its_cause(place: str) -> None:
    error = KeyError("sides")

    made = asyncio.run(ran(place, lambda: raising_frame(error)))

    assert isinstance(made.reply.outcome, Broke)
    assert error is made.reply.outcome.error.__cause__
    assert "sides" not in str(made.reply.outcome.error)


# --- loggers -----------------------------------------------------------------------------------


def test_a_logger_hides_secrets_before_any_handler_sees_them_whatever_is_configured() -> None:
    seen: list[logging.LogRecord] = []
    logger = get_logger("cadenza.tests.hidden")
    get_logger("cadenza.tests.hidden")
    logging.config.dictConfig(
        {"version": 1, "disable_existing_loggers": False, "loggers": {logger.name: {"handlers": []}}}
    )
    handler = logging.Handler()
    handler.emit = seen.append  # type: ignore[method-assign,assignment]  # it only looks
    logger.addHandler(handler)

    logger.warning("it failed", exc_info=_raised(ValueError("sk-abcdefgh12345678")))

    logger.removeHandler(handler)
    assert [None] == [record.exc_info for record in seen]
    assert "raising_frame" in str(seen[0].exc_text)
    assert "12345678" not in str(vars(seen[0]))


def test_a_record_without_an_exception_stays_as_it_is() -> None:
    record = logging.LogRecord("cadenza.x", logging.INFO, "", 0, "hi", (), (None, None, None))

    assert all(one(record) if callable(one) else one.filter(record) for one in get_logger("cadenza.x").filters)
    assert (None, "hi") == (record.exc_text, record.getMessage())


class Mute(Exception):  # noqa: N818  # it is no error
    """An exception that cannot be shown."""

    def __str__(self) -> str:
        raise RuntimeError


def test_what_cannot_be_shown_is_logged_all_the_same() -> None:
    assert traceback_text(Mute(), has_texts=True).endswith("Mute: (its text cannot be shown: RuntimeError)")


def test_a_text_begins_no_line_of_its_own() -> None:
    error = ValueError("one\r\ntwo\x1b[2J\u2028three")
    error.add_note("four\nfive")

    assert traceback_text(error, has_texts=True).endswith("\nValueError: one two [2J three\n  four five")


def test_a_chain_is_shown_from_its_first_cause_to_the_last_and_only_so_long() -> None:
    error: BaseException = ValueError("0")
    first = error
    for number in range(1, 200):
        following = ValueError(str(number))
        following.__cause__ = error
        error = following
    first.__cause__ = error  # in a circle

    lines = [line for line in traceback_text(error, has_texts=True).splitlines() if line.startswith("ValueError")]

    assert [f"ValueError: {number}" for number in range(180, 200)] == lines


def test_causes_contexts_and_members_are_told_apart() -> None:
    inner, cause = ValueError("inner"), KeyError("cause")
    group = ExceptionGroup("group", [inner])
    group.__cause__, cause.__context__ = cause, OSError("context")

    text = traceback_text(group, has_texts=False)

    assert [
        "OSError",
        "While this was handled, the exception below was raised.",
        "KeyError",
        "This was the direct cause of the exception below.",
        "ValueError",
        "This is a member of the group below.",
        "ExceptionGroup",
    ] == [line for line in text.splitlines() if line and not line.startswith("Traceback")]


def test_only_the_innermost_frames_are_shown() -> None:
    def deep(left: int) -> None:
        deep(left - 1) if left else raising_frame(ValueError())

    with pytest.raises(ValueError) as caught:  # noqa: PT011  # it says nothing
        deep(100)

    assert 40 >= traceback_text(caught.value, has_texts=False).count('  File "')
    assert ", in raising_frame" in traceback_text(caught.value, has_texts=False)


def test_json_has_the_traceback_in_a_field() -> None:
    with bot_log("info", "json") as out:
        get_logger("cadenza.x").warning("it failed", exc_info=_raised(KeyError("x")))

    assert json.loads(out.getvalue())["trace"].endswith("\nKeyError")
