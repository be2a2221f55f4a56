"""Puts facts and stories into sentences of the catalogue ``facts``.

Everything that depends on values is decided here: plurals, the form of numbers, what is shortened, which words. The
page and the terminal only look up the key of a sentence and fill in its values.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import singledispatch
from itertools import pairwise

from .. import facts as f
from ..rules import RULES
from ..text.names import NEUTRAL
from ..types import StopReason
from .sentences import Said, Value, as_json, said_of

_LONGEST = 60
"""Characters of a text that are shown."""
_AROUND = 12
"""Characters that are shown before and after a change."""
_MOST = 4
"""Texts that are shown of many."""
_NOTICED = 0.001
"""Seconds; shorter waits are not mentioned."""
_SEEN = 0.005
"""Seconds; shorter shares would be shown as 0."""
_HESITATION = 0.1
"""Seconds; every line waits a moment for what follows."""
_PARTS_OF_PAUSE = ("typing", "breath", "thinking")

ENDS = frozenset(end.value for end in f.MessageEnd)
HOLDS = frozenset({"code", "table", "hidden", "mark", "line", "undecided", "rule", "gathered"})
REMEDIES = frozenset(
    {"retry", "wait", "cooldown", "recover", "as_bot", "rename", "drop_reply", "drop_file", "shorten", "found"}
)
WAITS = frozenset({"typing", "rate_limit", "picture", "names", "reply_before"})
HURRIES = frozenset({"finished", "queue"})
"""Why typing takes less time than planned."""
EFFECTS = frozenset({"changed", "added", "dropped", "split", "held", "released", "failed", "pictured"})
ADDED = frozenset(
    {
        *("fence", "marks", "quote", "repeated", "casual", "left_open", "tilde_fence", "code_overflow", "backticks"),
        *("lone_fence", "lone_marker", "names", "target", "rate_limit", "stop", "details"),
    }
)
"""Steps besides the rules that put something into a message."""
DROPPED = frozenset(
    {
        *("overlap", "empty_code", "code_overflow", "unfinished_clause", "split", "casual", "stop"),
        *("thought", "details", "lone_tag", "raised", "broke", "stalled"),
    }
)
"""Steps besides the rules that take something out."""
REPLACED = frozenset({"casual", "names", "details", "unpainted", "intake"})
"""Steps besides the rules that put something in for something else."""
FATES = frozenset({"thought", "details", "dropped", "cut"})
_UNTOLD = frozenset({"joint", "spacing", "tilde_fence"})
"""White space between messages and inside them, and a fence that another one replaces."""
_RULES = frozenset(rule.name for rule in RULES)
_STOPS = frozenset(reason.value for reason in StopReason)
_OUTCOMES = frozenset({"completed", "empty", "stopped", "stalled", "needs_tools", "broke", "raised"})
_ATTEMPTS = frozenset({"another key", "later", "once more", "another model"})
_CURES = frozenset({"key", "time", "model"})
_KEEPS = frozenset({"everything", "decided", "clause", "nothing"})
_OPENERS = {
    **dict.fromkeys("([{<（「『【〈《", "bracket"),
    **dict.fromkeys(("“", "„", "«", '"', "‘", "‹"), "quote"),
    "**": "bold",
    "*": "italic",
    "_": "italic",
    "***": "bold",
    "__": "underline",
    "~~": "strike",
    "||": "spoiler",
    ">>>": "block_quote",
    "`": "code",
    "``": "code",
}
_NORMAL = frozenset({"stop", "end_of_stream", "end_turn", "STOP", "done", ""})
"""Reasons to finish that say nothing new."""


# --- values -----------------------------------------------------------------------------


def seconds(value: float) -> str:
    """*value* as people read it: finer where it is small."""
    size = max(0.0, value)
    return f"{size:.3f}" if 0 < size < 0.0995 else f"{size:.2f}" if size < 99.5 else f"{size:.0f}"


def quoted(value: object, longest: int | None = _LONGEST) -> str:
    """*value* as one line of JSON, shortened to *longest*; ``None`` means in full."""
    if isinstance(value, str) and longest is not None and len(value) > longest:
        value = value[: longest - 1] + "…"
    written = json.dumps(value, ensure_ascii=False, default=str)
    return written if longest is None or len(written) <= 2 * longest else f"{written[: 2 * longest - 1]}…"


def _plain(value: object) -> str:
    """The value of a setting, as it is written in a file of settings."""
    return value if isinstance(value, str) and value else quoted(value)


def _many(key: str, count: int, **values: Value) -> Said:
    return Said(f"{key}.{'one' if count == 1 else 'other'}", {"n": f"{count:,}", **values})


def _one_of(prefix: str, name: str, known: Iterable[str]) -> Value:
    """The words for *name*; an unknown one is named as it is."""
    return Said(f"{prefix}.{name.replace(' ', '_')}") if name in known else name.replace("_", " ")


def _model(name: str) -> Value:
    return name or Said("model.unnamed")


def _error(error: f.Values | None) -> Value:
    """An error with its text and details."""
    if error is None:
        return Said("error.unknown")
    text, detail = error.get("text") or error.get("type"), str(error.get("detail") or "")
    if not isinstance(text, str):
        return Said("error.unknown")
    if detail:
        return Said("error.detail", {"error": said_of(text), "detail": detail})
    return Said("error.text", {"error": said_of(text)})


def outcome(about: f.Values) -> Said:
    """How a reply, a round or an attempt ended."""
    kind, reason, error = str(about.get("kind", "")), str(about.get("reason", "")), about.get("error")
    if kind not in _OUTCOMES:
        return Said("outcome.unknown", {"why": reason or kind or "?"})
    match kind:
        case "broke":
            return Said("outcome.broke", {"why": _error(error if isinstance(error, Mapping) else {"type": reason})})
        case "stopped":
            if reason == StopReason.USER.value:
                return Said("outcome.stopped_by_person")
            return Said("outcome.stopped", {"why": _one_of("stop", reason, _STOPS)})
        case "needs_tools" | "raised":
            return Said(f"outcome.{kind}", {"why": reason or "?"})
        case "completed" if reason == "length":
            return Said("outcome.token_limit")
        case "completed" | "empty" if reason not in _NORMAL:
            return Said(f"outcome.{kind}.why", {"why": reason})
        case _:
            return Said(f"outcome.{kind}")


# --- a message ----------------------------------------------------------------------------


def told_story(story: Mapping[str, object]) -> dict[str, object]:
    """The sentences of a message's *story*, as JSON data."""
    return {
        "starts": as_json(edge("starts", _part(story, "starts"))),
        "ends": as_json(edge("ends", _part(story, "ends"))),
        "merged": _json(_merged(_part(story, "merged"))),
        "holds": [_json(held(hold)) for hold in _parts(story, "holds")],
        "rules": [as_json(change(rule)) for rule in _parts(story, "rules")],
        "pause": _json(_pause(_part(story, "pause"))),
        "waits": [_json(_waited(wait)) for wait in _parts(story, "waits")],
        "refusals": [as_json(_refused(refusal)) for refusal in _parts(story, "refusals")],
        "times": as_json(_times(_part(story, "times"), is_planned=bool(story.get("posts")))),
    }


def edge(side: str, about: Mapping[str, object]) -> Said:
    """Why a message starts or ends where it does; *side* is ``starts`` or ``ends``."""
    reason = str(about.get("reason", ""))
    values: dict[str, Value] = {"decided": _decided(about)}
    if reason in ENDS:
        return Said(f"{side}.{reason}", values)
    if not reason:
        return Said(f"{side}.unrecorded")
    return Said(f"{side}.unknown", {"why": reason.replace("_", " "), **values})


def _decided(about: Mapping[str, object]) -> Value:
    """The setting that decided, behind a colon; nothing if none did."""
    setting, value = str(about.get("setting", "")), about.get("value")
    return Said("decided", {"setting": setting, "value": _plain(value)}) if setting and value is not None else ""


def _merged(about: Mapping[str, object]) -> Said | None:
    if not about:
        return None
    why = _one_of("merge", str(about["why"]), ("rate_limit", "stop"))
    return Said("merged", {"n": str(about["count"]), "why": why})


def held(hold: Mapping[str, object]) -> Said | None:
    """What held the text of a message, and for how long; ``None`` if too short to mention."""
    size, why = _length(hold), str(hold["why"])
    if size < (_HESITATION if why in ("line", "undecided", "gathered") else _NOTICED):
        return None
    reason, values = _reason_to_hold(why, str(hold["mark"]))
    return Said(f"hold.{reason}", {"seconds": seconds(size), **values})


def held_because(why: str, mark: str) -> Said:
    """Why text is held now: a part of a sentence."""
    reason, values = _reason_to_hold(why, mark)
    return Said(f"holding.{reason}", values)


def _reason_to_hold(why: str, mark: str) -> tuple[str, Mapping[str, Value]]:
    match why:
        case "mark":
            return why, {"opener": Said(f"opener.{_OPENERS.get(mark, 'other')}", {"mark": quoted(mark)})}
        case "rule":
            return why, {"rule": mark}
        case "hidden":
            return "details" if mark == "details" else "thought", {}
        case _:
            return (why, {}) if why in HOLDS else ("unknown", {"why": why.replace("_", " ")})


def change(rule: Mapping[str, object], longest: int | None = _LONGEST) -> Said:
    """What a rule or another step did to a text; in full if *longest* is ``None``."""
    name, effect = str(rule["rule"]), str(rule["effect"])
    befores, afters = _texts(rule, "before"), _texts(rule, "after")
    if rule.get("stage") != "rules" and name not in _RULES:
        return _step(name, befores, afters, longest, _decided(rule))
    before, after = "".join(befores), "".join(afters)
    if longest is not None and before and after and before != after:
        was, became = _difference(before, after)
    else:
        was, became = before, after
    values: dict[str, Value] = {
        "by": _rule(name),
        "before": quoted(was, longest),
        "after": quoted(became, longest),
        "n": f"{len(afters):,}",
        "as": _shown_as(rule),
    }
    if effect == "changed" and befores == afters:
        return _without_change(rule, values)
    if effect == "changed" and (not after or before == after):
        effect = "regrouped" if after else "dropped"
    return Said(f"change.{effect if effect in EFFECTS | {'regrouped'} else 'changed'}", values)


def _shown_as(rule: Mapping[str, object]) -> Value:
    """The name and the sprite that a rule gave a text, behind a comma; nothing if it gave none."""
    name, sprite = str(rule.get("identity") or ""), str(rule.get("sprite") or "")
    if not name:
        return ""
    if sprite and sprite != NEUTRAL:
        return Said("change.as.sprite", {"name": name, "sprite": sprite})
    return Said("change.as", {"name": name})


def _without_change(rule: Mapping[str, object], values: Mapping[str, Value]) -> Said:
    """A rule changed no word, but the name or the label that goes with them."""
    if label := str(rule.get("label") or ""):
        return Said("change.label", {**values, "label": quoted(label)})
    return Said("change.none", values)


def _rule(name: str) -> Said:
    return (
        Said("by.rule", {"rule": name, "does": Said(f"rule.{name}")})
        if name in _RULES
        else Said("by.own", {"rule": name})
    )


def _step(name: str, before: Sequence[str], after: Sequence[str], longest: int | None, decided: Value) -> Said:
    """What a stage put into a message or took out of it."""
    by = name.replace("_", " ")
    if name == "casual" and before and len(before) == len(after):
        before, after = zip(*dict.fromkeys(zip(before, after, strict=True)), strict=True)  # pairs
    elif before and after and longest is not None:
        before, after = ([part] for part in _difference("".join(before), "".join(after)))
    else:
        before, after = [*dict.fromkeys(before)], [*dict.fromkeys(after)]
    was, became = (_joined(texts, longest) for texts in (before, after))
    if before and after:
        key = name if name in REPLACED else "other"
        return Said(f"replaced.{key}", {"before": was, "after": became, "by": by, "decided": decided})
    if after:
        return Said(f"added.{name if name in ADDED else 'other'}", {"after": became, "by": by})
    if name in _STOPS:
        return Said("dropped.halted", {"before": was, "why": Said(f"stop.{name}")})
    return Said(f"dropped.{name if name in DROPPED else 'other'}", {"before": was, "by": by, "decided": decided})


def _joined(texts: Sequence[str], longest: int | None) -> str:
    """*texts* in quotes."""
    shown = [quoted(text, longest) for text in texts]
    return ", ".join(shown if longest is None or len(shown) <= _MOST else [*shown[:_MOST], "…"])


def _difference(before: str, after: str) -> tuple[str, str]:
    """The difference of two texts, with a little context."""
    shorter = min(len(before), len(after))
    start = next((place for place in range(shorter) if before[place] != after[place]), shorter)
    most = shorter - start
    end = next((place for place in range(most) if before[-1 - place] != after[-1 - place]), most)
    first, behind = max(0, start - _AROUND), max(0, end - _AROUND)
    return _within(before, first, behind), _within(after, first, behind)


def _within(text: str, first: int, behind: int) -> str:
    return f"{'…' if first else ''}{text[first : len(text) - behind]}{'…' if behind else ''}"


def _pause(about: Mapping[str, object]) -> Said | None:
    parts = tuple(
        Said(f"pause.{part}", {"seconds": seconds(_number(about, part))})
        for part in _PARTS_OF_PAUSE
        if _number(about, part)
    )
    if not parts:
        return None
    values: dict[str, Value] = {"seconds": seconds(_number(about, "planned")), "parts": parts}
    if cut := _number(about, "cut"):
        return Said("pause.shortened", {**values, "cut": seconds(cut)})
    return Said("pause.planned", values)


def _waited(wait: Mapping[str, object]) -> Said | None:
    size, why = _length(wait), str(wait["why"])
    if size < _NOTICED:
        return None
    known, shortened = why if why in WAITS else "unknown", str(wait.get("shortened", ""))
    values: dict[str, Value] = {"seconds": seconds(size), "why": why.replace("_", " ")}
    if why == "typing" and shortened in HURRIES:
        values["decided"] = _decided({"setting": "typing_tail", "value": wait.get("tail")})
        return Said(f"wait.typing.{shortened}", values)
    return Said(f"wait.{known}", values)


def _refused(refusal: Mapping[str, object]) -> Said:
    """An attempt that the chat refused."""
    remedy, reason, code = (str(refusal.get(name, "")) for name in ("remedy", "reason", "code"))
    why = ", ".join(filter(None, (reason.replace("_", " "), code)))
    return Said(f"refusal.{remedy if remedy in REMEDIES else 'other'}", {"why": why})


def _times(times: Mapping[str, object], *, is_planned: bool) -> Said:
    """Where the time went since the message before."""
    names = ("since", "heard", "planned", "sending", "sent") if is_planned else ("sending", "sent")
    spans = [(name, _number(times, name) - _number(times, last)) for last, name in pairwise(names)]
    shares = tuple(Said(f"times.{name}", {"seconds": seconds(size)}) for name, size in spans if size >= _SEEN)
    return Said("times", {"shares": shares}) if shares else Said("times.none")


def mentions(pings: Sequence[str], shows: Sequence[str]) -> list[Said]:
    """The people that a message pings, and those that it only names."""
    both = {"mentions.pings": pings, "mentions.shows": shows}
    return [Said(key, {"names": tuple(map(Said, names))}) for key, names in both.items() if names]


def with_file(name: str) -> Said:
    """The file of a message."""
    return Said("with_file", {"file": name})


def fate_told(name: str) -> Said:
    """What became of text that is in no message."""
    return Said(f"fate.{name}") if name in FATES else Said("fate.unknown", {"fate": name})


def fate_in_short(name: str) -> Said:
    """The same in a word or two."""
    return Said(f"fate.short.{name}" if name in FATES else name)


# --- everything else ---------------------------------------------------------------------


@singledispatch
def told_of(fact: f.Fact) -> Said | None:  # noqa: ARG001  # of all facts that are told with their message
    """*fact* as a sentence; ``None`` if it is told with its message, or is not worth one.

    A change of a text is a sentence here too: its text may be in no message.
    """
    return None


@told_of.register
def _(fact: f.ReplyBegan) -> Said:
    name = "_".join(part for part, value in (("as", fact.persona), ("in", fact.channel)) if value)
    values: dict[str, Value] = {"persona": fact.persona, "channel": fact.channel}
    settings = tuple(setting(name, value) for name, value in fact.settings.items())
    began = Said(f"reply.began{name and '.'}{name}", {name: value for name, value in values.items() if value})
    return Said("reply.settings", {"began": began, "settings": settings}) if settings else began


def setting(name: str, value: object) -> Said:
    """The *value* of a setting; a part of a sentence."""
    return Said("setting", {"name": name, "value": _plain(value)})


@told_of.register
def _(fact: f.ModelSkipped) -> Said:
    is_known = fact.error is None or fact.why == "cooldown"  # whose error says the same
    why = _one_of("skip", fact.why, ("cooldown", "not ready")) if is_known else _error(fact.error)
    if fact.seconds:
        return Said("model.skipped.for", {"model": _model(fact.model), "why": why, "seconds": seconds(fact.seconds)})
    return Said("model.skipped", {"model": _model(fact.model), "why": why})


@told_of.register
def _(fact: f.AttemptBegan) -> Said:
    details: list[Said] = []
    if fact.why in _ATTEMPTS:
        details.append(Said(f"attempt.{fact.why.replace(' ', '_')}"))
    if fact.key:
        details.append(Said("attempt.key", {"key": fact.key}))
    if fact.waited:
        details.append(Said("attempt.waited", {"seconds": seconds(fact.waited)}))
    if fact.dropped:
        details.append(_many("attempt.dropped", fact.dropped))
    if fact.reminded:
        details.append(Said("attempt.reminded"))
    values: dict[str, Value] = {"number": str(fact.number), "model": _model(fact.model)}
    return Said("attempt.began.how", {**values, "how": tuple(details)}) if details else Said("attempt.began", values)


@told_of.register
def _(fact: f.AttemptEnded) -> Said | None:
    if fact.cure not in _CURES:
        return None
    cure = Said(f"cure.{fact.cure}")
    return Said("attempt.ended", {"number": str(fact.number), "outcome": outcome(fact.outcome), "cure": cure})


@told_of.register
def _(fact: f.RequestSent) -> Said:
    sizes = (_many("size.turns", fact.turns), _many("size.tools", fact.tools), _many("size.bytes", fact.bytes))
    values: dict[str, Value] = {"number": str(fact.number), "sizes": sizes}
    rung = fact.rung.replace("_", " ")
    if fact.error is not None:
        return Said("request.refused", {**values, "rung": rung or "?", "error": _error(fact.error)})
    if fact.remembered:
        return Said("request.remembered", {**values, "rung": rung or "?"})
    return Said("request.sent", values)


@told_of.register
def _(fact: f.ChunkHeard) -> Said | None:
    if fact.kind == "call":
        return Said("chunk.call", {"tool": str(fact.detail.get("name", ""))})
    if fact.kind == "failed":
        error = fact.detail.get("error")
        return Said("chunk.failed", {"error": _error(error if isinstance(error, Mapping) else None)})
    return None


def began_to(kind: str, after: float) -> Said:
    """The model began to speak or to think, so many seconds *after* it was asked."""
    return Said("model.thinks" if kind == "thought" else "model.speaks", {"seconds": seconds(after)})


@told_of.register
def _(fact: f.TextHidden) -> Said:
    return Said("hidden.details" if fact.kind == "details" else "hidden.thought", {"text": quoted(fact.text)})


@told_of.register
def _(fact: f.TextChanged) -> Said | None:
    if fact.by in _UNTOLD or not any((*fact.before, *fact.after)) or (fact.effect == "dropped" and not fact.before):
        return None
    return change({**f.values_of(fact), "rule": fact.by})


@told_of.register
def _(fact: f.ReplyHalted) -> Said:
    why = _one_of("stop", fact.reason, _STOPS)
    if fact.by in ("buffer", "composer"):
        return Said("halted", {"why": why})
    return Said("halted.rule", {"by": fact.by, "why": why})


@told_of.register
def _(fact: f.ReplyQueued) -> Said:
    return Said("reply.queued", {"ahead": str(fact.ahead), "seconds": seconds(fact.seconds)})


@told_of.register
def _(fact: f.ReadingPaused) -> Said | None:
    return Said("reading.paused", {"seconds": seconds(fact.seconds)}) if fact.seconds >= _NOTICED else None


@told_of.register
def _(fact: f.MessageRefused) -> Said:
    return Said("message.refused", {"error": _error(fact.error)})


@told_of.register
def _(fact: f.MessageLeftOut) -> Said:
    if fact.error is not None:
        return Said("message.skipped", {"error": _error(fact.error)})
    return Said("message.left_out", {"why": _one_of("leave", fact.why, ("repeated", "skipped", "closed"))})


@told_of.register
def _(fact: f.QueueCut) -> Said | None:
    parts: list[Said] = []
    if fact.dropped:
        parts.append(_many("cut.dropped", len(fact.dropped), texts=_joined(fact.lost, _LONGEST)))
    if fact.posts:
        parts.append(_many("cut.sent", len(fact.posts), text=quoted(fact.text or "")))
    because = _because(fact.ends)
    if not parts and not because:
        return None
    values: dict[str, Value] = {"keep": _one_of("keep", fact.keep, _KEEPS), "because": because}
    if not parts:
        return Said("queue.cut.bare", values)
    key = "queue.cut" if fact.posts or fact.keep == "nothing" else "queue.cut.none"
    return Said(key, {**values, "parts": tuple(parts)})


def _because(ends: f.Edge | None) -> Value:
    """The setting that decided what is still sent after a stop; nothing if none did."""
    if ends is None or not ends.setting:
        return ""
    return Said("cut.because", {"setting": ends.setting, "value": _plain(ends.value)})


@told_of.register
def _(fact: f.QueueWithdrawn) -> Said | None:
    return _many("queue.withdrawn", len(fact.posts)) if fact.posts else None


@told_of.register
def _(fact: f.QueueRestored) -> Said | None:
    return _many("queue.restored", len(fact.posts)) if fact.posts else None


@told_of.register
def _(fact: f.MessagesSuperseded) -> Said | None:
    return _many("superseded", len(fact.messages), ids=", ".join(fact.messages)) if fact.messages else None


@told_of.register
def _(fact: f.MessagesSpared) -> Said | None:
    return _many("spared", len(fact.messages), ids=", ".join(fact.messages)) if fact.messages else None


@told_of.register
def _(fact: f.MessageDeleted) -> Said:
    if fact.error is not None:
        return Said("deleted.failed", {"message": fact.message, "error": _error(fact.error)})
    return Said("deleted", {"message": fact.message, "seconds": seconds(fact.seconds)})


@told_of.register
def _(fact: f.ToolCalled) -> Said:
    key = "tool.remembered" if fact.remembered else "tool.failed" if fact.is_error else "tool.called"
    values: dict[str, Value] = {"tool": fact.tool, "arguments": quoted(fact.arguments)}
    return Said(key, values if fact.remembered else {**values, "seconds": seconds(fact.seconds)})


@told_of.register
def _(fact: f.NoticeShown) -> Said:
    return Said("notice.shown" if fact.is_shown else "notice.failed", {"text": said_of(fact.text)})


@told_of.register
def _(fact: f.StopAsked) -> Said:
    if fact.reason == StopReason.USER.value:
        return Said("stop.person.by", {"by": fact.by}) if fact.by else Said("stop.person")
    why = _one_of("stop", fact.reason, _STOPS)
    return Said("stop.asked.by", {"why": why, "by": fact.by}) if fact.by else Said("stop.asked", {"why": why})


@told_of.register
def _(fact: f.ModelStalled) -> Said:
    return Said("stalled.middle" if fact.has_begun else "stalled.first", {"seconds": seconds(fact.seconds)})


@told_of.register
def _(fact: f.RoundEnded) -> Said:
    return Said("round.ended", {"number": str(fact.number), "outcome": outcome(fact.outcome)})


@told_of.register
def _(fact: f.ReplyEnded) -> Said:
    return _many("reply.ended", fact.messages, outcome=outcome(fact.outcome))


# --- parts of a story ---------------------------------------------------------------------


def _part(about: Mapping[str, object], name: str) -> Mapping[str, object]:
    value = about.get(name)
    return value if isinstance(value, Mapping) else {}


def _parts(about: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    value = about.get(name)
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list | tuple) else []


def _texts(about: Mapping[str, object], name: str) -> list[str]:
    value = about.get(name)
    return [*map(str, value)] if isinstance(value, list | tuple) else []


def _number(about: Mapping[str, object], name: str) -> float:
    value = about.get(name)
    return float(value) if isinstance(value, int | float) else 0.0


def _length(span: Mapping[str, object]) -> float:
    return _number(span, "to") - _number(span, "from")


def _json(said: Said | None) -> dict[str, object] | None:
    return None if said is None else as_json(said)
