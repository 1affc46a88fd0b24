"""Random graphs: the engine gives what a small interpreter gives, cut off wherever you like."""

import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from hypothesis import given, settings
from tests.engine.building import EchoTools
from tests.engine.reference import Drawn, Kinds, Told, document, graphs, interpret

from toolweave.engine.context import EngineServices
from toolweave.engine.decide import Decision, decide
from toolweave.engine.engine import Engine
from toolweave.engine.events import (
    FINAL,
    Finished,
    PureStepsDone,
    StepFailed,
    StepFinished,
    StepStarted,
    UncertainResolved,
)
from toolweave.engine.journal import Journal, JournalEntry
from toolweave.engine.journal_rows import written
from toolweave.engine.runs import RunRequest
from toolweave.engine.state import RunState
from toolweave.json_text import Json
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.clock import FakeClock
from toolweave.testing.unchecked import Unchecked

INPUTS: Json = {"n": 1}


@asynccontextmanager
async def opened(database: Database, kinds: Kinds) -> AsyncGenerator[Engine]:
    clock = FakeClock()
    services = EngineServices(EchoTools(), clock)
    engine = Engine(
        database, Journal(database, clock), kinds, services=services, checker=Unchecked()
    )
    async with engine.running():
        yield engine


@asynccontextmanager
async def new_database() -> AsyncGenerator[Database]:
    with tempfile.TemporaryDirectory() as folder:
        async with open_database(Path(folder, "runs.db")) as database:
            await migrate(database)
            yield database


def agree(finished: Finished | None, told: Told) -> None:
    """The engine's end of a run is the interpreter's."""
    assert finished is not None
    if not told.failed:
        values = told.last
        result = next(iter(values.values())) if len(values) == 1 else values
        assert (finished.status, finished.result) == ("success", result)
        return
    done = {name: value for name, (value, _) in told.values.items()}
    assert finished.status == ("partial" if done.keys() - {"s"} else "failed")
    assert finished.result == done
    assert finished.error is not None
    failed_at = str(finished.error["failedAt"])
    assert failed_at.partition("#")[0] in told.failed


@settings(deadline=None, max_examples=50)
@given(graph=graphs())
def test_a_run_gives_what_the_interpreter_gives(graph: tuple[Drawn, ...]) -> None:
    async def main() -> None:
        async with new_database() as database, opened(database, kinds := Kinds()) as engine:
            run = await engine.runs.start(RunRequest(document(graph), INPUTS))
            with anyio.fail_after(60):
                await engine.advance(run)
            agree((await engine.state(run)).finished, interpret(graph, INPUTS))
            assert len(kinds.tried) == len(set(kinds.tried))

    anyio.run(main)


@settings(deadline=None, max_examples=12)
@given(graph=graphs())
def test_a_run_cut_off_after_any_row_goes_on_to_the_same_end(graph: tuple[Drawn, ...]) -> None:
    async def main() -> None:
        async with new_database() as database:
            async with opened(database, Kinds()) as engine:
                run = await engine.runs.start(RunRequest(document(graph), INPUTS))
                await engine.advance(run)
                entries = await engine.journal.read(run)
            for length in range(1, len(entries)):
                await cut(database, run, entries[:length])
                with anyio.fail_after(60):
                    await resumed(database, run, entries[:length], interpret(graph, INPUTS))

    anyio.run(main)


async def cut(database: Database, run: str, entries: list[JournalEntry]) -> None:
    """Bring the database back to where it was after these entries."""
    async with database.transaction() as transaction:
        await transaction.execute("DELETE FROM journal WHERE run = ?", run)
        rows = [
            (run, one.seq, one.at, (row := written(one.event)).kind, row.body) for one in entries
        ]
        await transaction.executemany(
            "INSERT INTO journal (run, seq, at, kind, body) VALUES (?, ?, ?, ?, ?)", rows
        )
        await transaction.execute(
            "UPDATE runs SET seq = ?, status = 'running', finished_at = NULL, error = NULL",
            len(rows),
        )


async def resumed(database: Database, run: str, before: list[JournalEntry], told: Told) -> None:
    """Another process goes on; uncertain is what had begun and must happen once, nothing else."""
    async with opened(database, kinds := Kinds()) as engine:
        over = {one.event.key for one in before if isinstance(one.event, StepFinished | StepFailed)}
        begun = {one.event.key for one in before if isinstance(one.event, StepStarted)} - over
        plan = await engine.plan(run)
        unsure = {key for key in begun if plan.by_id[key.rpartition("/")[2]].kind.effect == "once"}
        seen: set[str] = set()
        while await engine.advance(run) not in FINAL:
            uncertain = (await engine.state(run)).uncertain
            assert uncertain
            seen |= uncertain
            for key in uncertain:
                await engine.journal.add(run, UncertainResolved(key, "retry"))
        assert seen == unsure
        assert not over & set(kinds.tried)
        assert len(kinds.tried) == len(set(kinds.tried))
        agree((await engine.state(run)).finished, told)


@settings(deadline=None, max_examples=25)
@given(graph=graphs())
def test_the_fold_is_the_same_each_time_and_never_idle_while_something_is_due(
    graph: tuple[Drawn, ...],
) -> None:
    async def main() -> None:
        async with new_database() as database, opened(database, Kinds()) as engine:
            run = await engine.runs.start(RunRequest(document(graph), INPUTS))
            await engine.advance(run)
            entries = await engine.journal.read(run)
            plan = await engine.plan(run)
            now = FakeClock().now()
            one = RunState(plan)
            for index, entry in enumerate(entries):
                one.apply(entry.event)
                again = RunState(plan)
                for earlier in entries[: index + 1]:
                    again.apply(earlier.event)
                assert (one.status, *shown(one)) == (again.status, *shown(again))
                decision = decide(one, now)
                is_due = bool(one.ready or one.touched) and not one.finished
                assert not (is_due and is_idle(decision))
                assert (decision.finish is None) or not (one.ready or one.running)
            assert is_idle(decide(one, now))
            assert await engine.advance(run) == one.status
            assert await engine.journal.read(run) == entries

    anyio.run(main)


def is_idle(decision: Decision) -> bool:
    """Whether nothing can be done now."""
    wanted = (decision.compute, decision.loops, decision.work, decision.finish, decision.elsewhere)
    return not any(wanted)


def shown(state: RunState) -> tuple[object, ...]:
    """Everything that a state consists of, comparable."""
    return (
        list(state.outcomes()),
        list(state.ready),
        state.running,
        sorted(state.touched),
        state.failures,
        {key: (loop.begun, loop.open_turns, loop.turns) for key, loop in state.loops.items()},
    )


def test_these_graphs_have_every_kind_of_event_in_them() -> None:
    """The graphs above are worth something: loops, failures, rows of several steps all occur."""
    kinds: set[str] = set()

    @settings(deadline=None, max_examples=40, derandomize=True, database=None)
    @given(graph=graphs())
    def look(graph: tuple[Drawn, ...]) -> None:
        async def main() -> None:
            async with new_database() as database, opened(database, Kinds()) as engine:
                run = await engine.runs.start(RunRequest(document(graph), INPUTS))
                await engine.advance(run)
                for entry in await engine.journal.read(run):
                    kinds.add(entry.event.kind)
                    if isinstance(entry.event, PureStepsDone) and len(entry.event.steps) > 2:
                        kinds.add("several")

        anyio.run(main)

    look()
    expected = {"started", "computed", "step_started", "step_finished", "step_failed"}
    assert kinds == expected | {"loop_opened", "finished", "several"}
