"""What is typed into the terminal chat: read rightly, or refused with a sentence."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from cadenza.bot.terminal_input import (
    DeleteLine,
    EditLine,
    FillLine,
    HelpLine,
    MenuLine,
    PressLine,
    QuitLine,
    ReactLine,
    SayLine,
    Typed,
    UseLine,
    WaitLine,
    command_of,
    filled_in,
    understood,
)
from cadenza.errors import InputError


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Hello there\n", SayLine("Hello there")),
        ("  \n", None),
        ("//shrug", SayLine("/shrug")),
        ("/reply yes", SayLine("yes", is_reply=True)),
        ("/dm psst", SayLine("psst", is_direct=True)),
        ("/as Tom hey you", SayLine("hey you", who="Tom")),
        ("/edit better", EditLine("better")),
        ("/delete", DeleteLine()),
        ("/react ⏹", ReactLine("⏹")),
        ("/press Show Markdown", PressLine("Show Markdown")),
        ("/menu Explain", MenuLine("Explain")),
        ("/fill name:Ren", FillLine("name:Ren")),
        ("/wait 0.5", WaitLine(0.5)),
        ("/help", HelpLine()),
        ("/QUIT", QuitLine()),
        ("/exit", QuitLine()),
        ("/as @Tom hey", SayLine("hey", who="Tom")),
        ("/stop", UseLine("stop")),
        ("/persona create name:Ren prompt:a b", UseLine("persona create name:Ren prompt:a b")),
        ("/delete everything", UseLine("delete everything")),
    ],
    ids=lambda value: value.strip() if isinstance(value, str) else "",
)
def test_a_line_means_what_it_says(line: str, expected: Typed | None) -> None:
    assert expected == understood(line)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("/dm", "add what to say"),
        ("/as Tom", "add what to say"),
        ("/wait soon", "write how many seconds to wait, 0 to 600, as in /wait 0.5"),
        ("/wait nan", "write how many seconds to wait, 0 to 600, as in /wait 0.5"),
        ("/react", "add an emoji"),
    ],
    ids=str,
)
def test_a_line_that_is_not_whole_is_refused_with_a_sentence(line: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        understood(line)

    assert expected == str(caught.value)


@given(st.text())
def test_whatever_is_typed_means_something_or_is_refused(line: str) -> None:
    try:
        typed = understood(line)
    except InputError:
        return
    assert (typed is None) is (not line.strip())


def _option(name: str, kind: int = 3, **more: object) -> dict[str, Any]:
    return {"name": name, "type": kind, **more}


COMMANDS: list[dict[str, Any]] = [
    {"name": "stop", "type": 1},
    {"name": "say", "type": 1, "options": [_option("text", required=True), _option("loud", 5)]},
    {
        "name": "persona",
        "type": 1,
        "options": [
            {"name": "create", "type": 1, "options": [_option("name", required=True), _option("prompt")]},
            {"name": "list", "type": 1},
        ],
    },
    {
        "name": "config",
        "type": 1,
        "options": [
            {
                "name": "limits",
                "type": 2,
                "options": [
                    {
                        "name": "set",
                        "type": 1,
                        "options": [
                            _option("times", 4),
                            _option("factor", 10),
                            _option("who", 6),
                            _option("where", 7),
                            _option("how", 3, choices=[{"name": "Very Gently", "value": "soft"}]),
                            _option("card", 11),
                        ],
                    }
                ],
            }
        ],
    },
    {"name": "Explain", "type": 3},
]
NAMES = {"@mia": "11", "#general": "22"}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("stop", ("stop", {})),
        ("say hello: you", ("say", {"text": "hello: you"})),
        ("say text:hello: you loud:yes", ("say", {"text": "hello: you", "loud": True})),
        ("say text:off loud:off", ("say", {"text": "off", "loud": False})),
        ("persona list", ("persona list", {})),
        ("persona create name:Ren prompt:Shy: name unknown", ("persona create", {"name": "Ren", "prompt": "Shy: name unknown"})),
        ("config limits set times:3 factor:1.5", ("config limits set", {"times": 3, "factor": 1.5})),
        ("config limits set who:Mia where:#general", ("config limits set", {"who": "11", "where": "22"})),
        ("config limits set who:123", ("config limits set", {"who": "123"})),
        ("config limits set how:very gently", ("config limits set", {"how": "soft"})),
    ],
    ids=str,
)  # fmt: skip
def test_a_command_is_found_with_its_options(line: str, expected: tuple[str, dict[str, object]]) -> None:
    assert expected == command_of(line, COMMANDS, NAMES)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sing", "there is no command /sing; there is /config, /persona, /say, /stop"),
        ("persona", "there is no command /persona; there is /persona create, /persona list"),
        ("stop now", "write the options of /stop as name:value; there is none"),
        ("persona create prompt:x", "/persona create needs name:…"),
        ("config limits set 3", "write the options of /config limits set as name:value; there is times, factor, who, where, how, card"),
        ("config limits set times:many", "times is a number, not 'many'"),
        ("say text:x loud:maybe", "loud is yes or no"),
        ("config limits set who:nobody", "who: there is no person or channel called 'nobody'; there is #general, @mia"),
        ("config limits set card:x", "card is a file, which cannot be given here"),
        ("Explain", "there is no command /Explain; there is /config, /persona, /say, /stop"),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_command_is_refused_with_what_there_is(line: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        command_of(line, COMMANDS, NAMES)

    assert expected == str(caught.value)


FORM: dict[str, Any] = {
    "components": [
        {"type": 1, "components": [{"type": 4, "custom_id": "n1", "label": "Name"}]},
        {"type": 18, "label": "Prompt", "component": {"type": 4, "custom_id": "p1"}},
    ]
}


def test_a_form_is_filled_in_by_ids_or_labels() -> None:
    assert {"n1": "Ren", "p1": "Shy: very"} == filled_in("name:Ren p1:Shy: very", FORM)


def test_a_form_is_filled_in_whatever_the_case_of_its_labels() -> None:
    assert {"n1": "Ren", "p1": "Shy"} == filled_in("Name:Ren PROMPT:Shy", FORM)


def test_a_form_says_what_there_is_to_fill_in() -> None:
    with pytest.raises(InputError, match="there is n1, name, p1, prompt"):
        filled_in("Ren", FORM)
