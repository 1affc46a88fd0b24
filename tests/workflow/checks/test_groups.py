"""Groups and called flows: unknown, within themselves."""

from dataclasses import replace

import pytest
from tests.workflow.checks.building import after_patch, found, known, node, told, whole

from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.groups import check
from toolweave.workflow.model import Workflow, WorkflowId

RESEARCH = replace(whole([]), id=WorkflowId("flow-research"), name="research")


def calling(flow: object, *flows: Workflow) -> Workflow:
    caller = node("a", "subAgentFlow")
    if flow is not None:
        caller.data["subAgentFlowId"] = flow  # pyright: ignore[reportArgumentType] # any JSON
    return replace(whole([caller]), subflows=flows)


def test_a_misspelt_group_is_a_warning_and_becomes_the_one_meant() -> None:
    workflow = whole([node("group-a", "group"), node("b", parent="grop-a")])
    assert told(check, workflow) == [("warning", "GROUP_UNKNOWN", "/nodes/1/parentId")]
    assert after_patch(check, workflow, "GROUP_UNKNOWN").nodes[1].parent == "group-a"


def test_a_group_that_is_gone_is_forgotten() -> None:
    workflow = whole([node("b", parent="gone")])
    assert after_patch(check, workflow, "GROUP_UNKNOWN").nodes[0].parent is None


def test_a_group_does_not_mean_itself() -> None:
    workflow = whole([node("group-a", "group", parent="grop-a")])
    assert after_patch(check, workflow, "GROUP_UNKNOWN").nodes[0].parent is None


def test_a_known_group_is_fine() -> None:
    assert told(check, whole([node("b", parent="g"), node("g", "group")])) == []


def test_groups_inside_each_other_are_told_and_taken_apart() -> None:
    groups = [node("g", "group", parent="h"), node("h", "group", parent="g")]
    workflow = whole([*groups, node("a", parent="g")])
    assert told(check, workflow) == [("error", "GROUP_CYCLE", "/nodes/0")]
    assert after_patch(check, workflow, "GROUP_CYCLE").nodes[0].parent is None


def test_a_group_in_itself_is_told() -> None:
    workflow = whole([node("g", "group", parent="g")])
    assert after_patch(check, workflow, "GROUP_CYCLE").nodes[0].parent is None


@pytest.mark.parametrize("called", ["flow-reserch", "Flow_Research", "research", "", None])
def test_a_flow_that_is_not_there_is_an_error_and_becomes_the_one_meant(
    called: str | None,
) -> None:
    workflow = calling(called, RESEARCH)
    place = "/nodes/0/data/subAgentFlowId"
    assert told(check, workflow) == [("error", "SUBFLOW_UNKNOWN", place)]
    after = after_patch(check, workflow, "SUBFLOW_UNKNOWN")
    assert after.nodes[0].data["subAgentFlowId"] == "flow-research"


@pytest.mark.parametrize("called", ["elsewhere", 7, None])
def test_a_flow_nobody_knows_is_an_error_without_a_guess(called: object) -> None:
    other = replace(RESEARCH, id=WorkflowId("flow-other"), name="other")
    problems = found(check, calling(called, RESEARCH, other))
    assert [(one.code, one.patch) for one in problems] == [("SUBFLOW_UNKNOWN", None)]


def test_a_flow_of_the_file_or_of_the_store_is_fine() -> None:
    assert told(check, calling("flow-research", RESEARCH)) == []
    stored = replace(known(), workflows=frozenset({"digest"}))
    assert list(check(CheckContext(calling("digest"), stored))) == []


def test_sub_flows_call_the_flows_of_the_whole() -> None:
    inner = replace(calling("flow-research"), id=WorkflowId("flow-inner"))
    outer = replace(whole([]), subflows=(inner, RESEARCH))
    assert list(check(CheckContext(inner, known(), whole=outer))) == []


def test_a_flow_that_calls_itself_is_a_warning() -> None:
    inner = replace(calling("flow-inner"), id=WorkflowId("flow-inner"))
    outer = replace(whole([]), subflows=(inner,))
    (problem,) = check(CheckContext(inner, known(), whole=outer))
    assert (problem.code, problem.severity) == ("SUBFLOW_OF_ITSELF", "warning")


def test_a_workflow_that_runs_itself_is_a_warning() -> None:
    runner = node("a", "FLOW.SUBWORKFLOW", configurations={"workflow": "w"})
    assert told(check, whole([runner])) == [
        ("warning", "SUBFLOW_OF_ITSELF", "/nodes/0/data/configurations/workflow")
    ]


def test_a_stored_workflow_that_is_misspelt_is_an_error_where_the_store_is_known() -> None:
    runner = node("a", "FLOW.SUBWORKFLOW", configurations={"workflow": "dialy-digest"})
    assert told(check, whole([runner])) == []
    stored = replace(known(), workflows=frozenset({"daily-digest", "other"}))
    (problem,) = check(CheckContext(whole([runner]), stored))
    place = "/nodes/0/data/configurations/workflow"
    assert (problem.code, problem.pointer) == ("WORKFLOW_UNKNOWN", place)
    assert problem.patch == ({"op": "replace", "path": place, "value": "daily-digest"},)


def test_a_workflow_that_an_expression_chooses_is_fine() -> None:
    runner = node("a", "FLOW.SUBWORKFLOW", configurations={"workflow": "{{ data.name }}"})
    stored = replace(known(), workflows=frozenset({"x"}))
    assert list(check(CheckContext(whole([runner]), stored))) == []
