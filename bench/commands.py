"""What commands cost: CPU of the command and its children beside floors of the same run.

`bench/run commands`, or `python -m bench.commands` from the root; `--quick` for a short form.
CPU is user and system time of the process and of the children it waited for, so a busy machine
changes it little; all take turns in each round, and the median of the rounds counts.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from bench import restart
from bench.catalog_doors import talking
from bench.ground import DEMO, SMALL
from bench.table import Row, table

TOOLWEAVE = (str(Path(sys.executable).with_name("toolweave")),)
SERVE = (*TOOLWEAVE, "serve", "--port", "0", "--no-browser")
IMPORTS = (sys.executable, "-c", "import pydantic, orjson")
BARE_CLIENT = """
import json
import sys
import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
async def main():
    server = StdioServerParameters(command=sys.argv[3], args=sys.argv[4:])
    async with Client(stdio_client(server)) as client:
        print((await client.call_tool(sys.argv[1], json.loads(sys.argv[2]))).content)
anyio.run(main)
"""
IMPORTS_FLOOR = "import pydantic, orjson"
SOURCE_FLOOR = "the same imports, as source"
CLIENT_FLOOR = "bare mcp.Client"
PROMISE = "our limit"
START_S = 60.0
MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Size:
    """How many rounds are measured; one more is done before."""

    rounds: int = 5


QUICK = Size(rounds=1)


@dataclass(frozen=True, slots=True)
class Command:
    """A command, the floor it is held against, and how many times its cost it may cost."""

    what: str
    argv: tuple[str, ...]
    floor: str | float
    at_most: float
    environ: Mapping[str, str] = field(default_factory=dict[str, str])


def commands(home: Path, alone: Mapping[str, str], beside: Mapping[str, str]) -> list[Command]:
    """Every measured command: in a home without a studio, and in one whose studio runs."""
    file, copy = str(home / "sample.json"), str(home / "copy.json")
    unwritten = {**alone, "PYTHONDONTWRITEBYTECODE": "1"}
    source = as_source(home, alone)
    words = {
        5.0: (
            ("validate", file),
            ("convert", file, "--to", "flow"),
            ("export", file, "--to", "claude-skill", "--dry-run"),
            ("node", "mode", copy, "weather"),
            ("node", "add", copy, "demo", "add", "--arg", "a=1", "--arg", "b=2"),
        ),
        4.0: (
            ("catalog", "types"),
            ("catalog", "search", "send", "a", "message"),
            ("runs", "list"),
            ("servers", "list"),
        ),
    }
    rows = [
        Command(_name(argv), (*TOOLWEAVE, *argv), IMPORTS_FLOOR, at_most, alone)
        for at_most, some in words.items()
        for argv in some
    ]
    # An installation that cannot be written meets twice the targets.
    for argv, at_most in ((("validate", file), 10.0), (("catalog", "types"), 8.0)):
        name, whole = _name(argv), (*TOOLWEAVE, *argv)
        rows += [
            Command(f"{name}, no bytecode written", whole, IMPORTS_FLOOR, at_most, unwritten),
            Command(f"{name}, no bytecode at all", whole, SOURCE_FLOOR, at_most, source),
        ]
    call = (*TOOLWEAVE, "call", "demo", "add", "--args", '{"a": 1, "b": 2}')
    small = (*TOOLWEAVE, "call", "small", "echo", "--args", '{"text": "hi"}')
    run = (*TOOLWEAVE, "run", file, "--input", "city=Oslo")
    return [
        *rows,
        Command("call, alone", call, "add", 1.3, alone),
        Command("call, alone, small server", small, "echo", 1.3, alone),
        Command("run, alone", run, "weather", 1.3, alone),
        Command("call, with a studio", call, 300.0, 1.0, beside),
        Command("run, with a studio", run, 300.0, 1.0, beside),
    ]


def as_source(folder: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """An environment in which every module is compiled from its source, as in a fresh image."""
    nowhere = str(folder / "no bytecode")
    return {**environ, "PYTHONPYCACHEPREFIX": nowhere, "PYTHONDONTWRITEBYTECODE": "1"}


def floors() -> dict[str, tuple[str, ...]]:
    """What commands are held against, by name."""
    bare = (sys.executable, "-c", BARE_CLIENT)
    return {
        IMPORTS_FLOOR: IMPORTS,
        "add": (*bare, "add", '{"a": 1, "b": 2}', *DEMO),
        "echo": (*bare, "echo", '{"text": "hi"}', *SMALL),
        "weather": (*bare, "weather", '{"city": "Oslo", "days": 1}', *DEMO),
    }


def rows_of(size: Size) -> list[Row]:
    """Every line."""
    with tempfile.TemporaryDirectory(prefix="toolweave-commands-") as folder:
        home = Path(folder)
        alone, beside = prepared(home, "alone"), prepared(home, "beside")
        with serving(beside, home):
            measured = commands(home, alone, beside)
            kinds: dict[str, tuple[Sequence[str], Mapping[str, str]]] = {
                f"floor {name}": (argv, alone) for name, argv in floors().items()
            }
            kinds[f"floor {SOURCE_FLOOR}"] = (IMPORTS, as_source(home, alone))
            kinds |= {one.what: (one.argv, one.environ) for one in measured}
            cpu = in_turns(kinds, size, home)
        rows = [_row(one, cpu) for one in measured]
        rows += [*serve_rows(alone, home, size), *restart_rows(home, size)]
        return [*rows, mcp_row(alone, size)]


def in_turns(
    kinds: Mapping[str, tuple[Sequence[str], Mapping[str, str]]], size: Size, folder: Path
) -> dict[str, float]:
    """The median CPU of each program in milliseconds."""
    took: dict[str, list[float]] = {name: [] for name in kinds}
    for turn in range(1 + size.rounds):
        shutil.copy(folder / "sample.json", folder / "copy.json")
        for name, (argv, environ) in kinds.items():
            used = cpu_ms(argv, environ)
            if turn:
                took[name].append(used)
    return {name: statistics.median(values) for name, values in took.items()}


def cpu_ms(argv: Sequence[str], environ: Mapping[str, str]) -> float:
    """The CPU of one program and of all that it waited for."""
    with subprocess.Popen(
        argv,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{argv}: {process.returncode}: {said.decode()}")
    return (used.ru_utime + used.ru_stime) * 1e3


def prepared(folder: Path, name: str) -> dict[str, str]:
    """The environment of a home with the sample, its server and a small one."""
    home = folder / name
    home.mkdir()
    # Bytecode is written as for a user; one line measures what it costs where it is not.
    left_out = ("TOOLWEAVE_", "PYTHONDONTWRITEBYTECODE")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(left_out)}
    environ = kept | {"TOOLWEAVE_HOME": str(home / "state"), "HOME": str(home)}
    for argv in (
        ("demo",),
        ("servers", "add", "small", "--", *SMALL),
        ("servers", "approve", "small", "--yes"),
    ):
        cpu_ms((*TOOLWEAVE, *argv), environ)
    (stored,) = (home / "state" / "workflows").glob("*.json")
    shutil.copy(stored, folder / "sample.json")
    return environ


@contextmanager
def serving(environ: Mapping[str, str], folder: Path) -> Generator[tuple[psutil.Process, str]]:
    """A studio from its first line to its end, and its address."""
    log = folder / "serve.log"
    with (
        log.open("wb") as stderr,
        subprocess.Popen(SERVE, stdin=subprocess.DEVNULL, stderr=stderr, env=environ) as process,
    ):
        try:
            until = time.monotonic() + START_S
            while b"\n" not in (said := log.read_bytes()):
                if process.poll() is not None or time.monotonic() > until:
                    raise RuntimeError(f"the studio does not start: {said!r}")
                time.sleep(0.02)
            yield psutil.Process(process.pid), said.split()[2].decode()
        finally:
            process.terminate()


def serve_rows(environ: Mapping[str, str], folder: Path, size: Size) -> list[Row]:
    """`serve` to its health and first page, then to REST: CPU and memory so far."""
    steps = {"first page": ("/health", "/"), "first REST answer": ("/api/v1/workflows",)}
    used: dict[str, list[float]] = {name: [] for name in steps}
    memory: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(size.rounds):
        with serving(environ, folder) as (process, url):
            key = (Path(environ["TOOLWEAVE_HOME"]) / "studio.key").read_text().strip()
            for name, paths in steps.items():
                for path in paths:
                    request = urllib.request.Request(url + path, headers={"X-API-Key": key})
                    with urllib.request.urlopen(request, timeout=START_S) as answer:
                        assert answer.status == 200
                times = process.cpu_times()
                used[name].append((times.user + times.system) * 1e3)
                memory[name].append(process.memory_info().rss / MIB)
    rows: list[Row] = []
    for name, at_most in (("first page", 1.0), ("first REST answer", None)):
        cpu, held = statistics.median(used[name]), statistics.median(memory[name])
        rows.append(Row(f"serve to its {name}", cpu, 1000.0, "ms", PROMISE, at_most))
        rows.append(Row("serve, memory after it", held, 110.0, "MiB", PROMISE, 1.0))
    return rows


def restart_rows(folder: Path, size: Size) -> list[Row]:
    """From the start of a studio, after one that was killed, until all its runs go on."""
    environ = prepared(folder, "restart")
    state = Path(environ["TOOLWEAVE_HOME"])
    with serving(environ, folder) as (process, url):
        restart.start_runs(url, state)
        restart.until_grown(state, {}, 4)
        process.kill()
    wall_s, cpu_s = restart.restarts(SERVE, environ, size.rounds)
    return [
        Row("restart to 20 resumed runs, wall", wall_s * 1e3, 3000.0, "ms", PROMISE, 1.0),
        Row("restart to 20 resumed runs, CPU", cpu_s * 1e3, None, "ms"),
    ]


def mcp_row(environ: Mapping[str, str], size: Size) -> Row:
    """`toolweave mcp` to its first list of tools; wall time, the least of all rounds."""
    took: list[float] = []
    for _ in range(size.rounds + 1):
        began = time.perf_counter()
        with talking((*TOOLWEAVE, "mcp"), environ) as talk:
            talk.open()
            took.append((time.perf_counter() - began) * 1e3)
    return Row("mcp to its first tools/list, wall", min(took), 100.0, "ms", PROMISE, 1.0)


def _name(argv: Sequence[str]) -> str:
    return " ".join(word for word in argv[:2] if "/" not in word)


def _row(command: Command, cpu: Mapping[str, float]) -> Row:
    floor = command.floor
    if isinstance(floor, float):
        return Row(command.what, cpu[command.what], floor, "ms", PROMISE, command.at_most)
    name = floor if floor in (IMPORTS_FLOOR, SOURCE_FLOOR) else CLIENT_FLOOR
    figure = cpu[command.what]
    return Row(command.what, figure, cpu[f"floor {floor}"], "ms", name, command.at_most)


def main() -> None:
    """Measure and print."""
    rows = rows_of(QUICK if "--quick" in sys.argv[1:] else Size())
    sys.stdout.write(table(rows) + "\n")


if __name__ == "__main__":
    main()
