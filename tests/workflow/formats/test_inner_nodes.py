"""Nodes inside other nodes are an error, and are taken out where it is clear how they follow."""

import json
from typing import Any

import pytest
from tests.workflow.checks.building import known

from toolweave.json_text import Json
from toolweave.problems import Problem
from toolweave.workflow.json_patch import apply_patch
from toolweave.workflow.report import Report, examine

# Any: documents are changed by name here.
Document = dict[str, Any]
CODE = "NODES_NESTED"


def _node(name: str, kind: str, **parts: Json) -> Document:
    kind, _, subtype = kind.partition(".")
    return {
        "id": name,
        "name": name,
        "type": kind,
        "subtype": subtype,
        "configurations": {},
        **parts,
    }


def _wait(name: str) -> Document:
    return _node(name, "FLOW.DELAY", configurations={"duration_seconds": 1})


TRIGGER, A, B = _node("go", "TRIGGER.MANUAL"), _wait("a"), _wait("b")
LOOP = _node("each", "FLOW.FOR_EACH", input_params={"data": [1, 2]})
IF = _node("check", "FLOW.IF", configurations={"condition_expression": "true"})


def _flat(
    owner: Document, *edges: tuple[str, str, str], nodes: tuple[Document, ...] = ()
) -> Document:
    listed: list[Json] = [
        {"from_node": source, "to_node": target} | ({"output_key": port} if port else {})
        for source, port, target in (("go", "", owner["id"]), *edges)
    ]
    return {"name": "w", "nodes": [TRIGGER, owner, *nodes], "connections": listed}


def _examined(document: Json) -> Report:
    return examine(json.dumps(document), known())


def _nested(document: Json) -> list[Problem]:
    found = [one for one in _examined(document).problems if one.code == CODE]
    assert all(one.severity == "error" for one in found)
    return found


def _joined(document: Json) -> tuple[list[str], list[tuple[str, str, str]]]:
    """The nodes and the edges after the patches of the problem, which is gone then."""
    for one in _nested(document):
        document = apply_patch(document, one.patch or ())
    report = _examined(document)
    assert [one for one in report.problems if one.severity == "error"] == []
    workflow = report.loaded.workflow
    edges = [(str(one.source), one.source_port, str(one.target)) for one in workflow.edges]
    return [str(one.id) for one in workflow.nodes], edges


@pytest.mark.parametrize("key", ["nodes", "steps", "body", "children", "do", "sub_nodes"])
def test_the_nodes_in_a_loop_become_its_body(key: str) -> None:
    nodes, edges = _joined(_flat({**LOOP, key: [A, B]}))
    assert nodes == ["go", "each", "a", "b"]
    assert edges == [("go", "output", "each"), ("each", "loop", "a"), ("a", "output", "b")]


def test_the_nodes_in_a_loop_in_a_loop_become_the_body_of_each() -> None:
    inner = _node("inner", "FLOW.LOOP", configurations={"max_iterations": 2}, steps=[B])
    nodes, edges = _joined(_flat({**LOOP, "steps": [A, inner]}))
    assert nodes == ["go", "each", "a", "inner", "b"]
    assert set(edges) == {
        *(("go", "output", "each"), ("each", "loop", "a")),
        *(("a", "output", "inner"), ("inner", "loop", "b")),
    }


def test_the_nodes_under_the_answers_of_a_decision_follow_its_ports() -> None:
    _, edges = _joined(_flat({**IF, "then": [A], "else": [B]}))
    assert edges == [("go", "output", "check"), ("check", "true", "a"), ("check", "false", "b")]


def test_nodes_that_edges_lead_to_are_only_taken_out() -> None:
    document = _flat({**LOOP, "nodes": [A, B]}, ("each", "loop", "a"), ("a", "", "b"))
    nodes, edges = _joined(document)
    assert nodes == ["go", "each", "a", "b"]
    assert edges == [("go", "output", "each"), ("each", "loop", "a"), ("a", "output", "b")]


@pytest.mark.parametrize("level", ["", "data", "configurations"])
def test_the_nodes_in_a_loop_with_data_become_its_body_at_any_level(level: str) -> None:
    settings: Document = {}
    data: Document = {
        "subtype": "FOR_EACH",
        "configurations": settings,
        "inputParams": {"data": [1]},
    }
    loop: Document = {"id": "each", "type": "FLOW", "name": "each", "data": data}
    inner: Document = {"subtype": "DELAY", "configurations": {"duration_seconds": 1}}
    body = [{"id": "a", "type": "FLOW", "name": "a", "data": inner}]
    place = {"": loop, "data": data, "configurations": settings}[level]
    place["nodes"] = body
    start: Document = {"id": "start", "type": "start", "name": "start", "data": {}}
    edge = {"id": "1", "from": "start", "to": "each", "fromPort": "output", "toPort": "input"}
    document: Document = {"id": "w", "name": "w", "nodes": [start, loop], "connections": [edge]}
    _, edges = _joined(document)
    assert edges == [("start", "output", "each"), ("each", "loop", "a")]


@pytest.mark.parametrize(
    "document",
    [
        # What follows a step with nodes inside, and what its own edges lead to.
        _flat({**A, "nodes": [B]}),
        # The loop has a body already.
        _flat({**LOOP, "nodes": [A]}, ("each", "loop", "b"), nodes=(B,)),
        # The port after a decision is open.
        _flat({**LOOP, "nodes": [IF, A]}),
        # Two lists for one port.
        _flat({**LOOP, "nodes": [A], "steps": [B]}),
        # The id is that of another node.
        _flat({**LOOP, "nodes": [A]}, nodes=(A,)),
        # The answer leads elsewhere already.
        _flat({**IF, "then": [A]}, ("check", "true", "b"), nodes=(B,)),
        # Edges beside the nodes.
        _flat({**LOOP, "nodes": [A, B], "connections": [{"from": "b", "to": "a"}]}),
    ],
)
def test_nodes_inside_are_an_error_without_a_patch_where_their_order_is_not_clear(
    document: Document,
) -> None:
    found = _nested(document)
    assert found != []
    assert all(one.patch is None for one in found)


def test_lists_of_anything_else_in_a_node_are_no_nodes() -> None:
    document = _flat({**LOOP, "steps": ["a", "b"], "children": [], "body": [{"type": "text"}]})
    assert _nested(document) == []
