"""The canonical dialect: the CCWF objects extended by catalog nodes.

A catalog node has `type: "FLOW"` and `data: {subtype, configurations, inputParams, …}`.
"""

from collections.abc import Mapping, Sequence
from itertools import chain, compress
from typing import cast

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.formats import mode_names
from toolweave.workflow.formats.codec import Parts, Pieces
from toolweave.workflow.formats.dialect_detection import has_shape, marks_of
from toolweave.workflow.formats.fields import (
    Notes,
    drawn,
    filled,
    identifier,
    input_port,
    items,
    mapping,
    optional_text,
    output_port,
    position,
    required_text,
    text,
    unknown,
)
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.formats.lossless import Lossless
from toolweave.workflow.model import Edge, EdgeId, Node, NodeId, Position, Workflow, WorkflowId

# The editor's default for files without it.
OLDEST_SCHEMA = "1.0.0"
FIRST_VERSION = "1.0.0"
SUBFLOWS = "subAgentFlows"

_NO_NAMES: Mapping[str, str] = {}
# What nearly every node and edge of a file has, in this order.
_USUAL_NODE = {("id", "type", "name", "position", "data")}
_USUAL_EDGE = {("id", "from", "to", "fromPort", "toPort")}
_USUAL_PLACE = {("x", "y")}
_EDGE_SIZE = 5
_OBJECTS, _TEXTS = {dict}, {str}
_IS_TOOL = "mcp".__eq__
_VALUES = dict[str, Json].values
_NUMBERS = frozenset({int, float})
_NodeColumns = tuple[
    tuple[NodeId, ...],
    tuple[str, ...],
    tuple[str, ...],
    tuple[JsonObject, ...],
    tuple[JsonObject, ...],
]
_EdgeRow = tuple[EdgeId, NodeId, NodeId, str, str]
_PlaceColumns = tuple[tuple[float, ...], tuple[float, ...]]
_NODE = frozenset({"id", "type", "name", "position", "data", "parentId"})
EDGE_KEYS = frozenset({"id", "from", "to", "fromPort", "toPort", "kind", "condition"})
_BEFORE = ("id", "name", "description", "version", "schemaVersion")
_AFTER = ("createdAt", "updatedAt", "metadata")
_HEADER = frozenset({*_BEFORE, *_AFTER})
_PARTS = frozenset({"nodes", "connections", SUBFLOWS})
_LISTS = ("nodes", "connections")
# The keys of a document in the order in which they are written, and the texts that it must have.
_ORDER = (*_BEFORE, *_LISTS, *_AFTER)
_NEEDED_TEXTS = frozenset({"id", "name", "version", "schemaVersion"})


class ToolweaveCodec:
    """The CCWF objects."""

    name: FormatName = "toolweave"
    calls_by_name = False

    def recognises(self, document: JsonObject, *, is_wrapped: bool) -> int:
        """Certain by Toolweave's markers, likely by the shape, which CCWF files share."""
        if not has_shape(document):
            return 0
        marks = marks_of(document)
        if is_wrapped:
            return 60
        if marks.remembers and "ccwf" in marks.remembers:
            return 97
        if marks.is_ours:
            return 90
        return 80 if "schemaVersion" in document else 70

    def split(self, document: JsonObject, notes: Notes, *, is_sub: bool) -> Parts:
        """Nodes, connections and sub-agent flows apart."""
        if "nodes" not in document:
            notes.missing("nodes", "the workflow has no nodes", "error")
        if "connections" not in document:
            notes.missing("connections", "no node is connected")
        parts = {
            key: [(f"/{key}/{at}", item) for at, item in enumerate(items(document, key, notes))]
            for key in ("nodes", "connections", SUBFLOWS)
        }
        header = unknown(document, _PARTS)
        return Parts(header, parts["nodes"], parts["connections"], parts[SUBFLOWS])

    def join(self, pieces: Pieces, form: str, *, is_sub: bool) -> JsonObject:
        """Write the document in canonical key order."""
        header = pieces.header
        document: JsonObject = {key: header[key] for key in _BEFORE if key in header}
        document |= {"nodes": pieces.nodes, "connections": pieces.edges}
        document |= {key: header[key] for key in _AFTER if key in header}
        if pieces.subflows:
            document[SUBFLOWS] = pieces.subflows
        return document | unknown(header, _HEADER)

    def form_for(self, workflow: Workflow, form: str) -> str:
        """There is one form."""
        return form

    def read_header(self, header: JsonObject, notes: Notes, *, is_sub: bool) -> Workflow:
        """Everything beside the nodes and connections."""
        name = required_text(header, "name", notes, "")
        identity = identifier(header, "id", notes)
        if not identity:
            identity = name or "workflow"
            notes.missing("id", f"{identity!r} is assumed")
        version = (text if is_sub else required_text)(header, "version", notes, FIRST_VERSION)
        return Workflow(
            id=WorkflowId(identity),
            name=name,
            description=optional_text(header, "description", notes),
            version=version,
            schema_version=text(header, "schemaVersion", notes, OLDEST_SCHEMA),
            created_at=optional_text(header, "createdAt", notes),
            updated_at=optional_text(header, "updatedAt", notes),
            metadata=mapping(header, "metadata", notes, "warning"),
            extras=unknown(header, _HEADER),
        )

    def usual_workflow(
        self, document: JsonObject, nodes: tuple[Node, ...], edges: tuple[Edge, ...]
    ) -> Workflow | None:
        """The workflow in a document that is written as `join` would, without anything to note."""
        if list(document) != [key for key in _ORDER if key in document]:
            return None
        texts = {key: value for key, value in document.items() if isinstance(value, str) and value}
        metadata = document.get("metadata")
        is_said = isinstance(metadata, dict) and bool(metadata)
        others = len(_LISTS) + is_said
        if not _NEEDED_TEXTS.issubset(texts) or len(texts) + others != len(document):
            return None
        return Workflow(
            WorkflowId(texts["id"]),
            texts["name"],
            nodes,
            edges,
            texts.get("description"),
            texts["version"],
            texts["schemaVersion"],
            texts.get("createdAt"),
            texts.get("updatedAt"),
            metadata if isinstance(metadata, dict) else {},
        )

    def write_header(self, workflow: Workflow, form: str, *, is_sub: bool) -> JsonObject:
        """Everything beside the nodes and connections; a sub-flow says no default versions."""
        version: str | None = workflow.version
        schema: str | None = workflow.schema_version
        if is_sub:
            version = None if version == FIRST_VERSION else version
            schema = None if schema == OLDEST_SCHEMA else schema
        return filled(
            id=workflow.id,
            name=workflow.name,
            description=workflow.description,
            version=version,
            schemaVersion=schema,
            createdAt=workflow.created_at,
            updatedAt=workflow.updated_at,
            metadata=workflow.metadata or None,
        ) | unknown(workflow.extras, _HEADER | _PARTS)

    def header_places(self, header: JsonObject) -> Mapping[str, str]:
        """Everything has its canonical name."""
        return _NO_NAMES

    def node_form(self, item: JsonObject) -> str:
        """There is one form."""
        return ""

    def usual_node(self, item: JsonObject) -> Node | None:
        """The node in `item` if it is written as `write_node` would, without anything to note."""
        found = self.usual_nodes([item])
        return None if found is None else found[0]

    def usual_nodes(self, items: Sequence[Json]) -> list[Node] | None:
        """The nodes of a list if each is a usual one; it is read by columns, of which it has few.

        A file has thousands of nodes, and no value of theirs costs a step of Python here.
        """
        if {*map(type, items)} != _OBJECTS:
            return None
        objects = cast("Sequence[JsonObject]", items)
        if {*map(tuple, objects)} != _USUAL_NODE:
            return None
        columns = zip(*map(_VALUES, objects), strict=True)
        ids, kinds, names, places, data = cast("_NodeColumns", columns)
        if {*map(type, chain(ids, kinds, names))} != _TEXTS or not (all(ids) and all(kinds)):
            return None
        if {*map(type, chain(places, data))} != _OBJECTS or {*map(tuple, places)} != _USUAL_PLACE:
            return None
        xs, ys = cast("_PlaceColumns", zip(*map(_VALUES, places), strict=True))
        if not _NUMBERS.issuperset(map(type, chain(xs, ys))):
            return None
        if "mcp" in kinds and not all(
            map(self._is_usual_tool, compress(data, map(_IS_TOOL, kinds)))
        ):
            return None
        return [
            Node(identity, kind, name, Position(x, y), one, None, {}, {})
            for identity, kind, name, x, y, one in zip(ids, kinds, names, xs, ys, data, strict=True)
        ]

    def _is_usual_tool(self, data: JsonObject) -> bool:
        return mode_names.is_canonical(data)

    def read_node(self, item: JsonObject, notes: Notes) -> Node:
        """Read a node, its MCP data with canonical names."""
        kind = text(item, "type", notes)
        if not kind:
            note_missing_type(notes)
        data = mapping(item, "data", notes)
        parent = optional_text(item, "parentId", notes)
        return Node(
            NodeId(identifier(item, "id", notes)),
            kind,
            text(item, "name", notes),
            position(item, notes),
            mode_names.to_canonical_names(data) if kind == "mcp" else data,
            NodeId(parent) if parent else None,
            unknown(item, _NODE) if not item.keys() <= _NODE else {},
        )

    def write_node(self, node: Node, form: str) -> JsonObject:
        """Write a node in canonical key order."""
        written: JsonObject = {"id": node.id, "type": node.type, "name": node.name}
        if node.position is not None:
            written["position"] = drawn(node.position)
        written["data"] = node.data
        if node.parent is not None:
            written["parentId"] = node.parent
        return written | unknown(node.extras, _NODE) if node.extras else written

    def node_places(self, item: JsonObject) -> Mapping[str, str]:
        """An MCP node may have the editor's names."""
        data = item.get("data")
        if item.get("type") != "mcp" or not isinstance(data, dict):
            return _NO_NAMES
        if mode_names.is_canonical(data):
            return _NO_NAMES
        return {f"/data/{new}": f"/data/{old}" for old, new in mode_names.old_names(data).items()}

    def edge_form(self, item: JsonObject, form: str, names: Mapping[str, str]) -> str:
        """There is one form."""
        return ""

    def usual_edge(self, item: JsonObject) -> Edge | None:
        """The connection in `item` if it is written as `write_edge` would."""
        found = self.usual_edges([item])
        return None if found is None else found[0]

    def usual_edges(self, items: Sequence[Json]) -> list[Edge] | None:
        """The connections of a list if each is a usual one; read by columns, as the nodes."""
        if {*map(type, items)} != _OBJECTS:
            return None
        objects = cast("Sequence[JsonObject]", items)
        if {*map(tuple, objects)} != _USUAL_EDGE:
            return None
        values = list(chain.from_iterable(map(_VALUES, objects)))
        # No text is empty, and both ports have their canonical names.
        if {*map(type, values)} != _TEXTS or not all(values):
            return None
        rows = cast("list[_EdgeRow]", [*map(_VALUES, objects)])
        if "out" in values[3::_EDGE_SIZE] or "in" in values[4::_EDGE_SIZE]:
            return None
        return [
            Edge(one, source, target, out, into, None, None, {}, {})
            for one, source, target, out, into in rows
        ]

    def read_edge(self, item: JsonObject, names: Mapping[str, str], notes: Notes) -> Edge:
        """A connection, its ports in canonical spelling."""
        source, target = identifier(item, "from", notes), identifier(item, "to", notes)
        if not (source and target):
            note_missing_ends(notes, {"from": source, "to": target})
        identity = identifier(item, "id", notes)
        if not identity:
            notes.missing("id", "one is derived from its ends")
        return Edge(
            EdgeId(identity),
            NodeId(source),
            NodeId(target),
            output_port(optional_text(item, "fromPort", notes)),
            input_port(optional_text(item, "toPort", notes)),
            optional_text(item, "kind", notes),
            optional_text(item, "condition", notes),
            unknown(item, EDGE_KEYS) if not item.keys() <= EDGE_KEYS else {},
        )

    def write_edge(self, edge: Edge, form: str, called: Mapping[str, str]) -> JsonObject:
        """Write a connection in canonical key order."""
        written: JsonObject = {
            "id": edge.id,
            "from": edge.source,
            "to": edge.target,
            "fromPort": edge.source_port,
            "toPort": edge.target_port,
        }
        if edge.kind is not None:
            written["kind"] = edge.kind
        if edge.condition is not None:
            written["condition"] = edge.condition
        return written | unknown(edge.extras, EDGE_KEYS) if edge.extras else written

    def edge_places(self, item: JsonObject) -> Mapping[str, str]:
        """Everything has its canonical name."""
        return _NO_NAMES


def note_missing_type(notes: Notes) -> None:
    """Record a node without a type."""
    notes.missing("type", "the node cannot run", "error")


def note_missing_ends(notes: Notes, ends: Mapping[str, str]) -> None:
    """Record an edge without a source or target."""
    for key, node in ends.items():
        if not node:
            notes.missing(key, "the edge is ignored", "error")


CODEC = ToolweaveCodec()
format = Lossless(CODEC)
