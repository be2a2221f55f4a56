"""The reason for which a message ends is checked against what everybody can see: its text, the next one, and the model's.

Law 8 says that there is a reason. This says that it is the right one, as far as the texts can show it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import example, given, strategies as st

from cadenza.facts import Fact, LoggedFact, MessageEnd, MessagePlanned, TextChanged
from cadenza.replies.say import say
from cadenza.settings import Settings
from cadenza.targets.memory import MemoryTarget
from cadenza.text.units import units
from tests.laws.material import CORPUS, nasty_markdown
from tests.laws.test_law8_explained import SHAPES, facts_of, heard, of

_SENTENCE = re.compile(r"[.!?。！？．｡…:;]")
_SECTION = re.compile(r"^[ \t>]*(?:[-*_][ \t]*){3,}\r?$", re.MULTILINE)
_LINE_END = re.compile(r"[\n\r]|<br|</(?:details|summary|p|div|li)>", re.IGNORECASE)
"""A line end of the model, or what a rule shows as one."""
_MARKS_OF_LINE = re.compile(r"(?:^|\n)[^\w\n]+$")
"""Marks at the beginning of a line go with the line before."""
_CODE = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)
_STANDALONE = re.compile(r"<a?:\w+:|(?:https?|ftps?)://")
_MANY_LINES = 6
_INDENTS = 20
"""Characters of indents that a message may lack, and that were counted."""
_PARTS = ("limit", "long_text", "code_overflow", "overflow")
"""After these, the next message is of the same block."""


class Place:
    """The end of a message, with what stands around it."""

    def __init__(self, facts: Sequence[Fact], number: int, raw: str, settings: Settings) -> None:
        planned = of(MessagePlanned, facts)
        self.before = planned[:number]
        self.text, self.file = planned[number].text, planned[number].file
        self.own = planned[number]
        self.after = planned[number + 1 :]
        self.next = self.after[0] if self.after else None
        self.gap = _gap(planned, number, raw)
        self.next_gap = _gap(planned, number + 1, raw)
        end = max((end for one in (*self.before, self.own) for _, end in one.covers), default=0)
        follows = min((start for one in self.after for start, _ in one.covers), default=len(raw))
        # A full stop may be counted as this message's or the next's.
        self.around_end = raw[max(0, end - 1) : follows + 1]
        empty = (text for fact in of(TextChanged, facts) if fact.by == "empty_code" for text in fact.before)
        self.unseen = sum(units(text) + 1 for text in empty)  # it counts until it is left out
        delivery = settings.delivery
        self.limit = delivery.limit or 1950
        self.gather = min(delivery.gather, self.limit)

    @property
    def around(self) -> str:
        return self.text + self.gap + (self.next.text if self.next else "")

    def is_large(self) -> bool:
        """Whether code or a table of many lines stands on one side."""
        texts = (self.text, self.next.text if self.next else "")
        blocks = [block for text in texts for block in (*_CODE.findall(text), text)]
        return any(block.count("\n") >= _MANY_LINES for block in blocks) or self.is_long_elsewhere()

    def is_long_elsewhere(self) -> bool:
        """Whether text that follows is in a picture or a file."""
        return any(one.picture or one.file for one in (self.own, *self.after))


def _gap(planned: Sequence[MessagePlanned], number: int, raw: str) -> str:
    """What the model wrote behind the message with that *number*; of some messages nothing stands in its text."""
    end = max((end for one in planned[: number + 1] for _, end in _places(one)), default=0)
    start = min((start for one in planned[number + 1 :] for start, _ in _places(one)), default=len(raw))
    after = raw[max(start, end) :]  # a file may begin with the line end in front of it
    return raw[end : max(start, end) + len(after) - len(after.lstrip())]


def _places(message: MessagePlanned) -> Sequence[tuple[int, int]]:
    """Where the text of *message* stands in the model's; with a picture or a file, all that it stands for."""
    shown = [(start, start + size) for size, start, _ in message.origin if start >= 0]
    return message.covers if message.picture or message.file or not shown else shown


def is_true(reason: MessageEnd, at: Place) -> bool:
    """Whether the texts agree that a message ends for this *reason*."""
    match reason:
        case MessageEnd.LIMIT:
            others = [one for one in at.before if not set(one.segments).isdisjoint(at.own.segments)] + [*at.after]
            rest = sum(units(one.text) for one in others) + len(at.gap) + len(at.after)
            return units(at.text) + rest + at.unseen > at.limit or at.is_long_elsewhere()
        case MessageEnd.LONG_TEXT:
            return bool(at.before)
        case MessageEnd.LINE | MessageEnd.BLOCK:
            is_beside_code = reason is MessageEnd.BLOCK and "```" in at.around
            is_over = _LINE_END.search(at.gap) or _MARKS_OF_LINE.search(at.text)
            return is_over is not None or is_beside_code or not at.next
        case MessageEnd.SENTENCE:
            return _SENTENCE.search(at.text[-4:] + at.around_end) is not None
        case MessageEnd.FIRST_BLOCK:
            return all(one.ends.reason in (*_PARTS, "picture", "formula") for one in at.before)
        case MessageEnd.GATHERED:
            return units(at.text + at.gap) + at.unseen + _INDENTS >= at.gather
        case MessageEnd.NEXT_TOO_LONG:
            is_cut = at.next is not None and (at.next.picture or at.next.ends.reason in _PARTS)
            return is_cut or units(at.around + at.next_gap) + at.unseen > at.gather
        case MessageEnd.HEADING | MessageEnd.SECTION:
            is_half_full = 2 * (units(at.text + at.gap) + at.unseen) >= at.gather
            return is_half_full and (reason is MessageEnd.HEADING or _SECTION.search(at.gap) is not None)
        case _:
            return _is_true_of_special(reason, at)


def _is_true_of_special(reason: MessageEnd, at: Place) -> bool:
    match reason:
        case MessageEnd.LARGE_BLOCK:
            return at.is_large()
        case MessageEnd.QUOTE_OF_ALL:
            return ">>>" in at.text
        case MessageEnd.OVERFLOW:
            return at.next is not None and "\n" not in at.gap
        case MessageEnd.STANDALONE:
            return _STANDALONE.search(at.around) is not None
        case MessageEnd.CODE_OVERFLOW:
            return "```" in at.text or "|" in at.text
        case MessageEnd.PICTURE | MessageEnd.FORMULA:
            return at.own.picture or (at.next is not None and at.next.picture)
        case MessageEnd.FILE | MessageEnd.ATTACHMENT:
            return bool(at.file) or (at.next is not None and bool(at.next.file))
        case MessageEnd.SPEAKER:
            return at.next is not None
        case MessageEnd.REPLY:
            return at.next is None
        case _:
            return True


def untrue(facts: Sequence[Fact], settings: Settings) -> Iterator[str]:
    """The ends whose reason is not what the texts show."""
    planned, raw = of(MessagePlanned, facts), heard(facts)
    for number, message in enumerate(planned):
        reason = MessageEnd(message.ends.reason)
        at = Place(facts, number, raw, settings)
        if not is_true(reason, at):
            yield f"{reason.value}: {message.text[-80:]!r}, then {at.gap!r}, then {at.next.text[:80] if at.next else ''!r}"


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", CORPUS)
def test_every_reason_in_the_corpus_is_true(name: str, shape: str) -> None:
    settings = Settings.of(**SHAPES[shape])

    assert [] == [*untrue(facts_of(CORPUS[name], shape), settings)]


@given(nasty_markdown(), st.sampled_from([*SHAPES]))
@example("[\r0\n\\( \\frac{a}{b} \\)\n`\n...\n", "file")
def test_every_reason_is_true(text: str, shape: str) -> None:
    facts = facts_of(text, shape, rules_off=["orphan_punctuation"])  # it moves line ends, so that they are not seen

    assert [] == [*untrue(facts, Settings.of(**SHAPES[shape]))]


_LONG_CODE = "```py\n" + 90 * "x = 1  # a comment that is long\n" + "```\n"
_LONG_TABLE = "| a | b |\n|---|---|\n" + 60 * "| some words | some more |\n"
_PARAGRAPHS = "".join(f"Paragraph {number}: {20 * 'word '}.\n\n" for number in range(6))


@pytest.mark.parametrize(
    ("text", "settings", "ends"),
    [
        pytest.param(600 * "word " + "\n", {}, 2 * [("overflow", "overflow")], id="a long line"),
        pytest.param(
            "Code:\n" + _LONG_CODE, {"code_file": 0}, [("limit", "limit"), ("large_block", "shape")], id="long code"
        ),
        pytest.param(
            _LONG_CODE,
            {"code_file": 0, "shape": "lines"},
            [("limit", "limit"), ("block", "shape")],
            id="long code among lines",
        ),
        pytest.param(
            _LONG_TABLE,
            {"code_overflow": 700, "tables": "source"},
            2 * [("code_overflow", "code_overflow")],
            id="a long table",
        ),
        pytest.param(
            _PARAGRAPHS,
            {"gather": 250, "limit": 300},
            [("first_block", "shape"), ("next_too_long", "gather")],
            id="gather before limit",
        ),
        pytest.param(
            _PARAGRAPHS, {"gather": 300, "limit": 300}, [("first_block", "shape"), ("limit", "limit")], id="only limit"
        ),
    ],
)
def test_the_setting_that_decides_is_named(text: str, settings: dict[str, object], ends: list[tuple[str, str]]) -> None:
    seen: list[LoggedFact] = []
    asyncio.run(say(MemoryTarget(), text, settings=Settings.of(**settings), trace=seen.append))
    planned = of(MessagePlanned, [logged.fact for logged in seen])

    assert ends == [(message.ends.reason, message.ends.setting) for message in planned][: len(ends)]
