"""A choice that is left out follows from the settings beside it, if only one can be meant."""

import pytest
from tests.workflow.checks.repaired import repaired_inputs, repaired_settings

from toolweave.json_text import JsonObject


def _inputs(ref: str) -> JsonObject | None:
    return {"data": {"rows": [1]}} if ref == "FLOW.LOOP" else None


@pytest.mark.parametrize(
    ("ref", "settings", "name", "value"),
    [
        ("FLOW.LOOP", {"array_path": "data.rows"}, "loop_type", "for_each"),
        ("FLOW.MERGE", {"merge_key": "id"}, "merge_strategy", "union"),
        ("FLOW.SPLIT", {"field": "country"}, "split_by", "field"),
        ("FLOW.STOP", {"message": "too late"}, "outcome", "error"),
        ("FLOW.WAIT", {"event_config": {"name": "paid"}}, "wait_type", "event"),
        (
            "FLOW.FILTER",
            {"conditions": [], "custom_filter_function": "item.a > 1"},
            "filter_type",
            "custom_function",
        ),
        (
            "ACTION.DATA_TRANSFORMATION",
            {"aggregation_functions": {"rows": "count"}},
            "operation",
            "aggregate",
        ),
        (
            "EXTERNAL_ACTION.EMAIL",
            {"smtp_host": "mail.example.com", "from_address": "a@example.com", "smtp_port": 465},
            "security",
            "tls",
        ),
        (
            "EXTERNAL_ACTION.GOOGLE_CALENDAR",
            {"access_token": "${vault:google}", "text": "Lunch tomorrow 12:30"},
            "action_type",
            "quick_add",
        ),
    ],
)
def test_a_left_out_choice_follows_from_what_only_it_uses(
    ref: str, settings: JsonObject, name: str, value: str
) -> None:
    assert repaired_settings(ref, settings, _inputs(ref)) == {**settings, name: value}


@pytest.mark.parametrize(
    ("ref", "settings"),
    [
        # Two settings ask for two choices.
        ("FLOW.LOOP", {"array_path": "data.rows", "loop_condition": "data.a > 1"}),
        ("FLOW.LOOP", {"array_path": "data.rows", "end_value": 3}),
        ("FLOW.WAIT", {"event_config": {"name": "a"}, "wait_condition": "data.a > 1"}),
        # Three choices use it.
        ("TRIGGER.WEBHOOK", {"webhook_path": "/a", "auth_token": "${vault:token}"}),
        (
            "ACTION.DATA_TRANSFORMATION",
            {"aggregation_functions": {"rows": "count"}, "group_by_fields": ["a"]},
        ),
        # A choice that is made is not changed.
        ("FLOW.STOP", {"message": "too late", "outcome": "result"}),
        # Both actions could be meant.
        (
            "EXTERNAL_ACTION.GOOGLE_CALENDAR",
            {"access_token": "${vault:google}", "text": "Lunch", "summary": "Lunch"},
        ),
    ],
)
def test_a_left_out_choice_is_not_guessed(ref: str, settings: JsonObject) -> None:
    assert repaired_settings(ref, settings, _inputs(ref)) == settings


def test_an_operation_follows_from_the_value_that_it_stores() -> None:
    inputs: JsonObject = {"key": "a", "value": 1}
    settings: JsonObject = {"storage_backend": "memory"}
    fixed = repaired_inputs("MEMORY.KEY_VALUE_STORE", settings, inputs)
    assert fixed == {**inputs, "operation": "set"}
    read: JsonObject = {"key": "a"}
    assert repaired_inputs("MEMORY.KEY_VALUE_STORE", settings, read) == read
