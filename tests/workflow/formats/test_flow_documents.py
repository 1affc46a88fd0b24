"""Flow files whose flows, nodes or edges are under the words of other systems."""

import json
from typing import Any

import pytest

from toolweave.json_text import Json
from toolweave.workflow.formats.load import load
from toolweave.workflow.formats.reshape import CODE
from toolweave.workflow.json_patch import apply_patch

# Any: documents are changed by name here.
Document = dict[str, Any]

NODES: list[Document] = [
    {"id": "in", "type": "multi_input", "data": {"label": "In", "variables": ["notes"]}},
    {"id": "sum", "type": "template", "data": {"label": "Sum", "template": "Sum up {notes}."}},
    {"id": "out", "type": "result", "data": {"label": "Out"}},
]
EDGES: list[Document] = [
    {"id": "e1", "source": "in", "target": "sum", "data": {"connectionType": "data"}},
    {"id": "e2", "source": "sum", "target": "out", "data": {"connectionType": "chain"}},
]
FLOW: Document = {"meta": {"id": "m", "name": "m", "version": "1"}, "nodes": NODES, "edges": EDGES}
HEADER: Document = {"version": "1.0.0", "flowCount": 1}
EXPORT: Document = {"metadata": HEADER, "flows": [FLOW]}
ALONE: Document = {"metadata": {"name": "m", "version": "1"}, "nodes": NODES, "edges": EDGES}


def _without(document: Document, *names: str) -> Document:
    return {key: value for key, value in document.items() if key not in names}


def _patched(document: Json) -> Json:
    """The document after the patches of the reader."""
    problems = load(json.dumps(document)).problems
    assert {one.code for one in problems} == {CODE}
    for one in problems:
        document = apply_patch(document, one.patch or ())
    return document


@pytest.mark.parametrize(
    "document",
    [
        {"metadata": HEADER, "flows": FLOW},
        {"metadata": HEADER, "flows": {"main": FLOW}},
        {"metadata": HEADER, "flows": {"items": [FLOW]}},
        {"metadata": HEADER, "flow": FLOW},
        {"metadata": HEADER, "workflows": [FLOW]},
        {"metadata": HEADER, "flows": [_without(FLOW, "nodes") | {"steps": NODES}]},
        {"metadata": HEADER, "flows": [_without(FLOW, "edges") | {"links": EDGES}]},
        {"metadata": HEADER, "flows": [FLOW | {"nodes": {"items": NODES}}]},
    ],
)
def test_an_export_of_flows_under_other_words_becomes_one(document: Document) -> None:
    assert _patched(document) == EXPORT


@pytest.mark.parametrize(
    "document",
    [
        _without(ALONE, "nodes") | {"steps": NODES},
        _without(ALONE, "edges") | {"flows": EDGES},
        ALONE | {"edges": {"items": EDGES}},
        ALONE | {"nodes": {"items": NODES}},
        ALONE | {"nodes": {one["id"]: _without(one, "id") for one in NODES}},
        {"pipeline": ALONE},
        {"success": True, "data": ALONE},
    ],
)
def test_a_flow_under_other_words_becomes_one(document: Document) -> None:
    assert _patched(document) == ALONE


def test_a_list_around_an_export_is_left_out() -> None:
    assert load(json.dumps([EXPORT])).workflow == load(json.dumps(EXPORT)).workflow


@pytest.mark.parametrize(
    "document",
    [
        EXPORT,
        ALONE,
        # Two words for the flows.
        {"metadata": HEADER, "flow": FLOW, "workflows": [FLOW]},
        # Two lists that may be its nodes.
        {"metadata": HEADER, "steps": NODES, "tasks": NODES, "edges": EDGES},
        # Types that any system may have.
        {"metadata": HEADER, "steps": [{"id": "a", "type": "input"}], "edges": []},
        {"metadata": HEADER, "flows": {"main": {"name": "x"}}},
    ],
)
def test_a_flow_and_what_is_not_clear_are_read_as_they_are(document: Document) -> None:
    assert CODE not in {one.code for one in load(json.dumps(document)).problems}
