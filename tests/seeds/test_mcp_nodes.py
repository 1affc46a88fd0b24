"""MCP nodes and their servers on the command line and over REST, as people meet them."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import tw
from tests.cli.driving import Commands

from mcp_server.approving import approve, definition
from rest.conftest import house
from rest.drawn import asking_mcp, drawn, greeting
from rest.house import House
from toolweave.servers.definition import CommandServer, HttpServer
from toolweave.testing.server import ScriptedServer, a_tool

__all__ = ["house", "tw"]

pytestmark = pytest.mark.anyio


def written(tw: Commands, document: dict[str, Any]) -> str:
    (tw.project / "flow.json").write_text(json.dumps(document), encoding="utf-8")
    return "flow.json"


@pytest.mark.requirement("001:McpNodeData.validationStatus", "001:FR-011", "001:FR-012")
async def test_a_status_is_computed_on_load_and_in_an_export(house: House) -> None:
    await approve(house.home, "box", definition("echo"))
    key = await house.key()
    for name, tool, server, status in (
        ("good", "echo", "box", "valid"),
        ("gone", "ecko", "box", "invalid"),
        ("away", "echo", "nowhere", "missing"),
    ):
        document: dict[str, Any] = {**asking_mcp(server, tool), "name": name}
        document["nodes"][1]["data"] |= {"validationStatus": "ok", "parameters": []}
        body: dict[str, Any] = {"document": document}
        saved = await house.client.put(f"/api/v1/workflows/{name}", json=body, headers=key)
        shown = await house.client.get(f"/api/v1/workflows/{name}", headers=key)
        for answer in (saved, shown):
            assert answer.json()["document"]["nodes"][1]["data"]["validationStatus"] == status
        body["to"] = "claude-command"
        files = await house.client.post("/api/v1/edit/export", json=body, headers=key)
        assert f"**Validation status**: `{status}`" in files.json()["files"][0]["text"]


@pytest.mark.requirement("001:McpNodeData.validationStatus")
def test_a_status_that_does_not_exist_is_reported(tw: Commands) -> None:
    document = asking_mcp()
    document["nodes"][1]["data"] |= {"toolDescription": "", "parameters": []}
    document["nodes"][1]["data"]["validationStatus"] = "ok"
    problems = tw.ok("validate", written(tw, document), "--json").json["problems"]
    assert "/nodes/1/data/validationStatus" in [one["pointer"] for one in problems]
    document["nodes"][1]["data"]["validationStatus"] = "valid"
    problems = tw.ok("validate", written(tw, document), "--json").json["problems"]
    assert "/nodes/1/data/validationStatus" not in [one["pointer"] for one in problems]


@pytest.mark.requirement("001:FR-013")
def test_an_export_keeps_every_character_of_a_value(tw: Commands) -> None:
    values = {
        "body": "first\n    second\n\tthird",
        "wide": "a  b",
        "list": ["x\n y"],
        "plain": "hi",
    }
    document = asking_mcp()
    document["nodes"][1]["data"]["parameterValues"] = values
    tw.ok("export", written(tw, document), "--to", "claude-command")
    text = (tw.project / ".claude/commands/ask.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if ", as JSON: `" in line]
    exact = {line.split("`")[1]: json.loads(line.split("`")[3]) for line in lines}
    assert exact == {name: values[name] for name in ("body", "wide")}
    assert ("- `plain`: `hi`" in text, r'- `list`: `["x\n y"]`' in text) == (True, True)


@pytest.mark.requirement("001:MCP_SERVER_DISCONNECTED", "001:MCP_SERVER_NOT_FOUND")
def test_a_server_that_does_not_answer_is_told_from_one_that_is_not_there(
    tw: Commands, tmp_path: Path
) -> None:
    tw.add("box", ScriptedServer(tmp_path / "s", a_tool("echo")))
    document = asking_mcp()
    document["nodes"][1]["data"]["parameterValues"] = {"text": "hi"}

    def codes() -> set[str]:
        ran = tw("validate", written(tw, document), "--live", "--json")
        return {one["code"] for one in ran.json["problems"] if one["severity"] == "error"}

    assert "MCP_SERVER_DISCONNECTED" not in codes()
    tw.ok("servers", "disable", "box")
    assert codes() & {"MCP_SERVER_DISCONNECTED", "MCP_SERVER_NOT_FOUND"} == {
        "MCP_SERVER_DISCONNECTED"
    }
    switch = ("node", "mode", "flow.json", "call", "--set", "detailed", "--live", "--json")
    assert tw(*switch).json["error"]["code"] == "MCP_SERVER_DISCONNECTED"
    document["nodes"][1]["data"]["serverId"] = "nowhere"
    assert "MCP_SERVER_NOT_FOUND" in codes()
    assert tw(*switch).json["error"]["code"] == "MCP_SERVER_NOT_FOUND"
    unknown = tw("node", "mode", "flow.json", "cal", "--set", "detailed", "--json")
    assert unknown.json["error"]["code"] == "MCP_NODE_NOT_FOUND"


@pytest.mark.requirement("001:FR-011", "001:FR-012")
async def test_a_server_that_is_not_there_is_a_warning_that_says_what_to_do(house: House) -> None:
    await approve(house.home, "crate", definition("echo"))
    await house.home.registry.add("idle", CommandServer(command="npx"))
    key = await house.key()
    found: dict[str, list[str]] = {}
    for server in ("crate", "idle", "nosuch"):
        body = {"document": asking_mcp(server, "echo")}
        answer = await house.client.post("/api/v1/edit/validate", json=body, headers=key)
        found[server] = [
            f"{one['severity']} {one['code']} {one['hint']}"
            for one in answer.json()["problems"]
            if one["pointer"] == "/nodes/1/data/serverId"
        ]
    assert found["crate"] == []
    assert [one.split(" to ")[0] for one in found["idle"] + found["nosuch"]] == [
        "warning MCP_SERVER_NOT_FOUND run `toolweave servers approve idle`",
        "warning MCP_SERVER_NOT_FOUND run `toolweave servers add nosuch -- COMMAND`",
    ]


@pytest.mark.requirement("001:FR-011")
def test_the_command_line_warns_of_a_server_that_is_not_there(tw: Commands) -> None:
    ran = tw("validate", written(tw, asking_mcp("nosuch", "echo")), "--json").json
    found = [one for one in ran["problems"] if one["pointer"] == "/nodes/1/data/serverId"]
    assert [(one["code"], one["severity"]) for one in found] == [
        ("MCP_SERVER_NOT_FOUND", "warning")
    ]


@pytest.mark.requirement(
    "001:McpServerReference.type",
    "001:McpServerReference.command",
    "001:McpServerReference.args",
    "001:McpServerReference.environment",
)
async def test_a_listed_server_says_what_starts_it_without_its_secrets(house: House) -> None:
    environment = {"TOKEN": "s3cret-value", "HOME_KEY": "${vault:KEY}"}
    command = CommandServer(command="npx", args=("-y", "srv", "--token", "t0ken"), env=environment)
    await house.home.registry.add("local", command)
    await house.home.registry.add("far", HttpServer(url="https://user:pw@example.com/mcp"))
    answer = await house.client.get("/api/v1/servers", headers=await house.key())
    shown = {server["name"]: server for server in answer.json()["servers"]}
    local = shown["local"]
    assert (local["type"], local["command"], local["args"]) == (
        "stdio",
        "npx",
        ["-y", "srv", "--token", "***"],
    )
    assert local["environment"] == {"TOKEN": "***", "HOME_KEY": "${vault:KEY}"}
    assert (shown["far"]["type"], shown["far"]["args"]) == ("http", [])
    assert shown["far"]["command"] == "https://***@example.com/mcp"
    assert "s3cret-value" not in answer.text


@pytest.mark.requirement("001:McpServerReference.command", "001:McpServerReference.environment")
def test_servers_list_shows_the_same_record(tw: Commands) -> None:
    tw.ok("servers", "add", "local", "--env", "TOKEN=s3cret-value", "--", "npx", "-y", "srv")
    ran = tw.ok("servers", "list", "--json")
    [server] = [one for one in ran.json if one["name"] == "local"]
    assert (server["type"], server["command"], server["args"]) == ("stdio", "npx", ["-y", "srv"])
    assert list(server["environment"]) == ["TOKEN"]
    assert "s3cret-value" not in ran.out


@pytest.mark.requirement("001:Workflow.createdAt", "001:Workflow.updatedAt")
async def test_saving_says_when_a_workflow_was_created_and_changed(house: House) -> None:
    key = await house.key()
    url = "/api/v1/workflows/timed"
    document = greeting("timed")
    first = (await house.client.put(url, json={"document": document}, headers=key)).json()
    assert first["document"]["createdAt"] == first["document"]["updatedAt"]
    house.clock.seconds += 60
    same = {"document": first["document"], "revision": first["revision"]}
    again = (await house.client.put(url, json=same, headers=key)).json()
    assert again["revision"] == first["revision"]
    same["document"] = {**first["document"], "description": "changed"}
    later = (await house.client.put(url, json=same, headers=key)).json()
    assert later["document"]["createdAt"] == first["document"]["createdAt"]
    assert later["document"]["updatedAt"] > first["document"]["updatedAt"]


@pytest.mark.requirement("001:FR-013")
@pytest.mark.parametrize(
    ("name", "file"),
    [("code_reviewer", "code_reviewer"), ("Code Reviewer", "code-reviewer"), ("a.b_C", "ab_c")],
)
def test_an_agent_file_has_the_name_that_the_visual_editor_gives_it(
    tw: Commands, name: str, file: str
) -> None:
    data = {"description": "Reviews.", "agentDefinition": "Review.", "prompt": "", "outputPorts": 1}
    agent = {"id": "agent", "type": "subAgent", "name": name, "data": data}
    tw.ok("export", written(tw, drawn("w", agent)), "--to", "claude-command")
    assert [one.stem for one in (tw.project / ".claude/agents").iterdir()] == [file]
