"""The values and fields of MCP nodes in a workflow, over REST and on the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import tw
from tests.cli.driving import Commands
from tests.seeds.asking import ask
from tests.seeds.test_server_tools import TRIP
from tests.workflow.sample_files import text_of

from mcp_server.approving import approve
from rest.conftest import house
from rest.drawn import drawn
from rest.house import House
from toolweave.testing.server import ScriptedServer
from toolweave.tools.read_tool import read_tool

__all__ = ["house", "tw"]

mark = pytest.mark
# Tests that are no coroutines use fixtures that are, whichever comes first.
pytestmark = [mark.anyio, mark.usefixtures("anyio_backend")]

AT = "/nodes/1/data/parameterValues"
TYPE, CONSTRAINT, ENUM, REQUIRED = (
    "MCP_PARAMETER_INVALID_TYPE",
    "MCP_PARAMETER_CONSTRAINT_VIOLATED",
    "MCP_PARAMETER_ENUM_INVALID",
    "MCP_PARAMETER_REQUIRED",
)


@pytest.fixture(scope="module", autouse=True)
async def trips(house: House) -> None:
    await approve(house.home, "trips", TRIP)


# Any: nodes as plain JSON.
def calling(values: Any, **more: Any) -> dict[str, Any]:
    data: dict[str, Any] = {
        "serverId": "trips",
        "toolName": TRIP["name"],
        "toolDescription": "Plans.",
        "parameters": [],
        "parameterValues": values,
    }
    return {"id": "trip", "type": "mcp", "name": "trip", "data": data, **more}


async def problems(house: House, *nodes: dict[str, Any]) -> list[dict[str, Any]]:
    answer = await ask(house, "POST", "edit/validate", document=drawn("trip-plan", *nodes))
    return answer["problems"]


VALUES = [
    pytest.param(
        {"to": "A"},
        CONSTRAINT,
        "/to",
        marks=mark.requirement(
            "001:ToolParameter.validation.minLength", "001:MCP_PARAMETER_CONSTRAINT_VIOLATED"
        ),
    ),
    pytest.param(
        {"to": "Copenhagen"},
        CONSTRAINT,
        "/to",
        marks=mark.requirement("001:ToolParameter.validation.maxLength"),
    ),
    pytest.param(
        {"code": "osl"},
        CONSTRAINT,
        "/code",
        marks=mark.requirement("001:ToolParameter.validation.pattern"),
    ),
    pytest.param(
        {"nights": 0},
        CONSTRAINT,
        "/nights",
        marks=mark.requirement("001:ToolParameter.validation.minimum"),
    ),
    pytest.param(
        {"nights": 31},
        CONSTRAINT,
        "/nights",
        marks=mark.requirement("001:ToolParameter.validation.maximum"),
    ),
    pytest.param(
        {"class": "First"},
        ENUM,
        "/class",
        marks=mark.requirement(
            "001:ToolParameter.validation.enum", "001:MCP_PARAMETER_ENUM_INVALID"
        ),
    ),
    pytest.param(
        {"budget": "cheap"},
        TYPE,
        "/budget",
        marks=mark.requirement("001:ToolParameter.type", "001:MCP_PARAMETER_INVALID_TYPE"),
    ),
    pytest.param({"pets": 1}, TYPE, "/pets", marks=mark.requirement("001:ToolParameter.type")),
    pytest.param(
        {"nights": 2.5}, TYPE, "/nights", marks=mark.requirement("001:ToolParameter.type")
    ),
    pytest.param(
        {"stops": {}}, TYPE, "/stops", marks=mark.requirement("001:ToolParameter.complex.array")
    ),
    pytest.param(
        {"stops": [{"name": "a"}, "b"]},
        TYPE,
        "/stops/1",
        marks=mark.requirement("001:ToolParameter.complex.array"),
    ),
    pytest.param(
        {"hotel": {"stars": 2}},
        ENUM,
        "/hotel/stars",
        marks=mark.requirement("001:ToolParameter.complex.object"),
    ),
    pytest.param(
        {"stops": [{"name": "a", "days": [1, 2, None]}]},
        TYPE,
        "/stops/0/days/2",
        marks=mark.requirement("001:ToolParameter.complex.nested"),
    ),
    pytest.param(
        {"to": None},
        REQUIRED,
        "/to",
        marks=mark.requirement("001:ToolParameterValues.required", "001:MCP_PARAMETER_REQUIRED"),
    ),
]


@pytest.mark.parametrize(("values", "code", "place"), VALUES)
@pytest.mark.requirement("001:FR-008", "001:McpNodeData.parameterValues")
async def test_a_value_is_checked_against_its_parameter(
    house: House, values: dict[str, Any], code: str, place: str
) -> None:
    good = {"to": "Oslo", "code": "OSL", "nights": 1, "class": "first", "hotel": {"stars": 5}}
    assert await problems(house, calling(good)) == []
    given = {key: value for key, value in {**good, **values}.items() if value is not None}
    [problem] = await problems(house, calling(given))
    assert (problem["code"], problem["pointer"], problem["severity"]) == (code, AT + place, "error")


FREE: dict[str, Any] = {
    "name": "note",
    "inputSchema": {
        "type": "object",
        "properties": {"text": {"type": "string"}, "amount": {"type": "number"}},
    },
}
UNBOUNDED = [
    pytest.param(
        {"text": ""},
        None,
        marks=mark.requirement("001:VALIDATION_RULES.MCP_PARAMETER.STRING_MIN_LENGTH"),
    ),
    pytest.param(
        {"text": "x" * 10_000},
        None,
        marks=mark.requirement("001:VALIDATION_RULES.MCP_PARAMETER.STRING_MAX_LENGTH"),
    ),
    pytest.param(
        {"text": "x" * 10_001},
        "/text",
        marks=mark.requirement("001:VALIDATION_RULES.MCP_PARAMETER.STRING_MAX_LENGTH"),
    ),
    pytest.param(
        {"amount": -1.7e308},
        None,
        marks=mark.requirement("001:VALIDATION_RULES.MCP_PARAMETER.NUMBER_MIN"),
    ),
    pytest.param(
        {"amount": 1.7e308},
        None,
        marks=mark.requirement("001:VALIDATION_RULES.MCP_PARAMETER.NUMBER_MAX"),
    ),
]


@pytest.mark.parametrize(("values", "place"), UNBOUNDED)
async def test_without_constraints_only_a_very_long_text_is_reported(
    house: House, values: dict[str, Any], place: str | None
) -> None:
    house.home.lockfile.pin("trips", [read_tool("trips", one) for one in (TRIP, FREE)])
    node = calling(values)
    node["data"]["toolName"] = "note"
    found = [(one["pointer"], one["severity"]) for one in await problems(house, node)]
    assert found == ([] if place is None else [(AT + place, "warning")])


FIELDS = [
    pytest.param(
        {"name": ""},
        "NODE_NAME_EMPTY",
        "name",
        marks=mark.requirement("001:VALIDATION_RULES.MCP.NAME_MIN_LENGTH"),
    ),
    pytest.param(
        {"name": "t" * 65},
        "NODE_NAME_TOO_LONG",
        "name",
        marks=mark.requirement("001:VALIDATION_RULES.MCP.NAME_MAX_LENGTH"),
    ),
    pytest.param(
        {"name": "t" * 64},
        None,
        "name",
        marks=mark.requirement("001:VALIDATION_RULES.MCP.NAME_MAX_LENGTH"),
    ),
    pytest.param(
        {"name": "plan trip"},
        "NODE_NAME_UNUSUAL",
        "name",
        marks=mark.requirement("001:VALIDATION_RULES.MCP.NAME_PATTERN"),
    ),
    pytest.param(
        {"name": "plan-trip-2"},
        None,
        "name",
        marks=mark.requirement("001:VALIDATION_RULES.MCP.NAME_PATTERN"),
    ),
    pytest.param(
        {"toolDescription": "d" * 1_025},
        "TEXT_TOO_LONG",
        "data/toolDescription",
        marks=mark.requirement("001:VALIDATION_RULES.MCP.DESCRIPTION_MAX_LENGTH"),
    ),
    pytest.param(
        {"toolDescription": "d" * 1_024},
        None,
        "data/toolDescription",
        marks=mark.requirement("001:VALIDATION_RULES.MCP.DESCRIPTION_MAX_LENGTH"),
    ),
    pytest.param(
        {"outputPorts": 2},
        "FIELD_LIMIT_VIOLATED",
        "data/outputPorts",
        marks=mark.requirement("001:VALIDATION_RULES.MCP.OUTPUT_PORTS"),
    ),
    pytest.param(
        {"outputPorts": 1},
        None,
        "data/outputPorts",
        marks=mark.requirement("001:VALIDATION_RULES.MCP.OUTPUT_PORTS"),
    ),
]


@pytest.mark.parametrize(("fields", "code", "place"), FIELDS)
async def test_a_field_of_a_node_has_its_limits(
    house: House, fields: dict[str, Any], code: str | None, place: str
) -> None:
    node = calling({"to": "Oslo"})
    for key, value in fields.items():
        (node["data"] if place.startswith("data/") else node)[key] = value
    found = [(one["code"], one["pointer"]) for one in await problems(house, node)]
    assert found == ([] if code is None else [(code, f"/nodes/1/{place}")])


@pytest.mark.requirement("001:McpNode.id")
async def test_a_node_has_an_id_of_its_own(house: House) -> None:
    first, second = calling({"to": "Oslo"}), calling({"to": "Bergen"})
    document = drawn("twice", first, second)
    found = (await ask(house, "POST", "edit/validate", document=document))["problems"]
    assert ("NODE_ID_DUPLICATE", "/nodes/2/id") in {(one["code"], one["pointer"]) for one in found}
    # Which of both the edges and references mean is not known: nothing is renamed by guess.
    fixed = await ask(house, "POST", "edit/fix", document=document)
    assert [node["id"] for node in fixed["document"]["nodes"]] == ["start", "trip", "trip", "end"]
    document["nodes"][2]["id"] = "trip-2"
    renamed = (await ask(house, "POST", "edit/validate", document=document))["problems"]
    assert "NODE_ID_DUPLICATE" not in {one["code"] for one in renamed}


@pytest.mark.requirement(
    "001:McpNode.transition.configured",
    "001:McpNode.transition.valid",
    "001:McpNode.transition.missing",
    "001:McpNode.transition.invalid",
    "001:McpNodeData.parameterValues",
)
def test_a_node_goes_from_created_to_configured_and_follows_its_server(
    tw: Commands, tmp_path: Path
) -> None:
    server = ScriptedServer(tmp_path / "s", TRIP)
    tw.add("trips", server)
    file = tw.project / "plan.json"
    file.write_text(json.dumps(drawn("plan")), encoding="utf-8")

    def status() -> tuple[str, set[str]]:
        ran = tw("validate", "plan.json", "--live", "--json").json
        errors = {one["code"] for one in ran["problems"] if one["severity"] == "error"}
        [found] = ran["statuses"].values()
        return found, errors

    created = tw.ok("node", "add", "plan.json", "trips", TRIP["name"], "--json").json
    assert created["parameterValues"] == {}
    assert status() == ("valid", {"MCP_PARAMETER_REQUIRED"})
    file.write_text(json.dumps(drawn("plan")), encoding="utf-8")
    added = ("node", "add", "plan.json", "trips", TRIP["name"], "--arg")
    refused = tw(*added, "to=O", "--json")
    assert refused.json["error"]["problems"][0]["code"] == CONSTRAINT
    tw.ok(*added, "to=Oslo")
    assert status() == ("valid", set())
    changed = json.loads(json.dumps(TRIP))
    changed["inputSchema"]["required"] = ["to", "code"]
    server.change(tools=[changed])
    assert status()[0] == "invalid"
    tw.ok("servers", "remove", "trips")
    assert status()[0] == "missing"


@pytest.mark.requirement(
    "001:Workflow.sample",
    "001:Workflow.id",
    "001:Workflow.name",
    "001:Workflow.version",
    "001:Workflow.schemaVersion",
    "001:Workflow.nodes",
    "001:Workflow.nodes.start-end",
    "001:Workflow.connections",
    "001:Workflow.no-runtime-state",
    "001:McpNode.type",
    "001:McpNode.name",
    "001:McpNode.position",
    "001:McpNode.data",
    "001:FR-010",
    "001:FR-014",
)
async def test_the_sample_is_saved_and_loaded_as_it_is(house: House) -> None:
    sample = json.loads(text_of("toolweave/seed-001.json")) | {"name": "sample"}
    assert {"id", "name", "version", "schemaVersion", "nodes", "connections"} <= sample.keys()
    saved = await ask(house, "PUT", "workflows/sample", document=sample)
    loaded = await ask(house, "GET", "workflows/sample")
    for answer in (saved, loaded):
        shown = answer["document"]
        # Its server is not registered here: the status is computed, and not what the file says.
        assert shown["nodes"][1]["data"].pop("validationStatus") == "missing"
        assert shown | {"updatedAt": sample["updatedAt"]} == {
            **sample,
            "nodes": [
                {**node, "data": {k: v for k, v in node["data"].items() if k != "validationStatus"}}
                for node in sample["nodes"]
            ],
        }
    sample["connections"][1]["to"] = "node-nowhere"
    broken = await ask(house, "POST", "edit/validate", document=sample)
    assert not broken["valid"]


@pytest.mark.requirement("001:Workflow.schemaVersion.older")
@pytest.mark.parametrize("version", ["1.0.0", "0.9.0"])
async def test_a_workflow_of_an_older_schema_loads(house: House, version: str) -> None:
    older = drawn(f"older-{version[0]}") | {"schemaVersion": version}
    found = await ask(house, "POST", "edit/validate", document=older)
    assert (found["valid"], found["problems"]) == (True, [])
    await ask(house, "PUT", f"workflows/{older['name']}", document=older)
    loaded = await ask(house, "GET", f"workflows/{older['name']}")
    assert loaded["document"]["schemaVersion"] == version
