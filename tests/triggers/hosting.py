"""A studio with triggers in this process: a real home, a real engine, a clock tests can move."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import anyio

from toolweave.app.open_engine import open_engine
from toolweave.app.studio import Studio, open_studio
from toolweave.engine.engine import Engine
from toolweave.engine.events import Started
from toolweave.engine.run_table import RunRecord
from toolweave.home import Home, open_home
from toolweave.json_text import JsonObject
from toolweave.settings import Settings
from toolweave.testing.clock import FakeClock
from toolweave.triggers.service import Triggers
from toolweave.workflow.formats.load import read


@dataclass(frozen=True)
class Host:
    """What a test needs."""

    home: Home
    studio: Studio
    engine: Engine
    triggers: Triggers
    clock: FakeClock

    async def store(self, name: str, *nodes: JsonObject, edges: Sequence[str] = ()) -> None:
        """Save a workflow; without edges each node leads to the next."""
        document = workflow(name, *nodes, edges=edges)
        there = [one for one in await self.studio.home.workflows.list() if one.name == name]
        over = there[0].revision if there else None
        await self.studio.home.workflows.save(read(document).workflow, over=over)

    async def enable(self, name: str, *nodes: JsonObject, edges: Sequence[str] = ()) -> None:
        """Save a workflow and switch it on."""
        await self.store(name, *nodes, edges=edges)
        await self.triggers.switches.enable(name)

    async def runs(self) -> list[RunRecord]:
        """All runs, the first one first."""
        return list(reversed(await self.engine.newest(limit=1000)))

    async def inputs(self) -> list[JsonObject]:
        """What all runs were started with."""
        found: list[JsonObject] = []
        for run in await self.runs():
            event = (await self.engine.journal.read(run.id))[0].event
            assert isinstance(event, Started)
            assert isinstance(event.inputs, dict)
            found.append(event.inputs)
        return found

    async def over(self, run: str) -> RunRecord:
        """The run, once it is over."""
        with anyio.fail_after(60):
            async for _ in self.engine.follow(run):
                pass
        return await self.engine.get(run)


@asynccontextmanager
async def hosting(
    home: Path,
    *,
    clock: FakeClock | None = None,
    is_running: bool = False,
    database: str | None = None,
    allow_private: bool = True,
) -> AsyncGenerator[Host]:
    """Open it; the loops run only if wanted, tests mostly look themselves."""
    time, settings = (
        clock or FakeClock(),
        Settings(home=home, database=database, allow_private_http=allow_private),
    )
    async with (
        open_home(settings, clock=time, environ={}, directory=home) as opened,
        open_studio(opened) as studio,
        open_engine(studio) as engine,
    ):
        triggers = Triggers(opened, engine)
        host = Host(opened, studio, engine, triggers, time)
        if is_running:
            async with triggers.running():
                yield host
        else:
            yield host


def trigger(subtype: str, identity: str = "when", **config: Any) -> JsonObject:
    """A trigger node."""
    return {
        "id": identity,
        "name": identity,
        "type": "TRIGGER",
        "data": {"subtype": subtype, "configurations": config},
    }


def node(identity: str, kind: str = "end", **data: Any) -> JsonObject:
    """Another node."""
    return {"id": identity, "name": identity, "type": kind, "data": data}


def catalog(identity: str, ref: str, **config: Any) -> JsonObject:
    """A node of the catalog."""
    kind, _, subtype = ref.partition(".")
    return node(identity, kind, subtype=subtype, configurations=config)


def workflow(name: str, *nodes: JsonObject, edges: Sequence[str] = ()) -> JsonObject:
    """A workflow; `a > b` is an edge."""
    names = [str(one["id"]) for one in nodes]
    ways = edges or [f"{a} > {b}" for a, b in pairwise(names)]
    return {
        "id": name.lower().replace(" ", "-"),
        "name": name,
        "version": "1.0.0",
        "nodes": [{**one, "position": {"x": 100.0 * at, "y": 0.0}} for at, one in enumerate(nodes)],
        "connections": [
            {
                "id": f"e{at}",
                "from": way.split(">")[0].strip(),
                "to": way.split(">")[1].strip(),
                "fromPort": "output",
                "toPort": "input",
            }
            for at, way in enumerate(ways)
        ],
    }
