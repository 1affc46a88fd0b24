"""The first answers of `toolweave mcp` have the published tools, too, as of the home's copy."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import orjson
import pytest

from mcp_server.messages import envelope, line_of, request
from publishing.desk import Desk
from rest.drawn import greeting
from toolweave.app.lazy import Lazy
from toolweave.errors import Unavailable
from toolweave.mcp_server.early_responses import EarlyResponder
from toolweave.publishing.cached_list import FILE, listed_copy
from toolweave.publishing.service import unpublish

pytestmark = pytest.mark.anyio


async def test_the_early_answer_lists_what_the_server_lists(desk: Desk) -> None:
    home = desk.home.settings.home
    assert listed_copy(home) == []
    await desk.publish(greeting())
    early = EarlyResponder(lambda: listed_copy(home))
    answer = orjson.loads(early.answer(line_of(request("tools/list", envelope()))) or b"")
    async with desk.client() as client:
        tools = (await client.list_tools()).tools
    listed = [tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in tools]
    assert answer["result"]["tools"] == listed
    assert early.listed is not None
    assert [tool["name"] for tool in early.listed] == ["greet"]
    await unpublish(desk.home, "greet")
    assert listed_copy(home) == []


@pytest.mark.parametrize("text", ["", "{}", "[5]", "nonsense", "[" * 500])
async def test_a_damaged_copy_is_no_copy(desk: Desk, text: str) -> None:
    path = anyio.Path(desk.home.settings.home) / FILE
    await path.write_text(text)
    assert listed_copy(desk.home.settings.home) == []


async def test_rooms_are_opened_once_for_all_who_ask_and_again_after_a_failure() -> None:
    opened: list[str] = []

    @asynccontextmanager
    async def opening() -> AsyncGenerator[str]:
        opened.append("try")
        if len(opened) == 1:
            raise Unavailable("STORAGE_BROKEN", "not yet")
        if len(opened) == 2:
            raise ImportError("half of a module")  # a fault of ours: it ends no service
        yield "room"
        opened.append("closed")

    rooms = Lazy(opening)
    found: list[str] = []

    async def ask() -> None:
        found.append(await rooms.get())

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(rooms.serve)
        with anyio.fail_after(60):
            for code in ("STORAGE_BROKEN", "INTERNAL"):
                with pytest.raises(Unavailable) as refused:
                    await rooms.get()
                assert refused.value.code == code
            async with anyio.create_task_group() as asking:
                for _ in range(3):
                    asking.start_soon(ask)
        tasks.cancel_scope.cancel()
    assert found == ["room"] * 3
    assert opened == ["try"] * 3
