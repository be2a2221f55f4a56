"""Films for tests of the inside: small ones told by hand, so that every number in them is known, and a very long one."""

from __future__ import annotations

from typing import Any

CHANNEL, ASKED, TURN = "900", "1000", "turn-1"
Record = dict[str, Any]


def step(at: float, name: str, *, turn: str = TURN, **about: object) -> Record:
    """A step of the trace."""
    return {"at": at, "kind": "step", "turn": turn, "step": name, "about": about}


def tokens(at: float, *texts: str, every: float = 0.02, sort: str = "text", turn: str = TURN) -> Record:
    """What the model said from *at* on, a token *every* so often."""
    times = [round(place * every, 6) for place in range(len(texts))]
    lengths = [len(text.encode("utf-16-le")) // 2 for text in texts]
    return {
        "at": at, "kind": "tokens", "turn": turn, "sort": sort, "text": "".join(texts), "lengths": lengths, "times": times,
    }  # fmt: skip


def reply(at: float = 0.0, turn: str = TURN, persona: str = "Ren", asked: str | None = ASKED) -> Record:
    """A reply begins."""
    return step(at, "reply", turn=turn, kind="reply", channel=CHANNEL, persona=persona, reply_to=asked, settings={})


def post(at: float, number: int, text: str, boundary: str = "newline", **more: object) -> Record:
    """A message is planned that is one segment of the same number."""
    about: dict[str, object] = {
        "number": number, "segments": [number], "text": text, "boundary": boundary, "pause": 0.0, "typing": 0.0, "breath": 0.0,
        "thinking": 0.0, "cut": 0.0, "identity": None, "label": "", "reply": None, "picture": False,
    }  # fmt: skip
    return step(at, "post", **{**about, **more})


def sent(at: float, message: str, posts: list[int], text: str, seconds: float = 0.08) -> Record:
    """A message arrived."""
    about = {"posts": posts, "text": text, "message": message, "url": None, "identity": None, "attachment": None}
    return step(at, "sent", **about, waited={}, seconds=seconds)


def story(at: float, message: str, raw: list[list[int]], **more: object) -> Record:
    """What is known of a message."""
    told: dict[str, object] = {
        "number": 1, "text": "", "name": None, "file": None, "starts": "reply", "ends": "newline", "raw": raw, "segments": [],
        "posts": [], "holds": [], "rules": [], "waits": [], "merged": None,
        "pause": {"planned": 0.0, "typing": 0.0, "breath": 0.0, "thinking": 0.0, "cut": 0.0},
        "times": {"heard": at - 0.3, "planned": at - 0.2, "sending": at - 0.1, "sent": at},
    }  # fmt: skip
    return {"at": at, "kind": "story", "turn": TURN, "message": message, "story": {**told, **more}}


def call(at: float, status: int | None, retry_after: float | None = None) -> Record:
    """Something was asked of Discord."""
    route = f"POST /channels/{CHANNEL}/messages"
    return {"at": at, "kind": "call", "route": route, "status": status, "code": None, "retry_after": retry_after}


def evening() -> list[Record]:
    """A reply with a bit of everything: a thought, a held bracket, a rule, a pause, a rate limit, a merge, a cut-off end."""
    return [
        reply(),
        step(0.01, "try", number=1, model="script:evening", key=None, why="first", waited=0.0, dropped=0, reminded=False),
        step(0.02, "request", number=1, rung="", remembered=False, error=None, turns=2, tools=1, bytes=246),
        tokens(0.2, "The person ", "greets me.", sort="thought"),
        tokens(0.4, "Even", "ing, ", "@mia", "! :wave:", "\n", "<think>", "mm", "</think>", "So (", "first"),
        step(0.49, "segment", number=1, text="Evening, @mia! :wave:\n", boundary="newline", kind="prose"),
        step(0.49, "rule", rule="emoji", effect="changed", segments=[1], before=["Evening, @mia! :wave:\n"],
             after=["Evening, @mia! 👋\n"], identity=None, label=""),
        step(0.49, "rule", rule="mentions", effect="changed", segments=[1], before=["Evening, @mia! 👋\n"],
             after=["Evening, <@1>! 👋\n"], identity=None, label=""),
        post(0.49, 1, "Evening, <@1>! 👋"),
        step(0.49, "sending", posts=[1]),
        step(0.5, "hold", why="hidden", mark="", size=7),
        step(0.55, "hold", why="", mark="", size=0),
        step(0.56, "aside", kind="thought", text="mm"),
        step(0.57, "hold", why="mark", mark="(", size=9),
        call(0.57, 200),
        sent(0.57, "2001", [1], "Evening, <@1>! 👋"),
        story(
            0.57, "2001", [[0, 22]], number=1, posts=[1], segments=[1],
            rules=[
                {"at": 0.49, "rule": "emoji", "effect": "changed", "before": ["Evening, @mia! :wave:\n"],
                 "after": ["Evening, @mia! 👋\n"]},
                {"at": 0.49, "rule": "mentions", "effect": "changed", "before": ["Evening, @mia! 👋\n"],
                 "after": ["Evening, <@1>! 👋\n"]},
            ],
            times={"heard": 0.48, "planned": 0.49, "sending": 0.49, "sent": 0.57},
        ),
        {"at": 0.57, "kind": "fate", "turn": TURN, "raw": [22, 39], "fate": "thought"},
        tokens(0.7, " of ", "all).", "\n", "Now", " two.", "\n", "And", " three.", "\n", every=0.1),
        step(0.95, "hold", why="", mark="", size=0),
        step(1.0, "segment", number=2, text="So (first of all).\n", boundary="newline", kind="prose"),
        post(1.0, 2, "So (first of all).", pause=1.25, typing=0.75, breath=0.5),
        step(1.0, "wait", posts=[2], why="typing"),
        step(1.3, "segment", number=3, text="Now two.\n", boundary="newline", kind="prose"),
        post(1.3, 3, "Now two."),
        step(1.6, "segment", number=4, text="And three.\n", boundary="newline", kind="prose"),
        post(1.6, 4, "And three."),
        step(2.25, "wait", posts=[2], why="rate_limit"),
        call(2.25, 429, 2.0),
        step(4.25, "merged", posts=[2, 3, 4], text="So (first of all).\nNow two.\nAnd three.", why="rate_limit"),
        step(4.25, "sending", posts=[2, 3, 4]),
        call(4.4, 200),
        sent(4.4, "2002", [2, 3, 4], "So (first of all).\nNow two.\nAnd three."),
        story(
            4.4, "2002", [[39, 78]], number=2, starts="newline", ends="newline", posts=[2, 3, 4], segments=[2, 3, 4],
            holds=[{"from": 0.57, "to": 0.95, "why": "mark", "mark": "("}],
            pause={"planned": 1.25, "typing": 0.75, "breath": 0.5, "thinking": 0.0, "cut": 0.0},
            waits=[{"from": 1.0, "to": 2.25, "why": "typing"}, {"from": 2.25, "to": 4.25, "why": "rate_limit"}],
            times={"heard": 1.5, "planned": 1.6, "sending": 4.25, "sent": 4.4}, merged={"count": 3, "why": "rate_limit"},
        ),
        tokens(4.5, "But", " th", every=0.1),
        step(4.8, "stop", reason="user", by="Mia"),
        {"at": 4.8, "kind": "fate", "turn": TURN, "raw": [78, 84], "fate": "cut"},
        step(4.9, "end", outcome={"kind": "stopped", "reason": "user", "error": None}, messages=2, model="script:evening",
             failures=0, notices=0, usage={}),
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
