"""Cycles: named, and allowed through the body of a loop only."""

import pytest
from tests.workflow.checks.building import after_patch, drawing, found, node, told, whole

from toolweave.workflow.checks.cycles import check

A, B, C = node("a"), node("b"), node("c")
START, TRIGGER = node("start", "start"), node("t", "TRIGGER.MANUAL")
LOOP = node("loop", "FLOW.LOOP")


def test_a_cycle_is_an_error_that_names_it_and_leaves_the_choice() -> None:
    workflow = whole([START, A, B, C], ["start > a", "a > b", "b > a", "b > c"])
    (problem,) = found(check, workflow)
    assert (problem.code, problem.severity) == ("CIRCULAR_DEPENDENCY", "error")
    assert problem.pointer == "/connections/2"
    assert problem.message == "circular connection: a → b → a"
    assert problem.patch is None


def test_a_cycle_that_nothing_leads_to_is_found() -> None:
    workflow = whole([A, B, C], ["a > b", "b > c", "c > a"])
    (problem,) = found(check, workflow)
    assert "a → b → c → a" in problem.message


def test_each_edge_back_is_told_by_itself() -> None:
    workflow = whole([START, A, B, C], ["start > a", "a > b", "b > a", "b > c", "c > b"])
    assert [one.pointer for one in found(check, workflow)] == ["/connections/2", "/connections/4"]


def test_a_diamond_is_no_cycle() -> None:
    drawn = ["start > a", "start > b", "a > c", "b > c"]
    assert told(check, whole([START, A, B, C], drawn)) == []


@pytest.mark.parametrize(
    "drawn",
    [
        ["t > loop", "loop.loop > a", "a > b", "b > loop.next", "loop.done > c"],
        ["t > loop", "loop.iteration > a", "a > loop.next", "loop.completed > c"],
        ["t > loop", "loop.loop > a", "loop.done > c"],
        ["t > loop", "t > a", "loop.loop > a", "a > loop.next", "loop.done > c"],
    ],
)
def test_the_body_of_a_loop_may_lead_back_to_it(drawn: list[str]) -> None:
    assert told(check, whole([TRIGGER, A, B, C, LOOP], drawn)) == []


def test_a_body_that_leads_back_by_another_way_in_is_a_warning() -> None:
    workflow = whole([TRIGGER, LOOP, A], ["t > loop", "loop.loop > a", "a > loop"])
    assert told(check, workflow) == [("warning", "LOOP_BACK_PORT", "/connections/2/toPort")]
    after = after_patch(check, workflow, "LOOP_BACK_PORT")
    assert drawing(after)[2] == "a > loop.next"


def test_what_comes_after_a_loop_may_not_lead_back_to_it() -> None:
    workflow = whole([TRIGGER, LOOP, A], ["t > loop", "loop.done > a", "a > loop.next"])
    assert told(check, workflow) == [("error", "CIRCULAR_DEPENDENCY", "/connections/2")]


def test_a_body_may_not_lead_back_to_a_node_before_its_loop() -> None:
    workflow = whole([TRIGGER, A, LOOP, B], ["t > a", "a > loop", "loop.loop > b", "b > a"])
    assert told(check, workflow) == [("error", "CIRCULAR_DEPENDENCY", "/connections/3")]


def test_a_tool_given_to_an_agent_is_no_way_on() -> None:
    agent, tool = node("g", "AI_AGENT.OPENAI_CHATGPT"), node("x", "TOOL.SLACK_MCP_TOOL")
    assert told(check, whole([agent, tool], ["g > x", "x.ai_tool > g"])) == []


def test_a_cycle_of_thousands_is_named_by_its_ends() -> None:
    nodes = [node(f"n{at}") for at in range(5_000)]
    drawn = [f"n{at} > n{(at + 1) % 5_000}" for at in range(5_000)]
    (problem,) = found(check, whole(nodes, drawn))
    assert "n0 → n1" in problem.message
    assert problem.message.endswith("(4993 more) → n4999 → n0")
