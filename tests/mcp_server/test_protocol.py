"""What an MCP client sees, through the SDK's own client: stdio and HTTP, both eras."""

import anyio
import mcp_types as types
import orjson
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from mcp_server.doors import Door
from toolweave.catalog.tool_definitions import QUESTIONS, READ_ONLY
from toolweave.mcp_server.tool_list import DEFAULT

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("mcp")]

IF = {"node_type": "FLOW", "subtype": "IF"}


def text_of(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


def resource_of(result: types.ReadResourceResult) -> object:
    (content,) = result.contents
    assert isinstance(content, types.TextResourceContents)
    assert content.mime_type == "application/json"
    return orjson.loads(content.text)


async def test_it_says_who_it_is_and_what_it_can_do(client: Client, door: Door) -> None:
    modern = door.mode == "auto"
    assert client.protocol_version == ("2026-07-28" if modern else "2025-11-25")
    assert client.server_info is not None
    assert (client.server_info.name, client.server_info.title) == ("toolweave", "Toolweave")
    assert client.instructions is not None
    assert "get_node_types" in client.instructions
    offered = client.server_capabilities
    assert offered.resources is not None
    assert (offered.resources.list_changed, offered.resources.subscribe) == (True, True)
    assert offered.completions is not None
    assert offered.prompts is not None


@pytest.mark.requirement(
    "004:mcp.tools", "004:tool.get_node_types.guidance", "004:tool.get_node_details.guidance"
)
async def test_the_tools_are_listed_with_their_steering_texts(client: Client) -> None:
    listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == [offered.name for offered in DEFAULT]
    for tool, question in zip(listed, QUESTIONS, strict=False):
        assert tool.input_schema == question["inputSchema"]
        assert tool.annotations is not None
        assert tool.annotations.model_dump(by_alias=True, exclude_none=True) == READ_ONLY
    assert "DO NOT create separate IF or AI_AGENT nodes" in (listed[0].description or "")
    assert "confirmed/rejected/unrelated/timeout" in (listed[1].description or "")


@pytest.mark.requirement("004:mcp.tools", "004:tool.get_node_types")
async def test_a_call_gives_data_and_the_same_as_text(client: Client) -> None:
    result = await client.call_tool("get_node_types", {"type_filter": "FLOW"})
    assert result.is_error is False
    assert result.structured_content == {
        "FLOW": [
            *("IF", "LOOP", "MERGE", "FILTER", "SORT", "WAIT", "DELAY"),
            *("FOR_EACH", "SPLIT", "STOP", "SUBWORKFLOW", "SWITCH", "TIMEOUT"),
        ]
    }
    assert orjson.loads(text_of(result)) == result.structured_content
    corrected = await client.call_tool("get_node_types", {"type_filter": "flow"})
    assert corrected.structured_content == result.structured_content
    assert "'flow' → 'FLOW'" in (corrected.meta or {})["toolweave/warning"]
    found = await client.call_tool("search_nodes", {"query": "send a message to slack"})
    assert found.structured_content is not None
    assert "SLACK" in {entry["subtype"] for entry in found.structured_content["results"]}


async def test_wrong_arguments_are_a_tool_error_with_problems_and_hints(client: Client) -> None:
    result = await client.call_tool("get_node_details", {"nodes": [{"node_type": "FLOW"}], "x": 1})
    assert result.is_error is True
    assert result.structured_content is not None
    places = {problem["pointer"] for problem in result.structured_content["problems"]}
    assert places == {"/nodes/0/subtype", "/x"}
    assert "/nodes/0/subtype" in text_of(result)
    none = await client.call_tool("get_node_types", {"type_filter": "NOPE"})
    assert none.is_error is True
    assert "HUMAN_IN_THE_LOOP" in text_of(none)


@pytest.mark.parametrize("name", ["get_node_type", "nope", "", "x" * 10_000])
async def test_an_unknown_tool_is_a_protocol_error(client: Client, name: str) -> None:
    with pytest.raises(MCPError) as caught:
        await client.call_tool(name, {})
    assert caught.value.error.code == types.INVALID_PARAMS
    assert "get_node_types" in caught.value.error.message
    assert len(caught.value.error.message) < 500


async def test_every_listed_resource_can_be_read(client: Client) -> None:
    listed = (await client.list_resources()).resources
    uris = [str(resource.uri) for resource in listed]
    assert uris[:2] == ["toolweave://catalog/types", "toolweave://catalog/TRIGGER"]
    assert "toolweave://catalog/FLOW/IF" in uris
    assert len(set(uris)) == len(uris) >= 48
    for uri in uris:
        if "MCP%3A" not in uri:  # tools of servers that other tests approve and remove meanwhile
            assert resource_of(await client.read_resource(uri))
    asked = await client.call_tool("get_node_details", {"nodes": [IF], "max_tokens": 100_000})
    assert asked.structured_content is not None
    spec = resource_of(await client.read_resource("toolweave://catalog/FLOW/IF"))
    assert spec == asked.structured_content["nodes"][0]


@pytest.mark.parametrize(
    ("uri", "hint"),
    [
        ("toolweave://catalog/FLOW/IFF", "toolweave://catalog/FLOW/IF"),
        ("toolweave://catalog/FLOW_NODE/IF", "toolweave://catalog/FLOW/IF"),
        ("toolweave://catalog/flow", "resources/list"),
        ("toolweave://catalog/", "resources/list"),
        ("toolweave://catalog", "resources/list"),
        ("toolweave://other/types", "resources/list"),
        ("file:///etc/passwd", "resources/list"),
    ],
)
async def test_what_is_not_there_is_refused_with_a_hint(
    client: Client, uri: str, hint: str
) -> None:
    with pytest.raises(MCPError) as caught:
        await client.read_resource(uri)
    assert caught.value.error.code == types.INVALID_PARAMS
    assert hint in caught.value.error.message


async def test_types_and_subtypes_are_completed(client: Client) -> None:
    template = (await client.list_resource_templates()).resource_templates[0]
    ref = types.ResourceTemplateReference(type="ref/resource", uri=template.uri_template)

    async def typed(name: str, value: str, **given: str) -> types.Completion:
        argument = {"name": name, "value": value}
        return (await client.complete(ref, argument, given or None)).completion

    assert (await typed("node_type", "t")).values == ["TRIGGER", "TOOL"]
    assert (await typed("node_type", "")).total == 9
    assert (await typed("subtype", "slack_i")).values == ["SLACK_INTERACTION"]
    assert (await typed("subtype", "so", node_type="flow")).values == ["SORT"]
    assert (await typed("subtype", "", node_type="NOPE")).values == []
    assert (await typed("subtype", "zzz")).has_more is False
    prompt = types.PromptReference(type="ref/prompt", name="nope")
    for wrong, name in ((prompt, "node_type"), (ref, "nope")):
        with pytest.raises(MCPError) as caught:
            await client.complete(wrong, {"name": name, "value": ""})
        assert caught.value.error.code == types.INVALID_PARAMS


async def test_a_cursor_that_is_none_is_refused(client: Client) -> None:
    for cursor in ("", "0", "-1", "x", "9" * 5_000, "٣"):
        with pytest.raises(MCPError) as caught:
            await client.list_resources(cursor=cursor)
        assert caught.value.error.code == types.INVALID_PARAMS


async def test_a_ping_is_answered_where_the_era_has_one(client: Client, door: Door) -> None:
    ping = types.PingRequest()
    if door.mode == "legacy":
        assert await client.session.send_request(ping, types.EmptyResult) == types.EmptyResult()
    else:
        with pytest.raises(MCPError) as caught:
            await client.session.send_request(ping, types.EmptyResult)
        assert caught.value.error.code == types.METHOD_NOT_FOUND


async def test_a_hundred_calls_at_once_are_all_answered_each_with_its_own(client: Client) -> None:
    names = [f"unknown-{number}" for number in range(100)]
    answered: dict[str, str] = {}

    async def ask(name: str) -> None:
        nodes = [{"node_type": name, "subtype": name}, IF]
        result = await client.call_tool("get_node_details", {"nodes": nodes})
        assert result.structured_content is not None
        answered[name] = result.structured_content["nodes"][0]["node_type"]

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for name in names:
                tasks.start_soon(ask, name)
    assert answered == {name: name for name in names}


async def test_after_a_cancelled_call_the_next_is_answered(client: Client) -> None:
    for _ in range(20):
        with anyio.move_on_after(0):
            await client.call_tool("get_node_details", {"nodes": [IF] * 200})
    with anyio.fail_after(60):
        result = await client.call_tool("get_node_types", {})
    assert result.is_error is False


async def test_clients_that_disappear_leave_the_others_alone(door: Door, client: Client) -> None:
    with anyio.fail_after(60):
        for _ in range(3):
            with anyio.CancelScope() as scope:
                async with door.client() as brief:
                    await brief.list_tools()
                    scope.cancel()
                    await brief.call_tool("get_node_types", {})
        assert (await client.call_tool("get_node_types", {})).is_error is False
