"""FLOW.SUBWORKFLOW over the real store and engine: runs once, tells failures, ends recursion."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from tests.engine.building import Behaviour, Kinds, fails, gives, workflow

from toolweave.catalog.node_kind import NodeKind
from toolweave.catalog.resources.record import Resources
from toolweave.clock import SystemClock
from toolweave.engine.context import EngineServices
from toolweave.engine.decide import result_of
from toolweave.engine.engine import Engine
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.engine.subworkflows import MAX_DEPTH, SubWorkflows
from toolweave.home import WORKFLOWS
from toolweave.json_text import Json
from toolweave.nodes.registry import NodeRegistry
from toolweave.storage.database import open_database
from toolweave.storage.migrations import migrate
from toolweave.storage.workflow_files import WorkflowFiles
from toolweave.testing.unchecked import Unchecked
from toolweave.tools.tool import ToolCall, ToolResult
from toolweave.workflow.model import Node, Workflow
from toolweave.workflow.store import WorkflowStore

pytestmark = pytest.mark.anyio


class NoTools:
    async def call(self, call: ToolCall, *, on_progress: object = None) -> ToolResult:
        raise AssertionError(call)


class AllKinds:
    """The real kinds, and `once` of the test."""

    def __init__(self) -> None:
        self._real = NodeRegistry()
        self.scripted = Kinds().scripted

    def of(self, node: Node) -> NodeKind | None:
        return NodeKind(self.scripted, "once") if node.type == "once" else self._real.of(node)


class House:
    """An engine whose workflows can call those of a store."""

    def __init__(self, engine: Engine, store: WorkflowStore, kinds: AllKinds) -> None:
        self.engine = engine
        self.store = store
        self.kinds = kinds

    def behave(self, **behaviours: Behaviour) -> None:
        self.kinds.scripted.behaviours.update(behaviours)

    async def save(self, name: str, made: Workflow) -> None:
        await self.store.save(replace(made, name=name), over=None)


@pytest.fixture
async def house(tmp_path: Path) -> AsyncGenerator[House]:
    clock, kinds = SystemClock(), AllKinds()
    store = WorkflowStore(WorkflowFiles(tmp_path / WORKFLOWS))
    async with open_database(tmp_path / "runs.db") as database:
        await migrate(database)
        services = EngineServices(NoTools(), clock)
        engine = Engine(
            database, Journal(database, clock), kinds, services=services, checker=Unchecked()
        )
        services.resources = Resources(workflows=SubWorkflows(engine, store))
        async with engine.running():
            yield House(engine, store, kinds)


def calling(name: str) -> Workflow:
    call = ("FLOW", {"subtype": "SUBWORKFLOW", "configurations": {"workflow": name}})
    return workflow({"s": "start", "call": call}, ["s > call"])


INNER = workflow({"s": "start", "work": "once", "e": "end"}, ["s > work", "work > e"])


async def run_of(house: House, made: Workflow, inputs: Json) -> tuple[str, str]:
    run = await house.engine.runs.start(RunRequest(made, inputs))
    with anyio.fail_after(60):
        return run, await house.engine.advance(run)


@pytest.mark.exercises("FLOW.SUBWORKFLOW.workflow", "FLOW.SUBWORKFLOW.inputs.data")
@pytest.mark.exercises("FLOW.SUBWORKFLOW.output=details")
async def test_what_the_other_workflow_gives_is_the_result_and_it_runs_once(house: House) -> None:
    house.behave(work=gives({"clean": True}))
    await house.save("inner", INNER)
    run, status = await run_of(house, calling("inner"), {"n": 1})
    assert status == "success"
    result = result_of(await house.engine.state(run))
    assert result == {"result": {"clean": True}, "workflow": "inner"}
    assert house.kinds.scripted.tried == ["work"]


@pytest.mark.exercises("FLOW.SUBWORKFLOW.output=result", "FLOW.SUBWORKFLOW.output=data")
@pytest.mark.exercises("FLOW.SUBWORKFLOW.output")
@pytest.mark.parametrize(
    ("output", "value", "passed_on"),
    [
        ("result", {"data": 1, "note": 2}, {"data": 1, "note": 2}),
        ("data", {"data": 1, "note": 2}, 1),
    ],
)
async def test_the_result_itself_is_given_and_with_data_only_that_goes_on(
    house: House, output: str, value: Json, passed_on: Json
) -> None:
    house.behave(work=gives({"data": 1, "note": 2}))
    await house.save("inner", INNER)
    config: dict[str, Json] = {"workflow": "inner", "output": output}
    call = ("FLOW", {"subtype": "SUBWORKFLOW", "configurations": config})
    made = workflow({"s": "start", "call": call, "e": "end"}, ["s > call", "call > e"])
    run, status = await run_of(house, made, {})
    assert status == "success"
    outcomes = {key: one.value for key, one in (await house.engine.state(run)).outcomes()}
    assert (outcomes["call"], outcomes["e"]) == (value, passed_on)


async def test_a_failure_of_the_other_workflow_fails_the_step_with_its_words(house: House) -> None:
    house.behave(work=fails(9))
    await house.save("inner", INNER)
    run, status = await run_of(house, calling("inner"), {})
    assert status == "failed"
    (failure,) = (await house.engine.state(run)).failures.values()
    assert failure.code == "SUBWORKFLOW_FAILED"
    assert "the test wants it to fail" in failure.message


async def test_a_workflow_that_does_not_exist_is_named(house: House) -> None:
    run, status = await run_of(house, calling("nowhere"), {})
    (failure,) = (await house.engine.state(run)).failures.values()
    assert (status, failure.code) == ("failed", "WORKFLOW_NOT_FOUND")


async def test_a_workflow_that_calls_itself_ends(house: House) -> None:
    await house.save("again", calling("again"))
    _, status = await run_of(house, calling("again"), {})
    assert status == "failed"
    assert len(await house.engine.newest(limit=1000)) == MAX_DEPTH + 1


async def test_cancelling_a_run_cancels_the_one_it_called(house: House) -> None:
    begun = anyio.Event()

    async def forever(_context: object) -> None:
        begun.set()
        await anyio.sleep_forever()

    house.behave(work=forever)  # type: ignore[arg-type] # it never gives anything
    await house.save("inner", INNER)
    run = await house.engine.runs.start(RunRequest(calling("inner"), {}))
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(house.engine.advance, run)
            await begun.wait()
            await house.engine.cancel(run)
        for found in await house.engine.newest():
            async for _ in house.engine.follow(found.id):
                pass
    assert {found.status for found in await house.engine.newest()} == {"cancelled"}
