"""What goes wrong around a run: crashes between two rows, two at once, late wishes, odd values."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import anyio
import pytest
from tests.engine.building import (
    Barrier,
    EchoTools,
    Kinds,
    fails,
    gives,
    meets,
    until_silent,
    waits,
    workflow,
)
from tests.engine.conftest import Opened
from tests.storage.disks import small_disk

from toolweave.catalog.node import NodeContext, Outcome, Wait
from toolweave.clock import SystemClock
from toolweave.engine.context import EngineServices
from toolweave.engine.decide import result_of
from toolweave.engine.engine import Engine
from toolweave.engine.events import (
    Answered,
    CancelAsked,
    Choice,
    PureStepsDone,
    StepFinished,
    StepStarted,
    UncertainResolved,
)
from toolweave.engine.execution_report import execution, records
from toolweave.engine.journal import Journal, Lease
from toolweave.engine.journal_rows import JournalChange, Written, written
from toolweave.engine.runs import RunRequest
from toolweave.errors import Conflict, Invalid, NotFound, Unavailable
from toolweave.json_text import Json
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.clock import FakeClock
from toolweave.testing.unchecked import Unchecked

pytestmark = pytest.mark.anyio

ONE = workflow({"s": "start", "a": "once"}, ["s > a"])


def stuck(
    begun: anyio.Event, ended: anyio.Event | None = None
) -> Callable[..., Awaitable[Outcome]]:
    """Never ends by itself."""

    async def behave(_context: NodeContext) -> Outcome:
        begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            if ended:
                ended.set()
        raise AssertionError

    return behave


async def cut_off(runs: Engine, run: str, key: str, attempt: int = 1) -> None:
    """As if a process had died just after it wrote that the step begins."""
    lease, entries = await runs.journal.take(run)
    before = [written(PureStepsDone([["s", 0]], [1]))] if len(entries) == 1 else []
    await runs.journal.append(lease, [*before, written(StepStarted(key, attempt))])


async def test_an_answer_survives_a_crash_right_after_it_was_taken(engine: Opened) -> None:
    runs = await engine(a=waits(question={"text": "Really?"}))
    run = await runs.runs.start(RunRequest(ONE, 1))
    assert await runs.advance(run) == "waiting"
    await runs.journal.add(run, Answered("a", "yes"))
    await cut_off(runs, run, "a")
    assert await runs.advance(run) == "uncertain"
    await runs.journal.add(run, UncertainResolved("a", "retry"))
    assert await runs.advance(run) == "success"
    assert result_of(await runs.state(run)) == {"by": "answer", "reply": "yes", "memory": "kept"}


async def test_a_step_that_fails_after_its_wait_is_tried_again_with_what_it_waited_for(
    engine: Opened, clock: FakeClock
) -> None:
    left = [1]

    async def behave(context: NodeContext) -> Outcome | Wait:
        if context.resumed is None:
            return Wait(question={"text": "?"}, memory=7)
        if left.pop() if left else 0:
            raise Unavailable("TEST_FAILED", "not now")
        return Outcome([context.resumed.reply, context.resumed.memory])

    graph = workflow({"a": ("keyed", {"configurations": {"retry_attempts": 1}})}, [])
    runs = await engine(a=behave)
    run = await runs.runs.start(RunRequest(graph, 1))
    await runs.advance(run)
    await runs.journal.add(run, Answered("a", "yes"))
    assert await runs.advance(run) == "waiting"
    await clock.advance(60)
    assert await runs.advance(run) == "success"
    assert result_of(await runs.state(run)) == ["yes", 7]


async def test_of_two_answers_the_first_counts(engine: Opened) -> None:
    runs = await engine(a=waits(question={"text": "?"}))
    run = await runs.runs.start(RunRequest(ONE, 1))
    await runs.advance(run)
    await runs.journal.add(run, Answered("a", "first"))
    await runs.journal.add(run, Answered("a", "second"))
    assert await runs.advance(run) == "success"
    assert result_of(await runs.state(run)) == {"by": "answer", "reply": "first", "memory": "kept"}


async def test_of_two_decisions_about_a_step_the_first_counts(engine: Opened) -> None:
    runs = await engine()
    run = await runs.runs.start(RunRequest(ONE, 1))
    await cut_off(runs, run, "a")
    assert await runs.advance(run) == "uncertain"
    await runs.journal.add(run, UncertainResolved("a", "skip"))
    await runs.journal.add(run, UncertainResolved("a", "retry"))
    assert await runs.advance(run) == "success"
    events = [entry.event for entry in await runs.journal.read(run)]
    assert sum(isinstance(event, StepStarted) for event in events) == 1


async def test_a_timer_goes_on_beside_an_uncertain_step(engine: Opened, clock: FakeClock) -> None:
    graph = workflow({"s": "start", "a": "once", "b": "keyed"}, ["s > a", "s > b"])
    runs = await engine(b=waits(60))
    run = await runs.runs.start(RunRequest(graph, 1))
    await cut_off(runs, run, "a")
    assert await runs.advance(run) == "uncertain"
    await clock.advance(61)
    assert await runs.unfinished() == [run]
    assert await runs.advance(run) == "uncertain"
    assert "b" in dict((await runs.state(run)).outcomes())
    assert await runs.unfinished() == []


async def test_whoever_keeps_time_wakes_a_run_that_began_to_wait_later(database: Database) -> None:
    clock = SystemClock()
    services = EngineServices(EchoTools(), clock)
    engine = Engine(
        database,
        Journal(database, clock),
        Kinds(a=waits(0.05)),
        services=services,
        checker=Unchecked(),
    )
    with anyio.fail_after(60):
        async with engine.running(drives_runs=True):
            await anyio.sleep(0.1)  # it sleeps, as nothing is to be done
            run = await engine.runs.start(RunRequest(ONE, 1))
            kinds = [entry.event.kind async for entry in engine.follow(run)]
    assert kinds.count("step_waiting") == 1
    assert kinds[-1] == "finished"


async def test_a_wish_and_a_result_at_the_same_moment_are_both_written(engine: Opened) -> None:
    graph = workflow({"s": "start", "a": "once", "b": "once"}, ["s > a", "a > b"])
    runs = await engine(b=gives("done"))
    run = await runs.runs.start(RunRequest(graph, 1))
    lease, entries = await runs.journal.take(run)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(runs.journal.append, lease, [written(StepStarted("a"))] * 2)
        tasks.start_soon(runs.journal.add, run, CancelAsked("Ada"))
        tasks.start_soon(runs.journal.append, lease, [written(StepStarted("b"))])
        tasks.start_soon(runs.journal.add, run, CancelAsked("Bob"))
    found = (await runs.journal.read(run))[len(entries) :]
    assert [entry.seq for entry in found] == list(range(2, 7))
    assert sorted(entry.event.kind for entry in found) == [
        *["cancel_asked"] * 2,
        *["step_started"] * 3,
    ]


async def test_a_wish_that_comes_while_a_start_is_written_stops_the_step(engine: Opened) -> None:
    begun = anyio.Event()
    runs = await engine(a=stuck(begun))
    run = await runs.runs.start(RunRequest(ONE, 1))
    other = await engine()
    take = runs.journal.take

    async def taken(run: str) -> object:
        found = await take(run)
        await other.journal.add(run, CancelAsked())
        return found

    runs.journal.take = taken  # type: ignore[method-assign,assignment] # the wish falls in between
    with anyio.fail_after(60):
        assert await runs.advance(run) == "cancelled"
    assert not begun.is_set()


@pytest.mark.parametrize("is_killed", [False, True])
async def test_what_comes_while_a_run_is_laid_down_again_wakes_it(
    engine: Opened, monkeypatch: pytest.MonkeyPatch, is_killed: bool
) -> None:
    """Somebody looks at an uncertain run for nothing while a person decides about it."""
    runs, other = await engine(), await engine()
    run = await runs.runs.start(RunRequest(ONE, 1))
    await cut_off(runs, run, "a")
    assert await runs.advance(run) == "uncertain"
    append, decided = runs.journal.append, UncertainResolved("a", "skip")

    async def appended(
        lease: Lease, events: Sequence[Written], change: JournalChange | None
    ) -> int:
        if change is None or not change.is_settled:
            return await append(lease, events, change)
        await other.journal.add(run, decided)
        last = await append(lease, events, change)
        if is_killed:
            raise Unavailable("TEST_KILLED", "the process is no more")
        return last

    monkeypatch.setattr(runs.journal, "append", appended)
    if not is_killed:
        assert await runs.advance(run) == "success"
        return
    with pytest.raises(Unavailable):
        await runs.advance(run)
    assert await other.unfinished() == [run]
    assert await other.advance(run) == "success"


async def test_a_late_wish_changes_nothing_about_a_run_that_is_over(engine: Opened) -> None:
    runs = await engine(a=fails(1))
    run = await runs.runs.start(RunRequest(ONE, 1))
    assert await runs.advance(run) == "failed"
    before, entries = await runs.get(run), await runs.journal.read(run)
    with pytest.raises(Conflict):
        await runs.journal.add(run, CancelAsked())
    await runs.cancel(run)
    # Somebody who looked at it just before it ended.
    await runs.journal.take(run)
    assert await runs.advance(run) == "failed"
    assert (await runs.get(run), await runs.journal.read(run)) == (before, entries)


async def test_a_run_that_ended_between_a_look_and_the_lease_stays_as_it_is(engine: Opened) -> None:
    runs, other = await engine(a=fails(1)), await engine(a=fails(1))
    run = await runs.runs.start(RunRequest(ONE, 1))
    take = other.journal.take

    async def late(run: str) -> object:
        await runs.advance(run)
        return await take(run)

    other.journal.take = late  # type: ignore[method-assign,assignment] # the end falls in between
    assert await other.advance(run) == "failed"
    found = await runs.get(run)
    assert found.error == "the test wants it to fail"
    assert len([one for one in await runs.journal.read(run) if one.event.kind == "finished"]) == 1


async def test_a_holder_that_was_silent_for_too_long_loses_the_run_and_cannot_write(
    engine: Opened, clock: FakeClock
) -> None:
    begun, go = anyio.Event(), anyio.Event()
    happened: list[str] = []

    async def slow(context: NodeContext) -> Outcome:
        begun.set()
        await go.wait()
        happened.append(context.key)
        return Outcome(1)

    runs, other = await engine(a=slow), await engine(a=slow)
    run = await runs.runs.start(RunRequest(ONE, 1))
    refused: list[str] = []

    async def loses() -> None:
        try:
            await runs.advance(run)
        except Conflict as error:
            refused.append(error.code)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(loses)
            await begun.wait()
            with pytest.raises(Conflict) as held:
                await other.advance(run)
            assert held.value.code == "RUN_HELD"
            assert await other.unfinished() == []
            await until_silent(other, clock)
            assert await other.unfinished() == [run]
            assert await other.advance(run) == "uncertain"
            go.set()
    assert refused == ["RUN_TAKEN"]
    assert happened == [f"{run}/a"]
    await other.resolve(run, "a", "skip")
    with anyio.fail_after(60):
        assert [one async for one in other.follow(run)][-1].event.kind == "finished"
    assert happened == [f"{run}/a"]


async def test_a_holder_that_stood_still_while_it_wrote_that_a_step_begins_does_not_begin_it(
    engine: Opened, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = anyio.Event()
    runs, other = await engine(a=stuck(begun)), await engine()
    run = await runs.runs.start(RunRequest(ONE, 1))
    append = runs.journal.append

    async def stands_still(
        lease: Lease, events: Sequence[Written], change: JournalChange | None = None
    ) -> int:
        last = await append(lease, events, change)
        if events:
            await until_silent(other, clock)
            assert await other.advance(run) == "uncertain"
        return last

    monkeypatch.setattr(runs.journal, "append", stands_still)
    with anyio.fail_after(60), pytest.raises(Conflict) as refused:
        await runs.advance(run)
    assert refused.value.code == "RUN_TAKEN"
    assert not begun.is_set()


async def test_many_at_once_bring_a_run_forward_and_every_step_happens_once(
    engine: Opened,
) -> None:
    names = [f"n{index}" for index in range(12)]
    graph = workflow(
        {"s": "start", **dict.fromkeys(names, "once")}, [f"s > {name}" for name in names]
    )
    several = [await engine() for _ in range(4)]
    run = await several[0].runs.start(RunRequest(graph, 1))

    async def goes_on(one: Engine) -> None:
        for _ in range(2000):
            try:
                status = await one.advance(run)
            except Conflict:
                await anyio.sleep(0.01)
                continue
            if status == "success":
                return
            for key in list((await one.state(run)).uncertain):
                await one.journal.add(run, UncertainResolved(key, "skip"))

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for one in several:
                tasks.start_soon(goes_on, one)
    assert (await several[0].get(run)).status == "success"
    events = [entry.event for entry in await several[0].journal.read(run)]
    started = [event.key for event in events if isinstance(event, StepStarted)]
    assert sorted(started) == sorted(names)


async def test_another_engine_can_cancel_a_running_step(engine: Opened) -> None:
    begun, ended = anyio.Event(), anyio.Event()
    runs, other = await engine(a=stuck(begun, ended)), await engine()
    run = await runs.runs.start(RunRequest(ONE, 1))
    statuses: list[str] = []

    async def goes() -> None:
        statuses.append(await runs.advance(run))

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(goes)
            await begun.wait()
            with anyio.fail_after(2.5):
                await other.cancel(run, by="Ada")
        assert ended.is_set()
    assert statuses == ["cancelled"]
    entries = await runs.journal.read(run)
    assert [entry.event.kind for entry in entries[-3:]] == [
        "cancel_asked",
        "step_cancelled",
        "finished",
    ]


async def test_a_run_whose_process_is_gone_can_be_cancelled(engine: Opened) -> None:
    runs = await engine()
    run = await runs.runs.start(RunRequest(ONE, 1))
    await cut_off(runs, run, "a")
    with anyio.fail_after(60):
        await runs.cancel(run)
        kinds = [entry.event.kind async for entry in runs.follow(run)]
    assert kinds[-1] == "finished"
    assert (await runs.get(run)).status == "cancelled"
    told = records(await runs.journal.read(run))
    assert [(record.key, record.status) for record in told] == [
        ("s", "success"),
        ("a", "cancelled"),
    ]


async def test_whoever_follows_gets_every_entry_once_from_any_offset(engine: Opened) -> None:
    names = [f"n{index}" for index in range(10)]
    graph = workflow(
        {"s": "start", **dict.fromkeys(names, "once")},
        [f"{one} > {other}" for one, other in zip(["s", *names], names, strict=False)],
    )
    runs, elsewhere = await engine(), await engine()
    run = await runs.runs.start(RunRequest(graph, 1))
    seen: dict[int, list[int]] = {}

    async def follow(one: Engine, number: int, after: int) -> None:
        seen[number] = [entry.seq async for entry in one.follow(run, after)]

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for number, one in enumerate((runs, elsewhere)):
                tasks.start_soon(follow, one, number, 0)
                tasks.start_soon(follow, one, number + 2, 5)
            await runs.advance(run)
        last = len(await runs.journal.read(run))
        await follow(elsewhere, 4, last - 1)
        await follow(elsewhere, 5, last)
    whole = list(range(1, last + 1))
    assert seen == {0: whole, 1: whole, 2: whole[5:], 3: whole[5:], 4: [last], 5: []}
    with pytest.raises(NotFound):
        await anext(aiter(runs.follow("nothing")))


async def test_a_fork_of_a_run_that_failed_keeps_what_failed_elsewhere(engine: Opened) -> None:
    graph = workflow(
        {"s": "start", "bad": "once", "good": "once", "join": "once", "last": "once"},
        ["s > bad", "s > good", "bad > join", "good > join", "join > last"],
    )
    runs = await engine(bad=fails(9))
    run = await runs.runs.start(RunRequest(graph, 1))
    assert await runs.advance(run) == "partial"
    again = await engine()
    forked = await again.runs.fork(run, "last", lambda _: "edited")
    assert await again.advance(forked) == "partial"
    state = await again.state(forked)
    assert dict(state.outcomes())["last"].value == "edited"
    events = [entry.event for entry in await again.journal.read(forked)]
    assert [event.key for event in events if isinstance(event, StepStarted)] == ["last"]


async def test_a_run_cannot_begin_inside_a_loop(engine: Opened) -> None:
    graph = workflow({"s": "start", "l": "each", "b": "once"}, ["s > l", "l.loop > b"])
    runs = await engine()
    run = await runs.runs.start(RunRequest(graph, [1, 2]))
    assert await runs.advance(run) == "success"
    with pytest.raises(Conflict, match="body of a loop") as refused:
        await runs.runs.fork(run, "b")
    assert refused.value.hint == "start at the loop: 'l'"


async def test_a_failure_that_its_loop_lives_with_is_no_failure_of_the_run(engine: Opened) -> None:
    graph = workflow({"s": "start", "l": "each", "b": "once"}, ["s > l", "l.loop > b"])
    runs = await engine(b=fails(1))
    run = await runs.runs.start(RunRequest(graph, [1, 2]))
    assert await runs.advance(run) == "success"
    assert result_of(await runs.state(run)) == [{"failed": "TEST_FAILED"}, 2]


async def test_a_value_that_is_no_json_fails_the_step_and_not_the_engine(engine: Opened) -> None:
    async def odd(_context: NodeContext) -> Outcome:
        return Outcome({"set": {1, 2}})  # type: ignore[dict-item] # that is the point

    runs = await engine(a=odd)
    run = await runs.runs.start(RunRequest(ONE, 1))
    assert await runs.advance(run) == "failed"
    error = (await runs.get(run)).error
    assert error is not None
    assert "not JSON" in error


async def test_a_run_is_found_by_how_its_id_begins(engine: Opened) -> None:
    runs = await engine()
    run = await runs.runs.start(RunRequest(ONE, 1))
    assert (await runs.match(run[:8])).id == (await runs.get(run)).id == run
    for wrong in ("", "zzz", run + "0", "%", run[:4] + "_"):
        with pytest.raises(NotFound):
            await runs.match(wrong)
    with pytest.raises(NotFound):
        await runs.get(run[:8])


async def test_a_journal_that_makes_no_sense_is_told_and_no_harm_is_done(engine: Opened) -> None:
    runs = await engine()
    run = await runs.runs.start(RunRequest(ONE, 1))
    lease, _ = await runs.journal.take(run)
    await runs.journal.append(lease, [written(StepFinished("a", 1))])
    before = await runs.journal.read(run)
    with pytest.raises(Invalid) as refused:
        await runs.advance(run)
    assert refused.value.code == "JOURNAL_UNREADABLE"
    assert await runs.journal.read(run) == before


async def test_more_steps_than_may_run_at_once_all_get_their_turn(engine: Opened) -> None:
    meeting = meets(Barrier(64))
    names = [f"n{index}" for index in range(128)]
    graph = workflow(
        {"s": "start", **dict.fromkeys(names, "once")}, [f"s > {name}" for name in names]
    )
    runs = await engine(**dict.fromkeys(names[:64], meeting))
    run = await runs.runs.start(RunRequest(graph, 1))
    with anyio.fail_after(60):
        assert await runs.advance(run) == "success"
    assert len(dict((await runs.state(run)).outcomes())) == 129


async def test_what_was_decided_about_a_step_is_told(engine: Opened) -> None:
    runs = await engine()
    wanted: tuple[tuple[Choice, str, str], ...] = (
        ("skip", "success", "skipped"),
        ("fail", "failed", "failed"),
        ("retry", "success", "success"),
    )
    for choice, status, shown in wanted:
        run = await runs.runs.start(RunRequest(ONE, 1))
        await cut_off(runs, run, "a")
        await runs.advance(run)
        await runs.journal.add(run, UncertainResolved("a", choice))
        assert await runs.advance(run) == status
        entries = await runs.journal.read(run)
        told = {record.key: record.status for record in records(entries)}
        assert told["a"] == shown
        assert execution(run, await runs.plan(run), entries)["status"] == status


async def test_a_full_disk_stops_a_run_and_nothing_is_lost(tmp_path: Path) -> None:
    graph = workflow(
        {"s": "start", **{f"n{index}": "keyed" for index in range(40)}},
        [f"{'s' if index == 0 else f'n{index - 1}'} > n{index}" for index in range(40)],
    )
    text: Json = "x" * 20_000
    with small_disk(tmp_path / "disk", "6m") as folder:
        ballast = folder / "ballast"
        ballast.write_bytes(b"\0" * 4_800_000)
        async with open_database(folder / "runs.db") as database:
            await migrate(database)
            clock = FakeClock()
            services = EngineServices(EchoTools(), clock)
            kinds = Kinds(**{f"n{index}": gives(text) for index in range(40)})
            engine = Engine(
                database, Journal(database, clock), kinds, services=services, checker=Unchecked()
            )
            async with engine.running():
                run = await engine.runs.start(RunRequest(graph, 1))
                with pytest.raises(Unavailable) as refused:
                    await engine.advance(run)
                assert refused.value.code == "STORAGE_FULL"
                before = await engine.journal.read(run)
                assert len(before) > 3
                ballast.unlink()
                again = await engine.state(run)
                assert again.finished is None
                with anyio.fail_after(60):
                    assert await engine.advance(run) == "success"
                after = await engine.journal.read(run)
                assert after[: len(before)] == before
                assert len(dict((await engine.state(run)).outcomes())) == 41
