"""The seam: a chat with another length, another unit and another markup."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from cadenza import Identity, Limits, Marks, Persona, ProviderError, Receipt, Scene, Settings, say
from cadenza.errors import SettingsError
from cadenza.replies.pipeline import Takes, text_row
from cadenza.stages.s7_delivery import rendered
from cadenza.stages.s7_merging import joinable, merged
from cadenza.targets.target import MARKDOWN
from cadenza.types import Boundary, Completed, Ending, Failed, Post, TextDelta

MARKS = Marks(bold="*", italic="_", strike="~", heading="*", link="<{url}|{text}>", backslash=False)
ESCAPING = replace(MARKS, subtext="_", escapes={"&": "&amp;", "<": "&lt;", ">": "&gt;"})
LIMITS = Limits(length=4000, markup=MARKS)
SENTENCE = "The **kettle** sings and the [leaves](https://tea.example/leaves) unfold ~~slowly~~ *at once*. "


class Chat:
    """A chat that has what a target must have, and no more."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self.limits = limits
        self.texts: list[str] = []

    async def send(self, post: Post, /) -> Receipt:
        self.texts.append(post.text)
        return Receipt(post, str(len(self.texts)))

    async def typing(self, _: Identity | None, /) -> None:
        pass


async def said(text: str, *, limits: Limits = LIMITS, **values: object) -> list[str]:
    """What a chat with *limits* is sent for *text*."""
    target = Chat(limits)
    await say(target, text, settings=Settings.of(typing_speed=0.0, typing_least=0.0, **values))
    return target.texts


async def test_a_message_is_as_long_as_the_chat_takes_it_and_in_its_marks() -> None:
    text = SENTENCE * 120

    first, *rest = await said(text, degree=0)

    assert "The *kettle* sings and the <https://tea.example/leaves|leaves> unfold ~slowly~ _at once_." in first
    assert "**" not in first
    assert 3500 < len(first) <= 4000
    assert all(len(message) <= 4000 for message in rest)
    assert MARKS.rendered(text).split() == " ".join([first, *rest]).split()


async def test_characters_are_counted_as_the_chat_counts_them() -> None:
    text = "🍵" * 4000

    assert [text] == await said(text, degree=0)
    assert len(await said(text, degree=0, limits=Limits(length=4000))) == 2  # in UTF-16 units


async def test_what_a_cut_falls_into_is_closed_and_opened_again_in_the_chats_marks() -> None:
    messages = await said(f"**{'tea ' * 1500}tea**", degree=0, overflow=10_000, hold=10_000)

    assert [("*", "*")] * 2 == [(message[0], message[-1]) for message in messages]
    assert all(message[1] != "*" and len(message) <= 4000 for message in messages)


async def test_code_that_is_cut_stays_code_to_the_letter() -> None:
    lines = [f"print('**{number}** _x_ ~~y~~')" for number in range(300)]

    messages = await said("```py\n" + "\n".join(lines) + "\n```", degree=1, code_overflow=100_000)

    assert all(message.startswith("```py\n") and len(message) <= 4000 for message in messages)
    assert lines == [line for message in messages for line in message.split("\n")[1:-1]]


async def test_a_notice_is_written_in_the_chats_way() -> None:
    target = Chat()

    failing = iter([TextDelta("Well.\n"), Failed(ProviderError("The model is *gone*."))])
    await say(target, failing, settings=Settings.of(show_errors="details"))

    assert target.texts[0] == "Well."
    assert "-#" not in target.texts[-1]
    assert "_gone_" in target.texts[-1]


async def test_a_chat_that_escapes_gets_mentions_and_no_calls_to_everyone() -> None:
    messages = await said("Hi <@12>, <!channel>: `a < b`\n> *so*", degree=0, limits=Limits(markup=ESCAPING))

    assert messages == ["Hi <@12>, &lt;!channel&gt;: `a &lt; b`\n> _so_"]


async def test_the_model_later_sees_what_it_wrote() -> None:
    target = Chat()

    reply = await say(target, "# Tea\nIs **hot**.", settings=Settings.of(degree=1))

    assert ["*Tea*\nIs *hot*."] == target.texts
    assert reply.transcript == "# Tea\nIs **hot**."
    assert isinstance(reply.outcome, Completed)


async def test_a_setting_can_only_shorten_messages() -> None:
    text = "word " * 3000

    assert 900 < max(map(len, await said(text, degree=0, limit=1000))) <= 1000
    assert 3900 < max(map(len, await said(text, degree=0, limit=100_000))) <= 4000
    assert max(map(len, await said(text, degree=0, limit=100_000, limits=Limits()))) <= 1950


def test_a_chat_that_writes_markdown_gets_the_very_post() -> None:
    post = Post("**a**", Boundary.FINAL)

    assert post is rendered(post, MARKDOWN)
    assert rendered(post, MARKS) == Post("*a*", Boundary.FINAL, source="**a**")
    assert rendered(Post("||  ||", Boundary.FINAL), MARKS).text == "||  ||"  # something is better than nothing


def test_what_is_put_together_is_measured_as_it_is_shown() -> None:
    posts = [Post(f"**{'a' * 26}**", Boundary.NEWLINE), Post(f"**{'b' * 26}**", Boundary.FINAL)]  # shown, 28 each

    assert joinable(posts, 57, MARKS) == 2
    assert joinable(posts, 56, MARKS) == joinable(posts, 60) == 1
    assert merged(posts, 57, MARKS) is not None
    assert merged(posts, 56, MARKS) is None


def test_a_length_in_which_nothing_could_stand_is_refused() -> None:
    with pytest.raises(SettingsError, match="at least 50 characters, not 49"):
        Limits(length=49)


_PIECES = st.sampled_from(
    ["**", "*", "_", "__", "~~", "||", "`", "```", "```py\n", "\n", "\n\n", "# ", "-# ", "- ", "> ", ">>> ", "[a](https://a.example)",
     "<t:0>", "<t:0>" * 30, "<:a:1>", "<@12>", "<!here>", "<&>" * 30, "\n> ```\n> ", "~~~\n", "![a|b](https://a.example?b&c)", "\\", "word", "two words " * 9, "🍵", "。", "tea, tea. " * 20, "x" * 130, "| a |\n|---|\n| b |\n"]
)  # fmt: skip
_WIDE = Marks(bold=("<strong>", "</strong>"), italic=("<em>", "</em>"), link="<a href='{url}'>{text}</a>")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(_PIECES, min_size=1, max_size=40).map("".join),
    st.integers(0, 3),
    st.sampled_from([50, 60, 200, 4000]),
    st.sampled_from([MARKS, ESCAPING, _WIDE]),
)
def test_no_message_is_longer_than_the_chat_takes_whatever_it_says(
    text: str, degree: int, length: int, marks: Marks
) -> None:
    values = Settings.of(degree=degree, limit=length, tables="source")
    row = text_row(Scene("", Persona("")), values, Random(0), takes=Takes(Limits(length=length, markup=marks)))

    items = row.feed(text) + row.flush(Ending.FINAL)

    messages = [rendered(post, marks).text for post in items if isinstance(post, Post)]
    assert [] == [message for message in messages if len(message) > length]
    assert marks is not ESCAPING or "<!" not in "".join(messages)


def _unescaped(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="`~"), max_size=90), max_size=60)
)
def test_no_letter_of_code_is_changed(lines: list[str]) -> None:
    target = Chat(Limits(length=300, markup=ESCAPING))
    code = "\n".join(["x", *lines, "x"])

    asyncio.run(say(target, f"```\n{code}\n```", settings=Settings.of(degree=0, code_overflow=100_000)))

    assert all(message.startswith("```\n") and message.endswith("\n```") for message in target.texts)
    assert code.replace("\n", "") == "".join(_unescaped(message)[4:-4].replace("\n", "") for message in target.texts)
    assert all(len(message) <= 300 for message in target.texts)
