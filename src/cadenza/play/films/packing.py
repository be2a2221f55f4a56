"""Films written shortly: what a record says again is left out, and comes back when the film is read.

``docs/films.md`` tells what is left out. ``unpacked(packed(records))`` are the same records, whatever stands in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]

_TEXTS = (("message", "content"), ("about", "text"), ("story", "text"))
"""Where a record says a text that others may say, too; it has one of these at most."""
_SHORTEST = 8
"""So long is a text for which it is worth naming a record."""


def packed(records: Iterable[Mapping[str, Any]]) -> Iterator[Json]:
    """*records*, each without what is known from those before it."""
    memory = _Memory()
    for number, record in enumerate(records):
        yield memory.pack(number, dict(record))


def unpacked(records: Iterable[object]) -> Iterator[object]:
    """The records again; what cannot be understood stays as it is."""
    memory = _Memory()
    for record in records:
        yield memory.unpack(record)


class _Memory:
    """What somebody who has read so far knows."""

    def __init__(self) -> None:
        self._last: dict[object, Json] = {}  # of each sort, as it was written but for what was left out of it
        self._number_of: dict[str, int] = {}
        self._texts: list[object] = []

    def pack(self, number: int, record: Json) -> Json:
        """*record*, which is the one with this *number*, without what is known."""
        short = self._shortened(record)
        sort = _sort(record)
        last = self._last.get(sort, {})
        if _holds_all(last, short) and "anew" not in short and _is_same(self._restored(short), record):
            self._last[sort] = short
            written = _without(short, last)
        else:
            self._last[sort] = record
            written = {"anew": record}
        self._learn(number, record)
        return written

    def unpack(self, record: object) -> object:
        """The whole of *record*, which comes behind all that were given before."""
        whole = record
        if isinstance(record, dict):
            whole = record["anew"] if "anew" in record else self._merged(record)
            if isinstance(whole, dict) and "anew" in record:
                self._last[_sort(whole)] = whole
        self._texts.append(_text(whole) if isinstance(whole, dict) else None)
        return whole

    def _merged(self, record: Json) -> Json:
        sort = _sort(record)
        short = self._last[sort] = _with(record, self._last.get(sort, {}))
        return self._restored(short)

    def _learn(self, number: int, record: Json) -> None:
        text = _text(record)
        self._texts.append(text)
        if isinstance(text, str):
            self._number_of.setdefault(text, number)

    # --- one record by itself ----------------------------------------------------------------

    def _shortened(self, record: Json) -> Json:
        """*record* with shorter values: without its kind if it is a step, the number of a text instead of it."""
        short = dict(record)
        if record.get("kind") == "step" and isinstance(record.get("step"), str):
            del short["kind"]
        for part, field in _TEXTS:
            inner = record.get(part)
            if isinstance(inner, Mapping):
                short[part] = self._inner(dict(inner), field)
        if record.get("kind") == "tokens":
            _shorten_tokens(short)
        return short

    def _inner(self, inner: Json, field: str) -> Json:
        text = inner.get(field)
        if "markup" in inner and inner["markup"] == [text]:
            inner["markup"] = None
        url, id_ = inner.get("url"), inner.get("message")
        if isinstance(url, str) and isinstance(id_, str) and id_ and url.endswith(f"/{id_}"):
            inner["url"] = url.removesuffix(id_)
        if isinstance(text, str) and len(text) >= _SHORTEST:
            inner[field] = self._number_of.get(text, text)
        return inner

    def _restored(self, short: Json) -> Json:
        """The whole of it again."""
        whole = dict(short)
        if "kind" not in whole:
            whole["kind"] = "step"
        for part, field in _TEXTS:
            inner = short.get(part)
            if isinstance(inner, dict):
                whole[part] = self._whole(dict(inner), field)
        if whole["kind"] == "tokens":
            _restore_tokens(whole)
        return whole

    def _whole(self, inner: Json, field: str) -> Json:
        number = inner.get(field)
        if isinstance(number, int) and 0 <= number < len(self._texts):
            inner[field] = self._texts[number]
        if "markup" in inner and inner["markup"] is None:
            inner["markup"] = [inner.get(field)]
        url, id_ = inner.get("url"), inner.get("message")
        if isinstance(url, str) and isinstance(id_, str) and url.endswith("/"):
            inner["url"] = url + id_
        return inner


def _sort(record: Mapping[str, Any]) -> object:
    """Records of one sort say much alike."""
    sort = record.get("kind", "step"), record.get("step")
    return sort if all(isinstance(part, str | None) for part in sort) else None


def _text(record: Mapping[str, Any]) -> object:
    for part, field in _TEXTS:
        inner = record.get(part)
        if isinstance(inner, Mapping) and isinstance(inner.get(field), str):
            return inner[field]
    return None


def _shorten_tokens(short: Json) -> None:
    text, lengths, times = short.get("text"), short.get("lengths"), short.get("times")
    if isinstance(text, str) and isinstance(lengths, Sequence) and lengths:
        if lengths == _even_lengths(text, lengths[0]):
            short["lengths"] = lengths[0]
        if isinstance(times, Sequence) and len(times) == len(lengths):
            step = times[1] if len(times) > 1 else 0.0
            if times == _even_times(len(lengths), step):
                short["times"] = step


def _restore_tokens(whole: Json) -> None:
    text, lengths = whole.get("text"), whole.get("lengths")
    if isinstance(text, str) and _is_number(lengths):
        lengths = whole["lengths"] = _even_lengths(text, lengths)
    if isinstance(lengths, list) and _is_number(whole.get("times")):
        whole["times"] = _even_times(len(lengths), whole["times"])


def _even_lengths(text: str, length: object) -> list[int]:
    """The lengths of pieces of *text* that are as long as each other, but for the last."""
    size = len(text.encode("utf-16-le", "surrogatepass")) // 2
    if not isinstance(length, int) or length <= 0:
        return []
    return [min(length, size - start) for start in range(0, size, length)]


def _even_times(count: int, step: object) -> list[float]:
    """*count* times that are as far from each other."""
    return [round(place * step, 6) for place in range(count)] if isinstance(step, int | float) else []


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_ITS_OWN = frozenset({"at", "kind", "step"})
"""What every record says itself."""


def _holds_all(last: Json, short: Json) -> bool:
    """Whether nothing that *last* has is missing in *short*: only then it can be written as what is different."""
    inner = (
        name for name, value in last.items() if isinstance(value, Mapping) and isinstance(short.get(name), Mapping)
    )
    return short.keys() >= last.keys() and all(short[name].keys() >= last[name].keys() for name in inner)


def _without(short: Json, last: Json) -> Json:
    """*short* without what is the same in *last*."""
    kept: Json = {}
    for name, value in short.items():
        if name in _ITS_OWN or name not in last:
            kept[name] = value
        elif not _is_same(value, last[name]):
            kept[name] = _difference(value, last[name])
    return kept


def _difference(value: object, before: object) -> object:
    if not isinstance(value, Mapping) or not isinstance(before, Mapping):
        return value
    return {name: inner for name, inner in value.items() if name not in before or not _is_same(inner, before[name])}


def _with(record: Json, last: Json) -> Json:
    """*record* with what is the same in *last*."""
    whole = {**last, **record}
    for name, before in last.items():
        value = record.get(name)
        if isinstance(value, dict) and isinstance(before, Mapping):
            whole[name] = {**before, **value}
    return whole


def _is_same(one: object, other: object) -> bool:
    """Whether both are written alike: one is not true, and no number is written as another."""
    if one is other:
        return True
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_is_same(value, other[name]) for name, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return type(one) is type(other) and one == other
