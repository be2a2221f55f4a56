"""The thought log as messages. T104 to T108 and W18 are the numbers of the specification."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given, strategies as st

from cadenza.bot.services.thought_record import FailedAttempt, ThoughtRecord
from cadenza.bot.services.thought_text import FILE_NAME, LARGEST_FILE, LONGEST, Account, composed, duration
from cadenza.errors import CadenzaError, ErrorKind, ProviderError
from cadenza.facts import ToolCalled
from cadenza.models.error_message import explanation
from cadenza.targets.discord.api import Embed, Outgoing
from cadenza.text.units import units
from cadenza.types import Usage

SOURCE = "https://discord.com/channels/1/2/3"
KEY = "sk-abcdefghijklmnop1234567890"


def account(*thoughts: str, **about: Any) -> Account:
    told = {
        name: about.pop(name)
        for name in ("source", "persona", "attribution", "seconds", "waited", "at")
        if name in about
    }
    values = {"model": "openai:gpt-5.1", "thoughts": [*thoughts], **about}
    return Account(ThoughtRecord(**values), **{"source": SOURCE, "persona": "Ren", **told})


def embeds(messages: tuple[Outgoing, ...]) -> list[Embed]:
    """The embed of each message."""
    return [box for message in messages for box in (message.embeds if len(message.embeds) == 1 else ())]


def pages(*thoughts: str, **about: Any) -> list[str]:
    return [box.description for box in embeds(composed(account(*thoughts, **about)))]


def used(
    name: str = "dice", arguments: str = '{"sides": 6}', *, size: int = 1, is_error: bool = False, **more: Any
) -> ToolCalled:
    return ToolCalled("1", name, arguments, more.pop("seconds", 0.25), is_error, remembered=False, size=size, **more)


def broke(error: CadenzaError) -> dict[str, object]:
    return {"kind": "broke", "reason": "", "error": {"type": type(error).__name__, "text": error.sentence}}


# --- the shape -----------------------------------------------------------------------------------


def test_a_thought_is_a_silent_message_that_calls_nobody() -> None:
    [message] = composed(account("Hm, @everyone and <@1>?", seconds=5.5, waited=1.25, at=1_700_000_000.0))
    [box] = message.embeds

    assert f"Source: {SOURCE}\n\n**Thoughts**\nHm, @everyone and <@1>?" == box.description
    assert "Thoughts of Ren" == box.title
    assert "openai | gpt-5.1 | Generation time: 4.2s | Queue time: 1.2s" == box.footer
    assert (0x3498DB, 1_700_000_000.0) == (box.colour, box.at)
    assert (True, "", (), ()) == (message.is_silent, message.content, message.users, message.roles)


def test_t104_a_long_thought_is_three_messages_with_a_heading_each_and_the_source_on_the_first() -> None:
    told = pages("x" * 9000)

    assert 3 == len(told)
    assert all(units(page) <= LONGEST for page in told)
    assert all("**Thoughts**\n" in page for page in told)
    assert [True, False, False] == [SOURCE in page for page in told]
    assert 9000 == "".join(told).count("x")


def test_t105_every_part_of_what_tools_did_stands_in_a_closed_block() -> None:
    told = pages(tools=tuple(used(arguments=f'{{"text": "``` {"y" * 150} {number}"}}') for number in range(50)))

    assert 3 == len(told)
    assert all(units(page) <= LONGEST for page in told)
    for page in told:
        _, _, code = page.partition("**Tools**\n")
        assert (True, True, 2) == (code.startswith("```\n"), code.endswith("\n```"), code.count("```"))


def test_t107_without_thoughts_only_the_payer_is_named() -> None:
    [box] = embeds(composed(account(attribution="Paid with the key of this server.", seconds=3.0)))

    assert f"Source: {SOURCE}\nPaid with the key of this server." == box.description
    assert "openai | gpt-5.1 | Generation time: 3.0s" == box.footer


def test_of_a_turn_of_which_nothing_came_nothing_is_told() -> None:
    assert () == composed(account("", " \n", usage=asdict(Usage(5, 5))))


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [(999, "999ms"), (4200, "4.2s"), (37_000, "37s"), (0, "0ms"), (-5, "0ms"), (999.7, "1.0s"), (9_960, "10s")],
)
def test_t108_a_time_is_shown_as_people_read_it(milliseconds: float, shown: str) -> None:
    assert shown == duration(milliseconds / 1000)


# --- what is told ----------------------------------------------------------------------------------


def test_thoughts_of_several_rounds_are_told_once_each() -> None:
    assert f"Source: {SOURCE}\n\n**Thoughts**\nOne, two.\n\nThree." == pages("One", "One, two.", " two", "Three.")[0]


def test_a_tool_is_told_with_short_arguments_and_the_size_of_its_result() -> None:
    tools = (
        used(size=1234),
        used("search", '{"q": "' + "long " * 100 + '"}', is_error=True),
        used("draw", "{}", size=2, media=1, seconds=12.0),
    )

    first, second, third = pages(tools=tools)[0].splitlines()[4:7]

    assert 'dice {"sides": 6} → 1,234 characters, 250ms' == first
    assert second.startswith('search {"q": "long long ')
    assert second.endswith("… → failed, 1 characters, 250ms")
    assert "draw {} → 2 characters, 1 pictures or videos, 12s" == third


@pytest.mark.parametrize(
    ("outcome", "told", "in_japanese"),
    [
        pytest.param(
            broke(ProviderError(explanation("openai", kind=ErrorKind.OVERLOADED, retry_after=30))),
            "OpenAI is overloaded or down; try again in 30 seconds, or use another model",
            "OpenAI は混み合っているか、停止しています。30 秒後にもう一度試すか、別のモデルを使ってください。",
            id="broke",
        ),
        pytest.param(
            {"kind": "broke", "reason": "KeyError", "error": {"type": "KeyError", "text": ""}},
            "KeyError",
            "KeyError",
            id="foreign error",
        ),
        pytest.param(
            {"kind": "stalled", "reason": "in the middle", "error": None},
            "it stopped sending in the middle",
            "途中で送信が止まりました",
            id="stalled",
        ),
        pytest.param(
            {"kind": "stalled", "reason": "before the first word", "error": None},
            "it did not begin to answer",
            "応答が始まりませんでした",
            id="never began",
        ),
        pytest.param(
            {"kind": "empty", "reason": "stop", "error": None},
            "its answer was empty (stop)",
            "応答が空でした（stop）",
            id="empty",
        ),
        pytest.param(
            {"kind": "raised", "reason": "CancelledError", "error": None},
            "CancelledError",
            "CancelledError",
            id="raised",
        ),
    ],
)
def test_what_went_wrong_is_told(outcome: dict[str, object], told: str, in_japanese: str) -> None:
    failures = [FailedAttempt("a:b", outcome)]

    assert f"Source: {SOURCE}\n\n**Errors**\na:b: {told}" == pages(failures=failures)[0]
    [box] = embeds(composed(account(failures=failures), "ja"))
    assert box.description.endswith(f"a:b: {in_japanese}")


def test_tokens_are_told() -> None:
    [page] = pages("Hm.", usage=asdict(Usage(1200, 34, 5, 6)))

    assert "Tokens: 1,200 read (5 cached), 34 written (6 thought)" == page.splitlines()[1]


@pytest.mark.parametrize(
    "about",
    [
        {"thoughts": [f"The key is {KEY}."]},
        {"tools": [used(arguments=f'{{"key": "{KEY}"}}')]},
        {"failures": [FailedAttempt("m", broke(ProviderError(f"refused {KEY}")))]},
        {"thoughts": ["Hm."], "attribution": KEY},
    ],
    ids=["thought", "tool", "failure", "payer"],
)
def test_secrets_are_not_shown(about: dict[str, Any]) -> None:
    assert KEY not in repr(composed(account(**about)))


@pytest.mark.parametrize(
    ("model", "served", "footer"),
    [
        ("ollama:llama3:8b", "", "ollama | llama3:8b | Generation time: 0ms"),
        ("house", "", "house | Generation time: 0ms"),
        ("openrouter:x", "Acme", "openrouter | x (Acme) | Generation time: 0ms"),
        ("", "", "Generation time: 0ms"),
    ],
)
def test_the_footer_names_provider_and_model(model: str, served: str, footer: str) -> None:
    [box] = embeds(composed(account("Hm.", model=model, served_by=served)))

    assert footer == box.footer


def test_it_is_told_in_the_language_of_the_server() -> None:
    [box] = embeds(composed(account("うーん。", seconds=4.2), "ja"))

    assert "Renの思考" == box.title
    assert box.description.startswith(f"元の発言: {SOURCE}\n\n**思考**\n")
    assert "openai | gpt-5.1 | 生成時間: 4.2s" == box.footer


# --- bounds ----------------------------------------------------------------------------------------


def test_w18_what_is_more_than_three_boxes_is_a_file() -> None:
    thoughts = "\n".join(f"thought {number}" for number in range(3000))
    messages = composed(account(thoughts, tools=(used(),)))
    told = "\n".join(box.description for box in embeds(messages))
    [file] = messages[-1].files
    rest = file.data.decode()

    assert (3, FILE_NAME) == (len(messages), file.name)
    assert [(), ()] == [message.files for message in messages[:2]]
    shown = [line for line in (told + "\n" + rest).splitlines() if line.startswith("thought ")]
    assert thoughts.splitlines() == shown
    assert rest.endswith('# Tools\n\n```\ndice {"sides": 6} → 1 characters, 250ms\n```\n')


def test_w18_the_file_is_bounded() -> None:
    [*_, last] = composed(account("ä" * 2 * LARGEST_FILE))

    assert LARGEST_FILE - 1 <= len(last.files[0].data) <= LARGEST_FILE
    last.files[0].data.decode()


def test_w18_a_source_that_fills_a_box_by_itself_is_cut() -> None:
    told = pages("Hm.", source="x" * 5000, attribution="y" * 5000)

    assert 1 == len(told)
    assert told[0].endswith("**Thoughts**\nHm.")


def test_a_box_keeps_to_what_discord_takes_as_a_whole() -> None:
    long = "n" * 3000
    [box, *_] = embeds(composed(account("x" * 9000, persona=long, model=f"{long}:{long}", served_by=long)))

    assert sum(map(units, (box.title, box.description, box.footer))) <= 6000
    assert units(box.title) <= 256


def test_a_block_of_code_that_is_cut_is_closed_and_opened_again() -> None:
    told = pages("Look:\n```python\n" + "print(1)\n" * 900 + "```\nDone.")

    assert 3 == len(told)
    assert [0, 0, 0] == [page.count("```") % 2 for page in told]
    assert told[1].startswith("**Thoughts**\n```python\nprint(1)\n")
    assert 900 == "".join(told).count("print(1)")


@given(st.lists(st.sampled_from(["```", "```py\n", "word ", "\n", "長い文", "🌠", "x" * 90, " "]), max_size=250))
def test_nothing_is_lost_and_every_box_stands_alone(pieces: list[str]) -> None:
    text = "".join(pieces)
    messages = composed(account(text))
    told = [box.description for box in embeds(messages)]
    rest = messages[-1].files[0].data.decode() if messages and messages[-1].files else ""

    assert all(units(page) <= LONGEST for page in told)
    assert all(page.count("```") % 2 == 0 for page in told)
    if "`" not in text and text.strip():
        said = "".join(page.partition("**Thoughts**\n")[2] for page in told) + rest.removeprefix("# Thoughts\n\n")
        assert "".join(text.split()) == "".join(said.split())
