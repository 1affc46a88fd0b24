"""A pointer into the canonical document leads to the same thing in the file it was read from."""

from collections.abc import Iterator

import pytest
from tests.workflow.sample_files import JSON_FILES, sample, text_of

from toolweave import json_text
from toolweave.json_text import Json, JsonObject
from toolweave.problems import pointer
from toolweave.workflow.formats.format import SourceMap
from toolweave.workflow.formats.load import read
from toolweave.workflow.model import Workflow

_NOT_THERE = object()


def _at(document: Json, place: str) -> object:
    found: object = document
    for step in place.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and key in found:
            found = found[key]  # pyright: ignore[reportUnknownVariableType] # of a JSON value
        elif isinstance(found, list) and key.isdecimal():
            found = found[int(key)]  # pyright: ignore[reportUnknownVariableType] # of a JSON value
        else:
            return _NOT_THERE
    return found  # pyright: ignore[reportUnknownVariableType] # of a JSON value


def _said(workflow: Workflow) -> Iterator[tuple[str, Json]]:
    """What must be found in the file as it is: texts a person may have got wrong."""
    yield "/name", workflow.name
    if workflow.description:
        yield "/description", workflow.description
    for at, node in enumerate(workflow.nodes):
        yield pointer("nodes", at, "id"), node.id
        yield pointer("nodes", at, "name"), node.name
        for key, value in node.data.items():
            yield pointer("nodes", at, "data", key), value


def _mismatches(document: Json, workflow: Workflow, places: SourceMap) -> list[str]:
    wrong = [
        f"{place} -> {there}"
        for place, value in _said(workflow)
        if (found := _at(document, there := places.original(place))) != value
        # Spelt otherwise in the file, or left out there: the place is right all the same.
        and not _is_respelt(place, found)
    ]
    for flow, inner in zip(workflow.subflows, places.subflows, strict=True):
        wrong += _mismatches(document, flow, inner)
    return wrong


def _is_respelt(place: str, found: object) -> bool:
    # An empty list of tools in the older form means that there is no list.
    otherwise = ("/subtype", "/mode", "/variables", "/fullNaturalLanguageConfig")
    is_spelt_otherwise = place.endswith(otherwise)
    return (is_spelt_otherwise and found is not _NOT_THERE) or place.endswith(("/name", "/values"))


@pytest.mark.parametrize("name", JSON_FILES)
def test_pointers_lead_to_what_the_file_says(name: str) -> None:
    loaded = sample(name)
    document = json_text.read(text_of(name))
    assert _mismatches(document, loaded.workflow, loaded.places) == []


@pytest.mark.parametrize("name", JSON_FILES)
def test_pointers_to_the_ends_of_an_edge_lead_to_the_nodes_it_names(name: str) -> None:
    loaded = sample(name)
    document = json_text.read(text_of(name))
    called = {node.id: {node.id, node.name} for node in loaded.workflow.nodes}
    for at, edge in enumerate(loaded.workflow.edges):
        assert _at(document, loaded.places.original(f"/connections/{at}/to")) in called[edge.target]
        source = _at(document, loaded.places.original(f"/connections/{at}/from"))
        # In a map of connections the source is a key, and the leaf below it is the place.
        assert isinstance(source, dict) or source in called[edge.source]


FLOW: JsonObject = {
    "metadata": {"name": "f", "version": "1", "created": "2026-01-01T00:00:00Z", "k": 1},
    "nodes": [
        {"id": "a", "type": "multi_input", "data": {"variables": [{"key": "x/y", "value": 1}]}},
        {"id": "b", "type": "template", "label": "B", "config": {"template": "T"}},
    ],
    "edges": [{"source": "a", "target": "b", "type": "data", "sourceHandle": "out"}],
}
TEAM: JsonObject = {
    "metadata": {"id": "t", "name": "t", "version": 2, "created_at": "2026-01-01T00:00:00Z"},
    "nodes": [
        {"id": "a", "name": "A", "type": "TRIGGER_NODE", "subtype": "MANUAL", "parameters": {}},
        {"id": "b", "name": "B", "type": "prompt", "configurations": {"prompt": "p"}},
    ],
    "connections": [
        {"from_node": "a", "to_node": "b", "output_key": "true"},
        {"from": {"node_id": "a", "port": "p"}, "to": {"node_id": "b"}},
    ],
}
TEAM_MAP: JsonObject = {
    **TEAM,
    "connections": {
        "A": {"connection_types": {"main": {"connections": [{"node": "B", "type": "AI_TOOL"}]}}}
    },
}
MODES: JsonObject = {
    "id": "w",
    "name": "w",
    "version": "1",
    "connections": [],
    "nodes": [
        {"id": "a", "type": "mcp", "data": {"mode": "aiParameterConfig", "aiParameterConfig": {}}},
        {"id": "b", "type": "mcp", "data": {"naturalLanguageParamConfig": {}}},
    ],
}


@pytest.mark.parametrize(
    ("document", "canonical", "native"),
    [
        (FLOW, "/version", "/metadata/version"),
        (FLOW, "/createdAt", "/metadata/created"),
        (FLOW, "/metadata/k", "/metadata/k"),
        (FLOW, "/connections", "/edges"),
        (FLOW, "/nodes/0/data/values/x~1y", "/nodes/0/data/variables/0/value"),
        (FLOW, "/nodes/1/name", "/nodes/1/label"),
        (FLOW, "/nodes/1/data/template", "/nodes/1/config/template"),
        (FLOW, "/connections/0/from", "/edges/0/source"),
        (FLOW, "/connections/0/fromPort", "/edges/0/sourceHandle"),
        (FLOW, "/connections/0/kind", "/edges/0/type"),
        (TEAM, "/version", "/metadata/version"),
        (TEAM, "/createdAt", "/metadata/created_at"),
        (TEAM, "/nodes/0/data/configurations/x", "/nodes/0/parameters/x"),
        (TEAM, "/nodes/0/data/inputParams/x", "/nodes/0/input_params/x"),
        (TEAM, "/nodes/1/data/prompt", "/nodes/1/configurations/prompt"),
        (TEAM, "/connections/0/fromPort", "/connections/0/output_key"),
        (TEAM, "/connections/1/from", "/connections/1/from/node_id"),
        (TEAM, "/connections/1/toPort", "/connections/1/to/port"),
        (
            TEAM_MAP,
            "/connections/0/to",
            "/connections/A/connection_types/main/connections/0/node",
        ),
        (TEAM_MAP, "/connections/0/from", "/connections/A/connection_types/main/connections/0"),
        (
            MODES,
            "/nodes/0/data/naturalLanguageParamConfig/description",
            "/nodes/0/data/aiParameterConfig/description",
        ),
        (
            MODES,
            "/nodes/1/data/naturalLanguageParamConfig/description",
            "/nodes/1/data/naturalLanguageParamConfig/description",
        ),
        ({"meta": {}, "workflow": MODES}, "/nodes/1/id", "/workflow/nodes/1/id"),
    ],
)
def test_every_part_is_called_by_the_name_its_file_has_for_it(
    document: JsonObject, canonical: str, native: str
) -> None:
    assert read(document).places.original(canonical) == native
