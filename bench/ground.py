"""What the ground costs, as ratios measured in one run: `bench/run`, or `--quick` for a short form.

Calls through the gate against a bare `mcp.Client`, checks of arguments, checks of many servers,
the start of the command, memory of a connection, and a good server beside one that floods.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import anyio
import psutil
from bench.table import Row, table
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from toolweave.app.studio import Studio, open_studio
from toolweave.errors import ToolweaveError
from toolweave.home import open_home
from toolweave.json_text import JsonObject
from toolweave.servers.definition import CommandServer, definition_hash
from toolweave.settings import Limits, Settings
from toolweave.tasks import background
from toolweave.tools.check import check_arguments
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import ToolCall

PROGRAMS = Path(__file__).parents[1] / "tests" / "hostile" / "stdio"
TOOLWEAVE = (sys.executable, "-m", "toolweave.cli.main")
# Plain Python and no SDK, so that it answers at once: the hardest server to compare on.
SMALL = (sys.executable, "-S", str(PROGRAMS / "good.py"))
DEMO = (*TOOLWEAVE, "demo-server")
FLOOD = (sys.executable, "-S", str(PROGRAMS / "floods_notifications.py"))
DELAYED = (
    "import runpy, sys, time; time.sleep(float(sys.argv[1])); "
    "sys.path.insert(0, sys.argv[2]); runpy.run_path(sys.argv[2] + '/good.py')"
)
# What `toolweave --help` must not wait for.
SLOW_MODULES = ("mcp", "mcp_types", "fastapi", "dbos", "httpx2", "cryptography", "jsonschema_rs")

Call = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Size:
    """How much is done."""

    calls: int = 1000
    warm_up: int = 100
    servers: int = 20
    slowest_s: float = 1.0
    rounds: int = 9


QUICK = Size(calls=20, warm_up=3, servers=3, slowest_s=0.2, rounds=1)


def percentile(values: Sequence[float], percent: int) -> float:
    """The value below which so many percent of `values` are."""
    return sorted(values)[min(len(values) * percent // 100, len(values) - 1)]


@asynccontextmanager
async def studio_with(home: Path, servers: dict[str, tuple[str, ...]]) -> AsyncGenerator[Studio]:
    """Everything open over a fresh home, with these servers approved and their tools pinned."""
    settings = Settings(home=home, limits=Limits(calls_per_session=-1))
    async with (
        open_home(settings, environ=os.environ, directory=home) as home,
        open_studio(home) as studio,
    ):
        for name, (command, *args) in servers.items():
            definition = CommandServer(command=command, args=tuple(args))
            await home.registry.add(name, definition)
            await home.registry.approve(name, definition_hash(definition))
            home.lockfile.pin(name, await studio.gate.tools(name))
        yield studio


def bare_client(argv: tuple[str, ...]) -> Client:
    """The SDK's own client of such a server."""
    return Client(stdio_client(StdioServerParameters(command=argv[0], args=list(argv[1:]))))


async def interleaved(calls: Sequence[Call], size: Size) -> list[list[float]]:
    """The microseconds of each kind of call, made in turns so that all meet the same weather."""
    took: list[list[float]] = [[] for _ in calls]
    for turn in range(size.warm_up + size.calls):
        for kind in sorted(range(len(calls)), reverse=turn % 2 == 0):
            began = time.perf_counter()
            await calls[kind]()
            if turn >= size.warm_up:
                took[kind].append((time.perf_counter() - began) * 1e6)
    return took


async def gate_rows(
    argv: tuple[str, ...], tool: str, arguments: JsonObject, size: Size
) -> list[Row]:
    """What the gate adds to a call of a warm server."""
    with tempfile.TemporaryDirectory() as home:
        async with studio_with(Path(home), {"it": argv}) as studio, bare_client(argv) as client:
            ours, bare = await interleaved(
                [
                    lambda: studio.gate.call(ToolCall("it", tool, arguments)),
                    lambda: client.call_tool(tool, dict(arguments)),
                ],
                size,
            )
    name = "small" if argv is SMALL else "demo"
    floor_is = "bare mcp.Client"
    return [
        Row(
            f"gate.call, {name} server, p50",
            statistics.median(ours),
            statistics.median(bare),
            "us",
            floor_is,
            1.25,
        ),
        Row(
            f"gate.call, {name} server, p95",
            percentile(ours, 95),
            percentile(bare, 95),
            "us",
            floor_is,
        ),
    ]


def wide_schema() -> JsonObject:
    """Twenty parameters of every kind."""
    kinds: list[JsonObject] = [
        {"type": "string", "minLength": 1, "maxLength": 100},
        {"type": "integer", "minimum": 0, "maximum": 1000},
        {"type": "string", "enum": ["red", "green", "blue"]},
        {"type": "array", "items": {"type": "number"}, "maxItems": 10},
        {"type": "object", "properties": {"city": {"type": "string", "pattern": "^[A-Z]"}}},
    ]
    properties: JsonObject = {f"p{number}": kinds[number % len(kinds)] for number in range(20)}
    return {"type": "object", "properties": properties, "required": [*properties]}


def wide_arguments() -> JsonObject:
    """What fits it."""
    values = ("text", 7, "red", [1, 2.5], {"city": "Oslo"})
    return {f"p{number}": values[number % len(values)] for number in range(20)}  # type: ignore[dict-item]


def check_row(size: Size) -> Row:
    """Checking arguments against a compiled schema."""
    tool = read_tool("it", {"name": "wide", "inputSchema": wide_schema()})
    arguments = wide_arguments()
    assert check_arguments(tool, arguments) == []
    took: list[float] = []
    for _ in range(size.rounds):
        began = time.perf_counter()
        for _ in range(size.calls):
            check_arguments(tool, arguments)
        took.append((time.perf_counter() - began) / size.calls * 1e6)
    return Row("check_arguments, 20 parameters", min(took), 50.0, "us", "our limit", 1.0)


async def many_servers_row(size: Size) -> Row:
    """`servers check` of many servers against the slowest of them alone."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        servers: dict[str, tuple[str, ...]] = {}
        for number in range(1, size.servers + 1):
            delay = f"{size.slowest_s * number / size.servers:.3f}"
            servers[f"s{number}"] = (sys.executable, "-S", "-c", DELAYED, delay, str(PROGRAMS))
        async with studio_with(home, servers):
            pass
        environ = {**os.environ, "TOOLWEAVE_HOME": folder}
        alone = [wall_ms([*TOOLWEAVE, "servers", "check", f"s{size.servers}"], environ)]
        together = [wall_ms([*TOOLWEAVE, "servers", "check"], environ)]
    what = f"servers check, {size.servers} servers"
    return Row(what, min(together), min(alone), "ms", "its slowest server alone", 1.5)


def wall_ms(argv: Sequence[str], environ: dict[str, str] | None = None) -> float:
    """How long a program takes from start to end."""
    began = time.perf_counter()
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, env=environ)
    return (time.perf_counter() - began) * 1000


def help_row(size: Size) -> tuple[Row, list[str]]:
    """`toolweave --help` against Python alone, and which slow modules it imported."""
    ours = min(wall_ms([*TOOLWEAVE, "--help"]) for _ in range(size.rounds))
    python = min(wall_ms([sys.executable, "-c", "pass"]) for _ in range(size.rounds))
    spy = (
        "import json, sys; sys.argv = ['toolweave', '--help']\n"
        "from toolweave.cli.main import cli\n"
        "try: cli.main()\n"
        "except SystemExit: pass\n"
        "sys.stderr.write(json.dumps(list(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", spy], check=True, capture_output=True, text=True)
    imported = {name.partition(".")[0] for name in json.loads(done.stderr)}
    found = [name for name in SLOW_MODULES if name in imported]
    return Row("toolweave --help", ours, python, "ms", "python -c pass"), found


async def memory_row(size: Size) -> Row:
    """What one more warm connection weighs in our process."""
    memory = psutil.Process().memory_info
    names = [f"s{number}" for number in range(size.servers + 1)]
    with tempfile.TemporaryDirectory() as home:
        async with studio_with(Path(home), dict.fromkeys(names[:1], SMALL)) as studio:
            before = memory().rss
            for name in names[1:]:
                definition = CommandServer(command=SMALL[0], args=SMALL[1:])
                await studio.home.registry.add(name, definition)
                await studio.home.registry.approve(name, definition_hash(definition))
                await studio.gate.tools(name)
            ours = (memory().rss - before) / size.servers / 1024
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(bare_client(SMALL))
        before = memory().rss
        for _ in range(size.servers):
            client = await stack.enter_async_context(bare_client(SMALL))
            await client.list_tools()
        bare = (memory().rss - before) / size.servers / 1024
    # A page is the least that can be seen.
    return Row("memory of a warm connection", max(ours, 4), max(bare, 4), "KiB", "bare mcp.Client")


async def neighbour_row(size: Size) -> Row:
    """A good server's slowest calls while its neighbour floods us, against when it does not."""
    with tempfile.TemporaryDirectory() as home:
        servers = {"it": SMALL, "flood": FLOOD}
        async with studio_with(Path(home), servers) as studio:

            async def call() -> None:
                await studio.gate.call(ToolCall("it", "echo", {"text": "hi"}))

            async def flood() -> None:
                while True:
                    with suppress(ToolweaveError):
                        await studio.gate.call(ToolCall("flood", "misbehave", deadline_s=5.0))

            (alone,) = await interleaved([call], size)
            async with background() as tasks:
                tasks.start_soon(flood)
                (beside,) = await interleaved([call], size)
    return Row(
        "gate.call beside a flood, p99",
        percentile(beside, 99),
        percentile(alone, 99),
        "us",
        "the same server alone",
        2.0,
    )


async def rows_of(size: Size) -> tuple[list[Row], list[str]]:
    """Every line, and the slow modules that `--help` imported."""
    rows = await gate_rows(DEMO, "add", {"a": 1, "b": 2}, size)
    rows += await gate_rows(SMALL, "echo", {"text": "hi"}, size)
    rows.append(check_row(size))
    rows.append(await many_servers_row(size))
    row, slow = help_row(size)
    rows += [row, await memory_row(size), await neighbour_row(size)]
    return rows, slow


def main() -> None:
    """Measure and print."""
    size = QUICK if "--quick" in sys.argv[1:] else Size()
    rows, slow = anyio.run(rows_of, size)
    sys.stdout.write(table(rows) + "\n")
    told = ", ".join(slow) if slow else "none"
    sys.stdout.write(f"slow modules imported by `toolweave --help`: {told}\n")


if __name__ == "__main__":
    main()
