"""A JSON Schema that stands in the settings of a node: of a form, of an answer."""

from toolweave.catalog.node_input import NodeInput, refused_at
from toolweave.json_text import Json, JsonObject
from toolweave.tools.schema import compile_schema
from toolweave.tools.schema_repair import meant_schema
from toolweave.tools.schema_slips import without_slips
from toolweave.workflow.json_patch import difference

# Of forms with very many fields only; they can be used.
LIMIT = "MCP_TOOL_LIMIT_EXCEEDED"


def read_schema(given: NodeInput, field: str, code: str = "NODE_INPUT_INVALID") -> JsonObject:
    """The schema in a field, if values can be checked against it. Raises `Invalid` with `code`."""
    schema = given.record(field)
    compiled = compile_schema(schema)
    faults = [one for one in compiled.problems if one.code != LIMIT]
    if not compiled.is_usable or faults:
        first = (faults or compiled.problems)[0]
        message = f"{field!r} is no JSON Schema that can be used: {first.message}"
        at = (field, *first.pointer.split("/")[1:])
        raise refused_at(at, code, message, hint=first.hint, patch=schema_patch(field, schema))
    return schema


def schema_patch(field: str, schema: JsonObject) -> list[Json]:
    """Operations that make a schema the one that is meant; none if that cannot be used either."""
    # The only member of an object may be the schema itself.
    inner = schema.get("value") if len(schema) == 1 else None
    meant = (
        inner
        if isinstance(inner, dict) and isinstance(inner.get("properties"), dict)
        else meant_schema(without_slips(schema))
    )
    if not isinstance(meant, dict) or meant == schema:
        return []
    if any(one.code != LIMIT for one in compile_schema(meant).problems):
        return []
    steps = difference(schema, meant)
    return [{**step, "path": f"/{field}{step['path']}"} for step in steps]
