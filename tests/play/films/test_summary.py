"""Films as they are told."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from cadenza.bot.characters.png import plain
from cadenza.explain.sentences import Said, rendered
from cadenza.explain.telling import told_of
from cadenza.facts import TextHidden
from cadenza.play.films.fault_names import RehearsalFault
from cadenza.play.films.film import Film, FilmRecord, dump, load
from cadenza.play.films.summary import ReplyNumbers, counted, tellings
from cadenza.play.films.values import part_of, parts_of
from cadenza.sim.rate_limits import Rate
from cadenza.text.tables import Table
from cadenza.types import StopReason
from tests.play.films.told import filmed, told

TALK = "Evening, @Mia!\n<think>hm</think>Look (it\nworks).\n```py\nx = 1\n```\nBye.\n"


def test_every_message_is_told_in_its_order_with_its_reasons() -> None:
    telling = told(TALK, settings={"degree": 2})

    assert ["Evening, @Mia!", "Look (it\nworks).", "```py\nx = 1\n```", "Bye."] == [
        one.shown for one in telling.messages
    ]
    assert [("reply", "line"), ("line", "line"), ("line", "block"), ("block", "line")] == [
        (part_of(one.story, "starts")["reason"], part_of(one.story, "ends")["reason"]) for one in telling.messages
    ]
    assert sorted(one.at for one in telling.messages) == [one.at for one in telling.messages]


def test_what_was_sent_has_numbers_and_what_is_shown_has_names() -> None:
    first = told("Hi @Mia.").messages[0]

    assert first.text.startswith("Hi <@")
    assert "Hi @Mia." == first.shown


def test_the_servers_own_emoji_are_shown_by_their_names() -> None:
    first = told("Hi :wave: to all.", emoji=("wave",)).messages[0]

    assert first.text.startswith("Hi <:wave:")
    assert "Hi :wave: to all." == first.shown


def test_tags_are_told_as_people_read_them_and_code_as_it_is() -> None:
    text = "Ask `<@1>` ``a ` <t:0>`` </help:12> at <t:1741528800> or <t:0:d> <id:guide> <@404> <a:wave:5> <t:9999999999999>"
    [message] = told(text, settings={"use_emoji": True}).messages
    moments = "at 2025-03-09 14:00 UTC or 1970-01-01"
    assert f"Ask `<@1>` ``a ` <t:0>`` /help {moments} #guide @unknown-user :wave: <t:9999999999999>" == message.shown


def test_whom_a_message_calls_is_told_and_who_is_only_named() -> None:
    text = "**@Mia**, @Jo and @everyone!\nIn code `@Mia` is nobody."
    first, second = told(text, people=("Mia", "Jo"), settings={"degree": 2, "mention_people": 1}).messages
    assert (("@Mia",), ("@Jo", "@everyone")) == (first.pings, first.shows)
    assert ((), ()) == (second.pings, second.shows)
    assert ["@Mia"] == first.as_json()["pings"]


def test_a_role_is_told_by_its_name() -> None:
    node = {"is": "mention", "sort": "role", "id": "8", "name": "crew"}
    shown = {"id": "7", "author": {"name": "Ren"}, "pings": ["8"], "markup": [{"is": "list", "items": [[node]]}]}
    records = [
        FilmRecord(0.0, "message", {"message": shown}),
        FilmRecord(0.1, "story", {"turn": "t", "message": "7", "story": {"text": "- <@&8>"}}),
    ]
    [message] = tellings(Film(tuple(records)))[0].messages
    assert ("- @crew", ("@crew",), ()) == (message.shown, message.pings, message.shows)


def test_the_time_of_a_message_is_accounted_for() -> None:
    telling = told("One.\nTwo.\n", settings={"degree": 2}, latency=0.25)

    first = telling.messages[0]
    assert first.at == pytest.approx(sum(first.took.values()))
    assert [0.25, 0.25] == [one.took["sending"] for one in telling.messages]
    assert telling.messages[1].took["queue"] > 0.25


def test_what_happens_between_messages_is_told_in_words() -> None:
    telling = told(TALK, asked="Well?")

    hidden = told_of(TextHidden("thought", "hm", ()))
    assert hidden is not None
    assert [("said", "Mia: Well?"), ("text_hidden", rendered(hidden))] == [
        (one.what, one.told) for one in telling.events
    ]


def test_what_a_rule_holds_before_it_drops_it_is_told_once() -> None:
    """The line is held until the text after it has come."""
    telling = told("One.\n\n---\n\nTwo.\n")

    assert [("text_changed", True)] == [(one.what, one.told.endswith(r' dropped "---\n\n".')) for one in telling.events]


def test_a_stop_is_told_with_who_did_it() -> None:
    telling = told("One.\n" * 40, stop_at=1.0)

    assert [rendered(Said("stop.person.by", {"by": "Mia"}))] == [
        one.told for one in telling.events if one.what == "stop_asked"
    ]
    assert telling.ended.startswith("The reply is over")
    assert ("stopped", StopReason.USER.value) == (telling.outcome["kind"], telling.outcome["reason"])


def test_a_last_message_that_came_before_the_last_token_is_not_after_it() -> None:
    numbers = told("One is here.\n<think>it thinks and thinks", rate=2, settings={"shape": "lines"}).numbers

    assert (numbers.last_message or 0.0) < (numbers.last_token or 0.0)
    assert numbers.after_last_token is None


def test_a_reply_is_told_in_numbers() -> None:
    numbers = told(TALK, rate=10, settings={"degree": 1}, latency=0.5).numbers

    assert (4, 4, 18) == (numbers.messages, numbers.planned, numbers.tokens)
    assert (1.8, 1.0) == (numbers.last_token, numbers.after_last_token)
    assert {"thought": 17} == numbers.unshown
    assert numbers.held > 0
    assert (0.0, 0.0, 0) == (numbers.typing, numbers.rate_limit, numbers.refusals)


class Painter:
    """Paints the same for every table."""

    def paint(self, _: Table, /) -> bytes:
        return plain("table")


@pytest.mark.parametrize("shape", ["blocks", "lines", "reply"])
def test_a_picture_under_its_lead_in_is_told_with_what_it_shows(shape: str) -> None:
    text = "Look:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    telling = told(text, settings={"shape": shape}, painter=Painter())
    last = telling.messages[-1]
    shown = {"blocks": "Look:", "reply": "Look:", "lines": ""}[shape]

    assert (shown, "table.png") == (last.text, last.file)
    assert ["tables"] == [rule["rule"] for rule in parts_of(last.story, "rules")]
    assert {} == telling.numbers.unshown
    assert len(text.rstrip()) == max(end for message in telling.messages for _, end in message.story["raw"])


def test_messages_that_were_put_together_are_counted_as_planned_too() -> None:
    numbers = told("One.\n" * 30, settings={"degree": 1}, limits=Rate(2, 10.0)).numbers

    assert 30 == numbers.planned
    assert numbers.messages < 10
    assert numbers.rate_limit > 0


def test_answers_of_429_are_counted() -> None:
    assert 2 == told("One.\nTwo.", faults=(RehearsalFault("rate_limit", 2),)).numbers.refusals


def test_a_reply_without_a_message_is_told_too() -> None:
    telling = told("<think>nothing to say</think>")

    assert () == telling.messages
    assert (0, None, None) == (telling.numbers.messages, telling.numbers.first_message, telling.numbers.last_message)
    assert "empty" == telling.outcome["kind"]


def test_what_is_told_is_json_and_the_same_each_time() -> None:
    first, second = (json.dumps(told(TALK, asked="Well?").as_json(), allow_nan=False) for _ in range(2))

    assert first == second
    assert {"persona", "settings", "outcome", "numbers", "messages", "events", "fates"} == json.loads(first).keys()
    assert set(ReplyNumbers.__slots__) == json.loads(first)["numbers"].keys()


def test_a_film_that_was_written_down_is_told_as_the_one_that_was_made() -> None:
    film = filmed(TALK, asked="Well?")

    made, written = ([one.as_json() for one in tellings(each)] for each in (film, load(dump(film))))
    assert made == written


def _second(film: Film) -> Film:
    """*film* twice, one after the other."""
    later = [
        FilmRecord(one.at + film.seconds + 1, one.kind, {**one.about, **({"turn": "2"} if "turn" in one.about else {})})
        for one in film.records
    ]
    return replace(film, records=(*film.records, *later))


def test_several_replies_in_a_film_are_told_apart() -> None:
    both = tellings(
        _second(filmed("One.\nTwo.\n", settings={"degree": 2}, asked="Well?", faults=(RehearsalFault("rate_limit"),)))
    )

    assert [["One.", "Two."]] * 2 == [[message.text for message in one.messages] for one in both]
    assert [1, 1] == [one.numbers.refusals for one in both]
    assert [["said"], ["said"]] == [[event.what for event in one.events] for one in both]
    assert both[0].numbers.first_message == both[1].numbers.first_message


def test_messages_are_counted_through_several_replies() -> None:
    both = counted(tellings(_second(filmed("One.\nTwo.\n", settings={"degree": 2}))))

    assert [1, 2, 3, 4] == [message.number for one in both for message in one.messages]
    assert both[0].only(3) is None
    narrowed = both[1].only(3)
    assert narrowed is not None
    assert ["One."] == [message.text for message in narrowed.messages]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["from", "to", "why", "text", "times", "holds", "id"]), inner, max_size=3)
    ),
    max_leaves=6,
)
NAMES = st.sampled_from(
    ["turn", "story", "message", "fact", "told", "about", "raw", "fate", "lengths", "status", "person"]
)


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["story", "fact", "tokens", "fate", "call", "message", "person"]),
            st.dictionaries(NAMES, JSON, max_size=5) | st.fixed_dictionaries({"turn": st.just("1"), "story": JSON}),
        ),
        max_size=8,
    )
)
def test_whatever_stands_in_a_film_it_can_be_told(records: list[tuple[str, dict[str, object]]]) -> None:
    film = Film(tuple(FilmRecord(float(at), kind, about) for at, (kind, about) in enumerate(records)))

    for telling in tellings(film):
        json.dumps(telling.as_json())
