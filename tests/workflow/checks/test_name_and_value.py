"""A setting of which the name and the value are both those of other systems."""

from typing import Any

import pytest
from tests.workflow.corpus.bases import Document, edge, node, whole, world

from toolweave import json_text
from toolweave.workflow.modes import object_at
from toolweave.workflow.report import Report, examine


def _report(ref: str, settings: Document, inputs: Document) -> Report:
    nodes = [
        node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"}),
        node("act", ref, configurations=settings, inputParams=inputs),
    ]
    return examine(json_text.write(whole("w", nodes, [edge("go", "act")])), world("alone"))


_HTTP = {"url": "https://api.example.com"}
_CASES: list[tuple[str, Document, Document, str, Any, str, Any]] = [
    ("ACTION.FILE_WRITE", {"path": "a.txt"}, {"content": "a"}, "write_mode", "w", "mode",
     "overwrite"),
    ("ACTION.FILE_WRITE", {"path": "a.txt"}, {"content": "a"}, "writeMode", "a", "mode", "append"),
    ("ACTION.HTTP_REQUEST", _HTTP, {}, "http_method", "post", "method", "POST"),
    ("ACTION.HTTP_REQUEST", _HTTP, {"body": {"a": 1}}, "bodyFormat", "application/json",
     "body_type", "json"),
    ("FLOW.SORT", {"sort_field": "a"}, {"data": []}, "direction", "descending", "order", "desc"),
    ("FLOW.SORT", {"sort_field": "a"}, {"data": []}, "sortOrder", "DESC", "order", "desc"),
    ("FLOW.FILTER", {"filter_type": "custom_function", "custom_filter_function": "item.a > 1"},
     {"data": []}, "filter_action", "drop", "filter_mode", "exclude"),
    ("FLOW.STOP", {}, {"data": {}}, "stop_status", "failure", "outcome", "error"),
    ("ACTION.PARSE", {}, {"text": "a"}, "input_format", "text/csv", "format", "csv"),
]  # fmt: skip


@pytest.mark.parametrize(("ref", "settings", "inputs", "name", "value", "meant", "right"), _CASES)
def test_a_name_and_its_option_are_corrected_together(
    ref: str,
    settings: Document,
    inputs: Document,
    name: str,
    value: Any,
    meant: str,
    right: Any,
) -> None:
    report = _report(ref, {**settings, name: value}, inputs)
    fixed = object_at(report.fixed.workflow.nodes[1].data, "configurations")

    assert fixed == {**settings, meant: right}
    assert report.fixed.repaired


@pytest.mark.parametrize(
    ("ref", "settings", "inputs", "name", "value"),
    [
        ("ACTION.FILE_WRITE", {"path": "a.txt"}, {"content": "a"}, "write_mode", "z"),
        ("ACTION.HTTP_REQUEST", _HTTP, {}, "http_method", "CONNECT"),
        ("FLOW.SORT", {"sort_field": "a"}, {"data": []}, "direction", "random"),
        ("FLOW.STOP", {}, {"data": {}}, "stop_status", "paused"),
        ("ACTION.HTTP_REQUEST", _HTTP, {"body": {"a": 1}}, "bodyFormat", "multipart/form-data"),
    ],
)
def test_a_name_is_not_corrected_with_an_option_that_may_be_any(
    ref: str, settings: Document, inputs: Document, name: str, value: Any
) -> None:
    report = _report(ref, {**settings, name: value}, inputs)
    fixed = object_at(report.fixed.workflow.nodes[1].data, "configurations")
    assert value in fixed.values()
