"""Repair: only by patches that are proven, everything at once, and never for the worse."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tools.strategies import steady
from tests.workflow.checks.building import known, line, node, whole
from tests.workflow.checks.test_patches import tangled

from toolweave.json_text import JsonObject, write
from toolweave.workflow.checks import check_workflow
from toolweave.workflow.formats.format import FORMAT_NAMES, FormatName
from toolweave.workflow.formats.load import load
from toolweave.workflow.model import EdgeId, Workflow
from toolweave.workflow.repair import FIRST, MAX_REPORTED, checked, fix


def errors(workflow: Workflow, format: FormatName = "toolweave") -> Counter[str]:
    found = check_workflow(workflow, known(), format)
    return Counter(one.code for one in found if one.severity == "error")


def test_faults_of_many_nodes_are_mended_together() -> None:
    workflow = line(
        node("start", "strat"),
        node("a", "promtp", prompt="x"),
        node("wait", "FLOW.DLEAY"),
        node("end", "end"),
    )
    fixed = fix(workflow, known(), "toolweave")
    assert [one.type for one in fixed.workflow.nodes] == ["start", "prompt", "FLOW", "end"]
    assert [one.code for one in fixed.left] == []
    assert len(fixed.repaired) == 3


def test_what_cannot_be_mended_is_left_and_told() -> None:
    fixed = fix(line(node("start", "start"), node("a", "quantum")), known(), "toolweave")
    assert "NODE_TYPE_UNKNOWN" in [one.code for one in fixed.left]


def test_a_right_workflow_is_given_back_as_it_is() -> None:
    workflow = line(node("start", "start"), node("a", prompt="x"), node("end", "end"))
    fixed = fix(workflow, known(), "toolweave")
    assert fixed.workflow is workflow
    assert fixed.repaired == ()


def test_an_edge_that_was_named_after_its_ends_still_is() -> None:
    workflow = whole([node("start", "start"), node("write", prompt="x")], ["start > wrtie"])
    (edge,) = workflow.edges
    named = replace(workflow, edges=(replace(edge, id=EdgeId("start->wrtie")),))
    fixed = fix(named, known(), "toolweave")
    assert ("start->write", "write") in [(one.id, one.target) for one in fixed.workflow.edges]


def test_of_very_many_problems_the_errors_are_told_first() -> None:
    nodes = [node(f"n{at}", parent="nowhere", prompt="x") for at in range(MAX_REPORTED + 200)]
    workflow = whole([*nodes, node("last", "quantum")])
    told = [one.problem for one in checked(workflow, known(), "toolweave")]
    assert len(told) == MAX_REPORTED + 1
    assert told[-1].code == "PROBLEMS_LEFT_OUT"
    assert "NODE_TYPE_UNKNOWN" in [one.code for one in told]


@steady(50)
@given(tangled(), st.sampled_from(FORMAT_NAMES))
def test_no_proven_patch_and_no_mending_makes_an_error(
    workflow: Workflow, format: FormatName
) -> None:
    before = errors(workflow, format)
    for one in checked(workflow, known(), format):
        # Of an unknown node nothing was checked before; its fix may bring errors to light.
        if one.repaired is not None and one.problem.code != "NODE_UNKNOWN":
            assert errors(one.repaired, format) <= before, one.problem
    after = fix(workflow, known(), format)
    if "NODE_UNKNOWN" not in {one.code for one in after.repaired}:
        assert errors(after.workflow, format) <= before
    else:
        assert errors(after.workflow, format)["NODE_UNKNOWN"] < before["NODE_UNKNOWN"]


def _repeated(size: int) -> Workflow:
    """A line of prompts in which every edge is there twice."""
    ids = ["start", *(f"n{at}" for at in range(size))]
    nodes = [node("start", "start"), *(node(one, prompt="x") for one in ids[1:])]
    return whole(nodes, [f"{one} > {other}" for one, other in pairwise(ids) for _ in range(2)])


def test_each_of_very_many_problems_keeps_its_patch() -> None:
    found = list(checked(_repeated(300), known(), "toolweave"))
    repeated = [one for one in found if one.problem.code == "EDGE_DUPLICATE"]
    assert len(repeated) == 300
    assert all(one.problem.patch for one in repeated)


def test_the_time_for_many_problems_grows_with_their_number() -> None:
    def cost(size: int) -> float:
        workflow = _repeated(size)
        return min(_cpu_s(lambda: list(checked(workflow, known(), "toolweave"))) for _ in range(3))

    cost(100)
    assert cost(800) < 20 * cost(100)  # 64 times, if each patch were proven alone


def _cpu_s(work: Callable[[], object]) -> float:
    started = process_time()
    work()
    return process_time() - started


def test_a_fix_includes_the_errors_it_reveals_in_the_same_node() -> None:
    # Alone, neither is enough: the setting has another name, and it takes CEL without a template.
    condition = node("big", "FLOW.IF", configurations={"condition": "{{ data.amount > 100 }}"})
    right = node("big", "FLOW.IF", configurations={"condition_expression": "data.amount > 100"})
    workflow = line(node("start", "start"), condition)
    found = [one for one in checked(workflow, known(), "toolweave") if one.problem.patch]
    assert {one.problem.code for one in found} == {"FIELD_REQUIRED", "FIELD_UNKNOWN"}
    assert len({str(one.problem.patch) for one in found}) == 1
    offered = next(one for one in found if one.problem.code == "FIELD_REQUIRED")
    assert offered.repaired is not None
    assert offered.repaired.nodes[1] == right
    assert offered.problem.hint is not None
    assert "condition_expression" in offered.problem.hint
    assert "data.amount > 100" in offered.problem.hint
    assert fix(workflow, known(), "toolweave").workflow.nodes[1] == right


def test_a_fix_that_reveals_an_error_without_a_fix_is_not_offered() -> None:
    # The setting has another name, and what its value means is unknown.
    condition = node("big", "FLOW.IF", configurations={"condition": "if the order is large"})
    workflow = line(node("start", "start"), condition)
    found = list(checked(workflow, known(), "toolweave"))
    assert [one for one in found if one.problem.code == "FIELD_REQUIRED"]
    assert not [one for one in found if one.problem.patch]


@pytest.mark.parametrize(
    ("part", "right"),
    [
        ({"configurations": {"items": "{{ trigger.cities }}"}}, {"array_path": "trigger.cities"}),
        ({"configurations": {"items": "trigger.cities"}}, {"array_path": "trigger.cities"}),
        (
            {"input_params": {"items": "{{ trigger.cities }}"}},
            {"data": "{{ trigger.cities }}"},
        ),
    ],
)
def test_a_name_is_fixed_before_what_follows_from_it(part: JsonObject, right: JsonObject) -> None:
    # Without its list a loop goes through the input of the run, which is an object.
    document: JsonObject = {
        "name": "cities",
        "inputSchema": {
            "type": "object",
            "properties": {"cities": {"type": "array", "items": {"type": "string"}}},
            "required": ["cities"],
        },
        "nodes": [
            {"id": "trigger", "name": "Start", "type": "TRIGGER", "subtype": "MANUAL"},
            {"id": "loop", "name": "Each", "type": "FLOW", "subtype": "FOR_EACH", **part},
        ],
        "connections": [{"from_node": "trigger", "to_node": "loop"}],
    }
    workflow = load(write(document)).workflow
    offered = [one.problem for one in checked(workflow, known(), "agent-team")]
    assert not any("then did you mean" in (one.hint or "") for one in offered)
    caused = [one for one in offered if one.code == "NODE_INPUT_INVALID"]
    assert [(one.hint, one.patch) for one in caused] == [(FIRST, None)]
    fixed = fix(workflow, known(), "agent-team")
    (loop,) = [one for one in fixed.workflow.nodes if one.id == "loop"]
    assert [value for value in loop.data.values() if isinstance(value, dict) and value] == [right]
    assert fixed.left == ()
