"""Parser for gettext ``.po`` files with the parts we use: contexts, texts and comments, but no plurals."""

from __future__ import annotations

import json

from ....errors import InputError

CONTEXT = "\x04"
"""The separator between a context and its text, as in gettext."""


def read(text: str) -> dict[str, str]:
    """The translations of a catalogue by source text, without the header and untranslated texts.

    The key of a text with a context is the context, ``CONTEXT`` and the text.
    """
    pairs: list[list[str]] = []
    part = -1  # of a pair: 0 is the source, 1 the translation
    context = ""
    for number, line in enumerate(text.split("\n"), start=1):  # only "\n" ends a line in .po files
        match line.strip().partition(" "):
            case ("msgctxt", _, rest):
                context, part = _unquoted(rest, number) + CONTEXT, -1
                continue
            case ("msgid", _, rest):
                pairs.append([context, ""])
                context, part = "", 0
            case ("msgstr", _, rest) if part == 0:
                part = 1
            case (word, _, _) if word.startswith('"') and part >= 0:
                rest = line.strip()
            case (word, _, _) if not word or word.startswith("#"):
                continue
            case _:
                raise _complaint(number)
        pairs[-1][part] += _unquoted(rest, number)
    if context:
        raise _complaint(number)
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
    return InputError(f"line {number} of a catalogue cannot be read; it needs msgid or msgstr and a text in quotes")
