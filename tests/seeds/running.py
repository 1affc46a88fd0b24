"""Runs of single nodes over REST, as a client of the service starts and follows them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import anyio
import httpx2

from rest.house import House, house_in

OVER = ("success", "failed", "partial", "cancelled")

# Any: documents and answers as plain JSON.
Json = dict[str, Any]
START: Json = {"id": "start", "type": "start", "name": "start", "data": {}}


def node(name: str, ref: str, config: Json | None = None, inputs: Json | None = None) -> Json:
    """A node of the catalog."""
    kind, _, subtype = ref.partition(".")
    data: Json = {"subtype": subtype, "configurations": config or {}, "inputParams": inputs or {}}
    return {"id": name, "type": kind, "name": name, "data": data}


def document(name: str, *nodes: Json, edges: tuple[str, ...] = ()) -> Json:
    """A workflow; without edges each node leads to the next, `a.port > b` is an edge."""
    ways = edges or tuple(f"{a['id']} > {b['id']}" for a, b in pairwise(nodes))
    joined: list[Json] = []
    for number, way in enumerate(ways):
        source, _, target = way.partition(" > ")
        source, _, port = source.partition(".")
        ports = {"fromPort": port or "output", "toPort": "input"}
        joined.append({"id": f"e{number}", "from": source, "to": target, **ports})
    placed = [{**one, "position": {"x": 200 * at, "y": 0}} for at, one in enumerate(nodes)]
    about = {"id": name, "name": name, "version": "1.0.0"}
    return {**about, "nodes": placed, "connections": joined}


@dataclass(frozen=True)
class Service:
    """The whole service in this process, and one key that may do everything."""

    house: House
    headers: dict[str, str]

    async def send(self, method: str, path: str, body: Any = None) -> httpx2.Response:
        url = f"/api/v1/{path}"
        return await self.house.client.request(method, url, json=body, headers=self.headers)

    async def json(self, method: str, path: str, body: Any = None) -> Any:
        answer = await self.send(method, path, body)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else None

    async def started(self, what: Json, inputs: Any = None) -> str:
        body = {"document": what, "inputs": {} if inputs is None else inputs}
        return (await self.json("POST", "runs", body))["id"]

    async def until(self, run: str, *statuses: str) -> Any:
        """The run once it has one of these states."""
        with anyio.fail_after(60):
            while True:
                shown = await self.json("GET", f"runs/{run}")
                if shown["status"] in statuses:
                    return shown
                await anyio.sleep(0.01)

    async def over(self, run: str) -> Any:
        return await self.until(run, *OVER)

    async def ran(self, what: Json, inputs: Any = None) -> Any:
        """A run to its end."""
        return await self.over(await self.started(what, inputs))

    async def alone(self, ref: str, config: Json, inputs: Json | None = None) -> Any:
        """What one node gives, after a start."""
        shown = await self.ran(document("alone", START, node("n", ref, config, inputs)))
        assert shown["status"] == "success", shown["error"]
        return step(shown)["value"]

    async def later(self, seconds: float) -> None:
        """Let time pass, and have the engine look at its clock: a new wait makes it look."""
        self.house.clock.seconds += seconds
        wait = node("n", "FLOW.DELAY", {"duration_seconds": 1e6})
        run = await self.started(document("later", START, wait))
        await self.until(run, "waiting")
        await self.json("POST", f"runs/{run}/cancel")

    async def stored(self, what: Json, *, enabled: bool = True) -> None:
        """Save a workflow and switch its triggers on."""
        await self.json("PUT", f"workflows/{what['name']}", {"document": what})
        if enabled:
            await self.json("POST", f"triggers/{what['name']}/enable", {})
            self.house.clock.seconds += 10  # unknown paths are looked up only now and then

    async def runs_of(self, workflow: str, count: int = 1) -> list[Any]:
        """The runs of a workflow, all at their end."""
        with anyio.fail_after(60):
            while True:
                found = (await self.json("GET", f"runs?workflow={workflow}"))["runs"]
                if len(found) >= count and all(one["status"] in OVER for one in found):
                    return [await self.json("GET", f"runs/{one['id']}") for one in found]
                await anyio.sleep(0.01)


def step(shown: Any, key: str = "n") -> Any:
    [found] = [one for one in shown["steps"] if one["key"] == key]
    return found


@asynccontextmanager
async def service_in(home: Path) -> AsyncGenerator[Service]:
    """Open it; it may reach this machine."""
    opened = house_in(home, rate_per_s=1e6, burst=10**6, reaches_private=True)
    async with opened as house:
        yield Service(house, await house.key("admin"))
