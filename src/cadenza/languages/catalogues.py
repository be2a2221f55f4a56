"""Parser for gettext ``.po`` files with the parts we use: texts and comments, but no contexts and plurals."""

from __future__ import annotations

import json

from ..errors import InputError, Sentence


def read(text: str) -> dict[str, str]:
    """The translations of a catalogue by source text, without the header and untranslated texts."""
    pairs: list[list[str]] = []
    part = -1  # of a pair: 0 is the source, 1 the translation
    for number, line in enumerate(text.split("\n"), start=1):  # only "\n" ends a line in .po files
        match line.strip().partition(" "):
            case ("msgid", _, rest):
                pairs.append(["", ""])
                part = 0
            case ("msgstr", _, rest) if part == 0:
                part = 1
            case (word, _, _) if word.startswith('"') and part >= 0:
                rest = line.strip()
            case (word, _, _) if not word or word.startswith("#"):
                continue
            case _:
                raise _complaint(number)
        pairs[-1][part] += _unquoted(rest, number)
    return {source: target for source, target in pairs if source and target}


def _unquoted(quoted: str, number: int) -> str:
    try:
        text = json.loads(quoted)
    except ValueError:
        raise _complaint(number) from None
    if not isinstance(text, str):
        raise _complaint(number)
    return text


def _complaint(number: int) -> InputError:
    return InputError(
        Sentence(
            "line {number} of a catalogue cannot be read; it needs msgid or msgstr and a text in quotes", number=number
        )
    )
