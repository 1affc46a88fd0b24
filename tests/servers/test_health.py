"""Health as data: the last pings of each server, kept on both databases."""

from datetime import UTC, datetime, timedelta

import pytest

from toolweave.servers.definition import ServerId
from toolweave.servers.health import KEPT_PINGS, Health, Pings, RetryState
from toolweave.storage.database import Database

pytestmark = pytest.mark.anyio

ONE, OTHER = ServerId("one"), ServerId("other")
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def test_a_server_begins_disconnected_with_nothing_known() -> None:
    assert Health() == Health(
        state="disconnected",
        last_ping_at=None,
        latency_ms=None,
        consecutive_failures=0,
        retry=RetryState(is_retrying=False, attempt=0, next_retry_at=None),
        auto_disabled_at=None,
    )


async def test_the_last_ping_of_a_server_is_its_own(either_database: Database) -> None:
    pings = Pings(either_database)
    good = Health(state="connected", latency_ms=12.5, tool_count=3)
    bad = Health(state="error", reason="it broke")
    await pings.save(ONE, NOON, good)
    await pings.save(OTHER, NOON, bad)
    assert await pings.last(ONE) == Health(
        state="connected", last_ping_at=NOON, latency_ms=12.5, tool_count=3
    )
    assert await pings.last(OTHER) == Health(state="error", reason="it broke")
    assert await pings.last(ServerId("nobody")) == Health()


async def test_a_reason_no_column_can_hold_is_kept_without_that_part(
    either_database: Database,
) -> None:
    pings = Pings(either_database)
    await pings.save(ONE, NOON, Health(state="error", reason="a\0b"))
    assert (await pings.last(ONE)).reason == "a\ufffdb"


async def test_only_the_newest_thousand_are_kept(either_database: Database) -> None:
    pings = Pings(either_database)
    await either_database.executemany(
        "INSERT INTO health (server_id, at, ok) VALUES (?, ?, ?)",
        [(ONE, f"2026-01-01T00:00:{n / 1000:06.3f}Z", 1) for n in range(KEPT_PINGS + 5)],
    )
    await pings.save(OTHER, NOON, Health(state="connected"))
    await pings.save(ONE, NOON + timedelta(seconds=1), Health(state="connected", tool_count=9))
    rows = await either_database.rows("SELECT at FROM health WHERE server_id = ?", ONE)
    assert len(rows) == KEPT_PINGS
    assert (await pings.last(ONE)).tool_count == 9
    assert (await pings.last(OTHER)).last_ping_at == NOON
