"""A filter whose condition is written as an expression, or beside its settings."""

import pytest
from tests.workflow.checks.building import known, line, node

from toolweave.json_text import JsonObject
from toolweave.workflow.model import Node, Workflow
from toolweave.workflow.repair import checked, fix

FUNCTION: JsonObject = {
    "filter_type": "custom_function",
    "custom_filter_function": "item.amount > 100",
}
CONDITION: JsonObject = {"field": "amount", "operator": ">", "value": 100}


def filtering(settings: JsonObject) -> Workflow:
    inputs: JsonObject = {"data": "{{ [{'amount': 1}] }}"}
    kept = node("keep", "FLOW.FILTER", configurations=settings, inputParams=inputs)
    return line(node("start", "start"), kept, node("end", "end"))


def the_filter(workflow: Workflow) -> Node:
    (found,) = [one for one in workflow.nodes if one.id == "keep"]
    return found


def is_valid(workflow: Workflow) -> bool:
    return all(one.problem.severity != "error" for one in checked(workflow, known(), "toolweave"))


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ({"condition": "item.amount > 100"}, FUNCTION),
        ({"filter_condition": "{{ item.amount > 100 }}"}, FUNCTION),
        ({"condition_expression": "item.amount > 100", "filter_type": "custom_function"}, FUNCTION),
        ({"conditions": "item.amount > 100"}, FUNCTION),
        ({"conditions": ["item.amount > 100"]}, FUNCTION),
        (
            {"conditions": ["item.amount > 100", "item.paid == true"], "logical_operator": "OR"},
            {
                "logical_operator": "OR",
                "filter_type": "custom_function",
                "custom_filter_function": "(item.amount > 100) || (item.paid == true)",
            },
        ),
        (
            {"conditions": [{"expression": "item.amount > 100"}]},
            {
                "filter_type": "complex_expression",
                "conditions": [{"expression": "item.amount > 100"}],
            },
        ),
        (CONDITION, {"conditions": [CONDITION]}),
    ],
)
def test_a_condition_is_moved_to_where_a_filter_reads_it(
    given: JsonObject, right: JsonObject
) -> None:
    workflow = filtering(given)
    assert not is_valid(workflow)
    fixed = fix(workflow, known(), "toolweave")
    assert the_filter(fixed.workflow).data["configurations"] == right
    assert is_valid(fixed.workflow)


@pytest.mark.parametrize(
    "given",
    [
        {"condition": "item.amount > 100", "where": "item.amount > 200"},
        {"condition": "order.amount > 100"},
        {"condition": "item.amount"},
        {"condition": "item.amount > 100", "filter_type": "regex_pattern"},
        {"conditions": ["item.amount > 100", "item.paid == true"], "logical_operator": "NOT"},
        {"conditions": [CONDITION]},
        FUNCTION,
    ],
)
def test_what_may_mean_something_else_is_not_moved(given: JsonObject) -> None:
    fixed = fix(filtering(given), known(), "toolweave")
    settings = the_filter(fixed.workflow).data["configurations"]
    assert isinstance(settings, dict)
    assert settings.get("custom_filter_function") == given.get("custom_filter_function")
    assert settings.get("filter_type") == given.get("filter_type")
