"""Examples: minimal, the same every time, valid, or a reason why not."""

import pytest
from tests.tools.builders import a_tool
from tests.tools.example import example_arguments, example_value

from toolweave.json_text import Json
from toolweave.tools.check import check_arguments
from toolweave.tools.read_tool import read_tool

CASES: list[tuple[Json, Json]] = [
    ({"type": "string"}, "example"),
    ({"type": "string", "default": "x"}, "x"),
    ({"type": "string", "default": 3}, "example"),
    ({"type": "string", "default": None}, "example"),
    ({"enum": ["b", "a"]}, "b"),
    ({"const": 7}, 7),
    ({"type": "string", "minLength": 10}, "exampleexample"),
    ({"type": "string", "maxLength": 3}, "exa"),
    ({"type": "string", "minLength": 9, "maxLength": 9}, "exampleex"),
    ({"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}, "2025-01-01"),
    ({"type": "string", "pattern": "^[A-Z][A-Z0-9_]+-[0-9]+$"}, "ABC-1"),
    ({"type": "string", "pattern": "^a+$", "minLength": 9}, "a" * 10),
    ({"type": "string", "format": "uuid"}, "123e4567-e89b-42d3-a456-426614174000"),
    ({"type": "string", "format": "uri"}, "https://example.com"),
    ({"type": "string", "format": "date-time"}, "2025-01-01T00:00:00Z"),
    ({"type": "integer"}, 0),
    ({"type": "integer", "minimum": 5}, 5),
    ({"type": "integer", "exclusiveMinimum": 5}, 6),
    ({"type": "integer", "maximum": -5}, -5),
    ({"type": "integer", "exclusiveMaximum": -5}, -6),
    ({"type": "integer", "minimum": 5, "multipleOf": 3}, 6),
    ({"type": "integer", "exclusiveMinimum": 0, "maximum": 1}, 1),
    ({"type": "number", "exclusiveMinimum": 2.5, "exclusiveMaximum": 2.502}, 2.501),
    ({"type": "boolean"}, False),
    ({"type": "null"}, None),
    (True, "example"),
    ({"type": "array"}, []),
    ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, [0, 0]),
    ({"items": {"type": "integer"}, "minItems": 3, "uniqueItems": True}, [0, 1, 2]),
    ({"items": {"type": "string"}, "minItems": 2, "uniqueItems": True}, ["example", "example1"]),
    ({"items": {"enum": [1, 2]}, "minItems": 2, "uniqueItems": True}, [1, 2]),
    ({"prefixItems": [{"type": "null"}, {"const": 1}]}, [None, 1]),
    ({"prefixItems": [{"type": "null"}, {"const": 1}], "maxItems": 1}, [None]),
    ({"prefixItems": [{"const": 1}], "items": {"const": 2}, "minItems": 2}, [1, 2]),
    ({"type": "object", "properties": {"a": {"type": "string"}}}, {}),
    (
        {"properties": {"a": {"const": 1}, "b": {}}, "required": ["a", "c"]},
        {"a": 1, "c": "example"},
    ),
    ({"properties": {"a": {"const": 1}}, "minProperties": 1}, {"a": 1}),
    ({"type": "object", "minProperties": 2}, {"key1": "example", "key2": "example"}),
    ({"additionalProperties": {"type": "integer"}, "minProperties": 1}, {"key1": 0}),
    (
        {"patternProperties": {"^[0-9]+$": {"const": 1}}, "minProperties": 1},
        {"1": 1},
    ),
    ({"propertyNames": {"enum": ["p", "q"]}, "minProperties": 2}, {"p": "example", "q": "example"}),
    ({"propertyNames": {"pattern": "^A$"}, "minProperties": 1}, {"A": "example"}),
    ({"anyOf": [{"type": "string", "pattern": "(?=a)"}, {"type": "integer"}]}, 0),
    ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "example"),
    ({"type": ["string", "null"], "pattern": "^impossible pattern$"}, None),
    (
        {"properties": {"a": {"pattern": "^no$"}, "b": {"const": 1}}, "minProperties": 1},
        {"b": 1},
    ),
    ({"properties": {"a": {"const": 1}}, "not": {"required": ["a"]}}, {}),
]


@pytest.mark.parametrize(("schema", "example"), CASES, ids=[str(schema) for schema, _ in CASES])
def test_an_example_is_small_and_fits(schema: Json, example: Json) -> None:
    assert example_value(schema) == (example, [])


RECURSIVE: Json = {
    "properties": {"child": {"$ref": "#"}},
    "required": ["child"],
}


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        (False, "no value is allowed"),
        ({"type": "string", "pattern": "^no such text$"}, "no known text fits the pattern"),
        ({"type": "string", "pattern": "(?=a)a"}, "is not linear"),
        ({"type": "integer", "minimum": 1, "maximum": 0}, "no number was found"),
        ({"items": {"const": 1}, "minItems": 2, "uniqueItems": True}, "too few different values"),
        ({"items": {"type": "boolean"}, "minItems": 2, "uniqueItems": True}, "too few different"),
        (RECURSIVE, "contains itself"),
        ({"additionalProperties": False, "minProperties": 1}, "no candidate is valid"),
        ({"not": {}}, "no candidate is valid"),
        ({"properties": 3}, "the schema is not usable"),
    ],
)
def test_where_no_example_is_found_the_reason_is_given(schema: Json, reason: str) -> None:
    value, (given,) = example_value(schema)
    assert value is None
    assert reason in given


def test_the_example_of_a_tool_passes_its_check() -> None:
    tool = a_tool(
        {"region": {"enum": ["a", "b"]}, "when": {"type": "string", "format": "date"}, "more": {}},
        required=["region", "when"],
    )
    arguments, problems = example_arguments(tool)
    assert (arguments, problems) == ({"region": "a", "when": "2025-01-01"}, [])
    assert check_arguments(tool, arguments) == []


def test_a_tool_without_an_example_has_none() -> None:
    arguments, reasons = example_arguments(a_tool({"a": {"pattern": "(?=a)"}}, required=["a"]))
    assert arguments is None
    assert len(reasons) == 1
    unusable = read_tool("server", {"name": "t", "inputSchema": {"type": "text"}})
    assert example_arguments(unusable)[0] is None
