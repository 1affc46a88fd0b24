"""The vocabulary of JSON Schema as tables: where subschemas sit and what each keyword may hold."""

from collections.abc import Callable, Iterator
from typing import Literal

from toolweave.json_text import Json, JsonObject

Place = Literal["one", "many", "named"]

# Subschemas that judge the same value as their parent.
IN_PLACE: dict[str, tuple[Place, ...]] = {
    "allOf": ("many",),
    "anyOf": ("many",),
    "oneOf": ("many",),
    "not": ("one",),
    "if": ("one",),
    "then": ("one",),
    "else": ("one",),
    "dependentSchemas": ("named",),
    "dependencies": ("named",),
}
# Subschemas that judge a part of the value.
PARTS: dict[str, tuple[Place, ...]] = {
    "properties": ("named",),
    "patternProperties": ("named",),
    "additionalProperties": ("one",),
    "unevaluatedProperties": ("one",),
    "propertyNames": ("one",),
    "items": ("one", "many"),
    "prefixItems": ("many",),
    "additionalItems": ("one",),
    "unevaluatedItems": ("one",),
    "contains": ("one",),
}
DEFINITIONS: dict[str, tuple[Place, ...]] = {"$defs": ("named",), "definitions": ("named",)}
PLACES = IN_PLACE | PARTS | DEFINITIONS

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")

# Keywords that say something to people and nothing to the validator.
ANNOTATIONS = frozenset(
    {"title", "description", "$comment", "examples", "deprecated", "readOnly", "writeOnly"}
)


def is_schema(value: Json) -> bool:
    """Whether `value` has the shape of a schema: an object or a boolean."""
    return isinstance(value, dict | bool)


def is_number(value: Json) -> bool:
    """Whether `value` is a JSON number (Python counts booleans as numbers; JSON does not)."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def subschemas(schema: JsonObject) -> Iterator[tuple[str, tuple[str | int, ...], Json]]:
    """Each direct subschema with its keyword and its steps from `schema`, whatever its shape."""
    for keyword, value in schema.items():
        places = PLACES.get(keyword, ())
        if "named" in places and isinstance(value, dict):
            yield from ((keyword, (keyword, key), below) for key, below in value.items())
        elif "many" in places and isinstance(value, list):
            yield from ((keyword, (keyword, index), below) for index, below in enumerate(value))
        elif "one" in places:
            yield keyword, (keyword,), value


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_flag(value: Json) -> bool:
    return isinstance(value, bool)


def _is_list(value: Json) -> bool:
    return isinstance(value, list)


def _is_count(value: Json) -> bool:
    return isinstance(value, int | float) and is_number(value) and value >= 0 and value % 1 == 0


def _is_texts(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_schemas(value: Json) -> bool:
    return isinstance(value, list) and bool(value)


def _is_named(value: Json) -> bool:
    return isinstance(value, dict)


def _is_items(value: Json) -> bool:
    return is_schema(value) or isinstance(value, list)


def _is_limit(value: Json) -> bool:
    return is_number(value) or isinstance(value, bool)


def _is_type(value: Json) -> bool:
    names = value if isinstance(value, list) else [value]
    return bool(names) and all(name in TYPES for name in names)


Shape = tuple[Callable[[Json], bool], str]

# What a keyword must hold, and how to say so.
SHAPES: dict[str, Shape] = {
    **dict.fromkeys(("title", "description", "$comment"), (_is_text, "a string")),
    **dict.fromkeys(("deprecated", "readOnly", "writeOnly"), (_is_flag, "true or false")),
    **dict.fromkeys(("pattern", "format", *REFERENCES), (_is_text, "a string")),
    **dict.fromkeys(("examples", "enum"), (_is_list, "an array")),
    **dict.fromkeys(
        ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
        (_is_count, "a whole number of at least 0"),
    ),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), (is_number, "a number")),
    **dict.fromkeys(("exclusiveMinimum", "exclusiveMaximum"), (_is_limit, "a number")),
    **dict.fromkeys(
        (key for key, places in PLACES.items() if places == ("named",)), (_is_named, "an object")
    ),
    **dict.fromkeys(
        (key for key, places in PLACES.items() if places == ("one",)), (is_schema, "a schema")
    ),
    **dict.fromkeys(
        (key for key, places in PLACES.items() if places == ("many",)),
        (_is_schemas, "a list of schemas"),
    ),
    "items": (_is_items, "a schema or a list of schemas"),
    "required": (_is_texts, "a list of names"),
    "uniqueItems": (_is_flag, "true or false"),
    "type": (_is_type, "one of " + ", ".join(TYPES)),
}
