"""Read one raw entry of `tools/list` into a `Tool`, whatever the server sent."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from toolweave.json_text import Json, JsonObject, canonical
from toolweave.problems import Problem, pointer
from toolweave.tools.lint import MAX_DESCRIPTION_LENGTH
from toolweave.tools.read_schema import parameters_of, read_schema
from toolweave.tools.schema import compile_schema
from toolweave.tools.text import MAX_REPORTED, suspicious_texts
from toolweave.tools.tool import Tool

MAX_ENTRY_BYTES = 1024 * 1024


def read_tool(server: str, entry: Json) -> Tool:
    """Return the tool in `entry`; one that cannot be called has an `error` problem."""
    raw = entry if isinstance(entry, dict) else {}
    name = raw.get("name")
    name = name if isinstance(name, str) else ""
    if trouble := _unreadable(entry):
        # A definition that cannot be serialised cannot be shown, stored or hashed.
        return Tool(server, name[:128], "", {}, (), {"name": name[:128]}, problems=(trouble,))
    description = raw.get("description")
    input_schema = _object(raw.get("inputSchema"))
    output_schema = raw.get("outputSchema")
    problems = tuple(_problems(raw))
    # A schema that was refused for its size would be as large in a form.
    is_huge = any(
        problem.code == "MCP_TOOL_SCHEMA_TOO_LARGE" and problem.severity == "error"
        for problem in problems
    )
    return Tool(
        server,
        name,
        description if isinstance(description, str) else "",
        input_schema if input_schema is not None else {},
        parameters_of(read_schema(input_schema))
        if input_schema is not None and not is_huge
        else (),
        raw,
        output_schema=_object(output_schema),
        problems=problems,
    )


def _unreadable(entry: Json) -> Problem | None:
    if not isinstance(entry, dict):
        return Problem(
            "MCP_TOOL_SCHEMA_INVALID", "", "a tool is an object with name and inputSchema"
        )
    try:
        size = len(canonical(entry))
    except TypeError as error:
        return Problem("MCP_TOOL_SCHEMA_INVALID", "", f"cannot be written as JSON: {error}")
    if size > MAX_ENTRY_BYTES:
        message = f"the definition has {size} bytes; the limit is {MAX_ENTRY_BYTES}"
        return Problem("MCP_TOOL_SCHEMA_TOO_LARGE", "", message)
    return None


def _problems(raw: JsonObject) -> Iterator[Problem]:
    name, description = raw.get("name"), raw.get("description")
    if not isinstance(name, str) or not name:
        yield Problem("MCP_TOOL_SCHEMA_INVALID", "/name", "a tool needs a non-empty name")
    if isinstance(description, str) and len(description) > MAX_DESCRIPTION_LENGTH:
        yield Problem(
            "MCP_TOOL_LIMIT_EXCEEDED",
            "/description",
            f"{len(description)} characters; expected at most {MAX_DESCRIPTION_LENGTH}",
            severity="warning",
        )
    elif description is not None and not isinstance(description, str):
        yield Problem(
            "MCP_TOOL_SCHEMA_INVALID", "/description", "expected a string", severity="warning"
        )
    yield from _input_problems(raw.get("inputSchema"))
    if "outputSchema" in raw:
        yield from _output_problems(raw["outputSchema"])
    yield from islice(suspicious_texts(raw), MAX_REPORTED)


def _input_problems(schema: Json) -> Iterator[Problem]:
    if not isinstance(schema, dict):
        yield Problem("MCP_TOOL_SCHEMA_INVALID", "/inputSchema", "expected an object schema")
        return
    if schema.get("type", "object") != "object":
        yield Problem(
            "MCP_TOOL_SCHEMA_INVALID",
            "/inputSchema/type",
            "the arguments of a tool must be an object",
        )
    yield from _moved(compile_schema(schema).problems, "inputSchema")


def _output_problems(schema: Json) -> Iterator[Problem]:
    """Warnings only: a tool with a useless output schema can still be called."""
    if schema is None:
        return
    found = compile_schema(schema).problems
    yield from (replace(problem, severity="warning") for problem in _moved(found, "outputSchema"))


def _moved(problems: tuple[Problem, ...], under: str) -> Iterator[Problem]:
    return (replace(problem, pointer=pointer(under) + problem.pointer) for problem in problems)


def _object(value: Json) -> JsonObject | None:
    return value if isinstance(value, dict) else None
