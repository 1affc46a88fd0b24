"""Heavy steps are computed in processes of their own, which end alone and leave nothing behind."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest
from tests.engine.building import EchoTools, workflow

from servers.runners.eventually import eventually
from toolweave.catalog.node import Looping, NodeCode, NodeInput, Pure
from toolweave.clock import SystemClock
from toolweave.engine import heavy_steps, heavy_work, step_process
from toolweave.engine.context import EngineServices
from toolweave.engine.decide import result_of
from toolweave.engine.engine import Engine
from toolweave.engine.events import StepFailed
from toolweave.engine.heavy_work import HeavyFailure, HeavyResult, HeavyWork, name_of
from toolweave.engine.journal import Journal
from toolweave.engine.runs import RunRequest
from toolweave.engine.step_pool import StepPool, StepProcess
from toolweave.engine.step_process import PipedNames
from toolweave.json_text import Json, JsonObject
from toolweave.nodes import discover
from toolweave.nodes.action import parse
from toolweave.nodes.registry import NodeRegistry
from toolweave.storage.database import open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.unchecked import Unchecked
from toolweave.workflow.model import Workflow

pytestmark = pytest.mark.anyio

ROWS = "[" + ",".join(['{"n": 1}'] * 20_000) + "]"
# About 10 ms of work, and more than there is time for.
NESTED = "{{ data.items.all(a, data.items.all(b, a + b >= 0)) }}"


def parsing(text: str = "{{ data.text }}") -> tuple[str, JsonObject]:
    inputs: JsonObject = {"text": text}
    return "ACTION", {
        "subtype": "PARSE",
        "configurations": {"format": "json"},
        "inputParams": inputs,
    }


def parses(text: str = "{{ data.text }}") -> Workflow:
    return workflow({"s": "start", "p": parsing(text), "e": "end"}, ["s > p", "p > e"])


def endless(monkeypatch: pytest.MonkeyPatch) -> Workflow:
    """A step that computes for minutes."""
    monkeypatch.setattr(heavy_steps, "STEP_WORK", 10**12)
    return parses(f"[{', '.join([NESTED] * 9_000)}]")


def work_of(text: str, **more: Any) -> HeavyWork:
    name = name_of(parse.node)
    data = parsing()[1]
    return HeavyWork("compute", "p", name, "ACTION", data, {"text": text}, None, 10**6, **more)


def endless_work(**more: Any) -> HeavyWork:
    data = parsing(f"[{', '.join([NESTED] * 9_000)}]")[1]
    incoming: JsonObject = {"items": list[Json](range(300))}
    code = name_of(parse.node)
    return HeavyWork("compute", "p", code, "ACTION", data, incoming, None, 10**12, **more)


@asynccontextmanager
async def opened(folder: Path) -> AsyncGenerator[Engine]:
    clock = SystemClock()
    async with open_database(folder / "runs.db") as database:
        await migrate(database)
        journal, services = Journal(database, clock), EngineServices(EchoTools(), clock)
        engine = Engine(database, journal, NodeRegistry(), services=services, checker=Unchecked())
        async with engine.running():
            yield engine


async def ran(engine: Engine, graph: Workflow, inputs: Json) -> tuple[str, Json]:
    run = await engine.runs.start(RunRequest(graph, inputs))
    with anyio.fail_after(60):
        await engine.advance(run)
    found, state = await engine.get(run), await engine.state(run)
    if found.status == "success":
        return found.status, result_of(state)
    return found.status, [_shown(failed) for failed in state.failures.values()]


def _shown(failed: StepFailed) -> Json:
    return [failed.code, failed.message, failed.hint]


async def until(condition: Callable[[], object]) -> None:
    with anyio.fail_after(60):
        while not await anyio.to_thread.run_sync(_soon, condition):
            await anyio.lowlevel.checkpoint()


def _soon(condition: Callable[[], object]) -> bool:
    threading.Event().wait(0.02)
    return bool(condition())


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


async def test_a_heavy_step_is_computed_in_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[int] = []
    real = parse.Parse.compute

    def noted(self: parse.Parse, given: NodeInput) -> Any:
        computed.append(len(given.text("text")))
        return real(self, given)

    monkeypatch.setattr(parse.Parse, "compute", noted)
    async with opened(tmp_path) as engine:
        assert await ran(engine, parses(), {"text": "[1]"}) == ("success", [1])
        assert computed == [3]
        assert engine.services.heavy.processes == []
        status, value = await ran(engine, parses(), {"text": ROWS})
        assert (status, computed) == ("success", [3])
        assert value == [{"n": 1}] * 20_000
        (pid,) = engine.services.heavy.processes
        await ran(engine, parses(), {"text": ROWS})
        assert engine.services.heavy.processes == [pid]
    assert not is_alive(pid)


def examples() -> Iterator[tuple[NodeCode, Any]]:
    for node in discover():
        if isinstance(node, Pure | Looping):
            for example in node.spec.examples:
                yield node, example


class GivenNames(PipedNames):
    """The same names without a pipe."""

    def __init__(self, work: HeavyWork, given: JsonObject) -> None:
        super().__init__(work, BytesIO(), BytesIO())
        self._given = given

    def look_up(self, name: str) -> Json:
        return self._given[name]


def test_every_pure_node_gives_the_same_there() -> None:
    process, compared = StepProcess(), 0
    run: JsonObject = {"id": "r", "workflow": "w", "started_at": "2026-01-01T00:00:00Z"}
    names: JsonObject = {"run": run, "trigger": {"a": 1}}
    for node, example in examples():
        data: JsonObject = {
            "subtype": node.spec.subtype,
            "configurations": example.configurations,
            "inputParams": example.input_params,
        }
        purpose = "items" if isinstance(node, Looping) else "compute"
        code = name_of(node)
        assert code is not None, node
        work = HeavyWork(purpose, "n", code, node.spec.type, data, {"b": 2}, None, 10**6)
        found = process.compute(work, names, 10**6)
        assert found == step_process.compute(work, GivenNames(work, names)), node.spec.ref
        compared += isinstance(found, HeavyResult)
    process.close()
    assert compared > 30


async def test_names_and_failures_are_those_of_the_run(tmp_path: Path) -> None:
    fields: JsonObject = {"n": "{{ nodes.p.output.count + trigger.add }}", "who": "{{ run.id }}"}
    wrong: JsonObject = {"n": "{{ no_such.name }}"}

    def graph(values: JsonObject) -> Workflow:
        settings: JsonObject = {"subtype": "SET_FIELDS", "configurations": {"set": values}}
        nodes = {"s": "start", "p": parsing(), "f": ("ACTION", settings), "e": "end"}
        return workflow(nodes, ["s > p", "p > f", "f > e"])

    async with opened(tmp_path) as engine:
        for text in ('[{"n": 1}]', ROWS):
            status, value = await ran(engine, graph(fields), {"text": text, "add": 1})
            assert status == "success"
            assert isinstance(value, list)
            assert isinstance(value[0], dict)
            assert value[0]["n"] == (2 if text != ROWS else 20_001)
        assert engine.services.heavy.processes
        inputs: JsonObject = {"add": 1}
        small = await ran(engine, graph(wrong), {"text": "[1]", **inputs})
        assert small[0] == "partial"
        assert await ran(engine, graph(wrong), {"text": ROWS, **inputs}) == small


async def test_a_loop_whose_condition_is_heavy_is_decided_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop: JsonObject = {
        "subtype": "LOOP",
        "configurations": {
            "loop_type": "while",
            "loop_condition": "trigger.items.all(a, trigger.items.all(b, a + b >= 0)) && index < 3",
        },
        "inputParams": {"data": {"x": 1}},
    }
    graph = workflow({"s": "start", "l": ("FLOW", loop), "e": "end"}, ["s > l", "l.done > e"])
    async with opened(tmp_path) as engine:
        for items in (list[Json](range(3)), list[Json](range(300))):
            assert engine.services.heavy.processes == []
            status, value = await ran(engine, graph, {"items": items})
            assert status == "success", value
            assert isinstance(value, dict)
            assert value["successful_iterations"] == 3
        assert engine.services.heavy.processes
        status, value = await ran(engine, graph, {"items": list[Json](range(2_000))})
        assert status == "failed"
        assert "EXPRESSION_LIMIT" in str(value)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_memory_is_taken_from_the_process_and_not_from_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "[" + ",".join(['{"a":1}'] * 400_000) + "]"

    async with opened(tmp_path) as engine:
        graph = parses()
        await ran(engine, graph, {"text": ROWS})  # both ways are warm
        with monkeypatch.context() as patch:
            patch.setattr(heavy_steps, "name_of", dict[object, str]().get)
            before = _reset_peak_mb()
            status, _ = await ran(engine, graph, {"text": text})
            in_thread_mb = _peak_mb() - before
            assert status == "success"
        assert in_thread_mb > 30
        monkeypatch.setattr(HeavyWork, "__init__", _with(memory_bytes=64 * 1024 * 1024))
        before = _reset_peak_mb()
        status, failed = await ran(engine, graph, {"text": text})
        assert _peak_mb() - before < in_thread_mb / 2
    assert status == "failed"
    assert failed == [
        [
            "STEP_MEMORY_LIMIT",
            "node 'p' needs more than 64 MB of memory",
            "process less data at a time",
        ]
    ]


def _with(**limits: int) -> Any:
    real = HeavyWork.__init__

    def made(self: HeavyWork, *given: Any, **more: Any) -> None:
        real(self, *given, **{**more, **limits})

    return made


def _reset_peak_mb() -> int:
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _peak_mb()


def _peak_mb() -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


async def test_what_a_step_gives_and_computes_is_limited() -> None:
    pool = StepPool()
    try:
        small = await pool.compute(work_of("[1]"), {}, 60)
        assert isinstance(small, HeavyResult)
        large = await pool.compute(work_of(ROWS, max_result_bytes=10_000), {}, 60)
        assert isinstance(large, HeavyFailure)
        assert large.code == "STEP_OUTPUT_LIMIT"
        again = await pool.compute(work_of("[1]"), {}, 60)
        assert again == small
        (pid,) = pool.processes
        slow = await pool.compute(endless_work(cpu_s=0), {}, 60)
        assert isinstance(slow, HeavyFailure)
        assert slow.code == "STEP_CPU_LIMIT"
        assert await pool.compute(work_of("[1]"), {}, 60) == small
        assert pool.processes != [pid]
    finally:
        await pool.close()


@pytest.mark.parametrize("how", ["killed", "late"])
async def test_a_step_whose_process_ends_fails_and_the_next_gets_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    graph = endless(monkeypatch)
    code = "STEP_TIMEOUT" if how == "late" else "STEP_PROCESS_ENDED"
    async with opened(tmp_path) as engine, anyio.create_task_group() as tasks:
        pool = engine.services.heavy
        if how == "late":
            parameters = graph.nodes[1].data["configurations"]
            assert isinstance(parameters, dict)
            parameters["timeout"] = 1

        assert (await ran(engine, parses(), {"text": ROWS}))[0] == "success"

        async def kills() -> None:
            await until(lambda: pool.busy)
            os.kill(pool.busy[0], signal.SIGKILL)

        if how == "killed":
            tasks.start_soon(kills)
        items: list[Json] = list(range(300))
        status, failed = await ran(engine, graph, {"items": items})
        assert status == "failed"
        assert code in str(failed)
        assert "'p'" in str(failed)
        assert (await ran(engine, parses(), {"text": ROWS}))[0] == "success"


async def test_a_cancelled_run_ends_its_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = endless(monkeypatch)
    async with opened(tmp_path) as engine, anyio.create_task_group() as tasks:
        run = await engine.runs.start(RunRequest(graph, {"items": list[Json](range(300))}))
        tasks.start_soon(engine.advance, run)
        await until(lambda: engine.services.heavy.processes)
        (pid,) = engine.services.heavy.processes
        assert is_alive(pid)
        with anyio.fail_after(60):
            await engine.cancel(run)
        await until(lambda: not is_alive(pid))
        assert (await engine.get(run)).status == "cancelled"


SERVICE = """
from toolweave.engine.heavy_work import HeavyWork
from toolweave.engine.step_pool import StepProcess
process = StepProcess()
print(process.pid, flush=True)
text = "{{ data.items.all(a, data.items.all(b, a + b >= 0)) }}" * 9_000
data = {"subtype": "PARSE", "configurations": {"format": "json"}, "inputParams": {"text": text}}
code, items = "toolweave.nodes.action.parse:node", {"items": list(range(300))}
process.compute(HeavyWork("compute", "p", code, "ACTION", data, items, None, 10**12), {}, 0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_no_process_outlives_the_service() -> None:
    service = subprocess.Popen([sys.executable, "-c", SERVICE], stdout=subprocess.PIPE)
    assert service.stdout is not None
    pid = int(service.stdout.readline())
    # It computes, and reads nothing meanwhile.
    eventually(lambda: _used_ticks(pid) > 100)
    assert is_alive(pid)
    service.kill()
    service.wait()
    service.stdout.close()
    eventually(lambda: not is_alive(pid))


def _used_ticks(pid: int) -> int:
    stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return int(stat[11]) + int(stat[12])


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_process_knows_no_secret_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLWEAVE_VAULT_KEY", "planted")
    plain = subprocess.run(
        [sys.executable, "-c", "import os; print(os.environ['TOOLWEAVE_VAULT_KEY'])"],
        capture_output=True,
        check=True,
    )
    assert plain.stdout.strip() == b"planted"
    process = StepProcess()
    assert isinstance(process.compute(work_of("[1]"), {}, 0), HeavyResult)
    environ = Path(f"/proc/{process.pid}/environ").read_bytes()
    assert b"PATH=" in environ
    assert b"planted" not in environ
    process.close()


async def test_a_process_that_ended_while_idle_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = StepPool()
    assert isinstance(await pool.compute(work_of("[1]"), {}, 60), HeavyResult)
    (pid,) = pool.processes
    # As after a minute without work.
    pool.end_idle()
    await until(lambda: not is_alive(pid))
    assert isinstance(await pool.compute(work_of("[1]"), {}, 60), HeavyResult)
    assert pool.processes != [pid]
    await pool.close()


async def test_what_is_no_json_is_left_to_the_service() -> None:
    pool = StepPool()
    assert await pool.compute(work_of("\ud800"), {}, 60) is None
    assert isinstance(await pool.compute(work_of("[1]"), {}, 60), HeavyResult)
    await pool.close()


@pytest.mark.parametrize(
    "value",
    [
        None,
        "x" * 300_000,
        [["x" * 150_000], 1, {"a": ["y" * 120_000] * 2, "b": [list[Json](range(9))] * 9_000}],
        {"rows": [{"n": index} for index in range(20_000)], "none": None, "": {"k": []}},
        [[[[["z" * 100_001]]]]],
    ],
)
def test_a_value_in_parts_is_the_same_again(value: Json) -> None:
    built = heavy_work.Assembly()
    for kind, *content in heavy_work.parts_of(value):
        built.take(str(kind), content[0] if content else None)
    assert built.value == value
