"""Settings as authors write them from memory: in parts, with a unit apart, as a flag."""

from dataclasses import replace

import pytest
from tests.workflow.checks.building import known, line, node, whole

from toolweave.json_text import JsonObject
from toolweave.workflow.checks import check_workflow
from toolweave.workflow.model import Workflow
from toolweave.workflow.repair import fix

CASES: JsonObject = {"cases": [{"when": "data.kind == 'a'"}, {"when": "data.kind == 2"}]}
DESCENDING: JsonObject = {"sort_field": "amount", "order": "desc"}
HOURLY: JsonObject = {"cron_expression": "0 * * * *"}
EQUAL: JsonObject = {"condition_expression": "data.mail == 'it\\'s'"}


def workflow_of(ref: str, settings: JsonObject) -> Workflow:
    one, end = node("a", ref, configurations=settings), node("z", "end")
    return line(one, end) if ref.startswith("TRIGGER.") else line(node("start", "start"), one, end)


def repaired(ref: str, settings: JsonObject) -> JsonObject:
    found = fix(workflow_of(ref, settings), known(), "toolweave").workflow
    (settings_now,) = [one.data["configurations"] for one in found.nodes if one.id == "a"]
    assert isinstance(settings_now, dict)
    return settings_now


@pytest.mark.parametrize(
    ("ref", "given", "right"),
    [
        # A comparison in parts.
        ("FLOW.IF", {"left": "{{ data.mail }}", "operator": "==", "right": "it's"}, EQUAL),
        ("FLOW.IF", {"conditions": [{"field": "data.mail", "op": "eq", "value": "it's"}]}, EQUAL),
        (
            "FLOW.IF",
            {
                "conditions": [
                    {"field": "data.mail", "operator": "contains", "value": "@"},
                    {"field": "data.age", "operator": "greater_than", "value": 17},
                ],
                "combinator": "or",
            },
            {"condition_expression": "data.mail.contains('@') || data.age > 17"},
        ),
        ("FLOW.SWITCH", {"expression": "{{ data.kind }}", "cases": ["a", 2]}, CASES),
        ("FLOW.SWITCH", {"field": "data.kind", "cases": [{"value": "a"}, {"value": 2}]}, CASES),
        # A number, and its unit beside it.
        ("FLOW.DELAY", {"amount": 5, "unit": "minutes"}, {"duration_seconds": 300}),
        ("FLOW.DELAY", {"duration": 1.5, "time_unit": "h"}, {"duration_seconds": 5400}),
        # An option as a flag.
        ("FLOW.SORT", {"sort_field": "amount", "descending": True}, DESCENDING),
        ("FLOW.SORT", {"sort_field": "amount", "reverse": True}, DESCENDING),
        ("FLOW.SORT", {"sort_field": "amount", "ascending": False}, DESCENDING),
        ("FLOW.SORT", {"sort_field": "amount", "reverse": "yes"}, DESCENDING),
        # The kind under a wrong name says more than what the other settings need.
        (
            "FLOW.WAIT",
            {"waittype": "event", "event_cconfig": {"name": "done"}},
            {"wait_type": "event", "event_config": {"name": "done"}},
        ),
        (
            "HUMAN_IN_THE_LOOP.FORM",
            {"form_title": "A", "form_schema": {"kind": "object", "properties": {"a": {}}}},
            {"form_title": "A", "form_schema": {"type": "object", "properties": {"a": {}}}},
        ),
        # A setting that says which kind is meant.
        (
            "FLOW.LOOP",
            {"condition": "data.retry == true"},
            {"loop_condition": "data.retry == true", "loop_type": "while"},
        ),
        ("FLOW.SPLIT", {"group_by": "customer"}, {"field": "customer", "split_by": "field"}),
        # A list of fields.
        (
            "HUMAN_IN_THE_LOOP.FORM",
            {
                "form_title": "Expense",
                "fields": [
                    {"name": "amount", "type": "number", "required": True},
                    {"id": "kind", "label": "Kind", "type": "select", "options": ["a", "b"]},
                    {"key": "mail", "type": "email"},
                ],
            },
            {
                "form_title": "Expense",
                "form_schema": {
                    "type": "object",
                    "properties": {
                        "amount": {"type": "number"},
                        "kind": {"type": "string", "enum": ["a", "b"], "title": "Kind"},
                        "mail": {"type": "string", "format": "email"},
                    },
                    "required": ["amount"],
                },
            },
        ),
        # An interval.
        ("TRIGGER.CRON", {"interval_minutes": 15}, {"cron_expression": "*/15 * * * *"}),
        ("TRIGGER.CRON", {"every": 2, "unit": "hours"}, {"cron_expression": "0 */2 * * *"}),
        ("TRIGGER.CRON", {"hours": 1, "timezone": "UTC"}, {**HOURLY, "timezone": "UTC"}),
        ("TRIGGER.CRON", {"minutesInterval": 5}, {"cron_expression": "*/5 * * * *"}),
        ("TRIGGER.CRON", {"every_hour": 8}, {"cron_expression": "0 */8 * * *"}),
        # A time of day.
        ("TRIGGER.CRON", {"hour": 8, "minute": 30}, {"cron_expression": "30 8 * * *"}),
        # The rule of n8n's schedule.
        (
            "TRIGGER.CRON",
            {"rule": {"interval": [{"field": "minutes", "minutesInterval": 15}]}},
            {"cron_expression": "*/15 * * * *"},
        ),
        (
            "TRIGGER.CRON",
            {"rule": {"interval": [{"field": "hours", "triggerAtMinute": 10}]}},
            {"cron_expression": "10 * * * *"},
        ),
        (
            "TRIGGER.CRON",
            {"rule": {"interval": [{"triggerAtHour": 9, "triggerAtMinute": 30}]}},
            {"cron_expression": "30 9 * * *"},
        ),
        (
            "TRIGGER.CRON",
            {
                "rule": {
                    "interval": [{"field": "weeks", "triggerAtDay": [1, 5], "triggerAtHour": 8}]
                }
            },
            {"cron_expression": "0 8 * * 1,5"},
        ),
        (
            "TRIGGER.CRON",
            {"rule": {"interval": [{"field": "cronExpression", "expression": "0 7 1 * *"}]}},
            {"cron_expression": "0 7 1 * *"},
        ),
        # A duration in a unit of its own.
        ("FLOW.DELAY", {"minutes": 5}, {"duration_seconds": 300}),
        ("FLOW.DELAY", {"waitHours": 2}, {"duration_seconds": 7200}),
        ("FLOW.DELAY", {"duration_seconds": {"minutes": 5}}, {"duration_seconds": 300}),
        # In the unit that a setting has, it is no other one.
        (
            "HUMAN_IN_THE_LOOP.SLACK_INTERACTION",
            {"slack_timeout_minutes": 240},
            {"timeout_minutes": 240},
        ),
        (
            "FLOW.DELAY",
            {"duration_seconds": {"hours": 1, "minutes": 5}},
            {"duration_seconds": 3900},
        ),
        (
            "FLOW.DELAY",
            {"duration_seconds": {"value": 5, "unit": "minutes"}},
            {"duration_seconds": 300},
        ),
        # Another name, and another word for the option.
        (
            "EXTERNAL_ACTION.SLACK",
            {"action": "postMessage", "channel": "#dev", "bot_token": "${vault:slack}"},
            {"action_type": "send_message", "channel": "#dev", "bot_token": "${vault:slack}"},
        ),
        ("FLOW.SORT", {"sort_field": "amount", "direction": "descending"}, DESCENDING),
        # Another name, and another spelling of the value.
        (
            "TRIGGER.WEBHOOK",
            {"path": "orders", "authentication": "none"},
            {"webhook_path": "/orders", "authentication": "none"},
        ),
    ],
)
def test_a_setting_in_another_form_is_written_as_the_node_reads_it(
    ref: str, given: JsonObject, right: JsonObject
) -> None:
    assert repaired(ref, given) == right


@pytest.mark.parametrize(
    ("ref", "given"),
    [
        # How two conditions are combined is not said.
        (
            "FLOW.IF",
            {
                "conditions": [
                    {"field": "data.a", "operator": "eq", "value": 1},
                    {"field": "data.b", "operator": "eq", "value": 2},
                ]
            },
        ),
        ("FLOW.IF", {"left": "{{ data.a }}", "operator": "like", "right": "x%"}),
        ("FLOW.SWITCH", {"expression": "{{ data.kind }}", "field": "data.x", "cases": ["a"]}),
        # One option of several.
        ("FLOW.LOOP", {"loop_type": "for"}),
        ("ACTION.HTTP_REQUEST", {"url": "https://example.com", "method": "write"}),
        # Two settings may be exchanged.
        ("ACTION.SET_FIELDS", {"remove": "{{ data.all }}", "set": ["a"]}),
        # Every eight hours, or at eight?
        ("TRIGGER.CRON", {"hour": 8}),
        ("TRIGGER.CRON", {"minute": 30}),
        ("TRIGGER.CRON", {"h": 6}),
        ("FLOW.DELAY", {"hour": 8}),
        ("FLOW.DELAY", {"duration_seconds": {"hour": 8}}),
        # Five minutes or five months? And how long is a month?
        ("FLOW.DELAY", {"duration_seconds": "5M"}),
        ("TRIGGER.CRON", {"every": 5, "unit": "M"}),
        ("FLOW.DELAY", {"time": 8, "unit": "months"}),
        # Five seconds or five minutes?
        ("FLOW.DELAY", {"duration_seconds": 5, "unit": "minutes"}),
        # Chunks of ten, or a list for each customer?
        ("FLOW.SPLIT", {"size": 10, "group_by": "customer"}),
        # Fields of a form that a schema cannot say.
        ("HUMAN_IN_THE_LOOP.FORM", {"fields": [{"name": "a", "type": "file"}]}),
        ("HUMAN_IN_THE_LOOP.FORM", {"fields": [{"name": "a", "visible_if": "b"}]}),
        # Every 45 minutes is no cron expression, and of two intervals one is wrong.
        ("TRIGGER.CRON", {"interval_minutes": 45}),
        ("TRIGGER.CRON", {"interval_minutes": 15, "interval_hours": 2}),
        ("TRIGGER.CRON", {"rule": {"interval": [{"field": "minutes", "minutesInterval": 45}]}}),
        ("TRIGGER.CRON", {"rule": {"interval": [{"field": "days", "daysInterval": 3}]}}),
        # The names of a transformation are no fields of the data.
        ("ACTION.DATA_TRANSFORMATION", {"transformation": "map", "expression": "item.a * 2"}),
    ],
)
def test_what_is_not_clear_is_not_written(ref: str, given: JsonObject) -> None:
    left = repaired(ref, given)
    assert {*map(str, given.values())} <= {*map(str, left.values())}


@pytest.mark.parametrize(
    ("ref", "given"),
    [
        ("FLOW.DELAY", {"delay": 5, "duration": 10}),
        ("FLOW.SORT", {"field": "amount", "key": "name"}),
        ("FLOW.IF", {"condition": "data.a == 1", "expression": "data.b == 1"}),
        ("TRIGGER.CRON", {"cron": "0 9 * * 1", "schedule": "0 8 * * 1"}),
    ],
)
def test_of_two_names_for_one_setting_neither_is_taken(ref: str, given: JsonObject) -> None:
    assert repaired(ref, given) == given
    for name in given:  # one alone is clear
        assert repaired(ref, {name: given[name]}) != {name: given[name]}


@pytest.mark.parametrize(
    ("name", "readings"),
    [
        ("hour", ["'0 */8 * * *' (every 8 hours)", "'0 8 * * *' (every day at 8:00)"]),
        ("minute", ["'8 * * * *' (at minute 8 of every hour)"]),
    ],
)
def test_a_number_that_may_be_a_time_gets_a_hint_with_every_reading(
    name: str, readings: list[str]
) -> None:
    workflow = workflow_of("TRIGGER.CRON", {name: 8})
    found = check_workflow(workflow, known(), "toolweave")
    (hint,) = [one.hint or "" for one in found if one.code == "FIELD_FORM_UNUSUAL"]
    assert hint == f"write 'cron_expression' as {' or '.join(readings)}"


def test_a_node_with_a_reserved_word_as_id_is_read_by_its_full_path() -> None:
    each = node("loop", "FLOW.FOR_EACH", inputParams={"data": "{{ [1, 2] }}"})
    body = node("step", "FLOW.DELAY", configurations={"duration_seconds": 1})
    after = node("after", "ACTION.SET_FIELDS", configurations={"set": {"n": "{{ loop.results }}"}})
    edges = ["start > loop", "loop.loop > step", "loop.done > after"]
    workflow = whole([node("start", "start"), each, body, after], edges)
    fixed = fix(workflow, known(), "toolweave").workflow
    (settings,) = [one.data["configurations"] for one in fixed.nodes if one.id == "after"]
    assert settings == {"set": {"n": "{{ nodes.loop.output.results }}"}}
    # In the body, `loop` is the loop that runs.
    inside = replace(body, data={"configurations": {"duration_seconds": "{{ loop.index }}"}})
    kept = fix(whole([node("start", "start"), each, inside, after], edges), known(), "toolweave")
    assert inside in kept.workflow.nodes
