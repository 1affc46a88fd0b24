"""Runs the rows of proof: each value in a run of its own, all in one engine."""

import itertools
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.engine.building import workflow
from tests.nodes.flow.running import an_engine, finish
from tests.nodes.proof.rows import PAUSE, SETTINGS, Fails, Row, Unset, record_of

from toolweave import json_text
from toolweave.app.open_engine import open_resources
from toolweave.catalog.spec import NodeSpec
from toolweave.engine.engine import Engine
from toolweave.engine.runs import RunRequest
from toolweave.home import open_home
from toolweave.json_text import Json, JsonObject
from toolweave.settings import Settings
from toolweave.testing.clock import FakeClock
from toolweave.workflow.model import Workflow

OWN = "$own"
ERROR = "error."
# What is shown of what is not there.
ABSENT = "absent"


class Bench:
    """An engine on a home of its own, with everything nodes may ask for."""

    def __init__(self, engine: Engine, clock: FakeClock) -> None:
        self._engine = engine
        self._clock = clock
        self._numbers = itertools.count(1)

    async def try_value(self, row: Row, value: "Json | Unset") -> "Json | Fails":
        """What comes of one value."""
        own = f"own{next(self._numbers)}"
        config, inputs = dict(row.config), dict(row.inputs)
        varied = inputs if row.is_input else config
        varied.pop(row.field, None)
        if not isinstance(value, Unset):
            varied[row.field] = value
        for step in row.before:
            if PAUSE in step:
                await self._clock.advance(float(str(step[PAUSE])))
            else:
                settings = {**config, **record_of(step.get(SETTINGS, {}))}
                earlier = {name: one for name, one in step.items() if name != SETTINGS}
                await self._run(replace(row, shows=""), _named(settings, own), _named(earlier, own))
        found = await self._run(row, _named(config, own), _named(inputs, own))
        return found if isinstance(found, Fails) else _with_mark(found, own)

    async def passed_over(self, spec: NodeSpec, came_in: Json) -> list[str]:
        """The ports that what came in goes on by from a disabled node, whatever it lacks to run."""
        data: Any = {"subtype": spec.subtype, "configurations": {"enabled": False}}
        ports = [port.name for port in spec.output_ports]
        nodes: dict[str, Any] = {
            "s": "start",
            "n": (spec.type, data),
            **dict.fromkeys(ports, "end"),
        }
        graph = workflow(nodes, ["s > n", *(f"n.{port} > {port}" for port in ports)])
        run = await self._engine.runs.start(RunRequest(graph, came_in))
        assert await self._engine.advance(run) == "success"
        outcomes = dict((await self._engine.state(run)).outcomes())
        gone_on = {name: outcomes[name].value for name in ports if name in outcomes}
        # A merge gives what all its branches bring.
        expected = [came_in] if spec.ref == "FLOW.MERGE" else came_in
        assert all(value == expected for value in gone_on.values()), gone_on
        return list(gone_on)

    async def _run(self, row: Row, config: JsonObject, inputs: JsonObject) -> "Json | Fails":
        run = await self._engine.runs.start(
            RunRequest(_graph(row, config, inputs), inputs.get("data", inputs))
        )
        await finish(self._engine, self._clock, run)
        state = await self._engine.state(run)
        outcome = dict(state.outcomes()).get("n")
        if outcome is None:
            assert state.finished is not None, f"it still waits: {state.waiting}"
            assert state.finished.error is not None
            if row.shows.startswith(ERROR):
                return shown(state.finished.error, row.shows.removeprefix(ERROR))
            return Fails(str(state.finished.error["code"]))
        if row.shows == "ports":
            return list(outcome.ports)
        return shown(outcome.value, row.shows)


def shown(value: Json, path: str) -> Json:
    """What is at a dotted path."""
    for name in filter(None, path.split(".")):
        value = value[int(name)] if isinstance(value, list) else _member(value, name)
    return value


def _member(value: Json, name: str) -> Json:
    assert isinstance(value, dict), f"{name!r} of {value!r}"
    return value.get(name, ABSENT)


def _named(value: JsonObject, own: str) -> JsonObject:
    found = json_text.read(json_text.write(value).replace(OWN, own))
    assert isinstance(found, dict)
    return found


def _with_mark(value: Json, own: str) -> Json:
    return json_text.read(json_text.write(value).replace(own, OWN))


def _graph(row: Row, config: JsonObject, inputs: JsonObject) -> Workflow:
    kind, _, subtype = row.ref.partition(".")
    once: JsonObject = {"retry_attempts": 0, **config}
    data: Any = {"subtype": subtype, "configurations": once, "inputParams": inputs}
    nodes: dict[str, Any] = {"n": (kind, data)}
    edges: list[str] = []
    if kind != "TRIGGER":
        nodes["s"] = "start"
        edges.append("s > n")
    if row.body is not None:
        body_kind, _, body_subtype = str(row.body["ref"]).partition(".")
        settings = {"retry_attempts": 0, **record_of(row.body.get("config", {}))}
        nodes["b"] = (body_kind, {"subtype": body_subtype, "configurations": settings})
        edges.append("n.loop > b")
    return workflow(nodes, edges)


@asynccontextmanager
async def open_bench(home: Path) -> AsyncGenerator[Bench]:
    """A bench that is used by many rows."""
    clock = FakeClock()
    files = home / "files"
    files.mkdir()
    (files / "proof.txt").write_text("words of a file", encoding="utf-8")
    (files / "proof.bin").write_bytes("é".encode("latin-1"))
    async with (
        open_home(Settings(home=home), clock=clock, environ={}, directory=home) as opened,
        open_resources(opened) as resources,
        an_engine(opened.database, clock, resources) as engine,
    ):
        yield Bench(engine, clock)
