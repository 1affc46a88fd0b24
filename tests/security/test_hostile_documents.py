"""A run can stop itself, never the service: one budget per step, and no third try of what kills."""

import json
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from tests.engine.building import EchoTools, until_silent, workflow
from tests.security.controls import Control

from rest.drawn import drawn
from rest.house import house_in
from toolweave.authoring import preview
from toolweave.catalog.node import NodeInput, Outcome
from toolweave.catalog.node_kind import NodeKind
from toolweave.cel.budget import WorkBudget, limited_to
from toolweave.cel.fault import SyntaxProblem, fault_at
from toolweave.cel.language import MAX_WORK, Value, evaluate
from toolweave.cel.templates import MAX_PROBLEMS, substitute
from toolweave.engine import heavy_steps, pure_steps, step_input, workflow_snapshots
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.heavy_work import HeavyFailure, HeavyResult, HeavyWork
from toolweave.engine.journal import Journal
from toolweave.engine.lease_owner import new_holder
from toolweave.engine.runs import RunRequest
from toolweave.engine.step_pool import StepProcess
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.registry import NodeRegistry
from toolweave.rest import request_body
from toolweave.storage.database import open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.clock import FakeClock
from toolweave.testing.unchecked import Unchecked
from toolweave.workflow.model import Node

pytestmark = pytest.mark.anyio

ITEMS: list[Json] = list(range(100))
NESTED = "{{ data.items.all(a, data.items.all(b, a + b >= 0)) }}"
LONG = "{{ data.items.all(a, double(data.text) >= 0.0) }}"


def heavy(name: str, template: str, times: int) -> dict[str, Any]:
    """A document of which one step has as many expressions as there is room for."""
    text = f"[{', '.join([template] * times)}]"
    parse = {
        "subtype": "PARSE",
        "configurations": {"format": "json"},
        "inputParams": {"text": text},
    }
    return drawn(name, {"id": "parse", "type": "ACTION", "name": "Parse", "data": parse})


def test_all_expressions_of_a_step_share_one_budget(control: Control) -> None:
    names: JsonObject = {"data": {"items": ITEMS, "text": "1" * 100_000}}
    text = NESTED.strip("{} ")
    control("one expression is computed", isinstance(evaluate(text, names), Value))
    budget = WorkBudget(MAX_WORK)
    with limited_to(budget):
        found = [evaluate(text, names) for _ in range(30)]
    control("the first ones are computed", isinstance(found[0], Value))
    assert not isinstance(found[-1], Value)
    assert found[-1].code == "EXPRESSION_LIMIT"
    assert budget.is_spent


def test_reading_a_number_is_charged_by_the_length_of_its_text(control: Control) -> None:
    expression = LONG.strip("{} ")
    short: JsonObject = {"data": {"items": ITEMS, "text": "1"}}
    control("a short number is read", evaluate(expression, short) == Value(True))
    for convert in ("double", "int", "uint"):
        one = expression.replace("double", convert).replace("0.0", "dyn(0)")
        items: list[Json] = list(range(3_000))
        long: JsonObject = {"data": {"items": items, "text": "1" * 10_000}}
        result = evaluate(one, long)
        assert not isinstance(result, Value), convert


async def test_health_is_answered_while_twenty_hostile_documents_run(
    tmp_path: Path, control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Less than the real budgets: the test shows that turns are taken, not how long they are.
    monkeypatch.setattr(pure_steps, "LIGHT_WORK", 20_000)
    monkeypatch.setattr(heavy_steps, "STEP_WORK", 100_000)
    compute, is_answered = StepProcess.compute, threading.Event()

    def held(process: StepProcess, work: HeavyWork, *others: Any) -> HeavyResult | HeavyFailure:
        # Only the event loop sets it: a step computed there would wait in vain.
        assert is_answered.wait(60)
        return compute(process, work, *others)

    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        key = await house.key()

        async def start(document: dict[str, Any]) -> str:
            body = {"document": document, "inputs": {"items": ITEMS, "text": "1" * 10_000}}
            made = await house.client.post("/api/v1/runs", json=body, headers=key)
            assert made.status_code == 202, made.text
            return made.json()["id"]

        async def status(run: str) -> dict[str, Any]:
            return (await house.client.get(f"/api/v1/runs/{run}", headers=key)).json()

        async def over(run: str) -> dict[str, Any]:
            while (found := await status(run))["status"] == "running":
                await anyio.lowlevel.checkpoint()
            return found

        with anyio.fail_after(60):
            light = await over(await start(heavy("light", NESTED, 1)))
            value = next(one["value"] for one in light["steps"] if one["key"] == "parse")
            control("one such expression is computed", value["data"] == [True])
            monkeypatch.setattr(StepProcess, "compute", held)
            runs = [await start(heavy(f"h{number}", NESTED, 500)) for number in range(20)]
            for run in runs:
                assert (await house.client.get("/health")).status_code == 200
                assert (await status(run))["status"] == "running"
            is_answered.set()
            ended = [await over(run) for run in runs]
        assert {one["status"] for one in ended} == {"failed"}
        assert "too many steps together" in json.dumps(ended[0])


async def test_large_bodies_plans_and_results_leave_the_event_loop_free(
    tmp_path: Path, control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, seen = threading.get_ident(), dict[str, set[bool]]()

    def watched(module: Any, name: str, size: Callable[[Any], int]) -> None:
        real = getattr(module, name)

        def noted(given: Any, *others: Any, **more: Any) -> Any:
            kind = "large" if size(given) > 100_000 else "small"
            seen.setdefault(f"{kind} {name}", set()).add(threading.get_ident() == loop)
            return real(given, *others, **more)

        monkeypatch.setattr(module, name, noted)

    watched(request_body, "read", len)
    watched(workflow_snapshots, "make_plan", lambda _: 1_000_000)
    watched(pure_steps, "written", lambda event: len(str(event)))
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        key = await house.key()
        for text in ("1", "1," * 100_000 + "1"):
            body = {"document": heavy("numbers", text, 1)}
            made = await house.client.post("/api/v1/runs", json=body, headers=key)
            assert made.status_code == 202, made.text
            path = f"/api/v1/runs/{made.json()['id']}"
            with anyio.fail_after(60):
                while True:
                    found = (await house.client.get(path, headers=key)).json()
                    if found["status"] != "running":
                        break
                    await anyio.lowlevel.checkpoint()
            control("it succeeds", found["status"] == "success")
    control("small ones stay on the loop", seen["small read"] == seen["small written"] == {True})
    assert {name: seen[f"large {name}"] for name in ("read", "make_plan", "written")} == {
        "read": {False},
        "make_plan": {False},
        "written": {False},
    }


async def test_a_preview_has_the_budget_of_one_step_for_all_inputs_of_its_node(
    tmp_path: Path, control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preview, "STEP_WORK", 100_000)
    evaluated: list[bool] = []
    real = step_input.evaluate

    def noted(text: str, names: Any) -> Any:
        found = real(text, names)
        evaluated.append(isinstance(found, Value))
        return found

    monkeypatch.setattr(step_input, "evaluate", noted)
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        key = await house.key()
        for times in (1, 90):
            document = heavy(f"preview{times}", NESTED, times)
            body: dict[str, Any] = {"document": document, "inputs": {"items": ITEMS}}
            made = await house.client.post("/api/v1/runs", json=body, headers=key)
            run = made.json()["id"]
            with anyio.fail_after(60):
                while (await house.client.get(f"/api/v1/runs/{run}", headers=key)).json()[
                    "status"
                ] == "running":
                    await anyio.lowlevel.checkpoint()
            evaluated.clear()
            asked = {"document": document, "node": "parse", "run": run, "expression": "{{ 1 }}"}
            asked["field"] = "/configurations/format"
            shown = await house.client.post("/api/v1/edit/preview", json=asked, headers=key)
            assert shown.status_code == 200, shown.text
            if times == 1:
                control("the inputs of a light node are evaluated", evaluated == [True])
    assert len(evaluated) == 90
    assert 0 < evaluated.count(True) < 20


def test_after_many_problems_the_other_expressions_are_not_evaluated(control: Control) -> None:
    tried: list[str] = []

    def resolve(text: str) -> SyntaxProblem | Value:
        tried.append(text)
        return Value(1) if text.strip() == "good" else fault_at(text, 0, "EXPRESSION_LIMIT", "no")

    many = substitute("{{ good }}" * 1_000, resolve)
    control("good ones are all evaluated", (len(tried), many.problems) == (1_000, ()))
    tried.clear()
    found = substitute("{{ bad }}" * 1_000, resolve)
    assert len(tried) == len(found.problems) == MAX_PROBLEMS


BOMBS: dict[str, list[dict[str, Any]]] = {
    "doubled": [{"op": "copy", "from": "/data", "path": "/data/-"}] * 40,
    "repeated": [{"op": "add", "path": "/data/-", "value": [0] * 1_000}]
    + [{"op": "copy", "from": "/data/0", "path": "/data/-"}] * 900,
    "deep": [
        {"op": "add", "path": "/data" + "/0" * 90 * level, "value": json.loads("[" * 91 + "]" * 91)}
        for level in range(10)
    ],
    "long": [{"op": "add", "path": "/data/-", "value": "x" * 100_000}]
    + [{"op": "copy", "from": "/data/0", "path": "/data/-"}] * 900,
}


async def test_a_patch_whose_result_grows_without_end_is_refused(
    tmp_path: Path, control: Control
) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        key = await house.key()
        made = await house.client.post(
            "/api/v1/runs", json={"document": heavy("light", "1", 1)}, headers=key
        )
        path = f"/api/v1/runs/{made.json()['id']}"
        with anyio.fail_after(60):
            while (await house.client.get(path, headers=key)).json()["status"] == "running":
                await anyio.lowlevel.checkpoint()

        async def forked(*patch: dict[str, Any]) -> int:
            begin: dict[str, Any] = {"op": "replace", "path": "/data", "value": []}
            body: dict[str, Any] = {"from": "parse", "edit": [begin, *patch]}
            return (await house.client.post(f"{path}/fork", json=body, headers=key)).status_code

        for name, bomb in BOMBS.items():
            control("its beginning is applied", await forked(bomb[0]) == 202)
            assert await forked(*bomb) == 422, name
        assert (await house.client.get("/health")).status_code == 200


class Stops(BaseException):
    """The process is gone."""


class Deadly:
    """A step that takes its process with it so many times."""

    may_be_heavy = False

    def __init__(self, times: int) -> None:
        self.left = times
        self.tried = 0

    def compute(self, given: NodeInput) -> Outcome:
        self.tried += 1
        if self.left > 0:
            self.left -= 1
            raise Stops
        return Outcome("alive")


class WithDeadly(NodeRegistry):
    def __init__(self, deadly: Deadly) -> None:
        super().__init__()
        self._deadly = deadly

    def of(self, node: Node) -> NodeKind | None:
        if node.id == "deadly":
            return NodeKind(self._deadly, "pure", None)
        return super().of(node)


@asynccontextmanager
async def process(file: Path, deadly: Deadly, clock: FakeClock) -> AsyncGenerator[Engine]:
    """An engine over the same database, as after a restart: the last one has ended."""
    machine, pid, begun, which = new_holder().split("/")
    ended = "/".join((machine, pid, f"{int(begun) + 1}", which))
    async with open_database(file) as database:
        await migrate(database)
        await database.execute("UPDATE runs SET holder = ? WHERE holder IS NOT NULL", ended)
        services = EngineServices(EchoTools(), clock)
        journal = Journal(database, clock)
        async with journal.writing():
            engine = Engine(
                database, journal, WithDeadly(deadly), services=services, checker=Unchecked()
            )
            await until_silent(engine, clock)
            yield engine


async def restarted(file: Path, times: int) -> tuple[Deadly, dict[str, Any]]:
    """A run whose step stops its process so many times, restarted until the run is over."""
    clock, deadly, run = FakeClock(), Deadly(times), ""
    document = workflow({"start": "start", "deadly": "prompt"}, ["start > deadly"])
    for _ in range(5):
        async with process(file, deadly, clock) as engine:
            run = run or await engine.runs.start(RunRequest(document))
            try:
                await engine.advance(run)
            except Stops:
                continue
            found = await engine.get(run)
            return deadly, {"status": found.status, "error": found.error}
    raise AssertionError("never over")


async def test_a_run_that_twice_stopped_the_service_is_failed(
    tmp_path: Path, control: Control
) -> None:
    deadly, once = await restarted(tmp_path / "once.db", 1)
    control("one interruption is survived", (deadly.tried, once["status"]) == (2, "success"))
    deadly, found = await restarted(tmp_path / "always.db", 99)
    assert (deadly.tried, found["status"]) == (2, "failed")
    assert "2 times" in found["error"]
