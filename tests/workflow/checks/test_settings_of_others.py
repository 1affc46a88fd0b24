"""Settings of other systems whose parts have places of their own here."""

import pytest
from tests.workflow.checks.repaired import repaired_inputs, repaired_settings

from toolweave.json_text import Json, JsonObject

_HTTP, _SORT, _GITHUB = "ACTION.HTTP_REQUEST", "FLOW.SORT", "TRIGGER.GITHUB"
_URL: JsonObject = {"method": "GET", "url": "https://api.example.com/rows"}
_EVENTS: JsonObject = {"repository": "acme/site", "events": ["pull_request"]}
_TOKEN = "${vault:token}"
_HEADERS: JsonObject = {"Authorization": f"Bearer {_TOKEN}"}
_RANGE: JsonObject = {"filter_mode": "include", "filter_type": "range_filter"}


@pytest.mark.parametrize(
    ("ref", "written", "meant"),
    [
        (_HTTP, {**_URL, "bearer_token": _TOKEN}, {**_URL, "headers": _HEADERS}),
        (
            _HTTP,
            {**_URL, "auth": {"type": "bearer", "token": _TOKEN}},
            {**_URL, "headers": _HEADERS},
        ),
        (
            _HTTP,
            {**_URL, "headers": {"Accept": "text/csv"}, "auth": {"bearer": _TOKEN}},
            {**_URL, "headers": {"Accept": "text/csv", **_HEADERS}},
        ),
        (
            _HTTP,
            {**_URL, "headers": {"Authorization": f"Bearer Bearer {_TOKEN}"}},
            {**_URL, "headers": _HEADERS},
        ),
        (_HTTP, {"url": "POST https://a.example.com"}, {"method": "POST"}),
        (_GITHUB, {**_EVENTS, "types": ["opened"]}, {"filter_conditions": {"action": ["opened"]}}),
        (_SORT, {"sort": {"price": -1}}, {"sort_field": "price", "order": "desc"}),
        (_SORT, {"sort_field": "-price"}, {"sort_field": "price", "order": "desc"}),
        (_SORT, {"sort_field": "price ASC"}, {"sort_field": "price", "order": "asc"}),
        (
            "FLOW.FILTER",
            {**_RANGE, "conditions": [{"field": "a", "between": [0, 5]}]},
            {"conditions": [{"field": "a", "min_value": 0, "max_value": 5}]},
        ),
        (_HTTP, {**_URL, "retry": {"limit": 2}}, {"retry_attempts": 2}),
        ("FLOW.LOOP", {"continue_on_error": True}, {"break_on_error": False}),
        ("FLOW.FOR_EACH", {"fail_fast": False}, {"continue_on_error": True}),
    ],
)
def test_what_others_have_as_one_is_written_in_its_places(
    ref: str, written: JsonObject, meant: JsonObject
) -> None:
    fixed = repaired_settings(ref, written)
    assert isinstance(fixed, dict)
    assert {key: fixed.get(key) for key in meant} == meant
    assert not fixed.keys() & {"auth", "bearer_token", "types", "sort", "retry", "fail_fast"}


@pytest.mark.parametrize(
    ("ref", "settings"),
    [
        # A header is there, or another kind of authentication is meant.
        (_HTTP, {**_URL, "headers": {"authorization": "Basic YQ=="}, "bearer_token": _TOKEN}),
        (_HTTP, {**_URL, "auth": {"type": "basic", "token": _TOKEN}}),
        (_HTTP, {**_URL, "auth": {"username": "ada", "password": _TOKEN}}),
        # Two methods, two orders.
        (_HTTP, {"method": "GET", "url": "POST https://a.example.com"}),
        (_SORT, {"sort_field": "-price", "order": "asc"}),
        # No actions of events.
        (_GITHUB, {**_EVENTS, "types": ["bug", "ui"]}),
        ("FLOW.FOR_EACH", {"fail_fast": "sometimes"}),
    ],
)
def test_what_may_be_another_thing_is_left(ref: str, settings: JsonObject) -> None:
    assert repaired_settings(ref, settings) == settings


def test_the_fields_of_a_form_are_the_body_of_a_form() -> None:
    inputs: JsonObject = {"form": {"list": "prices"}}
    assert repaired_settings(_HTTP, {**_URL, "method": "POST"}, inputs) == {
        **_URL,
        "method": "POST",
        "body_type": "form",
    }
    assert repaired_inputs(_HTTP, {**_URL, "method": "POST"}, inputs) == {"body": inputs["form"]}
    as_json: JsonObject = {**_URL, "method": "POST", "body_type": "json"}
    assert repaired_settings(_HTTP, as_json, inputs) == as_json


@pytest.mark.parametrize(
    ("settings", "meant"),
    [
        ({"timeout_seconds": 7200}, {"timeout_minutes": 120}),
        # 120 may be minutes under a wrong name.
        ({"timeout_seconds": 120}, {"timeout_seconds": 120}),
        ({"timeout_seconds": 5000}, {"timeout_seconds": 5000}),
    ],
)
def test_a_time_in_another_unit_is_converted_where_it_can_only_be_one(
    settings: JsonObject, meant: JsonObject
) -> None:
    needed: JsonObject = {
        "channel": "#desk",
        "bot_token": _TOKEN,
        "clarification_question_template": "Go?",
    }
    fixed = repaired_settings("HUMAN_IN_THE_LOOP.SLACK_INTERACTION", {**needed, **settings})
    assert fixed == {**needed, **meant}


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("<#381870553235193857>", "381870553235193857"),
        (
            "https://discord.com/channels/81384788765712384/381870553235193857",
            "381870553235193857",
        ),
        ("<@381870553235193857>", "<@381870553235193857>"),
        ("#general", "#general"),
        (
            "https://discord.com/channels/81384788765712384",
            "https://discord.com/channels/81384788765712384",
        ),
    ],
)
def test_an_id_of_discord_is_taken_out_of_what_is_around_it(given: str, meant: str) -> None:
    settings: JsonObject = {
        "discord_bot_token": _TOKEN,
        "action_type": "send_message",
        "server_id": "81384788765712384",
        "message_content": "Hi",
    }
    fixed = repaired_settings(
        "EXTERNAL_ACTION.DISCORD_ACTION", {**settings, "channel_id": given}, {}
    )
    assert isinstance(fixed, dict)
    assert fixed["channel_id"] == meant


def test_ends_of_a_range_in_the_wrong_order_are_not_exchanged() -> None:
    # Authors disagree: one of both may be the wrong number.
    condition: Json = {"field": "a", "min_value": 500, "max_value": 0}
    fixed = repaired_settings("FLOW.FILTER", {**_RANGE, "conditions": [condition]})
    assert isinstance(fixed, dict)
    assert fixed["conditions"] == [condition]


def test_a_loop_that_counts_down_is_not_turned_around() -> None:
    settings: JsonObject = {"loop_type": "for_range", "start_value": 5, "end_value": 1}
    assert repaired_settings("FLOW.LOOP", settings) == settings


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("2026-12-1T9:00:00Z", "2026-12-01T09:00:00Z"),
        ("2026-13-1T9:00:00Z", "2026-13-1T9:00:00Z"),
        ("1/12/2026 9:00", "1/12/2026 9:00"),
    ],
)
def test_a_moment_gets_two_digits_for_each_part(given: str, meant: str) -> None:
    settings: JsonObject = {
        "access_token": _TOKEN,
        "action_type": "create_event",
        "summary": "Talk",
        "start_datetime": given,
        "end_datetime": "2026-12-31T10:00:00Z",
    }
    fixed = repaired_settings("EXTERNAL_ACTION.GOOGLE_CALENDAR", settings, {})
    assert isinstance(fixed, dict)
    assert fixed["start_datetime"] == meant
