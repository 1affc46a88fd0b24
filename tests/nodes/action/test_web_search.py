"""A search of the web by the tool of a server process; its hits in one form."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.nodes.ai.rooms import an_agency, node, run_alone

from toolweave.json_text import JsonObject
from toolweave.testing.model import ScriptedModel
from toolweave.testing.server import ScriptedServer, a_tool, says

pytestmark = pytest.mark.anyio

QUERY: JsonObject = {"type": "object", "properties": {"query": {}, "count": {}, "topic": {}}}
TOOL = a_tool("brave_web_search", inputSchema=QUERY)


@pytest.fixture
def model() -> Generator[ScriptedModel]:
    with ScriptedModel().running() as running:
        yield running


async def test_hits_are_found_wherever_the_tool_has_them(
    tmp_path: Path, model: ScriptedModel
) -> None:
    hits = {"web": {"results": [{"name": "Lamps", "link": "https://a.example", "text": "Bright."}]}}
    async with an_agency(tmp_path, model, servers={"brave": [TOOL]}) as (_, engine):
        scripted = ScriptedServer(tmp_path / "brave", TOOL)
        scripted.on_call("brave_web_search", [says(json.dumps(hits))])
        config: JsonObject = {"server": "brave", "max_results": 3, "arguments": {"topic": "x"}}
        what = node("ACTION.WEB_SEARCH", config, {"query": "lamps"})
        status, found = await run_alone(engine, what)
    value: Any = found["finalResult"]
    assert status == "success"
    assert value["results"] == [
        {"title": "Lamps", "url": "https://a.example", "snippet": "Bright."}
    ]
    assert value["total_results"] == 1


@pytest.mark.exercises(
    "ACTION.WEB_SEARCH.server",
    "ACTION.WEB_SEARCH.max_results",
    "ACTION.WEB_SEARCH.arguments",
    "ACTION.WEB_SEARCH.inputs.query",
)
async def test_the_query_and_the_number_go_where_the_tool_takes_them(
    tmp_path: Path, model: ScriptedModel
) -> None:
    async with an_agency(tmp_path, model, servers={"brave": [TOOL]}) as (_, engine):
        config: JsonObject = {"server": "brave", "max_results": 3, "arguments": {"topic": "x"}}
        what = node("ACTION.WEB_SEARCH", config, {"query": "lamps"})
        _, found = await run_alone(engine, what)
    value: Any = found["finalResult"]
    assert value["raw"].get("json", value["raw"]) == {"query": "lamps", "count": 3, "topic": "x"}


@pytest.mark.exercises("ACTION.WEB_SEARCH.tool", "ACTION.WEB_SEARCH.server")
@pytest.mark.parametrize(
    ("config", "code"),
    [
        ({"server": "brave", "tool": "find"}, "MCP_TOOL_NOT_FOUND"),
        ({"server": "brave", "tool": "odd"}, "NODE_INPUT_INVALID"),
        ({"server": "nobody"}, "MCP_SERVER_NOT_FOUND"),
    ],
)
async def test_what_cannot_search_is_told(
    tmp_path: Path, model: ScriptedModel, config: JsonObject, code: str
) -> None:
    odd = a_tool("odd", inputSchema={"type": "object", "properties": {"x": {}}})
    async with an_agency(tmp_path, model, servers={"brave": [odd]}) as (_, engine):
        what = node("ACTION.WEB_SEARCH", config, {"query": "lamps"})
        status, found = await run_alone(engine, what)
    error: Any = found["error"]
    assert (status, error["code"]) == ("failed", code)
