"""Fixes by a mechanism rather than by case, each with a value near it that is not fixed."""

import json
from typing import Any

import pytest
from tests.workflow.checks.building import known

from toolweave.json_text import Json
from toolweave.problems import Problem
from toolweave.tools.conversions import conversions
from toolweave.tools.key_meaning import renamed, shortened
from toolweave.tools.meaning import outputs_meant
from toolweave.workflow.formats.foreign.translation import translate_foreign
from toolweave.workflow.report import Report, examine

Data = dict[str, Any]  # Any: a JSON document of a test


def report(*nodes: Data, edges: tuple[tuple[str, str], ...] = ()) -> Report:
    """The report on a workflow that a manual trigger starts."""
    start = {"id": "go", "type": "TRIGGER", "name": "go", "data": {"subtype": "MANUAL"}}
    document = {
        "id": "w",
        "name": "w",
        "version": "1.0.0",
        "nodes": [start, *nodes],
        "connections": [
            {"id": f"{one}-{two}", "from": one, "to": two, "fromPort": "output", "toPort": "input"}
            for one, two in (("go", str(nodes[0]["id"])), *edges)
        ],
    }
    return examine(json.dumps(document), known())


def step(kind: str, subtype: str | None, **data: object) -> Data:
    named = {} if subtype is None else {"subtype": subtype}
    return {"id": "a", "type": kind, "name": "a", "data": {**named, **data}}


def patches(found: Report, code: str) -> list[object]:
    return [one.patch[0] if one.patch else None for one in found.problems if one.code == code]


def of_code(found: Report, code: str) -> list[Problem]:
    return [one for one in found.problems if one.code == code]


@pytest.mark.parametrize(
    ("wrong", "free", "right"),
    [
        ("delim", ["delimiter", "path"], ["delimiter"]),
        ("timeout_min", ["timeout_minutes", "timeout"], ["timeout_minutes"]),
        ("repository_name", ["repo_name"], ["repo_name"]),
        ("counter", ["count"], []),
        ("to", ["token"], []),
    ],
)
def test_a_shortened_name_is_known_by_the_beginnings_of_its_words(
    wrong: str, free: list[str], right: list[str]
) -> None:
    assert shortened(wrong, free) == right


@pytest.mark.parametrize(
    ("wrong", "free", "right"),
    [
        ("nachricht", ["message", "when"], ["message"]),
        ("Bedingung", ["condition_expression"], ["condition_expression"]),
        ("dirección", ["direction", "field"], ["direction"]),
        ("gesundheit", ["message"], []),
    ],
)
def test_a_name_in_another_language_is_translated(
    wrong: str, free: list[str], right: list[str]
) -> None:
    assert renamed(wrong, free) == right


def test_a_longer_name_of_a_result_is_only_meant_if_it_says_no_more() -> None:
    assert outputs_meant("response", ["response_time", "status_code"]) == []
    assert outputs_meant("sorted", ["sorted_data"]) == ["sorted_data"]
    assert outputs_meant("body", ["body_text", "body_html"]) == ["body_text", "body_html"]


def test_pairs_become_an_object_where_the_key_is_clear() -> None:
    pairs: Json = [{"name": "a", "value": 1}, {"name": "b", "value": 2}]
    assert list(conversions(pairs, ["object"])) == [{"a": 1, "b": 2}]
    changes: Json = [{"from": "mail", "to": "email"}]
    assert list(conversions(changes, ["object"], "rename")) == [{"mail": "email"}]
    # In another field the new name may be the key.
    assert list(conversions(changes, ["object"], "field_mapping")) == []


@pytest.mark.parametrize(
    ("foreign", "cel"),
    [
        ("data.total > 1000,5", "data.total > 1000.5"),
        ("data.mail LIKE '%@example.com'", "data.mail.endsWith('@example.com')"),
        ("data.mail NOT LIKE 'a%'", "!(data.mail.startsWith('a'))"),
        ("if (data.total > 3)", "data.total > 3"),
        ("data.total > 1,000", None),  # a thousand, or one
        ("data.mail LIKE 'a%b'", None),
    ],
)
def test_conditions_of_other_languages(foreign: str, cel: str | None) -> None:
    found = translate_foreign(foreign, ["data"])
    assert (found.cel if found else None) == cel


def test_a_condition_in_braces_loses_them() -> None:
    found = report(
        step("FLOW", "IF", configurations={"condition_expression": "{{ size(data.x) > 1 }}"})
    )
    (patch,) = patches(found, "VALUE_TYPE_MISFIT")
    assert isinstance(patch, dict)
    assert patch["value"] == "size(data.x) > 1"


def test_a_node_of_n8n_is_the_one_of_the_same_name() -> None:
    settings = {"configurations": {"method": "GET", "url": "https://api.example.com"}}
    found = report(step("n8n-nodes-base.httpRequest", None, **settings))
    (problem,) = of_code(found, "NODE_UNKNOWN")
    assert problem.hint == "use 'ACTION.HTTP_REQUEST'"
    assert problem.patch
    nowhere = report(step("n8n-nodes-base.quantum", None, **settings))
    assert [one.patch for one in of_code(nowhere, "NODE_TYPE_UNKNOWN")] == [None]


@pytest.mark.parametrize(
    ("settings", "is_unlikely"),
    [
        ({"url": "https://YOUR_API_HERE/orders", "method": "GET"}, True),
        ({"url": "https://api.example.com/orders", "method": "GET"}, False),
        ({"url": "https://api.example.com", "method": "GET", "headers": {"X": "<your key>"}}, True),
        ({"url": "https://api.example.com", "method": "GET", "headers": {"X": "<b>"}}, False),
    ],
)
def test_a_stand_in_is_reported_and_not_fixed(settings: Data, *, is_unlikely: bool) -> None:
    found = of_code(
        report(step("ACTION", "HTTP_REQUEST", configurations=settings)), "VALUE_UNLIKELY"
    )
    assert bool(found) == is_unlikely
    assert not any(one.patch for one in found)


@pytest.mark.parametrize(("least", "most", "count"), [(5, 1, 1), (1, 5, 0), (5, 5, 0)])
def test_a_range_that_ends_before_it_begins_is_reported(least: int, most: int, count: int) -> None:
    condition = {"field": "score", "min_value": least, "max_value": most}
    settings = {"filter_type": "range_filter", "conditions": [condition]}
    found = report(step("FLOW", "FILTER", configurations=settings))
    assert len(of_code(found, "VALUE_UNLIKELY")) == count


def test_a_position_as_a_list_is_read() -> None:
    node = step("FLOW", "DELAY", configurations={"duration_seconds": 1}) | {"position": [20, 3.5]}
    (patch,) = patches(report(node), "FIELD_TYPE_WRONG")
    assert isinstance(patch, dict)
    assert patch["value"] == {"x": 20, "y": 3.5}
    odd = node | {"position": [20]}
    assert patches(report(odd), "FIELD_TYPE_WRONG") == [None]
