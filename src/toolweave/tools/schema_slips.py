"""Slips in JSON Schemas that a validator passes over: misspelt keywords, names that do not exist.

An unknown keyword has no effect, so that a limit or a required name is lost without a word.
"""

import re
from collections.abc import Iterator

from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.check import check_value
from toolweave.tools.document import Steps
from toolweave.tools.keywords import SHAPES, subschemas
from toolweave.tools.misspelling import misspelt
from toolweave.tools.schema import compile_schema
from toolweave.tools.value_preview import shown

MAX_DEPTH = 20
_KNOWN = (
    *("type", "properties", "required", "items", "enum", "const", "default", "description"),
    *("title", "examples", "format", "pattern", "minimum", "maximum", "exclusiveMinimum"),
    *("exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems"),
    *("uniqueItems", "minProperties", "maxProperties", "additionalProperties", "anyOf", "oneOf"),
    *("allOf", "patternProperties", "propertyNames", "deprecated", "readOnly", "writeOnly"),
)
_OTHER_WORDS = {
    **dict.fromkeys(("fields", "props", "parameters", "attributes"), "properties"),
    **dict.fromkeys(("mandatory", "requiredFields", "required_fields"), "required"),
    **dict.fromkeys(("kind", "datatype", "dataType", "data_type"), "type"),
    **dict.fromkeys(("desc", "help", "summary"), "description"),
    **dict.fromkeys(("regex", "regexp"), "pattern"),
    **dict.fromkeys(("ge", "gte"), "minimum"),
    **dict.fromkeys(("le", "lte"), "maximum"),
    "gt": "exclusiveMinimum",
    "lt": "exclusiveMaximum",
    **dict.fromkeys(("options", "choices", "allowed", "allowedValues", "values"), "enum"),
}
_BOUNDS = {
    "number": ("minimum", "maximum"),
    "integer": ("minimum", "maximum"),
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
}
_KINDS: dict[str, type] = {"properties": dict, "required": list, "enum": list, "type": str}
# `/^a$/i`: the notation of a regular expression in a program.
_LITERAL = pattern(r"/(?P<inside>\^.*|.*\$)/(?P<flags>[gimsuy]*)", re.DOTALL)


def without_slips(schema: Json, depth: int = 0) -> Json:
    """The intended schema: the same without slips."""
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        return schema
    made: JsonObject = {}
    for key, value in schema.items():
        meant = _keyword(key, value, schema)
        made[meant if meant not in schema else key] = value
    if isinstance(text := made.get("pattern"), str):
        made["pattern"] = plain_pattern(text) or text
    known = made.get("properties")
    if isinstance(known, dict):
        made["properties"] = {name: without_slips(one, depth + 1) for name, one in known.items()}
        if isinstance(names := made.get("required"), list):
            made["required"] = _required(names, known)
    if isinstance(made.get("items"), dict):
        made["items"] = without_slips(made["items"], depth + 1)
    return made


def plain_pattern(text: str) -> str | None:
    """The pattern in a literal of a program; None if it is none."""
    found = _LITERAL.fullmatch(text)
    if found is None or set(found["flags"]) - set("gi"):
        return None
    return ("(?i)" if "i" in found["flags"] else "") + found["inside"]


def wrong_defaults(schema: JsonObject, at: Steps = ()) -> Iterator[Problem]:
    """Defaults that their own schema refuses."""
    if "default" in schema and len(at) < MAX_DEPTH:
        own = {key: one for key, one in schema.items() if key not in {"default", "$schema"}}
        compiled = compile_schema(own)
        faults = check_value(compiled, schema["default"]) if compiled.is_usable else []
        if any(one.severity == "error" for one in faults):
            place = pointer(*at, "default")
            message = f"the default {shown(schema['default'])} is refused by its own schema"
            yield Problem("INPUT_SCHEMA_INVALID", place, message, severity="warning")
    for _, steps, inner in subschemas(schema):
        if len(at) < MAX_DEPTH and isinstance(inner, dict):
            yield from wrong_defaults(inner, (*at, *steps))


def lost_names(schema: JsonObject, at: Steps = ()) -> Iterator[Problem]:
    """Required names that the properties do not have."""
    known, names = schema.get("properties"), schema.get("required")
    if isinstance(known, dict) and isinstance(names, list) and known:
        for index, name in enumerate(names):
            if isinstance(name, str) and name not in known:
                message = f"{shown(name)} is required, and 'properties' does not have it"
                place = pointer(*at, "required", index)
                hint = "add it to 'properties', or remove it here"
                yield Problem("INPUT_SCHEMA_INVALID", place, message, hint, severity="warning")
    for _, steps, inner in subschemas(schema):
        if len(at) < MAX_DEPTH and isinstance(inner, dict):
            yield from lost_names(inner, (*at, *steps))


def without_keywords(schema: JsonObject) -> Iterator[Problem]:
    """A schema that says nothing, such as an example of a value."""
    is_said = any(key in _KNOWN or key in SHAPES or key.startswith(("$", "x-")) for key in schema)
    if schema and not is_said:
        message = "the schema has no keyword of JSON Schema, so that it allows everything"
        hint = 'write {"type": "object", "properties": {…}}'
        yield Problem("INPUT_SCHEMA_INVALID", "", message, hint, severity="warning")


def _keyword(key: str, value: Json, schema: JsonObject) -> str:
    if key in _KNOWN or key.startswith(("$", "x-")):
        return key
    named = schema.get("type")
    bounds = _BOUNDS.get(named) if isinstance(named, str) else None
    if key in {"min", "max"} and bounds is not None and isinstance(value, int | float):
        return bounds[key == "max"]
    meant = _OTHER_WORDS.get(key) or misspelt(key, _KNOWN) or key
    is_meant = isinstance(value, _KINDS.get(meant, object))
    return meant if is_meant and not (meant == "enum" and named in {"object", "array"}) else key


def _required(names: list[Json], known: JsonObject) -> list[Json]:
    free = [name for name in known if name not in names]
    meant = [
        misspelt(one, free) or one if isinstance(one, str) and one not in known else one
        for one in names
    ]
    return meant if len({str(one) for one in meant}) == len(meant) else names
