"""Ids: empty, used twice, too long."""

from dataclasses import replace

import pytest
from tests.workflow.checks.building import after_patch, found, known, line, node, told, whole

from toolweave.workflow.checks import edges
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.identity import check
from toolweave.workflow.model import EdgeId, Node, Position

START, END = node("start", "start"), node("end", "end")


def test_a_second_node_of_an_id_is_an_error_and_its_edges_are_not_guessed() -> None:
    workflow = whole([START, node("a"), node("a", prompt="other"), END], ["start > a", "a > end"])
    assert told(check, workflow) == [("error", "NODE_ID_DUPLICATE", "/nodes/2/id")]
    (problem,) = check(CheckContext(workflow, known()))
    assert problem.patch is None
    assert "'a-2'" in (problem.hint or "")


def test_a_copy_of_a_node_at_another_place_is_removed() -> None:
    copy = replace(node("a"), position=Position(5, 5))
    workflow = whole([START, node("a"), copy, END], ["start > a", "a > end"])
    after = after_patch(check, workflow, "NODE_ID_DUPLICATE")
    assert [one.id for one in after.nodes] == ["start", "a", "end"]


def _named(node_id: str, name: str) -> Node:
    return replace(node(node_id), name=name, data={"prompt": name})


@pytest.mark.parametrize("names", [("look", "Late note"), ("Look", "x"), ("x", "late-note")])
def test_the_node_whose_name_is_the_only_id_that_edges_miss_is_named(
    names: tuple[str, str],
) -> None:
    nodes = [START, *(_named("look", one) for one in names), END]
    (problem,) = found(check, whole(nodes, ["start > look", "look > late_note", "late_note > end"]))
    assert problem.patch is None
    assert "'late_note', as the node at /nodes/2 is called" in (problem.hint or "")


def test_the_first_of_two_nodes_is_named_too_and_no_edge_is_led_elsewhere() -> None:
    nodes = [START, _named("look", "late"), _named("look", "look"), END]
    workflow = whole(nodes, ["start > look", "look > late", "late > end"])
    (problem,) = found(check, workflow)
    assert "'late', as the node at /nodes/1 is called" in (problem.hint or "")
    assert all(one.patch is None for one in found(edges.check, workflow))


@pytest.mark.parametrize(
    ("names", "drawn"),
    [
        (("x", "y"), ["start > look", "look > late", "late > end"]),
        (("late", "Late"), ["start > look", "look > late", "late > end"]),
        (("look", "late"), ["start > look", "look > late", "late > over"]),
        (("look", "late"), ["start > look", "look > end"]),
        (("look", "late", "z"), ["start > look", "look > late", "late > end"]),
    ],
)
def test_no_node_is_named_where_it_is_not_clear_which(
    names: tuple[str, ...], drawn: list[str]
) -> None:
    nodes = [START, *(_named("look", one) for one in names), END]
    problems = found(check, whole(nodes, drawn))
    assert {one.code for one in problems} == {"NODE_ID_DUPLICATE"}
    assert all(one.patch is None and "is called" not in (one.hint or "") for one in problems)


def test_a_new_id_is_none_that_is_taken() -> None:
    workflow = whole([node("a-2"), node("a"), node("a", prompt="x")])
    (problem,) = check(CheckContext(workflow, known()))
    assert "'a-3'" in (problem.hint or "")


def test_an_empty_id_is_an_error_and_gets_one() -> None:
    workflow = whole([node("node-1"), node("")])
    assert told(check, workflow) == [("error", "NODE_ID_MISSING", "/nodes/1/id")]
    assert after_patch(check, workflow, "NODE_ID_MISSING").nodes[1].id == "node-2"


def test_a_second_edge_of_an_id_is_a_warning_and_gets_an_id_of_its_own() -> None:
    workflow = line(START, node("a"), END)
    first, second = workflow.edges
    workflow = replace(workflow, edges=(first, replace(second, id=EdgeId("e0"))))
    assert told(check, workflow) == [("warning", "EDGE_ID_DUPLICATE", "/connections/1/id")]
    after = after_patch(check, workflow, "EDGE_ID_DUPLICATE")
    assert [one.id for one in after.edges] == ["e0", "e0-2"]


def test_an_edge_without_an_id_is_a_warning_and_gets_one() -> None:
    workflow = line(START, END)
    workflow = replace(workflow, edges=(replace(workflow.edges[0], id=EdgeId("")),))
    assert told(check, workflow) == [("warning", "EDGE_ID_MISSING", "/connections/0/id")]
    assert after_patch(check, workflow, "EDGE_ID_MISSING").edges[0].id == "start->end"


def test_an_id_of_over_50_characters_is_unusual_in_a_flow_only() -> None:
    workflow = whole([node("n" * 51, "template"), node("n" * 50, "template")])
    assert told(check, workflow, "flow") == [("warning", "NODE_ID_TOO_LONG", "/nodes/0/id")]
    assert told(check, workflow) == []
