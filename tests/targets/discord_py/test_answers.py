"""Whole answers: what is remembered of them, and how they are found in a channel."""

from __future__ import annotations

import pytest

import cadenza
from cadenza import Settings
from cadenza.targets.discord_py import answers
from cadenza.targets.discord_py.answers import AnswerMemory, messages_of_answer, whole
from cadenza.targets.discord_py.client_state import ClientState
from cadenza.types import Boundary, Line, Post, Receipt
from tests.bot.evening import Evening, at_work
from tests.bot.hearsay import bot_says, channel_of, heard

pytestmark = pytest.mark.timeout(60)

LINES = Settings.of(shape="lines")


def receipt(number: int, text: str, *, joint: str = "", source: str | None = None) -> Receipt:
    """The receipt of a message."""
    return Receipt(Post(text, Boundary.NEWLINE, joint=joint, source=source), str(number))


def own(message: int, text: str) -> Line:
    """A line of the bot."""
    return Line("Ren", text, is_own=True, message_id=str(message))


def test_an_answer_is_told_as_the_model_wrote_it() -> None:
    memory = AnswerMemory()
    table = "| a |\n|---|\n| 1 |"
    memory.note([receipt(1, "One."), receipt(2, "", joint="\n\n", source=table), receipt(3, "End.", joint="\n\n")])

    found = memory.of("2")

    assert found is not None
    assert (f"One.\n\n{table}\n\nEnd.", ("1", "2", "3")) == (found.text, found.messages)


def test_further_messages_of_it_belong_to_it() -> None:
    memory = AnswerMemory()
    memory.note([receipt(1, "One.")], [receipt(2, "")], answers="9")

    found = memory.of("2")

    assert found is not None
    assert ("One.", "9") == (found.text, found.answers)


def test_nothing_is_remembered_of_a_reply_that_said_nothing() -> None:
    memory = AnswerMemory()
    memory.note([])
    memory.note([receipt(1, "")])

    assert memory.of("1") is None


def test_the_oldest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "_MOST", 2)
    memory = AnswerMemory()
    for number in range(3):
        memory.note([receipt(10 * number, f"Answer {number}."), receipt(10 * number + 1, "And so on.")])

    assert [None, None] == [memory.of("0"), memory.of("1")]
    assert all(memory.of(message) for message in ("10", "11", "20", "21"))


def test_an_answer_is_one_line_also_when_others_speak_in_the_middle_of_it() -> None:
    memory = AnswerMemory()
    memory.note([receipt(1, "One."), receipt(3, "Two.", joint="\n\n")])
    mia = Line("Mia", "Wait!", message_id="2")

    assert (own(1, "One.\n\nTwo."), mia) == whole([own(1, "One."), mia, own(3, "Two.")], memory)


def test_what_is_not_remembered_is_joined_where_it_stands_together() -> None:
    mia = Line("Mia", "And?", message_id="3")
    lines = [own(1, "One."), own(2, "Two."), mia, own(4, "Three.")]

    assert (own(1, "One.\nTwo."), mia, own(4, "Three.")) == whole(lines, AnswerMemory())


def test_two_remembered_answers_in_a_row_stay_two() -> None:
    memory = AnswerMemory()
    memory.note([receipt(1, "One.")])
    memory.note([receipt(2, "Two.")])

    assert (own(1, "One."), own(2, "Two.")) == whole([own(1, "One."), own(2, "Two.")], memory)


async def test_an_answer_is_found_in_the_channel_from_the_reply_on() -> None:
    async with at_work(Evening()) as evening:
        first = await heard(evening, evening.mia.says(evening.general, "First?"))
        await cadenza.say(first, "One.\nTwo.\nThree.", settings=LINES)
        second = await heard(evening, evening.tom.says(evening.general, "Second?"))
        said = await cadenza.say(second, "Four.\nFive.\nSix.", settings=LINES)
        bot_says(evening, "Not part of it.", embeds=[])
        middle = await heard(evening, said.receipts[1].message_id)

        found = await messages_of_answer(middle)

        said_there = "\n".join(message.content for message in found)
        assert "Four.\nFive.\nSix.\nNot part of it." == said_there  # some may share a message


async def test_two_answers_without_a_question_between_are_told_apart_by_what_they_answer() -> None:
    async with at_work(Evening()) as evening:
        first, second = [
            await heard(evening, evening.mia.says(evening.general, text)) for text in ("First?", "Second?")
        ]
        said = await cadenza.say(first, "One.\nTwo.", settings=LINES)
        await cadenza.say(second, "Three.\nFour.", settings=LINES)

        for receipt_ in said.receipts:
            found = await messages_of_answer(await heard(evening, receipt_.message_id))
            assert "One.\nTwo." == "\n".join(message.content for message in found)


async def test_the_whole_answer_of_a_message() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    answer = f"See:\n\n{table}\n\nThat is **all**."
    async with at_work(Evening()) as evening:
        said = await cadenza.say(channel_of(evening), answer)
        last = await heard(evening, said.receipts[-1].message_id)
        asked = await heard(evening, evening.mia.says(evening.general, "And?"))

        assert answer == await cadenza.whole_answer(last)
        assert await cadenza.whole_answer(asked) is None
        ClientState.of(evening.client).answers = AnswerMemory()  # as after a restart
        found = await cadenza.whole_answer(last) or ""
        assert [*filter(None, answer.splitlines())] == [*filter(None, found.splitlines())]
