"""The documents that are measured: made up from a seed, the same for the same seed on every machine.

A size is in bytes of UTF-8, with 1 kB = 1000 bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

Maker = Callable[[Random], str]

_FACES = ("😀", "👍🏽", "👩‍💻", "👨‍👩‍👧‍👦", "🏳️‍🌈", "❤️‍🔥", "🇯🇵", "1️⃣")


def words(dice: Random, count: int) -> str:
    """*count* made-up words."""
    return " ".join("".join(dice.choices("etaoinshrdlu", k=dice.randint(2, 9))) for _ in range(count))


def sentence(dice: Random) -> str:
    """A made-up sentence, with the space behind it."""
    return words(dice, dice.randint(4, 18)).capitalize() + dice.choice([". ", ". ", "! ", "? "])


def _chatty(dice: Random) -> str:
    return sentence(dice) + dice.choice([":) ", "", "lol ", '27" ', "**really** "]) + "\n"


def _paragraph(dice: Random) -> str:
    return "".join(sentence(dice) for _ in range(dice.randint(5, 12)))


def _prose(dice: Random) -> str:
    return _paragraph(dice) + "\n\n"


def _list(dice: Random) -> str:
    return "".join(f"- **{words(dice, 2)}**: {sentence(dice)}\n" for _ in range(6)) + "\n"


def _code(dice: Random) -> str:
    body = "".join(f"    {words(dice, 1)} = f({words(dice, 1)}, [1, 2])\n" for _ in range(15))
    return f"{sentence(dice)}\n```py\n{body}```\n"


def _code_line(dice: Random) -> str:
    return words(dice, 6) + "\n"


def _japanese(dice: Random) -> str:
    return (
        "".join(dice.choices("あいうえおかきくけこ漢字文章例", k=dice.randint(10, 40))) + dice.choice("。、！") + "\n"
    )


def _one_emoji(dice: Random) -> str:
    name = words(dice, 1)
    tag = dice.choice(["<:", "<a:"]) + f"{name}:{dice.randrange(10**17, 10**18)}>"
    return dice.choice([tag, f":{name}:", dice.choice(_FACES), dice.choice(_FACES) * 3])


def _emoji(dice: Random) -> str:
    parts = [f"{words(dice, dice.randint(1, 3))} {_one_emoji(dice)}" for _ in range(dice.randint(2, 5))]
    return " ".join(parts) + dice.choice(["", "!", "."]) + "\n"


def _table(dice: Random) -> str:
    rows = "".join(f"| {words(dice, 2)} | {dice.randint(0, 99)} |\n" for _ in range(8))
    return f"| name | count |\n|---|---|\n{rows}\n"


def _mixed(dice: Random) -> str:
    """One of each, in any order: a short and a long document have the same shares, so that growth shows as growth."""
    makers: list[Maker] = [_chatty, _prose, _list, _code, _japanese, _emoji, _table]
    return "".join(make(dice) for make in dice.sample(makers, k=len(makers)))


def document(make: Maker, size: int, seed: int) -> str:
    """A document of *size* bytes; a character that would be cut at the end is left out."""
    dice = Random(seed)
    parts: list[bytes] = []
    length = 0
    while length < size:
        parts.append(make(dice).encode())
        length += len(parts[-1])
    return b"".join(parts)[:size].decode(errors="ignore")


def _block(size: int, seed: int) -> str:
    head, foot = "```py\n", "\n```"
    return head + document(_code_line, size - len(head) - len(foot), seed) + foot


def _open(make: Maker, size: int, seed: int) -> str:
    return "(" + document(make, size - 1, seed)


def documents(seed: int) -> dict[str, str]:
    """What is measured, by name; the name ends in the size."""
    return {
        "chatty 10 kB": document(_chatty, 10_000, seed),
        "prose 10 kB": document(_prose, 10_000, seed),
        "lists 10 kB": document(_list, 10_000, seed),
        "code 10 kB": document(_code, 10_000, seed),
        "Japanese 10 kB": document(_japanese, 10_000, seed),
        "emoji 10 kB": document(_emoji, 10_000, seed),
        "tables 10 kB": document(_table, 10_000, seed),
        "one code block 15 kB": _block(15_000, seed),
        # Nothing ever closes it: once with no line end at all, once with paragraphs where a scan could begin again.
        "open parenthesis 10 kB": _open(_paragraph, 10_000, seed),
        "open parenthesis 100 kB": _open(_paragraph, 100_000, seed),
        "open parenthesis, paragraphs 100 kB": _open(_prose, 100_000, seed),
        "mixed 10 kB": document(_mixed, 10_000, seed),
        "mixed 100 kB": document(_mixed, 100_000, seed),
        "mixed 1 MB": document(_mixed, 1_000_000, seed),
    }
