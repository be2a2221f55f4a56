"""Reading a catalogue of gettext's ``.po`` form, as far as we write it: ``msgid`` and ``msgstr``, comments, no plurals."""

from __future__ import annotations

import json

from ...errors import InputError


def read(text: str) -> dict[str, str]:
    """What stands for each text of a catalogue; the header and what is not translated are left out."""
    texts: dict[str, str] = {}
    source = target = ""
    part = ""
    for number, line in enumerate(text.splitlines(), start=1):
        word, _, rest = line.strip().partition(" ")
        if word in ("msgid", "msgstr"):
            if word == "msgid":
                texts[source] = target
                source = target = ""
            part = word
        elif word.startswith('"'):
            rest = line.strip()
        elif not word or word.startswith("#"):
            continue
        else:
            raise InputError(_complaint(number))
        try:
            piece = json.loads(rest)
        except ValueError:
            raise InputError(_complaint(number)) from None
        if part == "msgid":
            source += piece
        else:
            target += piece
    texts[source] = target
    return {source: target for source, target in texts.items() if source and target}


def _complaint(number: int) -> str:
    return f"line {number} of a catalogue cannot be read; it needs msgid or msgstr and a text in quotes"
