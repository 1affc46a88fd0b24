"""Documents in which nothing is foreign: canonical, as the studio and most authors write them.

One scan decides it, so that the scans for other systems' forms and for the dialect are left out.
It may say no to a document that is plain, never yes to one in which those scans find something;
`tests/workflow/formats/test_plain_document.py` compares both.
"""

from collections.abc import Iterator

from toolweave.catalog.spec import NODE_TYPES
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.formats import mode_names
from toolweave.workflow.formats.foreign_nodes import has_hidden_parts
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.toolweave import CODEC
from toolweave.workflow.formats.toolweave import format as canonical
from toolweave.workflow.model import Edge, Node

_PORTION = 128
_HEADER = frozenset(
    {"id", "name", "description", "version", "schemaVersion", "nodes", "connections"}
    | {"createdAt", "updatedAt", "metadata", "inputSchema"}
)
_NODE = ["id", "type", "name", "position", "data"]
_EDGE = ["id", "from", "to", "fromPort", "toPort"]
_TEXTS = [str] * len(_EDGE)
_TYPES = frozenset(NODE_TYPES)
# Types beside those of the catalog that no other dialect has for itself.
_OTHERS = frozenset({"start", "end"})
# What no MCP node has: the parts of catalog nodes, and the mark of Flowise.
_OF_OTHERS = frozenset({"configurations", "subtype", "baseClasses"})


def is_plain(document: Json) -> bool:
    """Whether a document is certainly a canonical one without any foreign form."""
    parts = _parts(document)
    if parts is None:
        return False
    for node in parts[0]:
        if not isinstance(node, dict) or list(node) != _NODE or not _is_plain(node):
            return False
    for edge in parts[1]:
        if not isinstance(edge, dict) or list(edge) != _EDGE:
            return False
        if list(map(type, edge.values())) != _TEXTS:
            return False
    return True


def read_plain(document: Json) -> LoadedWorkflow | None:
    """Read a plain document in the same scan; None unless it is written as we would write it."""
    parts = _parts(document)
    if parts is None or not isinstance(document, dict):
        return None
    nodes: list[Node] = []
    for items in _portions(parts[0]):
        some_nodes = CODEC.usual_nodes(items)
        if some_nodes is None or not all(_is_plain_node(one.type, one.data) for one in some_nodes):
            return None
        nodes += some_nodes
    edges: list[Edge] = []
    for items in _portions(parts[1]):
        some_edges = CODEC.usual_edges(items)
        if some_edges is None:
            return None
        edges += some_edges
    found = tuple(nodes), tuple(edges)
    usual = CODEC.usual_workflow(document, *found)
    return canonical.read_around(document, *found) if usual is None else canonical.as_read(usual)


def _portions(items: list[Json]) -> Iterator[list[Json]]:
    """Yield the items by so many that several passes find them in the caches of the processor."""
    yield from (items[at : at + _PORTION] for at in range(0, len(items), _PORTION))


def _parts(document: Json) -> tuple[list[Json], list[Json]] | None:
    """The nodes and connections of a document with a plain header."""
    if not isinstance(document, dict) or not _HEADER.issuperset(document) or "id" not in document:
        return None
    nodes, edges = document.get("nodes"), document.get("connections")
    if not isinstance(nodes, list) or not isinstance(edges, list) or not nodes or not edges:
        return None
    return nodes, edges


def _is_plain(node: JsonObject) -> bool:
    kind, data = node.get("type"), node.get("data")
    if not isinstance(kind, str) or not isinstance(data, dict):
        return False
    if kind == "mcp" and not mode_names.is_canonical(data):
        return False
    return _is_plain_node(kind, data)


def _is_plain_node(kind: str, data: JsonObject) -> bool:
    """Whether nothing in a node is foreign; the names in an MCP node are canonical."""
    if kind == "mcp":
        return _OF_OTHERS.isdisjoint(data)
    if kind in _TYPES:
        return not has_hidden_parts(kind, data)
    return kind in _OTHERS and not data
