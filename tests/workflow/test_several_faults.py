"""Documents with several faults at once, as authors write them, are fixed as a whole."""

import json
from itertools import pairwise
from typing import Any

import pytest
from tests.workflow.corpus.bases import world

from toolweave.json_text import JsonObject
from toolweave.problems import Problem
from toolweave.workflow.formats.load import convert
from toolweave.workflow.json_patch import apply_patch
from toolweave.workflow.report import Report, examine

Node = dict[str, Any]
TOOL = "MCP:demo/weather"


def _node(id: str, type: str, subtype: str | None, **parts: Any) -> Node:
    named = {} if subtype is None else {"subtype": subtype}
    return {"id": id, "name": id, "type": type, **named, **parts}


def _document(*nodes: Node, **ports: str) -> JsonObject:
    """The nodes one after the other, behind a manual trigger; `ports` are the ports they follow."""
    chain = [_node("go", "TRIGGER", "MANUAL"), *nodes]
    edges = [
        {"from_node": one["id"], "to_node": other["id"]}
        | ({"output_key": ports[other["id"]]} if other["id"] in ports else {})
        for one, other in pairwise(chain)
    ]
    return {"name": "several", "nodes": [*chain], "connections": [*edges]}


def _report(document: JsonObject) -> Report:
    return examine(json.dumps(document), world("demo"))


def _fixed(report: Report, id: str) -> Node:
    whole: Any = convert(report.fixed.workflow, report.loaded.format)
    return next(one for one in whole["nodes"] if one["id"] == id)


def _at(report: Report, place: str) -> list[Problem]:
    return [one for one in report.problems if one.pointer.endswith(place)]


def test_a_kind_is_fixed_although_more_is_wrong_in_its_node() -> None:
    parts = {"configurations": {"custom_filter_function": "item.a > 1", "filter_type": "custom"}}
    made = _node("made", "FLOW", "FILTER", **parts, input_params={"data": [{"a": 1}]})
    # What no fix is known for is found only once the kind is known.
    settings = {"prompt": "Sum up {{ made.nothing }}", "temperature": 0.5}
    report = _report(_document(made, _node("sum", "AI_AGENT", "OPENAI", configurations=settings)))
    (kind,) = [one for one in report.problems if one.code == "NODE_UNKNOWN"]
    assert kind.hint == "use 'AI_AGENT.OPENAI_CHATGPT'"
    assert kind.patch is not None
    fixed = _fixed(report, "sum")
    assert fixed["subtype"] == "OPENAI_CHATGPT"
    assert fixed["input_params"] == {"user_prompt": "Sum up {{ made.nothing }}"}
    left = [one.code for one in report.fixed.left if one.severity == "error"]
    assert left == ["REFERENCE_FIELD_UNKNOWN"]


def test_values_that_need_the_same_missing_part_have_one_patch_that_keeps_both() -> None:
    settings = {"key": "a", "value": "b"}
    document = _document(_node("keep", "TOOL", "MCP:demo/remember", configurations=settings))
    moved = [one for one in _report(document).problems if one.code == "FIELD_UNKNOWN"]
    assert [one.pointer.rpartition("/")[2] for one in moved] == ["key", "value"]
    assert moved[0].patch == moved[1].patch
    after: Any = apply_patch(document, moved[0].patch or ())
    assert after["nodes"][1]["input_params"] == settings
    assert _report(after).is_valid


def test_of_two_values_for_one_place_the_one_with_its_name_is_moved() -> None:
    request = {"url": "https://example.com", "method": "POST", "body": {"a": 1}, "data": {"b": 2}}
    report = _report(_document(_node("send", "ACTION", "HTTP_REQUEST", configurations=request)))
    assert [bool(one.patch) for one in _at(report, "/body")] == [True]
    assert [bool(one.patch) for one in _at(report, "/data")] == [False]
    assert _fixed(report, "send")["input_params"] == {"body": {"a": 1}}


def test_the_value_of_a_switch_goes_into_its_cases_although_it_reads_a_wrong_name() -> None:
    labels = _node(
        "kind",
        "AI_AGENT",
        "CLASSIFY",
        configurations={
            "text": "{{ trigger.text }}",
            "categories": ["billing", "tech"],
        },
    )
    switch = _node(
        "route",
        "FLOW",
        "SWITCH",
        configurations={
            "value": "{{ kind.category }}",
            "cases": ["billing", "tech"],
        },
    )
    done = _node("done", "ACTION", "SET_FIELDS", configurations={"set": {"a": "b"}})
    report = _report(_document(labels, switch, done, done="tech"))
    cases = _fixed(report, "route")["configurations"]["cases"]
    assert cases == [{"when": "kind.label == 'billing'"}, {"when": "kind.label == 'tech'"}]
    whole: Any = convert(report.fixed.workflow, report.loaded.format)
    assert whole["connections"][2]["output_key"] == "case-1"


CITY = {"city": "Oslo"}


@pytest.mark.parametrize(
    ("kind", "settings", "inputs"),
    [
        (("MCP", "TOOL"), {"server": "demo", "tool": "weather"}, CITY),
        (("TOOL", "MCP"), {"serverId": "demo", "toolName": "weather"}, CITY),
        (("MCP", "CALL_TOOL"), {"server": "demo", "tool": "weather", "parameters": CITY}, {}),
        (("TOOL", "MCP_TOOL"), {"tool": "demo/weather"}, {"arguments": CITY}),
        (("MCP", "demo"), {"tool": "weather"}, CITY),
        (("MCP", "TOOL"), {"server": "demo", "tool": "wether"}, CITY),
    ],
)
def test_a_tool_named_in_settings_becomes_its_node(
    kind: tuple[str, str], settings: JsonObject, inputs: JsonObject
) -> None:
    _is_read(_node("it", *kind, configurations=settings, input_params=inputs))


def test_a_tool_named_in_the_node_itself_becomes_its_node() -> None:
    _is_read(_node("it", "mcp", None, server="demo", tool="weather", arguments=CITY))


def _is_read(node: Node) -> None:
    report = _report(_document(node))
    assert not report.is_valid
    fixed = _fixed(report, "it")
    assert (fixed["type"], fixed["subtype"], fixed["input_params"]) == ("TOOL", TOOL, CITY)
    assert fixed.keys() <= {"id", "name", "type", "subtype", "input_params"}


@pytest.mark.parametrize(
    "settings",
    [{"server": "nowhere", "tool": "weather"}, {"server": "demo", "tool": "no_such_tool"}, {}],
)
def test_a_tool_that_is_not_approved_is_not_guessed(settings: JsonObject) -> None:
    report = _report(_document(_node("it", "MCP", "TOOL", configurations=settings)))
    assert [one.patch for one in report.problems if one.code == "NODE_UNKNOWN"] == [None]


@pytest.mark.parametrize(
    ("subtype", "said"),
    [
        ("PARALLEL", "connect a node to several others"),
        ("START", "'TRIGGER.MANUAL'"),
        ("END", "from which no connection leaves"),
        ("TRY_CATCH", "the port 'error'"),
    ],
)
def test_a_node_that_is_not_needed_says_what_is_written_instead(subtype: str, said: str) -> None:
    report = _report(_document(_node("it", "FLOW", subtype)))
    (problem,) = [one for one in report.problems if one.code == "NODE_UNKNOWN"]
    assert said in (problem.hint or "")
    assert problem.patch is None


def test_an_error_is_not_repeated_as_a_warning() -> None:
    report = _report(_document(_node("it", "FLOW", "SWITCH", configurations={"cases": ["a"]})))
    said = [(one.code, one.pointer, one.message) for one in report.problems]
    assert ("FIELD_TYPE_INVALID", "/nodes/1/configurations/cases/0") in [one[:2] for one in said]
    assert len(said) == len(set(said))
