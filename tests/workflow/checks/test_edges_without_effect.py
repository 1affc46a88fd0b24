"""Edges into what starts a run, and edges to and from groups."""

import pytest
from tests.workflow.checks.building import after_patch, drawing, found, node, whole

from toolweave.workflow.checks.edges import check
from toolweave.workflow.model import Node

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


def test_an_edge_to_a_group_leads_to_its_only_first_node() -> None:
    inside = [node("p", parent="g"), node("q", parent="g")]
    workflow = whole([START, GROUP, *inside, END], ["start > g", "p > q", "q > end"])
    after = after_patch(check, workflow, "EDGE_AT_GROUP")
    assert drawing(after) == ["start > p", "p > q", "q > end"]


def test_an_edge_from_a_group_starts_at_its_only_last_node() -> None:
    boxes = [GROUP, node("h", "group", parent="g")]
    inside = [node("p", parent="g"), node("q", parent="h")]
    workflow = whole([START, *boxes, *inside, END], ["start > p", "p > q", "g > end"])
    after = after_patch(check, workflow, "EDGE_AT_GROUP")
    assert drawing(after) == ["start > p", "p > q", "q > end"]


@pytest.mark.parametrize(
    ("drawn", "named"),
    [
        (["start > g", "p > end", "q > end"], ["'p'", "'q'"]),
        (["start > g", "p > q", "q > p"], []),
        (["p > g", "q > end"], []),
    ],
)
def test_an_edge_to_a_group_without_one_first_node_has_no_patch(
    drawn: list[str], named: list[str]
) -> None:
    inside = [node("p", parent="g"), node("q", parent="g")]
    problems = found(check, whole([START, GROUP, *inside, END], drawn))
    (problem,) = (one for one in problems if one.code == "EDGE_AT_GROUP")
    assert problem.patch is None
    assert all(one in (problem.hint or "") for one in named)
