"""HUMAN_IN_THE_LOOP.FORM with a list of fields, as form builders have it, for its schema."""

from collections.abc import Iterator

from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import node_table

CODE = "FIELD_FORM_UNUSUAL"
_REF = "HUMAN_IN_THE_LOOP.FORM"
_SCHEMA = "form_schema"
_LISTS = frozenset({_SCHEMA, "fields", "form_fields", "inputs", "questions", "form"})
_NAMES = ("name", "id", "key", "field")
_COPIED = {"label": "title", "title": "title", "description": "description", "help": "description"}
_TYPES = {
    **dict.fromkeys(("string", "text", "textarea", "str", "short_text", "long_text"), "string"),
    **dict.fromkeys(("number", "float", "decimal"), "number"),
    **dict.fromkeys(("integer", "int"), "integer"),
    **dict.fromkeys(("boolean", "bool", "checkbox", "toggle"), "boolean"),
    "array": "array",
}
_FORMATS = {"email": "email", "date": "date", "datetime": "date-time", "url": "uri"}
_CHOICES = frozenset({"select", "dropdown", "radio", "choice", "enum"})
_OTHERS = frozenset({"type", "required", "default", "options", "choices", "enum"})
# Keywords of JSON Schema, which stay as they are.
_KEYWORDS = frozenset(
    {"minLength", "maxLength", "pattern", "format", "minimum", "maximum", "multipleOf", "examples"}
    | {"exclusiveMinimum", "exclusiveMaximum", "items", "minItems", "maxItems", "const"}
)


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield lists of fields with the schema that they say."""
    for facts in node_table(case).of_refs({_REF}):
        settings = facts.settings
        given = [key for key in settings if key in _LISTS and isinstance(settings[key], list)]
        if len(given) != 1 or (given[0] != _SCHEMA and _SCHEMA in settings):
            continue
        schema = _schema(settings[given[0]])
        if schema is None:
            continue
        place = f"{facts.place}/configurations"
        at = place + pointer(given[0])
        patch = (
            {"op": "remove", "path": at},
            {"op": "add", "path": f"{place}/{_SCHEMA}", "value": schema},
        )
        message = f"{given[0]!r} is a list of fields; a form is described by a JSON Schema"
        hint = f"write {_SCHEMA!r} with a property for each field"
        yield Problem(CODE, at, message, hint, "warning", patch)


def _schema(fields: Json) -> JsonObject | None:
    """The schema of the fields; None if something in them has no place in it."""
    properties: JsonObject = {}
    required: list[Json] = []
    for field in fields if isinstance(fields, list) else ():
        named = [field[key] for key in _NAMES if key in field] if isinstance(field, dict) else []
        if not isinstance(field, dict) or len(named) != 1 or not isinstance(named[0], str):
            return None
        made = _property({key: one for key, one in field.items() if key not in _NAMES})
        if made is None or named[0] in properties:
            return None
        properties[named[0]] = made
        if field.get("required") is True:
            required.append(named[0])
    if not properties:
        return None
    schema: JsonObject = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return schema


def _property(field: JsonObject) -> JsonObject | None:
    if not field.keys() <= _OTHERS | _KEYWORDS | _COPIED.keys():
        return None
    kind = field.get("type", "string")
    options = [field[key] for key in ("options", "choices", "enum") if key in field]
    made: JsonObject
    if not isinstance(kind, str) or len(options) > 1:
        return None
    if kind.lower() in _CHOICES:
        made = {"type": "string"}
    elif kind.lower() in _FORMATS:
        made = {"type": "string", "format": _FORMATS[kind.lower()]}
    elif kind.lower() in _TYPES:
        made = {"type": _TYPES[kind.lower()]}
    else:
        return None
    if options:
        listed = options[0]
        if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
            return None
        made["enum"] = listed
    elif kind.lower() in _CHOICES:
        return None
    made |= {key: one for key, one in field.items() if key in _KEYWORDS}
    made |= {to: field[key] for key, to in _COPIED.items() if key in field}
    return made | {"default": field["default"]} if "default" in field else made
