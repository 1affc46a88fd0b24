"""A JSON Schema that stands in the settings of a node: of a form, of an answer."""

from toolweave.catalog.node_input import NodeInput, refused_at
from toolweave.json_text import JsonObject
from toolweave.tools.schema import compile_schema

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
        raise refused_at((field, *first.pointer.split("/")[1:]), code, message, hint=first.hint)
    return schema
