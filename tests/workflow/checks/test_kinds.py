"""Types and subtypes that do not exist, and what was meant."""

from dataclasses import replace

import pytest
from tests.workflow.checks.building import after_patch, found, known, line, node, told, whole

from toolweave.tools.tool import Tool
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.kinds import check, style_of
from toolweave.workflow.formats.format import FormatName

TRIGGER = node("t", "TRIGGER.MANUAL")


def no_tools(server: str) -> list[Tool]:
    return []


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("promt", "prompt"),
        ("Prompt", "prompt"),
        ("strat", "start"),
        ("if_else", "ifElse"),
        ("ask_user_question", "askUserQuestion"),
        ("sub-agent", "subAgent"),
        ("multiInput", "multi_input"),
        ("swich", "switch"),
    ],
)
def test_a_misspelt_type_is_an_error_and_becomes_the_one_meant(written: str, meant: str) -> None:
    workflow = whole([node("a", written, branches=[{}, {}], options=[{}, {}])])
    assert told(check, workflow) == [("error", "NODE_TYPE_UNKNOWN", "/nodes/0/type")]
    assert after_patch(check, workflow, "NODE_TYPE_UNKNOWN").nodes[0].type == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("FLOW_NODE.IF", "FLOW.IF"),
        ("flow.if", "FLOW.IF"),
        ("IF.FLOW", "FLOW.IF"),
        ("ACTION.HTTP_REQUST", "ACTION.HTTP_REQUEST"),
        ("ACTION.http-request", "ACTION.HTTP_REQUEST"),
        ("TRIGGER.TRIGGER_MANUAL", "TRIGGER.MANUAL"),
        ("AI_AGENT_NODE.CLAUDE", "AI_AGENT.ANTHROPIC_CLAUDE"),
        ("EXTERNAL_ACTION.SLACK_NODE", "EXTERNAL_ACTION.SLACK"),
    ],
)
def test_a_name_that_means_a_catalog_node_is_corrected(written: str, meant: str) -> None:
    workflow = line(TRIGGER, node("a", written))
    (problem,) = found(check, workflow)
    assert (problem.severity, problem.code) == ("error", "NODE_UNKNOWN")
    assert problem.pointer in {"/nodes/1/type", "/nodes/1/data/subtype"}
    assert after_patch(check, workflow, "NODE_UNKNOWN").nodes[1].ref == meant


def test_a_type_that_holds_the_subtype_is_taken_apart() -> None:
    workflow = line(TRIGGER, replace(node("a"), type="FLOW.IF"))
    assert after_patch(check, workflow, "NODE_UNKNOWN").nodes[1].ref == "FLOW.IF"


def test_a_name_that_means_nothing_is_an_error_without_a_patch() -> None:
    workflow = whole([node("a", "teleport"), node("b", "FLOW.TELEPORT"), node("c", "FLOW.")])
    assert told(check, workflow) == [
        ("error", "NODE_TYPE_UNKNOWN", "/nodes/0/type"),
        ("error", "NODE_UNKNOWN", "/nodes/1/data/subtype"),
        ("error", "NODE_UNKNOWN", "/nodes/2/data/subtype"),
    ]
    assert [one.patch for one in found(check, workflow)] == [None, None, None]


def test_a_subtype_that_is_no_text_is_an_error() -> None:
    workflow = whole([node("a", "FLOW", subtype=7)])
    (problem,) = found(check, workflow)
    assert (problem.code, problem.pointer) == ("NODE_UNKNOWN", "/nodes/0/data/subtype")
    assert "IF" in (problem.hint or "")


def test_a_tool_of_a_server_that_was_not_asked_is_no_error() -> None:
    workflow = line(TRIGGER, node("a", "TOOL.MCP:files/read"))
    assert told(check, workflow) == [("warning", "NODE_UNKNOWN", "/nodes/1/data/subtype")]
    asked = CheckContext(workflow, replace(known(), tools=no_tools))
    assert [one.severity for one in check(asked)] == ["error"]


@pytest.mark.parametrize(
    "kind",
    [
        *("start", "end", "prompt", "subAgent", "subAgentFlow", "askUserQuestion", "ifElse"),
        *("switch", "branch", "skill", "mcp", "codex", "group"),
        *("template", "multi_input", "result", "input", "flow-link"),
    ],
)
def test_every_type_of_the_drawing_tool_and_of_flows_is_known(kind: str) -> None:
    assert told(check, whole([node("a", kind)])) == []


def test_a_type_of_another_make_without_a_subtype_is_corrected() -> None:
    workflow = line(TRIGGER, node("a", "ACTION_HTTP_REQUEST", subtype=None))
    assert after_patch(check, workflow, "NODE_UNKNOWN").nodes[1].ref == "ACTION.HTTP_REQUEST"


def test_thousands_of_unknown_nodes_are_all_told() -> None:
    nodes = [node(f"a{at}", f"kind{at}") for at in range(2_000)]
    nodes += [node(f"b{at}", f"FLOW.KIND{at}") for at in range(2_000)]
    assert len(found(check, whole(nodes))) == 4_000


def test_a_node_without_a_type_is_left_to_the_reader() -> None:
    assert told(check, whole([node("a", "")])) == []


@pytest.mark.parametrize(
    ("kinds", "format", "style"),
    [
        (["start", "prompt"], "toolweave", "drawn"),
        (["prompt"], "ccwf", "drawn"),
        (["start", "FLOW.IF"], "toolweave", "catalog"),
        (["prompt"], "agent-team", "catalog"),
        (["template", "result"], "toolweave", "flow"),
        (["prompt"], "flow", "flow"),
    ],
)
def test_the_rules_of_a_dialect_follow_from_its_nodes(
    kinds: list[str], format: FormatName, style: str
) -> None:
    nodes = [node(f"n{at}", kind) for at, kind in enumerate(kinds)]
    assert style_of(CheckContext(whole(nodes), known(), format)) == style
