"""What runs and cannot be meant is a warning: members, words, idle settings, dead ends, forms.

Each case is a right node, which nothing is said of, and one change of it that is reported.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from tests.workflow.checks.building import found, known, line, node, whole

from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.workflow.checks import (
    check_workflow,
    contradicting_settings,
    dead_ends,
    drawn_words,
    idle_settings,
    object_members,
    open_options,
    schema_settings,
    text_values,
    unlikely_values,
)
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.model import Workflow

Check = Callable[[CheckContext], Iterator[Problem]]

DISCORD: JsonObject = {
    "action_type": "create_thread",
    "server_id": "417719834231439361",
    "channel_id": "417719834231439362",
    "thread_config": {"name": "Games", "auto_archive_duration": 4320, "type": "public"},
    "embed_config": {"title": "A", "color": 5, "fields": [{"name": "a", "value": "b"}]},
}
CALENDAR: JsonObject = {
    "access_token": "${vault:google}",
    "action_type": "create_event",
    "start": {"dateTime": "2026-12-03T09:00:00", "timeZone": "Europe/Rome"},
    "end": {"dateTime": "2026-12-03T10:00:00", "timeZone": "Europe/Rome"},
    "attendees": ["ada@example.com"],
    "recurrence": ["RRULE:FREQ=WEEKLY;BYDAY=TH,-1FR"],
    "time_min": "2026-12-01T00:00:00Z",
}
TELEGRAM: JsonObject = {
    "telegram_bot_token": "${vault:telegram}",
    "action_type": "send_message",
    "chat_id": "@ops",
    "message_text": "<b>Done</b>",
    "parse_mode": "HTML",
    "keyboard_config": {"type": "inline", "buttons": [[{"text": "A", "url": "https://a.example"}]]},
}
GEMINI: JsonObject = {"model": "gemini-2.5-pro", "safety_settings": {"harassment": "BLOCK_NONE"}}
WAIT: JsonObject = {"wait_type": "file", "file_config": {"file_path": "a/b.csv"}}
MAIL: JsonObject = {"attachment_types": ["pdf"], "sender_whitelist": ["@example.org"]}
FORM: JsonObject = {
    "form_title": "T",
    "form_schema": {"type": "object", "properties": {"a": {"type": "string", "enum": ["b"]}}},
    "response_timeout": 604800,
    "reminder_seconds": 86400,
}
CLAUDE: JsonObject = {
    "model": "claude-sonnet-4-5-20250929",
    "output_processing": {"output_schema": {"type": "object", "properties": {}}},
}

CASES: list[tuple[Check, str, JsonObject, str, Json]] = [
    (object_members.check, "EXTERNAL_ACTION.DISCORD_ACTION", DISCORD, "thread_config/typ", "a"),
    (object_members.check, "EXTERNAL_ACTION.DISCORD_ACTION", DISCORD, "thread_config/type", "open"),
    (object_members.check, "EXTERNAL_ACTION.DISCORD_ACTION", DISCORD, "embed_config/color", "red"),
    (
        object_members.check,
        "EXTERNAL_ACTION.DISCORD_ACTION",
        DISCORD,
        "embed_config/fields/0/inline",
        "yes",
    ),
    (object_members.check, "AI_AGENT.GOOGLE_GEMINI", GEMINI, "safety_settings/harassment", "HIGH"),
    (object_members.check, "FLOW.WAIT", WAIT, "file_config/encoding", "utf-8"),
    (open_options.check, "AI_AGENT.GOOGLE_GEMINI", GEMINI, "model", "models/gemini-2.5-pro"),
    (open_options.check, "AI_AGENT.GOOGLE_GEMINI", GEMINI, "model", "Gemini 2.5 Pro"),
    (idle_settings.check, "FLOW.WAIT", WAIT, "queue_config", {"queue_name": "a"}),
    (idle_settings.check, "FLOW.WAIT", WAIT, "backoff_multiplier", 3),
    (idle_settings.check, "ACTION.SET_FIELDS", {"set": {"a": 1}}, "set", {}),
    (text_values.check, "EXTERNAL_ACTION.GOOGLE_CALENDAR", CALENDAR, "start/timeZone", "Rome"),
    (text_values.check, "EXTERNAL_ACTION.GOOGLE_CALENDAR", CALENDAR, "attendees/0", "ada"),
    (
        text_values.check,
        "EXTERNAL_ACTION.GOOGLE_CALENDAR",
        CALENDAR,
        "time_min",
        "2026-12-01 00:00",
    ),
    (
        text_values.check,
        "EXTERNAL_ACTION.GOOGLE_CALENDAR",
        CALENDAR,
        "recurrence/0",
        "RRULE:FREQ=WEEK;BYDAY=TH",
    ),
    (
        unlikely_values.check,
        "EXTERNAL_ACTION.GOOGLE_CALENDAR",
        CALENDAR,
        "end/dateTime",
        "2026-12-03T08:00:00",
    ),
    (
        text_values.check,
        "EXTERNAL_ACTION.TELEGRAM_ACTION",
        TELEGRAM,
        "keyboard_config/buttons/0/0/url",
        "a.example",
    ),
    (
        contradicting_settings.check,
        "EXTERNAL_ACTION.TELEGRAM_ACTION",
        TELEGRAM,
        "message_text",
        "<b>Done",
    ),
    (text_values.check, "FLOW.WAIT", WAIT, "file_config/file_path", "file://a/b.csv"),
    (text_values.check, "TRIGGER.EMAIL", MAIL, "attachment_types/0", "application/pdf"),
    (text_values.check, "TRIGGER.EMAIL", MAIL, "sender_whitelist/0", "*@example.org"),
    (unlikely_values.check, "TRIGGER.EMAIL", MAIL, "sender_whitelist/1", "@example.org"),
    (schema_settings.check, "HUMAN_IN_THE_LOOP.FORM", FORM, "form_schema/properties/a/enum", []),
    (schema_settings.check, "HUMAN_IN_THE_LOOP.FORM", FORM, "form_schema", {"a": "string"}),
    (contradicting_settings.check, "HUMAN_IN_THE_LOOP.FORM", FORM, "response_timeout", 60),
    (
        schema_settings.check,
        "AI_AGENT.ANTHROPIC_CLAUDE",
        CLAUDE,
        "output_processing/output_schema",
        {"ok": "boolean"},
    ),
    (
        contradicting_settings.check,
        "FLOW.IF",
        {"condition_expression": "data.a > 1"},
        "condition_expression",
        "true",
    ),
    (
        contradicting_settings.check,
        "AI_AGENT.EXTRACT",
        {"fields": {"n": "integer", "who": "name of the customer"}},
        "fields/n",
        "int",
    ),
    (
        contradicting_settings.check,
        "ACTION.DATABASE_QUERY",
        {"database": "a.db", "query": "select 1"},
        "query",
        "select {{ data.n }}",
    ),
]


def changed(value: JsonObject, place: str, new: Json) -> JsonObject:
    """A copy with another value at a place."""
    first, _, rest = place.partition("/")
    below = value.get(first)
    if not rest:
        return {**value, first: new}
    if isinstance(below, list):
        at, _, deeper = rest.partition("/")
        items = [*below, None] if int(at) == len(below) else [*below]
        inner = items[int(at)]
        items[int(at)] = changed(inner, deeper, new) if isinstance(inner, dict) else new
        if isinstance(inner, list):
            items[int(at)] = changed({"": inner}, f"/{deeper}", new)[""]
        return {**value, first: items}
    return {**value, first: changed(below if isinstance(below, dict) else {}, rest, new)}


@pytest.mark.parametrize(("check", "ref", "right", "place", "new"), CASES)
def test_a_right_node_is_silent_and_a_change_of_it_is_reported_at_its_place(
    check: Check, ref: str, right: JsonObject, place: str, new: Json
) -> None:
    assert found(check, line(node("a", ref, configurations=right))) == []

    wrong = line(node("a", ref, configurations=changed(right, place, new)))

    problems = found(check, wrong)
    assert problems
    assert {problem.severity for problem in problems} == {"warning"}
    assert problems[0].pointer.startswith("/nodes/0/data/configurations")
    last = place.rpartition("/")[0]
    assert last in problems[0].pointer


def drawn(kind: str, **data: Json) -> Workflow:
    one = replace(node("a", kind), data=data)
    return line(node("s", "start"), one, node("e", "end"))


@pytest.mark.parametrize(
    ("kind", "right", "name", "wrong", "fix"),
    [
        ("subAgent", {"prompt": "p", "model": "haiku"}, "model", "Haiku", "haiku"),
        ("subAgent", {"prompt": "p", "tools": "Read,Grep"}, "tools", "Read; Grep", "Read,Grep"),
        ("codex", {"prompt": "p", "sandbox": "read-only"}, "sandbox", "read_only", "read-only"),
        ("skill", {"name": "fix-links", "scope": "user"}, "name", "Fix Links", "fix-links"),
        ("skill", {"name": "fix-links", "scope": "user"}, "scope", "User", "user"),
        (
            "template",
            {"template": "About {a} and {b}", "variables": ["a", "b"]},
            "variables",
            ["a"],
            ["a", "b"],
        ),
    ],
)
def test_a_word_of_the_drawing_tool_is_corrected(
    kind: str, right: JsonObject, name: str, wrong: Json, fix: Json
) -> None:
    assert found(drawn_words.check, drawn(kind, **right)) == []
    (problem,) = found(drawn_words.check, drawn(kind, **right | {name: wrong}))
    assert problem.severity == "warning"
    assert problem.patch is not None
    assert problem.patch[-1]["value"] == fix


def test_an_edge_of_a_port_that_settings_never_use_is_reported() -> None:
    def filtered(mode: str) -> Workflow:
        config: JsonObject = {"filter_mode": mode, "filter_type": "exists_filter"}
        nodes = [node("f", "FLOW.FILTER", configurations=config), node("a"), node("b")]
        return whole(nodes, ["f > a", "f.excluded > b"])

    assert found(dead_ends.check, filtered("partition")) == []
    assert found(dead_ends.check, filtered("{{ trigger.mode }}")) == []
    (problem,) = found(dead_ends.check, filtered("include"))
    assert (problem.code, problem.pointer) == ("EDGE_NEVER_TAKEN", "/connections/1/fromPort")


def test_an_edge_out_of_the_body_of_a_loop_is_reported() -> None:
    nodes = [
        node("l", "FLOW.FOR_EACH", configurations={}),
        node("body", "ACTION.SET_FIELDS", configurations={"set": {"a": 1}}),
        node("after", "ACTION.SET_FIELDS", configurations={"set": {"a": 1}}),
    ]
    right = ["l.loop > body", "l.done > after"]
    assert found(dead_ends.check, whole(nodes, right)) == []
    (problem,) = found(dead_ends.check, whole(nodes, [*right, "body > after"]))
    assert (problem.code, problem.pointer) == ("EDGE_LEAVES_LOOP", "/connections/2")


def test_a_reference_to_a_disabled_node_is_reported() -> None:
    def reading(enabled: bool) -> Workflow:
        config: JsonObject = {"set": {"a": 1}, "enabled": enabled}
        reader = node("b", "ACTION.SET_FIELDS", configurations={"set": {"x": "{{ a.data }}"}})
        return line(node("a", "ACTION.SET_FIELDS", configurations=config), reader)

    assert found(dead_ends.check, reading(enabled=True)) == []
    (problem,) = found(dead_ends.check, reading(enabled=False))
    assert problem.code == "REFERENCE_NOT_RUN"
    assert problem.pointer == "/nodes/1/data/configurations/set/x"


@pytest.mark.parametrize("odd", [None, True, 7, "x", [], ["x"], [{}], {}, {"value": "x"}])
def test_a_value_of_any_kind_at_any_place_stops_no_check(odd: Json) -> None:
    for ref in ("FLOW.FILTER", "FLOW.WAIT", "FLOW.IF", "AI_AGENT.EXTRACT", "TRIGGER.EMAIL"):
        spec = known().catalog.get(*ref.split(".", 1))
        assert spec is not None
        config: JsonObject = {one.name: odd for one in spec.configurations}
        inputs: JsonObject = {one.name: odd for one in spec.inputs}
        check_workflow(line(node("a", ref, configurations=config, inputParams=inputs)), known())
    for kind in ("mcp", "subAgent", "skill", "codex", "template", "prompt", "ifElse"):
        names = ("parameters", "model", "tools", "name", "variables", "branches", "template")
        check_workflow(drawn(kind, **dict.fromkeys(names, odd)), known())
    listed = drawn("mcp", parameters=[{"name": odd, "type": odd, "required": odd}])
    check_workflow(listed, known())
