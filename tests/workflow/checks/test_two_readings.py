"""A document with two readings gets no patch; the same document with one of them gets it."""

from typing import Any

import pytest
from tests.workflow.checks.test_fixes_by_meaning import report, step

SORT = {"sort_field": "a"}
LOOP = {"max_iterations": 3, "iteration_variable": "n"}
REPO = {"github_token": "${vault:gh}", "action_type": "list_issues"}
TEXT = "Be brief."


def _patched(kind: str, subtype: str, settings: dict[str, Any], inputs: dict[str, Any]) -> Any:
    """The settings and inputs of the node after all fixes; None if there is no patch for it."""
    found = report(step(kind, subtype, configurations=settings, inputParams=inputs))
    if not any(one.patch for one in found.problems if one.pointer.startswith("/nodes/1")):
        return None
    node = found.fixed.workflow.nodes[1]
    return node.data["configurations"], node.data.get("inputParams", {}), node.ref


@pytest.mark.parametrize(
    ("node", "settings", "two", "one"),
    [
        # Two settings that disagree, and two that agree.
        (
            "EXTERNAL_ACTION.GITHUB",
            REPO,
            {"repository_config": {"owner": "other", "repo": "acme/site"}},
            {"repository_config": {"owner": "acme", "repo": "acme/site"}},
        ),
        # A comma between items, or in a number.
        ("HUMAN_IN_THE_LOOP.MANUAL_REVIEW", {}, {"reviewers": "1, 2,5"}, {"reviewers": "a, b"}),
        # A name of the node that another setting contradicts.
        (
            "FLOW.WHILE",
            LOOP,
            {"loop_type": "for_range", "end_value": 3},
            {"loop_type": "while", "loop_condition": "data.n < 3"},
        ),
        # A member that two objects of the node have.
        (
            "EXTERNAL_ACTION.TELEGRAM_ACTION",
            {"telegram_bot_token": "${vault:t}", "action_type": "send_message", "chat_id": "1"},
            {"disable_notification": True},
            {"mesage_text": TEXT},
        ),
        # Aggregations that give two values the same name.
        (
            "ACTION.DATA_TRANSFORMATION",
            {"operation": "aggregate"},
            {"aggregation_functions": [{"function": "sum", "field": f, "as": "a"} for f in "xy"]},
            {"aggregation_functions": [{"function": "sum", "field": f, "as": f} for f in "xy"]},
        ),
        # Another format of three letters, and two letters in the wrong order.
        ("ACTION.PARSE", {}, {"format": "tsv"}, {"format": "cvs"}),
        # How many items at once, or in one part.
        (
            "FLOW.FOR_EACH",
            {},
            {"batch_size": 3},
            {"concurrency": 3},
        ),
        # An object whose members are settings, and one with a member that is none.
        ("FLOW.SORT", {}, {"sort": {"field": "a", "by": "b"}}, {"sort": {"field": "a"}}),
    ],
)
def test_two_readings_get_no_patch(
    node: str, settings: dict[str, Any], two: dict[str, Any], one: dict[str, Any]
) -> None:
    kind, _, subtype = node.partition(".")
    assert _patched(kind, subtype, {**settings, **two}, {}) is None
    assert _patched(kind, subtype, {**settings, **one}, {}) is not None


@pytest.mark.parametrize(
    ("node", "settings", "fixed"),
    [
        ("FLOW.SORT", {"sort": {"field": "a", "order": "desc"}}, SORT | {"order": "desc"}),
        (
            "FLOW.SWITCH",
            {"cases": {"case-0": "data.a > 1", "case-1": "data.a > 2"}},
            {"cases": [{"when": "data.a > 1"}, {"when": "data.a > 2"}]},
        ),
        (
            "FLOW.SWITCH",
            {"case_0": "data.a > 1", "case_1": "data.a > 2"},
            {"cases": [{"when": "data.a > 1"}, {"when": "data.a > 2"}]},
        ),
        ("ACTION.PARSE", *({"format": "csv", "delimiter": one} for one in ("\\;", ";"))),
        (
            "HUMAN_IN_THE_LOOP.SLACK_INTERACTION",
            *({"channel": "@a", one: 240} for one in ("timeoutMinutes", "timeout_minutes")),
        ),
        (
            "ACTION.HTTP_REQUEST",
            *(
                {"method": "POST", "url": "https://example.com/a", one: "json"}
                for one in ("content_type", "body_type")
            ),
        ),
        (
            "ACTION.DATA_TRANSFORMATION",
            {"operation": "aggregate", "aggregation_functions": {"n": "count(*)"}},
            {"operation": "aggregate", "aggregation_functions": {"n": "count"}},
        ),
    ],
)
def test_a_value_in_another_form_gets_the_only_one(
    node: str, settings: dict[str, Any], fixed: dict[str, Any]
) -> None:
    kind, _, subtype = node.partition(".")
    found = _patched(kind, subtype, settings, {"data": "{{ trigger.rows }}"})
    assert found is not None
    assert found[0] == fixed


@pytest.mark.parametrize(
    ("condition", "severity"),
    [
        ("{{ trigger.total }} > 500", "warning"),
        ("{{ trigger.total }} > 500 && {{ trigger.status }} == 'paid'", "error"),
        ("={{ trigger.total }}", "error"),
    ],
)
def test_placeholders_that_no_value_makes_a_condition_are_an_error(
    condition: str, severity: str
) -> None:
    found = report(step("FLOW", "IF", configurations={"condition_expression": condition}))
    problem = next(one for one in found.problems if one.code == "EXPRESSION_TEMPLATE")
    assert problem.severity == severity


@pytest.mark.parametrize(
    ("inputs", "severities"),
    [
        ({"text": "a,b"}, set[str]()),
        ({"inputParams": {"text": "a,b"}}, {"error"}),
    ],
)
def test_a_required_input_at_the_wrong_level_is_an_error(
    inputs: dict[str, Any], severities: set[str]
) -> None:
    settings = {"format": "csv"}
    found = report(step("ACTION", "PARSE", configurations=settings, inputParams=inputs))
    assert {one.severity for one in found.problems if one.code == "FIELD_UNKNOWN"} == severities


def test_a_text_of_python_with_placeholders_loses_its_quotes() -> None:
    text = 'f"{trigger.city}: {trigger.sky}"'
    found = _patched("ACTION", "PARSE", {"format": "csv"}, {"text": text})
    assert found is not None
    assert found[1] == {"text": "{{ trigger.city }}: {{ trigger.sky }}"}
