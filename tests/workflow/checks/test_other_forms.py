"""Forms of other systems with one meaning are fixed; forms with several are only reported."""

from typing import Any

import pytest
from tests.workflow.corpus.bases import Document, edge, line, mcp, node, whole, world

from toolweave import json_text
from toolweave.json_text import Json
from toolweave.workflow.formats.load import convert
from toolweave.workflow.report import Report, examine

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
START = node("start", "start")
END = node("end", "end")
GO = node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"})


def _report(document: Document) -> Report:
    return examine(json_text.write(document), world("pinned"))


def _fixed(document: Document) -> Any:
    return convert(_report(document).fixed.workflow, "toolweave")


def _flow(edges: Json, key: str = "edges", kind: str = "template") -> Document:
    nodes = [
        {"id": "node-1", "type": "multi_input", "data": {"label": "In", "variables": ["city"]}},
        {"id": "node-2", "type": kind, "data": {"label": "Say", "template": "Hi {city}"}},
    ]
    return {"metadata": {"name": "flow", "version": "1"}, "nodes": nodes, key: edges}


@pytest.mark.parametrize(
    ("edges", "key"),
    [
        ([{"id": "e", "source": "node-1", "target": "node-2"}], "connections"),
        ([{"id": "e", "from": "node-1", "to": "node-2"}], "edges"),
    ],
)
def test_edges_of_a_flow_are_read_in_the_form_of_other_dialects(edges: Json, key: str) -> None:
    report = _report(_flow(edges, key))

    assert report.loaded.format == "flow"
    assert [(one.source, one.target) for one in report.loaded.workflow.edges] == [
        ("node-1", "node-2")
    ]
    right = _report(_flow([{"id": "e", "source": "node-1", "target": "node-2"}]))
    assert not right.loaded.corrected


def test_edges_of_a_flow_with_one_end_are_not_renamed() -> None:
    report = _report(_flow([{"id": "e", "from": "node-1"}]))
    assert "WORKFLOW_FORM_FOREIGN" not in {one.code for one in report.problems}


def _drawn(kind: str, **data: Any) -> Any:
    return _fixed(line("drawn", [START, node("a", kind, **data), END]))["nodes"][1]["data"]


def test_the_only_list_of_labels_of_a_question_is_its_options() -> None:
    choices = [{"label": "Yes"}, {"label": "No"}]
    assert (
        _drawn("askUserQuestion", questionText="Go on?", multiSelect=True, choices=choices)[
            "options"
        ]
        == choices
    )
    both = _drawn(
        "askUserQuestion", questionText="Go on?", multiSelect=True, choices=choices, more=choices
    )
    other = _drawn("askUserQuestion", questionText="Go on?", multiSelect=True, numbers=[1, 2])
    assert "options" not in both
    assert "options" not in other


def test_a_text_with_gaps_is_the_template() -> None:
    def fixed(text: str) -> Any:
        document = _flow([{"id": "e", "source": "node-1", "target": "node-2"}])
        document["nodes"][1]["data"] = {"label": "Say", "content": text}
        return _fixed(document)["nodes"][1]["data"].get("template")

    assert fixed("Hi {city}") == "Hi {city}"
    assert fixed("A remark") is None


def test_a_list_of_named_values_of_a_prompt_is_an_object() -> None:
    listed = [{"name": "who", "value": "Ada"}]
    assert _drawn("prompt", prompt="Hi {{who}}", variables=listed)["variables"] == {"who": "Ada"}
    twice = [*listed, {"name": "who", "value": "Bob"}]
    assert _drawn("prompt", prompt="Hi {{who}}", variables=twice)["variables"] == twice


@pytest.mark.parametrize(("called", "meant"), [("research-flow", "flow-research"), ("other", None)])
def test_a_sub_flow_is_found_by_the_same_words(called: str, meant: str | None) -> None:
    step = node("sub", "subAgentFlow", subAgentFlowId=called, label="Research")
    flow = {"id": "flow-research", "name": "Deep", "nodes": [START, END]}
    flow["connections"] = [edge("start", "end")]
    document = line("sub", [START, step, END], subAgentFlows=[flow])

    found = _fixed(document)["nodes"][1]["data"]["subAgentFlowId"]
    assert found == (meant or called)


@pytest.mark.parametrize("key", ["inputSchema", "input_schema"])
def test_an_input_schema_in_the_start_is_moved(key: str) -> None:
    start = node("start", "start", **{key: SCHEMA})
    assert _fixed(line("schema", [start, END]))["inputSchema"] == SCHEMA
    other = node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"})
    edges = [edge("start", "end"), edge("go", "end")]
    assert "inputSchema" not in _fixed(whole("two", [start, other, END], edges))


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("FLOW.ITERATOR", "FLOW.FOR_EACH"),
        ("FLOW.EXECUTE_WORKFLOW", "FLOW.SUBWORKFLOW"),
        ("ACTION.SQL_QUERY", "ACTION.DATABASE_QUERY"),
        ("INTEGRATION.GITHUB", "EXTERNAL_ACTION.GITHUB"),
        ("INTEGRATION.WORKFLOW_FAILED", None),
    ],
)
def test_a_node_under_the_name_of_another_system_is_found(wrong: str, meant: str | None) -> None:
    document = line("names", [GO, node("a", wrong, configurations={})])
    problems = _report(document).problems
    (problem,) = (one for one in problems if one.code == "NODE_UNKNOWN")

    # Its settings are missing here, so that the hint says more.
    assert (problem.hint or "").startswith(f"use {meant!r}") == (meant is not None)


def test_a_made_up_type_without_edges_may_be_a_trigger() -> None:
    document = whole("names", [GO, node("a", "INTEGRATION.GITHUB", configurations={})], [])
    problems = _report(document).problems
    (problem,) = (one for one in problems if one.code == "NODE_UNKNOWN")

    assert problem.patch is None


def test_a_general_word_is_the_only_output_of_a_tool() -> None:
    only = mcp("total", "demo", "add", {"a": 1, "b": 2})
    several = mcp("total", "demo", "word_count", {"text": "a b"})
    target = mcp("kept", "demo", "remember", {"key": "a", "value": "{{ string(total.result) }}"})

    fixed = line("one", [START, only, target, END])
    unclear = line("two", [START, several, target, END])
    (patched,) = (one for one in _report(fixed).problems if one.code.startswith("REFERENCE"))
    (other,) = (one for one in _report(unclear).problems if one.code.startswith("REFERENCE"))
    assert patched.patch is not None
    assert patched.patch[0]["value"] == "{{ string(total.sum) }}"
    assert other.patch is None
