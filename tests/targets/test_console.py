from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from rich.console import Console

from cadenza.targets.console import ConsoleTarget
from cadenza.targets.target import Limits, Target
from cadenza.types import Attachment, Boundary, Identity, Notice, Post

CORPUS = Path(__file__).parent.parent / "corpus"
HIDDEN, VISIBLE = "\x1b[?25l", "\x1b[?25h"


class Chat:
    """A target and what it wrote, on a terminal or not."""

    def __init__(
        self, *, terminal: bool = False, encoding: str = "utf-8", width: int = 80, colour: bool = True
    ) -> None:
        self._bytes = io.BytesIO()
        file = io.TextIOWrapper(self._bytes, encoding=encoding, newline="\n")
        environment = {} if colour else {"NO_COLOR": "1"}
        console = Console(
            file=file,
            force_terminal=terminal,
            width=width,
            color_system="standard" if terminal else None,
            _environ=environment | {"TERM": "xterm"},
        )
        self.target = ConsoleTarget("Ren", avatar="🦊", console=console)
        self._file = file

    @property
    def output(self) -> str:
        self._file.flush()
        return self._bytes.getvalue().decode(self._file.encoding)

    @property
    def screen(self) -> list[str]:
        return screen(self.output)

    async def send(self, *texts: str, identity: Identity | None = None) -> None:
        for text in texts:
            await self.target.send(Post(text, Boundary.FINAL, identity=identity))


def screen(output: str) -> list[str]:
    """What stands on a terminal after *output*; only the codes that are used here are known."""
    lines, row, column = [""], 0, 0
    for code, count, what, text in re.findall(r"(\x1b\[\??(\d*)[\d;]*([a-zA-Z]))|([^\x1b])", output):
        if text == "\n":
            row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
        elif text == "\r":
            column = 0
        elif text:
            lines[row] = lines[row][:column].ljust(column) + text + lines[row][column + 1 :]
            column += 1
        elif what == "A":
            row -= int(count or 1)
        elif what == "K":
            lines[row] = ""
        else:
            assert what in "mhl", code
    return [line.rstrip() for line in lines]


@pytest.fixture
def plain() -> Iterator[Chat]:
    chat = Chat()
    yield chat
    chat.target.close()


@pytest.fixture
def terminal() -> Iterator[Chat]:
    chat = Chat(terminal=True)
    yield chat
    chat.target.close()


# --- a target ---------------------------------------------------------------------------


async def test_it_is_a_target_and_gives_receipts(plain: Chat) -> None:
    target: Target = plain.target
    post = Post("hello", Boundary.FINAL, identity=Identity("Ren", "😼"))
    first, second = await target.send(post), await target.send(post)
    assert (first.post, first.identity, first.message_id, second.message_id) == (post, post.identity, "1", "2")
    assert target.limits == Limits(tables=True)


def test_the_limits_can_be_given() -> None:
    assert ConsoleTarget("Ren", limits=Limits(100)).limits.length == 100


def test_cadenza_is_imported_without_the_terminals_toolkit() -> None:
    code = "import sys, cadenza, cadenza.replies.reply; raise SystemExit('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


# --- plain lines -------------------------------------------------------------------------


async def test_plain_lines_have_names_and_a_blank_line_between_speakers(plain: Chat) -> None:
    plain.target.say("Mia", "Hi!")
    await plain.send("Hello.", "How are you?")
    plain.target.say("Mia", "Fine.")
    assert plain.output == "Mia: Hi!\n\nRen: Hello.\nRen: How are you?\n\nMia: Fine.\n"


async def test_further_lines_of_a_message_are_indented(plain: Chat) -> None:
    await plain.send("one\ntwo\n\nfour")
    assert plain.output == "Ren: one\n  two\n\n  four\n"


@pytest.mark.parametrize(
    ("block", "lines"),
    [
        pytest.param("```py\nx = 1\n```", "Ren:\n  ```py\n  x = 1\n  ```\n", id="code"),
        pytest.param("- a\n  - b\n- c", "Ren:\n  - a\n    - b\n  - c\n", id="list"),
        pytest.param("# A\n\nb", "Ren:\n  # A\n\n  b\n", id="heading"),
        pytest.param("- a", "Ren: - a\n", id="one item"),
        pytest.param("| a |\n|---|\n| b |", "Ren:\n  | a |\n  |---|\n  | b |\n", id="table"),
    ],
)
async def test_the_lines_of_a_block_stand_under_each_other(plain: Chat, block: str, lines: str) -> None:
    await plain.send(block)
    assert plain.output == lines


async def test_nothing_on_a_plain_output_shows_who_types(plain: Chat) -> None:
    await plain.target.typing(None)
    assert plain.output == ""


async def test_another_sprite_of_the_persona_is_told_apart_by_its_mark(plain: Chat) -> None:
    await plain.send("Hm.")
    await plain.send("Ha!", identity=Identity("Ren", "😼"))
    await plain.send("Oh.", identity=Identity("Ren", "https://example.org/oh.png"))
    await plain.send("Me?", identity=Identity("smug (Ren)", "😼"))
    assert plain.output == "Ren: Hm.\n\nRen 😼: Ha!\n\nRen: Oh.\n\nsmug (Ren): Me?\n"


async def test_thoughts_and_notices_are_set_apart(plain: Chat) -> None:
    await plain.send("One.")
    plain.target.aside("What comes\nafter one?")
    plain.target.notice("Mia pressed stop")
    plain.target.notice("so it is")
    await plain.send("Two.")
    assert plain.output == (
        "Ren: One.\n\n(thought) What comes\n  after one?\n\n-- Mia pressed stop\n-- so it is\n\nRen: Two.\n"
    )


@pytest.mark.parametrize(
    ("post", "quoted"),
    [
        pytest.param(Post("Half an", Boundary.FINAL), "Half an", id="short"),
        pytest.param(Post("x" * 40, Boundary.FINAL), "x" * 40, id="just short enough"),
        pytest.param(Post("word " * 20, Boundary.FINAL), "word " * 8 + "…", id="long"),
        pytest.param(Post("x" * 39 + "👩‍🚀 and", Boundary.FINAL), "x" * 39 + " …", id="no half emoji"),
        pytest.param(Post("```py\nprint()\n```", Boundary.FINAL), "```py print() ```", id="several lines"),
        pytest.param(
            Post("", Boundary.FINAL, attachment=Attachment("table.png", b"1234")),
            "[table.png, 4 bytes]",
            id="only a file",
        ),
    ],
)
async def test_what_was_taken_back_is_named(plain: Chat, post: Post, quoted: str) -> None:
    await plain.target.remove(await plain.target.send(post))
    assert plain.output.endswith(f"\n\n-- Deleted: “{quoted}”\n")


async def test_a_notice_is_set_apart_and_drawn_where_that_can_be_done(plain: Chat, terminal: Chat) -> None:
    for chat in (plain, terminal):
        await chat.send("Better.")
        await chat.target.notify(Notice("`moon` answered instead of `sun`."))
    assert plain.output.endswith("Better.\n\n-- `moon` answered instead of `sun`.\n")
    assert terminal.screen[-3:] == ["", "  — moon answered instead of sun.", ""]


async def test_an_attachment_is_named(plain: Chat) -> None:
    await plain.target.send(Post("", Boundary.ATTACHMENT, attachment=Attachment("table.png", b"12345")))
    assert plain.output == "Ren: [table.png, 5 bytes]\n"


@pytest.mark.parametrize("is_terminal", [False, True])
async def test_nothing_in_a_text_can_steer_the_terminal(is_terminal: bool) -> None:  # noqa: FBT001
    chat = Chat(terminal=is_terminal, colour=False)
    await chat.send("a\x1b[2Jb\x07c\x9bd\x00e\ud800f\tg\r\nh")
    chat.target.say("M\x1bia\nRen", "x")
    shown = chat.output
    assert not set(shown.replace("\x1b[1m", "").replace("\x1b[0m", "")) & set(map(chr, [*range(10), *range(11, 32)]))
    assert "a\ufffd[2Jb\ufffdc\ufffdd\ufffde\ufffdf" in shown
    assert "M\ufffdia Ren" in shown


@pytest.mark.parametrize("is_terminal", [False, True])
async def test_an_output_that_cannot_show_a_character_gets_the_closest_one(is_terminal: bool) -> None:  # noqa: FBT001
    chat = Chat(terminal=is_terminal, encoding="ascii")
    await chat.target.typing(None)
    chat.target.say("Zoë", "naïve… “quoted” — 日本 🌠")
    await chat.send("- item\n> quote", "| ä |\n|---|\n| ü |", "```py\nx = 'é'\n```", identity=Identity("Ren", "😼"))
    chat.target.aside("hm…")
    chat.target.notice("done — really")
    chat.target.close()
    assert 'naive... "quoted" - ?? ?' in chat.output
    assert "Zoe" in chat.output


# --- a terminal -----------------------------------------------------------------------------


async def test_a_terminal_shows_the_name_once_for_messages_in_a_row(terminal: Chat) -> None:
    terminal.target.say("Mia", "Hi!")
    terminal.target.say("Mia", "Anyone?")
    await terminal.send("Hello.", "Me.")
    await terminal.send("Meow.", identity=Identity("Ren", "😼"))
    assert terminal.screen == [
        "● Mia", "  Hi!", "  Anyone?", "", "🦊 Ren", "  Hello.", "  Me.", "", "😼 Ren", "  Meow.", ""
    ]  # fmt: skip


async def test_names_have_colours_of_their_own(terminal: Chat) -> None:
    await terminal.send("Hi @Mia!")
    terminal.target.say("Mia", "Hi @Ren, hi @Renate!")
    assert "\x1b[1;35mRen\x1b[0m" in terminal.output
    assert "\x1b[1;36mMia\x1b[0m" in terminal.output
    assert "\x1b[1;35m@Ren\x1b[0m, hi @Renate!" in terminal.output


async def test_no_colour_means_no_colour() -> None:
    chat = Chat(terminal=True, colour=False)
    await chat.send("Hi **there** `x` https://example.org", "```py\nx = 1  # one\n```", "| a |\n|---|\n| b |")
    codes = {number for code in re.findall(r"\x1b\[([\d;]*)m", chat.output) for number in code.split(";")}
    assert codes <= {"0", "1", "2", "3", "4", "7", "9"}


async def test_a_long_message_is_folded_and_hangs() -> None:
    chat = Chat(terminal=True, width=30)
    await chat.send("one two three four five six seven", "x" * 40)
    assert chat.screen[1:] == [
        "  one two three four five",
        "    six seven",
        "  " + "x" * 26,
        "    " + "x" * 14,
        "",
    ]


@pytest.mark.parametrize("width", [1, 2, 5, 9])
async def test_a_terminal_too_narrow_for_anything_loses_nothing(width: int) -> None:
    chat = Chat(terminal=True, width=width)
    await chat.send("Hello there, everybody")
    assert "Hellothere,everybody" in "".join(re.sub(r"\x1b\[[\d;]*m|\s", "", chat.output))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[red]x[/red] [/] [b", "[red]x[/red] [/] [b"),
        (':) :( ;-) :smile: 27" 5 * 3 * 2 snake_case_name', ':) :( ;-) :smile: 27" 5 * 3 * 2 snake_case_name'),
        ("a\nb", "a\n  b"),
        ("**b** *i* _i_ __u__ ***bi*** ~~s~~ ||hush||", "b i i u bi s hush"),
        ("**b *bi* b**", "b bi b"),
        ("***a** b*", "a b"),
        ("`**a**` ``b`c``", "**a** b`c"),
        ("- one\n* two\n1. three\n  - four", "• one\n  • two\n  1. three\n    • four"),
        ("# Big\n-# small\n> said\n#tag -5", "Big\n  small\n  ▌ said\n  #tag -5"),
        (r"\*no\* C:\dir `\*`", r"*no* C:\dir \*"),
        ("[text](https://a.example/b_c_d)", "text (https://a.example/b_c_d)"),
        ("<:wave:12> <@34> a < b", ":wave: <@34> a < b"),
        ("<think>x</think>", "<think>x</think>"),
    ],
)
async def test_a_terminal_draws_marks_and_leaves_words(terminal: Chat, text: str, shown: str) -> None:
    await terminal.send(text)
    assert "\n".join(terminal.screen) == f"🦊 Ren\n  {shown}\n"


async def test_emphasis_is_drawn(terminal: Chat) -> None:
    await terminal.send("**b** *i* ~~s~~ __u__")
    assert "\x1b[1mb\x1b[0m \x1b[3mi\x1b[0m \x1b[9ms\x1b[0m \x1b[4mu\x1b[0m" in terminal.output


async def test_code_keeps_its_lines_and_gets_colours(terminal: Chat) -> None:
    await terminal.send('before\n```python\nif x:\n\n    print("[b]")\n```\nafter')
    assert terminal.screen[1:] == ["  before", "    if x:", "", '        print("[b]")', "  after", ""]
    assert re.search(r"\x1b\[[\d;]*m\"", terminal.output)


@pytest.mark.parametrize(
    "block", ["```\nx\n```", "```x```", "````no-such-language\nx\n````", "```py\nx", "> ```\n> x\n> ```"]
)
async def test_every_writing_of_a_code_block_is_one(terminal: Chat, block: str) -> None:
    await terminal.send(block)
    assert terminal.screen[1:] == ["    x", ""]


async def test_a_table_is_a_table(terminal: Chat) -> None:
    await terminal.send("| a | b |\n|---|--:|\n| **x** | 1 |\n| a \\| b | 22 | more |\n| |")
    assert terminal.screen[1:] == [
        "  ╭───────┬────┬──────╮",
        "  │ a     │  b │      │",
        "  ├───────┼────┼──────┤",
        "  │ x     │  1 │      │",
        "  │ a | b │ 22 │ more │",
        "  │       │    │      │",
        "  ╰───────┴────┴──────╯",
        "",
    ]


async def test_so_is_one_in_a_quote(terminal: Chat) -> None:
    await terminal.send("> | a | b |\n> |---|---|\n> | x | y |")
    assert terminal.screen[1:] == [
        "  ╭───┬───╮",
        "  │ a │ b │",
        "  ├───┼───┤",
        "  │ x │ y │",
        "  ╰───┴───╯",
        "",
    ]


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.md")), ids=lambda path: path.stem)
def test_no_letter_of_a_real_reply_is_lost(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    chat = Chat(terminal=True, width=1000)
    chat.target.say("Mia", text)
    assert _letters("\n".join(chat.screen[1:])) == _letters(text)


def _letters(text: str) -> str:
    """The letters and digits of *text*, but for the language of a code block and the number of an emoji."""
    text = re.sub(r"^([ >]*(?:`{3,}|~{3,}))[^`~\n]+$", r"\1", text, flags=re.MULTILINE)
    return "".join(filter(str.isalnum, re.sub(r"<a?(:\w+:)\d+>", r"\1", text)))


PIECES = [
    *'*_~|`<>[]()\\#- \n:@"a1.é日🌠\t\x1b',
    "```py\n",
    "```",
    "| a | b |\n|---|---|\n",
    "**",
    "||",
    "> ",
    "<:a:1>",
]


@given(
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    st.sampled_from(["utf-8", "latin-1", "ascii"]),
    st.sampled_from([3, 20, 80]),
)
def test_whatever_is_said_can_be_shown(text: str, encoding: str, width: int) -> None:
    chat = Chat(terminal=True, encoding=encoding, width=width)
    chat.target.say("Zoë", text)
    assert chat.output.startswith("\x1b[")


# --- somebody types ---------------------------------------------------------------------------


async def test_who_types_is_shown_until_a_message_arrives(terminal: Chat) -> None:
    terminal.target.say("Mia", "Hi!")
    await terminal.target.typing(None)
    assert re.fullmatch(r"  \S Ren is typing", terminal.screen[-1])
    assert terminal.screen[-2] == ""
    await terminal.send("Hello.")
    assert terminal.screen == ["● Mia", "  Hi!", "", "🦊 Ren", "  Hello.", ""]
    assert terminal.output.count(HIDDEN) == terminal.output.count(VISIBLE) == 1


async def test_somebody_else_may_begin_to_type(terminal: Chat) -> None:
    await terminal.target.typing(None)
    await terminal.target.typing(None)
    await terminal.target.typing(Identity("Mia"))
    assert "".join(terminal.screen).endswith("Mia is typing")
    assert "Ren" not in "".join(terminal.screen)
    assert terminal.output.count(HIDDEN) == 2


async def test_the_typing_line_leaves_room_for_what_a_terminal_echoes(terminal: Chat) -> None:
    """A full line would wrap at the ``^C`` that a terminal writes, and then it could not be taken away."""
    await terminal.target.typing(None)
    assert terminal.output.endswith("typing\x1b[0m")


@pytest.mark.parametrize("how", ["say", "aside", "notice", "typing_over", "close", "leaving"])
async def test_the_typing_line_goes_away_with_whatever_comes_next(terminal: Chat, how: str) -> None:
    target = terminal.target
    await target.typing(None)
    match how:
        case "say":
            target.say("Mia", "x")
        case "aside":
            target.aside("x")
        case "notice":
            target.notice("x")
        case "typing_over":
            target.typing_over()
        case "close":
            target.close()
            target.close()
        case _:
            with target:
                pass
    assert "typing" not in "\n".join(terminal.screen)
    assert terminal.output.rindex(VISIBLE) > terminal.output.rindex(HIDDEN)


async def test_a_dumb_terminal_gets_plain_lines() -> None:
    file = io.StringIO()
    target = ConsoleTarget("Ren", console=Console(file=file, force_terminal=True, _environ={"TERM": "dumb"}))
    await target.typing(None)
    await target.send(Post("**hi**", Boundary.FINAL))
    assert file.getvalue() == "Ren: **hi**\n"


async def test_forced_colours_in_a_pipe_show_nobody_typing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    target = ConsoleTarget("Ren")
    await target.typing(None)
    await target.send(Post("**hi**", Boundary.FINAL))
    assert capsys.readouterr().out.endswith("\x1b[1mhi\x1b[0m\n")


# --- an output that is gone -------------------------------------------------------------------


class _Gone(io.StringIO):
    def write(self, _: str, /) -> int:
        raise BrokenPipeError

    def flush(self) -> None:
        raise BrokenPipeError


@pytest.mark.parametrize("colour", ["0", "1"])
async def test_a_broken_pipe_is_an_error_when_something_is_said(monkeypatch: pytest.MonkeyPatch, colour: str) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", colour)
    monkeypatch.setattr(sys, "stdout", _Gone())
    target = ConsoleTarget("Ren")
    await target.typing(None)
    with pytest.raises(BrokenPipeError):
        target.say("Mia", "x")
    target.close()
