"""How often nodes are asked for: counted, saved together, and never about who asked."""

import anyio
import anyio.lowlevel
import pytest
from tests.catalog.builders import our_catalog

from toolweave.catalog.knowledge import Knowledge
from toolweave.catalog.usage import MAX_WAITING, NodeUsage, UsageCounts
from toolweave.storage.database import Database
from toolweave.testing.clock import FakeClock

pytestmark = pytest.mark.anyio


async def test_what_was_asked_for_is_counted_and_saved(database: Database) -> None:
    clock = FakeClock()
    counts = UsageCounts(database, clock)
    counts.note(["FLOW.IF", "FLOW.LOOP"])
    counts.note(["FLOW.IF"])
    assert await counts.top() == []
    await counts.save()
    await counts.save()
    await clock.advance(60)
    counts.note(["FLOW.IF", "ACTION.HTTP_REQUEST"])
    await counts.save()
    assert await counts.top() == [
        NodeUsage("FLOW.IF", 3, "2026-01-01T00:01:00.000Z"),
        NodeUsage("ACTION.HTTP_REQUEST", 1, "2026-01-01T00:01:00.000Z"),
        NodeUsage("FLOW.LOOP", 1, "2026-01-01T00:00:00.000Z"),
    ]
    assert [usage.ref for usage in await counts.top(1)] == ["FLOW.IF"]
    assert await counts.counts() == {"FLOW.IF": 3, "ACTION.HTTP_REQUEST": 1, "FLOW.LOOP": 1}


async def test_two_processes_add_up(database: Database) -> None:
    one, other = UsageCounts(database, FakeClock()), UsageCounts(database, FakeClock())
    one.note(["FLOW.IF"])
    other.note(["FLOW.IF"])
    await one.save()
    await other.save()
    assert await one.counts() == {"FLOW.IF": 2}


async def test_a_save_that_is_cut_off_loses_nothing_nor_what_is_noted_meanwhile(
    database: Database,
) -> None:
    counts = UsageCounts(database, FakeClock())
    counts.note(["FLOW.IF"])
    with anyio.fail_after(60):
        async with database.transaction(), anyio.create_task_group() as tasks:
            tasks.start_soon(counts.save)
            tasks.start_soon(counts.save)
            await anyio.lowlevel.checkpoint()
            counts.note(["FLOW.IF", "FLOW.LOOP"])
            tasks.cancel_scope.cancel()
    await counts.save()
    assert await counts.counts() == {"FLOW.IF": 2, "FLOW.LOOP": 1}


async def test_names_that_cannot_be_stored_are_passed_over_and_memory_is_bounded(
    database: Database,
) -> None:
    counts = UsageCounts(database, FakeClock())
    counts.note(["TOOL.MCP:a/\0", "TOOL.MCP:a/\ud800", "TOOL.MCP:a/b"])
    await counts.save()
    assert await counts.counts() == {"TOOL.MCP:a/b": 1}
    counts.note(f"TOOL.{n}" for n in range(MAX_WAITING + 5))
    counts.note(["TOOL.0"])
    await counts.save()
    row = await database.row("SELECT count(*), max(asked) FROM node_usage")
    assert row is not None
    assert [int(value) for value in row] == [MAX_WAITING + 1, 2]


async def test_only_names_of_the_catalog_are_heard_of(database: Database) -> None:
    counts = UsageCounts(database, FakeClock())
    knowledge = Knowledge(our_catalog(), on_asked=counts.note)
    knowledge.node_details([("flow", "if"), ("FLOW", "IF"), ("ada@example.com", "+49 170")])
    knowledge.node_details([("ada@example.com", "secret")])
    knowledge.search("the password of ada@example.com")
    await counts.save()
    assert await counts.counts() == {"FLOW.IF": 2}
