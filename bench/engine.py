"""What a run costs: `python -m bench.engine` from the root; `--quick` shows that it works.

CPU time of this process, the cheapest of several rounds, so that a busy machine says little; the
floor is a bare SQLite commit at the same durability (WAL, FULL) from the same run.
"""

import argparse
import sqlite3
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
from bench.engine_kinds import INPUT, chain, loop, opened, setting, wide
from bench.engine_peers import installed, peer_cost
from bench.engine_rates import finished_a_second, over_a_webhook, postgres, worked_a_second

from toolweave.engine.engine import Engine
from toolweave.json_text import Json
from toolweave.workflow.model import Workflow

CHUNK = 50


@dataclass(frozen=True, slots=True)
class Size:
    """How much is done."""

    rounds: int = 7
    wide: int = 1_000
    turns: int = 10_000
    commits: int = 500


@dataclass(frozen=True, slots=True)
class Row:
    """A figure beside its floor or target."""

    what: str
    figure: float
    unit: str
    floor: float | None = None
    floor_is: str = ""
    target: str = "-"

    @property
    def cells(self) -> tuple[str, ...]:
        """As shown."""
        floor = "-" if self.floor is None else f"{self.floor:,.1f}"
        ratio = "-" if not self.floor else f"{self.figure / self.floor:.2f}"
        figure = f"{self.figure:,.1f} {self.unit}"
        return (self.what, figure, floor, self.floor_is or "-", ratio, self.target)


@dataclass(frozen=True, slots=True)
class Cost:
    """What bringing one run forward took."""

    cpu_us: float
    wall_us: float


async def cost(engine: Engine, graph: Workflow, rounds: int, inputs: Json = INPUT) -> Cost:
    """The cheapest of several runs of a workflow, after one to warm up."""
    found: list[Cost] = []
    for _ in range(rounds + 1):
        run = await engine.start(graph, inputs, holds=True)
        await engine.plan(run)
        cpu, wall = time.process_time(), time.perf_counter()
        status = await engine.advance(run)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        if status != "success":
            raise RuntimeError(f"the run ended as {status}: {(await engine.get(run)).error}")
        found.append(Cost(cpu * 1e6, wall * 1e6))
    return min(found[1:], key=lambda one: one.cpu_us)


def commit_cost(folder: Path, commits: int) -> Cost:
    """One small row a commit, written by nobody but SQLite."""
    connection = sqlite3.connect(folder / "floor.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE floor (n INTEGER PRIMARY KEY, body TEXT)")
    found: list[Cost] = []
    for start in range(0, commits, CHUNK):
        cpu, wall = time.process_time(), time.perf_counter()
        for number in range(start, start + CHUNK):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO floor VALUES (?, ?)", (number, "x" * 100))
            connection.execute("COMMIT")
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        found.append(Cost(cpu * 1e6 / CHUNK, wall * 1e6 / CHUNK))
    connection.close()
    return min(found, key=lambda one: one.cpu_us)


def stored(folder: Path) -> int:
    """Bytes of the database, its log taken in."""
    connection = sqlite3.connect(folder / "runs.db")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    pages, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size")
    )
    connection.close()
    return int(pages) * int(size)


async def pure_rows(engine: Engine, size: Size) -> list[Row]:
    """Nodes that compute."""
    short = await cost(engine, chain(50, lambda _: "end"), size.rounds)
    long = await cost(engine, chain(1_000, lambda _: "end"), max(size.rounds // 2, 1))
    fields = await cost(engine, chain(50, setting), size.rounds)
    of_50, of_1000 = short.cpu_us / 50, long.cpu_us / 1_000
    return [
        Row("pass-through node, chain of 50", of_50, "us", 20, "the issue's target", "<= 20"),
        Row("the same in a chain of 1,000", of_1000, "us", of_50, "in a chain of 50", "linear"),
        Row("SET_FIELDS, one expression", fields.cpu_us / 50, "us", 150, "target", "<= 150"),
    ]


async def durable_rows(engine: Engine, folder: Path, floor: Cost, size: Size) -> list[Row]:
    """Steps with intent and outcome written down."""
    steps = chain(50, lambda _: "once")
    cheapest = await cost(engine, steps, size.rounds)
    before = stored(folder)
    runs = 20
    await cost(engine, steps, runs - 1)
    each = (stored(folder) - before) / (runs * 50)
    fan = await cost(engine, wide(size.wide), max(size.rounds // 2, 1))
    name = f"durable step, {size.wide:,} wide"
    raw = "a bare commit"
    return [
        Row("durable step, chain, CPU", cheapest.cpu_us / 50, "us", floor.cpu_us, raw, "<= 500 us"),
        Row("durable step, chain, wall", cheapest.wall_us / 50, "us", floor.wall_us, raw),
        Row("durable step, bytes stored", each, "B", 1024, "1 KB", "<= 1 KB"),
        Row(f"{name}, CPU", fan.cpu_us / size.wide, "us", floor.cpu_us, raw, "<= 100 us"),
        Row(f"{name}, wall", fan.wall_us / size.wide, "us", floor.wall_us, raw),
    ]


async def loop_rows(engine: Engine, size: Size) -> list[Row]:
    """Turns of a loop, and how their cost grows."""
    few: list[Json] = [{"n": number} for number in range(size.turns // 10)]
    many: list[Json] = [{"n": number} for number in range(size.turns)]
    short = await cost(engine, loop("end"), max(size.rounds // 2, 1), few)
    tracemalloc.start()
    run = await engine.start(loop("end"), many)
    await engine.advance(run)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    long = await cost(engine, loop("end"), 1, many)
    each, base = long.cpu_us / len(many), short.cpu_us / len(few)
    name = f"turn of a loop of {len(many):,}"
    return [
        Row(name, each, "us", base, f"in one of {len(few):,}", "linear"),
        Row(f"{name}, peak memory", peak / len(many), "B"),
    ]


async def start_row(engine: Engine, size: Size) -> Row:
    """A run of a workflow that was started before: written down, not yet brought forward."""
    graph = chain(50, lambda _: "end")
    await engine.start(graph, INPUT)
    cpu = time.process_time()
    for _ in range(size.commits):
        await engine.start(graph, INPUT)
    each = (time.process_time() - cpu) * 1e6 / size.commits
    return Row("start of a run, 50 nodes, CPU", each, "us")


def peer_rows(ours: Sequence[Row], rounds: int) -> list[Row]:
    """The same chain by other engines that store every step, where they can be installed."""
    python = installed()
    figures = {row.what: row.figure for row in ours}
    found: list[Row] = []
    for peer, name in (("langgraph", "LangGraph, SQLite saver"), ("dbos", "DBOS, SQLite")):
        costs = peer_cost(python, peer, 50, rounds) if python else None
        for kind, theirs in zip(("CPU", "wall"), costs or (), strict=False):
            figure = figures[f"durable step, chain, {kind}"]
            found.append(Row(f"beside a peer, {kind}", figure, "us", theirs, name, "<= 1"))
    return found


async def rate_rows(size: Size) -> list[Row]:
    """Whole runs of 50 nodes."""
    with tempfile.TemporaryDirectory(prefix="toolweave-bench-") as name, postgres() as server:
        sqlite = await finished_a_second(f"sqlite:///{name}/rates.db", size.commits)
        other = await finished_a_second(server.new_database(), size.commits)
        one = await worked_a_second(server.new_database(), 1, size.commits)
        two = await worked_a_second(server.new_database(), 2, size.commits)
    return [
        Row("runs of 50 nodes started and finished, SQLite", sqlite, "/s"),
        Row("the same on Postgres", other, "/s", sqlite, "on SQLite"),
        Row("runs that compute, 2 workers on Postgres", two, "/s", one, "1 worker"),
    ]


def webhook_rows(size: Size) -> list[Row]:
    """Stored and finished, over HTTP; n8n's figures are of an empty workflow, from the issue."""
    found = over_a_webhook(size.commits)
    rate, peer = found.runs_a_second, "n8n's best, from the issue"
    return [
        Row("webhook, 50 nodes, to the result, p50", found.p50_ms, "ms"),
        Row("webhook, 50 nodes, 8 at once", rate, "/s", 26, peer, ">= 3"),
    ]


async def rows_of(size: Size) -> list[Row]:
    """What happens in one process."""
    with tempfile.TemporaryDirectory(prefix="toolweave-bench-") as name:
        folder = Path(name)
        floor = commit_cost(folder, size.commits)
        async with opened(folder / "runs.db") as engine:
            return [
                *await pure_rows(engine, size),
                *await durable_rows(engine, folder, floor, size),
                *await loop_rows(engine, size),
                await start_row(engine, size),
            ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    size = Size(rounds=1, wide=100, turns=500, commits=50) if quick else Size()
    rows = anyio.run(rows_of, size)
    if not quick:
        rows += peer_rows(rows, size.rounds)
    rows += anyio.run(rate_rows, size)
    rows += webhook_rows(size)
    head = ("what", "figure", "floor", "the floor is", "ratio", "target")
    lines = [head, *(row.cells for row in rows)]
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    for line in lines:
        text = "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        sys.stdout.write(text.rstrip() + "\n")


if __name__ == "__main__":
    main()
