"""Locks a model's choices of a run into the workflow: a language node becomes detailed nodes.

The values are those of that run; description and inputs no longer matter. So it is refused if a
later call used the result of an earlier one, which may differ in the next run.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from toolweave.errors import Invalid, NotFound
from toolweave.json_text import Json, JsonObject
from toolweave.problems import did_you_mean
from toolweave.tools.tool import Tool
from toolweave.workflow.mcp_node import configured, node_for
from toolweave.workflow.mode_switch import switch_mode
from toolweave.workflow.model import INPUT_PORT, OUTPUT_PORT, Edge, EdgeId, Node, Position, Workflow
from toolweave.workflow.modes import mode_of

# Shorter texts are found in anything.
TELLING_CHARS = 8
GAP = 240.0


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A successful call of a model and the tool's result."""

    tool: str
    arguments: JsonObject
    answer: str = ""


def freeze(
    workflow: Workflow,
    node_id: str,
    chosen: Sequence[ModelChoice],
    tools: Sequence[Tool],
    *,
    now: datetime,
    told: str = "",
) -> Workflow:
    """Return the workflow with the chosen calls as nodes; `told` is the model's input."""
    node = workflow.node(node_id)
    if node is None:
        known = [one.id for one in workflow.nodes]
        hint = did_you_mean(node_id, known)
        raise NotFound("NODE_ID_UNKNOWN", f"the workflow has no node {node_id!r}", hint=hint)
    if node.type != "mcp" or mode_of(node.data) == "detailed":
        raise _refused(f"node {node_id!r} is not in natural language; no model chose its values")
    if not chosen:
        raise _refused(f"the model made no successful call for node {node_id!r}")
    _refuse_passed_on(chosen, told)
    *first, last = chosen
    detailed = _set(switch_mode(node, "detailed", now=now, tool=_tool(tools, last)), last)
    before: list[Node] = []
    for one in first:
        taken = {other.id for other in (*workflow.nodes, *before)}
        before.append(_set(node_for(_tool(tools, one), taken, _left_of(node, len(first))), one))
    return _chained(workflow, node, before, detailed)


def _chained(workflow: Workflow, node: Node, before: list[Node], last: Node) -> Workflow:
    """Insert new nodes before the node, which keeps its id and outgoing edges."""
    if not before:
        alone = tuple(last if one is node else one for one in workflow.nodes)
        return replace(workflow, nodes=alone)
    parents = [replace(one, parent=node.parent) for one in before]
    moved = [
        replace(edge, target=before[0].id) if edge.target == node.id else edge
        for edge in workflow.edges
    ]
    line = [*(one.id for one in before), node.id]
    taken = {edge.id for edge in workflow.edges}
    for source, target in pairwise(line):
        name = f"{source}-{target}"
        identity = next(
            x for x in (name, *(f"{name}-{n}" for n in range(2, 1000))) if x not in taken
        )
        taken.add(EdgeId(identity))
        moved.append(Edge(EdgeId(identity), source, target, OUTPUT_PORT, INPUT_PORT))
    nodes: list[Node] = []
    for one in workflow.nodes:
        nodes.extend([*parents, last] if one is node else [one])
    return replace(workflow, nodes=tuple(nodes), edges=tuple(moved))


def _set(node: Node, one: ModelChoice) -> Node:
    return configured(node, {name: _literal(value) for name, value in one.arguments.items()})


def _literal(value: Json) -> Json:
    """Escape a literal value: `{{` would start an expression."""
    match value:
        case str():
            return value.replace("{{", "{{ '{{' }}")
        case list():
            return [_literal(one) for one in value]
        case dict():
            return {name: _literal(one) for name, one in value.items()}
        case _:
            return value


def _refuse_passed_on(chosen: Sequence[ModelChoice], told: str) -> None:
    for at, one in enumerate(chosen):
        for text in _texts(one.arguments):
            source = next((other for other in chosen[:at] if text in other.answer), None)
            if source is not None and text not in told:
                raise _refused(
                    f"call {at + 1} ({one.tool!r}) used {text[:60]!r} from {source.tool!r}"
                    "; a fixed value would be wrong in the next run"
                )


def _texts(value: Json) -> list[str]:
    match value:
        case str():
            return [value] if len(value) >= TELLING_CHARS else []
        case list():
            return [text for one in value for text in _texts(one)]
        case dict():
            return [text for one in value.values() for text in _texts(one)]
        case _:
            return []


def _tool(tools: Sequence[Tool], one: ModelChoice) -> Tool:
    for tool in tools:
        if tool.name == one.tool:
            return tool
    raise NotFound(
        "MCP_TOOL_NOT_FOUND", f"the tool {one.tool!r} that was chosen is no longer approved"
    )


def _left_of(node: Node, many: int) -> Position | None:
    if node.position is None:
        return None
    return Position(node.position.x - GAP * many, node.position.y)


def _refused(why: str) -> Invalid:
    return Invalid(
        "FREEZE_IMPOSSIBLE",
        f"the choices cannot be locked: {why}",
        hint="keep the node in natural language, or add detailed nodes with"
        " `toolweave node add`and connect them with {{ nodes.… }}",
    )
