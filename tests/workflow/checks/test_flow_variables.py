"""Variables of flows whose key or value is called otherwise."""

import pytest
from tests.workflow.checks.building import found, mended, node, whole

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.checks.flow_variables import check
from toolweave.workflow.model import Workflow


def _flow(*variables: Json, text: str = "Sum up {notes}.") -> Workflow:
    nodes = [
        node("in", "multi_input", variables=[*variables]),
        node("a", "template", template=text),
    ]
    return whole(nodes, ["in > a"])


@pytest.mark.parametrize(
    ("variable", "expected"),
    [
        ({"name": "notes", "value": 1}, {"key": "notes", "value": 1}),
        ({"variable": "notes", "value": "a"}, {"key": "notes", "value": "a"}),
        ({"key": "notes", "default": 5}, {"key": "notes", "value": 5}),
        # The template says which of two is the key.
        (
            {"name": "notes", "label": "Notes", "value": "a"},
            {"key": "notes", "label": "Notes", "value": "a"},
        ),
    ],
)
def test_a_key_and_a_value_of_another_name_are_renamed(
    variable: JsonObject, expected: JsonObject
) -> None:
    workflow = _flow(variable)
    (problem,) = found(check, workflow, "flow")
    assert (problem.code, problem.severity) == ("FIELD_UNKNOWN", "warning")
    after = mended(workflow, problem).nodes[0].data["variables"]
    assert after == [expected]


def test_two_possible_keys_are_both_named_and_neither_is_renamed() -> None:
    (problem,) = found(check, _flow({"name": "x", "id": "y", "value": "a"}), "flow")
    assert problem.patch is None
    assert "'name' or 'id'" in (problem.hint or "")


@pytest.mark.parametrize(
    "variable",
    ["notes", {"key": "notes"}, {"key": "notes", "value": 1, "name": "Notes"}, {"value": 1}],
)
def test_what_a_run_reads_and_what_says_nothing_is_left_alone(variable: Json) -> None:
    assert found(check, _flow(variable), "flow") == []
