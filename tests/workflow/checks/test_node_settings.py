"""What a node's start refuses, validation refuses: with the same code, at the same place."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.workflow.checks.values_building import a_case, a_workflow, catalog_node

from toolweave.catalog.node import Looping, Pure
from toolweave.catalog.node_input import NodeInput, by_own_names, with_defaults
from toolweave.errors import Invalid
from toolweave.nodes import discover
from toolweave.problems import Problem
from toolweave.workflow.checks.node_settings import check

CRON = "TRIGGER.CRON"
HTTP = "ACTION.HTTP_REQUEST"
FILTER = "FLOW.FILTER"
URL = "https://api.example.com/items"
CONDITION = {"field": "status", "operator": "equals", "value": "open"}


def _found(ref: str, settings: dict[str, Any], inputs: dict[str, Any]) -> list[Problem]:
    return list(check(a_case(a_workflow(catalog_node(ref, settings, inputs)))))


def _wrong() -> Iterator[tuple[str, dict[str, Any], dict[str, Any], str, str]]:
    cron = "configurations/cron_expression"
    for expression in ("0 25 * * *", "0 0 30 2 *", "61 * * * *", "0 9 * * MONDAYS"):
        yield CRON, {"cron_expression": expression}, {}, "CRON_INVALID", cron
    for zone in ("Berlin", "europe/berlin", "GMT+25"):
        settings = {"cron_expression": "0 9 * * *", "timezone": zone}
        yield CRON, settings, {}, "TIMEZONE_UNKNOWN", "configurations/timezone"
    token = {"webhook_path": "/orders", "authentication": "header_token"}
    yield "TRIGGER.WEBHOOK", token, {}, "HOOK_SECRET_MISSING", "configurations/auth_token"
    for url in (
        "api.example.com/items",
        "/items",
        "ftp://example.com",
        "example.com/{{ data.id }}",
    ):
        yield HTTP, {"method": "GET", "url": url}, {}, "HTTP_URL_INVALID", "configurations/url"
    form = {"method": "POST", "url": URL, "body_type": "form"}
    yield HTTP, form, {"body": "a=b"}, "HTTP_BODY_INVALID", "inputParams/body"
    header = {"method": "GET", "url": URL, "headers": {"X-Ids": [1, 2]}}
    yield HTTP, header, {}, "HTTP_VALUE_INVALID", "configurations/headers/X-Ids"
    cases: dict[str, Any] = {"cases": [{"when": "data.a"}, {"condition": "data.b"}]}
    yield "FLOW.SWITCH", cases, {}, "SWITCH_CASE_INVALID", "configurations/cases/1/when"
    for condition, kind, at in (
        ({**CONDITION, "operator": "is"}, "simple_condition", "operator"),
        ({**CONDITION, "operator": "in"}, "simple_condition", "value"),
        ({"field": "code", "pattern": "["}, "regex_pattern", "pattern"),
        ({"field": "code", "type": "text"}, "type_filter", "type"),
    ):
        filtering = {"filter_mode": "include", "filter_type": kind, "conditions": [condition]}
        place = f"configurations/conditions/0/{at}"
        yield FILTER, filtering, {}, "FILTER_CONDITION_INVALID", place
    deadline = {"deadline": "tomorrow"}
    yield "FLOW.TIMEOUT", deadline, {}, "NODE_INPUT_INVALID", "configurations/deadline"
    form_fields: dict[str, Any] = {
        "form_title": "A",
        "form_schema": {"type": "object", "properties": []},
    }
    place = "configurations/form_schema/properties"
    yield "HUMAN_IN_THE_LOOP.FORM", form_fields, {}, "FORM_SCHEMA_INVALID", place
    operation = {"operation": "filter", "filter_conditions": [{**CONDITION, "operator": "~"}]}
    place = "configurations/filter_conditions/0/operator"
    yield "ACTION.DATA_TRANSFORMATION", operation, {}, "TRANSFORMATION_INVALID", place
    expressions = {"expressions": {"total": "data.a +"}}
    place = "configurations/expressions/total"
    yield "ACTION.SET_FIELDS", expressions, {}, "EXPRESSION_INVALID", place
    labels = {"labels": ["same", "same"]}
    yield "AI_AGENT.CLASSIFY", labels, {"text": "x"}, "NODE_INPUT_INVALID", "configurations/labels"
    store = {"storage_backend": "memory"}
    place = "configurations/key"
    yield "MEMORY.KEY_VALUE_STORE", store, {"operation": "get"}, "NODE_INPUT_INVALID", place


@pytest.mark.parametrize(("ref", "settings", "inputs", "code", "place"), list(_wrong()))
def test_what_the_start_refuses_is_a_problem_at_its_place(
    ref: str, settings: dict[str, Any], inputs: dict[str, Any], code: str, place: str
) -> None:
    (problem,) = _found(ref, settings, inputs)
    assert (problem.code, problem.pointer) == (code, f"/nodes/1/data/{place}")
    assert problem.severity == "error"
    with pytest.raises(Invalid) as refused:
        _start(ref, settings, inputs)
    assert refused.value.code == code


def _start(ref: str, settings: dict[str, Any], inputs: dict[str, Any]) -> None:
    """Start the node with these values; what only waits or triggers runs its checks."""
    code = next(one for one in discover() if one.spec.ref == ref)
    given = NodeInput(
        with_defaults(settings, code.spec.all_configurations),
        {"data": [], **by_own_names(inputs, code.spec.inputs)},
    )
    if isinstance(code, Pure) and code.spec.type != "TRIGGER":
        code.compute(given)
    elif isinstance(code, Looping):
        code.items(given)
    for static in code.spec.checks:
        static(given)


@pytest.mark.parametrize(
    ("ref", "settings"),
    [
        (CRON, {"cron_expression": "0 9 29 2 *", "timezone": "Europe/Berlin"}),
        (CRON, {"cron_expression": "{{ trigger.when }}", "timezone": "{{ trigger.zone }}"}),
        ("TRIGGER.WEBHOOK", {"webhook_path": "/a", "authentication": "none"}),
        (HTTP, {"method": "GET", "url": "{{ data.base }}/items"}),
        (HTTP, {"method": "GET", "url": "https://{{ data.host }}/items"}),
        (HTTP, {"method": "GET", "url": URL, "headers": {"X-Id": "{{ data.id }}", "X-N": 1}}),
        ("FLOW.SWITCH", {"cases": [{"when": "{{ data.a }}"}, {"when": True}]}),
        ("FLOW.SWITCH", {"cases": "{{ data.cases }}"}),
        (FILTER, {"conditions": [{**CONDITION, "operator": "{{ data.operator }}"}]}),
        (FILTER, {"conditions": [{**CONDITION, "operator": "in", "value": "{{ data.all }}"}]}),
        ("FLOW.TIMEOUT", {"deadline": "{{ data.until }}"}),
        ("MEMORY.KEY_VALUE_STORE", {"storage_backend": "memory", "enabled": False}),
    ],
)
def test_what_can_start_is_no_problem(ref: str, settings: dict[str, Any]) -> None:
    assert _found(ref, settings, {}) == []


def test_every_example_of_every_node_passes_its_own_checks() -> None:
    for code in discover():
        for example in code.spec.examples:
            found = _found(code.spec.ref, example.configurations, example.input_params)
            assert found == [], (code.spec.ref, example.name)


def test_a_node_attached_to_an_agent_gets_its_inputs_from_it() -> None:
    memory = catalog_node("MEMORY.KEY_VALUE_STORE", {"storage_backend": "memory"}, {})
    assert list(check(a_case(a_workflow(memory, is_fed=False)))) == []
    assert [one.code for one in check(a_case(a_workflow(memory)))] == ["NODE_INPUT_INVALID"]


def test_the_parts_of_a_schedule_are_checked_apart() -> None:
    settings = {"cron_expression": "0 25 * * *", "timezone": "Berlin"}
    assert [one.code for one in _found(CRON, settings, {})] == ["CRON_INVALID", "TIMEZONE_UNKNOWN"]
    # The zone is known only at run time; the expression is wrong whatever it is.
    settings["timezone"] = "{{ data.zone }}"
    assert [one.code for one in _found(CRON, settings, {})] == ["CRON_INVALID"]
    settings["cron_expression"] = "0 5 * * *"
    assert _found(CRON, settings, {}) == []


def test_a_missing_required_setting_is_left_to_the_check_of_values() -> None:
    assert _found("FLOW.SORT", {"order": "asc"}, {}) == []
    assert [one.code for one in _found("FLOW.SORT", {"sort_field": ""}, {})] == ["SORT_INVALID"]
