"""TRIGGER.CRON: exactly one run per due time, across workers and clock changes."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from toolweave.catalog.node import NodeInput
from toolweave.clock import timestamp
from toolweave.json_text import JsonObject
from toolweave.nodes.trigger.schedule import Schedule, due_times, next_time, read_settings
from toolweave.triggers.active_triggers import ActiveTriggerSettings
from toolweave.triggers.polling import LOOK_EVERY_S, PollingTrigger

REF = "TRIGGER.CRON"
# A position ahead of now by more than this means that the clock was set back; that much is
# then scanned again.
SET_BACK = timedelta(seconds=5)
LOOK_BACK = timedelta(days=1)


def schedule_of(config: JsonObject) -> Schedule:
    """Return the schedule of a node's settings. Raises `CRON_INVALID`, `TIMEZONE_UNKNOWN`."""
    return read_settings(NodeInput(config))


@dataclass(frozen=True, slots=True)
class _Next:
    looked_at: datetime
    enabled_at: str
    seen: str | None
    due_at: datetime | None


class Schedules:
    """Polls schedules; between two times a poll costs next to nothing."""

    def __init__(self, poller: PollingTrigger) -> None:
        self._poller = poller
        self._next: dict[str, _Next] = {}

    async def poll(self, active: ActiveTriggerSettings) -> float:
        """Start what is due; return the seconds until the next time."""
        now, key = self._poller.clock.now(), active.once_key("")
        known = self._next.get(key)
        if known is None or not _still_holds(known, active, now):
            seen = await self.start_due(active, now)
            following = next_time(schedule_of(active.config), now)
            self._next[key] = known = _Next(now, active.enabled_at, seen, following)
        if known.due_at is None:
            return LOOK_EVERY_S
        return (known.due_at - now).total_seconds()

    async def start_due(self, active: ActiveTriggerSettings, now: datetime) -> str:
        """Start a run for each due time; return the new position."""
        row, poller = active.row, self._poller
        schedule = schedule_of(active.config)
        seen = datetime.fromisoformat(row.seen) if row.seen else now
        after = _looked_back(active, now) if seen - now > SET_BACK else seen
        due = due_times(schedule, after, now)
        for moment in due:
            inputs: JsonObject = {
                "trigger_time": timestamp(now),
                "scheduled_time": timestamp(moment),
                "timezone": str(schedule.zone),
            }
            await poller.fire(active, timestamp(moment), inputs)
        last = timestamp(due[-1] if due else after)
        if last != row.seen or row.failure:
            await poller.activations.polled(row.workflow, row.node, last, has_fired=bool(due))
        return last


def _still_holds(known: _Next, active: ActiveTriggerSettings, now: datetime) -> bool:
    """Whether nothing is due, nothing was changed, and the clock was not set back."""
    is_same = (known.seen, known.enabled_at) == (active.row.seen, active.enabled_at)
    is_ahead = known.due_at is None or now < known.due_at
    return is_same and known.looked_at <= now and is_ahead and not active.row.failure


def _looked_back(active: ActiveTriggerSettings, now: datetime) -> datetime:
    """Return where to start after the clock was set back; event keys prevent repeated runs."""
    enabled_at = datetime.fromisoformat(active.enabled_at)
    return min(max(enabled_at, now - LOOK_BACK), now)
