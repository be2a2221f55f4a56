from __future__ import annotations

import pytest

from cadenza.explain.provenance import Provenance, Weave, joined
from cadenza.explain.steps import TraceStep


def step(name: str, **about: object) -> TraceStep:
    return TraceStep(name, 0.0, about)


class Followed:
    """A reply whose model said *text*, as one segment."""

    def __init__(self, text: str, *segments: str) -> None:
        self.text = text
        self.origin = Provenance()
        self.feed(step("chunk", kind="text", text=text))
        for number, segment in enumerate(segments or (text,), start=1):
            self.feed(step("segment", number=number, text=segment))

    def feed(self, *steps: TraceStep) -> None:
        for one in steps:
            self.origin.feed(one)

    def sent(self, *posts: int, text: str = "", is_whole: bool = True) -> list[str]:
        return self._raw(self.origin.sent(posts, text, is_whole=is_whole))

    @property
    def fates(self) -> list[tuple[str, str]]:
        return [(fate, raw) for owned, fate in self.origin.fates for raw in self._raw(owned)]

    def _raw(self, owned: object) -> list[str]:
        return [self.text[begin:end] for begin, end in self.origin.ranges(owned)]  # type: ignore[arg-type]  # as it was given


def post(number: int, text: str, *segments: int) -> TraceStep:
    return step("post", number=number, text=text, segments=list(segments))


def rule(effect: str, before: list[str], after: list[str], *segments: int) -> TraceStep:
    return step("rule", rule="some", effect=effect, before=before, after=after, segments=list(segments))


def test_text_can_be_parted_and_joined_again() -> None:
    weave = Weave("abc", [0, 1, 3, 4], [7, 8, 9, 12])

    first, rest = weave.parted(1)

    assert (Weave("a", [0, 1], [7]), Weave("bc", [0, 2, 3], [8, 9, 12])) == (first, rest)
    assert weave == joined((first, rest))


def test_what_a_rule_changes_is_still_all_there() -> None:
    reply = Followed("Ren: hi @mia\n")
    reply.feed(rule("changed", ["Ren: hi @mia\n"], ["hi <@1>\n"], 1), post(1, "hi <@1>", 1))

    assert ["Ren: hi @mia"] == reply.sent(1)


def test_a_segment_that_is_several_messages_is_shared_among_them() -> None:
    reply = Followed("One two. Three four.")
    reply.feed(post(1, "One two.", 1), post(2, "Three four.", 1))

    assert (["One two."], ["Three four."]) == (reply.sent(1), reply.sent(2))


def test_what_a_rule_splits_goes_two_ways() -> None:
    reply = Followed("Hello. Ren (mad): No!")
    reply.feed(rule("split", ["Hello. Ren (mad): No!"], ["Hello. ", "No!"], 1), post(1, "Hello.", 1))
    reply.feed(rule("dropped", ["No!"], [], 1))

    assert ["Hello."] == reply.sent(1)
    assert [("dropped", "Ren (mad): No!")] == reply.fates


def test_what_is_held_waits_for_its_message() -> None:
    reply = Followed("Hm\nso\n", "Hm\n", "so\n")
    reply.feed(rule("held", ["Hm\n"], [], 1), rule("released", ["Hm\n", "so\n"], ["Hm\n", "so\n"], 1, 2))
    reply.feed(post(1, "Hm", 1), post(2, "so", 2))

    assert (["Hm"], ["so"], []) == (reply.sent(1), reply.sent(2), reply.fates)


def test_what_is_left_of_the_last_message_belongs_to_it() -> None:
    reply = Followed("A long line, and its end, which nobody is shown at all.")
    reply.feed(post(1, "A long line", 1), step("chunk", kind="text", text=""))

    assert ["A long line, and its end, which nobody is shown at all."] == reply.sent(
        1, text="A long line", is_whole=False
    )


def test_what_a_limit_leaves_of_a_segment_is_cut() -> None:
    reply = Followed("One two. Three four.")
    reply.feed(post(1, "One two.", 1), step("halt", by="composer"), step("round", outcome={"kind": "stopped"}))

    assert (["One two."], [("cut", "Three four.")]) == (reply.sent(1), reply.fates)


def test_a_picture_is_made_of_all_of_its_table() -> None:
    reply = Followed("|a|\n|-|\n|b|\n")
    reply.feed(post(1, "", 1))

    assert ["|a|\n|-|\n|b|"] == reply.sent(1)


def test_a_table_that_could_not_be_painted_is_several_messages() -> None:
    rows = [f"row number {number} of the table" for number in range(4)]
    reply = Followed("\n".join(rows))
    reply.feed(post(1, "", 1))

    assert ["\n".join(rows[:2])] == reply.sent(1, text="\n".join(rows[:2]), is_whole=False)
    assert ["\n".join(rows[2:])] == reply.sent(1, text="\n".join(rows[2:]), is_whole=False)


@pytest.mark.parametrize(
    ("steps", "fate"),
    [
        pytest.param([step("left_out", posts=[1])], "dropped", id="left out"),
        pytest.param([step("cut", posts=[], dropped=[1])], "cut", id="cut"),
        pytest.param([step("unsent", posts=[1])], "cut", id="unsent"),
        pytest.param([step("withdrawn", posts=[1]), step("end")], "dropped", id="withdrawn"),
        pytest.param([step("withdrawn", posts=[1]), step("brought_back", posts=[1]), step("end")], "cut", id="lost"),
    ],
)
def test_a_message_that_is_never_sent_has_a_fate(steps: list[TraceStep], fate: str) -> None:
    reply = Followed("Hello")
    reply.feed(post(1, "Hello", 1), *steps)

    assert [(fate, "Hello")] == reply.fates


@pytest.mark.parametrize(("kind", "fate"), [("completed", "dropped"), ("stopped", "cut"), ("needs_tools", "cut")])
def test_what_is_in_no_segment_has_a_fate_when_the_model_was_heard_out(kind: str, fate: str) -> None:
    reply = Followed("Hello. I th", "Hello. ")
    reply.feed(step("round", outcome={"kind": kind}))

    assert [("Hello.", fate), ("I th", fate)] == [(raw, fate) for fate, raw in reply.fates]


def test_what_a_failed_goodbye_leaves_is_cut() -> None:
    reply = Followed("One clause only, and another one that nobody waits for.")
    reply.feed(post(1, reply.text, 1), step("cut", keep="clause", posts=[1], dropped=[]))

    assert ["One clause only,"] == reply.sent(1, text="One clause only,", is_whole=False)
    reply.feed(step("end"))
    assert [("cut", "and another one that nobody waits for.")] == reply.fates
