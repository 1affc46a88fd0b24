"""What libraries and documents cost: `python -m bench.library` from the root; `--quick` in seconds.

Wall time where git or the database is asked, CPU where only our code runs; each line stands beside
the most that the seed or the issue allows.
"""

import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time

import anyio
from tests.library.repo import ENVIRON, GIVEN, MARKETING, TEMPLATES, Repo

from toolweave.access.mask import Masker
from toolweave.app.open_engine import open_engine
from toolweave.app.studio import open_studio
from toolweave.documents.bindings import Bindings
from toolweave.documents.block_runner import BlockRunner, plan
from toolweave.documents.document import read_document
from toolweave.documents.results import with_results
from toolweave.home import open_home
from toolweave.json_text import Json, JsonObject
from toolweave.library.flow_runner import FlowRequest
from toolweave.library.home_libraries import flow_runner, library_store
from toolweave.settings import Limits, Settings
from toolweave.tools.tool import Content, ProgressListener, ToolCall, ToolResult

FLOWS = 500
BLOCKS = 200
TOOL_MS = 20.0
BLOCK = (
    "## Part {0}\n\nSome words before it.\n\n```demo\ntool: echo\ntext: number {0}\nn: {0}\n```\n\n"
)


class SlowTools:
    """Each call takes the same time."""

    async def call(
        self, call: ToolCall, *, on_progress: ProgressListener | None = None
    ) -> ToolResult:
        """Wait, then answer."""
        await anyio.sleep(TOOL_MS / 1000)
        return ToolResult((Content("text", "done"),))


class NoFlows:
    """Runs nothing."""

    async def run_workflow(self, name: str, inputs: JsonObject, *, trigger: str) -> Json:
        """Give the inputs back."""
        return inputs


def line(what: str, figure: float, most: float, of: str) -> None:
    """One line of the table."""
    sys.stdout.write(
        f"{what:<44} {figure:9.1f} ms  {most:7.0f} ms  {of:<28} {figure / most:5.2f}\n"
    )


async def libraries(flows: int) -> None:
    """Listing cold and cached, and a flow of two templates."""
    with tempfile.TemporaryDirectory() as folder:
        files = {
            f"flows/flow-{at}.json": {**MARKETING, "metadata": {"name": f"flow-{at}"}}
            for at in range(flows)
        }
        repo = Repo(Path(folder) / "repo", {**files, "templates/all.json": TEMPLATES})
        settings = Settings(home=Path(folder) / "home")
        async with open_home(settings, environ=ENVIRON) as home:
            shelf = library_store(home)
            began = perf_counter()
            await shelf.add("bench", str(repo.folder), ref="main", folder=repo.folder)
            listed = await shelf.flows("bench")
            assert len(listed.flows) == flows
            line(f"add and list {flows} flows, cold", ms_since(began), 2_000, "seed 003: 2 s")
            found: list[float] = []
            for _ in range(10):
                began = perf_counter()
                await library_store(home).flows("bench")
                found.append(ms_since(began))
            line(f"list {flows} flows, cached", min(found), 300, "seed 003: 300 ms")
            async with open_studio(home) as studio, open_engine(studio) as engine:
                runner = flow_runner(home, engine, shelf)
                asked = FlowRequest("bench", "flow-1", inputs=GIVEN)
                await runner.execute(asked)
                began = perf_counter()
                told = await runner.execute(asked)
                assert told["status"] == "success"
                line(
                    "run a flow of templates, without a model", ms_since(began), 5_000, "seed: 5 s"
                )


async def documents(blocks: int, rounds: int) -> None:
    """Parsing, writing results, and how well blocks run side by side."""
    data = "".join(BLOCK.format(at) for at in range(blocks)).encode()
    line(f"parse {blocks} blocks, CPU", cpu(data, rounds), 50, "issue 7: 50 ms")
    large = (data * (1024 * 1024 // len(data) + 1))[: 1024 * 1024]
    line("parse 1 MiB of such blocks, CPU", cpu(large, 2), 2_000, "a bomb's limit: 2 s")
    document = read_document(data, {"demo"})
    planned = plan(document, Bindings(document, []), None)
    limits = Limits(calls_per_session=-1)
    runner = BlockRunner(
        SlowTools(),
        NoFlows(),
        masker=Masker(),
        limits=limits,
        location="bench.md",
        scope="bench",
        folder="bench.assets",
    )
    began = perf_counter()
    await runner.run(planned)
    ideal = -(-blocks // limits.concurrent_calls) * TOOL_MS
    what = f"run {blocks} blocks of {TOOL_MS:g} ms, {limits.concurrent_calls} at once"
    line(what, ms_since(began), ideal, "blocks / limit x time")
    began = process_time()
    with_results(document, runner.results)
    took = (process_time() - began) * 1000
    line(f"write {blocks} results, CPU", took, 50, "as long as parsing may take")


def cpu(data: bytes, rounds: int) -> float:
    """The CPU milliseconds of reading a document, the cheapest of several rounds."""
    found: list[float] = []
    for _ in range(rounds):
        began = process_time()
        read_document(data, {"demo"})
        found.append((process_time() - began) * 1000)
    return min(found)


def ms_since(began: float) -> float:
    """Milliseconds of wall time."""
    return (perf_counter() - began) * 1000


def main() -> None:
    """Print the table."""
    quick = "--quick" in sys.argv
    sys.stdout.write(f"{'what':<44} {'figure':>12}  {'floor':>10}  {'the floor is':<28} ratio\n")
    anyio.run(libraries, 50 if quick else FLOWS)
    anyio.run(documents, 20 if quick else BLOCKS, 2 if quick else 10)


if __name__ == "__main__":
    main()
