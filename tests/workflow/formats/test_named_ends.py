"""Edges of the agent-team dialect that name a node by its title, beside others with ids."""

import json
from typing import Any

import pytest

from toolweave.problems import Problem
from toolweave.workflow.formats.load import load
from toolweave.workflow.json_patch import apply_patch

# Any: documents are changed by name here.
Document = dict[str, Any]
CODE = "EDGE_END_TITLE"
TITLES = {"go": "Every night", "read": "Read it", "tell": "Tell the team"}


def _document(*edges: tuple[str, str], titles: dict[str, str] = TITLES) -> Document:
    nodes: list[Document] = [
        {"id": one, "name": title, "type": "FLOW", "subtype": "DELAY", "configurations": {}}
        for one, title in titles.items()
    ]
    joined = [{"from_node": source, "to_node": target} for source, target in edges]
    return {"name": "w", "nodes": nodes, "connections": joined}


def _titled(document: Document) -> list[Problem]:
    return [one for one in load(json.dumps(document)).problems if one.code == CODE]


@pytest.mark.parametrize(
    ("edges", "place"),
    [
        ((("go", "read"), ("read", "Tell the team")), "/connections/1/to_node"),
        ((("go", "Read it"), ("read", "tell")), "/connections/0/to_node"),
        ((("Every night", "read"), ("read", "tell")), "/connections/0/from_node"),
    ],
)
def test_a_title_beside_ids_is_understood_and_becomes_the_id(
    edges: tuple[tuple[str, str], ...], place: str
) -> None:
    document = _document(*edges)
    (problem,) = _titled(document)
    assert (problem.pointer, problem.severity) == (place, "warning")
    right = _document(("go", "read"), ("read", "tell"))
    assert apply_patch(document, problem.patch or ()) == right
    ends = [(one.source, one.target) for one in load(json.dumps(document)).workflow.edges]
    assert ends == [("go", "read"), ("read", "tell")]


@pytest.mark.parametrize(
    ("document", "unknown"),
    [
        (_document(("go", "read"), ("read", "tell")), []),
        # Older files name both ends of every edge so.
        (_document(("Every night", "Read it"), ("Read it", "Tell the team")), []),
        # Two nodes have the title.
        (
            _document(
                ("go", "read"), ("read", "Tell"), titles={**TITLES, "tell": "Tell", "x": "Tell"}
            ),
            ["Tell"],
        ),
        (_document(("go", "read"), ("read", "nobody")), ["nobody"]),
    ],
)
def test_ids_and_files_with_titles_only_and_unclear_titles_are_left_alone(
    document: Document, unknown: list[str]
) -> None:
    assert _titled(document) == []
    workflow = load(json.dumps(document)).workflow
    known = {one.id for one in workflow.nodes}
    assert [one.target for one in workflow.edges if one.target not in known] == unknown
