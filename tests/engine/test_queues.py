"""Steps that are bound to a queue: executed by its workers only, in real processes."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import anyio
import pytest
from tests.engine.building import Behaviour, EchoTools, fails, waits, workflow
from tests.engine.laborer import Marks, engine_on, laborer
from tests.engine.temporal_server import TemporalServer
from tests.engine.test_calls import WithCalls, over
from tests.storage.postgres import Postgres

from toolweave.catalog.resources.record import Resources
from toolweave.clock import SystemClock
from toolweave.engine.backend_choice import choose_backend
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.events import RunStatus
from toolweave.engine.heartbeats import served_queues
from toolweave.engine.journal import Journal
from toolweave.engine.queues import Placement
from toolweave.engine.runs import RunRequest
from toolweave.engine.subworkflows import SubWorkflows
from toolweave.storage.database import open_database
from toolweave.storage.migrations import migrate
from toolweave.storage.workflow_files import WorkflowFiles
from toolweave.testing.unchecked import Unchecked
from toolweave.workflow.store import WorkflowStore

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("postgres")]

LEASE_S = 2
GPU = {"queue": "gpu"}
# From the default queue to gpu and back, and a branch of gpu beside it.
GRAPH = workflow(
    {"s": "start", "a": "once", "b": ("keyed", GPU), "c": "once", "d": ("once", GPU), "e": "end"},
    ["s > a", "a > b", "b > c", "s > d", "c > e", "d > e"],
)

Process = Callable[..., Awaitable[Engine]]


@pytest.fixture
def address(postgres: Postgres) -> str:
    return postgres.with_tables()


@pytest.fixture(params=["temporal", "local"])
def backend(request: pytest.FixtureRequest) -> str:
    if request.param == "local":
        return ""
    server: TemporalServer = request.getfixturevalue("temporal")
    return server.address(lease_s=LEASE_S, queue=request.node.name)


@pytest.fixture
async def process(address: str, backend: str, tmp_path: Path) -> AsyncGenerator[Process]:
    """Engines with connections of their own; several are several processes."""
    store = WorkflowStore(WorkflowFiles(tmp_path / "workflows"))
    await store.save(INNER, over=None)
    async with AsyncExitStack() as stack:

        async def opened(*queues: str, drives_runs: bool = True, **behaviours: Behaviour) -> Engine:
            chosen = choose_backend(backend)
            database = await stack.enter_async_context(open_database(address))
            await migrate(database)
            clock = SystemClock()
            services = EngineServices(EchoTools(), clock)
            engine = Engine(
                database,
                Journal(database, clock, hold_s=LEASE_S),
                WithCalls(**behaviours),
                services=services,
                checker=Unchecked(),
                open_backend=chosen.open,
                queues=queues or ("default",),
            )
            services.resources = Resources(workflows=SubWorkflows(engine, store))
            await stack.enter_async_context(engine.running(drives_runs=drives_runs))
            return engine

        yield opened


INNER = workflow({"s": "start", "g": ("once", GPU), "e": "end"}, ["s > g", "g > e"])


async def until(is_true: Callable[[], Awaitable[object]]) -> None:
    with anyio.fail_after(60):
        while not await is_true():  # noqa: ASYNC110  # other processes make it true
            await anyio.sleep(0.02)


async def reached(engine: Engine, run: str, *wanted: RunStatus) -> None:
    async def is_there() -> bool:
        return (await engine.get(run)).status in wanted

    await until(is_there)


async def placed(engine: Engine, run: str, queue: str) -> None:
    async def is_there() -> bool:
        return (await engine.get(run)).queue == queue

    await until(is_there)


def pids(marks: Marks, run: str, steps: Sequence[str]) -> set[int]:
    """The processes that began steps of a run."""
    keys = {f"{run}/{step}" for step in steps}
    return {pid for pid, what, key in marks.read() if what == "begin" and key in keys}


async def test_steps_of_a_queue_are_executed_by_its_workers_and_taken_over_by_them(
    address: str, backend: str, tmp_path: Path
) -> None:
    marks = Marks(tmp_path)

    async with open_database(address) as database:
        await migrate(database)
        engine = engine_on(database, marks, LEASE_S, backend=backend)
        with laborer(address, tmp_path, LEASE_S, backend=backend) as plain:
            async with engine.running():
                run = await engine.runs.start(RunRequest(GRAPH, {"n": 1}))
                await placed(engine, run, "gpu")
                # Nobody serves it: the steps of the default queue are done, the rest waits.
                assert await served_queues(database, SystemClock()) == {"default"}
                assert pids(marks, run, "abcd") == pids(marks, run, "a") == {plain.pid}
                with laborer(
                    address, tmp_path, LEASE_S, "far-away", backend=backend, queues="gpu"
                ) as first:
                    await until(lambda: _under_way(marks, first.pid))
                    assert "gpu" in await served_queues(database, SystemClock())
                    first.kill()
                cut_off = {key for pid, key in marks.under_way() if pid == first.pid}
                with laborer(
                    address, tmp_path, LEASE_S, backend=backend, queues="gpu,other"
                ) as second:
                    if f"{run}/d" in cut_off:
                        await reached(engine, run, "uncertain")
                        await engine.resolve(run, "d", "retry")
                    assert await over(engine, run) == "success"
    assert cut_off
    assert pids(marks, run, "ac") == {plain.pid}
    assert pids(marks, run, "bd") == {first.pid, second.pid}
    begun = marks.count("begin")
    for step in "abcd":
        assert begun[f"{run}/{step}"] == (2 if f"{run}/{step}" in cut_off else 1)


async def _under_way(marks: Marks, pid: int) -> bool:
    return any(who == pid for who, _ in marks.under_way())


def _serves_all(*_: object) -> bool:
    return True


async def test_without_the_gate_a_worker_would_execute_steps_of_any_queue(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = await process()
    with monkeypatch.context() as control:
        control.setattr(Placement, "serves", _serves_all)
        run = await engine.runs.start(RunRequest(GRAPH, {}))
        assert await over(engine, run) == "success"
    gated = await engine.runs.start(RunRequest(GRAPH, {}))
    await placed(engine, gated, "gpu")
    assert set(dict((await engine.state(gated)).outcomes())) == {"s", "a"}


async def test_a_run_that_waits_for_a_worker_of_its_queue_can_be_cancelled(
    process: Process,
) -> None:
    engine = await process()
    run = await engine.runs.start(RunRequest(GRAPH, {}))
    await placed(engine, run, "gpu")
    await engine.cancel(run, by="ann")
    assert await over(engine, run) == "cancelled"
    assert set(dict((await engine.state(run)).outcomes())) == {"s", "a"}


async def test_an_answer_and_a_retry_reach_a_run_that_waits_for_another_queue(
    process: Process,
) -> None:
    retried = {"configurations": {"queue": "gpu", "retry_attempts": 1}}
    graph = workflow(
        {"s": "start", "ask": "once", "after": "once", "g": ("keyed", retried), "e": "end"},
        ["s > ask", "ask > after", "s > g", "after > e", "g > e"],
    )
    engine = await process(ask=waits(question={"text": "May it?"}))
    run = await engine.runs.start(RunRequest(graph, {}))
    await placed(engine, run, "gpu")
    await engine.answer(run, "ask", "yes")

    async def has_continued() -> bool:
        return "after" in dict((await engine.state(run)).outcomes())

    await until(has_continued)
    await placed(engine, run, "gpu")
    # A retry is due after a wait, and goes the way from the default queue again.
    worker = await process("gpu", g=fails(1))
    assert await over(worker, run) == "success"
    assert (await worker.state(run)).attempts["g"] == 2


async def test_a_called_run_and_a_fork_find_the_worker_of_their_queue(process: Process) -> None:
    outer = workflow(
        {
            "s": "start",
            "call": ("FLOW", {"subtype": "SUBWORKFLOW", "configurations": {"workflow": "test"}}),
            "e": "end",
        },
        ["s > call", "call > e"],
    )
    engine = await process()
    await process("gpu")
    run = await engine.runs.start(RunRequest(outer, {"n": 1}))
    assert await over(engine, run) == "success"
    child = await engine.find(f"sub/{run}/call")
    assert child is not None
    again = await engine.runs.fork(child, "g")
    assert await over(engine, again) == "success"
    assert (await engine.get(again)).queue is None
