"""Documents in the form of another system: one patch makes them ours, and nothing is guessed."""

import json
from typing import Any, cast

import pytest

from toolweave.json_text import Json
from toolweave.workflow.formats.load import convert, load, read
from toolweave.workflow.formats.reshape import CODE, original_place
from toolweave.workflow.json_patch import apply_patch

# Any: documents are changed by name here.
Document = dict[str, Any]

FLAT: Document = {
    "name": "flat",
    "nodes": [
        {"id": "go", "name": "Go", "type": "TRIGGER", "subtype": "MANUAL", "configurations": {}},
        {
            "id": "ask",
            "name": "Ask",
            "type": "FLOW",
            "subtype": "IF",
            "configurations": {"condition_expression": "data.ok"},
            "input_params": {},
        },
        {"id": "end", "name": "End", "type": "FLOW", "subtype": "STOP", "configurations": {}},
    ],
    "connections": [
        {"id": "1", "from_node": "go", "to_node": "ask"},
        {"id": "2", "from_node": "ask", "to_node": "end", "output_key": "true"},
    ],
}
DEEP: Document = {
    "id": "deep",
    "name": "deep",
    "version": "1.0.0",
    "nodes": [
        {"id": "start", "type": "start", "name": "start", "data": {}},
        {
            "id": "ask",
            "type": "FLOW",
            "name": "Ask",
            "data": {"subtype": "IF", "configurations": {"condition_expression": "data.ok"}},
        },
        {"id": "end", "type": "end", "name": "end", "data": {}},
    ],
    "connections": [
        {"id": "1", "from": "start", "to": "ask", "fromPort": "output", "toPort": "input"},
        {"id": "2", "from": "ask", "to": "end", "fromPort": "true", "toPort": "input"},
    ],
}


def changed(document: Document, **parts: Json) -> Document:
    """A copy with other parts; None removes one."""
    made = json.loads(json.dumps(document)) | parts
    return {key: value for key, value in made.items() if value is not None}


def with_node(document: Document, at: int, node: Document) -> Document:
    nodes = [*document["nodes"]]
    nodes[at] = node
    return changed(document, nodes=nodes)


def without(node: Document, *keys: str) -> Document:
    return {key: value for key, value in node.items() if key not in keys}


def meaning(document: Json) -> str:
    """The canonical text without what dialects set aside; ids of edges may be any."""
    whole = cast("Document", convert(read(document).workflow, "toolweave"))
    for edge in whole["connections"]:
        edge.pop("id", None)
    for part in (whole, *whole["nodes"], *whole["connections"]):
        part.pop("x-toolweave", None)
    return json.dumps(whole, sort_keys=True)


_, ASK, _ = FLAT["nodes"]
FOREIGN: dict[str, tuple[Document, Document]] = {
    "links": (FLAT, changed(FLAT, connections=None, links=FLAT["connections"])),
    "edges with source and target": (
        FLAT,
        changed(
            FLAT,
            connections=None,
            edges=[
                {"id": "1", "source": "go", "target": "ask", "sourceHandle": None},
                {"id": "2", "source": "ask", "target": "end", "sourceHandle": "true"},
            ],
        ),
    ),
    "arrows": (FLAT, changed(FLAT, connections=["go -> ask", "ask.true -> end"])),
    "pairs": (
        DEEP,
        changed(DEEP, connections=[["start", "ask"], DEEP["connections"][1]]),
    ),
    "map by source": (
        FLAT,
        changed(FLAT, connections={"go": ["ask"], "ask": {"true": "end"}}),
    ),
    "map of n8n": (
        FLAT,
        changed(
            FLAT,
            connections={
                "Go": {"main": [[{"node": "Ask", "type": "main", "index": 0}]]},
                "Ask": {"main": [[{"node": "End", "type": "main", "index": 0}], []]},
            },
        ),
    ),
    "several targets": (
        changed(
            FLAT,
            connections=[
                {"from_node": "go", "to_node": "ask"},
                {"from_node": "go", "to_node": "end"},
            ],
        ),
        changed(FLAT, connections=[{"from_node": "go", "to_node": ["ask", "end"]}]),
    ),
    "ends as objects": (
        DEEP,
        changed(
            DEEP,
            connections=[
                DEEP["connections"][0],
                {"source": {"node": "ask", "port": "true"}, "target": {"node": "end"}},
            ],
        ),
    ),
    "one edge of the other dialect": (
        DEEP,
        changed(
            DEEP,
            connections=[
                {"id": "1", "from_node": "start", "to_node": "ask"},
                DEEP["connections"][1],
            ],
        ),
    ),
    "one port of the other dialect": (
        DEEP,
        changed(
            DEEP,
            connections=[
                DEEP["connections"][0],
                {"id": "2", "from": "ask", "to": "end", "from_port": "true", "toPort": "input"},
            ],
        ),
    ),
    "one node of the other dialect": (
        DEEP,
        with_node(DEEP, 1, without(ASK, "input_params")),
    ),
    "steps": (FLAT, changed(FLAT, nodes=None, steps=FLAT["nodes"])),
    "nodes by id": (
        FLAT,
        changed(FLAT, nodes={one["id"]: without(one, "id") for one in FLAT["nodes"]}),
    ),
    "node_type": (
        FLAT,
        changed(
            FLAT,
            nodes=[{**without(one, "type"), "node_type": one["type"]} for one in FLAT["nodes"]],
        ),
    ),
    "node_id": (FLAT, with_node(FLAT, 1, {**without(ASK, "id"), "node_id": "ask"})),
    "type and subtype in one": (
        FLAT,
        with_node(FLAT, 1, {**without(ASK, "subtype"), "type": "flow.if"}),
    ),
    "subtype in configurations": (
        FLAT,
        with_node(
            FLAT,
            1,
            {
                **without(ASK, "subtype"),
                "configurations": {**ASK["configurations"], "subtype": "IF"},
            },
        ),
    ),
    "data twice": (
        DEEP,
        with_node(DEEP, 1, {**DEEP["nodes"][1], "data": {"data": DEEP["nodes"][1]["data"]}}),
    ),
    "a graph beside its name": (
        FLAT,
        {"name": "flat", "graph": {"nodes": FLAT["nodes"], "connections": FLAT["connections"]}},
    ),
    "the call of a tool": (
        FLAT,
        {"name": "validate_workflow", "arguments": {"workflow": FLAT}},
    ),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_form_is_an_error_whose_patches_give_the_right_document(name: str) -> None:
    right, wrong = FOREIGN[name]
    loaded = load(json.dumps(wrong))
    found = [problem for problem in loaded.problems if problem.code == CODE]
    assert found
    assert all(problem.severity == "error" and problem.patch for problem in found)
    patched = apply_patch(wrong, [step for problem in found for step in problem.patch or ()])
    assert meaning(patched) == meaning(right)
    assert meaning(convert(loaded.workflow, loaded.format)) == meaning(right)


@pytest.mark.parametrize("document", [FLAT, DEEP])
def test_a_document_of_a_dialect_stays_as_it_is(document: Document) -> None:
    loaded = load(json.dumps(document))
    assert not loaded.corrected
    assert convert(loaded.workflow, loaded.format) == document


@pytest.mark.parametrize(
    "document",
    [
        changed(FLAT, connections=None, links=FLAT["connections"], wires=FLAT["connections"]),
        changed(FLAT, connections=["go -> nowhere"]),
        changed(FLAT, connections=[{"from": "go", "source": "ask", "to": "end"}]),
        # The outputs of a trigger have no numbers.
        changed(FLAT, connections={"go": {"main": [[], [{"node": "ask"}]]}}),
    ],
)
def test_what_could_mean_two_things_is_not_corrected(document: Document) -> None:
    assert not load(json.dumps(document)).corrected


def test_a_flow_keeps_its_edges() -> None:
    flow: Document = {
        "metadata": {"name": "f", "version": "1.0.0"},
        "nodes": [{"id": "n", "type": "template", "data": {"template": "Hi"}}],
        "edges": [],
    }
    loaded = load(json.dumps(flow))
    assert (loaded.format, loaded.corrected) == ("flow", ())


def test_places_after_a_correction_are_those_of_the_file() -> None:
    wrong = changed(FLAT, connections=None, links=[*FLAT["connections"], {"id": "3"}])
    loaded = load(json.dumps(wrong))
    assert "/links/2" in {problem.pointer for problem in loaded.problems}
    assert original_place("/connections/0/from_node", loaded.corrected) == "/links/0/from_node"


OF_OTHERS: dict[str, Json] = {
    "n8n": {"nodes": [{"type": "n8n-nodes-base.set", "name": "Set"}], "connections": {}},
    "GitHub Actions": {"name": "CI", "jobs": {"test": {"steps": [{"run": "true"}]}}},
    "Node-RED": [{"id": "a", "type": "inject", "z": "f", "wires": [["b"]]}],
    "Langflow": {"data": {"nodes": [{"id": "a", "data": {"node": {}}}], "edges": []}},
    "AWS Step Functions": {"StartAt": "A", "States": {"A": {"Type": "Pass"}}},
}


@pytest.mark.parametrize("system", OF_OTHERS)
def test_a_file_of_another_system_is_named(system: str) -> None:
    problem = load(json.dumps(OF_OTHERS[system])).problems[0]
    assert problem.code == "WORKFLOW_UNKNOWN_DIALECT"
    assert f"a file of {system}," in problem.message


@pytest.mark.parametrize("key", ["edges", "links", "flows"])
def test_nodes_with_their_parts_beside_the_type_decide_the_dialect_not_the_word_for_edges(
    key: str,
) -> None:
    edges: list[Json] = [
        {"source": "go", "target": "ask"},
        {"source": "ask", "target": "end", "sourceHandle": "true"},
    ]
    named = changed(FLAT, name=None, connections=None, metadata={"name": "flat"}, **{key: edges})
    loaded = load(json.dumps(named))
    assert loaded.format == "agent-team"
    assert [(one.source, one.target, one.source_port) for one in loaded.workflow.edges] == [
        ("go", "ask", "output"),
        ("ask", "end", "true"),
    ]


def test_nodes_with_data_and_edges_beside_metadata_are_a_flow() -> None:
    edges: list[Json] = [{"id": "1", "source": "start", "target": "ask", "type": "chain"}]
    flow = {"metadata": {"name": "x", "version": "1"}, "nodes": DEEP["nodes"], "edges": edges}
    assert load(json.dumps(flow)).format == "flow"
