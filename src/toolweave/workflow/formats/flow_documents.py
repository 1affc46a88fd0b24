"""Flow files whose flows or nodes are under other words: which part of a document is a flow.

Flows have types of nodes that are common words; a part is a flow only if one of them is its own.
"""

from typing import Any

from toolweave.json_text import Json, JsonObject
from toolweave.problems import pointer
from toolweave.workflow.formats.flow import OWN_TYPES
from toolweave.workflow.formats.foreign_nodes import only_list, plain

Operation = dict[str, Any]  # Any: part of a JSON Patch, as in `Problem`

FLOW_TYPES = frozenset({*OWN_TYPES, "input", "flow-link"})
_FLOWS = "flows"
_OTHER_KEYS = frozenset({"flow", "workflows", "flowlist"})
# Beside these a document says what it is.
_OWN = frozenset({"nodes", "edges", "connections"})


def are_flow_nodes(value: Json) -> bool:
    """Whether it is a list or map of nodes that a flow has, one of them of its own types."""
    items = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(items, list) or not items:
        return False
    kinds = [one.get("type") if isinstance(one, dict) else None for one in items]
    known = [one for one in kinds if isinstance(one, str) and one in FLOW_TYPES]
    return len(known) == len(items) and not OWN_TYPES.isdisjoint(known)


def flow_nodes_in(value: Json) -> list[Json] | None:
    """The nodes of a flow in an object that has only their list."""
    inner = only_list(value)
    return inner if are_flow_nodes(inner) else None


def is_flow(value: Json) -> bool:
    """Whether a value is a flow, or an export of flows."""
    if not isinstance(value, dict):
        return False
    return are_flow_nodes(value.get("nodes")) or _are_flows(value.get(_FLOWS))


def _are_flows(value: Json) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, dict) and are_flow_nodes(one.get("nodes")) for one in value)
    )


def listed_flows(document: JsonObject) -> tuple[str, list[Operation]] | None:
    """The key of flows that are no list, or of another name, and what makes them the list."""
    if not _OWN.isdisjoint(document):
        return None
    keys = [key for key in document if key == _FLOWS or plain(key) in _OTHER_KEYS]
    if len(keys) != 1 or (keys[0] != _FLOWS and "metadata" not in document):
        return None
    (key,) = keys
    flows = _as_list(document[key])
    if flows is None or (key == _FLOWS and flows is document[key]):
        return None
    replaced: Operation = {"op": "replace", "path": pointer(key), "value": flows}
    operations = [] if flows is document[key] else [replaced]
    if key != _FLOWS:
        operations.append({"op": "move", "from": pointer(key), "path": pointer(_FLOWS)})
    return key, operations


def _as_list(value: Json) -> list[Json] | None:
    """One flow, a map of flows or an object around their list, as a list."""
    if isinstance(value, dict) and are_flow_nodes(value.get("nodes")):
        return [value]
    listed: Json = value
    if isinstance(value, dict):
        listed = only_list(value) or list(value.values())
    return listed if isinstance(listed, list) and _are_flows(listed) else None


def lists_edges(document: JsonObject) -> bool:
    """Whether `flows` lists the edges of nodes beside it."""
    flows = document.get(_FLOWS)
    return (
        "nodes" in document
        and isinstance(flows, list)
        and not any(isinstance(one, dict) and "nodes" in one for one in flows)
    )


def key_of_nodes(document: JsonObject) -> str | None:
    """The only other key under which the nodes of a flow are."""
    found = [key for key, value in document.items() if are_flow_nodes(value)]
    return found[0] if len(found) == 1 and "nodes" not in document else None
