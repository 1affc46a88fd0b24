"""Schemas loosened for templates: still asked for what is certain, never for more."""

import pytest

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.checks.compiled_schemas import CompiledSchemas
from toolweave.workflow.checks.templated_values import check_values, has_template

BOX: JsonObject = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a"],
}
DRAFT7 = "http://json-schema.org/draft-07/schema#"
HOLE = "{{ data.x }}"


def places(schema: JsonObject, values: JsonObject) -> list[str]:
    return [problem.pointer for problem in check_values(CompiledSchemas(schema), values)]


@pytest.mark.parametrize(
    ("inner", "value", "found"),
    [
        # What is certain is still asked for.
        (BOX, {"b": HOLE}, ["/v/a"]),
        (BOX, {"a": HOLE, "b": "x"}, ["/v/b"]),
        ({"type": "string"}, {"a": HOLE}, ["/v"]),
        ({"type": "string"}, [HOLE], ["/v"]),
        ({"type": "array", "items": BOX}, [{"a": HOLE}, {"a": "x"}], ["/v/1/a"]),
        ({"type": "array", "minItems": 3}, [HOLE], ["/v"]),
        ({"additionalProperties": {"type": "integer"}}, {"a": HOLE, "b": "x"}, ["/v/b"]),
        ({"anyOf": [{"$ref": "#/$defs/box"}, {"type": "null"}]}, {"a": HOLE, "b": "x"}, ["/v/b"]),
        ({"$ref": "#/$defs/box", "description": "A box."}, {"a": HOLE, "b": "x"}, ["/v/b"]),
        ({"allOf": [{"required": ["a"]}]}, {"b": HOLE}, ["/v/a"]),
        # What a template could change is not.
        ({"enum": [{"a": 1}]}, {"a": HOLE}, []),
        ({"const": [1]}, [HOLE], []),
        ({"type": "array", "uniqueItems": True}, [HOLE, HOLE], []),
        ({"type": "array", "contains": {"type": "integer"}}, [HOLE], []),
        ({"type": "array", "prefixItems": [{"type": "integer"}]}, [HOLE], []),
        ({"type": "array", "items": {"type": "integer"}}, [HOLE] * 60, []),
        ({"anyOf": [BOX, {"type": "object", "required": ["c"]}]}, {"b": HOLE}, []),
        ({"anyOf": [BOX, {}]}, {"b": HOLE}, []),
        ({"patternProperties": {"^a": {"type": "integer"}}}, {"a": HOLE, "ab": "x"}, []),
        ({"$ref": "#/$defs/box", "required": ["c"]}, {"b": HOLE}, []),
        ({"$ref": "#/$defs/again"}, {"b": HOLE}, []),
        ({"allOf": [{"properties": {"b": {"type": "integer"}}}]}, {"b": HOLE}, []),
        (True, {"b": HOLE}, []),
        (True, [HOLE], []),
    ],
)
def test_only_what_a_template_cannot_change_is_asked_for(
    inner: Json, value: Json, found: list[str]
) -> None:
    defs: JsonObject = {"box": BOX, "again": {"$ref": "#/$defs/again"}}
    schema: JsonObject = {"type": "object", "properties": {"v": inner}, "$defs": defs}
    assert places(schema, {"v": value}) == found


def test_an_older_dialect_is_loosened_in_its_own_words() -> None:
    items: JsonObject = {"type": "array", "items": {"type": "integer"}}
    schema: JsonObject = {"$schema": DRAFT7, "type": "object", "properties": {"v": items}}
    assert places(schema, {"v": [HOLE, "x"]}) == ["/v/1"]
    assert places(schema, {"v": [HOLE, 1]}) == []


def test_a_whole_that_is_a_reference_keeps_its_definitions() -> None:
    schema: JsonObject = {
        "$ref": "#/$defs/outer",
        "$defs": {
            "outer": {"type": "object", "properties": {"v": {"$ref": "#/$defs/box"}, "w": BOX}},
            "box": BOX,
        },
    }
    assert places(schema, {"v": {}, "w": {"a": HOLE, "b": "x"}}) == ["/v/a", "/w/b"]


def test_a_reference_to_nothing_is_no_problem_of_the_values() -> None:
    schema: JsonObject = {"type": "object", "properties": {"v": {"$ref": "#/$defs/none"}}}
    assert places(schema, {"v": {"a": HOLE}}) == []


@pytest.mark.parametrize(
    ("value", "is_there"),
    [(HOLE, True), ({"a": [1, HOLE]}, True), ({"a": ["{x}"]}, False), (None, False), (5, False)],
)
def test_a_template_is_found_at_any_depth(value: Json, is_there: bool) -> None:
    assert has_template(value) == is_there
