"""Films for tests of the inside: small ones told by hand, so that every number in them is known, and a very long one."""

from __future__ import annotations

from typing import Any

from cadenza.explain.telling import told_story
from cadenza.facts import (
    AttemptBegan,
    Edge,
    Fact,
    LoggedFact,
    MessagePlanned,
    MessageSent,
    MessagesMerged,
    MessageWaits,
    ReplyBegan,
    ReplyEnded,
    RequestSent,
    SendingBegan,
    StopAsked,
    TextChanged,
    TextCut,
    TextHeld,
    TextHidden,
)
from cadenza.play.films.fact_records import record_of

CHANNEL, ASKED, TURN = "900", "1000", "turn-1"
Record = dict[str, Any]
LINE = {"reason": "line", "setting": "shape", "value": "lines", "mark": "\n"}
REPLY = {"reason": "reply", "setting": "", "value": None, "mark": ""}


def fact(at: float, what: Fact, *, turn: str = TURN) -> Record:
    """The record of a fact."""
    record = record_of(LoggedFact(what, at, turn), at)
    assert record is not None
    return record.as_json()


def tokens(at: float, *texts: str, every: float = 0.02, sort: str = "text", turn: str = TURN) -> Record:
    """What the model said from *at* on, a token *every* so often."""
    times = [round(place * every, 6) for place in range(len(texts))]
    lengths = [len(text.encode("utf-16-le")) // 2 for text in texts]
    return {
        "at": at, "kind": "tokens", "turn": turn, "sort": sort, "text": "".join(texts), "lengths": lengths, "times": times,
    }  # fmt: skip


def reply(at: float = 0.0, turn: str = TURN, persona: str = "Ren", asked: str | None = ASKED) -> Record:
    """A reply begins."""
    return fact(at, ReplyBegan("reply", CHANNEL, persona, asked, {}), turn=turn)


def cut(at: float, number: int, text: str, start: int) -> Record:
    """The buffer cut a line off that stands at *start* in the model's text."""
    return fact(at, TextCut(number, text, "newline", "\n", "", None, "prose", ((len(text), start, ""),)))


def post(
    at: float, number: int, text: str, covers: tuple[int, int], *, pause: float = 0.0, segments: tuple[int, ...] = ()
) -> Record:
    """A message is planned that is one segment of the same number."""
    return fact(
        at,
        MessagePlanned(
            number=number, segments=segments or (number,), text=text, origin=(), covers=(covers,), starts=Edge("line"),
            ends=Edge("line", "shape", "lines", "\n"), pause=pause, typing=pause, breath=0.0, thinking=0.0, cut=0.0,
            identity=None, label="", reply=None, picture=False, file=None,
        ),
    )  # fmt: skip


def changed(at: float, by: str, before: str, after: str) -> Record:
    """A rule changed the first segment."""
    return fact(at, TextChanged(by, "rules", "changed", (1,), (before,), (after,), ()))


def sent(at: float, message: str, posts: list[int], text: str) -> Record:
    """A message arrived."""
    return fact(at, MessageSent(tuple(posts), text, (), (), message, None, None, None, {}, 0.08))


def story(at: float, message: str, raw: list[list[int]], **more: object) -> Record:
    """What is known of a message."""
    told: dict[str, object] = {
        "number": 1, "text": "", "name": None, "file": None, "starts": REPLY, "ends": LINE, "raw": raw, "segments": [],
        "posts": [], "holds": [], "rules": [], "waits": [], "merged": None,
        "pause": {"planned": 0.0, "typing": 0.0, "breath": 0.0, "thinking": 0.0, "cut": 0.0},
        "times": {"heard": at - 0.3, "planned": at - 0.2, "sending": at - 0.1, "sent": at},
    }  # fmt: skip
    whole = {**told, **more}
    return {"at": at, "kind": "story", "turn": TURN, "message": message, "story": {"told": told_story(whole), **whole}}


def call(at: float, status: int | None, retry_after: float | None = None) -> Record:
    """Something was asked of Discord."""
    route = f"POST /channels/{CHANNEL}/messages"
    return {"at": at, "kind": "call", "route": route, "status": status, "code": None, "retry_after": retry_after}


def evening() -> list[Record]:
    """A reply with a bit of everything: a thought, a held bracket, a rule, a pause, a rate limit, a merge, a cut-off end."""
    evening, waved, greeted = "Evening, @mia! :wave:\n", "Evening, @mia! 👋\n", "Evening, <@1>! 👋\n"
    three = "So (first of all).\nNow two.\nAnd three."
    return [
        reply(),
        fact(0.01, AttemptBegan(1, "script:evening", None, "first")),
        fact(0.02, RequestSent(1, "", remembered=False, error=None, turns=2, tools=1, bytes=246)),
        tokens(0.2, "The person ", "greets me.", sort="thought"),
        tokens(0.4, "Even", "ing, ", "@mia", "! :wave:", "\n", "<think>", "mm", "</think>", "So (", "first"),
        cut(0.49, 1, evening, 0),
        changed(0.49, "emoji", evening, waved),
        changed(0.49, "mentions", waved, greeted),
        post(0.49, 1, "Evening, <@1>! 👋", (0, 22)),
        fact(0.49, SendingBegan((1,))),
        fact(0.5, TextHeld("hidden", "", 7)),
        fact(0.55, TextHeld("", "", 0)),
        fact(0.56, TextHidden("thought", "mm", ((22, 39),))),
        fact(0.57, TextHeld("mark", "(", 9)),
        call(0.57, 200),
        sent(0.57, "2001", [1], "Evening, <@1>! 👋"),
        story(
            0.57, "2001", [[0, 22]], number=1, posts=[1], segments=[1],
            rules=[
                {"at": 0.49, "rule": "emoji", "stage": "rules", "effect": "changed", "before": [evening], "after": [waved]},
                {"at": 0.49, "rule": "mentions", "stage": "rules", "effect": "changed", "before": [waved], "after": [greeted]},
            ],
            times={"since": 0.02, "heard": 0.48, "planned": 0.49, "sending": 0.49, "sent": 0.57},
        ),
        {"at": 0.57, "kind": "fate", "turn": TURN, "raw": [[22, 39]], "fate": "thought"},
        tokens(0.7, " of ", "all).", "\n", "Now", " two.", "\n", "And", " three.", "\n", every=0.1),
        fact(0.95, TextHeld("", "", 0)),
        cut(1.0, 2, "So (first of all).\n", 39),
        post(1.0, 2, "So (first of all).", (39, 58), pause=1.25),
        fact(1.0, MessageWaits((2,), "typing")),
        cut(1.3, 3, "Now two.\n", 58),
        post(1.3, 3, "Now two.", (58, 67)),
        cut(1.6, 4, "And three.\n", 67),
        post(1.6, 4, "And three.", (67, 78)),
        fact(2.25, MessageWaits((2,), "rate_limit")),
        call(2.25, 429, 2.0),
        fact(4.25, MessagesMerged((2, 3, 4), three, "rate_limit")),
        fact(4.25, SendingBegan((2, 3, 4))),
        call(4.4, 200),
        sent(4.4, "2002", [2, 3, 4], three),
        story(
            4.4, "2002", [[39, 78]], number=2, starts=LINE, posts=[2, 3, 4], segments=[2, 3, 4],
            holds=[{"from": 0.57, "to": 0.95, "why": "mark", "mark": "("}],
            pause={"planned": 1.25, "typing": 0.75, "breath": 0.5, "thinking": 0.0, "cut": 0.0},
            waits=[{"from": 1.0, "to": 2.25, "why": "typing"}, {"from": 2.25, "to": 4.25, "why": "rate_limit"}],
            times={"since": 0.48, "heard": 1.5, "planned": 1.6, "sending": 4.25, "sent": 4.4},
            merged={"count": 3, "why": "rate_limit"},
        ),
        tokens(4.5, "But", " th", every=0.1),
        fact(4.8, StopAsked("user", "Mia")),
        {"at": 4.8, "kind": "fate", "turn": TURN, "raw": [[78, 84]], "fate": "cut"},
        fact(4.9, ReplyEnded({"kind": "stopped", "reason": "user", "error": None}, 2, "script:evening", 0, 0, {})),
    ]  # fmt: skip


def long_film(size: int = 250_000) -> list[Record]:
    """A megabyte of prose: *size* tokens, of which every 250 become a message."""
    records = [reply()]
    lines = ("This ", "is ", "a l", "ine", ".\n") * 50
    length = len("".join(lines))
    for number in range(1, size // len(lines) + 1):
        at, message, end = number * 0.25, str(10_000 + number), number * length
        records += [
            tokens(at, *lines, every=0.001),
            sent(at + 0.25, message, [], "This is a line.\n" * 50),
            story(at + 0.25, message, [[end - length, end]]),
        ]
    return records
