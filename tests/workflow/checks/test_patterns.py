"""Known mistakes: replies that are read twice, and attached nodes that cannot be."""

import pytest
from tests.workflow.checks.building import after_patch, found, line, node, told, whole

from toolweave.json_text import Json
from toolweave.workflow.checks.patterns import check
from toolweave.workflow.model import Workflow

TRIGGER = node("t", "TRIGGER.MANUAL")
REVIEW = node("ask", "HUMAN_IN_THE_LOOP.MANUAL_REVIEW")
TOOL, MEMORY = node("slack-tool", "TOOL.SLACK_MCP_TOOL"), node("mem", "MEMORY.KEY_VALUE_STORE")
FETCH = node("fetch", "ACTION.HTTP_REQUEST")


def with_agent(attached: Json) -> Workflow:
    agent = node("agent", "AI_AGENT.OPENAI_CHATGPT", attachedNodes=attached)
    return whole([TRIGGER, agent, TOOL, MEMORY, FETCH], ["t > agent", "agent > fetch"])


@pytest.mark.parametrize("after", ["FLOW.IF", "AI_AGENT.OPENAI_CHATGPT"])
def test_a_decision_or_an_agent_after_a_persons_reply_is_a_warning(after: str) -> None:
    workflow = whole([TRIGGER, REVIEW, node("x", after)], ["t > ask", "ask.confirmed > x"])
    assert told(check, workflow) == [("warning", "HIL_ANALYSED_TWICE", "/connections/1")]


@pytest.mark.parametrize(
    ("port", "after"),
    [("confirmed", "ACTION.HTTP_REQUEST"), ("timeout", "FLOW.IF"), ("confirmed", "FLOW.SORT")],
)
def test_anything_else_after_a_persons_reply_is_fine(port: str, after: str) -> None:
    workflow = whole([TRIGGER, REVIEW, node("x", after)], ["t > ask", f"ask.{port} > x"])
    assert told(check, workflow) == []


def test_tools_and_memories_may_be_attached() -> None:
    assert told(check, with_agent(["slack-tool", "mem"])) == []
    assert told(check, with_agent([])) == []
    assert told(check, with_agent(None)) == []


def test_a_misspelt_attached_node_is_an_error_and_becomes_the_one_meant() -> None:
    workflow = with_agent(["mem", "slak-tool"])
    place = "/nodes/1/data/attachedNodes/1"
    assert told(check, workflow) == [("error", "ATTACHED_UNKNOWN", place)]
    after = after_patch(check, workflow, "ATTACHED_UNKNOWN")
    assert after.nodes[1].data["attachedNodes"] == ["mem", "slack-tool"]


@pytest.mark.parametrize("one", ["ghost", 7])
def test_an_attached_node_nobody_knows_is_not_removed(one: Json) -> None:
    (problem,) = found(check, with_agent([one, "mem"]))
    assert (problem.code, problem.patch) == ("ATTACHED_UNKNOWN", None)
    assert problem.hint == "use one of 'slack-tool', 'mem', or remove it"


def test_a_node_that_is_attached_already_is_not_meant_again() -> None:
    (problem,) = found(check, with_agent(["slack-tool", "slak-tool"]))
    assert (problem.code, problem.patch) == ("ATTACHED_UNKNOWN", None)


def test_a_node_of_another_kind_cannot_be_attached() -> None:
    workflow = with_agent(["fetch"])
    assert told(check, workflow) == [("warning", "ATTACHED_KIND", "/nodes/1/data/attachedNodes/0")]
    # Another node may be meant, or this one as a step.
    assert [one.patch for one in found(check, workflow)] == [None]


def test_one_attached_node_that_is_no_list_becomes_one() -> None:
    after = after_patch(check, with_agent("mem"), "ATTACHED_UNKNOWN")
    assert after.nodes[1].data["attachedNodes"] == ["mem"]
    assert [one.patch for one in found(check, with_agent(7))] == [None]


def test_only_agents_have_attached_nodes() -> None:
    other = node("x", "ACTION.HTTP_REQUEST", attachedNodes=["mem"])
    workflow = line(TRIGGER, other)
    assert told(check, workflow) == [
        ("warning", "ATTACHED_TO_NO_AGENT", "/nodes/1/data/attachedNodes")
    ]
    after = after_patch(check, workflow, "ATTACHED_TO_NO_AGENT")
    assert "attachedNodes" not in after.nodes[1].data


def test_nodes_of_the_drawing_tool_may_keep_a_field_of_that_name() -> None:
    assert told(check, whole([node("p", attachedNodes=["x"])])) == []
