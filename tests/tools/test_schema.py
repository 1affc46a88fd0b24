"""Compiling a schema: dialects, references, patterns, and what is reported about it."""

import pytest

from toolweave.json_text import Json, JsonObject
from toolweave.tools.dialect import dialect_of, validator_for
from toolweave.tools.schema import CompiledSchema, compile_schema


def accepts(schema: Json, value: Json) -> bool:
    return compile_schema(schema).judge(value).verdict == "valid"


def found(schema: Json) -> list[tuple[str, str, str]]:
    """Severity, code and pointer of every problem."""
    return [(p.severity, p.code, p.pointer) for p in compile_schema(schema).problems]


@pytest.mark.parametrize(
    ("address", "dialect"),
    [
        ("http://json-schema.org/draft-04/schema#", "draft4"),
        ("http://json-schema.org/draft-06/schema#", "draft6"),
        ("http://json-schema.org/draft-07/schema#", "draft7"),
        ("https://json-schema.org/draft/2019-09/schema", "2019-09"),
        ("https://json-schema.org/draft/2020-12/schema#", "2020-12"),
    ],
)
def test_the_dialect_is_the_one_the_schema_names(address: str, dialect: str) -> None:
    schema: JsonObject = {"$schema": address, "type": "object"}
    assert dialect_of(schema) == (dialect, None)
    assert compile_schema(schema).dialect == dialect
    assert compile_schema(schema).problems == ()


def test_a_schema_without_a_dialect_is_read_as_2020_12() -> None:
    assert compile_schema({"prefixItems": [{"type": "string"}]}).dialect == "2020-12"
    assert not accepts({"prefixItems": [{"type": "string"}]}, [1])


@pytest.mark.parametrize("address", ["https://example.com/dialect", 3])
def test_an_unknown_dialect_is_a_warning_and_read_as_2020_12(address: Json) -> None:
    schema: JsonObject = {"$schema": address, "type": "string"}
    assert found(schema) == [("warning", "MCP_TOOL_SCHEMA_DIALECT", "/$schema")]
    assert accepts(schema, "text")
    assert not accepts(schema, 3)


def test_a_tuple_without_a_dialect_is_read_as_draft_7() -> None:
    compiled = compile_schema({"items": [{"type": "string"}]})
    assert compiled.dialect == "draft7"
    assert found({"items": [{"type": "string"}]}) == [
        ("warning", "MCP_TOOL_SCHEMA_DIALECT", "/items")
    ]
    assert compiled.judge([1]).verdict == "invalid"


def test_a_boolean_limit_without_a_dialect_is_read_as_draft_4() -> None:
    schema: JsonObject = {"minimum": 3, "exclusiveMinimum": True}
    assert compile_schema(schema).dialect == "draft4"
    assert not accepts(schema, 3)
    assert accepts(schema, 4)


def test_an_equal_schema_is_compiled_once() -> None:
    first = compile_schema({"type": "string", "maxLength": 77})
    assert compile_schema({"maxLength": 77, "type": "string"}) is first


def test_the_memo_forgets_the_oldest_schemas() -> None:
    def large(number: int) -> JsonObject:
        return {"const": str(number) * 200_000}

    first = compile_schema(large(0))
    for number in range(1, 9):
        compile_schema(large(number))
    assert compile_schema(large(0)) is first
    for number in range(10, 100):
        compile_schema({"const": f"{number}" * 100_000})
    assert compile_schema(large(0)) is not first


def test_local_references_are_followed() -> None:
    schema: JsonObject = {
        "$defs": {"a/b": {"type": "string"}, "named": {"$anchor": "there", "type": "integer"}},
        "definitions": {"percent %": {"type": "boolean"}},
        "properties": {
            "escaped": {"$ref": "#/$defs/a~1b"},
            "anchored": {"$ref": "#there"},
            "encoded": {"$ref": "#/definitions/percent%20%25"},
            "listed": {"$ref": "#/properties/list/prefixItems/0"},
            "list": {"prefixItems": [{"type": "null"}]},
            "whole": {"$ref": "#"},
        },
    }
    assert compile_schema(schema).problems == ()
    assert accepts(
        schema,
        {"escaped": "x", "anchored": 1, "encoded": True, "listed": None, "whole": {"escaped": ""}},
    )
    for wrong in ("escaped", "anchored", "encoded", "listed"):
        assert not accepts(schema, {wrong: []})
    assert not accepts(schema, {"whole": {"escaped": 1}})


def test_an_anchor_of_draft_7_is_followed() -> None:
    schema: JsonObject = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"a": {"$id": "#there", "type": "integer"}},
        "properties": {"a": {"$ref": "#there"}},
    }
    assert compile_schema(schema).problems == ()
    assert not accepts(schema, {"a": "x"})


@pytest.mark.parametrize(
    "address",
    [
        "https://example.com/schema",
        "file:///etc/passwd",
        "other.json#/a",
        "https://json-schema.org/draft/2020-12/schema",
    ],
)
def test_a_reference_out_of_the_schema_is_refused_and_named(address: str) -> None:
    schema: JsonObject = {"properties": {"a": {"items": {"$ref": address}}}}
    assert found(schema) == [("error", "MCP_TOOL_SCHEMA_REMOTE_REF", "/properties/a/items/$ref")]
    assert not compile_schema(schema).is_usable


def test_an_identifier_cannot_lead_references_out_of_the_schema() -> None:
    schema: JsonObject = {
        "$id": "https://example.com/root",
        "$defs": {"text": {"type": "string"}},
        "properties": {
            "a": {
                "$id": "https://example.org/other",
                "$ref": "#/$defs/text",
                "$defs": {"text": {"type": "integer"}},
            }
        },
    }
    assert accepts(schema, {"a": "text"})
    assert not accepts(schema, {"a": 1})


@pytest.mark.parametrize(
    "reference", ["#/nowhere", "#/properties/a/type", "#unknown", "#/required/7", "#/required/x"]
)
def test_a_reference_that_leads_to_no_schema_is_an_error(reference: str) -> None:
    schema: JsonObject = {
        "required": ["a"],
        "properties": {"a": {"type": "string"}, "b": {"$ref": reference}},
    }
    assert found(schema) == [("error", "MCP_TOOL_SCHEMA_INVALID", "/properties/b/$ref")]


def test_a_schema_that_only_a_reference_leads_to_is_looked_at_too() -> None:
    schema: JsonObject = {"$ref": "#/x-more/0", "x-more": [{"type": "text", "$ref": "#"}]}
    assert found(schema) == [("error", "MCP_TOOL_SCHEMA_INVALID", "/x-more/0/type")]


def test_every_keyword_of_the_wrong_shape_is_reported_at_its_place() -> None:
    schema: JsonObject = {
        "type": ["object", 7],
        "properties": {"a": {"properties": 3, "type": "text"}, "b": 4, "c": {"pattern": 1}},
        "required": ["a", 1],
        "items": "text",
        "allOf": [],
        "anyOf": [None],
        "not": [],
        "enum": {},
        "minLength": -1,
        "maxItems": 1.5,
        "minimum": "1",
        "uniqueItems": 0,
        "$ref": 3,
    }
    errors = {pointer for severity, _, pointer in found(schema) if severity == "error"}
    assert errors == {
        *("/type", "/properties/a/properties", "/properties/a/type", "/properties/b"),
        *("/properties/c/pattern", "/required", "/items", "/allOf", "/anyOf/0", "/not", "/enum"),
        *("/minLength", "/maxItems", "/minimum", "/uniqueItems", "/$ref"),
    }
    assert not compile_schema(schema).is_usable
    assert compile_schema(schema).judge({}).verdict == "unchecked"


@pytest.mark.parametrize("root", [None, 3, "text", []])
def test_what_is_no_schema_at_all_is_an_error(root: Json) -> None:
    assert found(root) == [("error", "MCP_TOOL_SCHEMA_INVALID", "")]


def test_a_fault_only_the_compiler_sees_is_reported_at_its_place() -> None:
    schema: JsonObject = {"properties": {"a": {"multipleOf": 0}}}
    assert found(schema) == [("error", "MCP_TOOL_SCHEMA_INVALID", "/properties/a/multipleOf")]


def test_the_boolean_schemas_take_everything_and_nothing() -> None:
    assert accepts(True, {"a": 1})
    assert not accepts(False, {})


def test_a_wrong_annotation_is_a_warning_and_the_schema_still_works() -> None:
    schema: JsonObject = {"type": "string", "title": 3, "description": None, "writeOnly": "yes"}
    assert {entry[0] for entry in found(schema)} == {"warning"}
    assert not accepts(schema, 3)
    assert accepts(schema, "text")


def test_a_property_named_like_an_annotation_keeps_its_schema() -> None:
    schema: JsonObject = {
        "properties": {
            "title": {"type": "integer"},
            "$schema": {"type": "integer"},
            "again": {"$ref": "#/properties"},
        },
        "additionalProperties": False,
    }
    assert accepts(schema, {"title": 1, "$schema": 1})
    assert not accepts(schema, {"title": "text"})
    assert not accepts(schema, {"$schema": "text"})


def test_required_on_the_property_itself_is_a_warning_and_ignored() -> None:
    schema: JsonObject = {"properties": {"a": {"type": "string", "required": True}}}
    assert found(schema) == [("warning", "MCP_TOOL_SCHEMA_INVALID", "/properties/a/required")]
    assert accepts(schema, {})


def test_a_name_required_twice_is_required_once() -> None:
    schema: JsonObject = {"required": ["a", "a"]}
    assert compile_schema(schema).problems == ()
    assert not accepts(schema, {})


def test_an_unknown_format_is_ignored() -> None:
    assert accepts({"type": "string", "format": "int32"}, "x")


def test_more_than_people_can_use_is_a_warning_and_nothing_is_dropped() -> None:
    properties: JsonObject = {f"p{number}": {"type": "string"} for number in range(51)}
    properties["p0"] = {"enum": list[Json](range(101))}
    properties["p1"] = {"type": "string", "maxLength": 10_001, "description": "x" * 1025}
    properties["p2"] = {"properties": dict(properties)}
    schema: JsonObject = {"properties": properties}
    places = {
        f"{under}/properties/{place}"
        for under in ("", "/properties/p2")
        for place in ("p0/enum", "p1/maxLength", "p1/description")
    }
    assert {place for _, _, place in found(schema)} == places | {"/properties"}
    assert {entry[:2] for entry in found(schema)} == {("warning", "MCP_TOOL_LIMIT_EXCEEDED")}
    assert accepts(schema, {"p50": "text", "p0": 100})


def test_exactly_at_the_caps_is_no_warning() -> None:
    properties: JsonObject = {f"p{number}": {"type": "string"} for number in range(50)}
    properties["p0"] = {"enum": list[Json](range(100)), "description": "x" * 1024}
    properties["p1"] = {"maxLength": 10_000}
    assert found({"properties": properties}) == []


def test_a_validator_is_only_made_of_schemas() -> None:
    with pytest.raises(ValueError, match="an object or a boolean"):
        validator_for([], "2020-12")


def test_a_compiled_schema_is_a_value() -> None:
    assert CompiledSchema(True, "2020-12", ()) == CompiledSchema(True, "2020-12", ())
