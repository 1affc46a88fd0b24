"""The JSON Schema of what a node is given and gives, derived from its fields, for checks and forms.

It validates literal values; templates are handled in `workflow.checks`.
"""

from typing import cast

from toolweave.catalog.member_shapes import member_schema
from toolweave.catalog.spec import Field, FieldType, NodeSpec
from toolweave.json_text import Json, JsonObject

JSON_TYPES: dict[FieldType, str] = {
    "string": "string",
    "integer": "integer",
    "float": "number",
    "boolean": "boolean",
    "object": "object",
    "array": "array",
}


def configuration_schema(spec: NodeSpec) -> JsonObject:
    """What a node may be configured with: the names of its fields and their aliases, no others."""
    return _object(spec.all_configurations) | {"additionalProperties": False}


def input_schema(spec: NodeSpec) -> JsonObject:
    """What may be written as a node's input; of a live tool its own schema, untouched."""
    if spec.origin is not None:
        return spec.origin.input_schema
    return _object(spec.inputs) | {"additionalProperties": False}


def output_schema(spec: NodeSpec) -> JsonObject:
    """What a node gives; a later version may give more."""
    schema = _object(spec.outputs)
    properties = cast("JsonObject", schema["properties"])
    for given in spec.outputs:
        if given.members is not None:
            about = cast("JsonObject", properties[given.name])
            properties[given.name] = about | member_schema(given.members)
    return schema


def field_schema(given: Field) -> JsonObject:
    """The schema of one value; options that are only suggestions are its examples."""
    if given.schema is not None:
        return given.schema
    about: JsonObject = {"description": given.description}
    if given.default is not None:
        about["default"] = given.default
    if given.sensitive:
        about["writeOnly"] = True
    if given.type == "array":
        about["type"] = "array"
        if each := _value(given.items or "any") | _limits(given):
            about["items"] = each
        return about
    if given.kinds:
        about["type"] = [*given.kinds]
        if given.items:
            about["items"] = _value(given.items)
    return about | _value(given.type) | _limits(given)


def _value(kind: FieldType) -> JsonObject:
    return {"type": JSON_TYPES[kind]} if kind in JSON_TYPES else {}


def _limits(given: Field) -> JsonObject:
    limits: JsonObject = {
        "minimum": given.minimum,
        "maximum": given.maximum,
        "pattern": given.pattern,
        "examples" if given.is_open else "enum": list(given.options) or None,
    }
    return {keyword: value for keyword, value in limits.items() if value is not None}


def _object(fields: tuple[Field, ...]) -> JsonObject:
    properties: JsonObject = {}
    for given in fields:
        properties[given.name] = field_schema(given)
        for alias in given.aliases:
            properties[alias] = field_schema(given) | {
                "description": f"Another name of {given.name}.",
                "deprecated": True,
            }
    # What has a default may be left out, even where the catalog marks it as required.
    needed = [given for given in fields if given.required and given.default is None]
    schema: JsonObject = {"type": "object", "properties": properties}
    if plain := [given.name for given in needed if not given.aliases]:
        schema["required"] = list[Json](plain)
    if aliased := [_one_name_of(given) for given in needed if given.aliases]:
        schema["allOf"] = cast("list[Json]", aliased)
    return schema


def _one_name_of(given: Field) -> JsonObject:
    return {"anyOf": [{"required": [name]} for name in (given.name, *given.aliases)]}
