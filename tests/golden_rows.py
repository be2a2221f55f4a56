"""How each golden row of stage 6 is asked of Cadenza: for every function of the reference what ours answers, and the row.

How the parts of Cadenza are called is known to ``rules_at_work.py`` only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from cadenza.text.spans import SpanKind, survey
from cadenza.text.units import WHITESPACE
from cadenza.types import Boundary, Kind, Line, Persona, Roster, Segment
from tests import rules_at_work as work
from tests.rules_at_work import Sent

FOLDER = Path(__file__).parent / "golden"

Row = dict[str, Any]
Answer = tuple[Any, Any]
"""What ours answers, and what the row says."""


def rows(*, with_bug: bool) -> Iterator[Row]:
    """The rows that show a defect, or those that do not; those of the oldest version are left out."""
    for line in (FOLDER / "clean.jsonl").read_text("utf-8").splitlines():
        row: Row = json.loads(line)
        if with_bug == ("bug" in row) and not row["id"].endswith("-old"):
            yield row


# --- cleaning a text ----------------------------------------------------------------------


def _cleaned(row: Row) -> Answer:
    """The cleaner of the reference gets a whole text, and no guard stands in it; what it gives is trimmed."""
    args = row["args"]
    uncensor = args["uncensor"] or {}
    keeps = args["env"].get("EMOJI_PRESERVE_UNRESOLVED_SHORTCODES") == "true"
    scene = work.context(
        Persona(args["botName"], tuple(args["botNameAliases"])),
        Roster(
            mentions=_mentions(args),
            emoji={tag.split(":")[1]: tag for tag in args["emojiStrings"]},
            personas=args["personaMentionMap"],
        ),
        use_emoji=args["emojiUsageEnabled"],
        unknown_emoji="keep" if keeps else "strip",
        unicode_spaces=uncensor.get("unicodeSpacesEnabled", False),
        sanitise="*" if uncensor.get("sanitizeEnabled") else "",
        **work.QUIET,
    )
    return work.cleaned(row["input"], scene).strip(WHITESPACE), row["output"]


def _mentions(args: Row) -> dict[str, str]:
    """Handles and ids with their tags; a handle that several people share has none."""
    handles = {
        handle: f"<@{people[0]}>" if len(people) == 1 else "" for handle, people in args.get("mentionMap", {}).items()
    }
    return handles | {person: f"<@{person}>" for person in args.get("mentionIdSet", ())}


def _uncensored(row: Row) -> Answer:
    args = row["args"]
    scene = work.context(
        unicode_spaces=args.get("unicodeSpacesEnabled", False), sanitise="*" if args.get("sanitizeEnabled") else ""
    )
    text = row["input"]
    for rule in ("unicode_spaces", "sanitise"):
        text = work.cleaned(text, scene, only=rule)
    return text, row["output"]


def _without_repeated_emoji(row: Row) -> Answer:
    lines = [
        Line("Ren", line["text"], is_own=line["role"] == "model")
        for line in row["args"]["history"]
        if line["tag"] == "dialogue_history"  # what else the reference puts into a prompt is no history of ours
    ]
    scene = work.context("Ren", Roster(recent_emoji=work.recent_emoji(lines)), **work.QUIET)
    return work.cleaned(row["input"], scene, only="repeated_emoji").strip(WHITESPACE), row["output"]


# --- speakers -----------------------------------------------------------------------------


_SPEAKERS = ("Bob Smith", "Chris", "Indented Name", "Other", "クリス", "x" * 64)
"""Whom the rows mean by a speaker. To the reference that is everybody, to us somebody who is known (F15)."""


def _before_a_speaker(row: Row) -> Answer:
    args = row["args"]
    own = args.get("allowed", ["Nobody"])
    scene = work.context(Persona(own[0], tuple(own[1:])), Roster(speakers=_SPEAKERS), speaker_guard=True, **work.QUIET)
    before = [work.prose("said before\n")] if args.get("includeStart") else []
    out = work.passed(work.row_of(scene, only="speaker_guard"), [*before, *work.segments(row["input"])])
    ours = [work.joined(out[len(before) :]).rstrip(WHITESPACE), bool(work.stops(out))]
    return ours, [row["output"]["text"], row["output"]["stopTriggered"]]


def _opening_label(row: Row) -> Answer:
    """What is a label to the reference is taken off, if it names somebody who is there and nobody can be asked again."""
    label = row["output"]
    names = {"Chris", "ok", *([label["sourceName"]] if label and "bug" not in row else [])}
    roster = Roster(participants=tuple(map(work.a_participant, sorted(names))))
    scene = work.context("Ren", roster, label_guard=True, may_retry=False)
    return work.cleaned(row["input"], scene, only="opening_label"), label["body"] if label else row["input"]


def _code_ranges(row: Row) -> Answer:
    """What is out of reach because it is code."""
    ours = [{"start": span.start, "end": span.end} for span in survey(row["input"]).spans if span.kind is SpanKind.CODE]
    return ours, row["output"]


# --- faces --------------------------------------------------------------------------------


def _render_modifier(row: Row) -> Answer:
    """The sprite, the text and the label that a decorated label gives; without one nothing happens."""
    own, chain = row["args"]["sourceNames"], row["args"]["chainSourceNames"]
    sprites = ("mad", "照れ", "m" * 64, "m" * 65)
    persona = work.a_persona(own[0], own[1:], sprites)
    scene = work.context(persona, Roster(personas={name: name for name in chain if name not in own}), **work.QUIET)
    fed = _fed([row["input"], "final"])
    out = work.passed(work.row_of(scene, only="render_modifier"), fed)
    faces = {sprite.avatar: sprite.name for sprite in persona.sprites}
    found = [item for item in out if isinstance(item, Segment)]
    sprites_seen = {item.identity and faces.get(item.identity.avatar) for item in found}
    ours = [work.joined(out), sprites_seen, [item.label for item in found if item.label]]
    label = row["output"]
    if label is None:
        return ours, [work.joined(fed), {None}, []]
    return ours, [label["body"], {label["modifier"]}, [f"{own[0]} ({label['modifier']}): "]]


def _name_of_both(row: Row) -> Answer:
    return work.both(row["args"]["sourceName"], row["args"]["modifier"]), row["output"]


def _lookalike(row: Row) -> Answer:
    return work.lookalike(row["input"]), row["output"]


def _revealed(row: Row) -> Answer:
    return work.revealed(row["input"]), row["output"]


def _sprite_name(row: Row) -> Answer:
    """Why a name is refused is said in words, so only that it is counts."""
    wanted = {key: value for key, value in row["output"].items() if key != "reason"}
    return work.sprite_name(row["input"]), wanted


# --- the rest -----------------------------------------------------------------------------


def _tables(row: Row) -> Answer:
    """Tables and what stands between them. Whether a table may still grow is a question to stage 5, asked there."""
    ours = [
        {"type": kind, "content": text} | (work.table_of(text) or {} if kind == "table" else {})
        for kind, text in work.parts(row["input"])
    ]
    wanted = [
        {key: value for key, value in part.items() if key not in ("start", "end")} for part in row["output"]["segments"]
    ]
    return ours, wanted


def _picture(row: Row) -> Answer:
    """Sizes are measured in a real font (F17); that there is something to draw is what can be compared."""
    table = work.table_of(row["input"])
    return table and len(table["rows"]), len(row["input"].strip().split("\n")) - 2


def _guild_mentions(row: Row) -> Answer:
    """What the rule leaves as it is the shell looks up among the members, if there are any where it is said."""
    args, wanted = row["args"], row["output"]
    roster = Roster(mentions=_mentions(args), personas=args.get("personaMentionMap", {}))
    text = work.cleaned(row["input"], work.context("Ren", roster, **work.QUIET), only="mentions")
    if args.get("dm"):
        return [text, []], [wanted["text"], wanted["searches"]]
    return list(work.looked_up(text, roster, args["members"])), [wanted["text"], wanted["searches"]]


def _shown_prefill(row: Row) -> Answer:
    """What was shown before a retry is not shown again: then the shell builds the rules without it."""
    args = row["args"]
    scene = work.context("Ren", prefill=args["target"], show_prefill=not args["alreadySent"], **work.QUIET)
    out = work.passed(
        work.row_of(scene, only="prefill"), [work.prose(text, Boundary.OVERFLOW) for text in row["input"]]
    )
    wanted = "".join(row["output"]["out"]).replace("\ue000", "")  # a sign for the chunker that nobody sees
    return work.joined(out), wanted


# --- whole scenarios ----------------------------------------------------------------------


def _scenario(row: Row) -> Answer:
    args, wanted = row["args"], row["output"]
    sprites = [
        work.a_sprite(sprite["name"], is_identity=sprite.get("identity", False), is_there=sprite.get("ok", True))
        for sprite in args.get("sprites", ())
    ]
    aliases = args.get("aliases", ["Tomori"])
    persona = work.a_persona(args.get("botName", "Locke"), aliases, sprites, is_alter=args.get("isAlter", False))
    people = tuple(work.a_participant(person["name"], person.get("aliases", ())) for person in args.get("cands", ()))
    scene = work.context(
        persona,
        Roster(personas={name: name for name in args.get("personas", ())}, participants=people),
        prefill=args.get("prefill", ""),
        may_retry=args.get("retry", 0) < 2,
        speaker_guard=args.get("guard", False),
        tables="source",
    )
    fed = [segment for item in row["input"] if not isinstance(item, dict) for segment in _fed(item)]
    out = work.passed(work.row_of(scene), fed)
    left = [Sent(text) for text in (wanted["pending"], wanted["held"]) if text]  # the end lets go of it
    sent = [
        Sent(work.edged(message["text"]), message["username"], message["prefix"], message["sprite"])
        for message in wanted["sent"]
    ]
    return [work.shown(out, persona), work.stops(out)], [[*sent, *left], wanted["stops"]]


def _fed(item: str | list[str]) -> list[Segment]:
    """A segment of the row; code and tables in it are segments of their own to us."""
    text, boundary = (item, "newline") if isinstance(item, str) else item
    found = work.segments(text)
    if all(segment.kind is Kind.PROSE for segment in found):
        return [work.prose(text, Boundary(boundary))]
    return found


# --- which function is asked what ---------------------------------------------------------


_ANSWERS: dict[str, Callable[[Row], Answer]] = {
    "applyUncensorOutputTransforms": _uncensored,
    "cleanLLMOutput": _cleaned,
    "extractMarkdownTableSegments": _tables,
    "filterDuplicateCustomEmojis": _without_repeated_emoji,
    "findMarkdownCodeRanges": _code_ranges,
    "formatRenderModifierWebhookName": _name_of_both,
    "parseLeadingGenericSpeakerLabel": _opening_label,
    "parseLeadingRenderModifier": _render_modifier,
    "prefillStripAndInject(seed-doc version)": _shown_prefill,
    "renderMarkdownTableToPng": _picture,
    "resolveGuildMentions": _guild_mentions,
    "revealGroupBreakName": _revealed,
    "sendBufferSegment": _scenario,
    "toGroupBreakName": _lookalike,
    "truncateBeforeGenericSpeakerLine": _before_a_speaker,
    "validatePersonaSpriteName": _sprite_name,
}


def answer(row: Row) -> Answer:
    """What ours answers to *row*, and what it says."""
    return _ANSWERS[row["function"]](row)
