"""The queue a node is bound to, and the server it names.

A node has `queue` in its `configurations`, in its `data`, or beside them in dialects without
`data`; reading and writing a file leaves it where it was.
"""

from collections.abc import Iterator

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.model import Node

KEY = "queue"


def queue_of(node: Node) -> str | None:
    """Return the queue of a node, if it is bound to one."""
    for _, queue in queue_settings(node):
        if isinstance(queue, str) and queue:
            return queue
    return None


def queue_settings(node: Node) -> Iterator[tuple[tuple[str, ...], Json]]:
    """Yield every value of `queue` that a node has, with its place in the canonical document."""
    settings = node.data.get("configurations")
    if isinstance(settings, dict) and KEY in settings:
        yield ("data", "configurations", KEY), settings[KEY]
    if KEY in node.data:
        yield ("data", KEY), node.data[KEY]
    if KEY in node.extras:
        yield (KEY,), node.extras[KEY]


def without_queue(settings: JsonObject) -> JsonObject:
    """Return the settings that the node itself has."""
    if KEY not in settings:
        return settings
    return {name: value for name, value in settings.items() if name != KEY}


def server_of(node: Node) -> str | None:
    """Return the server whose tool a node calls, if the node names it."""
    if node.type == "mcp":
        server = node.data.get("serverId")
        return server if isinstance(server, str) else None
    subtype = node.data.get("subtype")
    if node.type == "TOOL" and isinstance(subtype, str) and subtype.startswith("MCP:"):
        return subtype.removeprefix("MCP:").partition("/")[0]
    return None
