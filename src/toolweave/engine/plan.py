"""A workflow prepared for execution, once per version: steps, links, loop bodies, templates."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from toolweave.catalog.node import OUTPUT_PORT
from toolweave.catalog.node_kind import NodeKind
from toolweave.catalog.spec import OUTPUT
from toolweave.engine.steps import Link, PlannedStep
from toolweave.errors import Invalid
from toolweave.problems import Problem, pointer
from toolweave.workflow.graph import Graph
from toolweave.workflow.model import SAME_AS_OUTPUT, Edge, Node, NodeId, Workflow
from toolweave.workflow.prompt_templates import as_single, read_prompt
from toolweave.workflow.revise_loops import leads_back
from toolweave.workflow.scope.loop_bodies import innermost_loops

LOOP_PORT = "loop"
DATA_EDGE = "data"
GIVES_VARIABLES = frozenset({"multi_input", "input"})
# The number of a node that is attached to an agent.
NO_STEP = -1
NEVER_RUN = frozenset({"group", "note", "comment", "stickyNote"})


class Kinds(Protocol):
    """Finds the code of a node; `app` provides it."""

    def of(self, node: Node) -> NodeKind | None: ...


@dataclass(frozen=True, slots=True)
class Opening:
    """The start of a frame: by step, the undecided and the taken links."""

    undecided: dict[int, int]
    taken: dict[int, int]
    # Steps that wait for nothing.
    first: tuple[PlannedStep, ...]


@dataclass(frozen=True)
class Plan:
    """Everything the engine needs to know about a workflow."""

    workflow: Workflow
    steps: tuple[PlannedStep, ...]
    # The steps of the top (None) and of each loop's body, by number.
    bodies: dict[int | None, tuple[int, ...]]

    @cached_property
    def by_id(self) -> dict[str, PlannedStep]:
        """Steps by the id of their node."""
        return {step.id: step for step in self.steps}

    @cached_property
    def openings(self) -> dict[int | None, Opening]:
        """The start of a frame of each body."""
        return {loop: _opening(self.steps, loop, body) for loop, body in self.bodies.items()}

    @cached_property
    def followers(self) -> tuple[PlannedStep | None, ...]:
        """By step: the next step to compute, where only one can follow."""
        return tuple(_follower(self.steps, step) for step in self.steps)

    @cached_property
    def servers(self) -> frozenset[str]:
        """The servers that nodes name."""
        return frozenset(name for step in self.steps for name in step.servers)

    @cached_property
    def has_queues(self) -> bool:
        """Whether a node is bound to a queue."""
        return any(step.queue is not None for step in self.steps)

    def repeated(self, target: int) -> frozenset[int]:
        """Return the steps that run again when a link leads back to this one."""
        found, waiting = {target}, [target]
        while waiting:
            for link in self.steps[waiting.pop()].outgoing:
                if link.target not in found:
                    found.add(link.target)
                    waiting.append(link.target)
        return frozenset(found)

    @cached_property
    def starts(self) -> tuple[PlannedStep, ...]:
        """The steps that receive the run's inputs: triggers and starts, else the first ones."""
        named = tuple(step for step in self.steps if is_start(step.node))
        return named or tuple(step for step in self.steps if not step.incoming)


def is_start(node: Node) -> bool:
    """Whether a run starts at this node."""
    return node.type in {"start", "TRIGGER"}


def make_plan(workflow: Workflow, kinds: Kinds) -> Plan:
    """Return the plan of a workflow."""
    graph = Graph(workflow)
    nodes = _running(graph)
    found = {node.id: kinds.of(node) for node in nodes}
    _refuse_unknown(workflow, [node for node in nodes if found[node.id] is None])
    hanging = {node.id: _hanging(workflow, graph, node, kinds) for node in nodes}
    places = {node.id: index for index, node in enumerate(nodes)}
    repeating = {id(edge) for edge in leads_back(graph)}
    links: list[Link] = []
    back: list[Link] = []
    for edge in graph.edges:
        if edge.source in places and edge.target in places and _orders(edge, graph):
            ends = places[edge.source], places[edge.target]
            port = _port(edge.source_port, found[edge.source])
            link = Link(*ends, port, edge.target_port)
            (back if id(edge) in repeating else links).append(link)
    ready = [kind for node in nodes if (kind := found[node.id])]
    leaving = _grouped(links, len(nodes), lambda link: link.source)
    entering = _grouped(links, len(nodes), lambda link: link.target)
    returning = _grouped(back, len(nodes), lambda link: link.source)
    loops = innermost_loops(
        [index for index, kind in enumerate(ready) if kind.loop is not None],
        [[(link.target, link.port == LOOP_PORT) for link in each] for each in leaving],
    )
    gates = Counter(_gate(link, loops) for link in links)
    steps = tuple(
        PlannedStep(
            index,
            node,
            ready[index],
            tuple(link for link in entering[index] if _counts(link, loops)),
            tuple(leaving[index]),
            loops[index],
            hanging.get(node.id, ()),
            tuple(link for link in entering[index] if _gate(link, loops) is not None),
            tuple(loop for link in leaving[index] if (loop := _gate(link, loops)) is not None),
            gates[index],
            tuple(returning[index]),
        )
        for index, node in enumerate(nodes)
    )
    bodies: dict[int | None, list[int]] = {None: []}
    for step in steps:
        if step.is_loop:
            bodies.setdefault(step.index, [])
        bodies.setdefault(step.loop, []).append(step.index)
    _refuse_cycles(steps)
    return Plan(workflow, steps, {loop: tuple(body) for loop, body in bodies.items()})


def _port(name: str, kind: NodeKind | None) -> str:
    """The port that a connection leaves by; nodes know it only by the name in their specification.

    Validation accepts the same other names; nothing behind such a connection is left out.
    """
    ports = kind.spec.output_ports if kind is not None and kind.spec is not None else (OUTPUT,)
    names = {other: port.name for port in ports for other in (*port.aliases, port.name)}
    if name in SAME_AS_OUTPUT and OUTPUT_PORT in names:
        return names.get(name, OUTPUT_PORT)
    return names.get(name, name)


def _opening(steps: Sequence[PlannedStep], loop: int | None, body: Sequence[int]) -> Opening:
    inside = [steps[index] for index in body]
    undecided = {
        step.index: step.gates + sum(link.source != loop for link in step.incoming)
        for step in inside
    }
    taken = {
        step.index: sum(link.source == loop and link.port == LOOP_PORT for link in step.incoming)
        for step in inside
    }
    return Opening(undecided, taken, tuple(one for one in inside if not undecided[one.index]))


def _follower(steps: Sequence[PlannedStep], step: PlannedStep) -> PlannedStep | None:
    if len(step.outgoing) != 1 or step.back or step.gated or step.is_loop or step.may_stop:
        return None
    (link,) = step.outgoing
    target = steps[link.target]
    is_next = (
        link.port == OUTPUT_PORT
        and target.loop == step.loop
        and len(target.incoming) == 1
        and not target.gates
        and not target.outside
    )
    is_plain = target.is_pure and not target.is_loop and not target.gathers_s
    return target if is_next and is_plain else None


def _orders(edge: Edge, graph: Graph) -> bool:
    """Whether its target waits: a flow's data edge only passes variables on.

    It waits as well for a result that its text names, unless the source waits for the target.
    """
    source, target = graph.nodes[edge.source], graph.nodes[edge.target]
    if edge.kind != DATA_EDGE or source.type in GIVES_VARIABLES:
        return True
    text = target.data.get("template")
    if not isinstance(text, str):
        return False
    names = {one.content for one in read_prompt(as_single(text), "single").placeholders}
    used = {f"{name}_result" for name in (source.id, source.id.replace("-", ""))}
    return bool(names & used) and not _leads_to(graph, target.id, source.id)


def _leads_to(graph: Graph, start: NodeId, end: NodeId) -> bool:
    """Whether edges other than data edges lead from one node to another."""
    seen: set[NodeId] = set()
    left = [start]
    while left:
        node = left.pop()
        if node == end:
            return True
        if node not in seen:
            seen.add(node)
            left += [one.target for one in graph.outgoing(node) if one.kind != DATA_EDGE]
    return False


def _hanging(workflow: Workflow, graph: Graph, node: Node, kinds: Kinds) -> tuple[PlannedStep, ...]:
    """Return the nodes attached to an agent; the check reports missing ones."""
    hanging = [graph.nodes[one] for one in map(NodeId, _attached(node)) if one in graph.nodes]
    found = [(one, kinds.of(one)) for one in hanging]
    _refuse_unknown(workflow, [one for one, kind in found if kind is None])
    steps = [PlannedStep(NO_STEP, one, kind, (), ()) for one, kind in found if kind is not None]
    return tuple(step for step in steps if not step.prepared.is_disabled)


def _attached(node: Node) -> list[str]:
    listed = node.data.get("attachedNodes")
    return [str(one) for one in listed] if isinstance(listed, list) else []


def _running(graph: Graph) -> list[Node]:
    """Return the nodes that are steps: no groups, notes, or nodes attached to an agent."""
    attached: set[str] = set()
    for node in graph.nodes.values():
        attached.update(_attached(node))
    return [
        node
        for node in graph.nodes.values()
        if node.type not in NEVER_RUN and (node.id not in attached or graph.incoming(node.id))
    ]


def _grouped(links: Sequence[Link], size: int, by: Callable[[Link], int]) -> list[list[Link]]:
    groups: list[list[Link]] = [[] for _ in range(size)]
    for link in links:
        groups[by(link)].append(link)
    return groups


def _counts(link: Link, loops: Sequence[int | None]) -> bool:
    """Whether a step waits for the link: on its own level, or its loop's iteration."""
    return loops[link.source] == loops[link.target] or loops[link.target] == link.source


def _gate(link: Link, loops: Sequence[int | None]) -> int | None:
    """Return the outermost loop that waits for a link from outside into its body."""
    loop = loops[link.target]
    while loop is not None and loop != link.source and loops[loop] != loops[link.source]:
        loop = loops[loop]
    return loop if loop not in (None, link.source, loops[link.source]) else None


def _refuse_unknown(workflow: Workflow, missing: Sequence[Node]) -> None:
    if not missing:
        return
    places = {node.id: index for index, node in enumerate(workflow.nodes)}
    problems = [
        Problem(
            "NODE_NOT_RUNNABLE",
            pointer("nodes", places[node.id], "type"),
            f"node {node.id!r} has a type that cannot run: {node.ref or node.type!r}",
        )
        for node in missing
    ]
    raise Invalid("NODE_NOT_RUNNABLE", problems[0].message, problems=problems)


def _refuse_cycles(steps: Sequence[PlannedStep]) -> None:
    """Refuse cycles on every level; a loop's body belongs to it without following it."""
    left = {step.index: step.gates for step in steps}
    for step in steps:
        for link in step.incoming:
            left[step.index] += link.source != step.loop
    ready = [index for index, count in left.items() if not count]
    while ready:
        index = ready.pop()
        del left[index]
        for link in steps[index].outgoing:
            if link.target in left and steps[link.target].loop == steps[index].loop:
                left[link.target] -= 1
                if not left[link.target]:
                    ready.append(link.target)
        for loop in steps[index].gated:
            left[loop] -= 1
            if not left[loop]:
                ready.append(loop)
    if left:
        names = ", ".join(repr(steps[index].id) for index in list(left)[:5])
        raise Invalid(
            "CIRCULAR_DEPENDENCY",
            f"circular connection: {names}",
            hint="only the body of a loop may connect back; remove one of the connections",
        )
