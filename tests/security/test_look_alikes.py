"""Names that people cannot tell apart: of servers and workflows refused, of tools marked."""

from pathlib import Path

import pytest
from tests.security.controls import Control

from servers.rooms import a_studio
from toolweave.errors import Conflict, NotFound, ToolweaveError
from toolweave.servers.registry import Registry
from toolweave.servers.tool_list import parse_tools
from toolweave.servers.user_definitions import from_command_line
from toolweave.testing.server import a_tool
from toolweave.workflow.model import Workflow, WorkflowId

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


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (CYRILLIC, "WORKFLOW_NAME_TAKEN"),
        ("\u0440\u0430\u0443", "WORKFLOW_NAME_TAKEN"),  # no Latin letter
        (FULL_WIDTH, "WORKFLOW_NAME_TAKEN"),
        ("PAY", "WORKFLOW_NAME_TAKEN"),
        ("ne\u200dw", "WORKFLOW_NAME_INVALID"),
        ("new\u200b", "WORKFLOW_NAME_INVALID"),
        ("\u202enew", "WORKFLOW_NAME_INVALID"),
        ("new ", "WORKFLOW_NAME_INVALID"),
        ("\u00a0new", "WORKFLOW_NAME_INVALID"),
    ],
)
async def test_a_workflow_that_looks_like_another_is_refused(
    tmp_path: Path, name: str, code: str, control: Control
) -> None:
    async with a_studio(tmp_path / "home") as studio:
        store = studio.home.workflows
        revision = await store.save(named("pay"), over=None)
        for good in ("\u043f\u043b\u0430\u0442\u0435\u0436", "pay later \u2764\ufe0f", "pa"):
            await store.save(named(good), over=None)
        control("other names are stored", len(await store.list()) == 4)
        other = (await store.load("pa")).revision
        with pytest.raises(ToolweaveError) as new:
            await store.save(named(name), over=None)
        assert new.value.code == code
        with pytest.raises(ToolweaveError) as renamed:
            await store.rename("pa", name, over=other)
        assert renamed.value.code == code
        assert (await store.load("pay")).revision == revision
        assert len(await store.list()) == 4


async def test_a_workflow_may_change_the_case_of_its_own_name(
    tmp_path: Path, control: Control
) -> None:
    async with a_studio(tmp_path / "home") as studio:
        store = studio.home.workflows
        revision = await store.save(named("pay"), over=None)
        await store.rename("pay", "Pay", over=revision)
        control("it is found by its new name", (await store.load("Pay")).name == "Pay")
        with pytest.raises(NotFound):
            await store.load(CYRILLIC)


def named(name: str) -> Workflow:
    return Workflow(WorkflowId("w"), name)


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
