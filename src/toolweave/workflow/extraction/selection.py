"""Checks whether selected nodes can become a sub-workflow: one way in, at most one way out.

A selection that would change what a run does is refused with the reason.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from toolweave.errors import Invalid, NotFound
from toolweave.problems import did_you_mean
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.ports import is_attachment, out_ports
from toolweave.workflow.model import INPUT_PORT, OUTPUT_PORT, SAME_AS_OUTPUT, Edge, Node, NodeId
from toolweave.workflow.revise_loops import leads_back
from toolweave.workflow.scope.reachability import NEVER_RUN, Reach, is_loop

_STARTS = frozenset({"start", "trigger", "TRIGGER", "multi_input", "input"})
_ENDS = frozenset({"end", "result"})
# The port that is taken in any case, of nodes with further ports.
_ALWAYS = {"FLOW.FILTER": "output", "FLOW.LOOP": "done", "FLOW.FOR_EACH": "done"}


@dataclass(frozen=True)
class Selection:
    """The nodes to move, and how the rest of the workflow is connected to them."""

    case: CheckContext
    inside: frozenset[NodeId]
    reach: Reach

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The selected nodes, in the order of the file."""
        return tuple(node for node in self.case.workflow.nodes if node.id in self.inside)

    @cached_property
    def running(self) -> tuple[Node, ...]:
        """Those that are steps of a run: no notes, groups and nodes attached to an agent."""
        return tuple(
            node
            for node in self.nodes
            if node.type not in NEVER_RUN and not self.reach.is_attached(node.id)
        )

    @cached_property
    def entering(self) -> tuple[Edge, ...]:
        """The edges that lead into the selection."""
        return tuple(edge for edge in self.case.graph.edges if self._crosses(edge, inward=True))

    @cached_property
    def leaving(self) -> tuple[Edge, ...]:
        """The edges that lead out of it."""
        return tuple(edge for edge in self.case.graph.edges if self._crosses(edge, inward=False))

    @cached_property
    def within(self) -> tuple[Edge, ...]:
        """The edges between selected nodes."""
        return tuple(
            edge
            for edge in self.case.graph.edges
            if edge.source in self.inside and edge.target in self.inside
        )

    @cached_property
    def first(self) -> Node:
        """The node at which the selection is entered."""
        entered = {edge.target for edge in self.entering}
        if not entered:
            targets = {edge.target for edge in self.within if not self._is_back(edge)}
            entered = {node.id for node in self.running if node.id not in targets}
        return self.case.graph.nodes[min(entered, key=self._place)]

    @cached_property
    def last(self) -> Node | None:
        """The node whose output leaves the selection; nothing where the workflow ends in it."""
        if self.leaving:
            return self.case.graph.nodes[self.leaving[0].source]
        return _Ends(self).open_nodes[0] if self.loops else None

    @property
    def port(self) -> str:
        """The port at which the last node is left."""
        if self.leaving or self.last is None:
            return self.leaving[0].source_port if self.leaving else OUTPUT_PORT
        return next(iter(_Ends(self).ports(self.last)))

    @cached_property
    def loops(self) -> tuple[Node, ...]:
        """The loops around the selection, the innermost first."""
        return self.loops_outside(self.first)

    def loops_outside(self, node: Node) -> tuple[Node, ...]:
        """The loops around a node that are not selected."""
        around = self.reach.loops_around(node.id) or ()
        return tuple(loop for loop in around if loop.id not in self.inside)

    def always_runs(self, node: NodeId, before: NodeId, starts: Collection[NodeId]) -> bool:
        """Whether every way from the starts to `before` leads through `node`."""
        found = {start for start in starts if start != node}
        waiting = list(found)
        while waiting:
            for edge in self.case.graph.outgoing(waiting.pop()):
                if edge.target != node and edge.target not in found and not self._is_back(edge):
                    found.add(edge.target)
                    waiting.append(edge.target)
        return before not in found

    @cached_property
    def starts(self) -> tuple[NodeId, ...]:
        """The nodes of the workflow that nothing leads to."""
        entered = {edge.target for edge in self.case.graph.edges if not self._is_back(edge)}
        return tuple(node for node in self.case.graph.nodes if node not in entered)

    def _crosses(self, edge: Edge, *, inward: bool) -> bool:
        source, target = edge.source in self.inside, edge.target in self.inside
        return (target and not source) if inward else (source and not target)

    def _is_back(self, edge: Edge) -> bool:
        return edge.target_port == "next" and is_loop(self.case.graph.nodes[edge.target])

    def _place(self, node: NodeId) -> int:
        return list(self.case.graph.nodes).index(node)


def select(case: CheckContext, ids: Collection[str]) -> Selection:
    """Return the selection with the members of its groups. Raises `EXTRACTION_IMPOSSIBLE`."""
    known = case.graph.nodes
    for identity in ids:
        if identity not in known:
            hint = did_you_mean(identity, known)
            raise NotFound("NODE_ID_UNKNOWN", f"the workflow has no node {identity!r}", hint=hint)
    inside = {NodeId(identity) for identity in ids}
    while more := {one.id for one in known.values() if one.parent in inside} - inside:
        inside |= more
    selection = Selection(case, frozenset(inside), Reach(case.graph))
    for check in (_kinds, _attachments, _entry, _connected, _loops, _exit):
        reason = next(check(selection), None)
        if reason is not None:
            raise refusal(*reason)
    return selection


def refusal(why: str, hint: str) -> Invalid:
    """Return the error for a selection that cannot be moved."""
    message = f"the selection cannot become a sub-workflow: {why}"
    return Invalid("EXTRACTION_IMPOSSIBLE", message, hint=hint)


_Reason = tuple[str, str]


def _kinds(selection: Selection) -> Iterator[_Reason]:
    if not selection.running:
        yield "it contains no node that runs", "select at least one step"
    for node in selection.nodes:
        if node.type in _STARTS:
            yield f"{node.title!r} starts this workflow", "select only nodes after it"
        if node.type in _ENDS:
            yield f"{node.title!r} ends this workflow", "select only nodes before it"
        if node.ref == "FLOW.STOP":
            yield (
                f"{node.title!r} ends the whole run; there it would end only the sub-workflow",
                "leave it out of the selection",
            )


def _attachments(selection: Selection) -> Iterator[_Reason]:
    graph = selection.case.graph
    for node in graph.nodes.values():
        listed = node.data.get("attachedNodes")
        for other in listed if isinstance(listed, list) else ():
            is_known = isinstance(other, str) and other in graph.nodes
            if is_known and (node.id in selection.inside) != (other in selection.inside):
                yield f"{other!r} is attached to {node.title!r}", "select both or none of them"
    for edge in (*selection.entering, *selection.leaving):
        if is_attachment(edge):
            yield (
                f"{edge.source!r} is attached to {edge.target!r}",
                "select both or none of them",
            )


def _entry(selection: Selection) -> Iterator[_Reason]:
    graph = selection.case.graph
    entered = sorted({edge.target for edge in selection.entering})
    if len(entered) > 1:
        names = " and ".join(repr(graph.nodes[node].title) for node in entered)
        yield f"connections lead into {names}", "select nodes that are entered at one node"
    for edge in selection.entering:
        if edge.target_port not in {INPUT_PORT, "main"}:
            yield (
                f"a connection leads to the port {edge.target_port!r} of {edge.target!r}",
                "select the node at its other end too",
            )
    back = {id(edge) for edge in leads_back(graph)}
    if any(id(edge) in back for edge in (*selection.entering, *selection.leaving)):
        yield "it contains only a part of a loop", "select all nodes of the loop"
    first = selection.first
    if first.ref == "FLOW.MERGE" and len(selection.entering) > 1:
        yield (
            f"{first.title!r} joins branches from outside",
            "select the branches too, or begin after it",
        )


def _connected(selection: Selection) -> Iterator[_Reason]:
    graph, first = selection.case.graph, selection.first
    reached = {first.id}
    waiting = [first.id]
    while waiting:
        for edge in graph.outgoing(waiting.pop()):
            if edge.target in selection.inside and edge.target not in reached:
                reached.add(edge.target)
                waiting.append(edge.target)
    for node in selection.running:
        if node.id not in reached:
            yield (
                f"no connection leads from {first.title!r} to {node.title!r}",
                "select connected nodes",
            )


def _loops(selection: Selection) -> Iterator[_Reason]:
    hint = "select the loop with its whole body, or nodes of one body only"
    for node in selection.running:
        around = selection.reach.loops_around(node.id)
        if around is None:
            yield f"{node.title!r} is part of a circular connection", "remove the circle first"
        elif selection.loops_outside(node) != selection.loops:
            yield f"it contains only a part of the body of a loop around {node.title!r}", hint
    first = selection.first
    if len(selection.reach.loops_around(first.id) or ()) != len(selection.loops):
        yield f"it begins inside the body of a selected loop, at {first.title!r}", hint
    for node in selection.case.graph.nodes.values():
        if node.id in selection.inside or node.type in NEVER_RUN:
            continue
        for loop in selection.reach.loops_around(node.id) or ():
            if loop.id in selection.inside:
                yield f"{node.title!r} is in the body of the loop {loop.title!r}", hint


def _exit(selection: Selection) -> Iterator[_Reason]:
    graph = selection.case.graph
    ways = sorted({(edge.source, edge.source_port) for edge in selection.leaving})
    if len(ways) > 1:
        names = ", ".join(f"{graph.nodes[node].title!r} ({port})" for node, port in ways)
        yield (
            f"connections lead out at several places: {names}",
            "select up to where the ways join, or a part with one way out",
        )
    ends = _Ends(selection)
    if not selection.leaving:
        if not ends.is_tail:
            yield (
                "other nodes are last in the workflow too, so that the result would change",
                "add an End node that all of them lead to",
            )
        elif selection.loops and not ends.has_one_result:
            yield (
                "the body of the loop ends at several places in it",
                "select a part of the body with one way out",
            )
        return
    last = selection.last
    assert last is not None
    if (port := ends.optional_port(last)) is not None:
        yield (
            f"{last.title!r} continues at the port {port!r} only in some runs",
            "select what follows too",
        )
    elif (open_node := ends.leaves_open()) is not None:
        yield (
            f"some ways through {open_node.title!r} never reach {last.title!r}",
            f"connect all of its ports to a way that leads to {last.title!r}",
        )
    elif ends.has_side_result:
        yield (
            "a branch of it ends without a connection, and its result is part of the run's",
            "add an End node to the workflow, or leave that branch out",
        )


@dataclass(frozen=True)
class _Ends:
    """Where the ways through a selection end."""

    selection: Selection

    @cached_property
    def _used(self) -> Mapping[NodeId, frozenset[str]]:
        graph = self.selection.case.graph
        return {
            node.id: frozenset(self._port(node, edge) for edge in graph.outgoing(node.id))
            for node in graph.nodes.values()
        }

    def _port(self, node: Node, edge: Edge) -> str:
        spec = self.selection.case.spec(node)
        for port in spec.output_ports if spec else ():
            if edge.source_port in port.aliases:
                return port.name
        return "output" if edge.source_port in SAME_AS_OUTPUT else edge.source_port

    def ports(self, node: Node) -> frozenset[str]:
        """The ports of which a run takes one; the one that is always taken, where there is one."""
        if node.ref in _ALWAYS:
            return frozenset({_ALWAYS[node.ref]})
        known = out_ports(self.selection.case, node)
        return frozenset(known or {"output"}) | (self._used[node.id] & {"error"})

    def optional_port(self, last: Node) -> str | None:
        """The port at which the selection is left, if a run may take another one."""
        left = {self._port(last, edge) for edge in self.selection.leaving}
        return next(iter(left)) if self.ports(last) - left else None

    def leaves_open(self) -> Node | None:
        """A node of the selection from which a run may not get to the last one."""
        selection, last = self.selection, self.selection.last
        assert last is not None
        sure = {last.id}
        grown = True
        while grown:
            more = {
                node.id
                for node in selection.running
                if node.id not in sure and self._leads_to(node, sure)
            }
            sure |= more
            grown = bool(more)
        if selection.first.id in sure:
            return None
        return next(node for node in selection.running if node.id not in sure)

    def _leads_to(self, node: Node, sure: set[NodeId]) -> bool:
        edges = self.selection.case.graph.outgoing(node.id)
        leading = {self._port(node, edge) for edge in edges if edge.target in sure}
        return self.ports(node) <= leading

    @property
    def has_side_result(self) -> bool:
        """Whether the value of an unconnected node would be part of the result."""
        selection = self.selection
        has_ends = any(node.type in _ENDS for node in selection.case.workflow.nodes)
        if has_ends and not selection.loops:
            return False
        return bool(self.open_nodes)

    @cached_property
    def open_nodes(self) -> tuple[Node, ...]:
        """The selected nodes with a port that nothing is connected to, without those of loops."""
        frame = [one for one in self.selection.running if self._is_of_frame(one)]
        return tuple(one for one in frame if self.ports(one) - self._used[one.id])

    @property
    def has_one_result(self) -> bool:
        """Whether one node ends the selection, at its only port."""
        return len(self.open_nodes) == 1 and len(self.ports(self.open_nodes[0])) == 1

    @property
    def is_tail(self) -> bool:
        """Whether the run ends in the selection, or its value is no part of the result."""
        selection = self.selection
        nodes = selection.case.graph.nodes.values()
        if any(node.type in _ENDS for node in nodes) and not selection.loops:
            return True
        others = [
            node
            for node in nodes
            if node.id not in selection.inside
            and node.type not in NEVER_RUN
            and not selection.reach.is_attached(node.id)
            and self._is_of_frame(node)
        ]
        return all(self.ports(node) <= self._used[node.id] for node in others)

    def _is_of_frame(self, node: Node) -> bool:
        around = self.selection.reach.loops_around(node.id) or ()
        return tuple(around) == self.selection.loops
