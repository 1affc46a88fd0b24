"""Calls and signs of other languages in expressions, and assignments, which are no comparisons."""

from typing import cast

import pytest
from tests.workflow.corpus.bases import Document, edge, node, whole, world

from toolweave import json_text
from toolweave.workflow.modes import object_at
from toolweave.workflow.report import Report, examine

_SCHEMA: Document = {
    "type": "object",
    "properties": {
        "amount": {"type": "number"},
        "status": {"type": "string"},
        "ready": {"type": "boolean"},
        "rows": {"type": "array", "items": {"type": "object", "properties": {
            "city": {"type": "string"}, "total": {"type": "integer"}}}},
    },
}  # fmt: skip


def _report(ref: str, settings: Document, inputs: Document | None = None) -> Report:
    nodes = [
        node("go", "start"),
        node("keep", "ACTION.SET_FIELDS", configurations={"set": {"limit": 5, "text": "a"}}),
        node("act", ref, configurations=settings, inputParams=inputs or {}),
    ]
    nodes[1]["data"]["inputParams"] = {"data": {}}
    document = whole("w", nodes, [edge("go", "keep"), edge("keep", "act")])
    return examine(json_text.write({**document, "inputSchema": _SCHEMA}), world("alone"))


def _if(text: str) -> Report:
    return _report("FLOW.IF", {"condition_expression": text}, {"data": "{{ trigger }}"})


def _condition(report: Report) -> str:
    return str(
        object_at(report.fixed.workflow.nodes[2].data, "configurations")["condition_expression"]
    )


@pytest.mark.parametrize(
    "text",
    [
        "amount = keep.data.limit",
        "status = keep.data.text",
        "total = data.amount + 1",
        "ready = data.amount > 3",
        "result = size(data.rows)",
        "let amount = keep.data.limit",
    ],
)
def test_an_assignment_is_not_made_a_comparison(text: str) -> None:
    report = _if(text)
    assert "EXPRESSION_INVALID" in {one.code for one in report.problems}
    assert _condition(report) == text


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("status = 'paid'", "data.status == 'paid'"),
        ("data.amount = 3.0", "data.amount == 3.0"),
        ("data.status = keep.data.text", "data.status == keep.data.text"),
    ],
)
def test_a_comparison_with_one_sign_is_fixed(text: str, right: str) -> None:
    assert _condition(_if(text)) == right


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("data.amount > 3.0 && 'true'", "data.amount > 3.0 && true"),
        ("'false' || data.amount > 3.0", "false || data.amount > 3.0"),
        ('data.ready && "true"', "data.ready && true"),
        ("data.ready || 'false'", "data.ready || false"),
        ("!'false' && data.ready", "!false && data.ready"),
        ("data.amount > 20.0°", "data.amount > 20.0"),
        ("data.amount > 20.0 €", "data.amount > 20.0"),
        ("data.amount >= 20.5°C && data.ready", "data.amount >= 20.5 && data.ready"),
    ],
)
def test_a_word_for_a_truth_and_a_number_with_its_unit_are_fixed(text: str, right: str) -> None:
    assert _condition(_if(text)) == right


def _filled(text: str) -> str:
    report = _report("FLOW.STOP", {"message": text, "outcome": "error"}, {"data": {}})
    return str(object_at(report.fixed.workflow.nodes[2].data, "configurations")["message"])


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("{{ _.map(trigger.rows, 'city').join(', ') }}",
         "{{ trigger.rows.map(x, x.city).join(', ') }}"),
        ("{{ trigger.rows.pluck('city').join(', ') }}",
         "{{ trigger.rows.map(x, x.city).join(', ') }}"),
        ("N: {{ _.size(trigger.rows) }}", "N: {{ trigger.rows.size() }}"),
        ("{{ _.trim(trigger.status) }}", "{{ trigger.status.trim() }}"),
        ("A: {{ _.some(trigger.rows, r => r.total > 3) }}",
         "A: {{ trigger.rows.exists(r, r.total > 3) }}"),
        ("{{ _.join(trigger.rows.map(r => r.city), '; ') }}",
         "{{ trigger.rows.map(r, r.city).join('; ') }}"),
        ("{{ trigger.rows.collect(r => r.city).join(', ') }}",
         "{{ trigger.rows.map(r, r.city).join(', ') }}"),
        ("A: {{ _.startsWith(trigger.status, 'pa') }}", "A: {{ trigger.status.startsWith('pa') }}"),
    ],
)  # fmt: skip
def test_a_call_of_another_language_is_written_as_cel(text: str, right: str) -> None:
    assert _filled(text) == right


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("=Status: {{ $json.status }}", "Status: {{ data.status }}"),
        (
            "=Limit {{ $('keep').item.json.data.limit }} is over",
            "Limit {{ keep.data.limit }} is over",
        ),
        ("=Hi {{ $node['keep'].json.data.text }}!", "Hi {{ keep.data.text }}!"),
        ("= {{ $json.status }} is new", " {{ data.status }} is new"),
        ("=Sum: {{ $('keep').first().json.data.limit }}", "Sum: {{ keep.data.limit }}"),
    ],
)
def test_the_sign_before_a_text_of_n8n_is_removed(text: str, right: str) -> None:
    report = _report("FLOW.STOP", {"message": text, "outcome": "error"}, {"data": "{{ trigger }}"})
    fixed = object_at(report.fixed.workflow.nodes[2].data, "configurations")["message"]
    assert str(fixed).strip() == right.strip()


@pytest.mark.parametrize(
    "text", ["== {{ trigger.status }} ==", "=== Report ===\n{{ trigger.status }}"]
)
def test_signs_that_are_part_of_a_text_stay(text: str) -> None:
    assert _filled(text) == text


def _after(ref: str, settings: Document, data: str) -> Report:
    nodes = [
        node("go", "start"),
        node("get", "ACTION.HTTP_REQUEST", configurations={"url": "https://api.example.com"}),
        node("act", ref, configurations=settings, inputParams={"data": data}),
    ]
    document = whole("w", nodes, [edge("go", "get"), edge("get", "act")])
    return examine(json_text.write({**document, "inputSchema": _SCHEMA}), world("alone"))


def _fixed_of(ref: str, settings: Document) -> Document:
    fixed = _after(ref, settings, "{{ trigger }}").fixed.workflow.nodes[2]
    return object_at(fixed.data, "configurations")


_QUERY = {"database": "a.db", "query": "select ?"}


def _reading(ref: str, settings: Document, data: str) -> list[str]:
    report = _after(ref, settings, data)
    found = [one for one in report.problems if one.code == "REFERENCE_FIELD_UNKNOWN"]
    return [one.severity for one in found if one.pointer.startswith("/nodes/2/")]


_OF_INPUT: list[tuple[str, Document]] = [
    ("FLOW.IF", {"condition_expression": "input.amount > 3.0"}),
    ("FLOW.SWITCH", {"cases": [{"when": "input.amount > 3.0"}]}),
    ("FLOW.STOP", {"outcome": "error", "when": "input.amount > 3.0", "message": "no"}),
    ("FLOW.STOP", {"outcome": "error", "when": "input.status == 'a'", "message": "no"}),
    ("FLOW.SWITCH", {"cases": [{"when": "size(input.rows) > 1"}]}),
]


@pytest.mark.parametrize(("ref", "settings"), _OF_INPUT)
def test_what_came_in_is_not_the_input_data_of_a_node(ref: str, settings: Document) -> None:
    """A node that takes `data` reads it as `data`; `input` stays what the edge brought."""
    assert _reading(ref, settings, "{{ trigger }}") == ["error"]
    settled = _fixed_of(ref, settings)
    own = cast(Document, json_text.read(json_text.write(settings).replace("input.", "data.")))
    assert settled == own
    assert _reading(ref, own, "{{ trigger }}") == []


def test_what_came_in_has_the_fields_of_the_node_before() -> None:
    settings = {"condition_expression": "input.status_code == 200"}
    assert _reading("FLOW.IF", settings, "{{ trigger }}") == []


@pytest.mark.parametrize(
    ("ref", "settings", "field", "value"),
    [
        ("ACTION.DATABASE_QUERY", _QUERY, "parameters", "status"),
        ("ACTION.DATABASE_QUERY", _QUERY, "parameters", "amount"),
        ("ACTION.DATABASE_QUERY", _QUERY, "parameters", "ready"),
        ("ACTION.SET_FIELDS", {"set": {"a": 1}}, "data", "status"),
        ("ACTION.SET_FIELDS", {"set": {"a": 1}}, "data", "ready"),
    ],
)  # fmt: skip
def test_a_value_of_a_type_that_the_node_refuses_is_refused(
    ref: str, settings: Document, field: str, value: str
) -> None:
    def codes(text: str) -> list[tuple[str, str]]:
        report = _report(ref, settings, {field: text})
        return [(one.code, one.severity) for one in report.problems if field in one.pointer]

    assert codes(f"{{{{ trigger.{value} }}}}") == [("VALUE_TYPE_MISFIT", "error")]
    assert codes("a") == [("FIELD_TYPE_INVALID", "error")]
    assert codes("{{ trigger.rows }}") == []


def _of_items(ref: str, text: str, data: str) -> list[str]:
    settings: Document = {"expressions": {"line": text}}
    if ref == "FLOW.FILTER":
        settings = {"filter_type": "custom_function", "custom_filter_function": text}
    report = _report(ref, settings, {"data": data})
    return [one.code for one in report.problems if one.pointer.startswith("/nodes/2/")]


@pytest.mark.parametrize(
    ("ref", "text", "data"),
    [
        ("ACTION.SET_FIELDS", "item.city + ' (' + item.total + ')'", "{{ trigger.rows }}"),
        ("ACTION.SET_FIELDS", "'Sum: ' + item.amount", "{{ trigger }}"),
        ("ACTION.SET_FIELDS", "item.ready + ' it is'", "{{ trigger }}"),
        ("FLOW.FILTER", "item.city + item.total == 'a1'", "{{ trigger.rows }}"),
        ("FLOW.FILTER", "(item.city + ': ' + item.total).contains('1')", "{{ trigger.rows }}"),
    ],
)
def test_a_text_and_a_number_of_an_item_are_not_joined(ref: str, text: str, data: str) -> None:
    assert _of_items(ref, text, data) == ["EXPRESSION_TYPE"]


@pytest.mark.parametrize(
    ("ref", "text", "data"),
    [
        ("ACTION.SET_FIELDS", "item.city + ' ' + string(item.total)", "{{ trigger.rows }}"),
        ("ACTION.SET_FIELDS", "'Sum: ' + item.unheard_of", "{{ trigger }}"),
        ("ACTION.SET_FIELDS", "item.total + 1", "{{ trigger.rows }}"),
        (
            "FLOW.FILTER",
            "item.total > 1 && item.city != '' && item.other > 2",
            "{{ trigger.rows }}",
        ),
    ],
)
def test_what_may_be_joined_or_compared_of_an_item_is_fine(ref: str, text: str, data: str) -> None:
    assert _of_items(ref, text, data) == []


def test_a_field_that_the_node_makes_of_another_type_is_not_that_of_the_item() -> None:
    settings: Document = {"set": {"total": "three"}, "expressions": {"line": "'n ' + item.total"}}
    report = _report("ACTION.SET_FIELDS", settings, {"data": "{{ trigger.rows }}"})
    assert [one.code for one in report.problems if one.pointer.startswith("/nodes/2/")] == []
