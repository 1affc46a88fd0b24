"""Keys of nodes and edges by which other systems control a run; here they have no effect.

What they ask for is done in another way, which the hint says. A key that only repeats an edge is
removed by the fix; one that asks for a missing edge becomes this edge.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from toolweave.json_text import Json
from toolweave.problems import Problem, pointer
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.ordering_keys import is_ordering, with_edges
from toolweave.workflow.checks.ports import out_ports
from toolweave.workflow.formats.inner_nodes import holds_nodes
from toolweave.workflow.formats.toolweave import EDGE_KEYS
from toolweave.workflow.model import OUTPUT_PORT, Edge

_ERROR = "connect the port 'error' of the node to what is to happen then"
_CONDITION = "put FLOW.IF before it, and connect its port 'true'"
_RETRY = "nodes that support it have a setting for it; else connect the port 'error'"
_INSIDE = "list the nodes in 'nodes', and connect the port 'loop' or another port to the first"
_LOOP = "put FLOW.FOR_EACH before it, and connect its port 'loop'"
_OUTPUT = "a node is read by its id: {{ ID.FIELD }}"
# By name in small letters without signs.
_HINTS = {
    **dict.fromkeys(("onerror", "continueonfail", "continueonerror", "ignoreerrors"), _ERROR),
    **dict.fromkeys(("onfailure", "catch", "errorhandler", "fallback"), _ERROR),
    **dict.fromkeys(("if", "when", "condition", "runif", "only", "unless"), _CONDITION),
    **dict.fromkeys(("retry", "retries", "retryonfail", "maxtries", "maxretries"), _RETRY),
    **dict.fromkeys(
        ("disabled", "isdisabled", "enabled", "active"),
        "set 'enabled' to false in its configurations",
    ),
    **dict.fromkeys(("retrypolicy", "waitbetweentries"), _RETRY),
    **dict.fromkeys(("body", "children", "substeps", "subnodes", "loopbody", "do"), _INSIDE),
    **dict.fromkeys(("loop", "foreach", "repeat", "iterate", "iterateover", "withitems"), _LOOP),
    **dict.fromkeys(("register", "saveas", "outputvariable", "resultvariable"), _OUTPUT),
    **dict.fromkeys(("storein", "assignto", "resultname", "outputvar", "exportas"), _OUTPUT),
    **dict.fromkeys(
        ("credentials", "typeversion", "executeonce", "alwaysoutputdata"),
        "a setting of n8n; tokens are settings of the node here: ${vault:NAME}",
    ),
}
_PARTS = "settings of a node are in 'configurations', what it works on is in its inputs"
# Keys of catalog nodes for which the node has parts of another name.
_OF_NODES = {
    **dict.fromkeys(("inputs", "parameters", "params", "args", "arguments", "with"), _PARTS),
    **dict.fromkeys(("config", "settings", "options", "properties"), _PARTS),
    **dict.fromkeys(
        ("async", "parallel", "background", "concurrent"),
        "nodes without an edge between them run side by side",
    ),
    **dict.fromkeys(("outputs", "returns", "output"), _OUTPUT),
}
# Keys of models, which drawn nodes do not have.
_OF_MODELS: Mapping[str, str] = dict.fromkeys(
    ("temperature", "maxtokens", "topp", "systemprompt", "provider"),
    "the visual editor has no setting for it",
)
_OF_EDGES = {
    **dict.fromkeys(("delay", "wait", "sleep"), "put FLOW.DELAY between the two nodes"),
    **dict.fromkeys(
        ("mapping", "map", "transform", "fields", "payload"),
        "read the fields where they are used, or put ACTION.SET_FIELDS between the two nodes",
    ),
    **dict.fromkeys(("filter",), "put FLOW.FILTER or FLOW.IF between the two nodes"),
    **dict.fromkeys(("priority", "weight", "order"), "all edges of a port are taken"),
}
_INPUTS = "declare inputs in 'inputSchema', and read them as {{ trigger.NAME }}"
_ON_FAILURE = "connect the port 'error' of a node, or use TRIGGER.WORKFLOW_FAILED"
_OF_WORKFLOWS = {
    **dict.fromkeys(("variables", "vars", "env", "environment", "params", "inputs"), _INPUTS),
    **dict.fromkeys(("parameters", "globals", "context"), _INPUTS),
    **dict.fromkeys(("schedule", "cron", "interval"), "add a node TRIGGER.CRON"),
    **dict.fromkeys(("onerror", "errorworkflow", "errorhandler", "onfailure"), _ON_FAILURE),
    **dict.fromkeys(("timeout", "maxduration"), "set 'timeout' in the configurations of nodes"),
    **dict.fromkeys(("retry", "retries", "retrypolicy"), _RETRY),
    **dict.fromkeys(("secrets", "credentials"), "refer to the vault where one is needed"),
    **dict.fromkeys(
        ("settings", "config", "options", "concurrency", "parallelism", "enabled", "active"),
        "remove it, or use the settings of the nodes",
    ),
}
_DRAWN = frozenset({"subAgent", "codex", "prompt", "template", "skill"})
# Nearly all keys are these; none of them controls a run.
_USUAL = frozenset(
    {"subtype", "configurations", "inputParams", "outputParams", "attachedNodes", "description"}
    | {"label", "prompt", "variables", "template", "model", "tools", "outputPorts"}
)


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield keys that control nothing here."""
    for index, node in enumerate(case.workflow.nodes):
        # Nearly all nodes have nothing else, and files are large.
        if not node.extras and (node.type == "mcp" or _USUAL.issuperset(node.data)):
            continue
        place = f"/nodes/{index}"
        if any(map(_is_control, node.extras)):
            yield from _of_node(case, node.extras, place)
        if case.specs[index] is not None:
            if any(map(_is_control, node.data)):
                yield from _of_node(case, node.data, f"{place}/data")
            yield from _others(node.extras, _OF_NODES, place)
            yield from _others(node.data, _OF_NODES, f"{place}/data")
        elif node.type in _DRAWN:
            yield from _others(node.data, _OF_MODELS, f"{place}/data")
    if case.format in {"toolweave", "agent-team"} and not case.is_subflow:
        for key in case.workflow.extras:
            if (hint := _OF_WORKFLOWS.get(_plain(key))) is not None:
                yield _problem(pointer(key), key, "a workflow", hint)
    yield from _edges(case)


def _edges(case: CheckContext) -> Iterator[Problem]:
    for index, edge in case.said_edges:
        if edge.condition and case.format != "flow" and _is_catalog(case, edge.source):
            if (way := _way_out(case, edge, "condition", edge.condition)) is not None:
                yield _with_port(case, index, "condition", "/condition", way)
            else:
                place = case.at_edge(index, "condition")
                yield _problem(place, "condition", "an edge", _CONDITION)
        for key, value in edge.extras.items():
            if (way := _way_out(case, edge, key, value)) is not None:
                yield _with_port(case, index, key, _stored(key), way)
                continue
            plain = _plain(key)
            if (hint := _HINTS.get(plain) or _OF_EDGES.get(plain)) is not None:
                yield _problem(case.at_edge(index) + pointer(key), key, "an edge", hint)


def _stored(key: str) -> str:
    """Where the canonical document keeps an unknown key of an edge; it has a `condition` itself."""
    own = pointer("x-toolweave", "exact", "at", pointer("extras", key))
    return own if key in EDGE_KEYS else pointer(key)


def _with_port(case: CheckContext, index: int, key: str, stored: str, way: str) -> Problem:
    """The problem of a key of an edge that names its output port, which the fix makes it."""
    place = case.at_edge(index)
    patch = (
        {"op": "remove", "path": place + stored},
        {"op": "add", "path": case.at_edge(index, "fromPort"), "value": way},
    )
    found = _problem(place + pointer(key), key, "an edge", f"write {way!r} as its port")
    return replace(found, patch=patch)


def _way_out(case: CheckContext, edge: Edge, key: str, value: Json) -> str | None:
    """The output port that is named under another key of an edge that leaves by the usual one."""
    node = case.graph.nodes.get(edge.source)
    if node is None or edge.source_port != OUTPUT_PORT or not isinstance(value, str):
        return None
    known = out_ports(case, node) or ()
    is_name = key.casefold() in {"label", "name", "id", "type", "style"}
    return value if value in known and value != OUTPUT_PORT and not is_name else None


def _others(keys: dict[str, Json], hints: Mapping[str, str], place: str) -> Iterator[Problem]:
    for key in keys:
        if key not in _USUAL and (hint := hints.get(_plain(key))) is not None:
            yield _problem(place + pointer(key), key, "a node", hint)


def _is_catalog(case: CheckContext, node_id: str) -> bool:
    node = case.graph.nodes.get(node_id)  # pyright: ignore[reportArgumentType]
    return node is not None and case.spec(node) is not None


def _of_node(case: CheckContext, keys: dict[str, Json], place: str) -> Iterator[Problem]:
    for key, value in keys.items():
        if holds_nodes(key, value):
            continue  # an error of its own
        if (hint := _HINTS.get(_plain(key))) is not None:
            yield _problem(place + pointer(key), key, "a node", hint)
        elif is_ordering(key):
            at = place + pointer(key)
            yield with_edges(case, _problem(at, key, "a node", "nodes are joined by connections"))


@lru_cache(maxsize=4_096)  # nodes have the same keys again and again
def _is_control(key: str) -> bool:
    plain = _plain(key)
    return plain in _HINTS or is_ordering(key)


def _plain(key: str) -> str:
    return key.replace("_", "").replace("-", "").casefold()


def _problem(place: str, key: str, owner: str, hint: str) -> Problem:
    message = f"{key!r} of {owner} has no effect here"
    return Problem("CONTROL_KEY_UNKNOWN", place, message, hint=hint, severity="warning")
