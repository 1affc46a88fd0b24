"""The six endpoints of the node catalog, field by field."""

import pytest

from rest.house import House
from toolweave.catalog.tool_definitions import QUESTIONS

pytestmark = pytest.mark.anyio

NAMES = ["get_node_types", "get_node_details", "search_nodes"]


@pytest.mark.requirement("004:GET /api/v1/mcp/tools", "004:response.jsonrpc", "004:response.tools")
async def test_tools_are_listed_in_json_rpc(house: House) -> None:
    answer = await house.client.get("/api/v1/mcp/tools", headers=await house.key("tools:read"))
    assert answer.status_code == 200
    body = answer.json()
    assert list(body) == ["jsonrpc", "id", "result"]
    assert body["jsonrpc"] == "2.0"
    assert body["id"] == answer.headers["x-request-id"]
    tools = body["result"]["tools"]
    assert [tool["name"] for tool in tools] == NAMES
    for tool, question in zip(tools, QUESTIONS, strict=True):
        assert list(tool) == ["name", "description", "parameters", "category", "tags"]
        assert tool["parameters"] == question["inputSchema"]
        assert tool["category"] == "workflow"
    assert tools[0]["tags"] == ["nodes", "workflow", "specifications"]
    assert tools[1]["tags"] == ["nodes", "specifications", "details"]


@pytest.mark.requirement("004:GET /api/v1/mcp/tools/internal", "004:access.internal")
async def test_the_internal_list_is_plain(house: House) -> None:
    inside = await house.client.get("/api/v1/mcp/tools/internal", headers=house.service_token())
    outside = await house.client.get("/api/v1/mcp/tools", headers=await house.key())
    assert inside.status_code == 200
    assert inside.json() == outside.json()["result"]


@pytest.mark.requirement(
    "004:POST /api/v1/mcp/invoke",
    "004:response.invoke.content",
    "004:response.invoke.isError",
    "004:response.invoke.structuredContent",
    "004:response.invoke._tool_name",
    "004:response.invoke._execution_time_ms",
    "004:response.invoke._request_id",
)
async def test_invoke_answers_as_the_seed_shows(house: House) -> None:
    answer = await house.invoke("get_node_types", {}, await house.key("tools:execute"))
    assert answer.status_code == 200
    request_id = answer.headers["x-request-id"]
    body = answer.json()
    took = body["result"].pop("_execution_time_ms")
    assert isinstance(took, float)
    assert took > 0
    types = body["result"].pop("structuredContent")
    assert types["TRIGGER"][:6] == ["MANUAL", "WEBHOOK", "CRON", "GITHUB", "SLACK", "EMAIL"]
    assert len(types) == 9
    assert body == {
        "jsonrpc": "2.0",
        "id": request_id,
        "result": {
            "content": [{"type": "text", "text": "Tool 'get_node_types' executed successfully"}],
            "isError": False,
            "_tool_name": "get_node_types",
            "_request_id": request_id,
        },
    }


@pytest.mark.requirement("004:POST /api/v1/mcp/invoke/internal")
async def test_the_internal_invoke_has_no_wrapper(house: House) -> None:
    answer = await house.client.post(
        "/api/v1/mcp/invoke/internal",
        json={"name": "get_node_types", "arguments": {"type_filter": "FLOW"}},
        headers=house.service_token(),
    )
    body = answer.json()
    of_the_seed = ["IF", "LOOP", "MERGE", "FILTER", "SORT", "WAIT", "DELAY"]
    assert list(body["structuredContent"]) == ["FLOW"]
    assert body["structuredContent"]["FLOW"][:7] == of_the_seed
    assert set(body) == {
        "content",
        "isError",
        "structuredContent",
        "_tool_name",
        "_execution_time_ms",
        "_request_id",
    }


@pytest.mark.requirement("004:tool.get_node_details.correction")
async def test_details_come_with_the_seeds_correction(house: House) -> None:
    nodes = [{"node_type": "ACTION_NODE", "subtype": "HTTP_REQUEST"}]
    answer = await house.invoke("get_node_details", {"nodes": nodes}, await house.key())
    node = answer.json()["result"]["structuredContent"]["nodes"][0]
    assert (node["node_type"], node["subtype"]) == ("ACTION", "HTTP_REQUEST")
    assert node["warning"] == (
        "Auto-corrected: 'ACTION_NODE' → 'ACTION'. "
        "Please use correct format without '_NODE' suffix."
    )


@pytest.mark.requirement("004:response.invoke.failure")
async def test_a_failed_call_says_why_and_has_no_data(house: House) -> None:
    answer = await house.invoke("get_node_types", {"type_filter": "NOPE"}, await house.key())
    assert answer.status_code == 200
    result = answer.json()["result"]
    assert set(result) == {
        "content",
        "isError",
        "_problems",
        "_tool_name",
        "_execution_time_ms",
        "_request_id",
    }
    assert result["isError"] is True
    text = result["content"][0]["text"]
    assert text.startswith("Error: ")
    assert "NOPE" in text
    assert "TRIGGER" in text
    assert [problem["code"] for problem in result["_problems"]] == ["NODE_TYPE_UNKNOWN"]
    assert result["_problems"][0]["pointer"] == "/type_filter"


@pytest.mark.requirement(
    "004:GET /api/v1/mcp/tools/{tool_name}",
    "004:response.tool",
    "004:response.tool.workflow_guidance",
)
@pytest.mark.parametrize("name", NAMES)
async def test_one_tool_has_guidance_and_examples_that_work(house: House, name: str) -> None:
    key = await house.key()
    answer = await house.client.get(f"/api/v1/mcp/tools/{name}", headers=key)
    page = answer.json()
    assert list(page) == [
        "name",
        "description",
        "version",
        "available",
        "category",
        "parameters",
        "workflow_guidance",
        "usage_examples",
        "processing_time_ms",
        "request_id",
    ]
    assert page["name"] == name
    assert page["available"] is True
    assert page["category"] == "workflow"
    assert page["request_id"] == answer.headers["x-request-id"]
    assert "ANTI-PATTERN: HIL → AI_AGENT → IF" in page["workflow_guidance"]
    for example in page["usage_examples"]:
        tried = await house.invoke(name, example, key)
        assert tried.json()["result"]["isError"] is False


@pytest.mark.requirement("004:GET /api/v1/mcp/health", "004:response.health")
async def test_health_tells_the_state_of_the_service(house: House) -> None:
    answer = await house.client.get("/api/v1/mcp/health", headers=await house.key("health:check"))
    assert answer.status_code == 200
    body = answer.json()
    assert list(body) == [
        "healthy",
        "version",
        "available_tools",
        "timestamp",
        "error",
        "request_id",
        "processing_time_ms",
    ]
    assert body["healthy"] is True
    assert body["error"] is None
    assert body["available_tools"] == NAMES
    assert isinstance(body["timestamp"], int)
    assert body["request_id"] == answer.headers["x-request-id"]


@pytest.mark.requirement("004:GET /api/v1/public/health")
@pytest.mark.parametrize("path", ["/health", "/api/v1/public/health"])
async def test_a_probe_needs_no_key_and_learns_nothing_else(house: House, path: str) -> None:
    answer = await house.client.get(path)
    assert (answer.status_code, answer.json()) == (200, {"healthy": True})


@pytest.mark.requirement("004:stateless")
async def test_an_answer_does_not_depend_on_those_before(house: House) -> None:
    key = await house.key()
    asked = {"nodes": [{"node_type": "FLOW", "subtype": "IF"}]}
    first = await house.invoke("get_node_details", asked, key)
    await house.invoke("get_node_details", {"nodes": []}, key)
    await house.invoke("search_nodes", {"query": "slack"}, key)
    again = await house.invoke("get_node_details", asked, key)
    data = [each.json()["result"]["structuredContent"] for each in (first, again)]
    assert data[0] == data[1]
