"""Libraries in MCP clients of both eras: the flow tools under both names, and native prompts."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from tests.library.repo import GIVEN, MARKETING, Repo
from tests.publishing.desk import MODES, Desk, Mode, desk_in

from toolweave.library.home_libraries import library_store
from toolweave.mcp_server.tool_list import ALIASES

pytestmark = pytest.mark.anyio


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[Desk]:
    repo = Repo(tmp_path / "repo")
    async with desk_in(tmp_path / "home") as desk:
        await library_store(desk.home).add("team", str(repo.folder), ref=None, folder=tmp_path)
        yield desk


async def asked(desk: Desk, tool: str, mode: Mode = "auto", **arguments: Any) -> Any:
    # Any: an answer, looked at key by key.
    async with desk.client(mode) as client:
        answer = await client.call_tool(tool, arguments)
        return answer.is_error, answer.structured_content


@pytest.mark.requirement("003:tool.flows/list", "003:tool.flows/show")
@pytest.mark.parametrize("mode", MODES)
async def test_flows_are_listed_and_shown(desk: Desk, mode: Mode) -> None:
    for name in ("flows_list", "flows/list"):
        failed, listed = await asked(desk, name, mode)
        assert not failed
        assert [one["name"] for one in listed["flows"]] == ["Marketing_Strategy"]
        assert listed["flows"][0]["library"] == "team"
    for name in ("flows_show", "flows/show"):
        _, shown = await asked(desk, name, mode, flow="Marketing_Strategy")
        assert shown["flow"] == MARKETING
    failed, refused = await asked(desk, "flows_show", mode, flow="Nothing")
    assert (failed, refused["code"]) == (True, "FLOW_NOT_FOUND")
    failed, refused = await asked(desk, "flows_list", mode, library="nobody")
    assert (failed, refused["code"]) == (True, "LIBRARY_NOT_FOUND")


@pytest.mark.requirement("003:tool.flows/execute", "003:tool.execution-shape")
@pytest.mark.parametrize("name", ["flows_execute", "flows/execute"])
async def test_a_flow_is_executed(desk: Desk, name: str) -> None:
    failed, told = await asked(desk, name, flow="Marketing_Strategy", initialVariables=dict(GIVEN))
    assert (failed, told["status"], told["flowId"]) == (False, "success", "Marketing_Strategy")
    assert told["finalResult"].startswith("Position TechCorp in AI.")
    failed, told = await asked(desk, name, flow="Marketing_Strategy")
    assert (failed, told["status"], told["error"]["code"]) == (True, "failed", "MISSING_VARIABLES")
    failed, told = await asked(desk, name, flow="Nothing", library="team")
    assert (failed, told["error"]["code"]) == (True, "FLOW_NOT_FOUND")


@pytest.mark.requirement(
    "003:tool.prompts/list", "003:tool.prompts/get", "003:tool.get_variable_sets"
)
@pytest.mark.parametrize("mode", MODES)
async def test_prompts_are_listed_filled_in_and_have_their_sets(desk: Desk, mode: Mode) -> None:
    _, listed = await asked(desk, "prompts/list", mode)
    assert [one["name"] for one in listed["prompts"]] == ["Brand_Positioning", "Campaign"]
    values = {"company_name": "A", "market": "B"}
    _, got = await asked(desk, "prompts_get", mode, prompt="Brand_Positioning", arguments=values)
    assert got["messages"][0]["content"]["text"] == "Position A in B."
    failed, refused = await asked(desk, "prompts/get", mode, prompt="t-1")
    assert (failed, refused["code"]) == (True, "MISSING_VARIABLES")
    _, sets = await asked(desk, "get_variable_sets", mode, prompt="Brand_Positioning")
    assert sets["variableValueSets"][0]["values"] == {"company_name": "TechCorp"}


@pytest.mark.parametrize("mode", MODES)
async def test_templates_are_native_prompts(desk: Desk, mode: Mode) -> None:
    async with desk.client(mode) as client:
        prompts = (await client.list_prompts()).prompts
        assert [one.name for one in prompts] == ["team.Brand_Positioning", "team.Campaign"]
        arguments = prompts[0].arguments or []
        assert [(one.name, one.required) for one in arguments] == [
            ("company_name", True),
            ("market", True),
        ]
        values = {"company_name": "A", "market": "{company_name}"}
        for name in ("team.Brand_Positioning", "Brand_Positioning"):
            got = await client.get_prompt(name, values)
            assert getattr(got.messages[0].content, "text", None) == "Position A in {company_name}."
        for name, given in (("team.Nothing", values), ("nothing", {}), (prompts[0].name, {})):
            with pytest.raises(MCPError):
                await client.get_prompt(name, given)


async def test_names_with_a_slash_are_answered_and_not_listed(desk: Desk) -> None:
    async with desk.client() as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
    assert set(ALIASES.values()) <= names
    assert not set(ALIASES) & names
    assert set(ALIASES) == {
        *("flows/list", "flows/show", "flows/execute"),
        *("prompts/list", "prompts/get"),
    }
