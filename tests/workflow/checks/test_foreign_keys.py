"""Keys, values and addresses in the form of other systems, through the report of `validate`."""

from dataclasses import replace
from typing import Any

import pytest
from tests.workflow.corpus.bases import edge, node, whole, world

from toolweave import json_text
from toolweave.json_text import Json
from toolweave.workflow.report import Report, examine


def _report(ref: str, *, inputs: Any = None, **settings: Any) -> Report:
    """A trigger, a request `load` and the node under test."""
    request = {"method": "GET", "url": "https://api.example.com/items"}
    nodes = [
        node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"}),
        node("load", "ACTION.HTTP_REQUEST", configurations=request),
        node("under-test", ref, configurations=settings, inputParams=inputs or {}),
    ]
    document = whole("keys", nodes, [edge("go", "load"), edge("load", "under-test")])
    known = replace(world("alone"), workflows=frozenset({"notify-team"}))
    return examine(json_text.write(document), known)


def _fixed(report: Report) -> dict[str, Json]:
    assert [one for one in report.problems if one.pointer.startswith("/nodes/2")]
    return report.fixed.workflow.nodes[2].data


@pytest.mark.parametrize(
    ("wrong", "value", "right", "fixed"),
    [
        ("seconds_duration", 5, "duration_seconds", 5),
        ("`duration_seconds`", 5, "duration_seconds", 5),
        ("**duration_seconds**", 5, "duration_seconds", 5),
    ],
)
def test_a_key_with_the_same_words_is_renamed(
    wrong: str, value: Json, right: str, fixed: Json
) -> None:
    data = _fixed(_report("FLOW.DELAY", **{wrong: value}))

    found = data["configurations"]
    assert isinstance(found, dict)
    assert found.get(right) == fixed


def test_dotted_keys_become_members() -> None:
    dotted = {"server_config.host": "imap.example.com", "server_config.port": 993}
    settings = {"username": "me@example.com", "password": "${vault:mail}", **dotted}
    found = _fixed(_report("TRIGGER.EMAIL", **settings))["configurations"]

    assert isinstance(found, dict)
    assert found["server_config"] == {"host": "imap.example.com", "port": 993}


@pytest.mark.parametrize(
    "called",
    [
        *("workflow:notify-team", "./notify-team", "notify-team@latest", "workflows/notify-team"),
        *("notify-team.json", "arn:aws:states:eu-west-1:1:stateMachine:notify-team"),
    ],
)
def test_the_name_is_found_in_an_address(called: str) -> None:
    found = _fixed(_report("FLOW.SUBWORKFLOW", workflow=called))["configurations"]
    assert isinstance(found, dict)
    assert found["workflow"] == "notify-team"


@pytest.mark.parametrize("called", ["notify-team@v3", "other:notify-team", "notify-team:staging"])
def test_an_address_that_says_more_stays(called: str) -> None:
    found = _fixed(_report("FLOW.SUBWORKFLOW", workflow=called))["configurations"]
    assert isinstance(found, dict)
    assert found["workflow"] == called


@pytest.mark.parametrize(
    "condition",
    [
        {"left": "load.status_code", "operator": "==", "right": 200},
        {"field": "load.status_code", "operator": "equals", "value": 200},
        {"leftValue": "={{ load.status_code }}", "rightValue": 200}
        | {"operator": {"type": "number", "operation": "equals"}},
    ],
)
def test_a_condition_as_an_object_becomes_an_expression(condition: Json) -> None:
    found = _fixed(_report("FLOW.IF", condition_expression=condition))["configurations"]
    assert isinstance(found, dict)
    assert found["condition_expression"] == "load.status_code == 200"
