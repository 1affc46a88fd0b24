"""Schedules on Temporal: two workers and no service start one run for each time."""

import json
import subprocess
import sys
from collections.abc import Callable, Collection, Generator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import anyio
import psycopg
import pytest
from temporalio.client import (
    Client,
    ScheduleActionStartWorkflow,
    ScheduleDescription,
    ScheduleHandle,
)
from temporalio.service import RPCError
from tests.cli.driving import Commands
from tests.engine.temporal_server import TemporalServer
from tests.servers.rooms import eventually
from tests.storage.postgres import Postgres
from tests.triggers.hosting import hosting, node, trigger, workflow

from toolweave.clock import timestamp
from toolweave.engine.backend import FireTrigger, TriggerSchedule
from toolweave.engine.temporal.schedules import calendar_of
from toolweave.triggers.fleet_schedules import FleetSchedules

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("postgres")]

ID = "schedules/nightly/trigger"


# A worker that leaves late times to the schedule, so that nothing else starts runs.
WORKER = """
from datetime import timedelta
from toolweave.cli.main import cli
from toolweave.triggers import fleet_schedules
fleet_schedules.LATE = timedelta(days=365)
cli(["worker"])
"""


@contextmanager
def worker(environ: dict[str, str]) -> Generator[subprocess.Popen[bytes]]:
    words = [sys.executable, "-c", WORKER]
    with subprocess.Popen(words, env=environ, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


class Fleet:
    """The commands, the database and Temporal of one installation."""

    def __init__(self, tw: Commands, settings: dict[str, str], handle: ScheduleHandle) -> None:
        self.tw, self.settings, self.handle = tw, settings, handle

    async def save(self, **config: object) -> None:
        cron = trigger("CRON", "trigger", **config)
        path = self.tw.project / "nightly.json"
        path.write_text(json.dumps(workflow("Nightly", cron, node("end"))))
        await self.ok("workflows", "save", str(path), "--force")

    async def ok(self, *words: str) -> None:
        await anyio.to_thread.run_sync(partial(self.tw.ok, *words, **self.settings))

    async def described(self) -> ScheduleDescription | None:
        try:
            return await self.handle.describe()
        except RPCError:
            return None

    async def until(self, is_so: Callable[[ScheduleDescription | None], bool]) -> None:
        async def found() -> bool:
            return is_so(await self.described())

        await eventually(found)

    def times(self) -> list[str]:
        """The times for which runs were started."""
        with psycopg.connect(self.settings["TOOLWEAVE_DATABASE"]) as connection:
            rows = connection.execute(
                "SELECT body FROM journal WHERE kind = 'started' ORDER BY at"
            ).fetchall()
        return [json.loads(body)["inputs"]["scheduled_time"] for (body,) in rows]

    def miss(self, since: timedelta) -> None:
        """As after an outage: the position of the trigger is in the past."""
        with psycopg.connect(self.settings["TOOLWEAVE_DATABASE"]) as connection:
            seen = timestamp(datetime.now(UTC) - since)
            connection.execute("UPDATE active_triggers SET seen = %s", (seen,))


async def test_two_workers_start_one_run_for_each_time_and_follow_the_switches(
    postgres: Postgres, temporal: TemporalServer, tmp_path: Path
) -> None:
    tw = Commands(tmp_path, tmp_path)
    settings = {
        "TOOLWEAVE_DATABASE": postgres.new_database(),
        "TOOLWEAVE_BACKEND": temporal.address(lease_s=2, queue="schedules"),
    }
    client = await Client.connect(temporal.target)
    fleet = Fleet(tw, settings, client.get_schedule_handle(ID))
    # Far from now by every clock: only what is missed is due.
    far = (datetime.now(UTC) + timedelta(hours=6)).hour
    await fleet.save(cron_expression=f"*/10 {far} * * *", timezone="UTC", max_missed_runs=2)
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(worker(tw.environ | settings))
        await fleet.ok("triggers", "enable", "Nightly")
        await fleet.until(lambda found: found is not None)
        found = await fleet.described()
        assert found is not None
        assert found.schedule.spec.time_zone_name == "UTC"
        assert isinstance(found.schedule.action, ScheduleActionStartWorkflow)
        # The control: until the schedule fires, nothing starts what was missed.
        fleet.miss(timedelta(days=2))
        await eventually(lambda: _has_ended(client))
        assert fleet.times() == []

        # An outage of two days: the last two of its twelve times are caught up, once each,
        # however often the schedule fires.
        for _ in range(3):
            await fleet.handle.trigger()
        await eventually(lambda: len(fleet.times()) >= 2)
        await fleet.handle.trigger()
        await eventually(lambda: _has_ended(client))
        assert len(fleet.times()) == len(set(fleet.times())) == 2
        assert [text[14:16] for text in sorted(fleet.times())] == ["40", "50"]

        await fleet.ok("triggers", "pause", "Nightly")
        await fleet.until(lambda found: found is not None and found.schedule.state.paused)
        await fleet.ok("triggers", "resume", "Nightly")
        await fleet.until(lambda found: found is not None and not found.schedule.state.paused)

        await fleet.save(cron_expression="0 3 * * 1", timezone="Europe/Berlin")
        await fleet.ok("triggers", "enable", "Nightly")
        await fleet.until(
            lambda found: (
                found is not None and found.schedule.spec.time_zone_name == "Europe/Berlin"
            )
        )
        # Somebody removes it in Temporal: a worker creates it again.
        await fleet.handle.delete()
        await fleet.until(lambda found: found is not None)

        await fleet.ok("triggers", "disable", "Nightly")
        await fleet.until(lambda found: found is None)
        assert len(fleet.times()) == 2


async def _has_ended(client: Client) -> bool:
    query = "WorkflowType = 'toolweave-schedule' AND ExecutionStatus = 'Running'"
    return [found async for found in client.list_workflows(query)] == []


class RecordedSchedules:
    """A backend that is told which schedules are wanted, and never fires one."""

    def __init__(self) -> None:
        self.on_due: FireTrigger | None = None
        self.check_every_s = 10.0
        self.wanted: Collection[TriggerSchedule] = ()

    async def apply(self, wanted: Collection[TriggerSchedule]) -> None:
        self.wanted = wanted


async def test_a_time_that_the_backend_leaves_out_is_started_once_by_the_workers(
    tmp_path: Path,
) -> None:
    async with hosting(tmp_path) as host:
        cron = trigger("CRON", cron_expression="*/5 * * * *", timezone="Europe/Berlin")
        await host.enable("Nightly", cron, node("end"))
        recorded = RecordedSchedules()
        fleet = FleetSchedules(host.engine, host.triggers.poller, recorded)
        await fleet.check()
        schedule = TriggerSchedule("nightly/when", "*/5 * * * *", "Europe/Berlin", is_paused=False)
        assert list(recorded.wanted) == [schedule]
        host.clock.jump(timedelta(minutes=5, seconds=10))
        await fleet.check()
        assert await host.engine.newest() == []  # the backend still has time
        host.clock.jump(timedelta(seconds=20))
        await fleet.check()
        assert len(await host.engine.newest()) == 1
        # By a clock that is behind: the time of the schedule counts.
        due_at = host.clock.now() + timedelta(minutes=5)
        await fleet.fire("nightly/when", due_at)
        await fleet.fire("nightly/when", due_at)
        assert len(await host.engine.newest()) == 2


@pytest.mark.parametrize(
    ("expression", "minutes", "days", "weekdays"),
    [
        ("0 9 * * 1-5", [0], 31, [1, 2, 3, 4, 5]),
        ("*/15 * 1 * *", [0, 15, 30, 45], 1, [0, 1, 2, 3, 4, 5, 6]),
        ("0 0 * * 7", [0], 31, [0]),
        # Temporal cannot say these: it fires every day, and the trigger decides.
        ("0 0 13 * 5", [0], 31, [0, 1, 2, 3, 4, 5, 6]),
        ("0 0 L * *", [0], 31, [0, 1, 2, 3, 4, 5, 6]),
        ("0 0 * * 1#1", [0], 31, [0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_a_calendar_has_every_time_of_its_expression(
    expression: str, minutes: list[int], days: int, weekdays: list[int]
) -> None:
    found = calendar_of(TriggerSchedule("a/b", expression, "UTC", is_paused=False))
    assert [one.start for one in found.minute] == minutes
    assert len(found.day_of_month) == days
    assert [one.start for one in found.day_of_week] == weekdays
