"""Whatever a workflow looks like: no check fails, and no patch makes it worse."""

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.tools.strategies import steady
from tests.workflow.checks.building import everything, mended
from tests.workflow.strategies import WORKFLOWS

from toolweave.json_text import Json
from toolweave.problems import Problem
from toolweave.workflow.formats.format import FORMAT_NAMES, FormatName
from toolweave.workflow.model import Edge, EdgeId, Node, NodeId, Workflow, WorkflowId

IDS = st.sampled_from(["start", "collect", "colect", "end", "node-1", "node-2", "if"])
PORTS = st.sampled_from(["output", "true", "ture", "loop", "done", "branch-0", "branch-9", "main"])
INPUTS = st.sampled_from(["input", "next", "inptu", "left"])
KINDS = st.sampled_from(
    [
        *("start", "end", "prompt", "promt", "subAgent", "subAgentFlow", "ifElse", "switch"),
        *("askUserQuestion", "group", "mcp", "template", "multi_input", "result", "nothing"),
        *("TRIGGER.MANUAL", "FLOW.IF", "FLOW.LOOP", "FLOW_NODE.IF", "AI_AGENT.OPENAI_CHATGPT"),
        *("HUMAN_IN_THE_LOOP.MANUAL_REVIEW", "TOOL.SLACK_MCP_TOOL", "FLOW.NOTHING"),
    ]
)
LISTS = st.lists(st.fixed_dictionaries({"label": IDS}) | IDS, max_size=3)
VALUES: dict[str, st.SearchStrategy[Any]] = {  # Any: JSON of narrower types than `Json`
    "branches": LISTS,
    "options": LISTS,
    "attachedNodes": st.lists(IDS, max_size=2),
    "subAgentFlowId": IDS,
    "prompt": IDS,
}
DATA: st.SearchStrategy[dict[str, Json]] = st.fixed_dictionaries({}, optional=VALUES)


@st.composite
def nodes(draw: st.DrawFn) -> Node:
    kind, dot, subtype = draw(KINDS).partition(".")
    data = draw(DATA)
    parent = draw(st.none() | IDS)
    return Node(
        NodeId(draw(IDS)),
        kind,
        draw(IDS),
        data={"subtype": subtype, **data} if dot else data,
        parent=NodeId(parent) if parent else None,
    )


def edges() -> st.SearchStrategy[Edge]:
    ends = IDS.map(NodeId)
    return st.builds(Edge, IDS.map(EdgeId), ends, ends, PORTS, INPUTS)


def tangled() -> st.SearchStrategy[Workflow]:
    return st.builds(
        Workflow,
        st.just(WorkflowId("w")),
        IDS,
        st.lists(nodes(), max_size=6).map(tuple),
        st.lists(edges(), max_size=8).map(tuple),
    )


def _count(problems: list[Problem], code: str) -> int:
    return sum(one.code == code for one in problems)


@steady(100)
@given(tangled(), st.sampled_from(FORMAT_NAMES))
def test_every_patch_mends_its_problem_and_makes_no_error(
    workflow: Workflow, format: FormatName
) -> None:
    problems = everything(workflow, format)
    before = Counter(one.code for one in problems if one.severity == "error")
    for problem in problems:
        # What a node lacks can be seen only when it is known which node it is.
        if problem.patch is None or problem.code == "NODE_UNKNOWN":
            continue
        after = everything(mended(workflow, problem), format)
        now = Counter(one.code for one in after if one.severity == "error")
        assert now <= before, (problem, now - before)
        assert _count(after, problem.code) < _count(problems, problem.code), problem


@steady(100)
@given(WORKFLOWS, st.sampled_from(FORMAT_NAMES))
def test_no_check_fails_on_any_workflow(workflow: Workflow, format: FormatName) -> None:
    assert all(problem.code and problem.message for problem in everything(workflow, format))
