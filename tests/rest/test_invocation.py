"""What is wrong with a request is told in the right way: a status, a code, a place, a hint."""

from typing import Any

import orjson
import pytest

from rest.house import House
from toolweave.access.keys import ApiKeys
from toolweave.errors import Unavailable

pytestmark = pytest.mark.anyio

JSON = {"Content-Type": "application/json"}
EXTERNAL, INTERNAL = "/api/v1/mcp/invoke", "/api/v1/mcp/invoke/internal"
CALL: dict[str, Any] = {"name": "get_node_types", "arguments": {}}


def rpc(**changes: Any) -> dict[str, Any]:
    """A good JSON-RPC request, changed; `...` leaves a key out."""
    body: dict[str, Any] = {
        "jsonrpc": "2.0",
        "id": 7,
        "method": "tools/call",
        "params": CALL,
    } | changes
    return {key: value for key, value in body.items() if value is not ...}


# body, status, JSON-RPC code, our code, where
REFUSED: list[tuple[Any, int, int, str, list[str] | None]] = [
    (b"", 400, -32700, "JSON_INVALID", None),
    (b"{", 400, -32700, "JSON_INVALID", None),
    (b"\xff\xfe", 400, -32700, "JSON_INVALID", None),
    (b"NaN", 400, -32700, "JSON_INVALID", None),
    (b'{"name": "a", "name": "b"}', 400, -32700, "JSON_INVALID", None),
    (b'{"name": "\\ud800"}', 400, -32700, "JSON_INVALID", None),
    (b"[" * 5_000 + b"]" * 5_000, 400, -32700, "JSON_INVALID", None),
    (b'{"a":' * 100 + b"1" + b"}" * 100, 400, -32700, "JSON_INVALID", None),
    (b"null", 422, -32600, "BODY_INVALID", [""]),
    (b'"get_node_types"', 422, -32600, "BODY_INVALID", [""]),
    ([rpc()], 422, -32600, "BODY_INVALID", [""]),
    ({}, 422, -32602, "INVOCATION_INVALID", ["/name"]),
    ({"name": ""}, 422, -32602, "INVOCATION_INVALID", ["/name"]),
    ({"name": 5}, 422, -32602, "INVOCATION_INVALID", ["/name"]),
    ({"name": "x" * 201}, 422, -32602, "INVOCATION_INVALID", ["/name"]),
    ({"name": "a", "arguments": []}, 422, -32602, "INVOCATION_INVALID", ["/arguments"]),
    ({"name": "a", "arguments": None}, 422, -32602, "INVOCATION_INVALID", ["/arguments"]),
    ({**CALL, "more": 1, "yet": 2}, 422, -32602, "INVOCATION_INVALID", ["/more", "/yet"]),
    ({"name": "nope"}, 404, -32601, "TOOL_NOT_FOUND", None),
    ({"name": "get_node_type"}, 404, -32601, "TOOL_NOT_FOUND", None),
    ({"name": "gеt_node_types"}, 404, -32601, "TOOL_NOT_FOUND", None),  # noqa: RUF001  Cyrillic
    (rpc(jsonrpc="1.0"), 422, -32600, "BODY_INVALID", ["/jsonrpc"]),
    (rpc(jsonrpc=None, id=True), 422, -32600, "BODY_INVALID", ["/id", "/jsonrpc"]),
    (rpc(id=1.5), 422, -32600, "BODY_INVALID", ["/id"]),
    (rpc(id={}), 422, -32600, "BODY_INVALID", ["/id"]),
    (rpc(method=...), 422, -32600, "BODY_INVALID", ["/method"]),
    (rpc(method=5), 422, -32600, "BODY_INVALID", ["/method"]),
    (rpc(params=...), 422, -32602, "INVOCATION_INVALID", ["/params"]),
    (rpc(params={}), 422, -32602, "INVOCATION_INVALID", ["/params/name"]),
    (rpc(params={**CALL, "more": 1}), 422, -32602, "INVOCATION_INVALID", ["/params/more"]),
    (rpc(more=1), 422, -32600, "BODY_INVALID", ["/more"]),
    (rpc(method="tools/list"), 404, -32601, "RPC_METHOD_UNKNOWN", None),
    (rpc(method="ping", params=...), 404, -32601, "RPC_METHOD_UNKNOWN", None),
    (rpc(params={"name": "nope"}), 404, -32601, "TOOL_NOT_FOUND", None),
]


def bytes_of(body: Any) -> bytes:
    return body if isinstance(body, bytes) else orjson.dumps(body)


@pytest.mark.parametrize(("body", "status", "number", "code", "places"), REFUSED)
async def test_a_wrong_body_is_refused_in_both_forms(
    house: House, body: Any, status: int, number: int, code: str, places: list[str] | None
) -> None:
    data = bytes_of(body)
    outside = await house.client.post(
        EXTERNAL, content=data, headers=JSON | await house.key("tools:execute")
    )
    inside = await house.client.post(INTERNAL, content=data, headers=JSON | house.service_token())
    assert (outside.status_code, inside.status_code) == (status, status)
    told = outside.json()
    assert list(told) == ["jsonrpc", "id", "error"]
    assert told["error"]["code"] == number
    assert told["error"]["message"] == told["error"]["data"]["message"]
    error = inside.json()["error"]
    assert error == told["error"]["data"]
    assert error["code"] == code
    if places is not None:
        assert sorted(problem["pointer"] for problem in error["problems"]) == places
        assert error["hint"]


async def test_the_callers_id_comes_back_whatever_happens(house: House) -> None:
    key = await house.key()
    for identity in (7, "seven", 0, "", -1):
        for body in (rpc(id=identity), rpc(id=identity, params={"name": "nope"})):
            answer = await house.client.post(EXTERNAL, json=body, headers=key)
            assert answer.json()["id"] == identity


async def test_without_an_id_the_request_names_itself(house: House) -> None:
    key = await house.key()
    for body in (rpc(id=...), rpc(id=None), CALL, b"{"):
        answer = await house.client.post(EXTERNAL, content=bytes_of(body), headers=JSON | key)
        assert answer.json()["id"] == answer.headers["x-request-id"]


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "", "text/json", "a" * 5000]
)
async def test_another_content_type_is_refused(house: House, content_type: str) -> None:
    headers = {"Content-Type": content_type} | await house.key()
    answer = await house.client.post(EXTERNAL, content=bytes_of(CALL), headers=headers)
    assert answer.status_code == 415
    told = answer.json()["error"]
    assert (told["code"], told["data"]["code"]) == (-32600, "CONTENT_TYPE_INVALID")
    assert "application/json" in told["message"]
    assert len(told["message"]) < 300


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "Application/JSON"])
async def test_json_is_json_however_it_is_spelt(house: House, content_type: str) -> None:
    headers = {"Content-Type": content_type} | await house.key()
    answer = await house.client.post(EXTERNAL, content=bytes_of(CALL), headers=headers)
    assert answer.status_code == 200


# tool, arguments, where the first problem is
WRONG_ARGUMENTS: list[tuple[str, dict[str, Any], str]] = [
    ("get_node_types", {"type_filter": 5}, "/type_filter"),
    ("get_node_types", {"type_filter": "x" * 100_000}, "/type_filter"),
    ("get_node_types", {"nope": 1}, "/nope"),
    ("get_node_details", {}, "/nodes"),
    ("get_node_details", {"nodes": []}, "/nodes"),
    ("get_node_details", {"nodes": "FLOW.IF"}, "/nodes"),
    ("get_node_details", {"nodes": [{"node_type": "FLOW"}]}, "/nodes/0/subtype"),
    ("get_node_details", {"nodes": [{"node_type": "", "subtype": "IF"}]}, "/nodes/0/node_type"),
    (
        "get_node_details",
        {"nodes": [{"node_type": "FLOW", "subtype": "IF"}] * 10_000},
        "/",
    ),
    (
        "get_node_details",
        {"nodes": [{"node_type": "FLOW", "subtype": "IF", "x": 1}]},
        "/nodes/0/x",
    ),
    (
        "get_node_details",
        {"nodes": [{"node_type": "FLOW", "subtype": "IF"}], "max_tokens": 10**30},
        "/max_tokens",
    ),
    ("search_nodes", {"query": None}, "/query"),
    ("search_nodes", {"query": "x" * 3_000_000}, "/query"),
    ("search_nodes", {"query": "slack", "limit": 0}, "/limit"),
    ("search_nodes", {"query": "slack", "type_filter": "NOPE"}, "/type_filter"),
]


@pytest.mark.requirement("004:tool.get_node_types.failure", "004:tool.get_node_details.nodes")
@pytest.mark.parametrize(("tool", "arguments", "place"), WRONG_ARGUMENTS)
async def test_wrong_arguments_are_a_tool_error_with_every_problem(
    house: House, tool: str, arguments: dict[str, Any], place: str
) -> None:
    answer = await house.invoke(tool, arguments, await house.key())
    assert answer.status_code == 200
    result = answer.json()["result"]
    assert result["isError"] is True
    places = [problem["pointer"] or "/" for problem in result["_problems"]]
    # Of a value too large to be searched only the whole is named.
    assert any(at == place or (place == "/" and at == "/nodes") for at in places)
    assert places[0] in result["content"][0]["text"]
    assert len(answer.content) < 20_000


@pytest.mark.parametrize("name", ["ＦＬＯＷ", "FLОW", "flow\u200b", "FLOW\x00", "🦊", " " * 400])  # noqa: RUF001
async def test_look_alikes_are_mended_or_named_never_a_fault(house: House, name: str) -> None:
    nodes = [{"node_type": name, "subtype": "IF"}, {"node_type": "FLOW", "subtype": "IF"}]
    answer = await house.invoke("get_node_details", {"nodes": nodes}, await house.key())
    assert answer.status_code == 200
    result = answer.json()["result"]
    assert result["isError"] is False
    odd, good = result["structuredContent"]["nodes"]
    assert good["node_type"] == "FLOW"
    assert "warning" in odd or ("error" in odd and "hint" in odd)


async def test_a_long_name_in_the_address_is_refused(house: House) -> None:
    key = await house.key()
    answer = await house.client.get(f"/api/v1/mcp/tools/{'x' * 201}", headers=key)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "REQUEST_INVALID")
    answer = await house.client.get("/api/v1/mcp/tools/nope", headers=key)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "TOOL_NOT_FOUND")
    assert "get_node_types" in answer.json()["error"]["hint"]


async def test_addresses_and_methods_that_are_not_there(house: House) -> None:
    key = await house.key()
    for path in (
        "/nope",
        "/api/v1/mcp/tools/",
        "/api/v1/mcp/tools/a%2Fb",
        "/redoc",
        "/openapi.json",
    ):
        answer = await house.client.get(path, headers=key)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "ROUTE_NOT_FOUND")
    answer = await house.client.delete("/api/v1/mcp/health", headers=key)
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")
    assert answer.json()["error"]["code"] == "METHOD_NOT_ALLOWED"


async def test_a_refused_call_keeps_the_id_that_was_sent(house: House) -> None:
    other = await house.key("tools:read")
    refused = await house.client.post(EXTERNAL, json=rpc(id="mine"), headers=other)
    assert (refused.status_code, refused.json()["id"]) == (403, "mine")
    allowed = await house.client.post(EXTERNAL, json=rpc(id="mine"), headers=await house.key())
    assert (allowed.status_code, allowed.json()["id"]) == (200, "mine")


async def test_a_broken_database_is_an_internal_error_that_shows_no_path(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(_: ApiKeys, __: str) -> None:
        raise Unavailable("STORAGE_BROKEN", "/home/somebody/toolweave.db cannot be opened")

    key = await house.key()
    monkeypatch.setattr(ApiKeys, "check", broken)
    answer = await house.client.post(EXTERNAL, json=rpc(id=9), headers=key)
    assert (answer.status_code, answer.json()["id"]) == (503, 9)
    assert answer.json()["error"]["code"] == -32603
    assert "somebody" not in answer.text
