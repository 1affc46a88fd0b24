"""The queue of a node: the same in every dialect, and what validation says about it."""

import pytest
from tests.workflow.checks.values_building import a_case, a_workflow, catalog_node

from toolweave.json_text import Json
from toolweave.workflow.checks.queues import check
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.node_queue import queue_of

HEADER: dict[str, Json] = {"name": "w", "version": "1.0.0"}
TEAM_NODE: dict[str, Json] = {
    "id": "a",
    "name": "a",
    "type": "ACTION",
    "subtype": "HTTP_REQUEST",
    "position": {"x": 0, "y": 0},
}
DOCUMENTS: dict[str, Json] = {
    "drawn": {
        **HEADER,
        "id": "w",
        "nodes": [
            {
                "id": "a",
                "name": "a",
                "type": "mcp",
                "position": {"x": 0, "y": 0},
                "data": {"serverId": "demo", "toolName": "add", "queue": "gpu"},
            }
        ],
        "connections": [],
    },
    "catalog": {
        "metadata": {**HEADER, "id": "w"},
        "nodes": [{**TEAM_NODE, "configurations": {"queue": "gpu"}}],
        "connections": [],
        "triggers": [],
    },
    "catalog, beside the settings": {
        "metadata": {**HEADER, "id": "w"},
        "nodes": [{**TEAM_NODE, "configurations": {}, "queue": "gpu"}],
        "connections": [],
        "triggers": [],
    },
    "flow": {
        "metadata": HEADER,
        "nodes": [{"id": "a", "type": "template", "data": {"template": "x", "queue": "gpu"}}],
        "edges": [],
    },
}


@pytest.mark.parametrize("to", ["toolweave", "agent-team", "flow", "ccwf"])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_queue_of_a_node_is_kept_from_every_dialect_to_every_other(
    name: str, to: FormatName
) -> None:
    loaded = read(DOCUMENTS[name])
    (node,) = loaded.workflow.nodes
    assert queue_of(node) == "gpu"
    assert convert(loaded.workflow, loaded.format) == DOCUMENTS[name]
    (back,) = read(convert(loaded.workflow, to)).workflow.nodes
    assert queue_of(back) == "gpu"


@pytest.mark.parametrize(
    ("ref", "queue", "codes"),
    [
        ("ACTION.HTTP_REQUEST", "gpu", []),
        ("ACTION.HTTP_REQUEST", "in-house.2", []),
        ("ACTION.HTTP_REQUEST", "g pu", ["QUEUE_NAME_INVALID"]),
        ("ACTION.HTTP_REQUEST", "{{ trigger.queue }}", ["QUEUE_NAME_INVALID"]),
        ("ACTION.HTTP_REQUEST", 7, ["QUEUE_NAME_INVALID"]),
        ("FLOW.IF", "gpu", ["QUEUE_WITHOUT_EFFECT"]),
    ],
)
def test_a_queue_is_a_name_and_only_steps_with_an_effect_have_one(
    ref: str, queue: Json, codes: list[str]
) -> None:
    case = a_case(a_workflow(catalog_node(ref, {"queue": queue})))
    assert [problem.code for problem in check(case)] == codes
