"""The three modes of MCP nodes on the command line and over REST; the studio is in `tests/e2e`."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
from anyio import to_thread
from tests.cli.conftest import tw
from tests.cli.driving import Commands, Ran
from tests.seeds.requirements import REQUIREMENTS

from mcp_server.approving import approve, definition
from rest.conftest import house
from rest.drawn import asking_mcp, drawn
from rest.house import House
from toolweave.testing.server import ScriptedServer, a_tool
from toolweave.tools.read_tool import read_tool

__all__ = ["house", "tw"]

# Tests that are no coroutines use fixtures that are, whichever comes first.
pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("anyio_backend")]

MESSAGES = {one.id: one.message or "" for one in REQUIREMENTS}
WORDS = "Say hello to everybody in the room"
PAST, FUTURE = "2026-11-15T10:30:00.000Z", "2126-11-16T10:30:00.000Z"
COMMENT = "<!-- MCP_NODE_METADATA: "


@pytest.fixture(scope="module", autouse=True)
async def box(house: House) -> None:
    """An approved server with one tool."""
    await approve(house.home, "box", definition("echo"))


async def command(tw: Commands, *args: str) -> Ran:
    """Run a command beside the loop of the test: it has its own."""
    return await to_thread.run_sync(lambda: tw(*args))


# Any: documents and answers as plain JSON.
def node_with(data: dict[str, Any], name: str = "modes") -> dict[str, Any]:
    return drawn(name, {"id": "call", "type": "mcp", "name": "call", "data": data})


def legacy_task(**config: Any) -> dict[str, Any]:
    described = {"taskDescription": WORDS, "timestamp": PAST, **config}
    return node_with(
        {"mode": "aiToolSelection", "serverId": "box", "aiToolSelectionConfig": described}
    )


def described(**more: Any) -> dict[str, Any]:
    return {
        "mode": "naturalLanguageParam",
        "serverId": "box",
        "toolName": "echo",
        "toolDescription": "Echoes.",
        "parameters": [{"name": "text", "type": "string", "required": True}],
        "naturalLanguageParamConfig": {"description": WORDS, "timestamp": PAST},
        **more,
    }


async def post(house: House, path: str, **body: Any) -> httpx2.Response:
    url = f"/api/v1/{path}"
    return await house.client.post(url, json=body, headers=await house.key())


async def put(house: House, document: dict[str, Any], **body: Any) -> dict[str, Any]:
    url = f"/api/v1/workflows/{document['name']}"
    answer = await house.client.put(
        url, json={"document": document, **body}, headers=await house.key()
    )
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


async def get(house: House, path: str) -> Any:
    answer = await house.client.get(f"/api/v1/workflows{path}", headers=await house.key())
    return answer.json()


def metadata_in(text: str) -> dict[str, Any]:
    return json.loads(text.split(COMMENT)[1].split(" -->")[0])


def codes(problems: list[dict[str, Any]]) -> set[str]:
    return {problem["code"] for problem in problems}


def file_of(tw: Commands, document: dict[str, Any]) -> Path:
    path = tw.project / "flow.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@pytest.mark.requirement(
    "000:NaturalLanguageParamMetadata.parameterSchema", "001:FR-006", "001:McpNodeData.parameters"
)
async def test_a_node_that_stores_no_schema_is_saved_and_exported_with_the_tools(
    house: House,
) -> None:
    document = node_with(described(parameters=[]))
    answer = await post(house, "edit/export", document=document, to="claude-command")
    schema = metadata_in(answer.json()["files"][0]["text"])["parameterSchema"]
    assert list(schema["properties"]) == ["text"]
    data = (await put(house, document))["document"]["nodes"][1]["data"]
    assert [one["name"] for one in data["parameters"]] == ["text"]
    assert (data["validationStatus"], data["outputPorts"]) == ("valid", 1)


@pytest.mark.requirement("001:FR-005", "001:McpNodeData.outputPorts")
async def test_a_node_made_over_rest_is_the_one_that_the_command_line_makes(
    house: House, tw: Commands, tmp_path: Path
) -> None:
    tool = a_tool(**definition("echo"))
    file_of(tw, drawn("w"))

    def commands() -> Any:
        tw.add("box", ScriptedServer(tmp_path / "s", tool))
        return tw.ok("node", "add", "flow.json", "box", "echo", "--json").json

    made = await to_thread.run_sync(commands)
    answer = await post(house, "edit/node", document=drawn("w"), server="box", tool="echo")
    assert answer.status_code == 200, answer.text
    node = answer.json()["node"]
    assert {**node["data"], "id": node["id"], "name": node["name"]} == made
    unknown = await post(house, "edit/node", document=drawn("w"), server="box", tool="ecko")
    assert unknown.json()["error"]["code"] == "MCP_TOOL_NOT_FOUND"


@pytest.mark.requirement(
    "000:FullNaturalLanguageMetadata.availableTools", "000:MCP_TOOL_LIST_EMPTY"
)
@pytest.mark.parametrize("config", [{}, {"availableTools": []}])
async def test_a_task_without_a_list_exports_the_approved_tools_or_says_there_are_none(
    house: House, config: dict[str, Any]
) -> None:
    answer = await post(house, "edit/export", document=legacy_task(**config), to="claude-command")
    tools = metadata_in(answer.json()["files"][0]["text"])["availableTools"]
    assert [tool["name"] for tool in tools] == ["echo"]
    unknown = legacy_task(**config)
    unknown["nodes"][1]["data"]["serverId"] = "nowhere"
    answer = await post(house, "edit/export", document=unknown, to="claude-command")
    [problem] = [one for one in answer.json()["problems"] if one["code"] == "MCP_TOOL_LIST_EMPTY"]
    assert problem["message"] == MESSAGES["000:MCP_TOOL_LIST_EMPTY"]


@pytest.mark.requirement("000:MCP_INVALID_MODE", "000:MCP_NL_DESC_TOO_SHORT")
async def test_an_export_refuses_an_unknown_mode_and_warns_of_a_short_description(
    house: House, tw: Commands
) -> None:
    wrong = node_with(described(mode="smart"))
    ran = await command(tw, "export", str(file_of(tw, wrong)), "--to", "claude-command", "--json")
    assert (ran.code, ran.json["error"]["code"]) == (1, "MCP_INVALID_MODE")
    assert MESSAGES["000:MCP_INVALID_MODE"] in ran.json["error"]["message"]
    assert not (tw.project / ".claude").exists()
    refused = await post(house, "edit/export", document=wrong, to="claude-command")
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "MCP_INVALID_MODE")
    short = {"naturalLanguageParamConfig": {"description": "short", "timestamp": PAST}}
    path = file_of(tw, node_with(described(**short)))
    check = ("export", str(path), "--to", "claude-command", "--check", "--json")
    assert "MCP_NL_DESC_TOO_SHORT" in codes((await command(tw, *check)).json["problems"])
    file_of(tw, node_with(described()))
    assert (await command(tw, *check)).json["problems"] == []


@pytest.mark.requirement("000:McpNodeMode.values", "000:migration.none-needed")
@pytest.mark.parametrize(
    "data",
    [
        legacy_task()["nodes"][1]["data"],
        legacy_task(availableTools=[])["nodes"][1]["data"],
        legacy_task(timestamp="2026-11-15")["nodes"][1]["data"],
        {
            "mode": "aiParameterConfig",
            "serverId": "box",
            "toolName": "echo",
            "toolDescription": "",
            "parameters": [],
            "aiParameterConfig": {"description": WORDS},
            "preservedManualParameterConfig": {"parameterValues": {}},
        },
    ],
)
async def test_a_valid_file_of_the_older_editor_stays_valid_when_converted_and_saved(
    tw: Commands, data: dict[str, Any]
) -> None:
    await to_thread.run_sync(lambda: _stays_valid(tw, data))


def _stays_valid(tw: Commands, data: dict[str, Any]) -> None:
    path = file_of(tw, node_with(data))
    assert tw.ok("validate", str(path), "--json").json["valid"]
    tw.ok("convert", str(path), "--to", "toolweave", "--out", "new.json")
    assert tw.ok("validate", "new.json", "--json").json["valid"]
    tw.ok("convert", "new.json", "--to", "ccwf", "--out", "back.json")
    back = json.loads((tw.project / "back.json").read_text(encoding="utf-8"))
    assert back["nodes"][1]["data"] == data
    saved = tw.ok("workflows", "save", str(path), "--json").json
    assert [one for one in saved["problems"] if one["severity"] == "error"] == []


@pytest.mark.requirement(
    "000:integrity.mode-config", "000:integrity.future-timestamp", "000:timestamp.not-future"
)
async def test_saving_loading_and_listing_report_problems_and_make_certain_repairs(
    house: House,
) -> None:
    config = {"description": WORDS, "timestamp": FUTURE}
    other: dict[str, Any] = {"taskDescription": WORDS, "timestamp": PAST, "availableTools": []}
    data = described(naturalLanguageParamConfig=config, fullNaturalLanguageConfig=other)
    folder = house.home.settings.home / "workflows"
    folder.mkdir(exist_ok=True)
    (folder / "drawn.json").write_text(json.dumps(node_with(data, "drawn")), encoding="utf-8")
    shown = await get(house, "/drawn")
    assert {"MCP_TIMESTAMP_FUTURE", "MCP_MODE_CONFIG_MISMATCH"} <= codes(shown["problems"])
    repaired = shown["document"]["nodes"][1]["data"]
    assert "fullNaturalLanguageConfig" not in repaired
    assert repaired["preservedFullNaturalLanguageConfig"] == other
    assert repaired["naturalLanguageParamConfig"]["timestamp"] < FUTURE
    saved = await put(house, shown["document"], revision=shown["revision"])
    assert "MCP_MODE_CONFIG_MISMATCH" not in codes(saved["problems"])
    broken = node_with(described(naturalLanguageParamConfig={"description": ""}), "broken")
    assert "MCP_NL_DESC_EMPTY" in codes((await put(house, broken))["problems"])
    listed = {one["name"]: one["errors"] for one in (await get(house, ""))["workflows"]}
    assert (listed["broken"], listed["drawn"]) == (1, 0)


@pytest.mark.requirement(
    "000:MCP_NL_DESC_EMPTY",
    "000:MCP_NL_DESC_TOO_SHORT",
    "000:NaturalLanguageParamConfig.description.max",
)
@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("", "MCP_NL_DESC_EMPTY"),
        ("short", "MCP_NL_DESC_TOO_SHORT"),
        ("x" * 9, "MCP_NL_DESC_TOO_SHORT"),
        ("x" * 10_001, "MCP_NL_DESC_TOO_LONG"),
        ("x" * 10, None),
        ("x" * 10_000, None),
    ],
)
async def test_a_description_has_the_same_limits_over_rest_and_on_the_command_line(
    house: House, tw: Commands, words: str, code: str | None
) -> None:
    to = {"node": "call", "mode": "naturalLanguageParam", "description": words}
    # Words that are too short already do not excuse others.
    before = node_with(described(naturalLanguageParamConfig={"description": "x" * 8}))
    ran = await command(
        tw, "node", "mode", str(file_of(tw, before)), "call", "--set", "naturalLanguageParam",
        "--description", words, "--json",
    )  # fmt: skip
    answer = await post(house, "edit/mode", document=before, **to)
    found = answer.json().get("error", {})
    assert (found.get("code"), ran.code) == (code, 0 if code is None else 1)
    if code in ("MCP_NL_DESC_EMPTY", "MCP_NL_DESC_TOO_SHORT"):
        text = MESSAGES[f"000:{code}"].format(length=len(words), min=10)
        assert (found["message"], ran.json["error"]["message"]) == (text, text)


@pytest.mark.requirement("000:FullNaturalLanguageConfig.availableTools.max")
async def test_more_tools_than_a_task_takes_are_narrowed_to_a_choice(house: House) -> None:
    many = [definition(f"t{number:03}") for number in range(201)]
    await approve(house.home, "many", many[0])
    house.home.lockfile.pin("many", [read_tool("many", one) for one in many])
    to = {"node": "call", "mode": "fullNaturalLanguage", "description": WORDS}
    document = asking_mcp("many", "t001")
    refused = (await post(house, "edit/mode", document=document, **to)).json()["error"]
    assert refused["code"] == "MCP_TOOL_LIST_TOO_LONG"
    assert "--only" in refused["hint"]
    chosen = await post(house, "edit/mode", document=document, **to, tools=["t001", "t200"])
    config = chosen.json()["document"]["nodes"][1]["data"]["fullNaturalLanguageConfig"]
    assert [tool["name"] for tool in config["availableTools"]] == ["t001", "t200"]
    unknown = await post(house, "edit/mode", document=document, **to, tools=["t999"])
    assert unknown.json()["error"]["code"] == "MCP_TOOL_NOT_FOUND"


@pytest.mark.requirement("000:FullNaturalLanguageConfig.availableTools.max")
async def test_a_command_narrows_the_tools_of_a_task(tw: Commands, tmp_path: Path) -> None:
    await to_thread.run_sync(lambda: _narrows(tw, tmp_path))


def _narrows(tw: Commands, tmp_path: Path) -> None:
    tw.add("box", ScriptedServer(tmp_path / "s", a_tool("one"), a_tool("two"), a_tool("three")))
    path = file_of(tw, asking_mcp("box", "one"))
    tw.ok(
        "node", "mode", str(path), "call", "--set", "fullNaturalLanguage",
        "--description", WORDS, "--only", "one", "--only", "three",
    )  # fmt: skip
    data = json.loads(path.read_text(encoding="utf-8"))["nodes"][1]["data"]
    listed = data["fullNaturalLanguageConfig"]["availableTools"]
    assert [tool["name"] for tool in listed] == ["one", "three"]
