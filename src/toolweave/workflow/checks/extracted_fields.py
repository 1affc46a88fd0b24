"""AI_AGENT.EXTRACT with a JSON Schema as `fields`, which takes names and types."""

from collections.abc import Iterator

from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import node_table

CODE = "FIELD_FORM_UNUSUAL"
_REF = "AI_AGENT.EXTRACT"
_NAME = "fields"
_AROUND = frozenset({"type", "properties", "required", "additionalProperties", "$schema", "title"})


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield schemas whose keywords would be taken for fields."""
    for facts in node_table(case).of_refs({_REF}):
        fields = _fields(facts.settings.get(_NAME))
        if fields is not None:
            place = f"{facts.place}/configurations/{_NAME}"
            message = f"{_NAME!r} is a JSON Schema; it takes the names of fields with their types"
            patch = ({"op": "replace", "path": place, "value": fields},)
            hint = "write the properties alone, or the schema as 'output_schema'"
            yield Problem(CODE, place, message, hint, "warning", patch)


def _fields(given: Json) -> JsonObject | None:
    """The names and types of a schema of an object."""
    if not isinstance(given, dict) or not given.keys() <= _AROUND:
        return None
    properties = given.get("properties")
    if given.get("type", "object") != "object" or not isinstance(properties, dict):
        return None
    return {name: _type(one) for name, one in properties.items()} or None


def _type(schema: Json) -> Json:
    """The type alone, where a schema says nothing else."""
    is_plain = isinstance(schema, dict) and schema.keys() == {"type"}
    return schema["type"] if isinstance(schema, dict) and is_plain else schema
