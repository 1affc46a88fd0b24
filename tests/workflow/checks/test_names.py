"""Names: their pattern and lengths, and names that files are made of."""

from dataclasses import replace

import pytest
from tests.workflow.checks.building import after_patch, found, node, told, whole

from toolweave.json_text import JsonObject
from toolweave.workflow.checks.names import check
from toolweave.workflow.model import Node


def named(name: str, kind: str = "mcp", node_id: str = "a") -> Node:
    return replace(node(node_id, kind), name=name)


@pytest.mark.parametrize("name", ["Check AWS", "a_b", "ümlaut"])
def test_a_name_outside_the_pattern_is_a_warning(name: str) -> None:
    workflow = whole([named(name)])
    assert told(check, workflow) == [("warning", "NODE_NAME_UNUSUAL", "/nodes/0/name")]
    assert told(check, replace(whole([]), name=name)) == [
        ("warning", "WORKFLOW_NAME_UNUSUAL", "/name")
    ]


def test_names_of_nodes_of_flows_and_of_catalog_workflows_are_free() -> None:
    workflow = replace(whole([named("Daily digest!", "template")]), name="Weekly")
    assert told(check, workflow, "flow") == []
    assert told(check, replace(workflow, name="Weekly digest"), "agent-team") == []


@pytest.mark.parametrize("name", ["", " "])
def test_an_empty_name_is_a_warning_and_becomes_the_id(name: str) -> None:
    workflow = whole([named(name, node_id="check-aws")])
    assert told(check, workflow) == [("warning", "NODE_NAME_EMPTY", "/nodes/0/name")]
    assert after_patch(check, workflow, "NODE_NAME_EMPTY").nodes[0].name == "check-aws"


@pytest.mark.parametrize("key", ["title", "label", "nodeName", "Name", "nmae"])
def test_a_name_under_another_key_keeps_its_text(key: str) -> None:
    for other in ({key: "Check the weather"}, {key: "Check the weather", "color": "red"}):
        workflow = whole([replace(named("", node_id="check"), extras=other)])
        (problem,) = found(check, workflow)
        assert problem.patch == (
            {"op": "move", "from": f"/nodes/0/{key}", "path": "/nodes/0/name"},
        )
        assert after_patch(check, workflow, "NODE_NAME_EMPTY").nodes[0].name == "Check the weather"


def test_a_label_among_the_settings_of_a_catalog_node_is_its_name() -> None:
    data: JsonObject = {"subtype": "DELAY", "label": "Wait a moment"}
    workflow = whole([replace(named("", "FLOW", "wait"), data=data)])
    assert after_patch(check, workflow, "NODE_NAME_EMPTY").nodes[0].name == "Wait a moment"


def test_of_two_texts_that_may_be_the_name_none_is_chosen() -> None:
    workflow = whole([replace(named("", node_id="check"), extras={"title": "One", "label": "Two"})])
    (problem,) = found(check, workflow)
    assert (problem.code, problem.patch) == ("NODE_NAME_EMPTY", None)


@pytest.mark.parametrize("kind", ["start", "end", "group"])
def test_a_start_an_end_and_a_group_need_no_name(kind: str) -> None:
    assert told(check, whole([named("", kind)])) == []


def test_a_node_of_a_flow_needs_no_name() -> None:
    assert told(check, whole([named("", "template")]), "flow") == []


def test_two_agents_of_one_file_are_a_warning_and_the_later_gets_another_name() -> None:
    agents = [named("Writer", "subAgent", "a"), named("writer-2", "subAgent", "b")]
    workflow = whole([*agents, named("writer!", "subAgent", "c")])
    assert told(check, workflow) == [("warning", "NODE_NAME_SHARED", "/nodes/2/name")]
    assert after_patch(check, workflow, "NODE_NAME_SHARED").nodes[2].name == "writer-3"


def test_nodes_without_a_file_may_share_a_name() -> None:
    assert told(check, whole([named("same", "prompt", "a"), named("same", "prompt", "b")])) == []


@pytest.mark.parametrize("name", ["../../secrets", "a\\b", ".."])
def test_a_name_that_is_a_path_is_a_warning(name: str) -> None:
    problems = found(check, whole([named(name, "subAgent")]))
    assert [(one.code, one.pointer) for one in problems] == [("NODE_NAME_PATH", "/nodes/0/name")]


def test_a_name_no_file_can_have_is_no_crash() -> None:
    assert told(check, whole([named("x" * 1_000, "subAgent"), named("\ud800", "subAgent")])) == []


def test_the_name_of_a_sub_flow_is_not_the_workflows() -> None:
    assert [one.code for one in found(check, replace(whole([]), name="My flow"))] == [
        "WORKFLOW_NAME_UNUSUAL"
    ]
