"""What a run costs: `python -m bench.engine` from the root; `--quick` shows that it works.

CPU time of this process, the cheapest of several rounds, so that a busy machine says little; the
floor is a bare SQLite commit at the same durability (WAL, FULL) from the same run. `--no-peers`
leaves out what has to be installed first.
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
from bench.engine_n8n import installed as n8n_installed
from bench.engine_n8n import n8n
from bench.engine_node_red import installed as node_red_installed
from bench.engine_node_red import node_red
from bench.engine_peers import installed, peer_cost
from bench.engine_rates import finished_a_second, postgres, started_a_second, worked_a_second
from bench.engine_webhook import Load, ours
from bench.table import Row, table

from toolweave.engine.engine import Engine
from toolweave.engine.runs import RunRequest
from toolweave.json_text import Json
from toolweave.workflow.model import Workflow

CHUNK = 50
NODE_RED = "Node-RED, which keeps nothing"


@dataclass(frozen=True, slots=True)
class Size:
    """How much is done."""

    rounds: int = 15
    wide: int = 1_000
    turns: int = 10_000
    commits: int = 500
    deliveries: int = 400
    peers: bool = True


QUICK = Size(rounds=1, wide=100, turns=500, commits=50, deliveries=40, peers=False)


@dataclass(frozen=True, slots=True)
class Cost:
    """What bringing one run forward took."""

    cpu_us: float
    wall_us: float


async def cost(engine: Engine, graph: Workflow, rounds: int, inputs: Json = INPUT) -> Cost:
    """The cheapest of several runs of a workflow, after one to warm up.

    Held from the first moment, as the commands and the service do with runs they bring forward.
    """
    found: list[Cost] = []
    for _ in range(rounds + 1):
        run = await engine.runs.start(RunRequest(graph, inputs, hold=True))
        await engine.plan(run)
        cpu, wall = time.process_time(), time.perf_counter()
        status = await engine.advance(run)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        if status != "success":
            raise RuntimeError(f"the run ended as {status}: {(await engine.get(run)).error}")
        found.append(Cost(cpu * 1e6, wall * 1e6))
    return min(found[1:], key=lambda one: one.cpu_us)


async def peak(engine: Engine, graph: Workflow, inputs: Json = INPUT) -> int:
    """The most memory that a run held at once, in bytes."""
    run = await engine.runs.start(RunRequest(graph, inputs, hold=True))
    await engine.plan(run)
    tracemalloc.start()
    await engine.advance(run)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


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
    short = await cost(engine, chain(50, lambda _: "end"), 2 * size.rounds)
    fields = await cost(engine, chain(50, setting), size.rounds)
    of_50 = short.cpu_us / 50
    return [
        Row("pass-through node, chain of 50, CPU", of_50, 20, "us", "target", 1),
        Row("SET_FIELDS, one expression, CPU", fields.cpu_us / 50, 150, "us", "target", 1),
    ]


async def durable_rows(engine: Engine, folder: Path, floor: Cost, size: Size) -> list[Row]:
    """Steps with intent and outcome written down."""
    steps = chain(50, lambda _: "once")
    cheapest = await cost(engine, steps, size.rounds)
    before = stored(folder)
    runs = 20
    await cost(engine, steps, runs - 1)
    each = (stored(folder) - before) / (runs * 50)
    fan = await cost(engine, wide(size.wide), max(size.rounds // 3, 1))
    name = f"durable step, {size.wide:,} wide"
    one, many = cheapest.cpu_us / 50, fan.cpu_us / size.wide
    raw = "a bare SQLite commit"
    return [
        Row("durable step, chain, CPU", one, 300, "us", "target", 1),
        Row("durable step, chain, CPU", one, floor.cpu_us, "us", raw, 2),
        Row("durable step, chain, wall", cheapest.wall_us / 50, floor.wall_us, "us", raw),
        Row(f"{name}, CPU", many, 100, "us", "target", 1),
        Row(f"{name}, CPU", many, floor.cpu_us, "us", raw),
        Row(f"{name}, wall", fan.wall_us / size.wide, floor.wall_us, "us", raw),
        Row("durable step, stored", each, 1024, "B", "target", 1),
    ]


async def growth_rows(engine: Engine, size: Size) -> list[Row]:
    """How cost and memory of one node, item and turn grow with their number."""
    few, many = size.turns // 10, size.turns
    ends = [chain(length, lambda _: "end") for length in (100, 1_000)]
    fans = [wide(width) for width in (size.wide // 10, size.wide)]
    items: list[list[Json]] = [[{"n": n} for n in range(length)] for length in (few, many)]
    found: list[Row] = []
    shapes = (
        ("node of a graph of 1,000", (100, 1_000), [(graph, INPUT) for graph in ends]),
        ("item of a fan-out", (size.wide // 10, size.wide), [(graph, INPUT) for graph in fans]),
        (f"turn of a loop of {many:,}", (few, many), [(loop("end"), given) for given in items]),
    )
    for name, counts, kinds in shapes:
        rounds = max(size.rounds // 3, 1)
        cpu = [
            (await cost(engine, graph, rounds, given)).cpu_us / count
            for count, (graph, given) in zip(counts, kinds, strict=True)
        ]
        memory = [
            await peak(engine, graph, given) / count
            for count, (graph, given) in zip(counts, kinds, strict=True)
        ]
        against = f"in one of {counts[0]:,}"
        found.append(Row(f"{name}, CPU", cpu[1], cpu[0], "us", against, 1.5))
        found.append(Row(f"{name}, peak memory", memory[1], memory[0], "B", against, 1.5))
    return found


async def start_row(engine: Engine, size: Size, floor: Cost) -> Row:
    """A run of a workflow that was started before: written down, not yet brought forward."""
    graph = chain(50, lambda _: "end")
    await engine.runs.start(RunRequest(graph, INPUT))
    found: list[float] = []
    for _ in range(0, size.commits, CHUNK):
        cpu = time.process_time()
        for _ in range(CHUNK):
            await engine.runs.start(RunRequest(graph, INPUT))
        found.append((time.process_time() - cpu) * 1e6 / CHUNK)
    raw = "a bare SQLite commit"
    return Row("start of a run, 50 nodes, CPU", min(found), floor.cpu_us, "us", raw)


def peer_rows(rows: Sequence[Row], rounds: int) -> list[Row]:
    """The same chain by other engines, where they can be installed."""
    python = installed()
    figures = {row.what: row.figure for row in rows}
    durable = {kind: figures[f"durable step, chain, {kind}"] for kind in ("CPU", "wall")}
    pure = {"CPU": figures["pass-through node, chain of 50, CPU"]}
    peers = (
        ("bare", "LangGraph, nothing kept", "pass-through node", pure),
        ("langgraph", "LangGraph, SQLite saver", "durable step", durable),
        ("dbos", "DBOS step, SQLite", "durable step", durable),
    )
    found: list[Row] = []
    for peer, name, what, mine in peers:
        costs = peer_cost(python, peer, 50, rounds) if python else None
        theirs = dict(zip(("CPU", "wall"), costs or (), strict=False))
        for kind in mine.keys() & theirs.keys():
            label = f"{what}, chain of 50, {kind}"
            found.append(Row(label, mine[kind], theirs[kind], "us", name, 1))
    return found


async def rate_rows(size: Size) -> list[Row]:
    """Whole runs of 50 nodes."""
    with tempfile.TemporaryDirectory(prefix="toolweave-bench-") as name, postgres() as server:
        lite = [f"sqlite:///{name}/{one}.db" for one in ("started", "finished")]
        begun = await started_a_second(lite[0], size.commits)
        begun_there = await started_a_second(server.new_database(), size.commits)
        ended = await finished_a_second(lite[1], size.commits)
        ended_there = await finished_a_second(server.new_database(), size.commits)
        one = await worked_a_second(server.new_database(), 1, size.commits)
        two = await worked_a_second(server.new_database(), 2, size.commits)
    what = "runs of 50 nodes"
    return [
        Row(f"{what} started, SQLite", begun, None, "/s"),
        Row(f"{what} started, Postgres", begun_there, begun, "/s", "on SQLite"),
        Row(f"{what} started and finished, SQLite", ended, None, "/s"),
        Row(
            f"{what} started and finished, Postgres",
            ended_there,
            ended,
            "/s",
            "on SQLite",
            at_least=0.6,
        ),
        Row("runs of 50 SET_FIELDS, 2 workers", two, one, "/s", "1 worker"),
    ]


def webhook_rows(size: Size) -> list[Row]:
    """Stored and finished, over HTTP, beside n8n with the same clients."""
    mine = ours(size.deliveries)
    peers: dict[str, Load | None] = {}
    if size.peers and n8n_installed():
        fewer = size.deliveries // 4
        peers["n8n, nothing saved"] = n8n(fewer, saves=False)
        peers["n8n, executions saved"] = n8n(fewer, saves=True)
    if size.peers and node_red_installed():
        peers[NODE_RED] = node_red(size.deliveries)
    theirs = {name: load for name, load in peers.items() if load is not None}
    if not theirs:
        return [
            Row("webhook, 50 nodes, one by one, p50", mine.p50_ms, None, "ms"),
            Row("webhook, 50 nodes, 8 at once", mine.runs_a_second, None, "/s"),
            Row("webhook, 50 nodes, server's CPU a run", mine.cpu_ms, None, "ms"),
        ]
    return [row for name, load in theirs.items() for row in _beside(name, mine, load)]


def _beside(name: str, mine: Load, load: Load) -> list[Row]:
    what = "webhook, 50 nodes"
    # A peer that keeps nothing of a run shows what keeping costs; there is no target.
    third, three = (None, None) if name == NODE_RED else (0.33, 3)
    rate, other = mine.runs_a_second, load.runs_a_second
    return [
        Row(f"{what}, one by one, p50", mine.p50_ms, load.p50_ms, "ms", name, third),
        Row(f"{what}, one by one, p95", mine.p95_ms, load.p95_ms, "ms", name),
        Row(f"{what}, 8 at once", rate, other, "/s", name, at_least=three),
        Row(f"{what}, server's CPU a run", mine.cpu_ms, load.cpu_ms, "ms", name),
    ]


async def rows_here(size: Size) -> list[Row]:
    """What happens in one process."""
    with tempfile.TemporaryDirectory(prefix="toolweave-bench-") as name:
        folder = Path(name)
        floor = commit_cost(folder, size.commits)
        async with opened(folder / "runs.db") as engine:
            return [
                *await pure_rows(engine, size),
                *await durable_rows(engine, folder, floor, size),
                await start_row(engine, size, floor),
                *await growth_rows(engine, size),
            ]


def rows_of(size: Size) -> list[Row]:
    """Every line."""
    rows = anyio.run(rows_here, size)
    if size.peers:
        rows += peer_rows(rows, size.rounds)
    rows += anyio.run(rate_rows, size)
    return rows + webhook_rows(size)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--no-peers", action="store_true")
    given = parser.parse_args()
    size = QUICK if given.quick else Size(peers=not given.no_peers)
    sys.stdout.write(table(rows_of(size)) + "\n")


if __name__ == "__main__":
    main()
