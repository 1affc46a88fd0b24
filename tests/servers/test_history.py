"""The record of calls: every state, on both databases, also when these fail."""

from collections.abc import AsyncGenerator, Iterable, Sequence
from datetime import timedelta
from pathlib import Path

import anyio
import pytest

from servers.rooms import a_studio, eventually, pinned
from toolweave.errors import Conflict, Unavailable
from toolweave.servers.history import MOST_UNSAVED, PAUSE_AFTER_FAILURE_S, PAUSE_S, History
from toolweave.storage.database import Database, Row, Value, open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.clock import FakeClock
from toolweave.testing.server import ScriptedServer, echoes, refuses
from toolweave.tools.tool import ToolCall

pytestmark = pytest.mark.anyio

CALL = ToolCall(
    "server", "tool", {"a": 1}, source="document", scope="doc.md", location="doc.md", line=12
)
COLUMNS = (
    *("id", "server", "tool", "status", "source", "scope", "location", "line"),
    *("submitted_at", "started_at", "completed_at"),
    *("retry_attempt", "took_ms", "error_code", "error_message"),
)


@pytest.fixture
def history(either_database: Database, clock: FakeClock) -> History:
    return History(either_database, clock)


async def rows_of(history: History) -> list[dict[str, object]]:
    return [dict(zip(COLUMNS, row, strict=True)) for row in await history.recent()]


async def test_a_call_is_recorded_from_pending_through_executing_to_its_end(
    history: History, clock: FakeClock
) -> None:
    history.submitted(CALL, max_retries=0)
    expected: dict[str, object] = {
        "id": CALL.id,
        "server": "server",
        "tool": "tool",
        "status": "pending",
        "source": "document",
        "scope": "doc.md",
        "location": "doc.md",
        "line": 12,
        "submitted_at": "2026-01-01T00:00:00.000Z",
        "started_at": None,
        "completed_at": None,
        "retry_attempt": 0,
        "took_ms": None,
        "error_code": None,
        "error_message": None,
    }
    assert await rows_of(history) == [expected]
    await clock.advance(1)
    history.executing(CALL)
    expected |= {"status": "executing", "started_at": "2026-01-01T00:00:01.000Z"}
    assert await rows_of(history) == [expected]
    await clock.advance(1)
    history.finished(CALL, "success", took_ms=12.5)
    expected |= {
        "status": "success",
        "completed_at": "2026-01-01T00:00:02.000Z",
        "took_ms": 12.5,
    }
    assert await rows_of(history) == [expected]
    assert history.open_calls == ()


async def test_an_open_call_knows_its_tries(history: History) -> None:
    history.submitted(CALL, max_retries=3)
    history.executing(CALL)
    history.again(CALL)
    (record,) = history.open_calls
    assert (record.status, record.retry_attempt, record.max_retries) == ("pending", 1, 3)
    history.executing(CALL)
    history.again(CALL)
    assert history.open_calls[0].retry_attempt == 2


@pytest.mark.parametrize("status", ["error", "timeout", "cancelled"])
async def test_a_bad_end_has_its_code_its_message_and_how_long_it_took(
    history: History, clock: FakeClock, status: str
) -> None:
    history.submitted(CALL, max_retries=0)
    history.executing(CALL)
    await clock.advance(1.5)
    history.finished(CALL, status, code="SOME_CODE", message="why")  # pyright: ignore[reportArgumentType]  # one of the three
    (row,) = await rows_of(history)
    assert (row["status"], row["error_code"], row["error_message"]) == (status, "SOME_CODE", "why")
    assert row["took_ms"] == 1500


async def test_a_call_that_is_over_stays_as_it_ended(history: History) -> None:
    history.submitted(CALL, max_retries=0)
    history.finished(CALL, "success", took_ms=1)
    history.finished(CALL, "error", code="INTERNAL")
    assert [row["status"] for row in await rows_of(history)] == ["success"]


async def test_two_open_calls_cannot_share_an_id(history: History) -> None:
    history.submitted(CALL, max_retries=0)
    with pytest.raises(Conflict) as caught:
        history.submitted(CALL, max_retries=0)
    assert caught.value.code == "CALL_ID_TAKEN"
    history.finished(CALL, "success")
    history.submitted(CALL, max_retries=0)
    assert len(history.open_calls) == 1


async def test_text_no_column_can_hold_does_not_stop_the_record(history: History) -> None:
    odd = ToolCall("a\0b", "x\ud800y", scope="s" * 900, location="\x1b[2J")
    history.submitted(odd, max_retries=0)
    history.finished(odd, "error", code="SERVER_REFUSED", message="m\0" * 400)
    (row,) = await rows_of(history)
    assert (row["server"], row["tool"], row["location"]) == ("a\ufffdb", "x\ufffdy", "\ufffd[2J")
    assert (row["scope"], row["error_message"]) == ("s" * 500, "m\ufffd" * 250)


async def test_a_value_no_column_can_hold_costs_its_batch_only(history: History) -> None:
    history.submitted(ToolCall("s", "t", line=2**80), max_retries=0)
    assert await rows_of(history) == []
    history.submitted(CALL, max_retries=0)
    assert [row["id"] for row in await rows_of(history)] == [CALL.id]


async def test_the_newest_calls_come_first_and_no_more_than_asked_for(
    history: History, clock: FakeClock
) -> None:
    for name in ("one", "two", "three"):
        history.submitted(ToolCall("server", name), max_retries=0)
        await clock.advance(1)
    assert [row[2] for row in await history.recent(2)] == ["three", "two"]


class FailingDatabase(Database):
    """A real database that is full while `is_full` says so."""

    def __init__(self, real: Database) -> None:
        self.real = real
        self.is_full = True
        self.tries = 0

    async def rows(self, sql: str, *values: Value) -> list[Row]:
        return await self.real.rows(sql, *values)

    async def executemany(self, sql: str, rows: Iterable[Sequence[Value]]) -> int:
        self.tries += 1
        if self.is_full:
            raise Unavailable("STORAGE_FULL", "no space is left")
        return await self.real.executemany(sql, rows)


@pytest.fixture
async def failing(tmp_path: Path) -> AsyncGenerator[FailingDatabase]:
    async with open_database(tmp_path / "toolweave.db") as database:
        await migrate(database)
        yield FailingDatabase(database)


async def test_records_are_written_in_the_background(
    either_database: Database, clock: FakeClock
) -> None:
    history = History(either_database, clock)
    async with history.writing():
        history.submitted(CALL, max_retries=0)
        with anyio.fail_after(60):
            await clock.until_asleep(PAUSE_S)
            await clock.advance(PAUSE_S)
            await eventually(lambda: either_database.rows("SELECT id FROM calls"))
        history.finished(CALL, "success")
    # Leaving writes the rest.
    assert await either_database.rows("SELECT status FROM calls") == [("success",)]


async def test_a_full_disk_ends_nothing_and_what_waited_is_written_later(
    failing: FailingDatabase, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    history = History(failing, clock)
    async with history.writing():
        history.submitted(CALL, max_retries=0)
        with anyio.fail_after(60):
            await clock.until_asleep(PAUSE_S)
            await clock.advance(PAUSE_S)
            for _ in range(3):
                await clock.until_asleep(PAUSE_AFTER_FAILURE_S)
                await clock.advance(PAUSE_AFTER_FAILURE_S)
            assert failing.tries >= 3
            # Reading works meanwhile.
            assert await history.recent() == []
            history.finished(CALL, "success")
            failing.is_full = False
            await clock.until_asleep(PAUSE_AFTER_FAILURE_S)
            await clock.advance(PAUSE_AFTER_FAILURE_S)
            await eventually(lambda: failing.rows("SELECT status FROM calls"))
    assert await failing.rows("SELECT status FROM calls") == [("success",)]
    told = [record for record in caplog.records if record.getMessage() == "calls not recorded"]
    assert len(told) == 1  # not once a second


async def test_a_disk_that_stays_full_does_not_hinder_leaving(
    failing: FailingDatabase, clock: FakeClock
) -> None:
    history = History(failing, clock)
    async with history.writing():
        history.submitted(CALL, max_retries=0)
    assert failing.tries == 1
    with pytest.raises(Unavailable):
        await history.save()


async def test_what_waits_for_a_full_disk_is_bounded_and_the_newest_is_kept(
    failing: FailingDatabase, clock: FakeClock
) -> None:
    history = History(failing, clock)
    for number in range(MOST_UNSAVED + 10):
        call = ToolCall("server", f"tool {number}")
        history.submitted(call, max_retries=0)
        history.finished(call, "success")
    failing.is_full = False
    await history.save()
    rows = await failing.rows("SELECT tool FROM calls")
    assert len(rows) == MOST_UNSAVED
    assert {("tool 10",), (f"tool {MOST_UNSAVED + 9}",)} <= set(rows)
    assert ("tool 9",) not in rows


async def test_a_save_that_failed_never_overwrites_a_newer_state(
    failing: FailingDatabase, clock: FakeClock
) -> None:
    history = History(failing, clock)
    history.submitted(CALL, max_retries=0)
    with pytest.raises(Unavailable):
        await history.save()
    await clock.advance(timedelta(seconds=1).total_seconds())
    history.finished(CALL, "cancelled")
    failing.is_full = False
    await history.save()
    assert await failing.rows("SELECT status FROM calls") == [("cancelled",)]


async def test_calls_through_the_gate_are_recorded_on_either_database(
    tmp_path: Path, either_address: str
) -> None:
    scripted = ScriptedServer(tmp_path / "server")
    scripted.on_call("echo", [echoes()], [refuses(-32602, "nul \0 byte")])
    async with a_studio(tmp_path / "home", database=either_address) as studio:
        await pinned(studio, "server", scripted.definition)
        await studio.gate.call(ToolCall("server", "echo", {"text": "hi"}))
        with pytest.raises(Unavailable):
            await studio.gate.call(ToolCall("server", "echo", {"text": "hi"}))
        rows = await rows_of(studio.gate.history)
    assert [row["status"] for row in rows] == ["error", "success"]
    assert "nul \ufffd byte" in str(rows[0]["error_message"])
