"""MCP nodes in each mode, tools to choose, and JSON Patch, for the tests of modes."""

from collections.abc import Mapping
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any, cast

from tests.seeds.requirements import REQUIREMENTS

from toolweave.json_text import Json, JsonObject
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool
from toolweave.workflow.model import Node, NodeId
from toolweave.workflow.modes import write_snapshot

NOW = datetime(2025, 11, 17, 12, 0, tzinfo=UTC)
STAMP = "2025-11-16T10:30:00.000Z"
NOW_STAMP = "2025-11-17T12:00:00.000Z"

_MESSAGES = {one.id: one.message for one in REQUIREMENTS if one.message is not None}


def seed_message(requirement: str, **values: object) -> str:
    """The text the seed prescribes, filled in."""
    return _MESSAGES[requirement].format(**values)


def a_tool(name: str = "get_regional_availability", **properties: JsonObject) -> Tool:
    """A tool of the server `aws`, with a region and a kind unless told otherwise."""
    found: JsonObject = {**(properties or _PROPERTIES)}
    schema: JsonObject = {"type": "object", "properties": found, "required": list[Json](found)}
    entry: JsonObject = {"name": name, "description": f"Does {name}.", "inputSchema": schema}
    return read_tool("aws", entry)


_PROPERTIES: dict[str, JsonObject] = {
    "region": {"type": "string"},
    "resource_type": {"type": "string", "enum": ["product", "api", "cfn"]},
}
PARAMETERS: list[Json] = [
    {"name": "region", "type": "string", "required": True},
    {
        "name": "resource_type",
        "type": "string",
        "required": True,
        "validation": {"enum": ["product", "api", "cfn"]},
    },
]


def a_node(data: Mapping[str, object]) -> Node:
    """An MCP node with this data, which a test may write without naming its JSON types."""
    return Node(NodeId("mcp-1"), "mcp", "availability", data=cast(JsonObject, dict(data)))


def detailed(**more: object) -> Node:
    """As v1.2.0 wrote it: no mode at all."""
    data: JsonObject = {
        "serverId": "aws",
        "toolName": "get_regional_availability",
        "toolDescription": "Does it.",
        "parameters": PARAMETERS,
        "parameterValues": {"region": "us-east-1", "resource_type": "api"},
        "validationStatus": "valid",
        "outputPorts": 1,
    }
    return a_node({**data, **more})


def described(
    description: object = "List all S3 buckets in the us-east-1 region", **more: object
) -> Node:
    config = {"description": description, "timestamp": STAMP}
    data = detailed(mode="naturalLanguageParam", naturalLanguageParamConfig=config).data
    return a_node({**data, "parameterValues": {}, **more})


def tasked(
    task: object = "Find AWS documentation about S3 bucket policies and versioning", **more: object
) -> Node:
    config: dict[str, object] = {
        "taskDescription": task,
        "availableTools": [write_snapshot(a_tool())],
        "timestamp": STAMP,
    }
    data: dict[str, object] = {
        "serverId": "aws",
        "toolName": "",
        "toolDescription": "",
        "parameters": [],
        "parameterValues": {},
        "mode": "fullNaturalLanguage",
        "fullNaturalLanguageConfig": config,
        "outputPorts": 1,
    }
    return a_node({**data, **more})


# Any: RFC 6902 operations are JSON of many shapes.
def patched(data: JsonObject, patch: tuple[dict[str, Any], ...] | None) -> JsonObject:
    """The data after the operations that problems of modes use."""
    assert patch is not None
    changed: JsonObject = deepcopy(data)
    for operation in patch:
        value = operation.get("value")
        if operation["op"] == "move":
            value = _parent(changed, operation["from"])[0].pop(_last(operation["from"]))
        owner, key = _parent(changed, operation["path"])
        if operation["op"] == "remove":
            del owner[key]
        else:
            assert operation["op"] != "replace" or key in owner
            owner[key] = value
    return changed


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _parent(data: JsonObject, path: str) -> tuple[JsonObject, str]:
    owner = data
    for step in path.split("/")[1:-1]:
        below = owner[step]
        assert isinstance(below, dict)
        owner = below
    return owner, _last(path)
