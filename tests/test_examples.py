"""The examples, as people run them: real processes, here on a Discord and with models of our own."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from cadenza.sim.rate_limits import RateLimits
from cadenza.sim.server import Server, serve
from tests.bot.evening import Evening
from tests.model_server import RATE_LIMITED, ModelServer, Question, Refuses, Says, Script, model_server

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
CHAT = ROOT / "examples" / "terminal_chat.py"
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"}
SECONDS = 30.0
LINES = 60
EPHEMERAL = 1 << 6


# --- all ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_short_and_says_how_it_is_run(example: Path) -> None:
    text = example.read_text(encoding="utf-8")

    assert f"python examples/{example.name}" in text
    assert text.count("\n") <= LINES


@pytest.mark.timeout(400)
def test_the_examples_and_recipes_are_typed(tmp_path: Path) -> None:
    """All in one process, which remembers in mypy's own cache what it knows of other people's packages."""
    for page in (ROOT / "docs" / "recipes").glob("*.md"):
        for program in re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
            (tmp_path / f"recipe_{page.stem.replace('-', '_')}.py").write_text(program, encoding="utf-8")
    programs = [*EXAMPLES, *tmp_path.glob("*.py")]
    command = [sys.executable, "-m", "mypy", "--strict", *map(str, programs)]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=ENVIRONMENT)

    assert (0, "") == (checked.returncode, checked.stderr), checked.stdout


# --- bots -----------------------------------------------------------------------------------------


class Bot:
    """An example at work, who is there, and what its model was asked."""

    def __init__(self, evening: Evening, server: Server, models: ModelServer, log: bytearray) -> None:
        self.evening = evening
        self.mia, self.tom, self.general = evening.mia, evening.tom, evening.general
        self.models = models
        self._server = server
        self._log = log

    def hears(self, text: str, **more: Any) -> str:
        """Mia mentions the bot."""
        return self.mia.says(self.general, f"<@{self.evening.bot.id}> {text}", **more)

    def messages(self, channel: str = "") -> list[dict[str, Any]]:
        """What the bot and its personas said; nothing in a thread that is yet to be opened."""
        people, world = (self.mia.id, self.tom.id), self.evening.world
        every = world.messages(channel or self.general) if not channel or channel in world.state.channels else []
        return [each for each in every if each["author"]["id"] not in people and each["content"]]

    def texts(self, channel: str = "") -> list[str]:
        """Their texts."""
        return [message["content"] for message in self.messages(channel)]

    async def until(self, said: str | Callable[[], object], channel: str = "") -> None:
        """Wait until the bot has *said* a text, or something else holds."""
        holds = (lambda: said in "\n".join(self.texts(channel))) if isinstance(said, str) else said
        try:
            await self._server.until(holds, within=SECONDS)
        except TimeoutError:
            pytest.fail(f"{self.evening.world.transcript(channel or self.general)}\n{self._log.decode()}")


@asynccontextmanager
async def at_work(
    example: str, script: Script | Iterable[Says | Refuses], *, logs: str = "", **environment: str
) -> AsyncIterator[Bot]:
    """Have *example* logged in; at the end it is interrupted as by Ctrl-C, and ends without a complaint.

    *logs* is the exception that stands in the log with its traceback; otherwise there is none.
    """
    evening, log = Evening(), bytearray()
    async with model_server(script) as models, serve(evening.world, limits=RateLimits.off()) as server:
        addresses = (server.url, server.gateway_url, server.cdn_url, models.url)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.redirected", *addresses, str(ROOT / "examples" / f"{example}.py")),
            env={**ENVIRONMENT, "DISCORD_TOKEN": "sim-token", **models.environment, **environment},
            stderr=PIPE,
        )
        ready = asyncio.Event()
        reading = asyncio.create_task(_read(process, log, ready))
        try:
            async with asyncio.timeout(SECONDS):
                await ready.wait()
            assert process.returncode is None, log.decode()
            yield Bot(evening, server, models, log)
            process.send_signal(signal.SIGINT)
            async with asyncio.timeout(SECONDS):
                status = await process.wait()
            await reading
            assert (0, bool(logs), False) == (status, b"Traceback" in log, b"Unclosed" in log), log.decode()
            assert logs in log.decode()
        finally:
            if process.returncode is None:
                process.kill()
            await reading


async def _read(process: asyncio.subprocess.Process, log: bytearray, ready: asyncio.Event) -> None:
    """Collect what *process* logs, and say when it is *ready*, or will never be."""
    assert process.stderr is not None
    async for line in process.stderr:
        log += line
        if b"has connected to Gateway" in line:
            ready.set()
    await process.wait()
    ready.set()


async def test_openai_answers_who_mentions_it_and_sends_the_model_the_whole_chain() -> None:
    story = "Once there was a fox.\n\nShe knew all stars by name.\n\n```\nVega\n```"
    async with at_work("discord_openai", [Says(story), Says("Her name was Ren.")]) as bot:
        bot.mia.says(bot.general, "Nobody is asked.")
        question = bot.hears("tell me a story")
        await bot.until("Vega")
        told = bot.messages()
        bot.tom.says(bot.general, "Meanwhile, something else.")
        bot.hears("what was her name?", reply_to=told[0]["id"])
        await bot.until("Ren.")

    assert question == told[0]["message_reference"]["message_id"]
    assert 1 == len(bot.models.asked[0].said)
    roles, texts = zip(*bot.models.asked[1].said, strict=True)
    assert ("user", "assistant", "user") == roles
    assert "tell me a story" in texts[0]
    assert story == texts[1]
    assert "what was her name?" in texts[2]


async def test_openai_gives_one_answer_at_a_time() -> None:
    def answer(question: Question) -> Says:
        number = question.said[-1][1].split("#")[1]
        return Says("\n\n".join(f"{number}: paragraph {part}. " + "word " * 200 for part in range(3)))

    async with at_work("discord_openai", answer) as bot:
        for number in range(10):
            person = (bot.mia, bot.tom)[number % 2]
            person.says(bot.general, f"<@{bot.evening.bot.id}> a question #{number}")
        await asyncio.gather(*(bot.until(f"{number}: paragraph 2") for number in range(10)))

    whose = [text.partition(":")[0] for text in bot.texts() if ": paragraph" in text]
    assert 30 <= len(whose)
    assert sorted(map(str, range(10))) == sorted(number for number, _ in groupby(whose))


async def test_openai_says_one_sentence_without_ids_when_it_is_refused() -> None:
    async with at_work("discord_openai", [RATE_LIMITED], logs="RateLimitError") as bot:
        bot.hears("hi!")
        await bot.until(lambda: len(bot.evening.world.messages(bot.general)) == 2)

    shown = bot.evening.world.transcript(bot.general)
    assert ("org-", "http", "TPM") == tuple(secret for secret in ("org-", "http", "TPM") if secret not in shown)


async def test_the_cog_answers_its_command_for_all_or_for_one() -> None:
    async with at_work("discord_cog", [Says("Look up.\n\nThere is Vega."), Says("Psst.")]) as bot:
        bot.tom.commands(bot.general, "ask", question="What do you see?")
        await bot.until("Vega")
        bot.mia.commands(bot.general, "ask", question="And for me?", hidden=True)
        await bot.until("Psst.")

    assert [0, EPHEMERAL] == [bot.messages()[index].get("flags", 0) & EPHEMERAL for index in (0, -1)]
    assert [[("user", "What do you see?")], [("user", "And for me?")]] == [each.said for each in bot.models.asked]


async def test_two_personas_answer_one_after_the_other() -> None:
    async with at_work("discord_personas", [Says("Clear skies!\nLook up."), Says("He always says so.")]) as bot:
        bot.mia.says(bot.general, "Hello, everyone.")
        bot.mia.says(bot.general, "Ren, Mori, how is the weather?")
        await bot.until("He always says so.")

    said = [(message["author"]["username"], message["content"]) for message in bot.messages()]
    assert [("Ren", "Clear skies!"), ("Ren", "Look up."), ("Mori", "He always says so.")] == said
    assert ["You are Ren, a fox", "You are Mori, an owl"] == [
        re.findall(r"You are \w+, an? \w+", each.said[0][1])[0] for each in bot.models.asked
    ]


async def test_tools_are_run_between_the_question_and_the_answer() -> None:
    answers = [Says("Let me roll.", (("roll", {"sides": 20, "dice": 2}),)), Says("A good throw!")]
    async with at_work("discord_tools", answers) as bot:
        bot.hears("roll for me")
        await bot.until("A good throw!")

    first, second = bot.models.asked
    assert ["roll", "now"] == first.tools
    role, rolled = second.said[-1]
    assert "tool" == role
    assert re.fullmatch(r"\[\d+, ?\d+\]", rolled)
    assert ["Let me roll.", "A good throw!"] == bot.texts()


async def test_pydantic_ai_rolls_and_answers_its_command() -> None:
    answers = [Says("Here goes!", (("roll", {"sides": 20}),)), Says("You have won.")]
    async with at_work("discord_pydantic_ai", answers) as bot:
        bot.mia.says(bot.general, "!ask Will you roll?")
        await bot.until("You have won.")

    assert "Here goes! You have won." == " ".join(" ".join(bot.texts()).split())
    assert ["roll"] == bot.models.asked[0].tools
    assert "function_call_output" == bot.models.asked[1].said[-1][0]


async def test_anthropic_answers_everything_in_private() -> None:
    async with at_work("discord_anthropic", [Says("Good evening.\n\nHow are you?"), Says("Glad to hear it.")]) as bot:
        private = bot.evening.world.open_direct(bot.evening.bot, bot.mia)
        bot.mia.says(private, "Hello!")
        await bot.until("How are you?", private)
        bot.mia.says(private, "Fine.")
        await bot.until("Glad", private)

    assert ["user", "assistant", "user"] == [role for role, _ in bot.models.asked[1].said]
    assert "Good evening.\n\nHow are you?" == bot.models.asked[1].said[1][1]
    assert [] == bot.texts()


async def test_anthropic_opens_a_thread_and_stays_in_it() -> None:
    async with at_work("discord_anthropic", [Says("It is clear."), Says("Clouds.")]) as bot:
        bot.mia.says(bot.general, "Not for the bot.")
        thread = bot.hears("how is the weather?")  # a thread has the id of the message that it was opened from
        await bot.until("It is clear.", thread)
        bot.tom.says(thread, "And tomorrow?")
        await bot.until("Clouds.", thread)

    assert ["user", "assistant", "user"] == [role for role, _ in bot.models.asked[1].said]
    assert "weather" in bot.models.asked[1].said[0][1]
    assert [] == bot.texts()


# --- the chat in a terminal -----------------------------------------------------------------------


@contextmanager
def chatting(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The chat, with pipes for a keyboard and a screen."""
    command = [sys.executable, str(CHAT), *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as chat:
        try:
            yield chat
        finally:
            chat.kill()


def test_the_chat_answers_with_what_its_tool_said_and_ends_with_its_input() -> None:
    with chatting() as chat:
        screen, errors = chat.communicate("Roll for me!\nAnd again!\n", timeout=SECONDS)

    rolls = [int(number) for number in re.findall(r"You have rolled a (\d+)\.", screen)]
    assert (2, "", 0) == (len(rolls), errors, chat.returncode)
    assert all(1 <= number <= 20 for number in rolls)


def test_an_interrupt_stops_the_reply_and_not_the_chat(tmp_path: Path) -> None:
    script = tmp_path / "slow.jsonl"
    script.write_text(
        '{"text": "One. That was the first number.\\n\\nTw"}\n{"after": 600, "text": "o."}\n', encoding="utf-8"
    )
    with chatting(f"script:{script}") as chat:
        assert chat.stdin
        assert chat.stdout
        for _ in range(2):  # the second line is answered too
            chat.stdin.write("Count!\n")
            chat.stdin.flush()
            while "One." not in chat.stdout.readline():
                assert chat.poll() is None
            chat.send_signal(signal.SIGINT)
        screen, errors = chat.communicate(timeout=SECONDS)

    assert ("", 0) == (errors, chat.returncode)
    assert "Two" not in screen
