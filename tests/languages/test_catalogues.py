from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from cadenza.errors import InputError
from cadenza.languages.catalogues import read


def quoted(text: str) -> str:
    """*text* as written in a catalogue."""
    import json

    return json.dumps(text, ensure_ascii=False)


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("", {}),
        ('msgid ""\nmsgstr "Content-Type: text/plain\\n"\n', {}),
        ('msgid "Hello"\nmsgstr "やあ"', {"Hello": "やあ"}),
        ('msgid "Hello"\nmsgstr ""', {}),
        ('# a comment\n\n  msgid "a"\n  msgstr "b"\n#: file.py:3\nmsgid "c"\nmsgstr "d"\n', {"a": "b", "c": "d"}),
        ('msgid ""\n"one "\n"two"\nmsgstr "eins "\n"zwei"\n', {"one two": "eins zwei"}),
        ('msgid "say \\"a\\"\\n"\nmsgstr "「a」"', {'say "a"\n': "「a」"}),
        ('msgid "a"\nmsgstr "b"\nmsgid "a"\nmsgstr "c"', {"a": "c"}),
    ],
)
def test_a_catalogue_is_read(text: str, texts: dict[str, str]) -> None:
    assert texts == read(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("nonsense", 1),
        ('msgid "a"\nmsgstr b', 2),
        ('msgid "a', 1),
        ("msgid 3", 1),
        ("msgid", 1),
        ('"lost"', 1),
        ('msgstr "first"', 1),
        ('msgid "a"\nmsgid_plural "b"', 2),
        ('msgid "a"\nmsgstr "b"\n\nmsgctxt "c"', 4),
    ],
)
def test_what_cannot_be_read_is_named_by_its_line(text: str, line: int) -> None:
    with pytest.raises(InputError, match=f"line {line} of a catalogue"):
        read(text)


@settings(max_examples=50)
@given(texts=st.dictionaries(st.text(min_size=1), st.text(min_size=1)))
def test_whatever_was_written_is_read_again(texts: dict[str, str]) -> None:
    lines = [f"msgid {quoted(source)}\nmsgstr {quoted(target)}\n" for source, target in texts.items()]

    assert texts == read("\n".join(lines))
