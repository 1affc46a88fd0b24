"""Names that people cannot tell apart: of servers they are refused, of tools they are marked."""

from pathlib import Path

import pytest
from tests.security.controls import Control

from servers.rooms import a_studio
from toolweave.errors import Conflict
from toolweave.servers.registry import Registry
from toolweave.servers.tool_list import parse_tools
from toolweave.servers.user_definitions import from_command_line
from toolweave.testing.server import a_tool

pytestmark = pytest.mark.anyio

CYRILLIC, FULL_WIDTH, JOINED = "p\u0430y", "\uff50ay", "pa\u200dy"


async def test_a_server_that_looks_like_another_is_refused(
    tmp_path: Path, control: Control
) -> None:
    definition = from_command_line(["program"])
    async with a_studio(tmp_path / "home") as studio:
        registry = studio.home.registry
        await registry.add("pay", definition)
        other = await registry.add("\u043f\u043b\u0430\u0442\u0435\u0436", definition)
        control("a name of another script is a name", other.name in await names(registry))
        for name in (CYRILLIC, FULL_WIDTH):
            with pytest.raises(Conflict) as refused:
                await registry.add(name, definition)
            assert refused.value.code == "SERVER_NAME_TAKEN"
            assert "\\u" in refused.value.message  # shown so that it can be told apart
            assert name not in await names(registry)


async def names(registry: Registry) -> list[str]:
    return [server.name for server in await registry.list()]


async def test_a_tool_that_looks_like_another_is_marked(control: Control) -> None:
    entries = [a_tool(name) for name in ("pay", "PAY", CYRILLIC, JOINED, "\u0434\u0430")]
    tools = await parse_tools("shop", entries, is_modern=False)
    marked = [
        tool.name
        for tool in tools
        if any("looks like" in problem.message for problem in tool.problems)
    ]
    control("other names are not marked", not {"pay", "PAY", "\u0434\u0430"} & {*marked})
    assert marked == [CYRILLIC, JOINED]
