"""A fix for an option is withheld where another setting of the node says that it is not meant."""

from typing import Any

import pytest
from tests.workflow.corpus.bases import edge, node, whole, world

from toolweave import json_text
from toolweave.problems import Problem
from toolweave.workflow.report import Report, examine

_HOOK = {"endpoint_path": "/paid", "method": "POST"}
_MAIL = {"smtp_host": "smtp.example.com", "username": "a", "password": "${vault:mail}"}


def _report(ref: str, settings: dict[str, Any]) -> Report:
    if ref.startswith("TRIGGER."):
        return examine(
            json_text.write(whole("w", [node("go", ref, configurations=settings)], [])),
            world("alone"),
        )
    nodes = [
        node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"}),
        node("act", ref, configurations=settings),
    ]
    return examine(json_text.write(whole("w", nodes, [edge("go", "act")])), world("alone"))


def _of_option(ref: str, settings: dict[str, Any]) -> Problem:
    found = [one for one in _report(ref, settings).problems if one.code == "FIELD_OPTION_INVALID"]
    assert len(found) == 1, found
    return found[0]


_CASES = [
    (
        "ACTION.DATA_TRANSFORMATION",
        {"operation": "groupBy", "group_by_fields": ["a"]},
        {"aggregation_functions": {"total": "sum(price)"}},
    ),
    ("ACTION.DATA_TRANSFORMATION", {"operation": "flattening"}, {"field_mapping": {"a": "b"}}),
    ("ACTION.PARSE", {"format": "JSON format"}, {"delimiter": ";"}),
    ("FLOW.MERGE", {"merge_strategy": "concat"}, {"merge_key": "id"}),
    ("FLOW.WAIT", {"wait_type": "callback", "webhook_config": _HOOK}, {"event_config": {"a": 1}}),
    ("FLOW.SPLIT", {"split_by": "chunk_size", "size": 5}, {"parts": 3}),
    ("FLOW.LOOP", {"loop_type": "range", "end_value": 3}, {"array_path": "data.rows"}),
    ("EXTERNAL_ACTION.EMAIL", {**_MAIL, "security": "tls/ssl"}, {"smtp_port": 587}),
    ("EXTERNAL_ACTION.EMAIL", {**_MAIL, "security": "start_tls"}, {"smtp_port": 465}),
    ("TRIGGER.EMAIL", {"email_provider": "gmail"}, {"server_config": {"host": "mail.example.com"}}),
]


@pytest.mark.parametrize(("ref", "settings", "other"), _CASES)
def test_an_option_that_makes_another_setting_idle_is_not_guessed(
    ref: str, settings: dict[str, Any], other: dict[str, Any]
) -> None:
    control = _of_option(ref, settings)
    assert control.patch is not None
    assert control.patch[0]["op"] == "replace"

    assert _of_option(ref, settings | other).patch is None
    repaired = _report(ref, settings | other).fixed.repaired
    assert "FIELD_OPTION_INVALID" not in {one.code for one in repaired}
