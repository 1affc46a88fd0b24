"""Schedules that start runs: once per time, whatever happens to clock and process."""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest
from tests.storage.postgres import Postgres
from tests.triggers.hosting import Host, hosting, node, trigger

from toolweave.errors import Conflict, Invalid, NotFound
from toolweave.testing.clock import FakeClock
from toolweave.triggers import schedules

pytestmark = pytest.mark.anyio

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.fixture
async def host(tmp_path: Path) -> AsyncGenerator[Host]:
    async with hosting(tmp_path / "home", clock=FakeClock(NOON)) as opened:
        yield opened


async def look(host: Host) -> float:
    """One look of all schedules."""
    return await host.triggers.poller.once(schedules.REF, host.triggers.schedules.poll)


async def due(host: Host) -> list[str]:
    return sorted(str(one["scheduled_time"]) for one in await host.inputs())


@pytest.mark.exercises("TRIGGER.CRON.cron_expression")
async def test_a_schedule_starts_one_run_at_each_time(host: Host) -> None:
    every = trigger("CRON", cron_expression="*/10 * * * *", timezone="Europe/Berlin")
    await host.enable("Ten", every, node("end"))
    for _ in range(61):
        await host.clock.advance(30)
        await look(host)
    assert await due(host) == [f"2026-05-04T12:{minute}:00.000Z" for minute in (10, 20, 30)]
    run = (await host.runs())[0]
    assert run.trigger == "cron"
    assert await host.engine.advance(run.id) == "success"


@pytest.mark.exercises("TRIGGER.CRON.timezone")
async def test_the_value_of_a_schedule_tells_when_it_was_due(host: Host) -> None:
    every = trigger("CRON", cron_expression="30 12 * * *", timezone="UTC")
    await host.enable("Half", every, node("end"))
    await host.clock.advance(30 * 60 + 2)
    await look(host)
    run = (await host.runs())[0]
    await host.engine.advance(run.id)
    outcomes = {key: one.value for key, one in (await host.engine.state(run.id)).outcomes()}
    assert outcomes["when"] == {
        "trigger_time": "2026-05-04T12:30:02.000Z",
        "scheduled_time": "2026-05-04T12:30:00.000Z",
        "execution_id": run.id,
        "timezone": "UTC",
        "trigger_message": "Scheduled for 2026-05-04T12:30:00.000Z",
    }


async def test_two_processes_start_one_run_for_each_time(host: Host, tmp_path: Path) -> None:
    await host.enable("Ten", trigger("CRON", cron_expression="*/10 * * * *"), node("end"))
    async with hosting(tmp_path / "home", clock=host.clock) as other:
        for _ in range(7):
            await host.clock.advance(300)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(look, host)
                tasks.start_soon(look, other)
    assert len(await host.runs()) == 3


@pytest.mark.xdist_group("postgres")
async def test_two_machines_on_postgres_start_one_run_for_each_time(
    tmp_path: Path, postgres: Postgres
) -> None:
    clock, address = FakeClock(NOON), postgres.with_tables()
    async with (
        hosting(tmp_path / "home", clock=clock, database=address) as host,
        hosting(tmp_path / "home", clock=clock, database=address) as other,
    ):
        ten = trigger("CRON", cron_expression="*/10 * * * *")
        await host.enable("Ten", ten, trigger("WEBHOOK", "hook", webhook_path="/x"), node("end"))
        for _ in range(7):
            await clock.advance(300)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(look, host)
                tasks.start_soon(look, other)
        assert len(await host.runs()) == 3
        assert [one.node for one in await other.triggers.switches.list()] == ["hook", "when"]
        await other.triggers.switches.disable("Ten")
        assert await host.triggers.switches.list() == []


@pytest.mark.exercises("TRIGGER.CRON.max_missed_runs")
@pytest.mark.parametrize(("most", "made_up_for"), [(1, 1), (3, 3), (10, 5)])
async def test_after_time_off_the_last_missed_ones_are_made_up_for(
    host: Host, tmp_path: Path, most: int, made_up_for: int
) -> None:
    hourly = trigger("CRON", cron_expression="0 * * * *", max_missed_runs=most)
    await host.enable("Hourly", hourly, node("end"))
    later = FakeClock(NOON + timedelta(hours=5, minutes=20))
    async with hosting(tmp_path / "home", clock=later) as again:
        await look(again)
        await look(again)
        assert len(await again.runs()) == made_up_for
        assert (await due(again))[-1] == "2026-05-04T17:00:00.000Z"


@pytest.mark.parametrize("days", [1, -1])
async def test_a_clock_that_is_set_by_a_day_and_back_misses_and_doubles_nothing(
    host: Host, tmp_path: Path, days: int
) -> None:
    for number in range(5):
        every = trigger("CRON", cron_expression=f"{number} * * * *", max_missed_runs=1)
        await host.enable(f"Hourly {number}", every, node("end"))
    moments = [NOON + timedelta(minutes=minute) for minute in (5, 35, 65, 95, 125)]
    wrong = NOON + timedelta(days=days, minutes=30)
    for moment in (*moments[:2], wrong, *moments[2:]):
        # Another process on the same home, as a clock cannot go back within one.
        async with hosting(tmp_path / "home", clock=FakeClock(moment)) as at:
            await look(at)
    found = await due(host)
    of_today = [one for one in found if one.startswith("2026-05-04")]
    expected = [
        f"2026-05-04T{hour}:0{minute}:00.000Z"
        for hour in (12, 13, 14)
        for minute in range(5)
        if (hour, minute) != (12, 0)  # it was switched on at that very moment
    ]
    assert len(found) == len(set(found)) == len(await host.runs())
    assert set(expected) <= set(of_today)


async def test_the_loop_starts_what_is_due_and_sleeps_until_then(tmp_path: Path) -> None:
    clock = FakeClock(NOON)
    async with hosting(tmp_path / "home", clock=clock, is_running=True) as host:
        await host.enable("Minutely", trigger("CRON", cron_expression="* * * * *"), node("end"))
        with anyio.fail_after(60):
            while len(await host.runs()) < 2:
                await clock.advance(1)
                await anyio.sleep(0.001)
        assert await due(host) == ["2026-05-04T12:01:00.000Z", "2026-05-04T12:02:00.000Z"]


async def test_a_workflow_runs_as_it_was_when_it_was_switched_on(host: Host) -> None:
    every = trigger("CRON", cron_expression="*/10 * * * *")
    await host.enable("Ten", every, node("first"))
    await host.store("Ten", every, node("second"))
    await host.clock.advance(600)
    await look(host)
    run = (await host.runs())[0]
    assert set((await host.engine.plan(run.id)).by_id) == {"when", "first"}
    assert [one.is_current for one in await host.triggers.switches.list()] == [False]
    await host.triggers.switches.enable("Ten")
    assert [one.is_current for one in await host.triggers.switches.list()] == [True]


async def test_a_run_has_only_what_hangs_on_the_trigger_that_fired(host: Host) -> None:
    await host.enable(
        "Two ways",
        trigger("CRON", "clock", cron_expression="*/10 * * * *"),
        trigger("WEBHOOK", "hook", webhook_path="/two"),
        node("of_clock", "prompt", prompt="c"),
        node("of_hook", "prompt", prompt="h"),
        node("both"),
        edges=["clock > of_clock", "hook > of_hook", "of_clock > both", "of_hook > both"],
    )
    await host.clock.advance(600)
    await look(host)
    run = (await host.runs())[0]
    assert set((await host.engine.plan(run.id)).by_id) == {"clock", "of_clock", "both"}


async def test_what_is_switched_off_or_deleted_starts_nothing(host: Host) -> None:
    for name in ("Off", "Gone"):
        await host.enable(name, trigger("CRON", cron_expression="*/10 * * * *"), node("end"))
    await host.triggers.switches.disable("Off")
    gone = await host.studio.home.workflows.load("Gone")
    await host.studio.home.workflows.delete("Gone", over=gone.revision)
    assert [(one.workflow, one.is_deleted) for one in await host.triggers.switches.list()] == [
        ("Gone", True)
    ]
    await host.clock.advance(600)
    await look(host)
    assert await host.runs() == []
    await host.triggers.switches.disable("Gone")
    with pytest.raises(NotFound):
        await host.triggers.switches.disable("Gone")


@pytest.mark.parametrize(
    ("config", "code"),
    [
        ({"cron_expression": "99 * * * *"}, "CRON_INVALID"),
        ({"cron_expression": "* * * * *", "timezone": "Mars/Olympus"}, "TIMEZONE_UNKNOWN"),
        ({"cron_expression": "often"}, "FIELD_LIMIT_VIOLATED"),
    ],
)
async def test_a_schedule_that_cannot_be_is_not_switched_on(
    host: Host, config: dict[str, str], code: str
) -> None:
    await host.store("Never", trigger("CRON", **config), node("end"))
    with pytest.raises(Invalid) as refused:
        await host.triggers.switches.enable("Never")
    assert refused.value.code == "WORKFLOW_INVALID"
    assert code in [problem.code for problem in refused.value.problems]
    assert await host.triggers.switches.list() == []


async def test_a_workflow_without_a_trigger_to_switch_on_says_so(host: Host) -> None:
    await host.store("By hand", trigger("MANUAL"), node("end"))
    await host.store("Off", trigger("CRON", cron_expression="* * * * *", enabled=False), node("e"))
    for name in ("By hand", "Off"):
        with pytest.raises(NotFound) as refused:
            await host.triggers.switches.enable(name)
        assert refused.value.code == "TRIGGER_NOT_FOUND"


async def test_two_workflows_cannot_have_the_same_path(host: Host) -> None:
    await host.enable("One", trigger("WEBHOOK", webhook_path="/orders/new"), node("end"))
    await host.store("Two", trigger("WEBHOOK", webhook_path="/orders/new/"), node("end"))
    with pytest.raises(Conflict) as refused:
        await host.triggers.switches.enable("Two")
    assert refused.value.code == "HOOK_PATH_TAKEN"
    assert [one.workflow for one in await host.triggers.switches.list()] == ["One"]


async def test_one_broken_schedule_does_not_stop_the_others(host: Host) -> None:
    for name in ("Bad", "Good"):
        await host.enable(name, trigger("CRON", cron_expression="*/10 * * * *"), node("end"))
    await host.home.database.execute(
        "UPDATE active_workflows SET document = replace(document, '*/10 * * * *', '99 * * * *'), "
        "enabled_at = 'later' WHERE name = 'Bad'"
    )
    await host.clock.advance(600)
    await look(host)
    assert [run.workflow for run in await host.runs()] == ["Good"]
    failures = {one.workflow: one.failure for one in await host.triggers.switches.list()}
    assert failures["Good"] is None
    assert str(failures["Bad"]).startswith("CRON_INVALID")
