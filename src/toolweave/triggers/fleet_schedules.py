"""TRIGGER.CRON where the run backend keeps schedules: fired on any worker, once for each time.

Every process keeps the schedules of the backend equal to the enabled triggers. Which times are due
is decided here, from the position of the trigger, so that an outage is caught up as everywhere.
"""

import logging
import random
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

import anyio

from toolweave.engine.backend import TriggerSchedule, TriggerSchedules
from toolweave.engine.engine import Engine
from toolweave.errors import ToolweaveError
from toolweave.home import Home
from toolweave.nodes.trigger.schedule import next_time
from toolweave.tasks import background, keep_going
from toolweave.triggers.activation import TriggerActivation
from toolweave.triggers.active_triggers import ActiveTriggers, ActiveTriggerSettings
from toolweave.triggers.polling import PollingTrigger
from toolweave.triggers.recent_events import TriggerEvents
from toolweave.triggers.schedules import REF, Schedules, schedule_of

logger = logging.getLogger(__name__)

# How often a process looks whether a trigger was switched.
LOOK_EVERY_S = 2.0
# A time that the backend did not fire for this long is started without it.
LATE = timedelta(seconds=20)


class FleetSchedules:
    """The cron triggers of one process, and the schedules of its backend."""

    def __init__(self, engine: Engine, poller: PollingTrigger, backend: TriggerSchedules) -> None:
        self._engine = engine
        self._poller = poller
        self._schedules = Schedules(poller)
        self._backend = backend
        self._applied: frozenset[TriggerSchedule] | None = None
        self._checked_at = 0.0
        # When a trigger is due next, by its activation and position.
        self._next: dict[str, tuple[tuple[str, str | None], datetime | None]] = {}
        backend.on_due = self.fire

    async def keep(self) -> None:
        """Keep the schedules as they should be until cancelled."""
        while True:
            try:
                await self.check()
            except ToolweaveError as error:
                logger.warning("cannot keep the schedules: %s", error.message)
            await anyio.sleep(LOOK_EVERY_S)

    async def check(self) -> None:
        """Compare once, and start what the backend left out."""
        await self._poller.active.refresh()
        await self._apply()
        await self._start_late()

    async def fire(self, trigger: str, due_at: datetime | None) -> None:
        """Start what is due of a trigger; nothing if it was switched off meanwhile."""
        await self._poller.active.refresh()
        now = self._poller.clock.now()
        for active in self._poller.active.of(REF):
            if _id(active) == trigger:
                # The clock of this machine may be behind the one of the backend.
                await self._schedules.start_due(active, max(now, due_at) if due_at else now)

    async def _apply(self) -> None:
        # By the database alone: the home of one worker may lack the file of a workflow.
        wanted = frozenset(
            schedule
            for active in self._poller.active.enabled
            if active.row.ref == REF and (schedule := _schedule(active)) is not None
        )
        now = anyio.current_time()
        if wanted == self._applied:
            if now - self._checked_at < self._backend.check_every_s:
                return
            self._checked_at = now
            # All processes together compare as often as one alone.
            if random.randrange(1 + len(await self._engine.backend.workers())):
                return
        await self._backend.apply(wanted)
        self._applied, self._checked_at = wanted, now

    async def _start_late(self) -> None:
        """Start times that the backend left out: it was away, or its calendar differs."""
        now = self._poller.clock.now()
        for active in self._poller.active.of(REF):
            due_at = self._due_at(active)
            if due_at is not None and due_at + LATE < now:
                await self._schedules.start_due(active, now)

    def _due_at(self, active: ActiveTriggerSettings) -> datetime | None:
        state = (active.enabled_at, active.row.seen)
        key = _id(active)
        known = self._next.get(key)
        if known is None or known[0] != state:
            after = datetime.fromisoformat(active.row.seen or active.enabled_at)
            known = self._next[key] = (state, next_time(schedule_of(active.config), after))
        return known[1]


@asynccontextmanager
async def open_fleet_schedules(home: Home, engine: Engine) -> AsyncGenerator[None]:
    """Keep the schedules of a worker's backend, if it has any."""
    if (backend := engine.backend.schedules) is None:
        yield
        return
    switches = TriggerActivation(home)
    active = ActiveTriggers(switches.activations, switches.kinds, switches.present)
    events = TriggerEvents(home.database, home.clock)
    poller = PollingTrigger(active, switches.activations, engine.runs, home.clock, events)
    schedules = FleetSchedules(engine, poller, backend)
    async with events.writing(), background() as tasks:
        tasks.start_soon(keep_going, schedules.keep)
        yield


def _id(active: ActiveTriggerSettings) -> str:
    return f"{active.row.workflow}/{active.row.node}"


def _schedule(active: ActiveTriggerSettings) -> TriggerSchedule | None:
    try:
        found = schedule_of(active.config)
    except ToolweaveError:
        return None  # shown with the trigger when it is polled
    return TriggerSchedule(_id(active), found.expression, str(found.zone), active.is_paused)
