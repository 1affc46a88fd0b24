"""Finds the only change of a loop's edges that explains why its item or its result is not there.

An edge at the port `loop` is forgotten, the ports `loop` and `done` are exchanged, or the body
leads on to what follows the loop. Each change is tried on the whole workflow; one is offered if it
alone removes all problems of this kind and causes no other.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from toolweave.problems import Problem
from toolweave.workflow.checks import check_workflow
from toolweave.workflow.checks.context import CheckContext, KnownEnvironment
from toolweave.workflow.checks.edge_ends import Operation, begins
from toolweave.workflow.checks.edges_without_effect import attached_nodes
from toolweave.workflow.checks.identity import Ids
from toolweave.workflow.checks.kinds import SILENT, is_loop
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.json_patch import apply_patch
from toolweave.workflow.model import INPUT_PORT, Edge, NodeId, Workflow
from toolweave.workflow.scope.reachability import BACK_PORT, BODY_PORTS, Reach

MAX_SIZE = 200
MAX_TRIED = 12
_CODES = frozenset({"REFERENCE_OUTSIDE_LOOP", "REFERENCE_NOT_RUN"})
_UNREACHED = "NODE_UNREACHED"
# Such a node without edges may belong to an agent.
_ASIDE = frozenset({"TOOL", "MEMORY"})
_ATTACHED = "attach it to an AI_AGENT"
_BODY, _DONE = "loop", "done"
_DONE_PORTS = frozenset({_DONE, "completed", "complete"})


@dataclass(frozen=True, slots=True)
class _Change:
    """A change of the edges of a loop; `first` is the first node of a body to be connected."""

    loop: NodeId
    patch: tuple[Operation, ...]
    hint: str
    first: NodeId | None = None


def with_loop_edges(
    workflow: Workflow, known: KnownEnvironment, format: FormatName, problems: list[Problem]
) -> list[Problem]:
    """Return the problems, with a patch where one change of a loop's edges removes them."""
    if not any(one.code in _CODES and one.patch is None for one in problems):
        return problems
    if len(workflow.nodes) > MAX_SIZE or workflow.subflows:
        return problems
    if not any(map(is_loop, workflow.nodes)):
        return problems
    return _Search(CheckContext(workflow, known, format), problems).fixed()


class _Search:
    def __init__(self, case: CheckContext, problems: list[Problem]) -> None:
        self._case = case
        self._graph = case.graph
        self._problems = problems
        self._document = convert(case.workflow, "toolweave")
        self._said = _said(problems)

    def fixed(self) -> list[Problem]:
        """The problems, those that a change removes with its patch."""
        bodies = [*self._bodies()]
        others = [*self._exchanges(), *self._ends_of_bodies()]
        if len(bodies) + len(others) > MAX_TRIED:
            return self._problems
        problems = self._problems
        tried = [(one, gone) for one in bodies if (gone := self._removed(one))]
        of_loops, of_firsts = (
            Counter(change.loop for change, _ in tried),
            Counter(change.first for change, _ in tried),
        )
        for change, gone in tried:
            rivals = [
                one for one, _ in tried if one.loop == change.loop or one.first == change.first
            ]
            is_only = of_loops[change.loop] == of_firsts[change.first] == 1
            if change.first is not None and self._graph.nodes[change.first].type in _ASIDE:
                is_only, rivals = False, [*rivals, replace(change, hint=_ATTACHED)]
            problems = _with_answer(problems, gone, rivals, is_only=is_only, code=_UNREACHED)
        tried = [(one, gone) for one in others if (gone := self._removed(one))]
        for _, gone in tried[:1]:
            rivals = [one for one, _ in tried]
            problems = _with_answer(problems, gone, rivals, is_only=len(tried) == 1)
        return problems

    def _loops(self) -> Iterator[tuple[NodeId, list[tuple[int, Edge]], list[tuple[int, Edge]]]]:
        """Each loop with the edges of its body and those of what follows it."""
        nodes = self._graph.nodes
        for name in [one.id for one in nodes.values() if is_loop(one)]:
            leaving = [(at, one) for at, one in self._case.edges if one.source == name]
            leaving = [(at, one) for at, one in leaving if one.target in nodes]
            body = [(at, one) for at, one in leaving if one.source_port in BODY_PORTS]
            after = [(at, one) for at, one in leaving if one.source_port in _DONE_PORTS]
            yield name, body, after

    def _bodies(self) -> Iterator[_Change]:
        """A loop without a body, and the first of nodes that nothing leads to."""
        open_loops = [name for name, body, _ in self._loops() if not body]
        if not open_loops:
            return
        attached = attached_nodes(self._case)
        ids = Ids(edge.id for edge in self._case.workflow.edges)
        for node in self._graph.nodes.values():
            if node.id in attached or node.type in SILENT or begins(self._case, node):
                continue
            if self._graph.incoming(node.id):
                continue
            for name in open_loops:
                if name in self._graph.reachable([node.id]):
                    continue
                ends = {"from": name, "to": node.id, "fromPort": _BODY, "toPort": INPUT_PORT}
                edge = {"id": ids.free(f"{name}.{_BODY}->{node.id}"), **ends}
                patch: Operation = {"op": "add", "path": self._place(name), "value": edge}
                yield _Change(
                    name, (patch,), f"connect port {_BODY!r} of {name!r} to {node.id!r}", node.id
                )

    def _place(self, loop: NodeId) -> str:
        """Where an edge of a loop's body is listed: before what follows the loop."""
        leaving = (at for at, one in self._case.edges if one.source == loop)
        return f"/connections/{next(leaving, '-')}"

    def _exchanges(self) -> Iterator[_Change]:
        """A loop whose two ports may be exchanged."""
        for name, body, after in self._loops():
            if not body or not after:
                continue
            ports = [(at, _DONE) for at, _ in body] + [(at, _BODY) for at, _ in after]
            patch = tuple(
                {"op": "replace", "path": self._case.at_edge(at, "fromPort"), "value": port}
                for at, port in sorted(ports)
            )
            yield _Change(name, patch, f"exchange the ports {_BODY!r} and {_DONE!r} of {name!r}")

    def _ends_of_bodies(self) -> Iterator[_Change]:
        """An edge inside a body that may come from the port `done` of a loop that lacks one."""
        loops = [name for name, body, after in self._loops() if body and not after]
        if not loops:
            return
        reach = Reach(self._graph)
        for at, edge in self._case.edges:
            if edge.source not in self._graph.nodes or edge.target not in self._graph.nodes:
                continue
            around = reach.loops_around(edge.source) or ()
            if not around or around[0].id not in loops or edge.target_port == BACK_PORT:
                continue
            name = around[0].id
            patch = (
                {"op": "replace", "path": self._case.at_edge(at, "from"), "value": name},
                {"op": "replace", "path": self._case.at_edge(at, "fromPort"), "value": _DONE},
            )
            hint = f"lead to {edge.target!r} from port {_DONE!r} of {name!r}, not from its body"
            yield _Change(name, patch, hint)

    def _removed(self, change: _Change) -> list[Problem]:
        """The problems that a change removes; none unless it removes all of them and adds none."""
        after = read(apply_patch(self._document, change.patch)).workflow
        left = _said(check_workflow(after, self._case.known, self._case.format))
        if left - self._said:
            return []
        gone = self._said - left
        about = self._parts_of(change)
        asked = [
            one
            for one in self._problems
            if one.code in _CODES
            and one.patch is None
            and (about is None or _part(one.pointer) in about)
        ]
        is_whole = bool(asked) and all((one.code, one.message) in gone for one in asked)
        if change.first is not None:
            is_whole &= any(one.code == "REFERENCE_OUTSIDE_LOOP" for one in asked)
        return [one for one in self._problems if (one.code, one.message) in gone] * is_whole

    def _parts_of(self, change: _Change) -> set[str] | None:
        """The nodes of a body that is to be connected; None for every node."""
        if change.first is None:
            return None
        inside = self._graph.reachable([change.first])
        return {self._case.at(self._graph.nodes[one]) for one in inside}


def _with_answer(
    problems: list[Problem],
    gone: list[Problem],
    rivals: list[_Change],
    *,
    is_only: bool,
    code: str | None = None,
) -> list[Problem]:
    """The problems that a change removes with its patch, or with a hint that names all changes."""
    has_code = any(one.code == code for one in gone)
    hint = ", or ".join(dict.fromkeys(one.hint for one in rivals))
    return [
        replace(one, hint=hint, patch=rivals[0].patch if is_only else None)
        if one in gone and one.patch is None and (one.code == code or not has_code)
        else one
        for one in problems
    ]


def _said(problems: Sequence[Problem]) -> Counter[tuple[str, str]]:
    return Counter((one.code, one.message) for one in problems)


def _part(place: str) -> str:
    return "/".join(place.split("/")[:3])
