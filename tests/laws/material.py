"""What the laws are tried on: replies as people get them, and Markdown as nobody should."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from cadenza.replies.replay import End, ReplayInput, replay, slicer
from cadenza.settings import Settings
from cadenza.types import Persona, Roster

_CORPUS = Path(__file__).parent.parent / "corpus"
CORPUS = {path.stem: path.read_bytes().decode("utf-8") for path in sorted(_CORPUS.glob("*.md"))}

_BITS = [
    *("\n", "\n", "\n\n", "\n\n\n", " ", "  ", "\t", "\r\n", "\r"),
    *("```", "```py\n", "\n```\n", "```\n```", "````\n", "`", "``", "`x`", "``x`y``", "`" * 70),
    *("*", "**", "***", "_", "__", "~~", "||", "|", "*x*", "**x**", "__x__", "~~x~~", "||x||", "*" * 70),
    *("(", ")", "[", "]", "](", '"', "「", "」", "『", "』", "（", "）", "“", "”", "«", "»", "'"),
    *(":)", ":(", ":-(", "<3", ">_<", 'xx"', "it's", "a_b_c", "x * y"),
    *(
        "<think>",
        "</think>",
        "<ns:think>",
        "</ns:think>",
        "<details>",
        "</details>",
        "<summary>s</summary>",
        "<thi",
        "<",
    ),
    *("<:soup:123456789012345678>", "<@123456789012345678>", "<t:1700000000:R>", "<#", "</ban:123456789012345678>"),
    *("https://e.org/a_(b)", "http", "://", "<https://e.org/x>", "[a](https://e.org/b_(c))", "ftp://e.org"),
    *(
        "$",
        "$$",
        "$5 ",
        "$x^2$",
        "\\(",
        "\\)",
        "\\[",
        "\\]",
        "\\( \\frac{a}{b} \\)",
        "\n\\[\nx = 1\n\\]\n",
        "\n$$\n\\alpha\n\n",
    ),
    *("| a | b |\n|---|---|\n| x | y |\n", "| a |\n", "|---|\n", "|"),
    *("\n- x", "\n1. x", "\n> x", "\n>>> x", "\n# x", "\n-# x", "\n...\n", "\n!!\n", "\n. ", "\n!help", "---\n"),
    *(".", ". ", "! ", "? ", ", ", "...", "…", "Dr. ", "e.g. ", "U.S. ", "No. 5", "3.14", "p.m. ", "\\", "\\*"),
    *(
        "日本語。",
        "はい、そう",
        "한국어 ",
        "العربية ",
        "नमस्ते ",
        "é",
        "e\u0301",
        "👨‍👩‍👧‍👦",
        "🇯🇵",
        "👍🏽",
        "\u200d",
        "\ufeff",
        "\u2028",
    ),
    *("\x00", "\x1b[31m", "\ud83d", "\ude00", "\ufffd", "\ue000"),
    *(" " * 40, "." * 40, "a" * 300, "lorem ipsum dolor sit amet " * 12, "長い文" * 200, "word\n" * 30),
]


def nasty_markdown(max_bits: int = 40) -> st.SearchStrategy[str]:
    """Markdown that is nested, unbalanced, cut, and in many scripts."""
    bit = st.one_of(st.sampled_from(_BITS), st.sampled_from(_BITS), st.text(max_size=12))
    return st.lists(bit, max_size=max_bits).map("".join)


# Every word here is numbered and occurs once; no other bit holds a "w" or a digit. So the order of the words in
# what comes out tells exactly whether anything was lost, doubled or moved.
_FRAMES = [
    *("{} ", "{}\n", "{}\n\n", "{}. ", "{}.\n", "{}! ", "{}, ", "**{}** ", "*{}\n{}* ", "~~{}~~ ", "||{}|| ", "`{}` "),
    *(
        "({}) ",
        "({} {}\n",
        '"{}" ',
        '"{}\n',
        "「{}」",
        "{}。",
        "[{}](https://e.org/{}) ",
        "https://e.org/{} ",
        "- {}\n",
    ),
    *(
        "> {}\n",
        "# {}\n",
        "```py\n{}\n\n    {}\n```\n",
        "```{}```",
        "| a | b |\n|---|---|\n| {} | {} |\n",
    ),
    *(
        "{} :) ",
        '{} xx" ',
        "**{}\n",
        "[{}\n",
        "{}\n...\n",
        "{}\n!\n{}",
        "`{}\n",
        "{}" * 40,
        "{} " * 60,
        "{}\n" * 20,
        "<{}> ",
    ),
]


@st.composite
def numbered_markdown(draw: st.DrawFn) -> str:
    """Markdown in which every word is numbered."""
    numbers = count(1)
    frames = draw(st.lists(st.sampled_from(_FRAMES), min_size=1, max_size=25))
    # An open code block may only stand last: behind another fence its first line would be one that is repeated.
    frames += draw(st.sampled_from([[], ["\n```\n{}\n{}"], ["\n```py\n" + "{}\n" * 30]]))
    return "".join(frame.format(*(f"w{next(numbers)}" for _ in range(frame.count("{}")))) for frame in frames)


def numbered_words(text: str) -> str:
    """Only the numbered words of *text*, run together."""
    return re.sub(r"[^w0-9]", "", text)


def play(
    text: str,
    *,
    slices: Sequence[str] | None = None,
    how: str = "whole",
    end: str = "final",
    persona: Persona | None = None,
    roster: Roster | None = None,
    reference: bool = False,
    **values: Any,
) -> dict[str, Any]:
    """Put *text* through the pipeline as ``cadenza replay`` does; tables stay as they are unless *values* say otherwise.

    With *reference* lines and sentences become messages one by one, and the rules that the reference lacks are off.
    """
    base = Settings.reference() if reference else Settings()
    take = ReplayInput(
        chunks=tuple(slices) if slices is not None else (text,),
        settings=base.with_values({"tables": "source", "flood_limit": 1_000_000} | values),
        end=End(end),
        persona=persona or Persona(""),
        roster=roster or Roster(),
    )
    return replay(take, None if slices is not None else slicer(how))


def messages(text: str, **options: Any) -> list[str]:
    """The texts of the messages that *text* becomes."""
    return [post["text"] for post in play(text, **options)["posts"]]
