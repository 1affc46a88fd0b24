"""Placeholders of other systems in texts: fixed where they name something, else left alone."""

import pytest
from tests.workflow.checks.building import known, line, node

from toolweave.json_text import Json
from toolweave.problems import Problem
from toolweave.workflow.checks import foreign_texts
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.model import Node


def texts(**inputs: Json) -> list[Problem]:
    """The problems of a text in a node after a trigger and a node titled `Load orders`."""
    start = node("start", "TRIGGER.MANUAL", configurations={})
    load = node("load", "ACTION.DATABASE_OPERATION", configurations={})
    titled = Node(load.id, load.type, "Load orders", data=load.data)
    under_test = node("send", "OUTPUT.TEXT", inputParams=inputs)
    return list(foreign_texts.check(CheckContext(line(start, titled, under_test), known())))


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("${trigger.city}", "{{ trigger.city }}"),
        ("for ${ load.rows } now", "for {{ load.rows }} now"),
        ("${{ steps.load.outputs.rows }}", "{{ load.rows }}"),
        ("={{ $json.city }}", "{{ $json.city }}"),
        ("<%= trigger.city %>", "{{ trigger.city }}"),
        ("#{trigger.city}", "{{ trigger.city }}"),
        ("[[ trigger.city ]]", "{{ trigger.city }}"),
        ("@{triggerBody()?['city']}", "{{ trigger.city }}"),
        ("{trigger.city}", "{{ trigger.city }}"),
        ("$('Load orders').item.json.rows", "{{ load.rows }}"),
        ("$.load.rows", "{{ load.rows }}"),
        ("`City: ${trigger.city}`", "City: {{ trigger.city }}"),
    ],
)
def test_a_placeholder_that_names_something_is_translated(text: str, ours: str) -> None:
    (problem,) = texts(data=text)
    assert (problem.code, problem.severity) == ("TEMPLATE_FOREIGN_SYNTAX", "warning")
    assert problem.patch == (
        {"op": "replace", "path": "/nodes/2/data/inputParams/data", "value": ours},
    )


@pytest.mark.parametrize(
    "text",
    [
        "it costs $5 or ${5}",
        "${HOME}/bin",
        "${vault:key} and ${env:NAME}",
        "{{ trigger.city }} for {name}",
        '{"a": {"b": 1}}',
        "see [[Home]] and [1][2]",
        "example.com",
        "100 %{x}",
        "{{ 'a ${trigger.city}' }}",
        "$1,000.50",
        "the file (load.rows) and me@load.rows@example.com",
        "<load.unknown> and <b>",
    ],
)
def test_a_text_that_may_be_meant_so_is_left_alone(text: str) -> None:
    assert texts(data=text) == []


def test_source_code_keeps_its_placeholders() -> None:
    assert texts(code="`${trigger.city}`", command="echo ${trigger.city}") == []


def test_a_block_has_no_fix() -> None:
    (problem,) = texts(data="{% if trigger.city %}x{% endif %}")
    assert problem.patch is None


def test_a_text_so_long_that_it_is_data_is_not_read() -> None:
    # A pattern over megabytes would hold up every other request of the service.
    assert len(texts(data="${trigger.city}" + " " * 90_000)) == 1
    assert texts(data="${trigger.city}" + " " * 100_000) == []
