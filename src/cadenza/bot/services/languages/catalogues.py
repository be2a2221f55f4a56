"""Reading a catalogue of gettext's ``.po`` form, as far as we write it: contexts, texts and comments, but no plurals."""

from __future__ import annotations

import json

from ....errors import InputError

CONTEXT = "\x04"
"""What stands between a context and its text, as in gettext's own tables."""


def read(text: str) -> dict[str, str]:
    """What stands for each text of a catalogue; the header and what is not translated are left out.

    A text that has a context is known by that, ``CONTEXT`` and itself.
    """
    pairs: list[list[str]] = []
    part = -1  # of a pair: 0 is what is translated, 1 what stands for it
    context = ""
    for number, line in enumerate(text.split("\n"), start=1):  # no other character ends a line there
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
