"""A step that is alone in its run needs no task of its own, and stops nothing meanwhile."""

import anyio
import pytest
from tests.engine.building import Behaviour, passes, waits, workflow
from tests.engine.conftest import Opened

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.engine.context import current_step
from toolweave.engine.engine import Engine
from toolweave.engine.events import StepFinished, StepProgress
from toolweave.engine.runs import RunRequest
from toolweave.errors import Conflict
from toolweave.storage.database import Database
from toolweave.tools.tool import ToolProgress

pytestmark = pytest.mark.anyio

CHAIN = workflow({"s": "start", "a": "once", "b": "once"}, ["s > a", "a > b"])
BRANCHES = workflow({"s": "start", "a": "once", "b": "once"}, ["s > a", "s > b"])


def tells_task(seen: dict[str, int]) -> Behaviour:
    async def behave(context: NodeContext) -> Outcome:
        step = current_step.get().rpartition("/")[2]
        seen[step] = anyio.get_current_task().id
        return Outcome(context.given.incoming)

    return behave


def until(event: anyio.Event, begun: anyio.Event) -> Behaviour:
    async def behave(context: NodeContext) -> Outcome:
        await context.progress(ToolProgress(1, 2, "half"))
        begun.set()
        await event.wait()
        return Outcome(context.given.incoming)

    return behave


async def until_written(engine: Engine, run: str, kind: type[object]) -> None:
    """Wait until the journal has an event of a kind."""
    async for entry in engine.follow(run):
        if isinstance(entry.event, kind):
            return


async def test_steps_in_a_chain_share_one_task_and_parallel_ones_do_not(engine: Opened) -> None:
    seen: dict[str, int] = {}
    executing = await engine(a=tells_task(seen), b=tells_task(seen))

    assert await executing.advance(await executing.runs.start(RunRequest(BRANCHES, None)))
    assert seen["a"] != seen["b"]  # the control: what is compared can differ
    assert await executing.advance(await executing.runs.start(RunRequest(CHAIN, None)))
    assert seen["a"] == seen["b"]
    assert current_step.get() == ""


async def test_what_a_lone_step_says_is_written_while_it_runs(engine: Opened) -> None:
    end, begun = anyio.Event(), anyio.Event()
    executing = await engine(a=until(end, begun))
    run = await executing.runs.start(RunRequest(CHAIN, None))

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(executing.advance, run)
            await until_written(executing, run, StepProgress)
            end.set()
        kinds = [entry.event.kind async for entry in executing.follow(run)]
    assert kinds.index("step_progress") < kinds.index("step_finished")
    assert kinds[-1] == "finished"


async def test_an_answer_continues_its_branch_while_a_lone_step_runs(engine: Opened) -> None:
    end, begun = anyio.Event(), anyio.Event()
    executing = await engine(ask=waits(question={"question": "?"}), slow=until(end, begun))
    graph = workflow(
        {"s": "start", "ask": "once", "first": "once", "slow": "once", "then": "once"},
        ["s > ask", "s > first", "first > slow", "ask > then"],
    )
    run = await executing.runs.start(RunRequest(graph, None))

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(executing.advance, run)
            await begun.wait()
            await executing.answer(run, "ask", "yes")
            async for entry in executing.follow(run):
                if isinstance(entry.event, StepFinished) and entry.event.key == "then":
                    break
            assert not end.is_set()
            end.set()
        assert (await executing.get(run)).status == "success"


async def test_a_lone_step_is_stopped_if_another_process_takes_its_run(
    engine: Opened, database: Database
) -> None:
    ended = anyio.Event()

    async def hangs(context: NodeContext) -> Outcome:
        try:
            # As if another process had taken the run: the next write is refused.
            await database.execute("UPDATE runs SET epoch = epoch + 1")
            await context.progress(ToolProgress(1, 2, "half"))
            await anyio.Event().wait()
        finally:
            ended.set()
        return Outcome(None)

    executing = await engine(a=hangs, b=passes)
    run = await executing.runs.start(RunRequest(CHAIN, None))
    with anyio.fail_after(60), pytest.raises(Conflict) as raised:
        await executing.advance(run)
    assert raised.value.code == "RUN_TAKEN"
    assert ended.is_set()
