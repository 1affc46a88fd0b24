"""Tools and memories that an edge connects to their agent, as n8n draws them.

Here an agent names them in `attachedNodes`; with an edge they would be steps that nothing reaches.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from toolweave.json_text import Json
from toolweave.problems import Problem
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.foreign_repair import scope_of
from toolweave.workflow.checks.patterns import ATTACHED
from toolweave.workflow.checks.ports import is_attachment
from toolweave.workflow.model import Node, NodeId

_AGENT = "AI_AGENT"
_ASIDE = frozenset({"TOOL", "MEMORY"})
# Ports of agents in other systems, where tools and memories are connected.
_PORTS = frozenset({"tool", "tools", "memory", "memories", "toolcall", "toolcalls", "usestool"})

Operation = dict[str, Any]  # Any: part of a JSON Patch, as in `Problem`


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield edges between an agent and what it should have attached."""
    agents = {node.id for node in case.graph.nodes.values() if node.type == _AGENT}
    if not agents:
        return
    aside = {node.id for node in case.graph.nodes.values() if node.type in _ASIDE}
    by_agent: dict[NodeId, dict[NodeId, list[int]]] = defaultdict(lambda: defaultdict(list))
    for index, edge in case.edges if aside else ():
        if is_attachment(edge):
            continue
        if edge.target in agents and edge.source in aside:
            if _leads_only_to(case, edge.source, edge.target):
                by_agent[edge.target][edge.source].append(index)
        elif edge.source in agents and edge.target in aside:
            is_port = edge.source_port.replace("_", "").replace("-", "").casefold() in _PORTS
            if is_port and _comes_only_from(case, edge.target, edge.source):
                by_agent[edge.source][edge.target].append(index)
    for agent, connected in by_agent.items():
        yield from _problems(case, case.graph.nodes[agent], connected)


def _leads_only_to(case: CheckContext, tool: NodeId, agent: NodeId) -> bool:
    """Whether a node that nothing leads to goes to one agent, which a step leads to as well."""
    if case.graph.incoming(tool):
        return False
    sources = (case.graph.nodes[one.source] for one in case.graph.incoming(agent))
    has_step = any(one.type not in _ASIDE for one in sources)
    return has_step and all(one.target == agent for one in case.graph.outgoing(tool))


def _comes_only_from(case: CheckContext, tool: NodeId, agent: NodeId) -> bool:
    """Whether nothing but the agent leads to a node, and it leads nowhere or back."""
    is_last = all(one.target == agent for one in case.graph.outgoing(tool))
    return is_last and all(one.source == agent for one in case.graph.incoming(tool))


def _problems(
    case: CheckContext, agent: Node, connected: dict[NodeId, list[int]]
) -> Iterator[Problem]:
    named = [one for one in connected if not _is_read(case, one)]
    listed: Json = agent.data.get(ATTACHED, [])
    patch: tuple[Operation, ...] | None = None
    if len(named) == len(connected) and isinstance(listed, list):
        places = sorted((at for ats in connected.values() for at in ats), reverse=True)
        whole = _in_order(case, listed, [one for one in named if one not in listed])
        patch = (
            {"op": "add", "path": case.at(agent, "data", ATTACHED), "value": whole},
            *({"op": "remove", "path": case.at_edge(at)} for at in places),
        )
    for tool, ats in connected.items():
        kind = case.graph.nodes[tool].type.lower()
        yield Problem(
            "EDGE_NEVER_TAKEN",
            case.at_edge(ats[0]),
            f"the {kind} {shown(tool)} is connected to the agent {shown(agent.id)} with an edge",
            hint=f"attach it: list {tool!r} in '{ATTACHED}' of {agent.id!r} instead of the edge",
            severity="warning",
            patch=patch,
        )


def _in_order(case: CheckContext, listed: list[Json], named: list[NodeId]) -> list[Json]:
    """All attached nodes, in the order of the file if those that are there have it."""
    order = {node: at for at, node in enumerate(case.graph.nodes)}
    known = [order[NodeId(one)] for one in listed if isinstance(one, str) and one in order]
    if len(known) != len(listed) or known != sorted(known):
        return [*listed, *named]
    whole = {order[NodeId(str(one))]: one for one in (*listed, *named)}
    return [whole[at] for at in sorted(whole)]


def _is_read(case: CheckContext, tool: NodeId) -> bool:
    """Whether an expression reads a node, which then is a step."""
    scope = case.once(scope_of)
    paths = (
        [*reference.path][:2]
        for node in case.graph.nodes.values()
        for asked in scope.asked_by(node) or ()
        for reference in (asked.expression.references if asked.expression else ())
    )
    return any(tool in path for path in paths)
