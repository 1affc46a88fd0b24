"""Replaces selected nodes by one FLOW.SUBWORKFLOW node that runs them as a workflow of its own."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from toolweave.catalog.spec import Field
from toolweave.cel.paths import quoted
from toolweave.cel.tokens import is_name
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.checks.context import CheckContext, KnownEnvironment
from toolweave.workflow.checks.identity import Ids
from toolweave.workflow.extraction.crossings import Crossings, field_name, output_of, ports_of
from toolweave.workflow.extraction.selection import Selection, select
from toolweave.workflow.ids import slug
from toolweave.workflow.model import Edge, EdgeId, Node, NodeId, Position, Workflow, WorkflowId
from toolweave.workflow.modes import object_at
from toolweave.workflow.scope.reachability import NEVER_RUN
from toolweave.workflow.scope.scope import TABLE, Scope
from toolweave.workflow.studio_data import KEY

GAP = 320.0
_KINDS = {"float": {"fraction", "integer"}}


@dataclass(frozen=True, slots=True)
class ExtractedWorkflow:
    """The workflow that calls, the workflow that is called, and the node that calls it."""

    workflow: Workflow
    extracted: Workflow
    node: NodeId


def extract(
    workflow: Workflow, ids: Collection[str], name: str, known: KnownEnvironment
) -> ExtractedWorkflow:
    """Move nodes into a workflow of this name. Raises `EXTRACTION_IMPOSSIBLE` with the reason."""
    case = CheckContext(workflow, known)
    selection = select(case, ids)
    called = _called(selection, name)
    scope = Scope(workflow, case.spec, known.tools_of, graph=case.graph)
    crossings = Crossings(selection, called)
    moved = [
        _explicit(scope, case, selection.entering, crossings.moved(node))
        for node in selection.nodes
    ]
    kept = [
        _explicit(scope, case, selection.leaving, crossings.kept(node))
        for node in workflow.nodes
        if node.id not in selection.inside
    ]
    caller = _caller(selection, crossings, called, name)
    place = next(at for at, one in enumerate(workflow.nodes) if one.id in selection.inside)
    before = sum(one.id not in selection.inside for one in workflow.nodes[:place])
    changed = replace(
        workflow,
        nodes=(*kept[:before], caller, *kept[before:]),
        edges=tuple(_edges(selection, caller.id)),
        metadata=_without_pins(workflow.metadata, selection.inside),
    )
    return ExtractedWorkflow(changed, _extracted(selection, crossings, moved, name), caller.id)


def _called(selection: Selection, name: str) -> NodeId:
    """The id of the new node; that of the last node where a join names its value by id."""
    graph = selection.case.graph
    last = selection.last
    for edge in selection.leaving:
        target = graph.nodes[edge.target]
        if last is not None and len(graph.incoming(target.id)) > 1 and target.ref != "FLOW.MERGE":
            return last.id
    stem = slug(name).replace("-", "_")
    stem = stem if is_name(stem) and stem not in TABLE else f"call_{stem}"
    taken = set(graph.nodes)
    numbered = (f"{stem}_{number}" for number in range(2, len(taken) + 3))
    return NodeId(next(one for one in (stem, *numbered) if one not in taken))


def _caller(selection: Selection, crossings: Crossings, called: NodeId, name: str) -> Node:
    outermost = [one for one in selection.nodes if one.parent not in selection.inside]
    parents = {node.parent for node in outermost}
    placed = [node.position for node in outermost if node.position]
    position = None
    if placed:
        position = Position(
            round(sum(one.x for one in placed) / len(placed)),
            round(sum(one.y for one in placed) / len(placed)),
        )
    data: JsonObject = {
        "subtype": "SUBWORKFLOW",
        "configurations": {
            "workflow": name,
            "output": "data" if crossings.exported else "result",
            # Its nodes have their own retries.
            "retry_attempts": 0,
        },
        "inputParams": {"data": _inputs(selection, crossings)},
    }
    parent = parents.pop() if len(parents) == 1 else None
    return Node(called, "FLOW", name, position, data, parent)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A key of an object, its expression, and the one for when it may have no value."""

    key: str
    value: str
    optional: str | None = None


def _inputs(selection: Selection, crossings: Crossings) -> Json:
    if not crossings.has_inputs:
        return "{{ data }}"
    first = selection.first.id

    def entry(key: str, node: NodeId, value: str, optional: str) -> _Entry:
        is_sure = selection.always_runs(node, first, selection.starts)
        return _Entry(key, value, None if is_sure else optional)

    entries = [_Entry("data", "data")]
    for name, node in sorted(crossings.names.items()):
        if node is None:
            entries.append(_Entry(name, name))
        else:
            entries.append(entry(name, node, output_of(node), f"{ports_of(node, '?')}.?output"))
    entries += [
        _Entry(name, f"trigger.{name}", f"trigger.?{name}")
        for name in sorted(crossings.from_trigger - crossings.names.keys())
    ]
    by_port = [
        entry(node, node, ports_of(node), ports_of(node, "?")) for node in sorted(crossings.by_port)
    ]
    return _object(entries, by_port)


def _outputs(selection: Selection, crossings: Crossings) -> Json:
    last = selection.last
    assert last is not None
    entries = [_Entry("data", "data")]
    for node in sorted(crossings.exported):
        is_sure = node == last.id or selection.always_runs(node, last.id, [selection.first.id])
        optional = None if is_sure else f"{ports_of(node, '?')}.?output"
        entries.append(_Entry(field_name(node), output_of(node), optional))
    return _object(entries, [])


def _object(entries: Sequence[_Entry], nodes: Sequence[_Entry]) -> Json:
    """An object of templates; one expression where values may be missing."""
    if all(one.optional is None for one in (*entries, *nodes)):
        made: JsonObject = {one.key: f"{{{{ {one.value} }}}}" for one in entries}
        if nodes:
            made["nodes"] = {one.key: f"{{{{ {one.value} }}}}" for one in nodes}
        return made
    inner = [_Entry("nodes", f"{{{_cel(nodes)}}}")] if nodes else []
    return f"{{{{ {{{_cel((*entries, *inner))}}} }}}}"


def _cel(entries: Iterable[_Entry]) -> str:
    return ", ".join(
        f"{quoted(one.key)}: {one.value}"
        if one.optional is None
        else f"?{quoted(one.key)}: {one.optional}"
        for one in entries
    )


def _edges(selection: Selection, caller: NodeId) -> Iterable[Edge]:
    seen: set[tuple[str, str, str]] = set()
    for edge in selection.case.workflow.edges:
        source, target = edge.source in selection.inside, edge.target in selection.inside
        if source and target:
            continue
        if target:
            edge = replace(edge, target=caller, target_port="input")
        elif source:
            edge = replace(edge, source=caller, source_port="output")
        ends = (edge.source, edge.source_port, edge.target)
        if (source or target) and ends in seen:
            continue
        seen.add(ends)
        yield edge


def _extracted(
    selection: Selection, crossings: Crossings, moved: Sequence[Node], name: str
) -> Workflow:
    whole = selection.case.workflow
    ids = Ids(node.id for node in moved)
    groups = {node.id: node for node in whole.nodes}
    nodes = [_free(node, selection, groups) for node in moved]
    first = next(node for node in nodes if node.id == selection.first.id)
    start = _pill(ids.free("start"), "start", "Start", first.position, -GAP)
    if crossings.has_inputs:
        start = replace(start, data={**start.data, "output": "{{ trigger.data }}"})
    edges = [
        Edge(EdgeId(f"{start.id}-{first.id}"), start.id, first.id),
        *selection.within,
    ]
    ends: list[Node] = []
    if selection.last is not None:
        last = next(node for node in nodes if node.id == selection.last.id)
        end = _pill(ids.free("end"), "end", "End", last.position, GAP)
        if crossings.exported:
            end = replace(end, data={**end.data, "output": _outputs(selection, crossings)})
        ends = [end]
        edges.append(Edge(EdgeId(f"{last.id}-{end.id}"), last.id, end.id, selection.port))
    return Workflow(
        WorkflowId(slug(name)),
        name,
        (start, *nodes, *ends),
        tuple(edges),
        metadata=_only_pins(whole.metadata, selection.inside),
        subflows=whole.subflows,
    )


def _pill(identity: str, kind: str, title: str, beside: Position | None, by: float) -> Node:
    position = None if beside is None else Position(beside.x + by, beside.y)
    return Node(NodeId(identity), kind, title, position, {"label": title})


def _free(node: Node, selection: Selection, groups: dict[NodeId, Node]) -> Node:
    """A node without the group it leaves; positions in a group are relative to it."""
    if node.parent is None or node.parent in selection.inside:
        return node
    position, parent = node.position, groups.get(node.parent)
    passed: set[NodeId] = set()
    while parent is not None and parent.id not in passed:  # a group may be in itself
        passed.add(parent.id)
        if position is not None and parent.position is not None:
            position = Position(position.x + parent.position.x, position.y + parent.position.y)
        parent = groups.get(parent.parent) if parent.parent else None
    return replace(node, position=position, parent=None)


def _explicit(scope: Scope, case: CheckContext, edges: Sequence[Edge], node: Node) -> Node:
    """Write down the input that a node takes from the first field of its source's output.

    A run finds that field by the specification of the source, which is another node afterwards.
    """
    spec = case.spec(node)
    leading = [edge for edge in edges if edge.target == node.id]
    if spec is None or len(leading) != 1 or node.type in NEVER_RUN:
        return node
    source = case.spec(case.graph.nodes[leading[0].source])
    primary = _primary([given for given in spec.inputs if given.required])
    given = object_at(node.data, "inputParams")
    if primary is None or primary.type == "any" or source is None or not source.outputs:
        return node
    shape, first = scope.incoming(node.id), source.outputs[0].name
    fits = shape.is_unknown or bool(shape.kinds & _KINDS.get(primary.type, {primary.type}))
    if given.get(primary.name) is not None or fits or first not in shape.fields:
        return node
    if primary.name in shape.fields:
        return node
    data: JsonObject = {**given, primary.name: f"{{{{ data.{first} }}}}"}
    return replace(node, data={**node.data, "inputParams": data})


def _primary(required: Sequence[Field]) -> Field | None:
    named = (given for given in required if given.name == "data")
    return next(named, required[0] if required else None)


def _pins(metadata: JsonObject) -> JsonObject:
    return object_at(object_at(metadata, KEY), "pins")


def _without_pins(metadata: JsonObject, inside: Collection[str]) -> JsonObject:
    pins = _pins(metadata)
    if not pins.keys() & set(inside):
        return metadata
    left = {name: pin for name, pin in pins.items() if name not in inside}
    studio = {name: one for name, one in object_at(metadata, KEY).items() if name != "pins"}
    return {**metadata, KEY: {**studio, "pins": left} if left else studio}


def _only_pins(metadata: JsonObject, inside: Collection[str]) -> JsonObject:
    pins = {name: pin for name, pin in _pins(metadata).items() if name in inside}
    return {KEY: {"pins": pins}} if pins else {}
