"""Documents in which nothing is foreign: canonical, as the studio and most authors write them.

One scan decides it, so that the scans for other systems' forms and for the dialect are left out.
It may say no to a document that is plain, never yes to one in which those scans find something;
`tests/workflow/formats/test_plain_document.py` compares both.
"""

from toolweave.catalog.spec import NODE_TYPES
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.formats import mode_names
from toolweave.workflow.formats.foreign_nodes import hides_parts

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
_FLOWISE = "baseClasses"


def is_plain(document: Json) -> bool:
    """Whether a document is certainly a canonical one without any foreign form."""
    if not isinstance(document, dict) or not _HEADER.issuperset(document) or "id" not in document:
        return False
    nodes, edges = document.get("nodes"), document.get("connections")
    if not isinstance(nodes, list) or not isinstance(edges, list) or not nodes or not edges:
        return False
    for node in nodes:
        if not isinstance(node, dict) or list(node) != _NODE or not _is_plain_node(node):
            return False
    for edge in edges:
        if not isinstance(edge, dict) or list(edge) != _EDGE:
            return False
        if list(map(type, edge.values())) != _TEXTS:
            return False
    return True


def _is_plain_node(node: JsonObject) -> bool:
    kind, data = node["type"], node["data"]
    if not isinstance(kind, str) or not isinstance(data, dict):
        return False
    if kind == "mcp":
        is_whole = "configurations" not in data and "subtype" not in data
        return is_whole and _FLOWISE not in data and mode_names.is_canonical(data)
    if kind in _TYPES:
        return not hides_parts(node, data)
    return kind in _OTHERS and not data
