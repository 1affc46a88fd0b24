"""Ways that no run takes as they are drawn: ports never taken, edges out of a loop's body, and
references to disabled nodes. Warnings: the rest of the workflow runs.
"""

from collections.abc import Iterator

from toolweave.catalog.spec import NodeSpec, Port
from toolweave.json_text import Json
from toolweave.problems import Problem
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.foreign_repair import scope_of
from toolweave.workflow.checks.kinds import LOOPS, is_loop
from toolweave.workflow.checks.node_facts import node_table
from toolweave.workflow.checks.ports import ERROR, LOOP_PORTS, is_attachment
from toolweave.workflow.checks.templated_values import has_template
from toolweave.workflow.model import Edge, Node, NodeId
from toolweave.workflow.modes import object_at
from toolweave.workflow.scope.reachability import BACK_PORT


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield edges that carry nothing or leave a loop, and reads of disabled nodes."""
    table = node_table(case)
    # Of several nodes with one id, the last counts here.
    found = sorted(table.having(_conditional), key=lambda one: one[0].index)
    conditional = {facts.node.id: spec for facts, spec, _ in found}
    for facts in table.of_refs({"FLOW.IF"}):
        yield from _same_way(case, facts.node)
    has_loop = any(is_loop(one.node) for one in table.of_refs(LOOPS))
    has_attached = "attachedNodes" in table.keys and any(
        "attachedNodes" in one.node.data for one in table.catalog
    )
    disabled = [one.node.id for one in table.catalog if not one.is_enabled]
    # Most workflows have none of these.
    if conditional or has_loop or has_attached:
        yield from _edges(case, conditional, has_loop=has_loop)
    if disabled:
        yield from _reads(case, frozenset(disabled))


def _edges(
    case: CheckContext, conditional: dict[NodeId, NodeSpec], *, has_loop: bool
) -> Iterator[Problem]:
    for index, edge in case.edges:
        if edge.source not in case.graph.nodes or edge.target not in case.graph.nodes:
            continue
        if edge.source in conditional:
            yield from _never_taken(case, index, edge, conditional[edge.source])
        if is_attachment(edge):
            continue
        if case.once(scope_of).reach.is_attached(edge.source):
            message = f"{shown(edge.source)} is attached to an agent, and no step of its own"
            hint = "remove the edge; the agent calls it when it needs it"
            yield Problem(
                "EDGE_NEVER_TAKEN", case.at_edge(index), message, hint=hint, severity="warning"
            )
        if has_loop and edge.source_port != ERROR:
            yield from _out_of_body(case, index, edge)


def _same_way(case: CheckContext, node: Node) -> Iterator[Problem]:
    """Yield a condition after which both ways are one."""
    if len(case.graph.outgoing(node.id)) < 2:
        return
    ways: dict[str, set[NodeId]] = {"true": set(), "false": set()}
    for edge in case.graph.outgoing(node.id):
        if edge.source_port in ways:
            ways[edge.source_port].add(edge.target)
    if ways["true"] and ways["true"] == ways["false"]:
        message = f"both ways of {shown(node.id)} lead to the same nodes"
        hint = "connect one of them to another node, or remove the condition"
        yield Problem("EDGE_NEVER_TAKEN", case.at(node), message, hint=hint, severity="warning")


def _conditional(spec: NodeSpec) -> tuple[Port, ...]:
    return tuple(port for port in spec.output_ports if port.used_when)


def _never_taken(case: CheckContext, index: int, edge: Edge, spec: NodeSpec) -> Iterator[Problem]:
    for port in case.made.of_spec(_conditional, spec):
        name, *wanted = port.used_when
        if edge.source_port not in {port.name, *port.aliases}:
            continue
        chosen = _setting(case.graph.nodes[edge.source], spec, name)
        if isinstance(chosen, str) and chosen not in wanted and not has_template(chosen):
            message = (
                f"{shown(edge.source)} never leaves by {edge.source_port!r} "
                f"while {name!r} is {shown(chosen)}"
            )
            hint = f"set {name!r} to {' or '.join(map(repr, wanted))}, or remove the edge"
            place = case.at_edge(index, "fromPort")
            yield Problem("EDGE_NEVER_TAKEN", place, message, hint=hint, severity="warning")


def _setting(node: Node, spec: NodeSpec, name: str) -> Json:
    default = next((one.default for one in spec.configurations if one.name == name), None)
    return object_at(node.data, "configurations").get(name, default)


def _out_of_body(case: CheckContext, index: int, edge: Edge) -> Iterator[Problem]:
    reach = case.once(scope_of).reach
    around, beyond = reach.loops_around(edge.source), reach.loops_around(edge.target)
    if not around or beyond is None:
        return
    inner = around[0].id
    is_back = edge.target == inner or edge.target_port == BACK_PORT
    if is_back or any(one.id == inner for one in beyond):
        return
    message = f"the edge leads from the body of {shown(inner)} to a node that is not in it"
    hint = f"connect the port 'done' of {inner!r} to what comes after the loop"
    after = [one for one in case.graph.outgoing(inner) if one.source_port not in LOOP_PORTS]
    # Where the end of the loop leads there too, the edge of the body does nothing more.
    is_led = any(
        one.target == edge.target or reach.is_before(one.target, edge.target) for one in after
    )
    yield Problem(
        "EDGE_LEAVES_LOOP",
        case.at_edge(index),
        message,
        hint="remove the edge: the loop itself leads there when it is done" if is_led else hint,
        severity="warning",
        patch=({"op": "remove", "path": case.at_edge(index)},) if is_led else None,
    )


def _reads(case: CheckContext, disabled: frozenset[NodeId]) -> Iterator[Problem]:
    scope = case.once(scope_of)
    for node in case.graph.nodes.values():
        seen: set[str] = set()
        for asked in scope.asked_by(node) or ():
            for reference in asked.expression.references if asked.expression else ():
                steps = [*reference.path]
                is_by_id = steps[0] == "nodes" and len(steps) > 1
                root = steps[1] if is_by_id else steps[0]
                place = case.at(node, *asked.steps)
                if root not in disabled or reference.is_optional or place in seen:
                    continue
                seen.add(place)
                message = f"{reference.text!r} reads {root!r}, which is disabled"
                hint = "a disabled node outputs its input; enable it, or read another node"
                yield Problem("REFERENCE_NOT_RUN", place, message, hint=hint, severity="warning")
