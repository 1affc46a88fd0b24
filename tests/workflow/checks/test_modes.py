"""Modes of MCP nodes, placed in the workflow."""

from dataclasses import replace

from tests.workflow.checks.building import after_patch, found, node, told, whole
from tests.workflow.mcp_nodes import described, detailed, tasked

from toolweave.json_text import JsonObject
from toolweave.workflow.checks.modes import check


def test_nodes_without_a_fault_and_other_nodes_have_no_problem() -> None:
    nodes = [detailed(), described(), node("p", mode="no-mode-of-mcp")]
    assert told(check, whole(nodes)) == []


def test_a_fault_is_placed_in_its_node_and_so_is_its_patch() -> None:
    workflow = whole([node("start", "start"), detailed(mode="aiToolSelectoin")])
    (problem,) = found(check, workflow)
    assert (problem.code, problem.pointer) == ("MCP_INVALID_MODE", "/nodes/1/data/mode")
    misspelt = whole([node("start", "start"), detailed(mode="detaild")])
    assert after_patch(check, misspelt, "MCP_INVALID_MODE").nodes[1].data["mode"] == "detailed"


def test_a_moved_configuration_is_moved_within_its_node() -> None:
    config = described().data["naturalLanguageParamConfig"]
    lost = described(naturalLanguageParamConfig=None, preservedNaturalLanguageParamConfig=config)
    after = after_patch(check, whole([lost]), "MCP_MODE_CONFIG_MISMATCH")
    assert after.nodes[0].data["naturalLanguageParamConfig"] == config


def test_what_files_of_the_drawing_tool_leave_out_is_no_error_there() -> None:
    config: JsonObject = {
        "taskDescription": "Find the documentation about buckets",
        "availableTools": [],
    }
    without = tasked(fullNaturalLanguageConfig=config)
    theirs = told(check, whole([without]), "ccwf")
    assert {severity for severity, _, _ in theirs} == {"warning"}
    assert told(check, whole([replace(without, kept={"ccwf": {}})])) == theirs
    ours = {(severity, code) for severity, code, _ in told(check, whole([without]))}
    assert ("error", "MCP_TOOL_LIST_EMPTY") in ours
