"""Tools of connected servers as catalog entries: `TOOL` / `MCP:<server>/<tool>`.

What a server says of a tool is data from outside: kept to a length, hidden characters made
visible, and marked as the server's words wherever it is shown.
"""

from collections.abc import Callable, Iterable
from itertools import islice

import orjson

from toolweave.catalog.spec import Field, FieldType, NodeSpec, SpecOrigin
from toolweave.json_text import Json, JsonObject
from toolweave.tools.parameter import Constraints, Kind, Parameter
from toolweave.tools.text import hidden_characters
from toolweave.tools.tool import Tool
from toolweave.tools.write_schema import write_schema

MAX_DESCRIPTION = 2_000
MAX_FIELD_DESCRIPTION = 300
MAX_CAUTIONS = 3
MAX_OPTIONS = 100

_TYPES: dict[Kind, FieldType] = {
    "string": "string",
    "number": "float",
    "integer": "integer",
    "boolean": "boolean",
    "array": "array",
    "object": "object",
}
_OUTPUT_TYPES: dict[str, FieldType] = {str(kind): name for kind, name in _TYPES.items()}
_TEXT_ANSWER = (
    Field("text", "string", "The text of the answer.", required=True),
    Field("json", "any", "The text as data, where it is JSON."),
    Field("content", "array", "The blocks of the answer: type, text, uri, data.", items="object"),
)
# What a field says itself; the rest of a property's schema is kept beside it.
_SHOWN_ELSEWHERE = frozenset({"description", "title", "default"})
_FREE = Constraints()


def specs_of(tools: Iterable[Tool]) -> list[NodeSpec]:
    """The entries of all tools that can be called; of two with one name, the first."""
    found: dict[str, NodeSpec] = {}
    for tool in tools:
        if tool.is_usable:
            spec = spec_of(tool)
            found.setdefault(spec.subtype, spec)
    return list(found.values())


def spec_of(tool: Tool) -> NodeSpec:
    """The catalog entry of one tool."""
    annotations = tool.raw.get("annotations")
    hints = annotations if isinstance(annotations, dict) else {}
    cautions = _cautions(tool)
    shown = _visible if cautions else _cut
    return NodeSpec(
        "TOOL",
        f"MCP:{tool.server}/{tool.name}",
        shown(tool.description, MAX_DESCRIPTION)
        or f"Call the tool {tool.name} of the MCP server {tool.server}.",
        "keyed" if hints.get("readOnlyHint") is True else "once",
        inputs=tuple(_field(parameter, tool, shown) for parameter in tool.parameters),
        outputs=_outputs(tool),
        tags=("tool", "mcp", tool.server.casefold()),
        keywords=tuple(
            shown(title, MAX_FIELD_DESCRIPTION)
            for title in (tool.raw.get("title"), hints.get("title"))
            if isinstance(title, str)
        ),
        origin=SpecOrigin(tool.server, tool.name, tool.input_schema, tool.output_schema, cautions),
    )


def _cut(text: str, most: int) -> str:
    text = text.strip()
    return text if len(text) <= most else text[: most - 1] + "…"


def _visible(text: str, most: int) -> str:
    """`text` cut to a length, with `\\u{200B}` for what a reader could not see."""
    text = _cut(text, most)
    for found in hidden_characters(text):
        number = found.partition(" ")[0].removeprefix("U+")
        text = text.replace(chr(int(number, 16)), f"\\u{{{number}}}")
    return text


def _cautions(tool: Tool) -> tuple[str, ...]:
    found = (
        f"{problem.pointer or '/'}: {problem.message}"
        for problem in tool.problems
        if problem.code == "TOOL_TEXT_SUSPICIOUS" or problem.severity == "error"
    )
    return tuple(islice(found, MAX_CAUTIONS))


def _field(parameter: Parameter, tool: Tool, shown: Callable[[str, int], str]) -> Field:
    limits = parameter.constraints
    texts = [option for option in limits.enum or () if isinstance(option, str)]
    is_choice = 0 < len(texts) == len(limits.enum or ()) <= MAX_OPTIONS
    items = parameter.items
    return Field(
        parameter.name,
        _TYPES.get(parameter.kind, "any"),
        shown(parameter.description or parameter.title or "", MAX_FIELD_DESCRIPTION),
        parameter.default,
        required=parameter.required,
        minimum=limits.minimum,
        maximum=limits.maximum,
        options=tuple(texts) if is_choice else (),
        pattern=limits.pattern,
        items=_TYPES.get(items.kind, "any") if items is not None else None,
        schema=_schema(parameter, tool) if _says_more(parameter, is_choice=is_choice) else None,
    )


def _says_more(parameter: Parameter, *, is_choice: bool) -> bool:
    """Whether a parameter holds what a field has no place for."""
    items, limits = parameter.items, parameter.constraints
    if parameter.nullable or _is_nested(parameter):
        return True
    if items is not None and (_is_nested(items) or items.items or items.constraints != _FREE):
        return True
    return limits != _FREE and limits != Constraints(
        enum=limits.enum if is_choice else None,
        minimum=limits.minimum,
        maximum=limits.maximum,
        pattern=limits.pattern,
    )


def _is_nested(parameter: Parameter) -> bool:
    return bool(
        parameter.properties
        or parameter.variants
        or parameter.prefix_items
        or parameter.pattern_properties
        or isinstance(parameter.extra, Parameter)
        or parameter.recursive_ref
    )


def _schema(parameter: Parameter, tool: Tool) -> JsonObject:
    properties = tool.input_schema.get("properties")
    raw: Json = properties.get(parameter.name) if isinstance(properties, dict) else None
    schema = raw if isinstance(raw, dict) else write_schema(parameter)
    members = schema if isinstance(schema, dict) else {}
    return {key: value for key, value in members.items() if key not in _SHOWN_ELSEWHERE}


def _outputs(tool: Tool) -> tuple[Field, ...]:
    """What a run gets: the fields of the output schema, else the answer as text and blocks."""
    if tool.output_schema is None:
        return _TEXT_ANSWER
    properties, required = (tool.output_schema.get(key) for key in ("properties", "required"))
    needed = required if isinstance(required, list) else []
    named = properties if isinstance(properties, dict) else {}
    return tuple(
        _output(name, schema if isinstance(schema, dict) else {}, is_given=name in needed)
        for name, schema in named.items()
    )


def _output(name: str, schema: JsonObject, *, is_given: bool) -> Field:
    kind, about = schema.get("type"), schema.get("description") or schema.get("title")
    # A reference would lead nowhere from its new place.
    is_plain = schema.keys() <= {"type", *_SHOWN_ELSEWHERE} or b'"$ref"' in orjson.dumps(schema)
    return Field(
        name,
        _OUTPUT_TYPES.get(kind, "any") if isinstance(kind, str) else "any",
        _visible(about, MAX_FIELD_DESCRIPTION) if isinstance(about, str) else "",
        required=is_given,
        schema=None
        if is_plain
        else {key: value for key, value in schema.items() if key not in _SHOWN_ELSEWHERE},
    )
