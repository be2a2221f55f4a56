"""The same stream under two settings: which messages are the same, which are not, and what else differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from rich.cells import cell_len
from rich.text import Text

from ...explain.telling import setting
from ...settings import DeliverySettings, Manner, settings_fields
from . import film_words
from .film import Json
from .printing import Paper, body, cut_to, harmless, headline, numbers_in_words, wrapped
from .summary import Message, ReplySummary
from .values import About

_SIDES = ("A", "B")
_STYLES = ("red", "green")
_MARKS = ("- ", "+ ")


@dataclass(frozen=True, slots=True)
class MessageStretch:
    """A run of messages that are the same on both sides, or that replace each other."""

    is_same: bool
    left: tuple[Message, ...]
    right: tuple[Message, ...]

    def as_json(self) -> Json:
        """As JSON: the numbers of the messages."""
        sides = ([message.number for message in side] for side in (self.left, self.right))
        return {"is_same": self.is_same, **dict(zip(("a", "b"), sides, strict=True))}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two tellings of the same answer."""

    left: ReplySummary
    right: ReplySummary
    stretches: tuple[MessageStretch, ...]

    @property
    def is_same(self) -> bool:
        """Whether both send the same texts and the same pings; their times may differ."""
        return all(stretch.is_same for stretch in self.stretches)

    def as_json(self) -> Json:
        """As JSON."""
        return {
            "is_same": self.is_same,
            "settings": {name: list(values) for name, values in _settings(self).items()},
            "messages": [stretch.as_json() for stretch in self.stretches],
            "sides": [self.left.as_json(), self.right.as_json()],
        }


def compared(left: ReplySummary, right: ReplySummary) -> Comparison:
    """Compare two tellings."""
    matcher = SequenceMatcher(None, _keys(left), _keys(right), autojunk=False)
    stretches = tuple(
        MessageStretch(tag == "equal", left.messages[a:b], right.messages[c:d])
        for tag, a, b, c, d in matcher.get_opcodes()
    )
    return Comparison(left, right, stretches)


def _keys(telling: ReplySummary) -> list[tuple[object, ...]]:
    return [(message.author, message.text, message.file, message.pings) for message in telling.messages]


def _settings(comparison: Comparison) -> dict[str, tuple[object, object]]:
    """The settings that differ, each with its value on both sides."""
    defaults: Mapping[str, object] = {spec.name: spec.default for _, spec in settings_fields()}
    sides = [{**defaults, **side.settings} for side in (comparison.left, comparison.right)]
    names = dict.fromkeys([*comparison.left.settings, *comparison.right.settings])
    values = {name: (_plain(sides[0].get(name)), _plain(sides[1].get(name))) for name in names}
    return {name: pair for name, pair in values.items() if pair[0] != pair[1]}


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


# --- in a terminal -------------------------------------------------------------------------------


def comparison_lines(comparison: Comparison, labels: Sequence[str], paper: Paper) -> Iterator[Text]:
    """A whole comparison; *labels* name the two settings."""
    for side, label, mark, style in zip(_SIDES, labels, _MARKS, _STYLES, strict=True):
        yield Text(cut_to(f"{mark}{side}  {harmless(label)}", paper.width), style=style)
    yield Text()
    if settings := _settings(comparison):
        yield headline("Settings", "", paper)
        sides = (comparison.left.settings, comparison.right.settings)
        rows = [(name, *map(_shown, (name, name), values, sides)) for name, values in settings.items()]
        yield from _table([(name, left, right) for name, left, right in rows], paper)
        yield Text()
    for stretch in comparison.stretches:
        yield from _same(stretch, paper) if stretch.is_same else _different(stretch, paper)
    yield headline("Summary", "", paper)
    yield from _table(_numbers(comparison), paper)
    yield Text()
    for line in wrapped(Text(_verdict(comparison), style="bold"), paper.width - 2):
        yield Text.assemble("  ", line)


def _shown(name: str, value: object, settings: About) -> str:
    """The *value* of the setting *name*; if it has none, what the degree in *settings* says."""
    if value is None and name in Manner._fields:
        degree = settings.get("degree")
        value = getattr(DeliverySettings(degree=degree if degree in (0, 1, 2, 3) else None).manner, name)
    return "not set" if value is None else str(setting(name, value).values["value"])


def _same(stretch: MessageStretch, paper: Paper) -> Iterator[Text]:
    """One line for each pair of equal messages."""
    for left, right in zip(stretch.left, stretch.right, strict=True):
        head = f"  {_numbered(left, right)}  same  "
        gist = " ".join(harmless(left.shown).split()) or f"[file: {harmless(left.file)}]"
        times = f"  {film_words.shown_seconds(left.at)} | {film_words.shown_seconds(right.at)}"
        gist = cut_to(gist, paper.width - cell_len(head) - cell_len(times))
        fill = " " * max(0, paper.width - cell_len(head) - cell_len(gist) - cell_len(times))
        yield Text.assemble((head, "dim"), gist, fill, (times, "dim"))
    yield Text()


def _numbered(left: Message, right: Message) -> str:
    return f"{left.number}" if left.number == right.number else f"{left.number} | {right.number}"


def _different(stretch: MessageStretch, paper: Paper) -> Iterator[Text]:
    """The messages of one side and those that replace them on the other."""
    for side, messages, mark, style in zip(_SIDES, (stretch.left, stretch.right), _MARKS, _STYLES, strict=True):
        for message in messages:
            title = f"{side} {message.number}  {message.author}"
            yield headline(title, f"at {film_words.shown_seconds(message.at)}", paper, style=style)
            yield from body(message, paper, style=style, mark=mark)
            for part in ("starts", "ends"):
                yield Text(cut_to(f"  {harmless(film_words.told(message, part))}", paper.width), style="dim")
            if pings := film_words.pings(message):
                yield Text(cut_to(f"  {harmless(pings)}", paper.width), style="dim")
    yield Text()


def _numbers(comparison: Comparison) -> list[tuple[str, str, str]]:
    sides = [dict(numbers_in_words(side)) for side in (comparison.left, comparison.right)]
    labels = dict.fromkeys(label for side in sides for label in side)
    return [(label, sides[0].get(label, "-"), sides[1].get(label, "-")) for label in labels]


def _table(rows: Sequence[tuple[str, str, str]], paper: Paper) -> Iterator[Text]:
    """Three columns: a name, and its value on both sides; where there is no room, one below the other."""
    first = max((cell_len(row[0]) for row in rows), default=0) + 2
    room = (paper.width - first - 4) // 2
    if not rows:
        return
    yield Text.assemble(" " * (first + 2), (_filled("A", room), _STYLES[0]), ("  B", _STYLES[1]))
    for name, *values in rows:
        left, right = (_in_lines(harmless(value), room) for value in values)
        for number in range(max(len(left), len(right))):
            label = name if not number else ""
            columns = [side[number] if number < len(side) else "" for side in (left, right)]
            yield Text.assemble((f"  {_filled(label, first)}", "dim"), _filled(columns[0], room), "  ", columns[1])


def _filled(text: str, width: int) -> str:
    return text + " " * max(0, width - cell_len(text))


def _in_lines(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if cell_len(longer) <= width or not lines[-1]:
            lines[-1] = cut_to(longer, width)
        else:
            lines.append(cut_to(word, width))
    return lines


def _verdict(comparison: Comparison) -> str:
    if comparison.is_same:
        return "People read the same messages."
    same = sum(len(stretch.left) for stretch in comparison.stretches if stretch.is_same)
    left, right = len(comparison.left.messages), len(comparison.right.messages)
    return f"{film_words.many(same, 'message')} the same; {left - same} only in A, {right - same} only in B."
