"""A process whose children execute a run and are killed: reads one order a line.

An order: {"folder", "mode": "start" | "resume", "journal": "honest" | "hasty" | "careless" |
"unsynced"}, "database" if that is elsewhere, "chars" for long values, and how it dies: "at" (number
of a write: the run's first row, its taking, and every commit after) with "when" ("before" |
"inside" | "after"), or "after_s", with "begins_s" counted from its first effect if that begins
within so long. Each order is a fork, made before there is an event loop; the answer is how it
ended, and beside the database stands how many writes it made. With "traced", it stops before it
begins, with its number in the file `pid`, so that a tracer can make its system calls fail; the code
of the error that ended it is in the file `error`. With `--tables` its databases begin with their
tables.
"""

import json
import os
import signal
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import anyio
from tests.engine.building import EchoTools, workflow
from tests.storage.template import template

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.catalog.node_kind import NodeKind
from toolweave.clock import SystemClock
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.events import FINAL
from toolweave.engine.journal import Journal, Lease
from toolweave.engine.journal_rows import JournalChange, Written
from toolweave.engine.runs import RunRequest
from toolweave.errors import ToolweaveError
from toolweave.nodes.prompt import end, start
from toolweave.storage.database import Database, Row, Statement, Values, open_database
from toolweave.storage.dialects import sqlite
from toolweave.storage.migrations import migrate
from toolweave.testing.unchecked import Unchecked
from toolweave.workflow.model import Node, Workflow

EFFECT_S = 0.005
BRANCHES, LENGTH = 5, 5
# How a branch goes: which kinds of steps, in order. 5 x 5 steps, 3 joins, a start and an end.
PATTERN = ("once", "keyed", "end", "once", "once")


def graph() -> Workflow:
    nodes = {"s": "start", "left": "once", "right": "keyed", "join": "once", "e": "end"}
    edges = ["left > join", "right > join", "join > e"]
    for branch in range(BRANCHES):
        names = [f"b{branch}_{index}" for index in range(LENGTH)]
        nodes |= dict(zip(names, PATTERN, strict=True))
        into = "left" if branch % 2 else "right"
        for one, other in zip(["s", *names], [*names, into], strict=True):
            edges.append(f"{one} > {other}")
    return workflow(nodes, edges)


@dataclass(frozen=True)
class Effects:
    """A file that effects leave a mark in, before and after."""

    path: Path
    # How long a value is: long ones take more writes.
    chars: int = 0

    async def run(self, context: NodeContext) -> Outcome:
        key = context.key.partition("/")[2]
        self._mark(f"begin {key}")
        # Branches drift apart, so that their commits are their own.
        await anyio.sleep(EFFECT_S * (1 + sum(key.encode()) % 7 / 5))
        self._mark(f"end {key}")
        return Outcome(key.ljust(self.chars, "."))

    def _mark(self, text: str) -> None:
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(handle, f"{text}\n".encode())
        os.close(handle)

    def marks(self) -> Counter[str]:
        text = self.path.read_text(encoding="utf-8") if self.path.exists() else ""
        return Counter(text.splitlines())


class Kinds:
    def __init__(self, effects: Effects) -> None:
        self._kinds = {
            "start": NodeKind(start.plain, "pure"),
            "end": NodeKind(end.plain, "pure"),
            "once": NodeKind(effects, "once"),
            "keyed": NodeKind(effects, "keyed"),
        }

    def of(self, node: Node) -> NodeKind | None:
        return self._kinds[node.type]


class HastyJournal(Journal):
    """A control: leaves out that a step begins."""

    async def append(
        self, lease: Lease, events: Sequence[Written], change: JournalChange | None = None
    ) -> int:
        kept = [event for event in events if event.kind != "step_started"]
        return await super().append(lease, kept, change)


_connect = sqlite._connect_to_write  # pyright: ignore[reportPrivateUsage]


def connect_unsynced(path: Path) -> sqlite3.Connection:
    """A control: a database that acknowledges what is in no file yet."""
    connection = _connect(path)
    connection.execute("PRAGMA synchronous=OFF")
    return connection


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _dies_when_asked_for() -> Iterator[Values]:
    die()
    yield ()


class Deaths:
    """Counts the writes of a database, and dies around the one it was told."""

    def __init__(self, database: Database, order: dict[str, Any]) -> None:
        self.writes = 0
        self._at, self._when = order.get("at"), order.get("when")
        self._write = database.at_once
        database.at_once = self.at_once  # type: ignore[method-assign] # every write passes here

    async def at_once(
        self, statements: Sequence[Statement], *, shared: bool = False, shielded: bool = False
    ) -> list[list[Row]]:
        self.writes += 1
        if self.writes != self._at:
            return await self._write(statements, shared=shared, shielded=shielded)
        if self._when == "before":
            die()
        elif self._when == "inside":  # all is written, and nothing committed
            many = cast("tuple[Values, ...]", _dies_when_asked_for())
            statements = [*statements, Statement("DELETE FROM runs WHERE id = ?", many=many)]
        found = await self._write(statements, shared=shared, shielded=shielded)
        die()
        return found


async def bring_forward(order: dict[str, Any]) -> None:
    folder = Path(order["folder"])
    effects = Effects(folder / "effects", order.get("chars", 0))
    if order["journal"] == "unsynced":
        sqlite._connect_to_write = connect_unsynced  # pyright: ignore[reportPrivateUsage]
    async with open_database(Path(order.get("database", folder / "runs.db"))) as database:
        await migrate(database)
        deaths = Deaths(database, order)
        kind = HastyJournal if order["journal"] == "hasty" else Journal
        journal = kind(database, SystemClock())
        services = EngineServices(EchoTools(), SystemClock())
        engine = Engine(database, journal, Kinds(effects), services=services, checker=Unchecked())
        async with engine.running():
            if order["mode"] == "start":
                await engine.runs.start(RunRequest(graph(), {"n": 1}, once_key="the run"))
            for run in await engine.newest():
                is_careless = order["journal"] == "careless"
                await to_the_end(engine, run.id, effects, folder, is_careless=is_careless)
    (folder / "writes").write_text(str(deaths.writes), encoding="utf-8")


async def to_the_end(
    engine: Engine, run: str, effects: Effects, folder: Path, *, is_careless: bool
) -> None:
    """Go on; the one who decides about uncertain steps looks at what happened, or is careless."""
    while (await engine.advance(run)) not in FINAL:
        for key in (await engine.state(run)).uncertain:
            with (folder / "uncertain").open("a", encoding="utf-8") as file:
                file.write(f"{key}\n")
            happened = is_careless or effects.marks()[f"end {key}"]
            await engine.resolve(run, key, "skip" if happened else "retry")


def execute(order: dict[str, Any]) -> None:
    folder = Path(order["folder"])
    if order.get("traced"):
        (folder / "pid").write_text(str(os.getpid()), encoding="utf-8")
        os.kill(os.getpid(), signal.SIGSTOP)
    try:
        anyio.run(bring_forward, order)
    except* ToolweaveError as errors:
        first = errors.exceptions[0]
        assert isinstance(first, ToolweaveError)
        (folder / "error").write_text(first.code, encoding="utf-8")
        raise


def serve() -> None:
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                execute(order)
                code = 0
            finally:
                os._exit(code)
        if "after_s" in order:
            until = time.monotonic() + order.get("begins_s", 0)
            while time.monotonic() < until and not Path(order["folder"], "effects").exists():
                time.sleep(0.001)
            time.sleep(order["after_s"])
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    if "--tables" in sys.argv:
        template.use()
    serve()
