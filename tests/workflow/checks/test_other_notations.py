"""Notations of other systems and languages: each has one meaning here, and the fix writes it."""

from typing import Any

import pytest
from tests.workflow.corpus.bases import Document, edge, node, whole, world

from toolweave import json_text
from toolweave.json_text import Json
from toolweave.problems import Problem
from toolweave.workflow.modes import object_at
from toolweave.workflow.report import Report, examine


def _report(ref: str, config: Document, inputs: Document | None = None) -> Report:
    nodes = [
        node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"}),
        node("it", ref, configurations=config, inputParams=inputs or {}),
    ]
    edges = [edge("go", "it")]
    return examine(json_text.write(whole("notations", nodes, edges)), world("alone"))


def _at(report: Report, field: str) -> list[Problem]:
    return [one for one in report.problems if f"/{field}" in one.pointer]


HTTP = {"method": "POST", "url": "https://api.example.com/items"}
CASES: list[tuple[str, Document, Document, str, Json]] = [
    ("ACTION.HTTP_REQUEST", {**HTTP, "url": "https://https://a.example.com/x"}, {}, "url",
     "https://a.example.com/x"),
    ("ACTION.HTTP_REQUEST", {**HTTP, "url": "https://a.example.com/x?a=1?b=2"}, {}, "url",
     "https://a.example.com/x?a=1&b=2"),
    ("FLOW.DELAY", {"seconds_duration": 5}, {}, "duration_seconds", 5),
    ("FLOW.SORT", {"sort_field": ".total", "order": "asc"}, {"data": [{"total": 1}]}, "sort_field",
     "total"),
    ("FLOW.SORT", {"sort_field": {"value": "total", "type": "str"}, "order": "asc"},
     {"data": [{"total": 1}]}, "sort_field", "total"),
    ("ACTION.PARSE", {"format": "csv", "delimiter": "semicolon"}, {"text": "a"}, "delimiter", ";"),
    ("FLOW.FILTER",
     {"filter_mode": "include", "filter_type": "range_filter",
      "conditions": [{"field": "n", "min": 1, "max": 3}]}, {"data": [{"n": 2}]}, "conditions",
     [{"field": "n", "min_value": 1, "max_value": 3}]),
]  # fmt: skip


@pytest.mark.parametrize(("ref", "config", "inputs", "field", "right"), CASES)
def test_a_setting_in_another_form_is_fixed(
    ref: str, config: Document, inputs: Document, field: str, right: Any
) -> None:
    report = _report(ref, config, inputs)
    fixed = report.fixed.workflow.nodes[1]
    assert object_at(fixed.data, "configurations")[field] == right
    control = _report(ref, object_at(fixed.data, "configurations"), inputs)
    assert _at(control, field) == []


@pytest.mark.parametrize(
    ("ref", "config", "inputs", "field"),
    [
        ("ACTION.HTTP_REQUEST", {**HTTP, "method": "GET"}, {"body": {"a": 1}}, "body"),
        ("ACTION.HTTP_REQUEST", {**HTTP, "body_type": "none"}, {"body": {"a": 1}}, "body_type"),
        ("ACTION.FILE_READ", {"path": "out/%Y-%m-%d.csv"}, {}, "path"),
        ("ACTION.PARSE", {"format": "csv", "delimiter": ";;"}, {"text": "a"}, "delimiter"),
    ],
)
def test_what_has_no_effect_or_several_answers_is_reported_without_a_fix(
    ref: str, config: Document, inputs: Document, field: str
) -> None:
    found = _at(_report(ref, config, inputs), field)
    assert found
    assert [one.patch for one in found] == [None] * len(found)


def test_the_opposite_of_an_option_is_no_typo_of_it() -> None:
    (problem,) = _at(_report("ACTION.FILE_WRITE", {"path": "a", "mode": "no_overwrite"}), "mode")
    assert problem.patch is None
    (control,) = _at(_report("ACTION.FILE_WRITE", {"path": "a", "mode": "overwrit"}), "mode")
    assert control.patch is not None


def test_a_disabled_node_of_another_system_is_reported() -> None:
    disabled = {
        **node("it", "FLOW.DELAY", configurations={"duration_seconds": 1}),
        "disabled": True,
    }
    nodes = [node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"}), disabled]
    report = examine(json_text.write(whole("off", nodes, [edge("go", "it")])), world("alone"))
    (problem,) = (one for one in report.problems if one.pointer.endswith("/disabled"))
    assert "'enabled'" in (problem.hint or "")
