"""The rules of flow files, told alike by the command line, REST and the list of a library."""

import json
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from anyio import to_thread
from tests.cli.conftest import tw
from tests.cli.driving import Commands
from tests.library.repo import Repo

from rest.conftest import house
from rest.house import House

__all__ = ["house", "tw"]

pytestmark = pytest.mark.anyio

# Any: a document as plain JSON, which a change makes wrong.
Change = Callable[[Any], object]

GOOD: dict[str, Any] = {
    "metadata": {
        "name": "Release_Notes-2",
        "version": "2.13.4",
        "created": "2026-02-01T08:00:00Z",
        "updated": "2026-02-02T08:00:00.5+02:00",
    },
    "nodes": [
        {
            "id": "given",
            "type": "multi_input",
            "position": {"x": -1, "y": 2.5},
            "data": {"label": "Given", "variables": ["product", "tone"]},
        },
        {
            "id": "draft",
            "type": "template",
            "data": {
                "label": "Draft",
                "template": "Announce {product}, {tone}.",
                "variables": ["product", "tone"],
                "selectedTemplateId": "Draft_Notes",
            },
        },
        {
            "id": "polish",
            "type": "template",
            "data": {
                "label": "Polish",
                "template": "Polish {draft_result}",
                "variables": ["draft_result"],
                "selectedTemplateId": "Polish_Notes",
            },
        },
        {"id": "done", "type": "result", "data": {"label": "Done"}},
    ],
    "edges": [
        {"id": "e1", "source": "given", "target": "draft", "type": "data"},
        {"id": "e2", "source": "draft", "target": "polish", "type": "chain"},
        {"id": "e3", "source": "polish", "target": "done", "type": "chain"},
    ],
}
GONE = object()
AGAIN = {"id": "again", "source": "polish", "target": "draft"}
MEGABYTE = 1024 * 1024


def at(place: str, value: object) -> Change:
    """Set or remove what is at a place such as `nodes/1/id`."""

    def change(document: Any) -> None:
        *way, last = (int(step) if step.isdecimal() else step for step in place.split("/"))
        for step in way:
            document = document[step]
        if value is GONE:
            del document[last]
        else:
            document[last] = value

    return change


def more(key: str, *added: dict[str, Any]) -> Change:
    return lambda document: document[key].extend(added)


def emptied(document: Any) -> None:
    document["nodes"].clear()
    document["edges"].clear()


def many(count: int) -> list[dict[str, Any]]:
    """As many nodes, which would be edges too."""
    shared = {"type": "result", "data": {"label": "x"}, "source": "given"}
    return [{"id": f"m{number}", "target": f"{number}!", **shared} for number in range(count)]


# How a good flow is made wrong, and the problem that is reported.
# Any: pytest's rows are of objects.
RULES: list[Any] = [
    pytest.param(
        at("metadata/name", GONE),
        "FIELD_MISSING",
        "/metadata",
        marks=pytest.mark.requirement("003:Flow.metadata.name"),
    ),
    pytest.param(
        at("metadata/name", " "),
        "FIELD_MISSING",
        "/metadata",
        marks=pytest.mark.requirement("003:Flow.metadata.name"),
    ),
    pytest.param(
        at("metadata/name", "Übersicht.v2"),
        "WORKFLOW_NAME_UNUSUAL",
        "/metadata/name",
        marks=pytest.mark.requirement("003:Flow.metadata.name.pattern"),
    ),
    pytest.param(
        at("metadata/name", "r" * 101),
        "WORKFLOW_NAME_UNUSUAL",
        "/metadata/name",
        marks=pytest.mark.requirement("003:Flow.metadata.name.max"),
    ),
    pytest.param(
        at("metadata/version", "v2.1.0"),
        "FLOW_RULE_BROKEN",
        "/metadata/version",
        marks=pytest.mark.requirement("003:Flow.metadata.version"),
    ),
    pytest.param(
        at("metadata/description", 7),
        "FIELD_TYPE_WRONG",
        "/metadata/description",
        marks=pytest.mark.requirement("003:Flow.metadata.description"),
    ),
    pytest.param(
        at("metadata/created", "2026-02-30T08:00:00Z"),
        "FLOW_RULE_BROKEN",
        "/metadata/created",
        marks=pytest.mark.requirement("003:Flow.metadata.created"),
    ),
    pytest.param(
        at("metadata/updated", "last week"),
        "FLOW_RULE_BROKEN",
        "/metadata/updated",
        marks=pytest.mark.requirement("003:Flow.metadata.updated"),
    ),
    pytest.param(
        emptied, "WORKFLOW_EMPTY", "/nodes", marks=pytest.mark.requirement("003:Flow.nodes.min")
    ),
    pytest.param(
        at("nodes/2/id", "given"),
        "NODE_ID_DUPLICATE",
        "/nodes/2/id",
        marks=pytest.mark.requirement("003:Flow.nodes.unique"),
    ),
    pytest.param(
        at("edges", GONE),
        "FIELD_MISSING",
        "",
        marks=pytest.mark.requirement("003:Flow.edges", "003:security.schema-first"),
    ),
    pytest.param(
        at("edges/2/id", "e1"),
        "EDGE_ID_DUPLICATE",
        "/edges/2/id",
        marks=pytest.mark.requirement("003:Flow.edges.unique"),
    ),
    pytest.param(
        at("edges/2/target", "elsewhere"),
        "EDGE_TARGET_UNKNOWN",
        "/edges/2/target",
        marks=pytest.mark.requirement("003:Flow.edges.known", "003:FlowEdge.target"),
    ),
    pytest.param(
        at("edges/0/source", "nobody"),
        "EDGE_SOURCE_UNKNOWN",
        "/edges/0/source",
        marks=pytest.mark.requirement("003:FlowEdge.source"),
    ),
    pytest.param(
        at("edges/1/target", "draft"),
        "EDGE_TO_ITSELF",
        "/edges/1",
        marks=pytest.mark.requirement("003:FlowEdge.not-self"),
    ),
    pytest.param(
        more("edges", AGAIN | {"type": "data"}),
        "CIRCULAR_DEPENDENCY",
        "/edges/3",
        marks=pytest.mark.requirement("003:Flow.acyclic"),
    ),
    pytest.param(
        more("edges", AGAIN | {"type": "chain"}),
        "CIRCULAR_DEPENDENCY",
        "/edges/3",
        marks=pytest.mark.requirement("003:FlowEdge.chain-acyclic", "003:CIRCULAR_DEPENDENCY"),
    ),
    pytest.param(
        at("edges/0/type", "control"),
        "EDGE_KIND_UNKNOWN",
        "/edges/0/type",
        marks=pytest.mark.requirement("003:FlowEdge.type"),
    ),
    pytest.param(
        at("edges/0/type", GONE),
        "FLOW_RULE_BROKEN",
        "/edges/0",
        marks=pytest.mark.requirement("003:FlowEdge.type"),
    ),
    pytest.param(
        at("edges/2/id", GONE),
        "FIELD_MISSING",
        "/edges/2",
        marks=pytest.mark.requirement("003:FlowEdge.id"),
    ),
    pytest.param(
        at("edges/2/id", "e" * 51),
        "TEXT_TOO_LONG",
        "/edges/2/id",
        marks=pytest.mark.requirement("003:FlowEdge.id.max"),
    ),
    pytest.param(
        at("nodes/3/id", GONE),
        "NODE_ID_MISSING",
        "/nodes/3",
        marks=pytest.mark.requirement("003:FlowNode.id"),
    ),
    pytest.param(
        more("nodes", {"id": "n" * 51, "type": "result", "data": {"label": "x"}}),
        "NODE_ID_TOO_LONG",
        "/nodes/4/id",
        marks=pytest.mark.requirement("003:FlowNode.id.max"),
    ),
    pytest.param(
        at("nodes/1/type", "agent"),
        "NODE_TYPE_UNKNOWN",
        "/nodes/1/type",
        marks=pytest.mark.requirement("003:FlowNode.type"),
    ),
    pytest.param(
        at("nodes/1/position", {"x": 3}),
        "FIELD_TYPE_WRONG",
        "/nodes/1/position",
        marks=pytest.mark.requirement("003:FlowNode.position"),
    ),
    pytest.param(
        at("nodes/3/data/label", " "),
        "FLOW_RULE_BROKEN",
        "/nodes/3/data/label",
        marks=pytest.mark.requirement("003:FlowNode.data.label", "003:FlowNode.result"),
    ),
    pytest.param(
        at("nodes/2/data/template", GONE),
        "FLOW_RULE_BROKEN",
        "/nodes/2/data",
        marks=pytest.mark.requirement("003:FlowNode.template.template"),
    ),
    pytest.param(
        at("nodes/2/data/variables", []),
        "FLOW_RULE_BROKEN",
        "/nodes/2/data",
        marks=pytest.mark.requirement("003:FlowNode.template.variables"),
    ),
    pytest.param(
        at("nodes/2/data/selectedTemplateId", ""),
        "FLOW_RULE_BROKEN",
        "/nodes/2/data",
        marks=pytest.mark.requirement("003:FlowNode.template.selectedTemplateId"),
    ),
    pytest.param(
        at("nodes/0/data/variables", []),
        "FLOW_RULE_BROKEN",
        "/nodes/0/data",
        marks=pytest.mark.requirement("003:FlowNode.multi_input.variables"),
    ),
    pytest.param(
        more("nodes", *many(47)),
        "NODES_TOO_MANY",
        "/nodes",
        marks=pytest.mark.requirement("003:limit.nodes"),
    ),
    pytest.param(
        more("edges", *many(98)),
        "EDGES_TOO_MANY",
        "/edges",
        marks=pytest.mark.requirement("003:limit.edges"),
    ),
    pytest.param(
        at("metadata/description", "d" * MEGABYTE),
        "WORKFLOW_TOO_LARGE",
        "",
        marks=pytest.mark.requirement("003:limit.file-size", "003:VALIDATION_ERROR"),
    ),
]
# Such a flow does not run at all.
ERRORS = {
    *("WORKFLOW_EMPTY", "NODE_ID_DUPLICATE", "NODE_ID_MISSING", "NODE_TYPE_UNKNOWN"),
    *("EDGE_TARGET_UNKNOWN", "EDGE_SOURCE_UNKNOWN", "EDGE_TO_ITSELF", "CIRCULAR_DEPENDENCY"),
    *("NODES_TOO_MANY", "EDGES_TOO_MANY", "WORKFLOW_TOO_LARGE"),
}


def changed(change: Change) -> dict[str, Any]:
    document = deepcopy(GOOD)
    change(document)
    return document


async def checked(tw: Commands, text: str) -> tuple[int, dict[str, Any]]:
    path = tw.project / "flow.json"
    path.write_text(text, encoding="utf-8")
    ran = await to_thread.run_sync(partial(tw, "validate", str(path), "--json"))
    return ran.code, ran.json


async def asked(house: House, path: str, body: Any = None) -> Any:
    method = "GET" if body is None else "POST"
    headers = await house.key("workflows:read", "workflows:write", "workflows:run", "servers:admin")
    answer = await house.client.request(method, f"/api/v1/{path}", json=body, headers=headers)
    return answer.json()


async def test_a_flow_that_keeps_the_rules_has_no_problem(house: House, tw: Commands) -> None:
    fine: dict[str, Any] = {"valid": True, "format": "flow", "problems": []}
    status, told = await checked(tw, json.dumps(GOOD))
    assert (status, {key: told[key] for key in fine}) == (0, fine)
    told = await asked(house, "edit/validate", {"document": GOOD})
    assert (told["valid"], told["format"], told["problems"]) == (True, "flow", [])


@pytest.mark.parametrize(("change", "code", "place"), RULES)
async def test_a_broken_rule_is_told_with_its_place_at_every_door(
    house: House, tw: Commands, change: Change, code: str, place: str
) -> None:
    document = changed(change)
    status, told = await checked(tw, json.dumps(document))
    found = [one for one in told["problems"] if (one["code"], one["pointer"]) == (code, place)]
    assert found, told
    assert found[0]["severity"] == ("error" if code in ERRORS else "warning")
    assert (status == 1) >= (code in ERRORS)
    over_rest = await asked(house, "edit/validate", {"text": json.dumps(document)})
    assert found[0] in over_rest["problems"]


@pytest.mark.parametrize(
    "change",
    [
        at("metadata/name", "r" * 100),
        at("metadata/description", "Says what is new"),
        at("edges/2/id", "e" * 50),
        more("nodes", {"id": "n" * 50, "type": "result", "data": {"label": "x"}}, *many(45)),
        more("edges", *many(97)),
    ],
)
async def test_what_is_just_within_a_limit_is_no_problem(tw: Commands, change: Change) -> None:
    _, told = await checked(tw, json.dumps(changed(change)))
    unrelated = {"NODE_UNREACHED", "EDGE_TARGET_UNKNOWN"}
    assert {one["code"] for one in told["problems"]} <= unrelated


async def test_a_library_warns_of_each_broken_rule_and_runs_no_refused_flow(
    house: House, tmp_path: Path
) -> None:
    texts = [{"title": name, "template": "x {tone}"} for name in ("Draft_Notes", "Polish_Notes")]
    documents = {
        f"Rule_{number:02}": (changed(row.values[0]), *row.values[1:])
        for number, row in enumerate(RULES)
    }
    files: dict[str, Any] = {"flows/Good.json": GOOD, "templates/all.json": {"templates": texts}}
    for name, (document, code, _) in documents.items():
        if document["metadata"].get("name") == GOOD["metadata"]["name"]:
            document["metadata"]["name"] = name
        if code != "WORKFLOW_TOO_LARGE":  # skipped
            files[f"flows/{name}.json"] = document
    repo = Repo(tmp_path / "repo", files)
    await asked(house, "library", {"name": "rules", "url": str(repo.folder)})
    listed = {one["path"]: one for one in (await asked(house, "library/rules"))["flows"]}
    assert "warnings" not in listed["flows/Good.json"]
    # These need more than the flow itself; a run tells them.
    late = {"WORKFLOW_EMPTY", "NODE_TYPE_UNKNOWN", "CIRCULAR_DEPENDENCY", "EDGE_TO_ITSELF"}
    late |= {"EDGE_TARGET_UNKNOWN", "EDGE_SOURCE_UNKNOWN", "WORKFLOW_TOO_LARGE"}
    for name, (_, code, place) in documents.items():
        if code not in late:
            places = [one.split(": ")[0] for one in listed[f"flows/{name}.json"]["warnings"]]
            assert place in places, name
    values = {"inputs": {"product": "Loom", "tone": "dry"}}
    for name, (document, code, _) in documents.items():
        if code in ERRORS - {"WORKFLOW_TOO_LARGE"}:
            ran = await asked(house, f"library/rules/flows/{name}/run", values)
            cycle = code == "CIRCULAR_DEPENDENCY"
            wanted = "CIRCULAR_DEPENDENCY" if cycle else "VALIDATION_ERROR"
            assert (ran["status"], ran["error"]["code"]) == ("failed", wanted), document


@pytest.mark.requirement("003:PARSE_ERROR")
async def test_a_file_that_is_no_json_is_refused_with_its_line(house: House, tw: Commands) -> None:
    text = '{"metadata":\n {"name": "F"},\n "nodes": [}'
    status, told = await checked(tw, text)
    [problem] = told["problems"]
    assert (status, problem["code"], problem["severity"]) == (1, "WORKFLOW_NOT_JSON", "error")
    assert "line 3" in problem["message"]
    assert (await asked(house, "edit/validate", {"text": text}))["problems"] == [problem]
