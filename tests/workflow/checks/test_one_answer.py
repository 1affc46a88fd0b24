"""Faults with one answer are fixed by it; a neighbour with several answers has no patch."""

from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest
from tests.catalog.builders import our_catalog
from tests.workflow.corpus.bases import Document, edge, node, whole

from toolweave import json_text
from toolweave.demo.server import TOOLS
from toolweave.json_text import Json
from toolweave.tools.read_tool import read_tool
from toolweave.workflow.checks.context import KnownEnvironment, KnownHome
from toolweave.workflow.formats.load import convert
from toolweave.workflow.json_patch import value_at
from toolweave.workflow.report import Report, examine

HOME = KnownHome(
    models=frozenset({"local"}),
    commands={},
    servers={"demo": None},
    secrets=frozenset({"slack-bot", "mail"}),
)
SCHEMA: Document = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "count": {"type": "integer"}},
    "required": ["city"],
}


@cache
def _known() -> KnownEnvironment:
    tools = [
        read_tool("demo", one.definition.model_dump(by_alias=True, mode="json", exclude_none=True))
        for one in TOOLS
    ]
    pinned = {"demo": tools}.get
    return KnownEnvironment(
        our_catalog(), datetime(2026, 1, 1, tzinfo=UTC), pinned=pinned, home=HOME
    )


def _after_start(kind: str, data: Document, **more: Any) -> Document:
    """A node behind a trigger; `data` are its configurations, unless it has parts of its own."""
    parts = data if {"configurations", "inputParams", "mode"} & data.keys() else None
    under_test = node("it", kind, **(parts or {"configurations": data}))
    nodes = [node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"}), under_test]
    return {**whole("one-answer", nodes, [edge("go", "it")]), "inputSchema": SCHEMA, **more}


def _examined(document: Document) -> Report:
    return examine(json_text.write(document), _known())


def _fixed(document: Document, place: str) -> Json:
    return value_at(convert(_examined(document).fixed.workflow, "toolweave"), place)


def _http(**settings: Any) -> Document:
    return {"method": "GET", "url": "https://api.example.com/items", **settings}


def _mcp(**data: Any) -> Document:
    right = {"serverId": "demo", "toolName": "weather", "parameterValues": {"city": "Rome"}}
    usual: Document = {"mode": "detailed", "toolDescription": "", "parameters": []}
    return _after_start("mcp", {**usual, **right, **data})


def _without(document: Document, key: str) -> Document:
    document["nodes"][1]["data"].pop(key)
    return document


def _schema(**changes: Any) -> Document:
    return _after_start("ACTION.HTTP_REQUEST", _http(), inputSchema={**SCHEMA, **changes})


CONFIG = "/nodes/1/data/configurations"
SLACK = {"action_type": "send_message", "channel": "C0123456"}
TO_SLACK: Document = {"inputParams": {"message": "a"}}


def _slack(token: str) -> Document:
    settings = {**SLACK, "bot_token": token}
    return _after_start("EXTERNAL_ACTION.SLACK", {"configurations": settings, **TO_SLACK})


def _text(expression: str) -> Document:
    settings = {**SLACK, "bot_token": "${vault:slack-bot}"}
    inputs = {"message": expression}
    return _after_start(
        "EXTERNAL_ACTION.SLACK", {"configurations": settings, "inputParams": inputs}
    )


MESSAGE = "/nodes/1/data/inputParams/message"

ANSWERS: list[tuple[str, Document, str, Json]] = [
    (
        "a CI secret",
        _slack("${{ secrets.SLACK_BOT }}"),
        f"{CONFIG}/bot_token",
        "${vault:slack-bot}",
    ),
    ("a vault name", _slack("{{ vault.slack-bot }}"), f"{CONFIG}/bot_token", "${vault:slack-bot}"),
    ("an item", _slack("{{ secrets['slack-bot'] }}"), f"{CONFIG}/bot_token", "${vault:slack-bot}"),
    ("a CI input", _text("${{ inputs.city }}"), MESSAGE, "{{ trigger.city }}"),
    ("an input by port", _text("{{ inputs.city }}"), MESSAGE, "{{ trigger.city }}"),
    ("a wrapped input", _text("{{ trigger.inputs.city }}"), MESSAGE, "{{ trigger.city }}"),
    (
        "a number in a text",
        _text("{{ 'Count: ' + trigger.count }}"),
        MESSAGE,
        "{{ 'Count: ' + string(trigger.count) }}",
    ),
    (
        "milliseconds",
        _after_start("FLOW.DELAY", {"duration_ms": 1500}),
        f"{CONFIG}/duration_seconds",
        1.5,
    ),
    ("another key", _without(_mcp(server="demo"), "serverId"), "/nodes/1/data/serverId", "demo"),
    ("a prefix", _mcp(toolName="mcp__demo__weather"), "/nodes/1/data/toolName", "weather"),
    ("a verb", _mcp(toolName="get_weather"), "/nodes/1/data/toolName", "weather"),
    (
        "wrapped arguments",
        _mcp(parameterValues={"arguments": {"city": "Rome"}}),
        "/nodes/1/data/parameterValues",
        {"city": "Rome"},
    ),
    (
        "a slash",
        whole("hook", [node("it", "TRIGGER.WEBHOOK", configurations={"webhook_path": "in"})], []),
        "/nodes/0/data/configurations/webhook_path",
        "/in",
    ),
    (
        "a quoted condition",
        _after_start("FLOW.IF", {"condition_expression": "'trigger.count > 1'"}),
        f"{CONFIG}/condition_expression",
        "trigger.count > 1",
    ),
    ("a required name", _schema(required=["ctiy"]), "/inputSchema/required", ["city"]),
    (
        "a bound",
        _schema(properties={"city": {"type": "string", "max": 9}}),
        "/inputSchema/properties/city",
        {"type": "string", "maxLength": 9},
    ),
    (
        "a literal of a pattern",
        _schema(properties={"city": {"type": "string", "pattern": "/^[a-z]+$/i"}}),
        "/inputSchema/properties/city/pattern",
        "(?i)^[a-z]+$",
    ),
    (
        "settings as pairs",
        _after_start("FLOW.DELAY", {"configurations": [{"name": "duration_seconds", "value": 2}]}),
        CONFIG,
        {"duration_seconds": 2},
    ),
    (
        "a member by another name",
        _after_start(
            "AI_AGENT.GOOGLE_GEMINI",
            {
                "configurations": {
                    "model": "gemini-2.5-pro",
                    "user_prompt": "a",
                    "generation_config": {"max_tokens": 9},
                },
                "inputParams": {"user_prompt": "a"},
            },
        ),
        f"{CONFIG}/generation_config",
        {"max_output_tokens": 9},
    ),
    (
        "a type that is a subtype",
        _after_start("SORT", {"sort_field": "a"}),
        "/nodes/1/type",
        "FLOW",
    ),
]


@pytest.mark.parametrize(
    ("document", "place", "right"), [one[1:] for one in ANSWERS], ids=[one[0] for one in ANSWERS]
)
def test_a_fault_with_one_answer_is_fixed_by_it(
    document: Document, place: str, right: Json
) -> None:
    assert any(problem.patch for problem in _examined(document).problems)
    assert _fixed(document, place) == right


UNCLEAR: list[tuple[str, Document, str]] = [
    ("a secret of another store", _slack("${{ secrets.OTHER }}"), "SECRET_REFERENCE_INVALID"),
    (
        "text or html",
        _after_start(
            "EXTERNAL_ACTION.EMAIL",
            {
                "configurations": {
                    "smtp_host": "mail.example.com",
                    "from_address": "a@example.com",
                },
                "inputParams": {"to": ["b@example.com"], "subject": "a", "body": "b"},
            },
        ),
        "FIELD_UNKNOWN",
    ),
    (
        "a backend for a node",
        _after_start("MEMORY.REDIS", {"configurations": {}, "inputParams": {"key": "a"}}),
        "NODE_UNKNOWN",
    ),
    (
        "two nodes with one id",
        whole(
            "twice",
            [
                node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"}),
                node("it", "FLOW.DELAY", configurations={"duration_seconds": 1}),
                node("it", "FLOW.DELAY", configurations={"duration_seconds": 2}),
            ],
            [edge("go", "it")],
        ),
        "NODE_ID_DUPLICATE",
    ),
    (
        "a node that nothing leads to",
        whole(
            "alone",
            [
                node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"}),
                node("it", "FLOW.DELAY", configurations={"duration_seconds": 1}),
                node("other", "FLOW.DELAY", configurations={"duration_seconds": 2}),
            ],
            [edge("go", "it")],
        ),
        "NODE_UNREACHED",
    ),
    (
        "the body or the query of a webhook",
        whole(
            "asked",
            [
                node(
                    "go",
                    "TRIGGER.WEBHOOK",
                    configurations={"webhook_path": "/in", "allowed_methods": ["GET", "POST"]},
                ),
                node("it", "FLOW.IF", configurations={"condition_expression": "go.city == 'Rome'"}),
            ],
            [edge("go", "it")],
        ),
        "REFERENCE_FIELD_UNKNOWN",
    ),
    (
        "a condition that joins a text",
        _after_start("FLOW.IF", {"condition_expression": "trigger.count + 'x' == ''"}),
        "EXPRESSION_TYPE",
    ),
]


@pytest.mark.parametrize(
    ("document", "code"), [one[1:] for one in UNCLEAR], ids=[one[0] for one in UNCLEAR]
)
def test_a_fault_with_several_answers_has_no_patch(document: Document, code: str) -> None:
    found = [problem for problem in _examined(document).problems if problem.code == code]
    assert found
    assert [problem.patch for problem in found] == [None] * len(found)


def _problems(document: Document) -> dict[str, Any]:
    return {one.code: one for one in examine(json_text.write(document), _known()).problems}


def test_a_reference_is_not_corrected_before_the_type_of_its_loop_is() -> None:
    query = {"database": "a.db", "query": "INSERT INTO a VALUES (:sku)", "allow_writes": True}
    nodes = [
        node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"}),
        node("rows", "ACTION.PARSE", configurations={"format": "csv"}, inputParams={"text": "a;b"}),
        node(
            "each",
            "FLOW.FOREACH",
            configurations={"iteration_variable": "row"},
            inputParams={"data": "{{ rows.data }}"},
        ),
        node(
            "insert",
            "ACTION.DATABASE_QUERY",
            configurations=query,
            inputParams={"parameters": {"sku": "{{ row.sku }}"}},
        ),
    ]
    edges = [edge("go", "rows"), edge("rows", "each"), edge("each", "insert", "loop")]
    report = examine(json_text.write(whole("loops", nodes, edges)), _known())
    found = {one.code: one for one in report.problems}
    assert found["NODE_UNKNOWN"].patch
    assert found["REFERENCE_NAME_UNKNOWN"].patch is None
    assert "{{ row.sku }}" in json_text.write(convert(report.fixed.workflow, "toolweave"))
    assert not [one for one in report.fixed.left if one.severity == "error"]


def _set_fields(code: str) -> Document:
    values = {"set": {"code": code}, "keep_others": False}
    record = node("record", "ACTION.SET_FIELDS", configurations=values, inputParams={"data": {}})
    return whole("log", [record], [])


def test_a_trigger_is_not_added_where_a_name_of_a_lost_one_is_read() -> None:
    assert _problems(_set_fields("none"))["START_MISSING"].patch  # the control
    assert _problems(_set_fields("{{ failed.error.code }}"))["START_MISSING"].patch is None


def test_an_unknown_key_beside_its_twin_is_not_removed() -> None:
    def crawl(**more: Json) -> Document:
        settings: Document = {"firecrawl_api_key": "${vault:slack-bot}", "action_type": "extract"}
        inputs: Document = {"url": "https://example.com/a", "schema": SCHEMA, **more}
        parts: Document = {"configurations": settings, "inputParams": inputs}
        return _after_start("EXTERNAL_ACTION.FIRECRAWL", parts)

    assert _problems(crawl(zebra=False))["FIELD_UNKNOWN"].patch  # the control
    found = _problems(crawl(uri="https://example.com/b"))["FIELD_UNKNOWN"]
    assert (found.patch, found.hint) == (None, "'url' is set as well; remove one of them")
