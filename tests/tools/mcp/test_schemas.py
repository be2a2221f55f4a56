from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given, strategies as st

from cadenza.tools.mcp.schemas import parameters

TEXT = {"type": "string"}
TREE = {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param({}, {"type": "object", "properties": {}}, id="nothing"),
        pytest.param({"type": "object"}, {"type": "object", "properties": {}}, id="no properties"),
        pytest.param(
            {"$schema": "x", "$id": "y", "type": "object", "properties": {"a": TEXT}, "required": ["a"]},
            {"type": "object", "properties": {"a": TEXT}, "required": ["a"]},
            id="what is left out",
        ),
        pytest.param(
            {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": TEXT}},
            {"type": "object", "properties": {"a": TEXT}},
            id="reference",
        ),
        pytest.param(
            {
                "properties": {"a": {"$ref": "#/$defs/a"}},
                "$defs": {"a": {"$ref": "#/definitions/b"}},
                "definitions": {"b": TEXT},
            },
            {"type": "object", "properties": {"a": TEXT}},
            id="reference to a reference",
        ),
        pytest.param(
            {"properties": {"a": {"$ref": "#/$defs/x~1y~0z%20"}}, "$defs": {"x/y~z ": TEXT}},
            {"type": "object", "properties": {"a": TEXT}},
            id="escaped",
        ),
        pytest.param(
            {
                "properties": {"a": TEXT, "b": {"$ref": "#/properties/a"}, "c": {"$ref": "#/anyOf/0"}},
                "anyOf": [{"type": "null"}],
            },
            {"type": "object", "properties": {"a": TEXT, "b": TEXT, "c": {"type": "null"}}},
            id="reference to anywhere",
        ),
        pytest.param(
            {"$ref": "#/$defs/all", "$defs": {"all": {"type": "object", "properties": {"a": TEXT}}}},
            {"type": "object", "properties": {"a": TEXT}},
            id="reference on top",
        ),
        pytest.param(
            {
                "properties": {"a": {"$ref": "#/$defs/a", "description": "mine"}},
                "$defs": {"a": {**TEXT, "description": "its"}},
            },
            {"type": "object", "properties": {"a": {**TEXT, "description": "mine"}}},
            id="reference with a note",
        ),
        pytest.param(
            {"properties": {"a": {"$ref": "#/$defs/a", "maxLength": 3}}, "$defs": {"a": {**TEXT, "maxLength": 5}}},
            {"type": "object", "properties": {"a": {"allOf": [{**TEXT, "maxLength": 5}, {"maxLength": 3}]}}},
            id="reference with another word",
        ),
        pytest.param(
            {"properties": {"t": {"$ref": "#/$defs/tree"}}, "$defs": {"tree": TREE}},
            {
                "type": "object",
                "properties": {"t": {"type": "object", "properties": {"children": {"type": "array", "items": {}}}}},
            },
            id="cycle",
        ),
        pytest.param(
            {"properties": {"a": {"$ref": "#"}}},
            {"type": "object", "properties": {"a": {"properties": {"a": {}}}}},
            id="reference to all",
        ),
        pytest.param(
            {
                "properties": {
                    name: {"$ref": name} for name in ("https://x/y", "#anchor", "#/nowhere", "#/required/9", "#/type/x")
                }
            },
            {
                "type": "object",
                "properties": {
                    name: {} for name in ("https://x/y", "#anchor", "#/nowhere", "#/required/9", "#/type/x")
                },
            },
            id="references to nothing",
        ),
        pytest.param(
            {"properties": {"$ref": TEXT, "definitions": TEXT, "x-y": {**TEXT, "x-mcp-header": "Y"}}},
            {"type": "object", "properties": {"$ref": TEXT, "definitions": TEXT, "x-y": TEXT}},
            id="names that look like keywords",
        ),
        pytest.param(
            {"properties": {"a": {"default": {"$ref": "#"}, "enum": [{"$ref": "#"}], "const": {"$defs": 1}}}},
            {
                "type": "object",
                "properties": {"a": {"default": {"$ref": "#"}, "enum": [{"$ref": "#"}], "const": {"$defs": 1}}},
            },
            id="data that looks like keywords",
        ),
        pytest.param(
            {"properties": {"a": True, "b": False, "c": 3}},
            {"type": "object", "properties": {"a": {}, "b": {"not": {}}, "c": {}}},
            id="no schemas",
        ),
        pytest.param(
            {
                "oneOf": [
                    {"properties": {"kind": {"const": "a"}, "x": TEXT}, "required": ["kind", "x"]},
                    {"properties": {"kind": {"const": "b"}}, "required": ["kind"]},
                ],
                "allOf": [{"properties": {"y": TEXT}, "required": ["y"]}],
            },
            {
                "type": "object",
                "properties": {"y": TEXT, "kind": {"anyOf": [{"const": "a"}, {"const": "b"}]}, "x": TEXT},
                "required": ["y"],
            },
            id="choice on top",
        ),
        pytest.param(
            {
                "anyOf": [{}, {"properties": {"a": TEXT}, "required": ["a"]}],
                "oneOf": [{"type": "null"}, {"properties": {"b": TEXT}}],
            },
            {"type": "object", "properties": {"a": {}, "b": TEXT}},
            id="a choice that leaves everything open",
        ),
        pytest.param(
            {"properties": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]}}, "$defs": {"a": TEXT}},
            {"type": "object", "properties": {"a": {"anyOf": [TEXT, {"type": "null"}]}}},
            id="choice below",
        ),
        pytest.param(
            {
                "type": ["object", "null"],
                "additionalProperties": False,
                "if": {},
                "then": {"required": ["a"]},
                "not": {},
            },
            {"type": "object", "properties": {}, "additionalProperties": False},
            id="odd things on top",
        ),
    ],
)
def test_a_schema_becomes_one_that_every_provider_takes(
    schema: Mapping[str, object], expected: Mapping[str, object]
) -> None:
    assert expected == parameters(schema)


def test_references_that_unfold_without_end_are_cut() -> None:
    """Each of thirty means the next one twice: written out, that would be a thousand million."""
    steps = {str(n): {"properties": {side: {"$ref": f"#/$defs/{n + 1}"} for side in "lr"}} for n in range(30)}

    assert len(json.dumps(parameters({"$ref": "#/$defs/0", "$defs": steps}))) < 200_000


def test_a_schema_that_is_nested_without_end_is_cut() -> None:
    deep: dict[str, object] = {}
    for _ in range(500):
        deep = {"properties": {"a": deep}}

    assert json.dumps(parameters(deep)).count("properties") < 60


_NAMES = st.sampled_from(["a", "b", "c"])
_PLAIN = st.sampled_from([{}, TEXT, {"type": "integer", "minimum": 0}, {"enum": ["x", 1]}, {"type": "null"}])
_VALUES = st.recursive(
    st.none() | st.sampled_from(["x", "", 1, -1]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=6,
)


def _schemas(references: st.SearchStrategy[dict[str, object]]) -> st.SearchStrategy[dict[str, object]]:
    return st.recursive(
        _PLAIN | references,
        lambda inner: st.one_of(
            st.builds(lambda p, r: {"type": "object", "properties": p, "required": r}, st.dictionaries(_NAMES, inner), st.lists(_NAMES, unique=True, max_size=1)),
            st.builds(lambda i: {"type": "array", "items": i}, inner),
            st.builds(lambda k, i: {k: i}, st.sampled_from(["anyOf", "allOf", "oneOf"]), st.lists(inner, min_size=1, max_size=2)),
            st.builds(lambda i: {"not": i}, inner),
        ),
        max_leaves=6,
    )  # fmt: skip


def _documents() -> st.SearchStrategy[dict[str, object]]:
    """Schemas whose references point only ahead, so that they mean something that ends."""
    third = _schemas(_PLAIN)
    second = _schemas(st.just({"$ref": "#/$defs/third", "title": "3"}))
    first = _schemas(st.sampled_from([{"$ref": "#/$defs/second"}, {"$ref": "#/$defs/third"}]))
    return st.builds(lambda top, s, t: {**top, "$defs": {"second": s, "third": t}}, first, second, third)


@pytest.mark.usefixtures("mcp_sdk")
@given(_documents(), st.dictionaries(_NAMES, _VALUES, max_size=3))
def test_what_a_server_takes_is_never_forbidden(document: dict[str, object], arguments: dict[str, object]) -> None:
    from jsonschema import Draft202012Validator  # it comes with the MCP SDK

    cleaned = parameters(document)

    assert "$ref" not in json.dumps(cleaned)
    assert "object" == cleaned["type"]
    if Draft202012Validator(document).is_valid(arguments):
        assert Draft202012Validator(cleaned).is_valid(arguments)


_CIRCLES = _schemas(st.sampled_from([{"$ref": "#"}, {"$ref": "#/$defs/x"}, {"$ref": "#/$defs/y"}]))


@given(_CIRCLES, _CIRCLES, _CIRCLES)
def test_references_in_circles_come_to_an_end(
    top: dict[str, object], x: dict[str, object], y: dict[str, object]
) -> None:
    document = {**top, "$defs": {"x": x, "y": y}}

    assert "$ref" not in json.dumps(parameters(document))
