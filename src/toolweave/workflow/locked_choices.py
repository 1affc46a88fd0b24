"""What a model chose in a run, made part of the workflow: a language node becomes detailed ones.

The values are those of that run; words and inputs no longer matter. So it is refused where a later
call used what an earlier one had given: tomorrow that would be something else.
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
    """A call that a model made and that worked, and what the tool answered."""

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
    """The workflow with the node set to what was chosen; `told` is all the model was told.

    Raises:
        NotFound: `NODE_ID_UNKNOWN`, `MCP_TOOL_NOT_FOUND`.
        Invalid: `FREEZE_IMPOSSIBLE` with the reason, or what is wrong with the values.
    """
    node = workflow.node(node_id)
    if node is None:
        known = [one.id for one in workflow.nodes]
        hint = did_you_mean(node_id, known)
        raise NotFound("NODE_ID_UNKNOWN", f"the workflow has no node {node_id!r}", hint=hint)
    if node.type != "mcp" or mode_of(node.data) == "detailed":
        raise _refused(f"node {node_id!r} is not in plain words; nothing was chosen for it")
    if not chosen:
        raise _refused(f"the model made no call for node {node_id!r} that worked")
    _refuse_passed_on(chosen, told)
    *first, last = chosen
    detailed = _set(switch_mode(node, "detailed", now=now, tool=_tool(tools, last)), last)
    before: list[Node] = []
    for one in first:
        taken = {other.id for other in (*workflow.nodes, *before)}
        before.append(_set(node_for(_tool(tools, one), taken, _left_of(node, len(first))), one))
    return _chained(workflow, node, before, detailed)


def _chained(workflow: Workflow, node: Node, before: list[Node], last: Node) -> Workflow:
    """The new nodes in front of the node, which keeps its id, and so its ways out."""
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
    """A value that stands for itself: `{{` would begin an expression."""
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
                    f"call {at + 1} ({one.tool!r}) used {text[:60]!r}, which {source.tool!r} had "
                    "given; as a fixed value it would be wrong the next time"
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
        "MCP_TOOL_NOT_FOUND", f"the tool {one.tool!r} that was chosen is not approved any more"
    )


def _left_of(node: Node, many: int) -> Position | None:
    if node.position is None:
        return None
    return Position(node.position.x - GAP * many, node.position.y)


def _refused(why: str) -> Invalid:
    return Invalid(
        "FREEZE_IMPOSSIBLE",
        f"this cannot be frozen: {why}",
        hint="keep the node in plain words, or build the detailed nodes by hand with"
        " `toolweave node add`, and connect them by {{ nodes.… }}",
    )
