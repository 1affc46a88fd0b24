"""Nodes of the visual editor whose values stand under another name, or beside their place."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from tests.workflow.checks.building import after_patch, found, whole
from tests.workflow.checks.values_building import found as found_in
from tests.workflow.checks.values_building import plain_node
from tests.workflow.corpus.bases import Document, world
from tests.workflow.corpus.bases import edge as drawn_edge
from tests.workflow.corpus.bases import node as drawn_node
from tests.workflow.corpus.bases import whole as drawn
from tests.workflow.mcp_nodes import described, detailed, tasked

from toolweave import json_text
from toolweave.json_text import JsonObject
from toolweave.workflow.checks.modes import check as check_modes
from toolweave.workflow.checks.node_content import check as check_content
from toolweave.workflow.modes import object_at
from toolweave.workflow.report import Report, examine

_WORDS = "Look up the weather of Graz and greet Ada in German."


def _report(nodes: list[Document], **parts: Any) -> Report:
    names = [one["id"] for one in nodes]
    edges = [drawn_edge(one, other) for one, other in pairwise(names)]
    return examine(json_text.write({**drawn("w", nodes, edges), **parts}), world("pinned"))


@pytest.mark.parametrize(
    ("kind", "data", "wrong", "right"),
    [
        ("skill", {"skillPath": "p", "description": "d", "scope": "user"}, "skillName", "name"),
        ("skill", {"name": "s", "description": "d", "scope": "user"}, "path", "skillPath"),
        (
            "skill",
            {"name": "s", "skillPath": "p", "scope": "user"},
            "skillDescription",
            "description",
        ),
        ("subAgent", {"prompt": "Write."}, "subAgentDescription", "description"),
        ("subAgentFlow", {}, "flowId", "subAgentFlowId"),
        ("subAgentFlow", {}, "agentFlowId", "subAgentFlowId"),
        ("codex", {}, "codexPrompt", "prompt"),
    ],
)
def test_a_field_with_or_without_the_word_for_its_node_is_renamed(
    kind: str, data: JsonObject, wrong: str, right: str
) -> None:
    problems = found_in(check_content, plain_node(kind, {**data, wrong: "tour"}))

    patches = [one.patch for one in problems if one.patch]
    assert len(patches) == 1
    assert patches[0][0]["from"].endswith(f"/{wrong}")
    assert patches[0][0]["path"].endswith(f"/{right}")


@pytest.mark.parametrize("key", ["flowId", "flow_id", "target", "flow"])
def test_a_flow_named_under_another_key_is_not_added_a_second_time(key: str) -> None:
    nodes = [
        drawn_node("start", "start"),
        drawn_node("call", "subAgentFlow", **{key: "tour"}),
        drawn_node("end", "end"),
    ]
    inner = [drawn_node("start", "start"), drawn_node("end", "end")]
    flow = drawn("tour", inner, [drawn_edge("start", "end")])
    report = _report(nodes, subAgentFlows=[flow])

    data = report.fixed.workflow.nodes[1].data
    assert list(data.values()).count("tour") == 1


@pytest.mark.parametrize("key", ["description", "task", "prompt", "instructions"])
def test_a_description_under_another_name_is_renamed(key: str) -> None:
    config: JsonObject = {key: _WORDS, "availableTools": []}
    config["timestamp"] = "2025-12-01T10:00:00.000Z"
    after = after_patch(
        check_modes, whole([tasked(fullNaturalLanguageConfig=config)]), "MCP_NL_DESC_EMPTY"
    )
    config = object_at(after.nodes[0].data, "fullNaturalLanguageConfig")
    assert config["taskDescription"] == _WORDS


def test_two_descriptions_under_other_names_are_not_guessed() -> None:
    config: JsonObject = {"task": _WORDS, "goal": _WORDS, "availableTools": []}
    (problem,) = (
        one
        for one in found(check_modes, whole([tasked(fullNaturalLanguageConfig=config)]))
        if one.code == "MCP_NL_DESC_EMPTY"
    )
    assert problem.patch is None


@pytest.mark.parametrize("key", ["serverId", "toolName"])
def test_a_field_of_an_mcp_node_beside_its_data_is_moved_there(key: str) -> None:
    right = detailed()
    data = {name: value for name, value in right.data.items() if name != key}
    wrong = replace(right, data=data, extras={key: right.data[key]})
    after = after_patch(check_modes, whole([wrong]), "MCP_NODE_FIELD_INVALID")

    assert after.nodes[0].data[key] == right.data[key]
    assert key not in after.nodes[0].extras


@pytest.mark.parametrize("kind", ["subFlow", "sub_flow", "subflow", "sub-flow", "agentFlow"])
def test_a_sub_flow_under_another_type_is_one(kind: str) -> None:
    nodes = [
        drawn_node("start", "start"),
        drawn_node("call", kind, subAgentFlowId="tour"),
        drawn_node("end", "end"),
    ]
    inner = [drawn_node("start", "start"), drawn_node("end", "end")]
    flow = drawn("tour", inner, [drawn_edge("start", "end")])
    report = _report(nodes, subAgentFlows=[flow])
    assert report.fixed.workflow.nodes[1].type == "subAgentFlow"


@pytest.mark.parametrize("values", [{"days": 2}, {}, None])
def test_a_value_beside_those_of_its_tool_is_moved_to_them(values: JsonObject | None) -> None:
    data: JsonObject = {"serverId": "demo", "toolName": "weather", "mode": "detailed"}
    data |= {"city": "Oslo", **({"parameterValues": values} if values is not None else {})}
    beside: JsonObject = {} if "days" in (values or {}) else {"days": 5}
    data |= beside  # an optional one is moved with it
    nodes = [drawn_node("start", "start"), drawn_node("call", "mcp", **data)]
    report = _report([*nodes, drawn_node("end", "end")])

    fixed = report.fixed.workflow.nodes[1].data
    assert fixed["parameterValues"] == {**(values or {}), "city": "Oslo", **beside}
    assert fixed.keys().isdisjoint({"city", "days"})


@pytest.mark.parametrize("beside", [{"city": "Oslo", "days": 2}, {"days": 2}])
def test_all_values_beside_those_of_the_tool_are_moved(beside: JsonObject) -> None:
    data: JsonObject = {"serverId": "demo", "toolName": "weather", "mode": "detailed", **beside}
    data["parameterValues"] = {} if "city" in beside else {"city": "Oslo"}
    nodes = [drawn_node("start", "start"), drawn_node("call", "mcp", **data)]
    report = _report([*nodes, drawn_node("end", "end")])

    fixed = report.fixed.workflow.nodes[1].data
    assert fixed["parameterValues"] == {"city": "Oslo", "days": 2}
    assert not beside.keys() & fixed.keys()


@pytest.mark.parametrize("make", [described, tasked])
def test_words_of_another_mode_are_kept_where_a_node_has_no_values(make: Any) -> None:
    given = make(mode="detailed")
    held: JsonObject = given.data
    data = {key: one for key, one in held.items() if key != "parameterValues"}
    problems = found(check_modes, whole([replace(given, data=data)]))
    mismatch = [one for one in problems if one.code == "MCP_MODE_CONFIG_MISMATCH"]

    mode = make().data["mode"]
    changed = {"op": "replace", "path": "/nodes/0/data/mode", "value": mode}
    assert [one.patch for one in mismatch] == [(changed,)]
    assert not [one for one in problems if one.patch and "/parameterValues" in str(one.patch)]
    complete: JsonObject = {**data, "parameterValues": {"city": "Oslo"}}
    control = found(check_modes, whole([replace(given, data=complete)]))
    assert [bool(one.patch) for one in control if one.code == "MCP_MODE_CONFIG_MISMATCH"] == [True]


def _of_flow(**beside: Any) -> Document:
    first = {"id": "in", "type": "multi_input", "data": {"label": "In", "variables": ["a"]}}
    second: Document = {"id": "say", "type": "template", "data": {"label": "Say"}, **beside}
    last = {"id": "out", "type": "result", "data": {"label": "Out"}}
    edges = [
        {"id": "e1", "source": "in", "target": "say", "type": "data"},
        {"id": "e2", "source": "say", "target": "out", "type": "chain"},
    ]
    about = {"name": "Flow", "version": "1.0.0", "description": "d"}
    return {"metadata": about, "nodes": [first, second, last], "edges": edges}


@pytest.mark.parametrize(
    "beside",
    [
        {"template": "Say {a}"},
        {"template": "Say {a}", "variables": ["a"]},
        {"template": "Say {a}", "variables": ["a"], "selectedTemplateId": "Say"},
        {"template": "Say {a}", "selectedTemplateId": "Say"},
        {"variables": ["a"], "template": "{a}"},
    ],
)
def test_everything_of_a_template_that_stands_beside_its_data_is_moved(beside: JsonObject) -> None:
    report = examine(json_text.write(_of_flow(**beside)), world("alone"))
    node_after = report.fixed.workflow.nodes[1]

    assert report.loaded.format == "flow"
    assert {key: node_after.data.get(key) for key in beside} == beside
    assert not beside.keys() & node_after.extras.keys()
