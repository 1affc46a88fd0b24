"""The only change of a loop's edges that explains what its body and its followers cannot read."""

import pytest
from tests.workflow.checks.building import drawing, known, mended, node, whole

from toolweave.json_text import JsonObject
from toolweave.problems import Problem
from toolweave.workflow.checks import check_workflow
from toolweave.workflow.model import Node, Workflow
from toolweave.workflow.repair import checked, fix
from toolweave.workflow.repair_loops import with_loop_edges

_SHORT: JsonObject = {"duration_seconds": 1}
TRIGGER = node("t", "TRIGGER.MANUAL")


def _loop(name: str = "each", item: str = "row") -> Node:
    settings = {"iteration_variable": item}
    return node(name, "FLOW.FOR_EACH", configurations={**settings}, inputParams={"data": [1, 2]})


def _reading(name: str, text: str) -> Node:
    return node(name, "FLOW.DELAY", configurations=_SHORT, inputParams={"data": text})


LOOP = _loop()
BODY, AFTER = _reading("body", "{{ row }}"), _reading("after", "{{ each.succeeded }}")
NEUTRAL = _reading("pause", "x")


def _found(workflow: Workflow) -> list[Problem]:
    before = check_workflow(workflow, known())
    after = with_loop_edges(workflow, known(), "toolweave", before)
    assert [(one.code, one.message) for one in after] == [(one.code, one.message) for one in before]
    return after


def _patched(workflow: Workflow) -> list[Problem]:
    return [one for one in _found(workflow) if one.patch]


def _after(workflow: Workflow) -> list[str]:
    """The edges after every fix, which leaves no error."""
    repaired = fix(workflow, known(), "toolweave")
    assert not [one for one in repaired.left if one.severity == "error"]
    return sorted(drawing(repaired.workflow))


def test_the_only_nodes_that_read_the_item_become_the_body() -> None:
    nodes = [TRIGGER, LOOP, BODY, NEUTRAL, AFTER]
    workflow = whole(nodes, ["t > each", "each.done > after", "body > pause"])
    assert _after(workflow) == ["body > pause", "each.done > after", "each.loop > body", "t > each"]
    reported = [one.problem for one in checked(workflow, known(), "toolweave")]
    assert [one.code for one in reported if one.patch] == ["NODE_UNREACHED"]


def test_two_loops_without_a_body_get_those_that_read_their_items() -> None:
    other, inner = _loop("all", "line"), _reading("inner", "{{ line }}")
    nodes = [TRIGGER, LOOP, other, BODY, inner]
    workflow = whole(nodes, ["t > each", "each.done > all"])
    assert _after(workflow) == [
        "all.loop > inner",
        "each.done > all",
        "each.loop > body",
        "t > each",
    ]


@pytest.mark.parametrize(
    ("nodes", "drawn", "hint"),
    [
        # Two nodes read the item.
        (
            [TRIGGER, LOOP, BODY, _reading("other", "{{ row }}")],
            ["t > each"],
            "connect port 'loop' of 'each' to 'body', or connect port 'loop' of 'each' to 'other'",
        ),
        # Two loops have an item of this name.
        (
            [TRIGGER, LOOP, _loop("all"), BODY],
            ["t > each", "each.done > all"],
            "connect port 'loop' of 'each' to 'body', or connect port 'loop' of 'all' to 'body'",
        ),
    ],
)
def test_of_two_possible_bodies_the_hint_names_both(
    nodes: list[Node], drawn: list[str], hint: str
) -> None:
    problems = _found(whole(nodes, drawn))
    assert [one for one in problems if one.patch] == []
    assert hint in {one.hint for one in problems}


def test_a_memory_that_reads_the_item_may_belong_to_an_agent_too() -> None:
    message = {"message": "{{ row }}", "role": "user"}
    kept = node("kept", "MEMORY.CONVERSATION_BUFFER", configurations={}, inputParams={**message})
    problems = _found(whole([TRIGGER, LOOP, kept], ["t > each"]))
    assert [one for one in problems if one.patch] == []
    hints = {one.hint for one in problems if one.code == "NODE_UNREACHED"}
    assert hints == {"connect port 'loop' of 'each' to 'kept', or attach it to an AI_AGENT"}


@pytest.mark.parametrize(
    ("nodes", "drawn"),
    [
        # Nothing reads the item: the node may be meant to be anywhere.
        ([TRIGGER, LOOP, NEUTRAL], ["t > each"]),
        # The loop has a body.
        ([TRIGGER, LOOP, BODY, NEUTRAL], ["t > each", "each.loop > pause"]),
        # The body reads a node that does not run before it.
        (
            [TRIGGER, LOOP, _reading("body", "{{ row }} {{ after.data }}"), AFTER],
            ["t > each", "each.done > after"],
        ),
    ],
)
def test_a_body_is_not_guessed(nodes: list[Node], drawn: list[str]) -> None:
    assert not any(
        "'loop' of" in (one.hint or "") and one.patch for one in _patched(whole(nodes, drawn))
    )


def test_exchanged_ports_are_exchanged_if_that_removes_every_problem() -> None:
    workflow = whole(
        [TRIGGER, LOOP, BODY, AFTER], ["t > each", "each.done > body", "each.loop > after"]
    )
    problems = _patched(workflow)
    assert {one.code for one in problems} == {"REFERENCE_OUTSIDE_LOOP", "REFERENCE_NOT_RUN"}
    assert drawing(mended(workflow, problems[0])) == [
        "t > each",
        "each.loop > body",
        "each.done > after",
    ]
    assert _after(workflow) == ["each.done > after", "each.loop > body", "t > each"]


@pytest.mark.parametrize(
    "nodes",
    [
        # What is in the body reads the item as well.
        [TRIGGER, LOOP, BODY, _reading("after", "{{ row }}")],
        # What would be in the body then reads the result.
        [TRIGGER, LOOP, _reading("body", "{{ row }} {{ each.succeeded }}"), AFTER],
    ],
)
def test_ports_are_not_exchanged_where_a_problem_would_be_left(nodes: list[Node]) -> None:
    drawn = ["t > each", "each.done > body", "each.loop > after"]
    assert _patched(whole(nodes, drawn)) == []


def test_what_reads_the_result_in_the_body_follows_the_loop() -> None:
    drawn = ["t > each", "each.loop > body", "body > after"]
    workflow = whole([TRIGGER, LOOP, BODY, AFTER], drawn)
    assert _after(workflow) == ["each.done > after", "each.loop > body", "t > each"]


def test_where_the_body_ends_is_not_guessed() -> None:
    drawn = ["t > each", "each.loop > body", "body > pause", "pause > after"]
    problems = _found(whole([TRIGGER, LOOP, BODY, NEUTRAL, AFTER], drawn))
    assert [one for one in problems if one.patch] == []
    (hint,) = (one.hint or "" for one in problems if one.code == "REFERENCE_NOT_RUN")
    assert "'pause'" in hint
    assert "'after'" in hint


def test_a_right_loop_is_not_searched() -> None:
    drawn = ["t > each", "each.loop > body", "each.done > after"]
    workflow = whole([TRIGGER, LOOP, BODY, AFTER], drawn)
    assert [one for one in check_workflow(workflow, known()) if one.severity == "error"] == []
    assert _patched(workflow) == []
