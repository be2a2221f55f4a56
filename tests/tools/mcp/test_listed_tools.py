from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from cadenza.tools.mcp.listed_tools import ListedTool, names, offers
from cadenza.types import ToolSpec

NOTHING = {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("given_names", "prefix", "shown"),
    [
        pytest.param(["greet", "get-time_2"], "", ["greet", "get-time_2"], id="as they are"),
        pytest.param(["greet"], "tea_", ["tea_greet"], id="prefix"),
        pytest.param(
            ["draw.picture", "tee/kanne", "größe"], "", ["draw_picture", "tee_kanne", "gr__e"], id="odd marks"
        ),
        pytest.param(["2nd", "-x", ""], "", ["_2nd", "_-x", "_"], id="odd beginnings"),
        pytest.param(["2nd"], "t", ["t2nd"], id="a prefix is a beginning"),
        pytest.param(["a.b", "a_b"], "", ["a_b_2e7336dc", "a_b"], id="one that was there"),
        pytest.param(["a.b", "a/b"], "", ["a_b_2e7336dc", "a_b_c14cddc0"], id="two that become the same"),
        pytest.param(["x" * 64], "", ["x" * 64], id="just short enough"),
        pytest.param(["x" * 65], "", ["x" * 55 + "_9537c5fd"], id="too long"),
    ],
)
def test_names_become_what_every_provider_takes(given_names: list[str], prefix: str, shown: list[str]) -> None:
    assert dict(zip(given_names, shown, strict=True)) == names(given_names, prefix)


@given(st.lists(st.text(alphabet="ab._- é1", max_size=70), unique=True), st.sampled_from(["", "t_"]))
def test_names_are_proper_never_the_same_and_do_not_depend_on_the_order(given_names: list[str], prefix: str) -> None:
    shown = names(given_names, prefix)

    assert len(given_names) == len(set(shown.values()))
    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", name) for name in shown.values())
    assert shown == names(reversed(given_names), prefix)


@pytest.mark.usefixtures("mcp_sdk")
@pytest.mark.parametrize(
    ("hints", "repeatable", "destroys"),
    [
        pytest.param(None, False, True, id="nothing is said"),
        pytest.param({}, False, True, id="no hints"),
        pytest.param({"readOnlyHint": True}, True, False, id="reads"),
        pytest.param(
            {"readOnlyHint": True, "destructiveHint": True}, True, False, id="reads, and the rest is nonsense"
        ),
        pytest.param({"idempotentHint": True}, True, True, id="twice is once"),
        pytest.param({"destructiveHint": False}, False, False, id="adds"),
        pytest.param({"destructiveHint": True}, False, True, id="destroys"),
    ],
)
def test_hints_say_what_may_be_done_with_a_tool(hints: object, repeatable: object, destroys: object) -> None:
    from mcp_types import Tool

    tool = Tool.model_validate({"name": "a.b", "inputSchema": {"type": "object"}, "annotations": hints})

    assert (ListedTool("a.b", ToolSpec("a_b", "", NOTHING), repeatable, destroys),) == offers([tool])


@pytest.mark.usefixtures("mcp_sdk")
@pytest.mark.parametrize(
    ("said", "description"),
    [
        pytest.param({"description": " Says hello. \n", "title": "Hello"}, "Says hello.", id="description"),
        pytest.param({"title": "Hello"}, "Hello", id="title"),
        pytest.param({"annotations": {"title": "Hi"}}, "Hi", id="title among the hints"),
        pytest.param({}, "", id="nothing"),
    ],
)
def test_a_description_is_what_the_server_says_of_a_tool(said: dict[str, object], description: str) -> None:
    from mcp_types import Tool

    (offer,) = offers([Tool.model_validate({"name": "x", "inputSchema": {}, **said})])

    assert description == offer.spec.description


@pytest.mark.usefixtures("mcp_sdk")
def test_the_order_is_the_servers_and_what_is_listed_twice_counts_once() -> None:
    from mcp_types import Tool

    listed = [Tool(name=name, description=str(number), input_schema={}) for number, name in enumerate("bab")]

    assert [("b", "0"), ("a", "1")] == [(offer.name, offer.spec.description) for offer in offers(listed)]
