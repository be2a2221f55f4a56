"""Conversations in short-term memory, and their authors."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies as st

from cadenza.bot.memory.conversation import (
    LINE_LENGTH,
    ConversationMemory,
    RememberedLine,
    answer_of,
    lines_to_keep,
    normalised,
    without_forgotten,
)
from cadenza.types import Line, Role
from tests.bot.memory.remembering import ANA, MIA, PUBLIC, TOM, answer, ren, says

lines = st.lists(
    st.builds(
        RememberedLine,
        st.sampled_from(Role),
        st.text(max_size=30),
        st.text(max_size=5),
        by=st.sampled_from(["", MIA, TOM, ANA]),
        to=st.sampled_from(["", MIA, TOM, ANA]),
    ),
    max_size=6,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hi <:wave:123> there", "Hi :wave: there"),
        ("<a:party:9><:x_1:8>", ":party::x_1:"),
        ("<@1> and :wave: and <#2>", "<@1> and :wave: and <#2>"),
    ],
)
def test_emoji_of_servers_are_kept_by_name(text: str, expected: str) -> None:
    assert expected == normalised(text)


def test_details_stand_under_a_heading() -> None:
    reply = answer("Hi.\nThere <:wave:1>", details=["HP 10", " ", "Mood: <:sun:2>"])

    assert "Hi.\nThere :wave:\n\n[Scene Metadata]\nHP 10\n\nMood: :sun:" == answer_of(reply)


def test_it_is_known_who_said_what_to_whom() -> None:
    history = (says(MIA, "pie?"), ren("Pie!"), says(TOM, "cake?"), ren("Cake!"), ren("Two."))

    heard = lines_to_keep(PUBLIC, history, answer("Both."), hidden=(), limit=10)

    assert [(MIA, ""), ("", MIA), (TOM, ""), ("", TOM), ("", TOM), ("", MIA)] == [(line.by, line.to) for line in heard]
    assert ["Mia", "Ren", "Tom", "Ren", "Ren", ""] == [line.speaker for line in heard]
    assert [Role.USER, Role.MODEL] == [line.role for line in heard[:2]]


def test_what_nobody_could_have_forgotten_is_not_kept() -> None:
    history = (ren("Hello?"), Line("Stranger", "psst"), ren("Who is there?"), says(MIA, " "), says(MIA, "me"))

    heard = lines_to_keep(PUBLIC, history, answer(), hidden=(), limit=10)

    assert ["me", "Of course."] == [line.text for line in heard]


def test_of_who_is_hidden_nothing_is_kept() -> None:
    history = (
        says(TOM, "My cat is called Whiskers"),
        ren("What a name, Tom!"),
        says(MIA, "Tom said: “my cat is called  Whiskers”!"),
        says(MIA, f"Hey <@{TOM}> and {TOM}"),
    )

    heard = lines_to_keep(PUBLIC, history, answer(), hidden=[TOM], limit=10)

    assert ["Hey @someone and @someone", "Of course."] == [line.text for line in heard]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(in reply to Tom: “my cat”) Nice!", "Nice!"),
        ("(in reply to Tom: “a “b”) c”) Nice!\n(“What”) now?", "Nice!\n(“What”) now?"),
        ("(in reply to a message that is gone) Oh.", "(in reply to a message that is gone) Oh."),
        ("Nice (in reply to Tom: “my cat”)", "Nice (in reply to Tom: “my cat”)"),
    ],
)
def test_what_a_line_answers_is_not_its_speakers_to_keep(text: str, expected: str) -> None:
    heard = lines_to_keep(PUBLIC, (says(MIA, text),), answer(), hidden=(), limit=10)

    assert expected == heard[0].text


@pytest.mark.parametrize(("limit", "count"), [(10, 3), (2, 2), (0, 0)])
def test_no_more_is_kept_than_was_set(limit: int, count: int) -> None:
    heard = lines_to_keep(PUBLIC, (says(MIA, "a"), says(MIA, "b")), answer(), hidden=(), limit=limit)

    assert count == len(heard)


def test_a_long_line_is_cut() -> None:
    heard = lines_to_keep(PUBLIC, (says(MIA, "a" * 9000),), answer("b" * 9000), hidden=(), limit=10)

    assert [LINE_LENGTH, LINE_LENGTH] == [len(line.text) for line in heard]


@settings(max_examples=50)
@given(lines, st.text(max_size=9), st.sets(st.sampled_from([MIA, TOM])), st.booleans(), st.sampled_from(["", MIA]))
def test_an_entry_comes_back_as_it_was_kept(
    kept: list[RememberedLine],
    summary: str,
    people: set[str],
    is_private: bool,  # noqa: FBT001  # a table
    owner: str,
) -> None:
    heard = tuple(
        RememberedLine(Role.MODEL if line.role is Role.MODEL else Role.USER, line.text, line.speaker, line.by, line.to)
        for line in kept
    )
    empty = ConversationMemory.empty_at(PUBLIC, owner=owner, at=5.5)
    entry = ConversationMemory(
        **{name: getattr(empty, name) for name in ("channel", "at", "channel_name", "server", "server_name")},
        persona="ren",
        turn="t1",
        owner=owner,
        lines=heard,
        summary=summary,
        summary_of=frozenset(people),
        is_private=is_private,
    )
    record = entry.as_record(9.0)

    assert entry == ConversationMemory.of_record(record)
    assert record.value == json.loads(json.dumps(record.value))


@settings(max_examples=100)
@given(lines, st.sets(st.sampled_from([MIA, TOM, ANA])))
def test_an_entry_without_somebody_does_not_involve_them(kept: list[RememberedLine], people: set[str]) -> None:
    summary = f"With <@{TOM}>." if TOM in people else "With some."
    left = ConversationMemory("1", tuple(kept), summary, frozenset(people)).without(MIA)

    assert not left.involves(MIA)
    assert left == left.without(MIA)
    assert (TOM in people and MIA not in people) is left.involves(TOM) or any(line.is_of(TOM) for line in left.lines)


def test_what_cannot_be_read_of_an_entry_is_private() -> None:
    record = ConversationMemory("1").as_record(None)
    bare = type(record)(record.namespace, record.key, {})

    assert ConversationMemory.of_record(bare).is_private
    assert ConversationMemory.of_record(bare).is_empty


def test_whoever_is_quoted_is_known_by_their_sentences_whomever_they_called() -> None:
    said = says(MIA, "@Ren I am fond of marzipan! So there.")
    history = (said, says(TOM, "“i am fond of  marzipan”, she says"), says(TOM, "I am fond of cheese."))
    kept = lines_to_keep(PUBLIC, history, answer(), hidden={MIA}, limit=10)

    assert ["I am fond of cheese."] == [line.text for line in kept if line.by]


def test_what_was_said_before_somebody_was_forgotten_is_left_out_with_its_answers_and_quotes() -> None:
    def line(id_: str, author: str, text: str) -> Line:
        return Line(author, text, message_id=id_, author=author, is_own=not author)

    history = (
        line("1", "mia", "I am fond of marzipan."),
        line("2", "", "Are you?"),
        line("3", "tom", "She is fond of it. I am fond of marzipan too."),
        line("4", "tom", "Well."),
        line("6", "mia", "And I am back."),
        line("7", "", "Hello."),
    )
    left = without_forgotten(history, lambda person, message: person == "mia" and int(message) < 5)

    assert ["4", "6", "7"] == [line.message_id for line in left]
