"""The flow dialect in its three forms: flow files, the web app's export, and `config` nodes.

A flow node's label is the node's name; variables of `multi_input` are names in `data.variables`
and their values, where the file has some, `data.values`. An export's first flow is the workflow,
its further flows are sub-flows.
"""

from collections.abc import Mapping

from toolweave.json_text import Json, JsonObject
from toolweave.problems import pointer
from toolweave.workflow.formats.codec import Parts, Pieces
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
from toolweave.workflow.formats.toolweave import (
    FIRST_VERSION,
    note_missing_ends,
    note_missing_type,
)
from toolweave.workflow.model import (
    INPUT_PORT,
    OUTPUT_PORT,
    Edge,
    EdgeId,
    Node,
    NodeId,
    Workflow,
    WorkflowId,
)

MAX_BYTES = 1024 * 1024  # flow files are at most 1 MB

# Markers of a form: a file of several flows, and where parts of a flow, node or edge are.
EXPORT = "export"
META, METADATA = "meta", "metadata"
CONFIG, LABEL = "config", "label"
BY_TYPE, BY_DATA = "type", "data"

# Node types that no other dialect has.
OWN_TYPES = frozenset({"template", "multi_input", "result"})
# What an edge of a flow says of itself.
FLOW_KINDS = ("data", "chain", "result")

_ENDS = {
    "/from": "/source",
    "/to": "/target",
    "/fromPort": "/sourceHandle",
    "/toPort": "/targetHandle",
    "/kind": "/type",
}
_ENDS_BY_DATA = _ENDS | {"/kind": "/data/connectionType"}
_META = frozenset(
    {"id", "name", "version", "description", "created", "updated", "created_at", "updated_at"}
)
_PARTS = frozenset({"nodes", "edges", "flows"})
_NODE = frozenset({"id", "type", "position", "data", "parentId"})
_THIRD_NODE = frozenset({"id", "type", "label", "position", "config", "parentId"})
_EDGE = frozenset({"id", "source", "target", "sourceHandle", "targetHandle", "condition"})


class FlowCodec:
    """Nodes and edges as the web app's canvas has them."""

    name: FormatName = "flow"
    calls_by_name = False

    def recognises(self, document: JsonObject, *, is_wrapped: bool) -> int:
        """By its edges, by a list of flows, or by metadata and nodes that only flows have."""
        if isinstance(document.get("flows"), list):
            return 95
        nodes = document.get("nodes")
        if not isinstance(nodes, list):
            return 0
        if isinstance(document.get("edges"), list):
            return 90
        if "edges" in document or "connections" in document or "metadata" not in document:
            return 0
        kinds = [one.get("type") for one in nodes if isinstance(one, dict)]
        is_own = bool(kinds) and all(isinstance(kind, str) and kind in OWN_TYPES for kind in kinds)
        return 90 if is_own else 0

    def split(self, document: JsonObject, notes: Notes, *, is_sub: bool) -> Parts:
        """The first flow apart, and the others as its sub-flows."""
        flows = document.get("flows")
        placed = [(f"/flows/{at}", flow) for at, flow in enumerate(items(document, "flows", notes))]
        if is_sub or not isinstance(flows, list):
            words = [_meta_key(document)] if is_sub == (_meta_key(document) == METADATA) else []
            return _flow_parts(document, notes, placed, " ".join(words))
        first = next((at for at, (_, flow) in enumerate(placed) if isinstance(flow, dict)), None)
        if first is None:
            notes.missing("flows", "the flow has no nodes", "error")
            return Parts({}, [], [], placed, EXPORT)
        root, main = placed.pop(first)
        flow = main if isinstance(main, dict) else {}
        notes.at += root
        form = f"{EXPORT} {METADATA}" if _meta_key(flow) == METADATA else EXPORT
        return _flow_parts(flow, notes, placed, form, root)

    def join(self, pieces: Pieces, form: str, *, is_sub: bool) -> JsonObject:
        """One flow, or the list of an export."""
        header = pieces.header
        flow: JsonObject = {key: header[key] for key in (META, METADATA) if key in header}
        flow |= {"nodes": pieces.nodes, "edges": pieces.edges}
        flow |= unknown(header, {META, METADATA})
        if is_sub:
            return {**flow, "flows": pieces.subflows} if pieces.subflows else flow
        if EXPORT not in form.split():
            return flow
        flows: list[Json] = [flow, *pieces.subflows]
        return {"metadata": {"version": FIRST_VERSION, "flowCount": len(flows)}, "flows": flows}

    def form_for(self, workflow: Workflow, form: str) -> str:
        """A workflow with sub-flows needs the form of an export."""
        words = form.split()
        return " ".join([EXPORT, *words]) if workflow.subflows and EXPORT not in words else form

    def read_header(self, header: JsonObject, notes: Notes, *, is_sub: bool) -> Workflow:
        """The flow's metadata, under either of its names."""
        key = _meta_key(header)
        meta = mapping(header, key, notes, "warning")
        stands_at = notes.at
        if key in header:
            notes.at += f"/{key}"
        name = required_text(meta, "name", notes, "")
        if isinstance(meta.get("name"), str) and not name.strip():
            notes.missing("name", "the flow has no name of its own")
        workflow = Workflow(
            id=WorkflowId(identifier(meta, "id", notes) or name or "flow"),
            name=name,
            description=optional_text(meta, "description", notes),
            version=required_text(meta, "version", notes, FIRST_VERSION),
            created_at=optional_text(meta, _moment("created", key), notes),
            updated_at=optional_text(meta, _moment("updated", key), notes),
            metadata=unknown(meta, _META),
            extras=unknown(header, _PARTS | {key}),
        )
        notes.at = stands_at
        return workflow

    def write_header(self, workflow: Workflow, form: str, *, is_sub: bool) -> JsonObject:
        """The flow's metadata, under the name its form has."""
        words = form.split()
        usual = META if is_sub or EXPORT in words else METADATA
        key = next((word for word in words if word in {META, METADATA}), usual)
        # A flow is identified by its name; only the export has ids.
        needs_id = key == META or workflow.id != workflow.name
        meta = filled(
            id=workflow.id if needs_id else None,
            name=workflow.name,
            version=workflow.version,
            description=workflow.description,
        )
        moments = {"created": workflow.created_at, "updated": workflow.updated_at}
        meta |= filled(**{_moment(word, key): at for word, at in moments.items()})
        meta |= unknown(workflow.metadata, _META)
        return {key: meta, **unknown(workflow.extras, _PARTS | {META, METADATA})}

    def header_places(self, header: JsonObject) -> Mapping[str, str]:
        """The metadata has the header fields of the canonical document."""
        key = _meta_key(header)
        return {
            "/createdAt": f"/{key}/{_moment('created', key)}",
            "/updatedAt": f"/{key}/{_moment('updated', key)}",
            **{f"/{name}": f"/{key}/{name}" for name in ("id", "name", "description", "version")},
            "/metadata": f"/{key}",
            "/connections": "/edges",
        }

    def node_form(self, item: JsonObject) -> str:
        """The third form has `label` and `config` where the others have `data`."""
        words = [CONFIG] if "data" not in item else []
        data = item.get("config" if words else "data")
        has_label = isinstance(data, dict) and isinstance(data.get("label"), str)
        if not has_label and isinstance(item.get("label"), str):
            words.append(LABEL)
        return " ".join(words)

    def usual_node(self, item: JsonObject) -> Node | None:
        """Objects have too many forms here."""
        return None

    def read_node(self, item: JsonObject, notes: Notes) -> Node:
        """A node, its label as its name."""
        kind = text(item, "type", notes)
        if not kind:
            note_missing_type(notes)
        has_data = "data" in item
        data = mapping(item, "data" if has_data else "config", notes)
        name = data.get("label")
        if isinstance(name, str):
            data = unknown(data, {"label"})
        else:
            name = text(item, "label", notes)
        parent = optional_text(item, "parentId", notes)
        known = _NODE if has_data else _THIRD_NODE
        known = known | {"label"} if LABEL in self.node_form(item).split() else known
        return Node(
            NodeId(identifier(item, "id", notes)),
            kind,
            name,
            position(item, notes),
            _with_named_variables(data) if kind == "multi_input" else data,
            NodeId(parent) if parent else None,
            unknown(item, known) if not item.keys() <= known else {},
        )

    def write_node(self, node: Node, form: str) -> JsonObject:
        """Write a node in the format's key order, its name as its label."""
        words = form.split()
        data = _with_paired_variables(node.data) if node.type == "multi_input" else node.data
        written: JsonObject = {"id": node.id, "type": node.type}
        if LABEL in words:
            written["label"] = node.name
        elif node.name:
            data = {"label": node.name} | unknown(data, {"label"})
        if node.position is not None:
            written["position"] = drawn(node.position)
        if CONFIG not in words:
            written["data"] = data
        elif data:
            written["config"] = data
        if node.parent is not None:
            written["parentId"] = node.parent
        return written | unknown(node.extras, _NODE | _THIRD_NODE) if node.extras else written

    def node_places(self, item: JsonObject) -> Mapping[str, str]:
        """The name is a label; data may be called config, and values are next to their names."""
        words = self.node_form(item).split()
        inside = "/config" if CONFIG in words and "config" in item else "/data"
        names = {"/name": "/label" if LABEL in words else f"{inside}/label"}
        data = item.get(inside[1:])
        if item.get("type") == "multi_input" and isinstance(data, dict):
            for at, variable in enumerate(items(data, "variables", Notes())):
                if isinstance(variable, dict) and isinstance(key := variable.get("key"), str):
                    place = f"{inside}/variables/{at}"
                    names[f"/data/values{pointer(key)}"] = f"{place}/value"
        return names if inside == "/data" else {**names, "/data": inside}

    def edge_form(self, item: JsonObject, form: str, names: Mapping[str, str]) -> str:
        """Whether the edge's kind is in the usual place for its document."""
        is_usual = EXPORT in form.split()
        if _connection_type(item) is not None:
            return "" if is_usual else BY_DATA
        return BY_TYPE if is_usual and isinstance(item.get("type"), str) else ""

    def usual_edge(self, item: JsonObject) -> Edge | None:
        """Objects have too many forms here."""
        return None

    def read_edge(self, item: JsonObject, names: Mapping[str, str], notes: Notes) -> Edge:
        """Read an edge; its kind is in its data or is its type."""
        source, target = identifier(item, "source", notes), identifier(item, "target", notes)
        if not (source and target):
            note_missing_ends(notes, {"source": source, "target": target})
        kind = _connection_type(item)
        if kind is None:
            kind = optional_text(item, "type", notes)
            if kind in FLOW_KINDS and not item.get("id"):
                notes.missing("id", "the edge is named by its ends")
            extras = unknown(item, _EDGE | {"type"})
        else:
            extras = unknown(item, _EDGE | {"data"})
            if rest := unknown(mapping(item, "data", notes), {"connectionType"}):
                extras["data"] = rest
        return Edge(
            EdgeId(identifier(item, "id", notes)),
            NodeId(source),
            NodeId(target),
            output_port(optional_text(item, "sourceHandle", notes)),
            input_port(optional_text(item, "targetHandle", notes)),
            kind,
            optional_text(item, "condition", notes),
            extras,
        )

    def write_edge(self, edge: Edge, form: str, called: Mapping[str, str]) -> JsonObject:
        """Write an edge in the format's key order."""
        words = form.split()
        by_data = BY_DATA in words or (EXPORT in words and BY_TYPE not in words)
        written = filled(
            id=edge.id,
            source=edge.source,
            target=edge.target,
            sourceHandle=None if edge.source_port == OUTPUT_PORT else edge.source_port,
            targetHandle=None if edge.target_port == INPUT_PORT else edge.target_port,
            type=None if by_data else edge.kind,
        )
        if by_data and edge.kind is not None:
            rest = edge.extras.get("data")
            written["data"] = {"connectionType": edge.kind}
            if isinstance(rest, dict):
                written["data"] |= rest
        if edge.condition is not None:
            written["condition"] = edge.condition
        return written | unknown(edge.extras, {*_EDGE, *written}) if edge.extras else written

    def edge_places(self, item: JsonObject) -> Mapping[str, str]:
        """Ends, ports and kind have names of their own."""
        return _ENDS if _connection_type(item) is None else _ENDS_BY_DATA


def _flow_parts(
    flow: JsonObject, notes: Notes, subflows: list[tuple[str, Json]], form: str, root: str = ""
) -> Parts:
    if "nodes" not in flow:
        notes.missing("nodes", "the flow has no nodes", "error")
    if "edges" not in flow:
        notes.missing("edges", "no node is connected")
    nodes, edges = (
        [(f"{root}/{key}/{at}", item) for at, item in enumerate(items(flow, key, notes))]
        for key in ("nodes", "edges")
    )
    return Parts(unknown(flow, _PARTS), nodes, edges, subflows, form, root)


def _meta_key(flow: JsonObject) -> str:
    return META if isinstance(flow.get(META), dict) else METADATA


def _moment(word: str, key: str) -> str:
    return f"{word}_at" if key == META else word


def _connection_type(edge: JsonObject) -> str | None:
    data = edge.get("data")
    kind = data.get("connectionType") if isinstance(data, dict) else None
    return kind if isinstance(kind, str) else None


def _with_named_variables(data: JsonObject) -> JsonObject:
    """`variables: [{key, value}]` as names and their values."""
    variables = data.get("variables")
    if not isinstance(variables, list) or not any(isinstance(one, dict) for one in variables):
        return data
    names: list[Json] = []
    values: JsonObject = {}
    for variable in variables:
        name = variable.get("key") if isinstance(variable, dict) else variable
        if not isinstance(name, str):
            return data
        names.append(name)
        if isinstance(variable, dict) and "value" in variable:
            values[name] = variable["value"]
    named: JsonObject = {**data, "variables": names}
    return {**named, "values": values} if values else named


def _with_paired_variables(data: JsonObject) -> JsonObject:
    """Names with values as `{key, value}`, where every value has its name."""
    names, values = data.get("variables"), data.get("values")
    if not isinstance(names, list) or not isinstance(values, dict) or not values:
        return data
    pairs: list[Json] = []
    for name in names:
        if not isinstance(name, str):
            return data
        pairs.append({"key": name} | ({"value": values[name]} if name in values else {}))
    if not values.keys() <= {name for name in names if isinstance(name, str)}:
        return data
    return {**unknown(data, {"values"}), "variables": pairs}


format = Lossless(FlowCodec())
