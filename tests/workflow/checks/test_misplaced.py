"""A setting at the wrong level is moved if one place takes it, and left alone otherwise."""

from typing import Any

import pytest
from tests.workflow.corpus.bases import Document, edge, node, whole, world

from toolweave import json_text
from toolweave.workflow.formats.load import convert
from toolweave.workflow.report import Report, examine

URL = "https://api.example.com/items"
RIGHT = {"configurations": {"method": "POST", "url": URL}, "inputParams": {"body": {"a": 1}}}


def _document(data: Document, beside: Document | None = None) -> Document:
    send = node("send", "ACTION.HTTP_REQUEST", configurations={})
    send["data"] = {"subtype": "HTTP_REQUEST", **data}
    start = node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"})
    return whole("levels", [start, send | (beside or {})], [edge("go", "send")])


def _report(document: Document) -> Report:
    return examine(json_text.write(document), world("alone"))


def _fixed(report: Report) -> Any:
    document: Any = convert(report.fixed.workflow, report.loaded.format)
    data = document["nodes"][1]["data"]
    return {part: data.get(part) for part in RIGHT}


@pytest.mark.parametrize(
    ("data", "beside"),
    [
        ({"configurations": RIGHT["configurations"] | RIGHT["inputParams"]}, {}),
        (
            {
                "configurations": {"method": "POST"},
                "inputParams": {"url": URL, **RIGHT["inputParams"]},
            },
            {},
        ),
        ({"config": RIGHT["configurations"], "inputParams": RIGHT["inputParams"]}, {}),
        ({"configurations": RIGHT["configurations"], "arguments": RIGHT["inputParams"]}, {}),
        ({"configurations": RIGHT["configurations"]}, {"inputs": RIGHT["inputParams"]}),
        (
            {"configurations": {"method": "POST"}, "url": URL, "inputParams": {"body": {"a": 1}}},
            {},
        ),
        ({"configurations": {"method": "POST"}, "inputParams": {"body": {"a": 1}}}, {"url": URL}),
        (
            {
                "configurations": {"configurations": RIGHT["configurations"]},
                "inputParams": RIGHT["inputParams"],
            },
            {},
        ),
    ],
)
def test_a_value_at_the_wrong_level_is_moved(data: Document, beside: Document) -> None:
    report = _report(_document(data, beside))
    assert any(problem.code == "FIELD_UNKNOWN" and problem.patch for problem in report.problems)
    assert _fixed(report) == RIGHT


def test_members_of_an_object_are_moved_into_it_together() -> None:
    settings = {"action_type": "list_issues", "github_token": "${vault:gh}"}
    flat = node("list", "EXTERNAL_ACTION.GITHUB", configurations={})
    flat["data"]["configurations"] = settings | {"owner": "acme", "repo": "shop"}
    report = _report(whole("flat", [flat], []))
    document: Any = convert(report.fixed.workflow, report.loaded.format)
    assert document["nodes"][0]["data"]["configurations"] == settings | {
        "repository_config": {"owner": "acme", "repo": "shop"}
    }


@pytest.mark.parametrize(
    "data",
    [
        {**RIGHT, "url": "https://other.example.com"},
        {**RIGHT, "arguments": {"body": {"b": 2}}},
        {**RIGHT, "config": {"colour": "red"}},
        {**RIGHT, "description": "What it is for.", "label": "Send"},
    ],
)
def test_a_place_that_is_taken_or_unknown_is_left_alone(data: Document) -> None:
    report = _report(_document(data))
    assert not any(problem.patch for problem in report.problems)
    assert _fixed(report) == RIGHT
