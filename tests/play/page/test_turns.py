"""The model of replies that the page looks into."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from cadenza.explain.sentences import rendered
from cadenza.explain.telling import held_because
from cadenza.play.films.film import Film
from cadenza.play.films.rehearsal import rehearse
from tests.browsing import Open
from tests.play.films.test_what_is_told import raw_of, some_rehearsal
from tests.play.page import inside_films as films
from tests.play.page.inside_page import inside, show

pytestmark = pytest.mark.asyncio(loop_scope="session")

FATES = [
    pytest.param(0, 9.0, [("thought", None)], id="a thought of the model's own is a thought"),
    pytest.param(2, 0.45, [("waiting", None)], id="text in the buffer waits"),
    pytest.param(2, 0.5, [("planned", None)], id="text that is decided is planned"),
    pytest.param(2, 9.0, [("sent", "2001")], id="text that was sent is in its message"),
    pytest.param(8, 9.0, [("fate", "thought")], id="hidden text has its fate"),
    pytest.param(10, 9.0, [("sent", "2002")], id="text behind hidden text is in the next message"),
    pytest.param(22, 4.7, [("waiting", None)], id="text at the end waits until it is known"),
    pytest.param(22, 9.0, [("fate", "cut")], id="text that was cut off has its fate"),
]


async def test_each_token_knows_what_became_of_it(window: Open) -> None:
    async with inside(window) as page:
        for case in FATES:
            index, time, expected = case.values
            parts = await page.evaluate(
                """([records, id, index, time]) => {
                  const all = new turns.Turns();
                  for (const record of records) all.add(record);
                  return all.byToken(id, index, time).map(({ sort, message, fate }) => [sort, message ?? fate ?? null]);
                }""",
                [films.evening(), films.TURN, index, time],
            )
            kinds = [(sort, None if sort == "thought" else of) for sort, of in parts]
            assert expected == kinds, case.id


async def test_a_token_that_holds_the_end_of_a_message_has_two_parts(window: Open) -> None:
    records = [
        films.reply(),
        films.tokens(0.1, "🌙 Hi", ".\nYes"),
        films.sent(0.5, "1", [], "🌙 Hi."),
        films.story(0.5, "1", [[0, 7]]),
    ]
    async with inside(window) as page:
        found = await page.evaluate(
            """(records) => {
              const [turn] = turns.turnsOf(records);
              const parts = turns.partsOf(turn, 1, 9).map(({ start, end, sort }) => [start, end, sort]);
              return { parts, at: [0, 4, 5, 9, 10].map((place) => turn.tokens.at(place)), text: turn.tokens.slice(2, 7) };
            }""",
            records,
        )
        assert [[5, 7, "sent"], [7, 10, "waiting"]] == found["parts"]
        assert [0, 0, 1, 1, -1] == found["at"], "an emoji is two units long, as JavaScript counts"
        assert " Hi.\n" == found["text"]


async def test_waits_and_holds_end_with_the_next_of_their_kind(window: Open) -> None:
    async with inside(window) as page:
        found = await page.evaluate(
            """(records) => {
              const [turn] = turns.turnsOf(records);
              const spans = (all) => all.map(({ from, to, why }) => [from, to, why]);
              return { waits: spans(turn.waits), holds: spans(turn.holds), sends: spans(turn.sends),
                       refused: turn.calls.map((call) => call.status), raw: turn.cuts.all.map(({ start, end }) => [start, end]) };
            }""",
            films.evening(),
        )
        assert [[1.0, 2.25, "typing"], [2.25, 4.25, "rate_limit"]] == found["waits"]
        assert [[0.5, 0.55, "hidden"], [0.57, 0.95, "mark"]] == found["holds"]
        assert [[0.49, 0.57, None], [4.25, 4.4, None]] == found["sends"]
        assert [200, 429, 200] == found["refused"]
        assert [[0, 22], [39, 58], [58, 67], [67, 78]] == found["raw"]


async def test_what_is_kept_behind_the_buffer_is_what_the_stories_say(window: Open) -> None:
    holds = [
        {"from": 0.2, "to": 0.3, "why": "mark", "mark": "("},
        {"from": 0.3, "to": 0.5, "why": "rule", "mark": "late"},
        {"from": 0.6, "to": 0.9, "why": "gathered", "mark": ""},
    ]
    records = [
        films.reply(), films.tokens(0.1, "One\n", "Two\n"),
        films.sent(0.9, "1", [1], "One"), films.story(0.9, "1", [[0, 4]], holds=holds),
        films.sent(0.9, "2", [2], "Two"), films.story(0.9, "2", [[4, 8]], holds=holds[2:]),
        films.call(0.91, 200), {**films.call(0.92, 429, 1.0), "channel": "901"}, {**films.call(0.93, 201), "channel": films.CHANNEL},
    ]  # fmt: skip
    async with inside(window) as page:
        found = await page.evaluate(
            """(records) => {
              const [turn] = turns.turnsOf(records);
              const keeps = turn.keeps.map(({ from, to, why, mark }) => [from, to, why, mark]);
              return { keeps, calls: turn.calls.map((call) => call.status) };
            }""",
            records,
        )
        assert [[0.3, 0.5, "rule", "late"], [0.6, 0.9, "gathered", ""]] == found["keeps"]
        for time, why in ((0.4, held_because("rule", "late")), (0.7, held_because("gathered", ""))):
            await show(page, time, records)
            assert f"Holding: {rendered(why)}." in await page.locator(".now li").all_inner_texts()
        assert [200, 201] == found["calls"], "a call in another channel is of no concern here"


async def test_facts_count_in_characters_and_the_page_in_units(window: Open) -> None:
    records = [
        films.reply(),
        films.tokens(0.1, "🌙 ", "🌙 a"),
        films.tokens(0.2, "hm", sort="thought"),
        films.tokens(0.3, "b🌙"),
        films.cut(0.4, 1, "a", 4),
        films.post(0.4, 1, "ab🌙", (4, 7)),
    ]
    async with inside(window) as page:
        found = await page.evaluate(
            """(records) => {
              const [turn] = turns.turnsOf(records);
              const spans = (ranges) => ranges.all.map(({ start, end }) => [start, end]);
              return [spans(turn.cuts), spans(turn.plans), [0, 1, 6, 99].map((place) => turn.tokens.unitAt(place))];
            }""",
            records,
        )
        assert [[[6, 7]], [[6, 10]], [0, 2, 8, 10]] == found


async def test_a_film_without_stories_still_tells_which_message_a_token_is_in(window: Open) -> None:
    records = [record for record in films.evening() if record["kind"] != "story"]
    async with inside(window) as page:
        sorts = await page.evaluate(
            "(records) => { const [turn] = turns.turnsOf(records); return turns.partsOf(turn, 2, 9)[0]; }", records
        )
        assert ("sent", "2001") == (sorts["sort"], sorts["message"])


async def test_of_two_words_about_the_same_text_the_later_counts(window: Open) -> None:
    dice = Random(9)
    cases = [[sorted(dice.sample(range(40), 2)) for _ in range(12)] for _ in range(150)]
    expected = []
    for case in cases:
        painted: list[int | None] = [None] * 40
        for number, (start, end) in enumerate(case):
            painted[start:end] = [number] * (end - start)
        expected.append(painted)
    async with inside(window) as page:
        actual = await page.evaluate(
            """(cases) => cases.map((ranges) => {
              const all = new rawText.Ranges();
              ranges.forEach(([start, end], number) => all.add({ start, end, number }));
              return Array.from({ length: 40 }, (_, place) => all.at(place)?.number ?? null);
            })""",
            cases,
        )
        assert expected == actual


async def test_a_difference_leads_from_one_text_to_the_other(window: Open) -> None:
    dice = Random(10)
    letters = ["a", "b", " ", "\n", "👋", "<", "é", "word", "語"]
    pairs = [["".join(dice.choices(letters, k=dice.randrange(14))) for _ in range(2)] for _ in range(400)]
    pairs += [["x" * 3000, "y " * 3000]]
    async with inside(window) as page:
        all_runs: list[list[tuple[str, str]]] = await page.evaluate(
            "(pairs) => pairs.map(([one, other]) => difference.difference(one, other))", pairs
        )
    for (before, after), runs in zip(pairs, all_runs, strict=True):
        assert before == "".join(text for sort, text in runs if sort != "new")
        assert after == "".join(text for sort, text in runs if sort != "gone")
        assert all(one[0] != other[0] for one, other in pairwise(runs))


async def test_whatever_is_missing_or_odd_in_a_film_is_passed_over(window: Open) -> None:
    dice = Random(11)
    spoilt = [[_spoilt(record, dice) for record in films.evening()] for _ in range(25)]
    async with inside(window) as page:
        await page.evaluate(
            """([spoilt, channel]) => {
              for (const records of spoilt) {
                const reel = new Reel({ records });
                for (const time of [0, 0.5, 3, 9]) view.show(reel, { channel, time });
                for (const id of ["2001", "2002", "1000", "?"]) {
                  view.select({ kind: "message", id });
                  view.show(reel, { channel, time: 1 });
                }
                for (const index of [0, 8, 12, 99]) view.select({ kind: "token", turn: "turn-1", index });
                view.select(null);
              }
            }""",
            [spoilt, films.CHANNEL],
        )


def _spoilt(value: Any, dice: Random, depth: int = 0) -> Any:
    """*value* with something missing or of another type here and there."""
    if depth and dice.random() < 0.06:
        return dice.choice([None, 7, -1, "odd", [], {}, [None], [["a"]], True])
    if isinstance(value, dict):
        kept = {name: _spoilt(inner, dice, depth + 1) for name, inner in value.items() if dice.random() > 0.03}
        return json.loads(json.dumps(kept))
    return [_spoilt(inner, dice, depth + 1) for inner in value] if isinstance(value, list) else value


async def test_what_the_page_makes_of_a_film_is_what_its_stories_say(window: Open) -> None:
    """Of each token, in UTF-16 units: which part of it is in which message, or has which fate."""
    told = [await asyncio.to_thread(rehearse, some_rehearsal(seed)) for seed in range(100, 112)]
    async with inside(window) as page:
        for seed, film in enumerate(told, start=100):
            found = await page.evaluate(
                """(film) => {
                  const [turn] = turns.turnsOf(new Reel(JSON.parse(film)).records);
                  const parts = turn.tokens.texts.map((_, index) => turns.partsOf(turn, index, Infinity));
                  const spans = (all) => all.map(({ from, to, why, mark }) => [from, to, why, mark ?? ""]);
                  return {
                    parts: parts.flat().map(({ start, end, message, fate }) => [start, end, message ?? fate ?? null]),
                    holds: spans(turn.holds), keeps: spans(turn.keeps), waits: spans(turn.waits),
                    stories: turn.messages.map((message) => message.story !== null),
                    isOpen: [...turn.holds, ...turn.keeps, ...turn.waits, ...turn.sends].some((span) => span.to === null),
                  };
                }""",
                json.dumps(film.as_json()),
            )
            owners, painted, raw = _owners(film), _painted(found["parts"]), raw_of(film).encode("utf-16-le")
            assert owners == {place: name for place, name in painted.items() if place in owners}, seed
            rest = (raw[2 * place : 2 * place + 2].decode("utf-16-le") for place in painted.keys() - owners.keys())
            assert "" == "".join(rest).strip(), (seed, "only white space has a way that no story tells")
            assert not found["isOpen"], seed
            assert all(found["stories"]), seed
            for story in (record.about["story"] for record in film.of_kind("story")):
                for hold, said in zip(story["holds"], story["told"]["holds"], strict=True):
                    is_kept = hold["why"] in ("rule", "gathered")
                    kept = found["keeps" if is_kept else "holds"]
                    assert any(_covers(span, hold) for span in kept) or (is_kept and not said), (seed, hold, kept)
                for wait in story["waits"]:
                    assert any(_covers(span, {**wait, "mark": ""}) for span in found["waits"]), (
                        seed,
                        wait,
                        found["waits"],
                    )


def _owners(film: Film) -> dict[int, str]:
    """Who has each unit of the text, as the stories say."""
    owners: dict[int, str] = {}
    for record in film.records:
        if record.kind in ("story", "fate"):
            name = record.about.get("message") or record.about["fate"]
            for begin, end in record.about.get("story", record.about)["raw"]:
                owners |= dict.fromkeys(range(begin, end), name)
    return owners


def _painted(parts: list[tuple[int, int, str | None]]) -> dict[int, str]:
    return {place: name for begin, end, name in parts if name is not None for place in range(begin, end)}


def _covers(span: list[Any], told: dict[str, Any]) -> bool:
    """Whether the page has what was *told*, for as long at least: a story knows only of what is in its message."""
    begin, end, *about = span
    return about == [told["why"], told["mark"]] and begin <= told["from"] + 1e-3 and told["to"] <= end + 1e-3
