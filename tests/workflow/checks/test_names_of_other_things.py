"""A name that says another thing than a setting is not renamed to it, however its value fits."""

import pytest
from tests.workflow.corpus.bases import edge, node, whole, world

from toolweave import json_text
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.workflow.report import examine

_SETTINGS: dict[str, JsonObject] = {
    "ACTION.FILE_WRITE": {"path": "out/a.txt"},
    "ACTION.HTTP_REQUEST": {"url": "https://api.example.com"},
    "ACTION.SET_FIELDS": {"set": {"a": 1}},
    "AI_AGENT.CLASSIFY": {"labels": ["a", "b"]},
    "FLOW.FILTER": {"custom_filter_function": "item.a > 1", "filter_type": "custom_function"},
    "FLOW.IF": {"condition_expression": "data.a > 1"},
    "FLOW.SORT": {"sort_field": "a"},
}


def _unknown(ref: str, name: str, value: Json) -> Problem:
    settings = {**_SETTINGS.get(ref, {}), name: value}
    nodes = [
        node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"}),
        node("act", ref, configurations=settings, inputParams={"data": []}),
    ]
    report = examine(json_text.write(whole("w", nodes, [edge("go", "act")])), world("alone"))
    found = [one for one in report.problems if one.pointer.endswith(f"/configurations/{name}")]
    assert [one.code for one in found] == ["FIELD_UNKNOWN"]
    return found[0]


def _targets(problem: Problem) -> set[str]:
    """The names that the patch of a problem writes."""
    added = (one for one in problem.patch or () if one["op"] != "remove")
    return {str(one["path"]).rpartition("/")[2] for one in added}


@pytest.mark.parametrize(
    ("ref", "name", "value"),
    [
        ("FLOW.SORT", "limit", 10),
        ("ACTION.SET_FIELDS", "limit", 5),
        ("FLOW.IF", "limit", 3),
        ("AI_AGENT.CLASSIFY", "limit", 2),
        ("ACTION.SET_FIELDS", "field_limit", 20),
        ("FLOW.SORT", "item_limit", 20),
    ],
)
def test_a_limit_of_a_number_is_no_limit_of_time(ref: str, name: str, value: Json) -> None:
    assert _targets(_unknown(ref, name, value)) == set()


@pytest.mark.parametrize(
    ("ref", "name"),
    [
        ("FLOW.SORT", "time_limit"),
        ("ACTION.SET_FIELDS", "deadline"),
        ("FLOW.IF", "max_run_time"),
        ("ACTION.HTTP_REQUEST", "request_timeout"),
    ],
)
def test_a_limit_of_time_is_the_timeout(ref: str, name: str) -> None:
    assert _targets(_unknown(ref, name, 30)) == {"timeout"}


@pytest.mark.parametrize(
    ("ref", "name", "value"),
    [
        ("ACTION.HTTP_REQUEST", "response_type", "json"),
        ("ACTION.HTTP_REQUEST", "error_format", "json"),
        ("ACTION.HTTP_REQUEST", "fallback_verb", "POST"),
        ("ACTION.FILE_WRITE", "on_duplicate", "append"),
        ("FLOW.FILTER", "case_handling", "include"),
        ("FLOW.SORT", "nulls", "desc"),
        ("FLOW.FILTER", "comparison_locale", "exclude"),
    ],
)
def test_an_option_of_another_setting_does_not_rename_a_name(
    ref: str, name: str, value: Json
) -> None:
    assert _targets(_unknown(ref, name, value)) == set()


@pytest.mark.parametrize(
    ("ref", "name", "value", "meant"),
    [
        ("ACTION.HTTP_REQUEST", "verb", "POST", "method"),
        ("ACTION.HTTP_REQUEST", "body_format", "json", "body_type"),
        ("ACTION.FILE_WRITE", "write_mode", "append", "mode"),
        ("FLOW.SORT", "direction", "desc", "order"),
    ],
)
def test_an_option_confirms_a_name_for_its_setting(
    ref: str, name: str, value: Json, meant: str
) -> None:
    assert _targets(_unknown(ref, name, value)) == {meant}


@pytest.mark.parametrize(
    ("ref", "name", "value"),
    [
        ("ACTION.HTTP_REQUEST", "compress", True),
        ("ACTION.FILE_WRITE", "atomic", True),
        ("FLOW.SORT", "nulls", "first"),
        ("FLOW.SORT", "locale", "de"),
        ("AI_AGENT.CLASSIFY", "json_mode", True),
        ("ACTION.SET_FIELDS", "strict", True),
        ("FLOW.IF", "loose", True),
    ],
)
def test_a_setting_that_asks_for_something_is_not_removed(ref: str, name: str, value: Json) -> None:
    assert _unknown(ref, name, value).patch is None


@pytest.mark.parametrize(
    ("ref", "name", "value"),
    [
        ("ACTION.HTTP_REQUEST", "compress", False),
        ("FLOW.SORT", "locale", "default"),
        ("AI_AGENT.CLASSIFY", "streaming", False),
        ("ACTION.SET_FIELDS", "debug", True),
        ("FLOW.IF", "verbose", True),
        ("ACTION.FILE_WRITE", "icon", "fa-file"),
    ],
)
def test_a_setting_that_asks_for_nothing_is_removed(ref: str, name: str, value: Json) -> None:
    assert [one["op"] for one in _unknown(ref, name, value).patch or ()] == ["remove"]
