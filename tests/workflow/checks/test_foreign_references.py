"""References of other systems, through the report of `validate`: one answer or none."""

import pytest
from tests.workflow.corpus.bases import edge, node, whole, world

from toolweave import json_text
from toolweave.problems import Problem
from toolweave.workflow.report import Report, examine

_SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}


def _report(text: str, condition: str = "load.success") -> Report:
    """A trigger with the input `city`, requests `load` and `read-it`, a condition, a field."""
    request = {"method": "GET", "url": "https://api.example.com/items"}
    nodes = [
        node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"}),
        node("load", "ACTION.HTTP_REQUEST", configurations=request),
        node("read-it", "ACTION.HTTP_REQUEST", configurations=request),
        node("decide", "FLOW.IF", configurations={"condition_expression": condition}),
        node("say", "ACTION.SET_FIELDS", configurations={"set": {"text": text}}),
    ]
    edges = [
        edge("go", "load"),
        edge("load", "read-it"),
        edge("read-it", "decide"),
        edge("decide", "say", "true"),
    ]
    document = whole("references", nodes, edges) | {"inputSchema": _SCHEMA}
    return examine(json_text.write(document), world("alone"))


def _at(report: Report, end: str) -> list[Problem]:
    return [one for one in report.problems if one.pointer.endswith(end)]


def _written(report: Report, end: str) -> list[object]:
    problems = _at(report, end)
    assert problems
    return [step["value"] for one in problems for step in one.patch or ()]


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("{{ outputs.load.body }}", "{{ load.body }}"),  # Kestra
        ("{{ results.load.body }}", "{{ load.body }}"),  # Windmill
        ("{{ activities.load.output.body }}", "{{ load.body }}"),
        ("{{ flow_input.city }}", "{{ trigger.city }}"),
        ("{{ dag_run.conf.city }}", "{{ trigger.city }}"),  # Airflow
        ("{{ workflow.parameters.city }}", "{{ trigger.city }}"),  # Argo
        ("{{ github.event.inputs.city }}", "{{ trigger.city }}"),
        ("Go <<load.body>>.", "Go {{ load.body }}."),
        ("<load.body>", "{{ load.body }}"),
        ("%load.body%", "{{ load.body }}"),
        ("$(load.body)", "{{ load.body }}"),
        ("#[load.body]", "{{ load.body }}"),
        ("{!load.body}", "{{ load.body }}"),
        ("{{ read-it.body }}", "{{ nodes['read-it'].output.body }}"),
    ],
)
def test_a_reference_of_another_system_is_translated(text: str, ours: str) -> None:
    assert set(_written(_report(text), "/set/text")) == {ours}


@pytest.mark.parametrize(
    "text",
    [
        "day {{ date }}",  # no misspelling of `data`
        "{{ outputs.missing.body }}",  # no node of this name
        "{{ secrets.load.body }}",
    ],
)
def test_a_name_that_nothing_has_is_not_replaced_by_another(text: str) -> None:
    assert _written(_report("{{ dta.status_code }}"), "/set/text")  # the control
    assert _written(_report(text), "/set/text") == []


@pytest.mark.parametrize(
    ("condition", "ours"),
    [
        ("load.success == 'true'", "load.success == true"),
        ("load.status_code == '200'", "load.status_code == 200"),
    ],
)
def test_a_value_in_quotes_is_compared_as_what_it_is(condition: str, ours: str) -> None:
    assert set(_written(_report("x", condition), "/condition_expression")) == {ours}


def test_a_text_that_only_looks_like_a_number_stays_one() -> None:
    assert _at(_report("x", "load.body == '200'"), "/condition_expression") == []


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("{{ 'Code {}'.format(load.status_code) }}", "{{ 'Code ' + string(load.status_code) }}"),
        ("{{ load.status_code // 2 }}", None),
        ("{{ '%s' % load.status_code }}", "{{ string(load.status_code) }}"),
        ("{{ '%.2f' % load.status_code }}", None),
    ],
)
def test_what_reads_differently_elsewhere_is_reported(text: str, ours: str | None) -> None:
    assert _at(_report("{{ 'Code %s'.format([load.status_code]) }}"), "/set/text") == []
    assert _written(_report(text), "/set/text") == ([ours] if ours else [])
