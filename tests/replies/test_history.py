"""What was said in a channel, as a model is sent it."""

from __future__ import annotations

import pytest

import cadenza
from cadenza import Line, Settings, chat_messages, history, whole_answer
from cadenza.errors import InputError
from cadenza.targets.discord_py.answers import AnswerMemory
from cadenza.targets.discord_py.client_state import ClientState
from tests.bot.evening import Evening, at_work
from tests.bot.hearsay import bot_says, heard

pytestmark = pytest.mark.timeout(60)

LINES = Settings.of(shape="lines")


def written(lines: tuple[Line, ...]) -> list[str]:
    """The lines as people would write them down; ``*`` is the bot's own."""
    return [f"{'*' * line.is_own}{line.speaker}: {line.text}" for line in lines]


async def test_an_answer_is_one_line() -> None:
    async with at_work(Evening()) as evening:
        question = await heard(evening, evening.mia.says(evening.general, "Hello?"))
        await cadenza.say(question, "One.\nTwo.\n\nThree.", settings=LINES)
        last = await heard(evening, evening.tom.says(evening.general, "And?"))

        expected = ["Mia: Hello?", "*Cadenza: One.\nTwo.\n\nThree.", "Tom: And?"]
        assert expected == written(await history(last))
        assert expected[1:] == written(await history(last, limit=2))
        ClientState.of(evening.client).answers = AnswerMemory()  # as after a restart
        told = [line.replace("\nTwo", "\n\nTwo") for line in expected]
        assert [line.replace("\n\n", "\n") for line in told] == [
            line.replace("\n\n", "\n") for line in written(await history(last))
        ]


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_a_chain_holds_whole_answers_whatever_message_of_them_was_answered(*, is_restarted: bool) -> None:
    async with at_work(Evening()) as evening:
        evening.tom.says(evening.general, "Not part of it.")
        question = await heard(evening, evening.mia.says(evening.general, "Hello?"))
        said = await cadenza.say(question, "One.\nTwo.\nThree.", settings=LINES)
        evening.tom.says(evening.general, "Nor is this.")
        asked = evening.mia.says(evening.general, "What of two?", reply_to=said.receipts[1].message_id)
        if is_restarted:
            ClientState.of(evening.client).answers = AnswerMemory()

        lines = await history(await heard(evening, asked), chain=True)

        between = "\n\n" if is_restarted else "\n"
        answer = "*Cadenza: " + between.join(("One.", "Two.", "Three."))
        assert ["Mia: Hello?", answer, "Mia: What of two?"] == written(lines)
        assert [answer, "Mia: What of two?"] == written(await history(await heard(evening, asked), chain=True, limit=2))


async def test_a_chain_ends_where_a_message_is_gone() -> None:
    async with at_work(Evening()) as evening:
        gone = evening.tom.says(evening.general, "Hello?")
        asked = evening.mia.says(evening.general, "What was that?", reply_to=gone)
        evening.tom.deletes(evening.general, gone)

        assert ["Mia: What was that?"] == written(await history(await heard(evening, asked), chain=True))


async def test_notices_are_no_lines() -> None:
    async with at_work(Evening()) as evening:
        bot_says(evening, embeds=[{"description": "Something went wrong."}])
        asked = await heard(evening, evening.mia.says(evening.general, "And?"))

        assert ["Mia: And?"] == written(await history(asked))


ROWS = {
    "one person has no name": (
        (Line("Mia", "Hello?"), Line("Ren", "Yes.", is_own=True)),
        [{"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "Yes."}],
    ),
    "several people have": (
        (Line("Mia", "Hello?"), Line("Ren", "Yes.", is_own=True), Line("Tom", "Hi.")),
        [
            {"role": "user", "content": "Mia: Hello?"},
            {"role": "assistant", "content": "Yes."},
            {"role": "user", "content": "Tom: Hi."},
        ],
    ),
    "a line without a speaker": (
        (Line("", "Hello?"), Line("Tom", "Hi.")),
        [{"role": "user", "content": "Hello?"}, {"role": "user", "content": "Tom: Hi."}],
    ),
    "none": ((), []),
}


@pytest.mark.parametrize(("lines", "messages"), ROWS.values(), ids=ROWS)
def test_lines_as_messages_of_chat_apis(lines: tuple[Line, ...], messages: list[dict[str, str]]) -> None:
    assert messages == chat_messages(lines)


@pytest.mark.parametrize("thing", ["general", 5, None, b""], ids=repr)
async def test_only_a_message_has_a_history(thing: object) -> None:
    with pytest.raises(InputError):
        await history(thing)  # type: ignore[arg-type]
    with pytest.raises(InputError):
        await whole_answer(thing)  # type: ignore[arg-type]
