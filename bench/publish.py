"""What it costs that a workflow is a tool: `python -m bench.publish` from the root; `--quick` too.

Every line is a ratio of two medians of the same run, measured in turns: a call of the published
tool by an MCP client against starting the same workflow in the engine and waiting for its end.
"""

import sys
import tempfile
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import anyio
from mcp import Client

from toolweave.app.running_studio import RunningStudio, open_running_studio
from toolweave.authoring.live_catalog import CountingToolService, LiveCatalog
from toolweave.engine.runs import RunRequest
from toolweave.home import open_home
from toolweave.mcp_server.context import McpContext
from toolweave.mcp_server.list_changes import Changes
from toolweave.mcp_server.server import build_server
from toolweave.publishing.service import PublicationRequest, publish
from toolweave.settings import Settings
from toolweave.workflow.formats.load import read

TURNS, QUICK_TURNS = 300, 10
STEPS = (1, 10)
TARGET = 1.2

Work = Callable[[], Awaitable[object]]


def document_of(name: str, steps: int) -> dict[str, Any]:
    """A prompt and so many durable steps."""
    delay = {"subtype": "DELAY", "configurations": {"duration_seconds": 0}}
    nodes: list[dict[str, Any]] = [
        {"id": "start", "type": "start", "name": "Start", "data": {}},
        {"id": "words", "type": "prompt", "name": "Words", "data": {"prompt": "Hi {{who}}"}},
        *(
            {"id": f"step{n}", "type": "FLOW", "name": f"Step {n}", "data": delay}
            for n in range(steps)
        ),
        {"id": "end", "type": "end", "name": "End", "data": {}},
    ]
    edges = [
        {
            "id": f"{one['id']}-{other['id']}",
            "from": one["id"],
            "to": other["id"],
            "fromPort": "output",
            "toPort": "input",
        }
        for one, other in pairwise(nodes)
    ]
    head = {"id": name, "name": name, "version": "1.0.0", "schemaVersion": "1.3.0"}
    placed = [{**node, "position": {"x": 0, "y": 0}} for node in nodes]
    return {**head, "nodes": placed, "connections": edges}


async def medians(turns: int, first: Work, second: Work) -> tuple[float, float]:
    """Milliseconds of both, in turns, after a warm-up."""
    took: tuple[list[float], list[float]] = ([], [])
    for turn in range(turns + 5):
        order = (0, 1) if turn % 2 else (1, 0)
        for which in order:
            began = perf_counter()
            await (first, second)[which]()
            took[which].append((perf_counter() - began) * 1000)
    return median(took[0][5:]), median(took[1][5:])


async def measure(studio: RunningStudio, steps: int, turns: int) -> None:
    """One line."""
    name, home = f"bench{steps}", studio.home
    workflow = read(document_of(name, steps)).workflow
    await studio.home.workflows.save(workflow, over=None)
    await publish(home, await studio.authoring.tools.known(), PublicationRequest(name))

    async def rooms() -> RunningStudio:
        return studio

    catalog = LiveCatalog(home)
    desk = McpContext(rooms, studio.published)
    server = build_server(catalog, CountingToolService(catalog, home), Changes(), desk)
    engine = studio.engine

    async def in_process() -> None:
        run = await engine.runs.start(RunRequest(workflow, {"who": "Ada"}))
        async for _ in engine.follow(run):
            pass

    async with Client(server) as client:

        async def as_tool() -> object:
            return await client.call_tool(name, {"who": "Ada"})

        figure, floor = await medians(turns, as_tool, in_process)
    cells = (f"published tool, {steps} durable steps", f"{figure:.2f} ms", f"{floor:.2f} ms")
    ratio = f"{figure / floor:5.2f}  <= {TARGET}"
    sys.stdout.write(f"{cells[0]:34}{cells[1]:>12}{cells[2]:>12}  {ratio}\n")


async def main(turns: int) -> None:
    """The whole table."""
    sys.stdout.write(f"{'what':34}{'figure':>12}{'floor':>12}  ratio  target\n")
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder))
        async with open_home(settings) as home, open_running_studio(home) as studio:
            for steps in STEPS:
                await measure(studio, steps, turns)


if __name__ == "__main__":
    anyio.run(main, QUICK_TURNS if "--quick" in sys.argv else TURNS)
