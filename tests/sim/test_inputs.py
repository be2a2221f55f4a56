"""What people put into commands, menus and forms."""

from __future__ import annotations

import pytest

from cadenza.sim.inputs import as_choice, as_modal, as_options, filled_in, find_command
from cadenza.sim.wire import Json, Refusal

MODAL: Json = {
    "custom_id": "why", "title": "Why?",
    "components": [{"type": 18, "label": "Reason", "component": {"type": 4, "custom_id": "r", "max_length": 5}}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "expected"),
    [("tea", ("tea", ())), ("tea pour", ("tea", ["pour"])), ("Read it", ("Read it", ())), ("coffee", None), ("teapot", None)],
)  # fmt: skip
def test_which_command_is_meant(name: str, expected: tuple[str, object] | None) -> None:
    found = find_command([{"name": "tea", "type": 1}, {"name": "Read it", "type": 3}], name)
    assert expected == (found and (found[0]["name"], found[1]))


def test_options_lie_below_their_subcommand() -> None:
    known = [{"name": "pour", "type": 1, "options": [{"name": "cups", "type": 4}]}]
    cups = {"name": "cups", "type": 4, "value": 2}

    assert [{"name": "pour", "type": 1, "options": [cups]}] == as_options(known, ["pour"], {"cups": 2})
    with pytest.raises(LookupError, match="no subcommand spill"):
        as_options(known, ["spill"], {})


CUPS: Json = {"name": "cups", "type": 4, "min_value": 2, "max_value": 1000}
WEIGHT: Json = {"name": "weight", "type": 10, "max_value": 1.5}
NOTE: Json = {"name": "note", "type": 3, "min_length": 2, "max_length": 4}
SORT: Json = {"name": "sort", "type": 3, "choices": [{"name": "Green", "value": "g"}, {"name": "Black", "value": "b"}]}
HOT: Json = {"name": "hot", "type": 5}


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        (CUPS, 1, "the option cups must be between 2 and 1000, not 1"),
        (CUPS, 1001, "must be between 2 and 1000"),
        (CUPS, "abc", "the option cups must be a whole number, not 'abc'"),
        (CUPS, 2.5, "must be a whole number"),
        (CUPS, True, "must be a whole number"),
        ({"name": "cups", "type": 4}, 2**54, "must be between"),
        (WEIGHT, "1", "the option weight must be a number, not '1'"),
        (WEIGHT, 2, "must be between -9007199254740992 and 1.5, not 2"),
        (NOTE, "x", "the option note must have 2 to 4 characters, not 1"),
        (NOTE, "xxxxx", "must have 2 to 4 characters"),
        (HOT, 1, "the option hot must be true or false, not 1"),
    ],
)
def test_an_option_takes_what_discords_client_takes(option: Json, value: object, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        as_options([option], [], {option["name"]: value})
    assert as_options([option], [], {option["name"]: value}, is_complete=False)  # it is still being typed


def test_an_option_with_choices_takes_one_of_them() -> None:
    with pytest.raises(LookupError, match=r"the option sort cannot be 'x'; there is \['g', 'b'\]"):
        as_options([SORT], [], {"sort": "x"})


@pytest.mark.parametrize(("option", "value"), [(CUPS, 2), (WEIGHT, 1), (WEIGHT, 1.5), (NOTE, "milk"), (SORT, "g"), (HOT, False)])  # fmt: skip
def test_an_option_that_fits_is_sent(option: Json, value: object) -> None:
    [sent] = as_options([option], [], {option["name"]: value})
    assert value == sent["value"]


@pytest.mark.parametrize("name", ["Reason", "r"])
def test_a_form_is_filled_in_by_label_or_id(name: str) -> None:
    [part] = filled_in(as_modal(MODAL), {name: "warm"})
    assert "warm" == part["component"]["value"]


@pytest.mark.parametrize(
    ("texts", "error"),
    [({}, ValueError), ({"Reason": "too long"}, ValueError), ({"Reason": "warm", "Name": "Mia"}, LookupError)],
)
def test_what_does_not_fit_a_form_is_a_mistake(texts: dict[str, str], error: type[Exception]) -> None:
    with pytest.raises(error):
        filled_in(MODAL, texts)


@pytest.mark.parametrize("change", [{"title": ""}, {"custom_id": None}, {"components": []}, {"components": [3]}])
def test_a_form_that_is_none_is_refused(change: Json) -> None:
    with pytest.raises(Refusal):
        as_modal({**MODAL, **change})


@pytest.mark.parametrize(
    ("chosen", "values"),
    [
        pytest.param(["a", "b"], ["a", "b"], id="by value"),
        pytest.param(["Black", "Green"], ["b", "a"], id="by label"),
        pytest.param(["b"], ["b"], id="a value goes before the label of another"),
    ],
)
def test_options_are_chosen_by_value_or_label(chosen: list[str], values: list[str]) -> None:
    options = [{"value": "a", "label": "Green"}, {"value": "b", "label": "Black"}, {"value": "c", "label": "b"}]

    assert values == as_choice({"type": 3, "max_values": 2, "options": options}, chosen)


def test_what_is_not_in_a_menu_cannot_be_chosen() -> None:
    with pytest.raises(LookupError, match=r"\['Red'\] cannot be chosen; there is \['a'\]"):
        as_choice({"type": 3, "options": [{"value": "a", "label": "Green"}]}, ["Red"])


def test_a_required_option_is_required_once_the_command_is_sent() -> None:
    known = [{"name": "text", "type": 3, "required": True}, {"name": "times", "type": 4}]

    with pytest.raises(ValueError, match="the option text is required"):
        as_options(known, [], {"times": 2})
    assert [{"name": "times", "type": 4, "value": 2}] == as_options(known, [], {"times": 2}, is_complete=False)
    assert ["text"] == [option["name"] for option in as_options(known, [], {"text": "hi"})]
