"""Small workflows, what the checks say of them, and what is left after a patch."""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise

from toolweave.catalog.index import Catalog
from toolweave.json_text import Json
from toolweave.nodes import discover
from toolweave.problems import Problem
from toolweave.workflow.checks import (
    cycles,
    edges,
    groups,
    identity,
    kinds,
    limits,
    modes,
    names,
    patterns,
    structure,
)
from toolweave.workflow.checks.context import CheckContext, KnownEnvironment
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.formats.load import convert
from toolweave.workflow.formats.toolweave import format as canonical
from toolweave.workflow.json_patch import apply_patch
from toolweave.workflow.model import Edge, EdgeId, Node, NodeId, Workflow, WorkflowId

NOW = datetime(2025, 12, 17, tzinfo=UTC)
SUBJECTS = (
    *(cycles, edges, groups, identity, kinds, limits),
    *(modes, names, patterns, structure),
)

Check = Callable[[CheckContext], Iterator[Problem]]


@cache
def known() -> KnownEnvironment:
    """Our own catalog, and no servers."""
    return KnownEnvironment(Catalog(node.spec for node in discover()), NOW)


def node(node_id: str, kind: str = "prompt", *, parent: str | None = None, **data: Json) -> Node:
    """A node named like its id; `FLOW.IF` is a catalog node."""
    kind, dot, subtype = kind.partition(".")
    given = {"subtype": subtype, **data} if dot else data
    group = NodeId(parent) if parent else None
    return Node(NodeId(node_id), kind, node_id, data=given, parent=group)


def line(*nodes: Node) -> Workflow:
    """Nodes one after the other."""
    return whole(nodes, [f"{one.id} > {other.id}" for one, other in pairwise(nodes)])


def whole(nodes: tuple[Node, ...] | list[Node], drawn: list[str] | None = None) -> Workflow:
    """Nodes and edges such as `a > b` and `a.true > b.next`; edges are called e0, e1, …."""
    edges = tuple(_edge(at, text) for at, text in enumerate(drawn or []))
    return Workflow(WorkflowId("w"), "w", tuple(nodes), edges)


def _edge(at: int, text: str) -> Edge:
    source, _, target = text.partition(" > ")
    start, _, port = source.partition(".")
    end, _, into = target.partition(".")
    ends = NodeId(start), NodeId(end)
    return Edge(EdgeId(f"e{at}"), *ends, port or "output", into or "input")


def found(check: Check, workflow: Workflow, format: FormatName = "toolweave") -> list[Problem]:
    """What one subject says."""
    return list(check(CheckContext(workflow, known(), format)))


def told(
    check: Check, workflow: Workflow, format: FormatName = "toolweave"
) -> list[tuple[str, str, str]]:
    """What one subject says, in short: severity, code and place."""
    return [(one.severity, one.code, one.pointer) for one in found(check, workflow, format)]


def everything(workflow: Workflow, format: FormatName = "toolweave") -> list[Problem]:
    """What all subjects of this folder say."""
    case = CheckContext(workflow, known(), format)
    return [problem for subject in SUBJECTS for problem in subject.check(case)]


def mended(workflow: Workflow, problem: Problem) -> Workflow:
    """The workflow after the problem's patch."""
    assert problem.patch is not None, problem
    document = apply_patch(convert(workflow, "toolweave"), problem.patch)
    return canonical.read(document).workflow


def after_patch(
    check: Check, workflow: Workflow, code: str, format: FormatName = "toolweave"
) -> Workflow:
    """The workflow after the patch of its one problem of a code.

    That problem is gone then, and no error is there that was not there before.
    """
    (problem,) = (one for one in found(check, workflow, format) if one.code == code)
    after = mended(workflow, problem)
    assert code not in {one.code for one in found(check, after, format)}
    before = Counter(one.code for one in everything(workflow, format) if one.severity == "error")
    now = Counter(one.code for one in everything(after, format) if one.severity == "error")
    assert now <= before
    return after


def drawing(workflow: Workflow) -> list[str]:
    """The edges, as `whole` takes them."""
    return [
        f"{edge.source}{_port(edge.source_port, 'output')} > "
        f"{edge.target}{_port(edge.target_port, 'input')}"
        for edge in workflow.edges
    ]


def _port(name: str, usual: str) -> str:
    return "" if name == usual else f".{name}"
