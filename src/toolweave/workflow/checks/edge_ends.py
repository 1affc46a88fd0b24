"""Unknown edge ends: which node was meant, or how else to fix the edge."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Any

from toolweave.problems import Problem, did_you_mean
from toolweave.tools.meaning import plain_word, words
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.kinds import is_loop, meant_type, spec_of, style_of, type_of
from toolweave.workflow.checks.ports import NEXT, is_attachment, names_out, out_ports
from toolweave.workflow.checks.spelling import MAX_LOOKED_UP, Spelling
from toolweave.workflow.model import OUTPUT_PORT, Edge, Node, NodeId

Operation = dict[str, Any]  # Any: part of a JSON Patch, as in `Problem`
_ENDS = frozenset({"start", "end"})
_MAX_NAMED = 5
# How graphs of other systems name the start and the end of a run.
_RUN_STARTS = frozenset({"start", "begin", "entry", "entrypoint"})
_RUN_ENDS = frozenset({"end", "finish", "exit", "endnode", "terminate"})


def way(edge: Edge) -> tuple[object, ...]:
    """Return what distinguishes two edges between the same nodes."""
    return (edge.source_port, edge.target_port, edge.kind, edge.condition)


def begins(case: CheckContext, node: Node) -> bool:
    """Whether a run starts at this node, which has no input."""
    if node.type == "TRIGGER" or type_of(node) == "start":
        return True
    return (spec := spec_of(case, node)) is not None and not spec.input_ports


def plain_node(node_id: str, kind: str) -> Operation:
    """Return a start or end node for a patch."""
    place = {"x": 0, "y": 0} if kind == "start" else {"x": 600, "y": 0}
    return {"id": node_id, "type": kind, "name": kind, "position": place, "data": {}}


def _counted(
    end: NodeId, ids: Sequence[NodeId], known: Collection[NodeId], first: int
) -> NodeId | None:
    """The node at a place of the list; a known id as it is."""
    if end in known:
        return end
    at = int(end) - first if end.isdecimal() and len(end) < 5 else -1
    return ids[at] if 0 <= at < len(ids) else None


class EdgeEnds:
    """Looks up unknown ends, a limited number of them: a file may have thousands."""

    def __init__(self, case: CheckContext) -> None:
        self._case = case
        self._nodes = case.graph.nodes
        self._left = MAX_LOOKED_UP

    def unknown(self, index: int, edge: Edge) -> Iterator[Problem]:
        """Yield one problem for each end; if both are unknown, neither is guessed."""
        is_one = (edge.source in self._nodes) != (edge.target in self._nodes)
        self._left -= 1
        if self._left >= 0 and (found := self._by_number(index, edge)) is not None:
            yield found
            return
        if is_one and (found := self._of_run(index, edge)) is not None:
            yield found
            return
        for code, key, end in (
            ("EDGE_SOURCE_UNKNOWN", "from", edge.source),
            ("EDGE_TARGET_UNKNOWN", "to", edge.target),
        ):
            if end in self._nodes:
                continue
            hint = "use the id of an existing node, or remove the edge"
            patch: Operation | None = None
            if is_one and self._left >= 0:
                near = did_you_mean(end, list(self._nodes)[:100])
                # A hint that names one answer promises its patch.
                unclear = f"{near} An edge there may be meant otherwise." if near else hint
                hint, patch = self._repaired(index, edge, key, end) or (unclear, None)
            place = self._case.at_edge(index, key)
            message = f"there is no node {shown(end)}"
            if is_one and key == "from" and (steps := self._with_port(index, edge)):
                hint = (
                    f"write {steps[0]['value']!r} as the node and {steps[1]['value']!r} as its port"
                )
                yield Problem(code, place, message, hint=hint, patch=steps)
                continue
            yield Problem(code, place, message, hint=hint, patch=(patch,) if patch else None)

    def _by_number(self, index: int, edge: Edge) -> Problem | None:
        """The nodes at these places of the list, counted from 0 or from 1; not where both fit."""
        ids = [one.id for one in self._case.workflow.nodes]
        found: list[tuple[NodeId, NodeId]] = []
        for first in (0, 1):
            ends = [_counted(one, ids, self._nodes, first) for one in (edge.source, edge.target)]
            source, target = ends
            if source is None or target is None or source == target:
                continue
            is_new = not self._case.graph.incoming(target) and not begins(
                self._case, self._nodes[target]
            )
            if is_new and self._has_port(self._nodes[source], edge.source_port):
                found.append((source, target))
        if len(found) != 1:
            return None
        named = zip(("from", "to"), (edge.source, edge.target), found[0], strict=True)
        patch = tuple(
            {"op": "replace", "path": self._case.at_edge(index, key), "value": meant}
            for key, end, meant in named
            if end != meant
        )
        is_source = edge.source not in self._nodes
        code, key = ("EDGE_SOURCE_UNKNOWN", "from") if is_source else ("EDGE_TARGET_UNKNOWN", "to")
        message = f"there is no node {shown(edge.source if is_source else edge.target)}"
        hint = f"write the ids: {found[0][0]!r} and {found[0][1]!r}"
        return Problem(code, self._case.at_edge(index, key), message, hint=hint, patch=patch)

    def _of_run(self, index: int, edge: Edge) -> Problem | None:
        """An edge from the start of the run to its trigger, or from a step to its end.

        Graphs of other systems have such edges; here both are so without one.
        """
        if self._is_drawn or self._case.format == "flow":
            return None
        is_start = edge.source not in self._nodes
        end, other = (edge.source, edge.target) if is_start else (edge.target, edge.source)
        word = "".join(filter(str.isalpha, end.casefold()))
        if word not in (_RUN_STARTS if is_start else _RUN_ENDS) or self._ids.nearest(end):
            return None
        node = self._nodes[other]
        if not is_start and self._has_loose_end:
            return None  # the edge may be meant for a node without one
        if is_start and not begins(self._case, node):
            return None
        if not is_start and not self._has_port(node, edge.source_port):
            return None
        code, key = ("EDGE_SOURCE_UNKNOWN", "from") if is_start else ("EDGE_TARGET_UNKNOWN", "to")
        message = f"there is no node {shown(end)}"
        hint = (
            f"remove the edge: a run starts at {other!r}"
            if is_start
            else f"remove the edge: a run ends after {other!r} without one"
        )
        patch = ({"op": "remove", "path": self._case.at_edge(index)},)
        return Problem(code, self._case.at_edge(index, key), message, hint=hint, patch=patch)

    def _with_port(self, index: int, edge: Edge) -> tuple[Operation, Operation] | None:
        """The node and the port that were written as one: `check.true`, `check:true`."""
        for separator in (".", ":", "/", "#", "->"):
            name, found, port = edge.source.rpartition(separator)
            node = self._nodes.get(NodeId(name)) if found and port else None
            if node is None or edge.source_port not in {OUTPUT_PORT, port}:
                continue
            if self._has_port(node, port) and port != OUTPUT_PORT:
                at, port_at = (
                    self._case.at_edge(index, "from"),
                    self._case.at_edge(index, "fromPort"),
                )
                return (
                    {"op": "replace", "path": at, "value": name},
                    {"op": "add", "path": port_at, "value": port},
                )
        return None

    def _repaired(
        self, index: int, edge: Edge, key: str, end: NodeId
    ) -> tuple[str, Operation | None] | None:
        named = self._by_name.get(end, []) or self._by_plain_name.get(plain_word(end), [])
        meant = named[0] if len(named) == 1 else self._ids.meant(end)
        if meant is None and len(named) > 1:
            listed = " or ".join(repr(one) for one in named[:_MAX_NAMED])
            return f"several nodes have this title; use one of their ids: {listed}", None
        if meant is None and len(self._ids.nearest(end)) < 2:
            meant = self._by_type(end)
        meant = meant or (self._with_kind(end) if key == "to" else None)
        place = self._case.at_edge(index, key)
        if meant in self._twice:
            return None  # one of the two nodes may be the one that is meant, and lack its own id
        if meant is not None and self._fits(edge, key, NodeId(meant)):
            return f"did you mean {meant!r}?", {"op": "replace", "path": place, "value": meant}
        kind = "start" if key == "from" else "end"
        is_lost = self._is_drawn and kind in end.casefold() and kind not in self._types
        if is_lost and self._is_only(end, key):
            node = plain_node(end, kind)
            return f"add a node of type {kind!r}", {"op": "add", "path": "/nodes/-", "value": node}
        return None

    def _with_kind(self, end: NodeId) -> NodeId | None:
        """The only node without an edge to it whose id and kind are in the name: `filter_low`."""
        given = words(end)
        found = [
            one.id
            for one in self._nodes.values()
            if words(one.id) < given
            and given <= words(one.id) | words(one.ref or one.type)
            and not self._case.graph.incoming(one.id)
        ]
        return found[0] if len(found) == 1 else None

    def _by_type(self, end: NodeId) -> NodeId | None:
        """The only node of a type, where the type is written in place of its id."""
        said = plain_word(end)
        called = [
            one.id
            for one in self._nodes.values()
            if one.ref and said in {plain_word(one.ref), plain_word(one.ref.partition(".")[2])}
        ]
        if called:
            return called[0] if len(called) == 1 else None
        kind = meant_type(end) if end not in _ENDS else str(end)
        found = [one.id for one in self._nodes.values() if one.type == kind]
        return found[0] if kind in _ENDS and len(found) == 1 else None

    def _fits(self, edge: Edge, key: str, node: NodeId) -> bool:
        """Whether the edge can use this node without a new problem."""
        source, target = (edge.source, node) if key == "to" else (node, edge.target)
        if source == target or (source, target, *way(edge)) in self._known:
            return False
        if not self._has_port(self._nodes[source], edge.source_port) or is_attachment(edge):
            return False
        is_back = not self._is_loop_back(target, edge.target_port) and self._leads(target, source)
        return not is_back and not begins(self._case, self._nodes[target])

    def _is_loop_back(self, target: NodeId, port: str) -> bool:
        return port == NEXT and is_loop(self._nodes[target])

    def _leads(self, start: NodeId, end: NodeId) -> bool:
        """Whether one node leads to another; back edges of loop bodies are ignored."""
        found, waiting = {start}, [start]
        while waiting:
            for edge in self._case.graph.outgoing(waiting.pop()):
                is_back = self._is_loop_back(edge.target, edge.target_port)
                if edge.target not in found and not is_back:
                    found.add(edge.target)
                    waiting.append(edge.target)
        return end in found

    def _has_port(self, node: Node, port: str) -> bool:
        known = out_ports(self._case, node)
        return known is None or port in names_out(self._case, node, known)

    def _is_only(self, end: NodeId, key: str) -> bool:
        """Whether the node is used as a start or end by every edge."""
        edges = [one for one in self._case.workflow.edges if end in {one.source, one.target}]
        if key == "to":
            sources = [(self._nodes.get(one.source), one.source_port) for one in edges]
            return all(node and self._has_port(node, port) for node, port in sources)
        return all(edge.target != end and edge.source_port == OUTPUT_PORT for edge in edges)

    @cached_property
    def _ids(self) -> Spelling:
        return Spelling(tuple(self._nodes))

    @cached_property
    def _twice(self) -> frozenset[str]:
        """The ids that several nodes have."""
        counts = Counter(node.id for node in self._case.workflow.nodes)
        return frozenset(one for one, count in counts.items() if count > 1)

    @cached_property
    def _by_name(self) -> dict[str, list[NodeId]]:
        found: dict[str, list[NodeId]] = {}
        for node in self._nodes.values():
            found.setdefault(node.name, []).append(node.id)
        return found

    @cached_property
    def _by_plain_name(self) -> dict[str, list[NodeId]]:
        found: dict[str, list[NodeId]] = {}
        for node in self._nodes.values():
            found.setdefault(plain_word(node.name), []).append(node.id)
        return found

    @cached_property
    def _types(self) -> frozenset[str]:
        return frozenset(type_of(node) for node in self._case.workflow.nodes)

    @cached_property
    def _has_loose_end(self) -> bool:
        """Whether a step that is not attached to another has no edge to it."""
        attached: set[str] = set()
        for edge in self._case.graph.edges:
            attached |= {edge.source, edge.target} if is_attachment(edge) else set()
        for node in self._nodes.values():
            listed = node.data.get("attachedNodes")
            attached |= (
                {one for one in listed if isinstance(one, str)}
                if isinstance(listed, list)
                else set()
            )
        return any(
            one.id not in attached
            and not self._case.graph.incoming(one.id)
            and not begins(self._case, one)
            and one.type not in {"group", "note"}
            for one in self._nodes.values()
        )

    @cached_property
    def _is_drawn(self) -> bool:
        return style_of(self._case) == "drawn"

    @cached_property
    def _known(self) -> set[tuple[object, ...]]:
        return {(edge.source, edge.target, *way(edge)) for edge in self._case.workflow.edges}
