"""From the parameter tree back to a JSON Schema (2020-12), for export.

Reading what was written gives the same tree again.
"""

from collections.abc import Iterable

from toolweave.json_text import Json, JsonObject
from toolweave.tools.flatten import RECURSIVE
from toolweave.tools.parameter import Constraints, Parameter


def write_schema(parameter: Parameter) -> Json:
    """Return the schema of one parameter; `false` if no value is valid."""
    if parameter.is_impossible:
        return False
    schema = _about(parameter)
    if parameter.recursive_ref is not None:
        schema[RECURSIVE] = parameter.recursive_ref
    match parameter.kind:
        case "any":
            pass
        case "union":
            schema["anyOf"] = [write_schema(variant) for variant in parameter.variants]
            if parameter.nullable:
                schema["anyOf"] = [*schema["anyOf"], {"type": "null"}]
        case kind:
            schema["type"] = [kind, "null"] if parameter.nullable else kind
    schema |= write_constraints(parameter.constraints)
    if parameter.nullable and parameter.constraints.enum is not None:
        schema["enum"] = [*parameter.constraints.enum, None]
    if parameter.kind == "object" and parameter.recursive_ref is None:
        schema |= _object(parameter)
    if parameter.kind == "array":
        schema |= _array(parameter)
    return schema


def write_input_schema(parameters: Iterable[Parameter]) -> JsonObject:
    """Return the closed object schema of a tool with these parameters."""
    return _object(Parameter("", "object", properties=tuple(parameters))) | {"type": "object"}


def write_constraints(constraints: Constraints) -> JsonObject:
    """Return the constraints that are set, by their JSON Schema keywords."""
    found: JsonObject = {
        "enum": None if constraints.enum is None else list(constraints.enum),
        "minLength": constraints.min_length,
        "maxLength": constraints.max_length,
        "pattern": constraints.pattern,
        "format": constraints.format,
        "minimum": constraints.minimum,
        "maximum": constraints.maximum,
        "exclusiveMinimum": constraints.exclusive_minimum,
        "exclusiveMaximum": constraints.exclusive_maximum,
        "multipleOf": constraints.multiple_of,
        "minItems": constraints.min_items,
        "maxItems": constraints.max_items,
        "uniqueItems": True if constraints.unique_items else None,
        "minProperties": constraints.min_properties,
        "maxProperties": constraints.max_properties,
    }
    return {keyword: value for keyword, value in found.items() if value is not None}


def _about(parameter: Parameter) -> JsonObject:
    about: JsonObject = {}
    if parameter.title is not None:
        about["title"] = parameter.title
    if parameter.description is not None:
        about["description"] = parameter.description
    if parameter.has_default:
        about["default"] = parameter.default
    return about


def _object(parameter: Parameter) -> JsonObject:
    schema: JsonObject = {}
    if parameter.properties:
        schema["properties"] = {one.name: write_schema(one) for one in parameter.properties}
    if required := [one.name for one in parameter.properties if one.required]:
        schema["required"] = list[Json](required)
    if parameter.pattern_properties:
        schema["patternProperties"] = {
            one.name: write_schema(one) for one in parameter.pattern_properties
        }
    if parameter.keys is not None:
        schema["propertyNames"] = write_schema(parameter.keys)
    if isinstance(parameter.extra, Parameter):
        schema["additionalProperties"] = write_schema(parameter.extra)
    elif not parameter.extra:
        schema["additionalProperties"] = False
    return schema


def _array(parameter: Parameter) -> JsonObject:
    schema: JsonObject = {}
    if parameter.prefix_items:
        schema["prefixItems"] = [write_schema(one) for one in parameter.prefix_items]
    if parameter.items is not None:
        schema["items"] = write_schema(parameter.items)
    return schema
