"""What a node's start refuses, validation refuses: with the same code, at the same place."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.workflow.checks.values_building import a_case, a_workflow, catalog_node

from toolweave.catalog.node import Looping, Pure
from toolweave.catalog.node_input import NodeInput, by_own_names, with_defaults
from toolweave.catalog.spec import NodeSpec
from toolweave.errors import Invalid
from toolweave.nodes import discover
from toolweave.nodes.start_check import with_start_check
from toolweave.problems import Problem
from toolweave.workflow.checks.node_settings import check

CRON = "TRIGGER.CRON"
HTTP = "ACTION.HTTP_REQUEST"
FILTER = "FLOW.FILTER"
SLACK = "EXTERNAL_ACTION.SLACK"
TELEGRAM = "EXTERNAL_ACTION.TELEGRAM_ACTION"
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
    labels = {"labels": ["same", "same"]}
    yield "AI_AGENT.CLASSIFY", labels, {"text": "x"}, "NODE_INPUT_INVALID", "configurations/labels"
    store = {"storage_backend": "memory"}
    place = "inputParams/key"
    yield "MEMORY.KEY_VALUE_STORE", store, {"operation": "get"}, "NODE_INPUT_INVALID", place


def _wrong_actions() -> Iterator[tuple[str, dict[str, Any], dict[str, Any], str, str]]:
    """What a node with effects refuses before it sends anything."""
    missing, invalid = "SERVICE_FIELD_MISSING", "SERVICE_FIELD_INVALID"
    slack = {"action_type": "send_message", "channel": "C0123456", "bot_token": "${vault:a}"}
    yield SLACK, slack, {}, missing, "inputParams/message"
    yield SLACK, {**slack, "action_type": "send_file"}, {}, missing, "inputParams/attachments"
    # The name of the channel is looked up at Slack; what is missing does not wait for that.
    yield SLACK, {**slack, "channel": "#general"}, {}, missing, "inputParams/message"
    poll = {"action_type": "send_poll", "chat_id": "-100", "telegram_bot_token": "${vault:a}"}
    yield TELEGRAM, poll, {}, missing, "configurations"
    photo = {**poll, "action_type": "send_photo"}
    yield TELEGRAM, photo, {}, missing, "configurations/media_config/file_path"
    event = {"action_type": "create_event", "access_token": "${vault:a}"}
    start = {"start_datetime": "2026-03-03T14:00:00Z"}
    calendar = "EXTERNAL_ACTION.GOOGLE_CALENDAR"
    yield calendar, {**event, **start}, {}, missing, "configurations/end_datetime"
    yield calendar, {**event, "date": "soon"}, {}, invalid, "configurations/date"
    github = {"action_type": "create_issue", "github_token": "${vault:a}"}
    of_acme = {**github, "repository_config": {"owner": "acme", "repo": "shop"}}
    yield "EXTERNAL_ACTION.GITHUB", of_acme, {}, missing, "inputParams/title"
    channel = {"action_type": "create_channel", "server_id": "1"}
    of_type = {**channel, "channel_config": {"name": "a", "type": "room"}}
    discord = "EXTERNAL_ACTION.DISCORD_ACTION"
    yield discord, of_type, {}, invalid, "configurations/channel_config/type"
    nothing: dict[str, Any] = {"operation": "delete", "ids": []}
    vectors = {
        "database_provider": "supabase_pgvector",
        "database_url": "${vault:a}",
        "table_name": "notes",
        "embedding_model": "text-embedding-3-small",
        "vector_dimension": 3,
    }
    yield "MEMORY.VECTOR_DATABASE", vectors, nothing, "NODE_INPUT_INVALID", "inputParams/ids"


@pytest.mark.parametrize(
    ("ref", "settings", "inputs", "code", "place"), [*_wrong(), *_wrong_actions()]
)
def test_what_the_start_refuses_is_a_problem_at_its_place(
    ref: str, settings: dict[str, Any], inputs: dict[str, Any], code: str, place: str
) -> None:
    (problem,) = _found(ref, settings, inputs)
    assert (problem.code, problem.pointer) == (code, f"/nodes/1/data/{place}")
    assert problem.severity == "error"
    with pytest.raises(Invalid) as refused:
        _start(ref, settings, inputs)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("every weekday at 06:30", ["30 6 * * 1-5"]),
        ("every weekday at 6:30 am", ["30 6 * * 1-5"]),
        ("Friday 18:15", ["15 18 * * 5"]),
        ("every weekday at 6:30", ["30 6 * * 1-5", "30 18 * * 1-5"]),
        ("mondays at 12:00", ["0 0 * * 1", "0 12 * * 1"]),
        ("every weekday", []),
        ("friday 13", []),
    ],
)
def test_a_schedule_in_words_is_fixed_if_it_has_one_answer(said: str, meant: list[str]) -> None:
    (problem,) = _found(CRON, {"cron_expression": said}, {})
    values = [one["value"] for one in problem.patch or ()]
    assert values == (meant if len(meant) == 1 else [])
    assert all(repr(one) in (problem.hint or "") for one in meant)


def test_a_setting_that_is_null_is_not_set() -> None:
    settings: dict[str, Any] = {"cron_expression": "0 9 * * *", "timezone": None}
    assert [one.code for one in _found(CRON, settings | {"timezone": "None"}, {})] == [
        "TIMEZONE_UNKNOWN"
    ]
    assert _found(CRON, settings, {}) == []
    _start(CRON, settings, {})


def _start(ref: str, settings: dict[str, Any], inputs: dict[str, Any]) -> None:
    """Start the node with these values; what only waits or triggers runs its checks."""
    code = next(one for one in discover() if one.spec.ref == ref)
    given = NodeInput(
        with_defaults(settings, code.spec.all_configurations),
        {**_data(code.spec), **by_own_names(inputs, code.spec.inputs)},
    )
    if isinstance(code, Pure) and code.spec.type != "TRIGGER":
        code.compute(given)
    elif isinstance(code, Looping):
        code.items(given)
    for static in with_start_check(code).checks:
        static(given)


def _data(spec: NodeSpec) -> dict[str, Any]:
    """An empty value for the required input `data`."""
    data = next((one for one in spec.inputs if one.name == "data" and one.required), None)
    return {} if data is None else {"data": {} if data.type == "object" else []}


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
        # What a template gives may be anything, in whatever part of the settings it is.
        (TELEGRAM, {"action_type": "send_poll", "chat_id": "1", "poll_config": "{{ data.poll }}"}),
        (
            TELEGRAM,
            {
                "action_type": "send_poll",
                "chat_id": "1",
                "poll_config": {"question": "Lunch?", "options": "{{ data.options }}"},
            },
        ),
        (TELEGRAM, {"action_type": "{{ data.action }}", "chat_id": "1"}),
        (
            "EXTERNAL_ACTION.GITHUB",
            {"action_type": "invite_user", "repository_config": "{{ data.repository }}"},
        ),
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
