"""A traced scanner finds what a plain one finds, and each character of its text knows where the model wrote it."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, strategies as st

from cadenza.text.origins import from_model, origin_of
from cadenza.text.spans import Find, Found, Scanner
from cadenza.text.traced_scanner import TracedScanner
from tests.laws.material import nasty_markdown


def pieces_of(text: str, sizes: Sequence[int]) -> list[str]:
    """*text* in pieces with the *sizes*, again and again."""
    pieces, place = [], 0
    while place < len(text):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(text[place : place + size])
        place += size
    return pieces


def finds(scanner: Scanner, *, final: bool) -> list[Find]:
    found: list[Find] = []
    while find := scanner.find(final=final):
        found.append(find)
        if find.what is Found.BLOCK_TAG:
            scanner.position = find.end
    return found


def check(scanner: TracedScanner, raw: str) -> None:
    """Its text is its text, and the model wrote it where it says."""
    size = len(scanner.text)
    text = scanner.part(0, size)
    assert str(text) == scanner.text
    place = 0
    for run in origin_of(text):
        shown, place = text[place : place + run.size], place + run.size
        assert run.why if run.start < 0 else raw[run.start : run.start + run.size] == shown
    assert place == size


SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=5)


@given(nasty_markdown(), SIZES, st.lists(st.integers(0, 30), max_size=8))
def test_it_finds_the_same_and_knows_its_places(raw: str, sizes: list[int], drops: list[int]) -> None:
    plain, traced, place = Scanner(hold=60), TracedScanner(hold=60), 0
    left = [*drops]
    for piece in pieces_of(raw, sizes):
        place += len(piece)
        is_plain = plain.append_plain(piece)
        assert is_plain == traced.append_plain(piece)
        if is_plain:
            continue
        plain.feed(piece)
        traced.feed(from_model(piece, place - len(piece)))
        traced.place = place
        assert finds(plain, final=False) == finds(traced, final=False)
        if left:
            count = min(left.pop(), traced.position)
            plain.drop(count)
            traced.drop(count)
        check(traced, raw)
    assert finds(plain, final=True) == finds(traced, final=True)
    assert plain.text == traced.text
    check(traced, raw)


@given(nasty_markdown(), st.data())
def test_what_is_changed_has_a_reason(raw: str, data: st.DataObject) -> None:
    scanner = TracedScanner()
    scanner.feed(from_model(raw, 0))
    for _ in range(data.draw(st.integers(1, 6))):
        size = len(scanner.text)
        start = data.draw(st.integers(0, size))
        match data.draw(st.sampled_from(["replace", "put_in_front", "cut_out", "drop"])):
            case "replace":
                scanner.replace(start, data.draw(st.integers(start, size)), " ", "lone_marker")
            case "put_in_front":
                scanner.put_in_front("```py\n", "code_overflow")
            case "cut_out":
                whole = scanner.text
                rest = scanner.cut_out(start)
                assert str(rest) == whole[start:]
                scanner.feed(rest)
            case _:
                scanner.drop(start)
        check(scanner, raw)
