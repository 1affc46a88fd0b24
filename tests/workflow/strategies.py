"""Hypothesis strategies: workflow documents of every dialect, whole and broken, and workflows."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from toolweave.catalog.spec import NODE_TYPES
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.model import Edge, EdgeId, Node, NodeId, Position, Workflow, WorkflowId

Documents = st.SearchStrategy[Json]
Objects = st.SearchStrategy[JsonObject]
Texts = st.SearchStrategy[str]


# Any: JSON by construction, in types narrower than a dictionary may be taken for.
def _as_objects(strategy: st.SearchStrategy[Any]) -> Objects:
    return strategy


# Words with a meaning somewhere, so that arbitrary JSON meets the readers where it hurts.
WORDS = (
    *("id", "name", "type", "data", "position", "x", "y", "parentId", "label", "config"),
    *("nodes", "connections", "edges", "flows", "workflow", "meta", "metadata", "subAgentFlows"),
    *("from", "to", "fromPort", "toPort", "source", "target", "kind", "condition", "version"),
    *("from_node", "to_node", "output_key", "from_port", "to_port", "node", "index", "triggers"),
    *("connection_types", "main", "subtype", "configurations", "parameters", "input_params"),
    *("x-toolweave", "spelling", "exact", "at", "order", "was", "as", "form", "wrapper"),
    *("dialect",),
    *("toolweave", "ccwf", "flow", "agent-team", "export", "map", "mcp", "mode", "multi_input"),
    *("variables", "values", "key", "value", "connectionType", "subworkflows", "0", "1", ""),
    *("/name", "/data/label", "/nodes/0", "/id", "schemaVersion", "aiParameterConfig", "group"),
)
TEXT = st.sampled_from(WORDS) | st.text(max_size=8)
SCALARS: Documents = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False, width=32)
    | TEXT
)


def _containers(inner: Documents) -> Documents:
    return st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=5)


JSON: Documents = st.recursive(SCALARS, _containers, max_leaves=20)
# Drawn often, so drawn from a table: what data and unknown fields may hold.
_SOME: tuple[Json, ...] = (
    *(None, True, False, 0, 1, 1.0, -2.5, 2**53, "", "Start", "output", "detailed", "Ω\u202e"),
    *([], {}, [1, "a"], [[], {}], {"label": "L"}, {"b": 1, "a": 2}, {"a": {"b": [True, 1]}}),
    *({"key": "k"}, {"x": 1}, {"connectionType": "chain"}, {"subtype": "IF"}, {"mode": "detailed"}),
)
_KEYS = ("label", "note", "prompt", "subtype", "data", "id", "type", "values", "x-toolweave", "to")
SMALL: Documents = st.sampled_from(_SOME)
SMALL_OBJECTS: Objects = st.dictionaries(st.sampled_from(_KEYS), SMALL, max_size=3)
UNKNOWN: Objects = st.dictionaries(
    st.sampled_from(("note", "style", "zIndex", "Ω")), SMALL, max_size=2
).map(lambda found: dict[str, Json](found.items()))

IDS: Texts = st.sampled_from(("a", "b", "c", "d", "start", "node-1", "node-2"))
NAMES = st.sampled_from(("", "Start", "Ask", "Look up", "End", "a")) | st.text(max_size=6)
PORTS: Texts = st.sampled_from(
    ("output", "out", "input", "in", "true", "branch-0", "result", "main")
)
POSITIONS: Objects = st.fixed_dictionaries(
    {"x": st.integers(-9, 9) | st.floats(-9, 9), "y": st.integers(-9, 9)}
)
MOMENTS: Texts = st.sampled_from(("2025-11-15T10:00:00Z", "2026-01-02T03:04:05.000Z"))


def _objects(
    required: dict[str, Documents], optional: dict[str, Documents] | None = None
) -> Objects:
    """Objects with these fields in any order, and perhaps some that nobody knows."""
    known = st.fixed_dictionaries(required, optional=optional or {})
    return st.builds(_arranged, known, UNKNOWN, st.integers(0, 3))


def _arranged(known: JsonObject, unknown: JsonObject, turn: int) -> JsonObject:
    """The fields in the usual order, most often, or in another."""
    pairs = list((known | unknown).items())
    pairs = [*pairs[turn:], *pairs[:turn]] if turn < 3 else pairs[::-1]
    return dict(pairs)


def _listed(items: Objects) -> Documents:
    return st.lists(items, max_size=3).map(lambda found: list[Json](found))


MCP_DATA: Objects = _as_objects(
    st.fixed_dictionaries(
        {"serverId": TEXT, "parameterValues": SMALL_OBJECTS},
        optional={
            "mode": st.sampled_from(
                ("detailed", "naturalLanguageParam", "manualParameterConfig", "aiToolSelection")
            ),
            "aiParameterConfig": SMALL_OBJECTS,
            "naturalLanguageParamConfig": SMALL_OBJECTS,
            "aiToolSelectionConfig": SMALL_OBJECTS,
            "preservedManualParameterConfig": SMALL_OBJECTS,
        },
    )
)
DRAWN_NODES: Objects = st.one_of(
    _objects(
        {"id": IDS, "type": st.just("mcp"), "data": MCP_DATA},
        {"name": NAMES, "position": POSITIONS},
    ),
    _objects(
        {"id": IDS, "type": st.sampled_from(("start", "prompt", "ifElse", "group", "FLOW"))},
        {"name": NAMES, "position": POSITIONS, "data": SMALL_OBJECTS, "parentId": IDS},
    ),
)
CONNECTIONS: Objects = _objects(
    {"from": IDS, "to": IDS},
    {"id": IDS, "fromPort": PORTS, "toPort": PORTS, "condition": TEXT, "kind": TEXT},
)


def _drawn(sub: Objects | None) -> Objects:
    flows: dict[str, Documents] = {} if sub is None else {"subAgentFlows": _listed(sub)}
    return _objects(
        {"name": NAMES, "nodes": _listed(DRAWN_NODES), "connections": _listed(CONNECTIONS)},
        {
            "id": IDS,
            "description": TEXT,
            "version": TEXT,
            "schemaVersion": TEXT,
            "createdAt": MOMENTS,
            "updatedAt": MOMENTS,
            "metadata": SMALL_OBJECTS,
            "slashCommandOptions": SMALL_OBJECTS,
            **flows,
        },
    )


TOOLWEAVE: Documents = _drawn(_drawn(None)).map(lambda found: found)
CCWF: Documents = TOOLWEAVE | _objects({"meta": SMALL_OBJECTS, "workflow": TOOLWEAVE}).map(
    lambda found: found
)

FLOW_DATA: Objects = st.fixed_dictionaries(
    {},
    optional={
        "label": NAMES,
        "template": TEXT,
        "variables": st.lists(
            TEXT | st.fixed_dictionaries({"key": TEXT}, optional={"value": SMALL}), max_size=3
        ).map(lambda found: list[Json](found)),
        "values": SMALL_OBJECTS,
    },
)
FLOW_TYPES: Texts = st.sampled_from(("template", "multi_input", "result", "input", "flow-link"))
FLOW_NODES: Objects = st.one_of(
    _objects({"id": IDS, "type": FLOW_TYPES, "data": FLOW_DATA}, {"position": POSITIONS}),
    _objects({"id": IDS, "type": FLOW_TYPES}, {"label": NAMES, "config": FLOW_DATA}),
)
FLOW_EDGES: Objects = _objects(
    {"source": IDS, "target": IDS},
    {
        "id": IDS,
        "type": st.sampled_from(("data", "chain", "smoothstep")),
        "data": _as_objects(
            st.fixed_dictionaries(
                {}, optional={"connectionType": st.sampled_from(("chain", "result")), "w": SMALL}
            )
        ),
        "condition": TEXT,
        "sourceHandle": PORTS | st.none(),
        "targetHandle": PORTS,
    },
)
META: Objects = st.fixed_dictionaries(
    {"name": NAMES, "version": TEXT},
    optional={
        "id": IDS,
        "description": TEXT,
        "created": MOMENTS,
        "created_at": MOMENTS,
        "k": SMALL,
    },
)
FLOWS: Objects = st.one_of(
    [
        _objects({key: META, "nodes": _listed(FLOW_NODES), "edges": _listed(FLOW_EDGES)})
        for key in ("metadata", "meta")
    ]
)
EXPORTS: Objects = _objects({"metadata": SMALL_OBJECTS, "flows": _listed(FLOWS)})
FLOW: Documents = st.one_of(FLOWS, EXPORTS).map(lambda found: found)

CATALOG_TYPES: Texts = st.sampled_from(
    (*NODE_TYPES, "TRIGGER_NODE", "flow", "ai_agent", "mcp", "FOO")
)
SUBTYPES: Texts = st.sampled_from(
    ("MANUAL", "TRIGGER_MANUAL", "if", "http_request", "MCP:time/now")
)
CATALOG_NODES: Objects = _objects(
    {"id": IDS, "name": NAMES, "type": CATALOG_TYPES},
    {
        "subtype": SUBTYPES,
        "configurations": SMALL_OBJECTS,
        "parameters": SMALL_OBJECTS,
        "input_params": SMALL_OBJECTS,
        "output_params": SMALL_OBJECTS,
        "attached_nodes": SMALL,
        "description": TEXT,
        "position": POSITIONS,
    },
)
LISTED: Documents = _listed(
    st.one_of(
        _objects(
            {"from_node": IDS, "to_node": IDS},
            {"id": IDS, "output_key": PORTS, "conversion_function": TEXT},
        ),
        _objects({"from_node": IDS, "to_node": IDS, "from_port": PORTS, "to_port": PORTS}),
        _objects({"from": IDS, "to": IDS, "from_port": PORTS}),
        _objects(
            {
                end: _as_objects(st.fixed_dictionaries({"node_id": IDS}, optional={"port": PORTS}))
                for end in ("from", "to")
            }
        ),
    )
)
LEAVES: Documents = _listed(
    _objects(
        {"node": IDS | NAMES},
        {"type": st.sampled_from(("MAIN", "main", "AI_TOOL")), "index": st.integers(0, 2)},
    )
)
MAPS: Objects = _as_objects(
    st.dictionaries(
        IDS | NAMES,
        st.fixed_dictionaries(
            {
                "connection_types": st.dictionaries(
                    PORTS, st.fixed_dictionaries({"connections": LEAVES})
                )
            }
        ),
        max_size=3,
    )
)
CATALOG_CONNECTIONS: Documents = st.one_of(
    LISTED,
    MAPS,
    _as_objects(MAPS.map(lambda found: {"connections": found})),
    _as_objects(st.dictionaries(IDS, LEAVES, max_size=3)),
)
AGENT_TEAM: Documents = st.one_of(
    _objects(
        {
            "metadata": META,
            "nodes": _listed(CATALOG_NODES),
            "connections": CATALOG_CONNECTIONS,
            "triggers": st.lists(IDS, max_size=2).map(lambda found: list[Json](found)),
        }
    ),
    _objects(
        {"name": NAMES, "nodes": _listed(CATALOG_NODES), "connections": CATALOG_CONNECTIONS},
        {"id": IDS, "created_at": st.integers(0, 9) | MOMENTS, "settings": SMALL_OBJECTS},
    ),
).map(lambda found: found)

WHOLE: dict[FormatName, Documents] = {
    "toolweave": TOOLWEAVE,
    "ccwf": CCWF,
    "flow": FLOW,
    "agent-team": AGENT_TEAM,
}


def documents(dialect: FormatName) -> Documents:
    """Documents of a dialect in all its forms, some with one place spoilt."""
    return WHOLE[dialect] | st.tuples(WHOLE[dialect], st.lists(TEXT, max_size=6), JSON).map(
        lambda parts: _spoilt(parts[0], parts[1], parts[2])
    )


def _spoilt(document: Json, path: list[str], value: Json) -> Json:
    """`document` with another value at the place the path leads to, as far as it does."""
    if not path or not isinstance(document, dict | list) or not document:
        return value
    step, rest = path[0], path[1:]
    if isinstance(document, list):
        at = len(step) % len(document)
        return [*document[:at], _spoilt(document[at], rest, value), *document[at + 1 :]]
    keys = list(document)
    key = step if step in document or len(step) > 6 else keys[len(step) % len(keys)]
    return {**document, key: _spoilt(document.get(key), rest, value)}


def _maybe(strategy: st.SearchStrategy[str]) -> st.SearchStrategy[str | None]:
    return st.none() | strategy


_PLACES = st.none() | st.builds(Position, st.integers(-9, 9), st.floats(-9, 9))
_TYPES = st.sampled_from(("start", "mcp", "prompt", "multi_input", "result", "FLOW", "group"))
NODES: st.SearchStrategy[Node] = st.builds(
    Node,
    id=IDS.map(NodeId),
    type=_TYPES | st.text(min_size=1, max_size=5),
    name=NAMES,
    position=_PLACES,
    data=SMALL_OBJECTS | MCP_DATA | FLOW_DATA,
    parent=st.none() | IDS.map(NodeId),
    extras=SMALL_OBJECTS,
)
EDGES: st.SearchStrategy[Edge] = st.builds(
    Edge,
    id=IDS.map(EdgeId),
    source=IDS.map(NodeId),
    target=IDS.map(NodeId),
    source_port=PORTS,
    target_port=PORTS,
    kind=_maybe(TEXT),
    condition=_maybe(TEXT),
    extras=SMALL_OBJECTS,
)


def _workflows(
    subflows: Callable[[], st.SearchStrategy[tuple[Workflow, ...]]],
) -> st.SearchStrategy[Workflow]:
    return st.builds(
        Workflow,
        id=IDS.map(WorkflowId),
        name=NAMES,
        nodes=st.lists(NODES, max_size=3).map(tuple),
        edges=st.lists(EDGES, max_size=3).map(tuple),
        description=_maybe(TEXT),
        version=TEXT,
        schema_version=TEXT,
        created_at=_maybe(MOMENTS),
        updated_at=_maybe(MOMENTS),
        metadata=SMALL_OBJECTS,
        subflows=subflows(),
        extras=SMALL_OBJECTS,
    )


# Workflows as a program might build them: any data, any extras, ids that repeat.
WORKFLOWS: st.SearchStrategy[Workflow] = _workflows(
    lambda: st.lists(_workflows(lambda: st.just(())), max_size=1).map(tuple)
)
