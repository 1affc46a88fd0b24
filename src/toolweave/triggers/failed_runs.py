"""TRIGGER.WORKFLOW_FAILED: one run for each failed run."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from toolweave.clock import timestamp
from toolweave.engine.events import Event, Finished
from toolweave.engine.journal import Journal
from toolweave.errors import NotFound
from toolweave.json_text import JsonObject
from toolweave.storage.database import Database, Row
from toolweave.triggers.active_triggers import ActiveTriggerSettings
from toolweave.triggers.polling import LOOK_EVERY_S, PollingTrigger

REF = "TRIGGER.WORKFLOW_FAILED"
MOST_AT_ONCE = 200
# A run's end has a time shortly before its write, and clocks of machines differ.
OVERLAP = timedelta(seconds=5)
MOST_REMEMBERED = 10_000

_ENDED = (
    "SELECT id, workflow, status, started_at, finished_at, trigger_kind, error FROM runs "
    "WHERE finished_at >= ? AND status IN ('failed', 'partial', 'cancelled') "
    "ORDER BY finished_at, id LIMIT ?"
)

# Returns the inputs of the run to start; None if the failed one does not count.
Accepts = Callable[[ActiveTriggerSettings, JsonObject], JsonObject | None]


class Failures:
    """Polls the runs that ended since the last poll."""

    def __init__(
        self, poller: PollingTrigger, database: Database, journal: Journal, accepts: Accepts
    ) -> None:
        self._poller = poller
        self._database = database
        self._journal = journal
        self._accepts = accepts
        # Runs already seen within the overlap; after a restart run keys prevent repeats.
        self._done: dict[str, None] = {}

    async def poll(self, active: ActiveTriggerSettings) -> float:
        """Start a run for every failure that counts."""
        row, activations = active.row, self._poller.activations
        since = datetime.fromisoformat(row.seen) if row.seen else self._poller.clock.now()
        ended = await self._database.rows(_ENDED, timestamp(since - OVERLAP), MOST_AT_ONCE)
        enabled_at = datetime.fromisoformat(active.enabled_at)
        has_fired, last = False, since
        for run in ended:
            finished = datetime.fromisoformat(run[4])
            key = active.once_key(str(run[0]))
            if key in self._done or finished < enabled_at:
                continue
            last = max(last, finished)
            inputs = self._accepts(active, await self._told(run))
            if inputs is not None:
                await self._poller.fire(active, str(run[0]), inputs)
                has_fired = True
            self._remember(key)
        if last != since or row.seen is None or row.failure:
            await activations.polled(row.workflow, row.node, timestamp(last), has_fired=has_fired)
        return 0.0 if len(ended) == MOST_AT_ONCE and last != since else LOOK_EVERY_S

    def _remember(self, key: str) -> None:
        self._done[key] = None
        while len(self._done) > MOST_REMEMBERED:
            del self._done[next(iter(self._done))]

    async def _told(self, run: Row) -> JsonObject:
        identity, workflow, status, started_at, finished_at, trigger, message = run
        last: Event | None = None
        with suppress(NotFound):  # removed meanwhile
            last = (await self._journal.last(identity)).event
        error = last.error if isinstance(last, Finished) else None
        return {
            "workflow": workflow,
            "failed_run_id": identity,
            "status": status,
            "error": error or {"message": message or ""},
            "started_at": started_at,
            "finished_at": finished_at,
            "trigger": trigger,
        }
