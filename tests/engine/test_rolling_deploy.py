"""Workers of two versions on one database finish each other's runs, or leave them with a reason."""

import subprocess
from functools import partial
from pathlib import Path

import anyio
import pytest
from tests.cli.driving import Commands
from tests.engine.building import workflow
from tests.engine.laborer import GRAPH, Marks, engine_on, laborer
from tests.engine.temporal_server import TemporalServer
from tests.engine.test_calls import over
from tests.engine.test_workers import PROGRAM
from tests.servers.rooms import eventually
from tests.storage.postgres import Postgres

from toolweave.engine.compatibility import VERSION
from toolweave.engine.deployed_versions import deployed_versions, left_alone
from toolweave.engine.events import Finished, StepFinished
from toolweave.engine.journal_rows import JournalChange, written
from toolweave.engine.run_slots import SlotAwaited
from toolweave.engine.runs import RunRequest
from toolweave.errors import Conflict
from toolweave.json_text import Json
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import Migration, migrate, require_known_schema, shipped

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("postgres")]

HOLD_S = 2.0
# A version that cannot read the event `slot_awaited`, and the first one that can.
OLDER, NEEDED = 1, 2
SHORT = workflow({"s": "start", "b": "keyed", "e": "end"}, ["s > b", "b > e"])


@pytest.fixture
def address(postgres: Postgres) -> str:
    return postgres.with_tables()


async def epoch_of(database: Database, run: str) -> int:
    row = await database.row("SELECT epoch FROM runs WHERE id = ?", run)
    assert row is not None
    return row[0]


@pytest.mark.parametrize("backend", ["local", "temporal"])
async def test_an_older_worker_leaves_a_newer_run_alone_and_finishes_the_others(
    address: str, tmp_path: Path, backend: str, request: pytest.FixtureRequest
) -> None:
    place = ""
    if backend == "temporal":
        server: TemporalServer = request.getfixturevalue("temporal")
        place = server.address(lease_s=int(HOLD_S), queue=f"deploy-{backend}")
    marks = Marks(tmp_path)
    async with open_database(address) as database:
        await migrate(database)
        engine = engine_on(database, marks, HOLD_S, backend=place)
        async with engine.running():
            newer = await engine.runs.start(RunRequest(SHORT, {"n": 1}))
            # As a worker of this version writes it: an event that the older one cannot read.
            lease, entries = await engine.journal.take(newer)
            waits = engine.journal.first_entries(newer, [SlotAwaited("workflow 'x'")]).events
            change = JournalChange("waiting", engine.clock.now(), seen=entries[-1].seq)
            await engine.journal.append(lease, waits, change)
            before = await epoch_of(database, newer)
            with laborer(address, tmp_path, HOLD_S, version=OLDER, backend=place):
                older = await engine.runs.start(RunRequest(SHORT, {"n": 2}))
                assert await over(engine, older) == "success"
                found = await deployed_versions(database, engine.clock)
                assert found.workers == (OLDER,)
                assert found.stranded == 1
                (reason,) = await left_alone(database, engine.clock, newer)
                assert f"needs a worker of engine version {NEEDED}" in reason
                assert (await engine.get(newer)).status == "waiting"
                if backend == "local":
                    doctor = partial(Commands(tmp_path, tmp_path), "doctor")
                    ran = await anyio.to_thread.run_sync(
                        partial(doctor, TOOLWEAVE_DATABASE=address)
                    )
                    assert f"1 runs need engine version {NEEDED}, which no worker has" in ran.out
                # It does not even take the lease.
                assert await epoch_of(database, newer) == before
                with laborer(address, tmp_path, HOLD_S, backend=place):
                    if backend == "temporal":
                        await engine.backend.signal(newer)
                    assert await over(engine, newer) == "success"
                    found = await deployed_versions(database, engine.clock)
                    assert (found.workers, found.stranded) == ((OLDER, VERSION), 0)


async def test_a_newer_worker_finishes_what_an_older_one_began(
    address: str, tmp_path: Path
) -> None:
    marks = Marks(tmp_path)
    async with open_database(address) as database:
        await migrate(database)
        engine = engine_on(database, marks, HOLD_S)
        async with engine.running():
            with laborer(address, tmp_path, HOLD_S, version=OLDER) as older:
                run = await engine.runs.start(RunRequest(GRAPH, {"n": 1}))
                await eventually(marks.under_way)
                older.kill()
                older.wait()
            with laborer(address, tmp_path, HOLD_S):
                await eventually(lambda: _is_uncertain(database, run))
                for step in list((await engine.state(run)).uncertain):
                    await engine.resolve(run, step, "retry")
                assert await over(engine, run) == "success"


async def _is_uncertain(database: Database, run: str) -> bool:
    row = await database.row("SELECT status FROM runs WHERE id = ?", run)
    return row is not None and row[0] == "uncertain"


async def test_a_database_is_used_by_older_programs_as_long_as_it_says_so(address: str) -> None:
    newest = shipped()[-1].version
    grown = Migration(
        newest + 1, "grown", f"-- Compatible from {newest}.\nCREATE TABLE more (n {{integer}});\n"
    )
    cut = Migration(newest + 2, "cut", "DROP TABLE more;\n")
    async with open_database(address) as database:
        await migrate(database)
        assert await migrate(database, (*shipped(), grown)) == 1
        assert await migrate(database) == 0  # the older program goes on
        assert await migrate(database, (*shipped(), grown, cut)) == 1
        with pytest.raises(Conflict) as refused:
            await migrate(database)
    assert refused.value.code == "STORAGE_NEWER"
    assert f"needs a program that knows version {newest + 2}" in refused.value.message


async def test_a_running_worker_stops_with_a_reason_when_it_cannot_use_the_database(
    address: str, tmp_path: Path
) -> None:
    tw = Commands(tmp_path, tmp_path)
    environ = tw.environ | {"TOOLWEAVE_DATABASE": address}
    words = [*PROGRAM, "worker"]
    with subprocess.Popen(  # noqa: ASYNC220  # nothing else happens here meanwhile
        words, env=environ, stderr=subprocess.PIPE
    ) as worker:
        assert worker.stderr is not None
        try:
            assert worker.stderr.readline() == b"working\n"
            async with open_database(address) as database:
                newest = shipped()[-1].version
                cut = Migration(newest + 1, "cut", "ALTER TABLE notices RENAME TO messages;\n")
                await migrate(database, (*shipped(), cut))
                with pytest.raises(Conflict):
                    await require_known_schema(database)
            with anyio.fail_after(60):
                _, said = await anyio.to_thread.run_sync(worker.communicate)
        finally:
            worker.kill()
    assert f"needs a program that knows version {newest + 1}" in said.decode()
    assert "stopped" in said.decode()


def test_only_what_a_tool_says_beside_its_value_needs_the_version_that_keeps_it() -> None:
    said: list[Json] = [{"type": "text", "text": "x"}]
    for plain, with_text in (
        (StepFinished("a", 1), StepFinished("a", 1, content=said)),
        (Finished("success", 1), Finished("success", 1, content=said)),
    ):
        assert (written(plain).needs, written(with_text).needs) == (1, 3)
    assert written(SlotAwaited("x")).needs == NEEDED
