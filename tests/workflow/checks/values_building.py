"""Workflows with one node under test, what the checks of values say of them, and their patches."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import cast

from tests.catalog.builders import our_catalog

from toolweave.catalog.index import Catalog
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.tools.tool import Tool
from toolweave.workflow.checks import expressions, secrets, tools, values
from toolweave.workflow.checks import node_content as contents
from toolweave.workflow.checks.context import CheckContext, KnownEnvironment
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.json_patch import apply_patch
from toolweave.workflow.model import Edge, EdgeId, Node, NodeId, Workflow, WorkflowId

NOW = datetime(2026, 2, 1, tzinfo=UTC)
UNDER_TEST = "/nodes/1/data"
SUBJECTS = (contents, expressions, secrets, tools, values)

Check = Callable[[CheckContext], Iterator[Problem]]


def catalog_node(
    ref: str,
    configurations: Mapping[str, object] | None = None,
    inputs: Mapping[str, object] | None = None,
    node_id: str = "n",
) -> Node:
    """A catalog node; what is not given is not written."""
    node_type, _, subtype = ref.partition(".")
    data: dict[str, object] = {"subtype": subtype}
    data |= {} if configurations is None else {"configurations": configurations}
    data |= {} if inputs is None else {"inputParams": inputs}
    return plain_node(node_type, data, node_id)


def plain_node(kind: str, data: Mapping[str, object], node_id: str = "n") -> Node:
    """Any node."""
    return Node(NodeId(node_id), kind, node_id, data=cast(JsonObject, dict(data)))


def a_workflow(*nodes: Node, is_fed: bool = True) -> Workflow:
    """A start and these nodes in a line; without edges if nothing feeds them."""
    every = (Node(NodeId("s"), "start", "s"), *nodes)
    pairs = pairwise(every) if is_fed else ()
    edges = tuple(Edge(EdgeId(f"e-{two.id}"), one.id, two.id) for one, two in pairs)
    return Workflow(WorkflowId("w"), "w", every, edges)


def a_case(
    workflow: Workflow,
    *,
    catalog: Catalog | None = None,
    live: Mapping[str, Sequence[Tool]] | None = None,
    format: FormatName = "toolweave",
) -> CheckContext:
    """A workflow among our nodes, and the tools of these servers if any were asked."""
    asked = live.get if live is not None else None
    return CheckContext(
        workflow, KnownEnvironment(catalog or our_catalog(), NOW, tools=asked), format
    )


def found(check: Check, node: Node, *, is_fed: bool = True) -> list[Problem]:
    """What one check says of one node."""
    return list(check(a_case(a_workflow(node, is_fed=is_fed))))


def every_problem(case: CheckContext) -> list[Problem]:
    """What all checks of values say."""
    return [problem for subject in SUBJECTS for problem in subject.check(case)]


def errors(problems: list[Problem]) -> list[Problem]:
    """Those that stop a run."""
    return [problem for problem in problems if problem.severity == "error"]


def mended(case: CheckContext, problem: Problem) -> CheckContext:
    """The case after the problem's patch."""
    assert problem.patch is not None
    document: Json = convert(case.workflow, "toolweave")
    workflow = read(apply_patch(document, problem.patch)).workflow
    return CheckContext(workflow, case.known, case.format)


def assert_mends(case: CheckContext, problem: Problem) -> CheckContext:
    """The patch takes its problem away and brings no other error."""
    after = mended(case, problem)
    said = {(one.code, one.pointer) for one in every_problem(after)}
    assert (problem.code, problem.pointer) not in said
    before = {(one.code, one.pointer) for one in errors(every_problem(case))}
    assert {(one.code, one.pointer) for one in errors(every_problem(after))} <= before
    return after
