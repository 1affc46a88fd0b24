"""Nodes, edges and workflow headers as plain JSON and back, to say exactly how two differ."""

from dataclasses import replace

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.formats.fields import Notes, drawn, position
from toolweave.workflow.model import Edge, EdgeId, Node, NodeId, Workflow, WorkflowId


def of_node(node: Node) -> JsonObject:
    """Everything a node says."""
    return {
        "id": node.id,
        "type": node.type,
        "name": node.name,
        "position": drawn(node.position) if node.position else None,
        "data": node.data,
        "parent": node.parent,
        "extras": node.extras,
    }


def to_node(said: Json, native: Node) -> Node:
    """The node that says this; where it cannot be said, what `native` has."""
    if not isinstance(said, dict):
        return native
    parent = _optional(said, "parent", native.parent)
    return replace(
        native,
        id=NodeId(_text(said, "id", native.id)),
        type=_text(said, "type", native.type),
        name=_text(said, "name", native.name),
        position=position(said, Notes()),
        data=_object(said, "data", native.data),
        parent=None if parent is None else NodeId(parent),
        extras=_object(said, "extras", native.extras),
    )


def of_edge(edge: Edge) -> JsonObject:
    """Everything an edge says."""
    return {
        "id": edge.id,
        "from": edge.source,
        "to": edge.target,
        "fromPort": edge.source_port,
        "toPort": edge.target_port,
        "kind": edge.kind,
        "condition": edge.condition,
        "extras": edge.extras,
    }


def to_edge(said: Json, native: Edge) -> Edge:
    """The edge that says this; where it cannot be said, what `native` has."""
    if not isinstance(said, dict):
        return native
    return replace(
        native,
        id=EdgeId(_text(said, "id", native.id)),
        source=NodeId(_text(said, "from", native.source)),
        target=NodeId(_text(said, "to", native.target)),
        source_port=_text(said, "fromPort", native.source_port),
        target_port=_text(said, "toPort", native.target_port),
        kind=_optional(said, "kind", native.kind),
        condition=_optional(said, "condition", native.condition),
        extras=_object(said, "extras", native.extras),
    )


def of_header(workflow: Workflow) -> JsonObject:
    """Everything a workflow says beside its nodes, edges and sub-flows."""
    return {
        "id": workflow.id,
        "name": workflow.name,
        "description": workflow.description,
        "version": workflow.version,
        "schemaVersion": workflow.schema_version,
        "createdAt": workflow.created_at,
        "updatedAt": workflow.updated_at,
        "metadata": workflow.metadata,
        "extras": workflow.extras,
    }


def to_header(said: Json, native: Workflow) -> Workflow:
    """The workflow that says this; where it cannot be said, what `native` has."""
    if not isinstance(said, dict):
        return native
    return replace(
        native,
        id=WorkflowId(_text(said, "id", native.id)),
        name=_text(said, "name", native.name),
        description=_optional(said, "description", native.description),
        version=_text(said, "version", native.version),
        schema_version=_text(said, "schemaVersion", native.schema_version),
        created_at=_optional(said, "createdAt", native.created_at),
        updated_at=_optional(said, "updatedAt", native.updated_at),
        metadata=_object(said, "metadata", native.metadata),
        extras=_object(said, "extras", native.extras),
    )


def _text(said: JsonObject, key: str, default: str) -> str:
    value = said.get(key)
    return value if isinstance(value, str) else default


def _optional(said: JsonObject, key: str, default: str | None) -> str | None:
    value = said.get(key, default)
    return value if value is None or isinstance(value, str) else default


def _object(said: JsonObject, key: str, default: JsonObject) -> JsonObject:
    value = said.get(key)
    return value if isinstance(value, dict) else default
