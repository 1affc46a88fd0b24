"""A run is blamed for the end of its process only where that process may have ended."""

from contextlib import suppress
from pathlib import Path

import anyio
import pytest
from tests.engine.building import EchoTools, Kinds, workflow

from toolweave.clock import SystemClock
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.events import Interrupted
from toolweave.engine.journal import Journal
from toolweave.engine.lease_owner import new_holder
from toolweave.engine.runs import RunRequest
from toolweave.errors import Conflict
from toolweave.storage.database import open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.unchecked import Unchecked

pytestmark = pytest.mark.anyio

CHAIN = workflow({"s": "start", "a": "once"}, ["s > a"])
ALIVE = new_holder()
MACHINE, PID, BEGUN, WHICH = ALIVE.split("/")


@pytest.mark.parametrize(
    ("holder", "status"),
    [
        # It could not write, because the database was away: another one takes the run.
        (ALIVE, "success"),
        # The controls: a process that ended, and one of another machine, which may have.
        (f"{MACHINE}/{PID}/{int(BEGUN) + 1}/{WHICH}", "failed"),
        (f"elsewhere:boot/{PID}/{BEGUN}/{WHICH}", "failed"),
    ],
    ids=["alive", "ended", "elsewhere"],
)
async def test_a_run_that_silent_processes_held_twice(
    tmp_path: Path, holder: str, status: str
) -> None:
    clock = SystemClock()
    async with open_database(f"sqlite:///{tmp_path / 'runs.db'}") as database:
        await migrate(database)
        journal = Journal(database, clock, hold_s=0.2)
        services = EngineServices(EchoTools(), clock)
        engine = Engine(database, journal, Kinds(), services=services, checker=Unchecked())
        async with engine.running():
            run = await engine.runs.start(RunRequest(CHAIN, 1))
            await database.execute(
                "UPDATE runs SET holder = ?, held_until = '2000-01-01T00:00:00.000Z'", holder
            )
            await journal.add(run, Interrupted())  # an earlier one
            with anyio.fail_after(60):
                while not (found := await engine.get(run)).finished_at:
                    with suppress(Conflict):
                        await engine.advance(run)
                    await anyio.sleep(0.02)
    assert found.status == status
