"""The knowledge tools as data: names, steering texts and schemas, the same for MCP and REST."""

from toolweave.catalog.spec import NODE_TYPES
from toolweave.json_text import Json, JsonObject

MAX_NODES = 200
# With less, not even the names of what was left out would fit.
MIN_TOKENS = 50
MAX_TOKENS = 100_000

DETAILS_TOKENS = 8_000
# Of thousands of live tools a list of names helps nobody; `search_nodes` does.
TYPES_TOKENS = 2_000


def _budget(default: int) -> JsonObject:
    return {"type": "integer", "default": default}


_NODE: JsonObject = {
    "type": "object",
    "properties": {
        "node_type": {"type": "string"},
        "subtype": {"type": "string"},
    },
    "required": ["node_type", "subtype"],
}


def _list_of(name: str) -> JsonObject:
    entries: JsonObject = {"type": "array"}
    return {"type": "object", "properties": {name: entries}, "required": [name]}


GET_NODE_TYPES: JsonObject = {
    "name": "get_node_types",
    "title": "Node types",
    "description": (
        "Get all available workflow node types and their subtypes; start here. 🎯 IMPORTANT: "
        "HUMAN_IN_THE_LOOP nodes have built-in AI response analysis - DO NOT create separate IF "
        "or AI_AGENT nodes for HIL response classification."
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "type_filter": {"type": "string", "enum": list[Json](NODE_TYPES)},
            "max_tokens": _budget(TYPES_TOKENS),
        },
    },
    "outputSchema": {"type": "object"},
}

GET_NODE_DETAILS: JsonObject = {
    "name": "get_node_details",
    "title": "Node details",
    "description": (
        "Get detailed specifications for workflow nodes including parameters, ports, and "
        "examples, before using them. Wrong names are corrected with a warning. 🤖 KEY FEATURE: "
        "HUMAN_IN_THE_LOOP nodes include integrated AI response analysis with "
        "confirmed/rejected/unrelated/timeout output ports - eliminating need for separate "
        "IF/AI_AGENT nodes."
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "nodes": {"type": "array", "items": _NODE},
            "include_examples": {"type": "boolean", "default": True},
            "include_schemas": {"type": "boolean", "default": True},
            "max_tokens": _budget(DETAILS_TOKENS),
        },
        "required": ["nodes"],
    },
    "outputSchema": _list_of("nodes"),
}

SEARCH_NODES: JsonObject = {
    "name": "search_nodes",
    "title": "Search nodes",
    "description": (
        "Find nodes, and tools of connected MCP servers, by what they should do: "
        "'post to slack', 'wait until friday'. Spelling may be off. With `after`, only nodes "
        "that can follow that node."
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "type_filter": {"type": "string"},
            "tag": {"type": "string"},
            "after": _NODE,
            "limit": {"type": "integer", "default": 10},
            "max_tokens": _budget(DETAILS_TOKENS),
        },
        "required": ["query"],
    },
    "outputSchema": _list_of("results"),
}

QUESTIONS: tuple[JsonObject, ...] = (GET_NODE_TYPES, GET_NODE_DETAILS, SEARCH_NODES)

# Additional fields of the REST response for one tool.
TAGS: dict[str, list[str]] = {
    "get_node_types": ["nodes", "workflow", "specifications"],
    "get_node_details": ["nodes", "specifications", "details"],
    "search_nodes": ["nodes", "search"],
}
EXAMPLES: dict[str, list[JsonObject]] = {
    "get_node_types": [{}, {"type_filter": "ACTION"}],
    "get_node_details": [
        {"nodes": [{"node_type": "AI_AGENT", "subtype": "OPENAI_CHATGPT"}]},
        {
            "nodes": [
                {"node_type": "TRIGGER", "subtype": "WEBHOOK"},
                {"node_type": "FLOW", "subtype": "IF"},
            ],
            "include_examples": False,
        },
    ],
    "search_nodes": [
        {"query": "ask a person for approval"},
        {"query": "", "after": {"node_type": "TRIGGER", "subtype": "GITHUB"}},
    ],
}
GUIDANCE = (
    "❌ ANTI-PATTERN: HIL → AI_AGENT → IF. ✅ CORRECT: Single HIL node with built-in AI analysis."
)

# Other hints mean nothing of a tool that only reads.
READ_ONLY: JsonObject = {"readOnlyHint": True, "openWorldHint": False}
# Limits of arguments, checked but not listed, as clients pay for every token.
_LIMITS: dict[str, JsonObject] = {
    "max_tokens": {"minimum": MIN_TOKENS, "maximum": MAX_TOKENS},
    "nodes": {"minItems": 1, "maxItems": MAX_NODES},
    "query": {"maxLength": 2_000},
    "tag": {"maxLength": 100},
    "limit": {"minimum": 1, "maximum": 100},
}
# How arguments that name nodes are checked.
_NAME: JsonObject = {"type": "string", "maxLength": 500}
_NAMES: dict[str, JsonObject] = {
    "type_filter": _NAME,
    "node_type": {**_NAME, "minLength": 1},
    "subtype": {**_NAME, "minLength": 1},
}


def strict(definition: JsonObject) -> JsonObject:
    """The definition that arguments are checked against; what is listed says less, for tokens.

    Unknown arguments are refused, and so are endless names. A node type may be none of its `enum`:
    a misspelt one is corrected with a warning.
    """
    schema = definition["inputSchema"]
    assert isinstance(schema, dict)
    return {**definition, "inputSchema": {**_strict(schema), "additionalProperties": False}}


def _strict(schema: JsonObject) -> JsonObject:
    made: JsonObject = dict(schema)
    properties, items = schema.get("properties"), schema.get("items")
    if isinstance(items, dict):
        made["items"] = _strict(items)
    if isinstance(properties, dict):
        made["additionalProperties"] = False
        made["properties"] = {
            name: _NAMES.get(name) or {**_strict(one), **_LIMITS.get(name, {})}
            for name, one in properties.items()
            if isinstance(one, dict)
        }
    return made


def listed() -> list[JsonObject]:
    """The entries of `tools/list`."""
    return [{**question, "annotations": READ_ONLY} for question in QUESTIONS]
