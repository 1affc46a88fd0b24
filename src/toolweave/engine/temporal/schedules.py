"""Schedules of Temporal: one for each enabled cron trigger, which start the workflow below.

A schedule only says when to look; which times are due is decided by the trigger (`triggers`), so a
calendar may fire too often. Times that it leaves out, as in a gap of the local time, are found by
the workers.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta

from cronsim import CronSim
from temporalio import workflow
from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleCalendarSpec,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleRange,
    ScheduleSpec,
    ScheduleState,
    ScheduleUpdate,
    ScheduleUpdateInput,
)
from temporalio.common import RetryPolicy, SearchAttributeKey
from temporalio.service import RPCError, RPCStatusCode

from toolweave.engine.backend import FireTrigger, TriggerSchedule
from toolweave.engine.temporal.address import TemporalAddress
from toolweave.engine.temporal.connection import RPC_TIMEOUT, reported

NAME = "toolweave-schedule"
FIRE = "toolweave-fire"

# After an outage of Temporal one start is enough: the trigger knows what it missed.
_CATCH_UP = timedelta(minutes=1)
_TIMEOUT = timedelta(minutes=5)
_AGAIN = RetryPolicy(maximum_attempts=0, maximum_interval=timedelta(seconds=30))
_SCHEDULED_AT = SearchAttributeKey.for_datetime("TemporalScheduledStartTime")


@workflow.defn(name=NAME)
class ScheduleWorkflow:
    """Lets a worker start the runs of a trigger that is due."""

    @workflow.run
    async def run(self, trigger: str) -> None:
        """Start them; the time of the schedule counts, not the one at which a worker is free."""
        due_at = workflow.info().typed_search_attributes.get(_SCHEDULED_AT)
        await workflow.execute_activity(
            FIRE,
            args=[trigger, due_at.isoformat() if due_at else None],
            start_to_close_timeout=_TIMEOUT,
            retry_policy=_AGAIN,
        )


class TemporalSchedules:
    """The schedules of one installation; each request may raise `BACKEND_UNAVAILABLE`."""

    def __init__(self, client: Client, address: TemporalAddress) -> None:
        self.on_due: FireTrigger | None = None
        # How often to compare them with the enabled triggers.
        self.check_every_s = address.lease_s
        self._client = client
        self._address = address

    async def apply(self, wanted: Collection[TriggerSchedule]) -> None:
        """Create, change and remove schedules until they are as wanted."""
        by_id = {self._id(one.id): one for one in wanted}
        with reported(self._address):
            found = await self._found()
            for id_, one in by_id.items():
                if id_ not in found:
                    await self._create(id_, one)
                elif found[id_] != (_note(one), one.is_paused):
                    await self._update(id_, one)
            for id_ in found.keys() - by_id.keys():
                await self._delete(id_)

    async def fire(self, trigger: str, due_at: str | None) -> None:
        """Start the runs of a trigger that is due."""
        if self.on_due is None:
            raise RuntimeError("this process starts no runs of triggers")  # another one is tried
        await self.on_due(trigger, None if due_at is None else datetime.fromisoformat(due_at))

    def _id(self, trigger: str) -> str:
        return f"{self._address.queue_prefix}/{trigger}"

    async def _found(self) -> Mapping[str, tuple[str | None, bool]]:
        """The schedules of this installation: what their notes say, and whether they pause."""
        prefix = self._id("")
        entries = await self._client.list_schedules(rpc_timeout=RPC_TIMEOUT)
        return {
            entry.id: (entry.schedule.state.note, entry.schedule.state.paused)
            async for entry in entries
            if entry.id.startswith(prefix) and entry.schedule is not None
        }

    async def _create(self, id_: str, wanted: TriggerSchedule) -> None:
        try:
            schedule = self._schedule(id_, wanted)
            await self._client.create_schedule(id_, schedule, rpc_timeout=RPC_TIMEOUT)
        except ScheduleAlreadyRunningError:
            # Of another process, or older than the list shows.
            await self._update(id_, wanted)

    async def _update(self, id_: str, wanted: TriggerSchedule) -> None:
        schedule = self._schedule(id_, wanted)

        def changed(_: ScheduleUpdateInput) -> ScheduleUpdate:
            return ScheduleUpdate(schedule)

        handle = self._client.get_schedule_handle(id_)
        await handle.update(changed, rpc_timeout=RPC_TIMEOUT)

    async def _delete(self, id_: str) -> None:
        try:
            await self._client.get_schedule_handle(id_).delete(rpc_timeout=RPC_TIMEOUT)
        except RPCError as error:
            if error.status != RPCStatusCode.NOT_FOUND:
                raise

    def _schedule(self, id_: str, wanted: TriggerSchedule) -> Schedule:
        return Schedule(
            ScheduleActionStartWorkflow(
                NAME,
                wanted.id,
                id=id_,
                task_queue=self._address.task_queue(),
                static_summary=wanted.id,
            ),
            ScheduleSpec(calendars=[calendar_of(wanted)], time_zone_name=wanted.timezone),
            # While no worker is there, one start waits and not one for each time.
            policy=SchedulePolicy(ScheduleOverlapPolicy.BUFFER_ONE, _CATCH_UP),
            state=ScheduleState(note=_note(wanted), paused=wanted.is_paused),
        )


def _note(wanted: TriggerSchedule) -> str:
    """What is shown in Temporal, and compared."""
    return f"{wanted.expression} {wanted.timezone}"


def calendar_of(wanted: TriggerSchedule) -> ScheduleCalendarSpec:
    """Return every time of an expression, and more where Temporal cannot say it."""
    cron = CronSim(wanted.expression, datetime(2026, 1, 1))  # noqa: DTZ001  # only to parse it
    days, weekdays = _plain(cron.days), _plain(cron.weekdays)
    every_day, every_weekday = days == set(range(1, 32)), weekdays >= set(range(7))
    # With both, either of them is enough in cron, and Temporal wants both.
    is_either = not every_day and not every_weekday
    return ScheduleCalendarSpec(
        minute=_ranges(cron.minutes),
        hour=_ranges(cron.hours),
        month=_ranges(cron.months),
        day_of_month=_ranges(days if days and not is_either else range(1, 32)),
        day_of_week=_ranges(
            {day % 7 for day in weekdays} if weekdays and not is_either else range(7)
        ),
    )


def _plain(values: Collection[object]) -> set[int]:
    """The numbers of a field; none if there is more in it, such as the last day of a month."""
    numbers = {value for value in values if isinstance(value, int) and value >= 0}
    return numbers if len(numbers) == len(values) else set()


def _ranges(values: Collection[int]) -> Sequence[ScheduleRange]:
    return [ScheduleRange(value) for value in sorted(values)]
