"""MCP over HTTP as our guard and keys leave it: what the SDK's client does not show."""

from pathlib import Path
from typing import Any

import httpx2
import pytest

from mcp_server.doors import Door
from mcp_server.messages import INITIALIZED, envelope, initialize, request
from rest.house import House, house_in
from rest.process import Served
from toolweave.json_text import JsonObject
from toolweave.mcp_server.tool_list import listed

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("mcp")]

ACCEPT = {"Accept": "application/json, text/event-stream"}
MODERN = {"MCP-Protocol-Version": "2026-07-28"}
CALL: JsonObject = {"name": "get_node_types", "arguments": {}}


async def post(
    house: House, message: dict[str, Any], headers: dict[str, str], path: str = "/mcp"
) -> httpx2.Response:
    return await house.client.post(path, json=message, headers=ACCEPT | headers)


def call_headers(key: dict[str, str], name: str = "get_node_types") -> dict[str, str]:
    return key | MODERN | {"Mcp-Method": "tools/call", "Mcp-Name": name}


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
async def test_both_addresses_answer_without_a_redirect(http_server: Served, path: str) -> None:
    for mode in ("legacy", "auto"):
        door = Door("http", mode, http_server.home, http_server)
        async with door.client(path=path) as client:
            assert len((await client.list_tools()).tools) == len(listed())


async def test_reading_takes_one_scope_and_calling_two(tmp_path: Path) -> None:
    async with house_in(tmp_path) as house:
        reads, both = await house.key("tools:read"), await house.key("tools:read", "tools:execute")
        executes = await house.key("tools:execute")
        call = request("tools/call", envelope(**CALL))
        asked = [
            request("resources/read", envelope(uri="toolweave://catalog/types")),
            request("tools/list", envelope()),
        ]
        for message in asked:
            named = {"Mcp-Method": message["method"], "Mcp-Name": "toolweave://catalog/types"}
            answer = await post(house, message, reads | MODERN | named)
            assert "result" in answer.json()
        refused = (await post(house, call, call_headers(reads))).json()["error"]
        assert refused["code"] == -32003
        assert "toolweave keys create --scope tools:execute" in refused["message"]
        assert refused["data"]["code"] == "SCOPE_MISSING"
        assert "result" in (await post(house, call, call_headers(both))).json()
        assert (await post(house, call, call_headers(executes))).status_code == 403


async def test_in_a_session_each_request_is_judged_by_its_own_key(tmp_path: Path) -> None:
    async with house_in(tmp_path) as house:
        key, text = await house.keys.create("one", ["tools:read", "tools:execute"])
        mine = {"X-API-Key": text}
        opened = await post(house, initialize(), mine)
        session = mine | {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
        assert (await post(house, INITIALIZED, session)).status_code == 202
        call = request("tools/call", CALL, id=2)
        assert '"isError":false' in (await post(house, call, session)).text
        await house.keys.revoke(key.id)
        house.clock.seconds += 1
        for answer in (
            await post(house, call, session),
            await house.client.delete("/mcp", headers=ACCEPT | session),
            await house.client.get("/mcp", headers=ACCEPT | session),
        ):
            assert answer.status_code == 401


async def test_of_two_keys_one_counts_for_rights_session_and_log(tmp_path: Path) -> None:
    async with house_in(tmp_path) as house:
        reader, reads = await house.keys.create("reader", ["tools:read"])
        caller, calls = await house.keys.create("caller", ["tools:read", "tools:execute"])
        call = request("tools/call", CALL, id=2)

        async def as_client(own: str, token: str) -> tuple[str, str]:
            """What a call in a session of the reader gives, and whose it is in the log."""
            headers = {"X-API-Key": own, "Authorization": f"Bearer {token}"} | session
            answer = await post(house, call, headers)
            return answer.text, house.log_lines()[-1].get("client", "")

        opened = await post(house, initialize(), {"X-API-Key": reads})
        session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
        await post(house, INITIALIZED, {"X-API-Key": reads} | session)
        text, client = await as_client(reads, calls)
        assert ("SCOPE_MISSING" in text, client) == (True, reader.id)
        text, client = await as_client(calls, reads)
        assert ("Session not found" in text, client) == (True, caller.id)
        await house.keys.revoke(reader.id)
        house.clock.seconds += 1
        text, client = await as_client(reads, calls)
        assert ("Session not found" in text, client) == (True, caller.id)
        session = {}
        text, _ = await as_client(reads, reads)
        assert "KEY_INVALID" in text
        # The control: with a session of its own, the valid one calls.
        opened = await post(house, initialize(), {"X-API-Key": reads, "Authorization": calls})
        assert opened.status_code == 401
        both = {"X-API-Key": reads, "Authorization": f"Bearer {calls}"}
        opened = await post(house, initialize(), both)
        session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
        await post(house, INITIALIZED, both | session)
        text, client = await as_client(reads, calls)
        assert ('"isError":false' in text, client) == (True, caller.id)


async def test_there_are_only_so_many_sessions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolweave.serve.mcp_endpoint.MAX_SESSIONS", 3)
    async with house_in(tmp_path) as house:
        key = await house.key()
        answers = [await post(house, initialize(), key) for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 503]
        first = key | {"Mcp-Session-Id": answers[0].headers["mcp-session-id"]}
        assert (await post(house, request("ping", id=2), first)).status_code == 200
        ended = await house.client.delete("/mcp", headers=ACCEPT | first)
        assert ended.status_code == 200
        assert (await post(house, initialize(), key)).status_code == 200


async def test_a_call_is_logged_with_its_client_and_tool_but_not_its_words(tmp_path: Path) -> None:
    async with house_in(tmp_path) as house:
        made, text = await house.keys.create("one", ["admin"])
        search = {"name": "search_nodes", "arguments": {"query": "hunter2"}}
        headers = call_headers({"X-API-Key": text}, "search_nodes")
        answer = await post(house, request("tools/call", envelope(**search)), headers)
        (line,) = [line for line in house.log_lines() if line["message"] == "tool call"]
        assert line["request_id"] == answer.headers["x-request-id"]
        assert (line["client"], line["tool"], line["is_error"]) == (made.id, "search_nodes", False)
        assert line["took_ms"] > 0
        assert "hunter2" not in house.logged.getvalue()
        assert text not in house.logged.getvalue()


@pytest.mark.parametrize("era", ["modern", "handshake"])
async def test_a_fault_of_ours_says_nothing_of_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, era: str
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("hunter2")

    async with house_in(tmp_path) as house:
        key = await house.key()
        message, headers = request("tools/call", envelope(**CALL), id=2), call_headers(key)
        if era == "handshake":
            opened = await post(house, initialize(), key)
            message = request("tools/call", CALL, id=2)
            headers = key | {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
        with monkeypatch.context() as patch:
            patch.setattr("toolweave.catalog.knowledge.Knowledge.types_and_notes", broken)
            answer = await post(house, message, headers)
        assert "-32603" in answer.text
        assert "hunter2" not in answer.text + house.logged.getvalue()
        (line,) = [line for line in house.log_lines() if line["message"] == "request failed"]
        assert (line["error"], line["logger"]) == ("ZeroDivisionError", "toolweave.mcp")
        assert "isError" in (await post(house, message, headers)).text
