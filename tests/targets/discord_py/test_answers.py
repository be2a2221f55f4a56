"""Whole answers: what is remembered of them, and how they are found in a channel."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import discord
import pytest

import cadenza
from cadenza import Persona, Reply, Settings, Speaker
from cadenza.targets.discord_py import answers, channel_history
from cadenza.targets.discord_py.answers import AnswerMemory, answer_of, answers_in, whole
from cadenza.targets.discord_py.client_state import ClientState
from cadenza.types import Boundary, Line, Post, Receipt
from tests.bot.evening import Evening, at_work
from tests.bot.hearsay import bot_says, channel_of, heard, says_as

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


@pytest.mark.parametrize(("bound", "most"), [("_MOST", 2), ("_MOST_CHARACTERS", 50)])
def test_the_oldest_are_forgotten(bound: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, bound, most)
    memory = AnswerMemory()
    for number in range(3):
        memory.note([receipt(10 * number, f"Answer {number}."), receipt(10 * number + 1, "And so on.")])

    assert [None, None] == [memory.of("0"), memory.of("1")]
    assert all(memory.of(message) for message in ("10", "11", "20", "21"))


def test_an_answer_is_one_line_also_when_others_speak_in_the_middle_of_it() -> None:
    memory = AnswerMemory()
    memory.note([receipt(1, "One."), receipt(3, "Two.", joint="\n\n")])
    mia = Line("Mia", "Wait!", message_id="2")

    assert (own(1, "One.\n\nTwo."), mia) == whole([own(1, "One."), mia, own(3, "Two.")], [], memory.of)


def test_two_remembered_answers_in_a_row_stay_two() -> None:
    memory = AnswerMemory()
    memory.note([receipt(1, "One.")])
    memory.note([receipt(2, "Two.")])

    assert (own(1, "One."), own(2, "Two.")) == whole([own(1, "One."), own(2, "Two.")], [], memory.of)


async def test_an_answer_is_found_in_the_channel_from_the_reply_on() -> None:
    async with at_work(Evening()) as evening:
        first = await heard(evening, evening.mia.says(evening.general, "First?"))
        await cadenza.say(first, "One.\nTwo.\nThree.", settings=LINES)
        second = await heard(evening, evening.tom.says(evening.general, "Second?"))
        said = await cadenza.say(second, "Four.\nFive.\nSix.", settings=LINES)
        bot_says(evening, "Not part of it.", embeds=[])
        middle = await heard(evening, said.receipts[1].message_id)

        found = (await answer_of(middle)).messages

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
            found = (await answer_of(await heard(evening, receipt_.message_id))).messages
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
        assert answer == await cadenza.whole_answer(last)


async def test_answers_that_are_not_remembered_are_told_apart_by_what_they_answer_by_time_and_by_who_speaks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answers, "_TOGETHER", timedelta(seconds=5))
    async with at_work(Evening()) as evening:
        first, second = [
            await heard(evening, evening.mia.says(evening.general, text)) for text in ("First?", "Second?")
        ]
        await cadenza.say(first, "One.\nTwo.", settings=LINES)
        await cadenza.say(second, "Three.", settings=LINES)
        says_as(evening, "Ren", "Four.")
        says_as(evening, "Kira", "Five.")
        evening.tom.says(evening.general, "Six.")
        bot_says(evening, "Seven.")
        await asyncio.sleep(6.0)
        bot_says(evening, "Eight.")
        there = [one async for one in channel_of(evening).history(oldest_first=True)]

        found = answers_in(there)

    said = ["\n".join(message.content for message in one.messages) for one in found]
    assert ["One.\nTwo.", "Three.", "Four.", "Five.", "Seven.", "Eight."] == said
    assert [str(first.id), str(second.id), "", "", "", ""] == [one.answers for one in found]


async def test_answers_of_a_persona_are_told_apart_by_the_embeds_before_them() -> None:
    async with at_work(Evening()) as evening:
        speaker = Speaker(evening.client, settings=LINES, persona=Persona("Ren", is_alter=True))
        questions = [await heard(evening, evening.mia.says(evening.general, text)) for text in ("First?", "Second?")]
        for question, answer in zip(questions, ("One.\nTwo.", "Three.\nFour."), strict=True):
            said = await speaker.say(question, answer)

        found = await answer_of(await heard(evening, said.receipts[-1].message_id))

    assert "Three.\nFour." == "\n".join(message.content for message in found.messages)
    assert str(questions[1].id) == found.answers


async def test_answers_to_commands_are_told_apart_by_their_interactions() -> None:
    async with at_work(Evening()) as evening:
        replies = asyncio.Queue[Reply]()

        @evening.client.tree.command()
        async def ask(interaction: discord.Interaction, question: str) -> None:
            """Ask."""
            replies.put_nowait(await cadenza.say(interaction, f"{question} One.\nTwo.\nThree.", settings=LINES))

        await evening.client.tree.sync()
        for question in ("First.", "Second."):
            evening.mia.commands(evening.general, "ask", question=question)
            said = await replies.get()

        found = await answer_of(await heard(evening, said.receipts[-1].message_id))
        remembered = await cadenza.history(await heard(evening, evening.tom.says(evening.general, "And?")))

    assert "Second. One.\nTwo.\nThree." == "\n".join(message.content for message in found.messages)
    assert [
        ("Mia", "First."),
        ("Cadenza", "First. One.\nTwo.\nThree."),
        ("Mia", "Second."),
        ("Cadenza", "Second. One.\nTwo.\nThree."),
        ("Tom", "And?"),
    ] == [(line.speaker, line.text) for line in remembered]


@pytest.mark.parametrize("is_deleted", [True, False], ids=["deleted", "edited"])
async def test_what_people_changed_of_an_answer_is_told_as_it_stands(*, is_deleted: bool) -> None:
    async with at_work(Evening()) as evening:
        said = await cadenza.say(channel_of(evening), "One.\n\nTwo.", settings=LINES)
        last = channel_of(evening).get_partial_message(int(said.receipts[-1].message_id))
        await (last.delete() if is_deleted else last.edit(content="Three."))
        asked = evening.tom.says(evening.general, "And?", reply_to=said.receipts[0].message_id)
        last_line = await heard(evening, asked)
        await evening.server.until(lambda: last_line.id in {message.id for message in evening.client.cached_messages})

        expected = "One." if is_deleted else "One.\n\nThree."
        assert expected == (await cadenza.history(last_line))[0].text
        assert [expected, "And?"] == [line.text for line in await cadenza.history(last_line, chain=True)]
        assert expected == await cadenza.whole_answer(await heard(evening, said.receipts[0].message_id))


async def test_what_the_bot_sends_besides_is_no_part_of_a_remembered_answer() -> None:
    async with at_work(Evening()) as evening:
        question = await heard(evening, evening.mia.says(evening.general, "Hello?"))
        await cadenza.say(question, "One.\n\nTwo.", settings=LINES)
        await cadenza.say(channel_of(evening), "News.", settings=LINES)
        bot_says(evening, "Plain.")
        lines = await cadenza.history(await heard(evening, evening.tom.says(evening.general, "And?")))

    assert ["Hello?", "One.\n\nTwo.", "News.", "Plain.", "And?"] == [line.text for line in lines]


async def test_an_answer_whose_beginning_was_not_read_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel_history, "_MESSAGES_A_LINE", 2)
    async with at_work(Evening()) as evening:
        for number in range(12):
            bot_says(evening, f"Part {number}.")
        asked = await heard(evening, evening.tom.says(evening.general, "And?"))

        assert ["And?"] == [line.text for line in await cadenza.history(asked, limit=3)]
