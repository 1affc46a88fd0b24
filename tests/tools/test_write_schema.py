"""From the tree to a schema and to the seed's `ToolParameter`, and back."""

import pytest

from toolweave.json_text import Json, JsonObject
from toolweave.tools.parameter import Constraints, Parameter
from toolweave.tools.read_schema import read_schema
from toolweave.tools.wire import read_wire, write_wire
from toolweave.tools.write_schema import write_input_schema, write_schema

EVERYTHING: JsonObject = {
    "type": "object",
    "title": "Everything",
    "properties": {
        "text": {
            "type": "string",
            "description": "A text.",
            "default": "abc",
            "minLength": 1,
            "maxLength": 9,
            "pattern": "^a",
            "format": "email",
        },
        "number": {
            "type": ["number", "null"],
            "default": None,
            "minimum": 0,
            "maximum": 9,
            "exclusiveMinimum": -1,
            "exclusiveMaximum": 10,
            "multipleOf": 0.5,
        },
        "option": {"type": ["string", "null"], "enum": ["a", "b", None]},
        "mixed": {"enum": ["a", 1, None]},
        "list": {
            "type": "array",
            "items": {"type": "integer"},
            "prefixItems": [{"type": "boolean"}],
            "minItems": 1,
            "maxItems": 4,
            "uniqueItems": True,
        },
        "map": {
            "type": "object",
            "patternProperties": {"^x-": {"type": "string"}},
            "propertyNames": {"type": "string", "maxLength": 9},
            "additionalProperties": {"type": "integer"},
            "minProperties": 1,
            "maxProperties": 4,
        },
        "either": {
            "anyOf": [
                {"type": "object", "properties": {"kind": {"type": "string", "enum": ["a"]}}},
                {"type": "object", "properties": {"kind": {"type": "string", "enum": ["b"]}}},
                {"type": "null"},
            ]
        },
        "any": {},
        "none": {"type": "null"},
        "again": {"type": "object", "x-toolweave-recursive": "#"},
    },
    "required": ["text", "list"],
    "additionalProperties": False,
}


def test_a_written_schema_is_the_one_that_was_read() -> None:
    assert write_schema(read_schema(EVERYTHING)) == EVERYTHING


def test_what_nothing_fits_is_written_as_false() -> None:
    assert write_schema(Parameter("a", "any", constraints=Constraints(enum=()))) is False


def test_parameters_become_the_input_schema_of_a_tool() -> None:
    assert write_input_schema([Parameter("a", "string", required=True), Parameter("b", "any")]) == {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert write_input_schema([]) == {"type": "object", "additionalProperties": False}


def test_every_part_of_a_parameter_survives_the_seed_form() -> None:
    tree = read_schema(EVERYTHING, "root")
    assert read_wire(write_wire(tree)) == (tree, [])


def test_the_seed_form_is_written_as_the_seed_has_it() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {
            "region": {
                "type": "string",
                "description": "Where.",
                "enum": ["a", "b"],
                "default": "a",
            },
            "sizes": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 9}},
        },
        "required": ["region"],
        "additionalProperties": False,
    }
    assert write_wire(read_schema(schema, "config")) == {
        "name": "config",
        "type": "object",
        "required": False,
        "properties": {
            "region": {
                "name": "region",
                "type": "string",
                "required": True,
                "description": "Where.",
                "default": "a",
                "validation": {"enum": ["a", "b"]},
            },
            "sizes": {
                "name": "sizes",
                "type": "array",
                "required": False,
                "items": {
                    "name": "item",
                    "type": "integer",
                    "required": False,
                    "validation": {"minimum": 1, "maximum": 9},
                },
            },
        },
    }


def test_the_parameters_of_the_seed_sample_are_read() -> None:
    sample: JsonObject = {
        "name": "region",
        "type": "string",
        "required": True,
        "description": "Target AWS region code (e.g., us-east-1)",
    }
    parameter, problems = read_wire(sample)
    assert problems == []
    assert parameter == Parameter(
        "region", "string", required=True, description="Target AWS region code (e.g., us-east-1)"
    )
    assert parameter is not None
    assert write_wire(parameter) == sample


KINDS: list[tuple[str, Json]] = [
    ("null", {"type": "null"}),
    ("any", True),
    ("union", {"type": ["string", "integer"]}),
]


@pytest.mark.parametrize(("kind", "schema"), KINDS)
def test_a_kind_the_seed_does_not_know_is_a_string_to_others(kind: str, schema: Json) -> None:
    wire = write_wire(read_schema(schema, "a"))
    assert (wire["type"], wire["kind"]) == ("string", kind)


def test_the_key_of_a_property_is_its_name() -> None:
    inner: Json = {"name": "other", "type": "string", "required": False}
    parameter, _ = read_wire({"name": "a", "type": "object", "properties": {"key": inner}})
    assert parameter is not None
    assert [one.name for one in parameter.properties] == ["key"]


@pytest.mark.parametrize(
    ("data", "places"),
    [
        (None, [""]),
        ([], [""]),
        ({}, ["/name", "/type"]),
        ({"name": "a", "type": "text"}, ["/type"]),
        ({"name": "a", "type": "array", "items": {"name": "b"}}, ["/items/type"]),
        (
            {"name": "a", "type": "string", "validation": {"minLength": "x"}},
            ["/validation/minLength"],
        ),
    ],
)
def test_a_broken_seed_form_is_reported_place_by_place(data: Json, places: list[str]) -> None:
    parameter, problems = read_wire(data)
    assert parameter is None
    assert [problem.pointer for problem in problems] == places
    assert {problem.code for problem in problems} == {"MCP_TOOL_SCHEMA_INVALID"}
