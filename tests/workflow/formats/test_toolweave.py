"""The canonical dialect: its workflow JSON, field by field."""

import pytest
from tests.workflow.sample_files import sample, text_of

from toolweave import json_text
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.formats.toolweave import format as toolweave
from toolweave.workflow.model import Edge


def _with(**fields: Json) -> JsonObject:
    """A small workflow with other fields."""
    return {
        "id": "w",
        "name": "w",
        "version": "1.0.0",
        "schemaVersion": "1.3.0",
        "nodes": [],
        "connections": [],
        **fields,
    }


def _edge(**fields: Json) -> Edge:
    return read(_with(connections=[{"id": "e", "from": "a", "to": "b", **fields}])).workflow.edges[
        0
    ]


def test_the_seeds_sample_is_saved_as_it_was_and_nothing_is_added() -> None:
    loaded = sample("toolweave/seed-001.json")
    assert loaded.problems == ()
    assert convert(loaded.workflow, "toolweave") == json_text.read(
        text_of("toolweave/seed-001.json")
    )


def test_a_workflow_of_an_older_schema_loads_as_it_is() -> None:
    loaded = sample("toolweave/older-schema.json")
    assert loaded.problems == ()
    assert loaded.workflow.schema_version == "1.0.0"
    assert [node.type for node in loaded.workflow.nodes] == ["start", "prompt", "end"]


@pytest.mark.parametrize("port", ["output", "out", "", None])
def test_spellings_of_the_one_output_port_are_one(port: str | None) -> None:
    assert _edge(fromPort=port).source_port == _edge().source_port == "output"


@pytest.mark.parametrize("port", ["input", "in", "", None])
def test_spellings_of_the_one_input_port_are_one(port: str | None) -> None:
    assert _edge(toPort=port).target_port == _edge().target_port == "input"


@pytest.mark.parametrize("port", ["branch-0", "branch-12", "true", "confirmed"])
def test_named_outputs_are_kept(port: str) -> None:
    assert _edge(fromPort=port).source_port == port


def test_a_catalog_node_is_named_by_its_type_and_subtype() -> None:
    nodes = sample("toolweave/catalog-nodes.json").workflow.nodes
    assert [node.ref for node in nodes] == [
        *("TRIGGER.GITHUB", "FLOW.IF", "HUMAN_IN_THE_LOOP.SLACK_INTERACTION"),
        *("AI_AGENT.OPENAI_CHATGPT", "MEMORY.KEY_VALUE_STORE", None),
    ]


def test_fields_nobody_knows_are_extras_of_what_they_stand_in() -> None:
    node: Json = {"id": "a", "type": "start", "name": "a", "data": {}, "zIndex": 3}
    edge: Json = {"id": "e", "from": "a", "to": "a", "style": {"w": 1}}
    workflow = read(_with(nodes=[node], connections=[edge], tour=[1])).workflow
    assert workflow.extras == {"tour": [1]}
    assert workflow.nodes[0].extras == {"zIndex": 3}
    assert workflow.edges[0].extras == {"style": {"w": 1}}


def test_a_node_without_an_id_gets_one_and_the_problem_can_be_mended() -> None:
    loaded = read(_with(nodes=[{"id": "node-1", "type": "start"}, {"type": "end"}]))
    problem = next(found for found in loaded.problems if found.code == "NODE_ID_MISSING")
    assert [node.id for node in loaded.workflow.nodes] == ["node-1", "node-2"]
    assert problem.pointer == "/nodes/1"
    assert problem.patch == ({"op": "add", "path": "/nodes/1/id", "value": "node-2"},)


def test_an_id_made_for_a_node_is_no_other_nodes_id() -> None:
    nodes: Json = [{"type": "end"}, {"id": "node-1", "type": "start"}]
    workflow = read(_with(nodes=nodes)).workflow
    assert [node.id for node in workflow.nodes] == ["node-1-2", "node-1"]


def test_a_whole_number_is_an_id_wherever_it_is_used() -> None:
    nodes: Json = [{"id": 7, "type": "start"}, {"id": "b", "type": "end"}]
    loaded = read(_with(nodes=nodes, connections=[{"id": "e", "from": 7, "to": "b"}]))
    assert loaded.workflow.nodes[0].id == loaded.workflow.edges[0].source == "7"


WRONG: list[tuple[JsonObject, str, str, str]] = [
    ({"nodes": {}}, "/nodes", "FIELD_TYPE_WRONG", "error"),
    ({"nodes": [5]}, "/nodes/0", "FIELD_TYPE_WRONG", "error"),
    ({"nodes": [{"id": "a"}]}, "/nodes/0", "FIELD_MISSING", "error"),
    (
        {"nodes": [{"id": "a", "type": "mcp", "data": []}]},
        "/nodes/0/data",
        "FIELD_TYPE_WRONG",
        "error",
    ),
    (
        {"nodes": [{"id": "a", "type": "mcp", "position": {"x": True, "y": 0}}]},
        "/nodes/0/position",
        "FIELD_TYPE_WRONG",
        "warning",
    ),
    ({"connections": [{"id": "e", "to": "a"}]}, "/connections/0", "FIELD_MISSING", "error"),
    ({"version": None}, "", "FIELD_MISSING", "warning"),
    ({"description": 5}, "/description", "FIELD_TYPE_WRONG", "warning"),
    ({"subAgentFlows": [None]}, "/subAgentFlows/0", "FIELD_TYPE_WRONG", "error"),
]


@pytest.mark.parametrize(("fields", "pointer", "code", "severity"), WRONG)
def test_a_field_that_cannot_be_used_is_named_by_its_place(
    fields: JsonObject, pointer: str, code: str, severity: str
) -> None:
    # Through the format itself: detection is another matter.
    loaded = toolweave.read(_with(**fields))
    assert (code, pointer, severity) in {
        (found.code, found.pointer, found.severity) for found in loaded.problems
    }
