"""`/api/v1/servers/{server}/resources` and `/prompts`: what a server offers beside its tools."""

from pathlib import Path

import pytest

from rest.house import house_in
from rest.test_chat import use
from rest.test_servers import SERVERS, approved
from servers.offering import PIXEL, an_offering_server
from toolweave.testing.model import ScriptedModel, calls, says

pytestmark = pytest.mark.anyio


async def test_resources_and_prompts_are_listed_read_and_completed(tmp_path: Path) -> None:
    server = an_offering_server(tmp_path / "server", "modern")
    async with house_in(tmp_path / "home") as house:
        admin = await house.key("servers:admin")
        base = f"{SERVERS}/{await approved(house, server, admin)}"
        reader, caller = await house.key("tools:read"), await house.key("tools:execute")

        listed = (await house.client.get(f"{base}/resources", headers=reader)).json()
        assert [one["uri"] for one in listed["resources"]] == ["notes://today", "notes://logo"]
        assert [one["uriTemplate"] for one in listed["templates"]] == ["notes://day/{date}"]
        prompts = (await house.client.get(f"{base}/prompts", headers=reader)).json()["prompts"]
        assert [argument["required"] for argument in prompts[0]["arguments"]] == [True, False]

        # Reading is a call: who may only list may not.
        read = f"{base}/resources/read"
        refused = await house.client.post(read, json={"uri": "notes://logo"}, headers=reader)
        assert refused.status_code == 403
        found = await house.client.post(read, json={"uri": "notes://logo"}, headers=caller)
        assert [(one["mimeType"], one["data"]) for one in found.json()["contents"]] == [
            ("image/png", PIXEL)
        ]
        body = {"uri": "notes://day/{date}", "variables": {"date": "2026-11-17"}}
        day = await house.client.post(read, json=body, headers=caller)
        assert day.json()["contents"][0]["text"] == "read notes://day/2026-11-17"
        missing = await house.client.post(read, json={"uri": "notes://no"}, headers=caller)
        assert (missing.status_code, missing.json()["error"]["code"]) == (
            404,
            "MCP_RESOURCE_NOT_FOUND",
        )

        body = {"name": "summarize", "arguments": {"text": "Moby Dick"}}
        filled = await house.client.post(f"{base}/prompts/get", json=body, headers=caller)
        assert [(one["role"], one["text"]) for one in filled.json()["messages"]] == [
            ("user", "Summarize: Moby Dick"),
            ("assistant", "Yes."),
        ]
        body = {"prompt": "summarize", "argument": "language", "value": "G"}
        completed = await house.client.post(f"{base}/complete", json=body, headers=caller)
        assert completed.json() == {"values": ["German", "Greek"]}


async def test_a_chat_reads_the_resources_of_a_server_that_has_some(tmp_path: Path) -> None:
    server = an_offering_server(tmp_path / "server")
    async with house_in(tmp_path / "home") as house:
        await approved(house, server, await house.key("servers:admin"))
        key = await house.key("tools:execute")
        with ScriptedModel().running() as model:
            await use(house, model)
            model.answers(calls("mine__read_resource", {"uri": "notes://today"}), says("Bread."))
            body = {"message": "What is to buy?"}
            said = await house.client.post("/api/v1/chat", json=body, headers=key)
        assert "Buy bread." in said.text
        tools = (await house.client.get("/api/v1/chat/tools", headers=key)).json()["tools"]
        assert [one["toolName"] for one in tools] == [
            *("echo", "list_resources", "read_resource", "list_prompts", "get_prompt"),
        ]
        assert server.heard("resources/read")[0]["uri"] == "notes://today"
