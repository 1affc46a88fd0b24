"""Schemas written from memory: the one that is meant, and nothing where two could be."""

import pytest

from toolweave.json_text import Json, JsonObject
from toolweave.tools.schema_repair import meant_schema

NAME: Json = {"type": "object", "properties": {"name": {"type": "string"}}}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ({"type": "object", "properties": {"name": {"type": "str"}}}, NAME),
        ({"type": "object", "properties": {"name": "text"}}, NAME),
        ({"properties": [{"name": "name", "type": "string"}]}, NAME),
        ({"name": {"type": "string"}}, NAME),
        ({"name": "String"}, NAME),
        (
            {"type": "object", "properties": {"n": {"type": "int", "required": True}}},
            {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
        ),
        (
            {"type": "object", "properties": {"n": {"type": "number"}}, "required": "n"},
            {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]},
        ),
        (
            {"type": "object", "properties": {"n": {"type": "list", "items": "float"}}},
            {"type": "object", "properties": {"n": {"type": "array", "items": {"type": "number"}}}},
        ),
        (
            {"type": "object", "properties": {"n": {"enum": "a, b"}}},
            {"type": "object", "properties": {"n": {"enum": ["a", "b"]}}},
        ),
    ],
)
def test_the_meant_schema_is_found(written: Json, meant: Json) -> None:
    assert meant_schema(written) == meant


@pytest.mark.parametrize(
    "schema",
    [
        NAME,
        {"type": "object", "properties": {"required": {"type": "boolean"}}},
        {"type": "object", "properties": {"n": {"type": "thing"}}},
        {"type": "object", "properties": {"a": {}, "b": {}}, "required": True},
        {"type": "object", "properties": {"a": {}}, "required": "b"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}},
        {"description": "anything"},
        {},
        True,
    ],
)
def test_a_schema_that_is_right_or_unclear_stays(schema: Json) -> None:
    assert meant_schema(schema) == schema


def test_a_schema_inside_an_object_is_taken_out_and_a_nested_form_stays() -> None:
    schema: JsonObject = {"type": "object", "properties": {"a": {"type": "string"}}}
    for key in ("schema", "json_schema", "jsonSchema"):
        assert meant_schema({key: schema}) == schema
    assert meant_schema({"address": schema}) == {
        "type": "object",
        "properties": {"address": schema},
    }
