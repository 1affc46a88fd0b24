"""The recent events of each trigger, for display: when, the outcome, which run.

Written in the background: a crash loses an entry of this list, never a run.
"""

import logging
from collections import defaultdict, deque
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal, get_args

import anyio

from toolweave.clock import Clock, timestamp
from toolweave.errors import ToolweaveError
from toolweave.storage.database import Database
from toolweave.tasks import background, keep_going

logger = logging.getLogger(__name__)

Outcome = Literal["started", "ignored", "refused", "paused"]
OUTCOMES = frozenset(get_args(Outcome))

# Kept per trigger, however many deliveries arrive.
KEPT = 20
MAX_REASON = 300
PAUSE_S = 0.2
PAUSE_AFTER_FAILURE_S = 5.0

_SAVE = (
    "INSERT INTO trigger_firings (workflow, node, at, outcome, run, reason) "
    "VALUES (?, ?, ?, ?, ?, ?)"
)
_FORGET = (
    "DELETE FROM trigger_firings WHERE workflow = ? AND node = ? AND id < "
    "(SELECT min(id) FROM (SELECT id FROM trigger_firings WHERE workflow = ? AND node = ? "
    "ORDER BY id DESC LIMIT ?) AS newest)"
)
_RECENT = (
    "SELECT f.workflow, f.node, f.at, f.outcome, f.run, f.reason, r.status "
    "FROM trigger_firings AS f LEFT JOIN runs AS r ON r.id = f.run ORDER BY f.id DESC"
)


@dataclass(frozen=True, slots=True)
class TriggerEvent:
    """One event; `status` is that of its run, if it is still stored."""

    at: str
    outcome: Outcome
    run: str | None = None
    reason: str | None = None
    status: str | None = None


class TriggerEvents:
    """The table of one database; a background task writes it."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._unsaved: defaultdict[tuple[str, str], deque[TriggerEvent]] = defaultdict(_newest)
        self._wake = anyio.Event()

    def note(
        self,
        workflow: str,
        node: str,
        outcome: Outcome,
        *,
        run: str | None = None,
        reason: str | None = None,
    ) -> None:
        """Record an event; it is written a moment later."""
        at = timestamp(self._clock.now())
        told = reason[:MAX_REASON] if reason else None
        self._unsaved[workflow, node].append(TriggerEvent(at, outcome, run, told))
        self._wake.set()

    async def recent(self) -> Mapping[tuple[str, str], list[TriggerEvent]]:
        """Return the stored events by workflow and node, newest first."""
        found: defaultdict[tuple[str, str], list[TriggerEvent]] = defaultdict(list)
        for workflow, node, at, outcome, run, reason, status in await self._database.rows(_RECENT):
            known = outcome if outcome in OUTCOMES else "ignored"  # of a damaged row
            found[workflow, node].append(TriggerEvent(at, known, run, reason, status))
        return found

    async def save(self) -> None:
        """Write pending events; after a failure they stay pending."""
        batch, self._unsaved = self._unsaved, defaultdict(_newest)
        if not batch:
            return
        try:
            async with self._database.transaction() as change:
                for (workflow, node), events in batch.items():
                    for one in events:
                        values = (workflow, node, one.at, one.outcome, one.run, one.reason)
                        await change.execute(_SAVE, *values)
                    await change.execute(_FORGET, workflow, node, workflow, node, KEPT)
        except BaseException:
            for key, events in self._unsaved.items():
                batch[key].extend(events)
            self._unsaved = batch
            raise

    @asynccontextmanager
    async def writing(self) -> AsyncGenerator[None]:
        """Write in the background while this is entered, and once more at the end."""
        try:
            async with background() as tasks:
                tasks.start_soon(keep_going, self._write_forever)
                yield
        finally:
            await self._try_to_save()

    async def _write_forever(self) -> None:
        while True:
            await self._wake.wait()
            await self._clock.sleep(PAUSE_S)
            self._wake = anyio.Event()
            if not await self._try_to_save():
                await self._clock.sleep(PAUSE_AFTER_FAILURE_S)
                self._wake.set()

    async def _try_to_save(self) -> bool:
        try:
            with anyio.CancelScope(shield=True):
                await self.save()
        except ToolweaveError:
            logger.warning("trigger events could not be recorded", exc_info=True)
            return False
        return True


def _newest() -> deque[TriggerEvent]:
    return deque(maxlen=KEPT)
