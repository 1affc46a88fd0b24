"""Keys by which other systems control a run are reported, and become edges where that is clear."""

from dataclasses import replace

from tests.workflow.checks.building import drawing, known, line, node, whole

from toolweave.json_text import JsonObject
from toolweave.problems import Problem
from toolweave.workflow.checks import control_keys
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.json_patch import apply_patch
from toolweave.workflow.model import Workflow

START, A, B = node("start", "start"), node("a"), node("b")


def found(workflow: Workflow) -> list[Problem]:
    return list(control_keys.check(CheckContext(workflow, known())))


def keyed(extras: JsonObject, *edges: str) -> Workflow:
    return whole([START, replace(A, extras=extras), B], list(edges))


def test_a_setting_of_another_system_is_reported_without_a_fix() -> None:
    for key in ("onError", "continue_on_fail", "retry", "when", "typeVersion"):
        (problem,) = found(keyed({key: 1}, "start > a", "a > b"))
        assert (problem.code, problem.pointer) == ("CONTROL_KEY_UNKNOWN", f"/nodes/1/{key}")
        assert problem.patch is None
    assert found(keyed({"color": "red"}, "start > a", "a > b")) == []
    assert found(line(START, A, B)) == []


def test_a_key_that_repeats_an_edge_is_removed() -> None:
    (problem,) = found(keyed({"next": "b"}, "start > a", "a > b"))
    assert problem.patch == ({"op": "remove", "path": "/nodes/1/next"},)


def test_a_missing_edge_is_made_of_the_key_only_if_the_node_has_none() -> None:
    workflow = keyed({"dependsOn": ["start"]})
    (problem,) = found(workflow)
    after = read(apply_patch(convert(workflow, "toolweave"), problem.patch or ())).workflow
    assert drawing(after) == ["start > a"]
    (problem,) = found(keyed({"next": "b"}, "start > a", "a > start"))
    assert problem.patch is None
