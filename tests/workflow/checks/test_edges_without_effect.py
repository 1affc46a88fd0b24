"""Edges into what starts a run, and edges to and from groups."""

import pytest
from tests.workflow.checks.building import found, node, whole

from toolweave.problems import Problem
from toolweave.workflow.checks.edges import check
from toolweave.workflow.model import Node, Workflow

START, END, TRIGGER = node("start", "start"), node("end", "end"), node("t", "TRIGGER.MANUAL")
A, B = node("a", "FLOW.DELAY"), node("b", "FLOW.DELAY")
GROUP = node("g", "group")


def test_an_edge_back_to_the_trigger_is_to_be_removed_or_to_become_a_loop() -> None:
    (problem,) = found(check, whole([TRIGGER, A, B], ["t > a", "a > b", "b > t"]))
    assert (problem.code, problem.patch) == ("EDGE_INTO_START", None)
    assert "FLOW.LOOP" in (problem.hint or "")


@pytest.mark.parametrize(
    ("nodes", "drawn"),
    [
        # The edge may be meant for the node that nothing leads to.
        ([TRIGGER, A, B], ["t > a", "a > t"]),
        # It closes no circle.
        ([TRIGGER, node("u", "TRIGGER.MANUAL"), A, B], ["t > a", "u > b", "b > t"]),
        # The last step of a drawing leads to its end.
        ([START, node("p"), node("q"), END], ["start > p", "p > q", "p > end", "q > start"]),
        # Another edge names a node that is missing.
        ([TRIGGER, A, B], ["t > a", "a > b", "b > t", "b > c"]),
    ],
)
def test_an_edge_to_the_first_node_stays_where_it_can_mean_another(
    nodes: list[Node], drawn: list[str]
) -> None:
    (problem,) = (one for one in found(check, whole(nodes, drawn)) if one.code == "EDGE_INTO_START")
    assert problem.patch is None
    assert "FLOW.LOOP" not in (problem.hint or "")


def test_a_drawn_decision_may_lead_back_to_the_start_and_is_not_changed() -> None:
    ask = node("ask", "askUserQuestion", options=[{"label": "Again"}, {"label": "Done"}])
    drawn = ["start > ask", "ask.branch-0 > start", "ask.branch-1 > end"]
    assert all(one.patch is None for one in found(check, whole([START, ask, END], drawn)))


def _of_group(workflow: Workflow) -> Problem:
    (problem,) = (one for one in found(check, workflow) if one.code == "EDGE_AT_GROUP")
    assert problem.patch is None
    return problem


def test_the_only_first_node_of_a_group_is_named_for_an_edge_to_it() -> None:
    inside = [node("p", parent="g"), node("q", parent="g")]
    drawn = ["start > g", "p > q", "q > end"]
    hint = _of_group(whole([START, GROUP, *inside, END], drawn)).hint
    assert hint == "connect 'p', the first node of the group, or remove the edge"


def test_the_only_last_node_of_a_group_is_named_for_an_edge_from_it() -> None:
    boxes = [GROUP, node("h", "group", parent="g")]
    inside = [node("p", parent="g"), node("q", parent="h")]
    hint = _of_group(whole([START, *boxes, *inside, END], ["start > p", "p > q", "g > end"])).hint
    assert hint == "connect 'q', the last node of the group, or remove the edge"


@pytest.mark.parametrize(
    ("drawn", "named"),
    [
        (["start > g", "p > end", "q > end"], ["'p'", "'q'"]),
        (["start > g", "p > q", "q > p"], []),
        (["p > g", "q > end"], []),
    ],
)
def test_an_edge_to_a_group_without_one_first_node_names_none_or_all(
    drawn: list[str], named: list[str]
) -> None:
    inside = [node("p", parent="g"), node("q", parent="g")]
    hint = _of_group(whole([START, GROUP, *inside, END], drawn)).hint or ""
    assert all(one in hint for one in named)
    assert "node of the group, or" not in hint
