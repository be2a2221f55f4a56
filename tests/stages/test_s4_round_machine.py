"""The machine under fire: any events in any order, with rules that hold back, halt and fail.

What is fed is numbered word by word, so that what comes out shows at once whether anything was lost, doubled or moved.
"""

from __future__ import annotations

import re
from itertools import count
from random import Random

from hypothesis import settings as hypothesis_settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from cadenza.errors import CadenzaError, DeliveryError, DeliveryKind, ProviderError
from cadenza.replies.pipeline import text_row
from cadenza.rules import RULES, Rule
from cadenza.settings import Settings
from cadenza.stages.s4_round import Keep, Round, kept, outcome_of
from cadenza.types import (
    Broke,
    Completed,
    Empty,
    Ending,
    Failed,
    FellSilent,
    Finished,
    Halt,
    NeedsTools,
    Outcome,
    Persona,
    Post,
    RoundEvent,
    Scene,
    Segment,
    SendFailed,
    Served,
    Stalled,
    Stopped,
    StopReason,
    StopRequested,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)

_FRAMES = (
    *("{} ", "{}. ", "{}.\n", "{}\n\n", "**{}\n", "({} ", '"{}" ', "`{}` ", "- {}\n", "> {}\n", "{}, {}\n", "{}"),
    *("```py\n{}\n```\n", "| {} | {} |\n|---|---|\n| {} | {} |\n\n", "\n", " ", ""),
)
_WORD = re.compile(r"w\d+x")
_HIDDEN = re.compile(r"h\d+x")


class Moody(Rule):
    """Halts and fails where it is told to by the model, of all people."""

    def feed(self, segment: Segment, /) -> tuple[Segment | Halt, ...]:
        if "FAIL" in segment.text:
            raise ValueError(segment.text)
        if "HALT" in segment.text:
            return (Halt(StopReason.RULE),)
        return (segment,)


class MoodyAtTheEnd(Rule):
    """Fails when nothing more comes."""

    def flush(self, why: Ending, /) -> tuple[()]:
        raise KeyError(why)


class RoundMachine(RuleBasedStateMachine):
    """Throws events at a round and knows what must come of them."""

    @initialize(
        degree=st.integers(0, 3),
        limit=st.sampled_from([0, 0, 0, 1, 3]),
        on_stop=st.sampled_from(["clause", "silence"]),
        last=st.sampled_from([(), (), (MoodyAtTheEnd,)]),
    )
    def begin(self, degree: int, limit: int, on_stop: str, last: tuple[type[Rule], ...]) -> None:
        settings = Settings.of(degree=degree, message_limit=limit, on_stop=on_stop, tables="source", limit=200)
        row = text_row(Scene("", Persona("Ren")), settings, Random(0), rules=[*RULES, Moody, *last])
        self.round = Round(row, on_stop=on_stop)
        self.on_stop = on_stop
        self.numbers = count(1)
        self.spoken: list[str] = []
        self.thought = ""
        self.hidden: list[str] = []
        self.block = ""  # the hidden block that is open
        self.posts: list[Post] = []
        self.calls: list[ToolCall] = []
        self.usage = Usage()
        self.served = ""

    def receive(self, event: RoundEvent) -> None:
        before = self.round.outcome
        posts = self.round.receive(event)
        self.posts += posts
        if before is not None:
            assert posts == [], "after the outcome there is silence"
            self._check_overtaking(before, event)
        elif self.round.outcome is not None:
            self._check_ending(self.round.outcome, event, posts)

    def _check_overtaking(self, before: Outcome, event: RoundEvent) -> None:
        is_stopped = isinstance(before, Stopped) and before.reason is not StopReason.ROUND_LIMIT
        is_final = is_stopped or (isinstance(before, Broke) and isinstance(before.error, DeliveryError))
        counts = isinstance(event, StopRequested | SendFailed) and not is_final
        assert (outcome_of(event) if counts else before) == self.round.outcome

    def _check_ending(self, outcome: Outcome, event: RoundEvent, posts: list[Post]) -> None:
        is_own = self.round.halt is not None or self.round.fault is not None
        match event:
            case StopRequested() | SendFailed() | Failed() | FellSilent():
                assert outcome == outcome_of(event) or (is_own and not isinstance(event, StopRequested | SendFailed))
            case Finished(reason):
                finished: Outcome = Completed(reason) if self.round.said else Empty(reason)
                assert outcome == (NeedsTools(tuple(self.calls)) if self.calls else finished) or is_own
            case _:
                assert is_own, "only a stage ends a round in the middle"
        if is_own:
            return
        match kept(outcome, on_stop=self.on_stop):
            case Keep.CLAUSE:
                assert all(post.text for post in posts), "the queue makes one message of them"
            case Keep.NOTHING | Keep.DECIDED:
                assert posts == []
            case Keep.EVERYTHING:
                assert self.calls or self.spoken == self.said_words

    @property
    def is_open(self) -> bool:
        return self.round.outcome is None

    @property
    def said_words(self) -> list[str]:
        return _WORD.findall("".join(post.text for post in self.posts))

    def teardown(self) -> None:
        """Whatever happened before, the end of the stream is the end."""
        if hasattr(self, "round"):
            self.receive(Finished())
            assert self.round.outcome is not None

    # --- what the model says ----------------------------------------------------------------

    @rule(frames=st.lists(st.sampled_from(_FRAMES), min_size=1, max_size=6))
    def speak(self, frames: list[str]) -> None:
        letter = "h" if self.block else "w"
        words = [f"{letter}{next(self.numbers)}x" for frame in frames for _ in range(frame.count("{}"))]
        if self.is_open:
            (self.hidden if self.block else self.spoken).extend(words)
        self.receive(TextDelta("".join(frames).format(*words)))

    @precondition(lambda self: not self.block)
    @rule(tag=st.sampled_from(["think", "details"]), is_closed=st.sampled_from([True, True, True, False]))
    def hide(self, tag: str, *, is_closed: bool) -> None:
        word = f"h{next(self.numbers)}x"
        if self.is_open:
            self.hidden.append(word)
            self.block = "" if is_closed else tag
        self.receive(TextDelta(f"\n\n<{tag}>{word}" + (f"</{tag}>\n\n" if is_closed else "")))

    @precondition(lambda self: self.block)
    @rule()
    def close(self) -> None:
        tag, self.block = self.block, ""
        self.receive(TextDelta(f"</{tag}>\n\n"))

    @precondition(lambda self: self.posts and not self.block)
    @rule(word=st.sampled_from(["\nHALT\nx", "\nFAIL\nx"]))
    def provoke(self, word: str) -> None:
        self.receive(TextDelta(word))

    @rule()
    def think(self) -> None:
        word = f"t{next(self.numbers)}x"
        self.thought += word if self.is_open else ""
        self.receive(ThoughtDelta(word))

    @rule()
    def call(self) -> None:
        call = ToolCall(str(next(self.numbers)), "dice", "{}")
        if self.is_open:
            self.calls.append(call)
            self.block = ""  # what is open is over
        self.receive(call)

    @rule(tokens=st.integers(0, 99))
    def count_tokens(self, tokens: int) -> None:
        self.usage = Usage(tokens) if self.is_open else self.usage
        self.receive(Usage(tokens))

    @rule(name=st.sampled_from(["", "one", "two"]))
    def serve(self, name: str) -> None:
        self.served = self.served or (name if self.is_open else "")
        self.receive(Served(name))

    # --- how it ends ------------------------------------------------------------------------

    @rule(reason=st.sampled_from(["stop", "length", "tool_calls", "end_of_stream"]))
    def finish(self, reason: str) -> None:
        self.receive(Finished(reason))

    @rule(error=st.builds(ProviderError, st.just("overloaded")))
    def fail(self, error: CadenzaError) -> None:
        self.receive(Failed(error))

    @rule(has_begun=st.booleans())
    def fall_silent(self, *, has_begun: bool) -> None:
        self.receive(FellSilent(has_begun))

    @rule(kind=st.sampled_from(DeliveryKind))
    def refuse(self, kind: DeliveryKind) -> None:
        self.receive(SendFailed(DeliveryError("refused", kind=kind)))

    @rule(reason=st.sampled_from(StopReason))
    def stop(self, reason: StopReason) -> None:
        self.receive(StopRequested(reason))

    # --- what must hold ---------------------------------------------------------------------

    @invariant()
    def what_was_said_is_what_was_given_out(self) -> None:
        assert [post.said for post in self.posts if post.said] == self.round.said

    @invariant()
    def what_is_given_out_is_what_was_fed_in_its_order(self) -> None:
        """But for what a call cuts off, which is at most one clause: then a word may be missing, none is doubled."""
        words = self.said_words
        if self.calls:
            left = iter(self.spoken)
            assert all(word in left for word in words)
        else:
            assert words == self.spoken[: len(words)]

    @invariant()
    def what_is_hidden_is_never_shown(self) -> None:
        assert not _HIDDEN.search("".join(post.text for post in self.posts))

    @invariant()
    def what_was_thought_is_never_lost(self) -> None:
        kept_words = "".join(re.findall(r"t\d+x", "".join(self.round.thoughts)))
        assert self.thought == kept_words

    @invariant()
    def what_was_hidden_is_kept_once_it_is_over(self) -> None:
        found = _HIDDEN.findall("".join([*self.round.thoughts, *self.round.details]))
        assert sorted(set(found)) == sorted(found), "nothing twice"
        if not self.is_open and self.round.halt is None and self.round.fault is None:
            assert sorted(self.hidden) == sorted(found)

    @invariant()
    def the_last_count_and_the_first_name_count(self) -> None:
        assert (self.usage, self.served) == (self.round.usage, self.round.served_by)

    @invariant()
    def an_outcome_is_one_of_six(self) -> None:
        assert isinstance(self.round.outcome, Completed | NeedsTools | Stopped | Broke | Empty | Stalled | type(None))


TestRoundMachine = RoundMachine.TestCase
TestRoundMachine.settings = hypothesis_settings(stateful_step_count=25)
