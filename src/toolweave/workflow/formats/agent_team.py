"""The agent-team dialect: current and older JSON, and YAML.

`configurations`, `input_params`, `output_params`, `attached_nodes` and `description` of a node are
`data.configurations`, `data.inputParams`, `data.outputParams`, `data.attachedNodes` and
`data.description`. Templates (`{{$json.path}}`), conditions and Python conversion functions stay
as they are written: `formats/legacy` translates, nothing here runs them.
"""

from collections.abc import Mapping
from itertools import takewhile

from toolweave.catalog.spec import NODE_TYPES
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import pointer
from toolweave.workflow.formats.agent_team_connections import (
    end_places,
    form_of,
    joined,
    read_ends,
    shape_of,
    taken_apart,
    write_ends,
)
from toolweave.workflow.formats.codec import Parts, Pieces
from toolweave.workflow.formats.fields import (
    Notes,
    drawn,
    filled,
    identifier,
    items,
    mapping,
    optional_text,
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
from toolweave.workflow.model import Edge, EdgeId, Node, NodeId, Workflow, WorkflowId

# Markers of a form: header fields next to the nodes, and a node's older settings name.
FLAT = "flat"
PARAMETERS = "parameters"
SUBFLOWS = "subworkflows"

# Fields of a catalog node -> their canonical names in `data`.
DATA = {
    "description": "description",
    "subtype": "subtype",
    "configurations": "configurations",
    "input_params": "inputParams",
    "output_params": "outputParams",
    "attached_nodes": "attachedNodes",
}
_MOMENTS = ("created_at", "updated_at")
_META = ("id", "name", "description", "version", *_MOMENTS)
_BEFORE = (*_META, "metadata")
_PARTS = frozenset({"nodes", "connections", SUBFLOWS})
_NODE = frozenset({"id", "name", "type", "position", "parentId"})
_ENDS = frozenset({"from_node", "to_node", "from_port", "to_port"})
_FLAT_NAMES = {"/createdAt": "/created_at", "/updatedAt": "/updated_at"}
_META_NAMES = {
    "/createdAt": "/metadata/created_at",
    "/updatedAt": "/metadata/updated_at",
    **{f"/{name}": f"/metadata/{name}" for name in ("id", "name", "description", "version")},
}
_CATALOG_NAMES = {f"/data/{ours}": f"/{theirs}" for theirs, ours in DATA.items()}
_PLAIN_NAME = pattern(r"[A-Za-z0-9_ -]+")


class AgentTeamCodec:
    """Nodes with configurations and input parameters, connections by output key."""

    name: FormatName = "agent-team"
    calls_by_name = True

    def recognises(self, document: JsonObject, *, is_wrapped: bool) -> int:
        """Recognised by its connections, or by nodes with a subtype."""
        nodes, edges = document.get("nodes"), document.get("connections")
        if not isinstance(nodes, list) or "edges" in document:
            return 0
        if isinstance(edges, list) and any(_is_connection(edge) for edge in edges):
            return 95
        if any(isinstance(node, dict) and "subtype" in node for node in nodes):
            return 85
        if isinstance(edges, dict) or "triggers" in document:
            return 75
        is_flat = _is_flat(document) or "id" in document or "name" in document
        return 0 if is_flat else 70

    def split(self, document: JsonObject, notes: Notes, *, is_sub: bool) -> Parts:
        """Nodes and connections apart; older maps of connections become a list."""
        if "nodes" not in document:
            notes.missing("nodes", "the workflow has no nodes", "error")
        connections = document.get("connections")
        shape = shape_of(connections)
        if connections is None or shape:
            edges = taken_apart(connections, shape)
        else:
            listed = items(document, "connections", notes)
            edges = [(pointer(at), edge) for at, edge in enumerate(listed)]
        nodes, subflows = (
            [(f"/{key}/{at}", item) for at, item in enumerate(items(document, key, notes))]
            for key in ("nodes", SUBFLOWS)
        )
        words = [word for word in (FLAT if _is_flat(document) else "", shape) if word]
        return Parts(
            unknown(document, _PARTS),
            nodes,
            [(f"/connections{place}", edge) for place, edge in edges],
            subflows,
            " ".join(words),
        )

    def join(self, pieces: Pieces, form: str, *, is_sub: bool) -> JsonObject:
        """The document, its connections in the shape of its form."""
        header = pieces.header
        # Only those that come first: the order of the others is the file's own.
        before = list(takewhile(_BEFORE.__contains__, header))
        document: JsonObject = {key: header[key] for key in before}
        document |= {"nodes": pieces.nodes, "connections": joined(pieces.edges, form)}
        if pieces.subflows:
            document[SUBFLOWS] = pieces.subflows
        return document | unknown(header, before)

    def form_for(self, workflow: Workflow, form: str) -> str:
        """Every form can hold every workflow."""
        return form

    def read_header(self, header: JsonObject, notes: Notes, *, is_sub: bool) -> Workflow:
        """The metadata, or the same fields beside the nodes."""
        is_flat = _is_flat(header)
        metadata = mapping(header, "metadata", notes, "warning")
        stands_at = notes.at
        if not is_flat:
            notes.at += "/metadata"
        meta = header if is_flat else metadata
        # Times are numbers in some files: those are kept unchanged.
        known = {key for key in _META if key not in _MOMENTS or isinstance(meta.get(key), str)}
        name = required_text(meta, "name", notes, "")
        workflow = Workflow(
            id=WorkflowId(identifier(meta, "id", notes) or name or "workflow"),
            name=name,
            description=optional_text(meta, "description", notes),
            version=_version(meta, notes),
            created_at=optional_text(meta, "created_at", Notes()),
            updated_at=optional_text(meta, "updated_at", Notes()),
            metadata=metadata if is_flat else unknown(metadata, known),
            extras=unknown(header, {*_PARTS, "metadata", *(known if is_flat else ())}),
        )
        notes.at = stands_at
        return workflow

    def write_header(self, workflow: Workflow, form: str, *, is_sub: bool) -> JsonObject:
        """The metadata, or the same fields beside the nodes."""
        meta = filled(
            id=workflow.id,
            name=workflow.name,
            description=workflow.description,
            version=workflow.version,
            created_at=workflow.created_at,
            updated_at=workflow.updated_at,
        )
        if FLAT in form.split():
            meta |= {"metadata": workflow.metadata} if workflow.metadata else {}
            return meta | unknown(workflow.extras, _PARTS | {*meta, "id", "name", "metadata"})
        meta |= unknown(workflow.metadata, {*meta, "id", "name", "description", "version"})
        return {"metadata": meta, **unknown(workflow.extras, _PARTS | {"metadata"})}

    def header_places(self, header: JsonObject) -> Mapping[str, str]:
        """The fields next to the nodes, or in the metadata."""
        return _FLAT_NAMES if _is_flat(header) else _META_NAMES

    def node_form(self, item: JsonObject) -> str:
        """Older files use `parameters`."""
        return PARAMETERS if "parameters" in item and "configurations" not in item else ""

    def usual_node(self, item: JsonObject) -> Node | None:
        """Objects have too many forms here."""
        return None

    def read_node(self, item: JsonObject, notes: Notes) -> Node:
        """Read a node; the fields of a catalog node are its data."""
        kind = _node_type(item, notes)
        settings = PARAMETERS if self.node_form(item) else "configurations"
        is_catalog = kind in NODE_TYPES or "subtype" in item
        if is_catalog:
            known = _NODE | {settings if key == "configurations" else key for key in DATA}
            data = _catalog_data(item, kind, settings, notes)
        else:
            known = _NODE | {settings}
            data = mapping(item, settings, notes)
        parent = optional_text(item, "parentId", notes)
        return Node(
            NodeId(identifier(item, "id", notes)),
            kind,
            text(item, "name", notes),
            position(item, notes),
            data,
            NodeId(parent) if parent else None,
            unknown(item, known) if not item.keys() <= known else {},
        )

    def write_node(self, node: Node, form: str) -> JsonObject:
        """Write a node in the dialect's key order."""
        settings = PARAMETERS if PARAMETERS in form.split() else "configurations"
        written: JsonObject = {"id": node.id, "name": node.name}
        if node.type in NODE_TYPES or "subtype" in node.data:
            data = {
                settings if theirs == "configurations" else theirs: node.data[ours]
                for theirs, ours in DATA.items()
                if ours in node.data
            }
        else:
            data = {settings: node.data}
        if "description" in data:
            written["description"] = data.pop("description")
        attached = {key: data.pop(key) for key in ("attached_nodes",) if key in data}
        written |= {"type": node.type} | data
        if node.position is not None:
            written["position"] = drawn(node.position)
        written |= attached
        if node.parent is not None:
            written["parentId"] = node.parent
        return written | unknown(node.extras, {*written, *_NODE}) if node.extras else written

    def node_places(self, item: JsonObject) -> Mapping[str, str]:
        """A catalog node has its data in the node itself; other nodes in their settings."""
        settings = PARAMETERS if self.node_form(item) else "configurations"
        kind = item.get("type")
        if "subtype" in item or (isinstance(kind, str) and _plain(kind) in NODE_TYPES):
            return _CATALOG_NAMES | {"/data/configurations": f"/{settings}"}
        return {"/data": f"/{settings}"}

    def edge_form(self, item: JsonObject, form: str, names: Mapping[str, str]) -> str:
        """Return the form of a connection."""
        return form_of(item, form, names)

    def usual_edge(self, item: JsonObject) -> Edge | None:
        """Objects have too many forms here."""
        return None

    def read_edge(self, item: JsonObject, names: Mapping[str, str], notes: Notes) -> Edge:
        """Read a connection; its conversion function is kept and never run."""
        ends = read_ends(item, names, notes)
        if not (ends.source and ends.target):
            note_missing_ends(notes, {"from_node": ends.source, "to_node": ends.target})
        if isinstance(item.get("conversion_function"), str) and item["conversion_function"]:
            notes.add(
                "CONVERSION_NOT_RUN",
                ("conversion_function",),
                "the connection has a Python conversion, which is never run",
                hint="map the fields with expressions in the receiving node",
            )
        return Edge(
            EdgeId(identifier(item, "id", notes)),
            NodeId(ends.source),
            NodeId(ends.target),
            ends.source_port,
            ends.target_port,
            ends.kind,
            None,
            unknown(item, ends.used | {"id"}),
        )

    def write_edge(self, edge: Edge, form: str, called: Mapping[str, str]) -> JsonObject:
        """Write a connection in its form."""
        written = filled(id=edge.id) | write_ends(edge, form, called)
        return written | unknown(edge.extras, written) if edge.extras else written

    def edge_places(self, item: JsonObject) -> Mapping[str, str]:
        """Ends and ports by the names this connection has for them."""
        return end_places(item)


def _is_connection(edge: Json) -> bool:
    if not isinstance(edge, dict):
        return False
    return not _ENDS.isdisjoint(edge) or isinstance(edge.get("from"), dict)


def _is_flat(header: JsonObject) -> bool:
    metadata = header.get("metadata")
    return not isinstance(metadata, dict) or ("name" in header and "name" not in metadata)


def _version(meta: JsonObject, notes: Notes) -> str:
    version = meta.get("version")
    if isinstance(version, int | float) and not isinstance(version, bool):
        return str(version)
    return text(meta, "version", notes, FIRST_VERSION)


def _node_type(item: JsonObject, notes: Notes) -> str:
    raw = text(item, "type", notes)
    if not raw:
        note_missing_type(notes)
    name = _plain(raw)
    if name not in NODE_TYPES:
        return raw
    if name != raw:
        _note_correction(notes, "type", raw, name)
    return name


def _catalog_data(item: JsonObject, kind: str, settings: str, notes: Notes) -> JsonObject:
    data: JsonObject = {}
    for theirs, ours in DATA.items():
        key = settings if theirs == "configurations" else theirs
        if key in item:
            data[ours] = item[key]
    subtype = text(item, "subtype", notes)
    name = _plain(subtype).removeprefix(f"{kind}_")
    if kind in NODE_TYPES and name and name != subtype:
        _note_correction(notes, "subtype", subtype, name)
        data["subtype"] = name
    return data


def _plain(name: str) -> str:
    """`trigger-manual node` as `TRIGGER_MANUAL`; other names stay unchanged."""
    if not _PLAIN_NAME.fullmatch(name):
        return name
    return name.strip().upper().replace(" ", "_").replace("-", "_").removesuffix("_NODE")


def _note_correction(notes: Notes, key: str, raw: str, name: str) -> None:
    notes.add(
        "NODE_TYPE_CORRECTED",
        (key,),
        f"the {key} {raw!r} is read as {name!r}",
        hint=f"write {name!r}",
        patch=({"op": "replace", "path": f"{notes.at}/{key}", "value": name},),
    )


format = Lossless(AgentTeamCodec())
