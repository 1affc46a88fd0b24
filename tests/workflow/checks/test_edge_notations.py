"""Edges whose port or end is written in another way, and numbers that may be counted from 1."""

from typing import Any

import pytest
from tests.workflow.corpus.bases import Document, node, whole, world

from toolweave import json_text
from toolweave.json_text import Json
from toolweave.workflow.report import Report, examine

_NODES: dict[str, Document] = {
    "if": node("if", "FLOW.IF", configurations={"condition_expression": "data.a > 1"}),
    "switch": node(
        "switch",
        "FLOW.SWITCH",
        configurations={"cases": [{"when": "data.a == 1"}, {"when": "data.a == 2"}]},
    ),
    "sort": node("sort", "AI_AGENT.CLASSIFY", configurations={"labels": ["a", "b", "c"]}),
    "each": node("each", "FLOW.FOR_EACH", configurations={"array_path": "data.rows"}),
    "keep": node(
        "keep",
        "FLOW.FILTER",
        configurations={
            "filter_type": "custom_function",
            "custom_filter_function": "item.a > 1",
            "filter_mode": "partition",
        },
        inputParams={"data": "{{ go.body.rows }}"},
    ),
}
_PAUSE: Document = {"configurations": {"duration_seconds": 1}, "inputParams": {"data": {}}}


def _document(source: str, edges: list[Json], *more: Document) -> Document:
    begin = node("go", "TRIGGER.WEBHOOK", configurations={"webhook_path": "/a"})
    ends = [node(one, "FLOW.DELAY", **_PAUSE) for one in ("x", "y")]
    first = {"id": "e0", "from": "go", "to": source, "fromPort": "output", "toPort": "input"}
    return {**whole("w", [begin, _NODES[source], *ends, *more], []), "connections": [first, *edges]}


def _report(document: Document) -> Report:
    return examine(json_text.write(document), world("alone"))


def _drawn(report: Report) -> list[tuple[str, str, str]]:
    edges = report.fixed.workflow.edges
    return [(str(one.source), one.source_port, str(one.target)) for one in edges][1:]


def _edge(source: str, target: str, **more: Any) -> Document:
    return {"id": f"{source}-{target}", "from": source, "to": target, **more}


_PORTS = [
    ("if", "true"),
    ("switch", "case-1"),
    ("sort", "label-2"),
    ("each", "loop"),
    ("keep", "excluded"),
]


@pytest.mark.parametrize(("source", "port"), _PORTS)
@pytest.mark.parametrize("is_last", [True, False])
def test_a_list_of_three_is_an_edge_with_its_port(source: str, port: str, is_last: bool) -> None:
    listed: list[Json] = [source, "x", port] if is_last else [source, port, "x"]
    document = _document(source, [])
    document["connections"] = [["go", source], listed]

    report = _report(document)
    assert "WORKFLOW_FORM_FOREIGN" in {one.code for one in report.problems}
    assert _drawn(report) == [(source, port, "x")]


def test_a_list_of_three_nodes_is_not_read_as_an_edge_with_a_port() -> None:
    document = _document("if", [])
    document["connections"] = [["go", "if"], ["if", "x", "y"]]

    codes = [one.code for one in _report(document).problems]
    assert "FIELD_TYPE_WRONG" in codes


@pytest.mark.parametrize(("source", "port"), _PORTS)
@pytest.mark.parametrize("key", ["condition", "when", "branch"])
def test_a_port_under_another_key_of_an_edge_becomes_its_port(
    source: str, port: str, key: str
) -> None:
    report = _report(_document(source, [_edge(source, "x", **{key: port})]))
    assert _drawn(report) == [(source, port, "x")]


@pytest.mark.parametrize(("source", "port"), _PORTS)
def test_a_condition_that_names_a_port_becomes_it_in_the_other_dialect(
    source: str, port: str
) -> None:
    nodes = [
        {"id": one["id"], "name": one["id"], "type": one["type"], **one["data"]}
        for one in _document(source, [])["nodes"]
    ]
    edges = [
        {"from_node": "go", "to_node": source},
        {"from_node": source, "to_node": "x", "condition": port},
    ]
    report = _report({"id": "w", "name": "w", "nodes": nodes, "connections": edges})
    assert report.loaded.format == "agent-team"
    assert _drawn(report) == [(source, port, "x")]


@pytest.mark.parametrize(
    ("source", "wrong", "used"),
    [
        ("switch", "case 1", "case-1"),
        ("switch", "case_1", "case-1"),
        ("switch", "Case1", "case-1"),
        ("sort", "label 1", "label-1"),
        ("sort", "label_2", "label-2"),
    ],
)
def test_a_number_that_may_be_counted_from_1_is_not_guessed(
    source: str, wrong: str, used: str
) -> None:
    taken: list[Json] = [_edge(source, "x", fromPort=wrong), _edge(source, "y", fromPort=used)]
    assert _drawn(_report(_document(source, taken)))[0] == (source, wrong, "x")

    alone = _report(_document(source, taken[:1]))
    assert _drawn(alone) == [(source, used, "x")]


@pytest.mark.parametrize(
    "written", ["EMAIL", "email", "EXTERNAL_ACTION.EMAIL", "External_Action.Email"]
)
def test_an_end_that_names_the_only_node_of_a_type_becomes_its_id(written: str) -> None:
    mail = node("reply", "EXTERNAL_ACTION.EMAIL", configurations={"smtp_host": "a.example.com"})
    edges: list[Json] = [_edge("if", "x", fromPort="true"), _edge("x", written)]
    report = _report(_document("if", edges, mail))
    assert _drawn(report)[1] == ("x", "output", "reply")

    other = {**mail, "id": "warn", "name": "warn"}
    several = _report(_document("if", edges, mail, other))
    assert _drawn(several)[1] == ("x", "output", written)


@pytest.mark.parametrize(("wrong", "used"), [("case-1", "branch-0"), ("option-2", "branch-1")])
def test_a_number_of_a_branch_counts_from_0_where_the_one_before_is_in_use(
    wrong: str, used: str
) -> None:
    branches = [{"label": name, "condition": name} for name in "abc"]
    choice = node("kind", "switch", branches=branches, evaluationTarget="a")
    nodes = [node("start", "start"), choice, node("x", "prompt", prompt="x")]
    nodes += [node("y", "prompt", prompt="y"), node("end", "end")]
    edges = [
        _edge("start", "kind"),
        _edge("kind", "y", fromPort=used),
        _edge("kind", "x", fromPort=wrong),
    ]
    report = _report({**whole("w", nodes, []), "connections": [*edges, _edge("x", "end")]})

    assert ("kind", f"branch-{wrong[-1]}", "x") in _drawn(report)
