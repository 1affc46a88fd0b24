"""Heartbeats of the processes that drive the runs of a database.

A command checks them before it does the work of a service. On the same machine the system knows
whether a process is alive; for another machine only the age of its last heartbeat is known.
"""

import logging
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta

import anyio

from toolweave.clock import Clock, timestamp
from toolweave.engine.compatibility import VERSION
from toolweave.engine.lease_owner import is_gone, is_on_this_machine
from toolweave.errors import ToolweaveError
from toolweave.settings import DEFAULT_QUEUE
from toolweave.storage.database import Database
from toolweave.tasks import background, keep_going

logger = logging.getLogger(__name__)

# The interval of heartbeats, and the age at which a process counts as dead.
BEAT_S = 60.0
SILENT_S = 150.0
LEAVE_S = 2.0

_HERE = (
    "INSERT INTO keepers (holder, seen_at, version, queues) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (holder) DO UPDATE SET seen_at = excluded.seen_at"
)


class Heartbeats:
    """The processes that drive runs, as seen by one of them or by a command."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        holder: str,
        version: int = VERSION,
        *,
        queues: Collection[str] = (DEFAULT_QUEUE,),
    ) -> None:
        self._version = version
        self._queues = ",".join(sorted(queues))
        self._database = database
        self._clock = clock
        self._holder = holder

    @asynccontextmanager
    async def here(self) -> AsyncGenerator[None]:
        """Send heartbeats while this is entered."""
        async with background() as tasks:
            tasks.start_soon(keep_going, self._beat)
            try:
                yield
            finally:
                with (
                    anyio.CancelScope(shield=True),
                    anyio.move_on_after(LEAVE_S, shield=True),
                    suppress(ToolweaveError),
                ):
                    await self._database.execute(
                        "DELETE FROM keepers WHERE holder = ?", self._holder
                    )

    async def others(self) -> list[str]:
        """Return the other processes that drive runs now."""
        rows = await self._database.rows(
            "SELECT holder, seen_at FROM keepers WHERE holder <> ?", self._holder
        )
        now = self._clock.now()
        return [holder for holder, seen_at in rows if _is_alive(holder, seen_at, now)]

    async def versions(self) -> dict[str, int]:
        """Return the engine version of every process that drives runs now."""
        rows = await self._database.rows("SELECT holder, seen_at, version FROM keepers")
        now = self._clock.now()
        return {holder: version for holder, at, version in rows if _is_alive(holder, at, now)}

    async def _beat(self) -> None:
        while True:
            try:
                now = self._clock.now()
                here = (self._holder, timestamp(now), self._version, self._queues)
                await self._database.execute(_HERE, *here)
                # Processes that died without signing off.
                silent = timestamp(now - timedelta(seconds=2 * SILENT_S))
                await self._database.execute("DELETE FROM keepers WHERE seen_at < ?", silent)
            except ToolweaveError as error:
                logger.warning(
                    "cannot write the heartbeat of this process", extra={"code": error.code}
                )
            await anyio.sleep(BEAT_S)


async def served_queues(database: Database, clock: Clock) -> set[str]:
    """Return the queues whose steps a process executes now."""
    rows = await database.rows("SELECT holder, seen_at, queues FROM keepers")
    now = clock.now()
    alive = [queues for holder, seen_at, queues in rows if _is_alive(holder, seen_at, now)]
    return {queue for queues in alive for queue in str(queues).split(",")}


def _is_alive(holder: str, seen_at: str, now: datetime) -> bool:
    if is_on_this_machine(holder):
        return not is_gone(holder)
    # Neither an old heartbeat counts nor one of the future: one of the clocks was changed.
    age = now - datetime.fromisoformat(seen_at)
    return abs(age.total_seconds()) < SILENT_S
