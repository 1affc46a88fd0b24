"""A run cut off at every write, in a loop, a map, a pause, a question, a back-off wait.

In this process: the journal says so instead of writing, or right after, and an engine of another
holder goes on. The result is that of a run nobody disturbs, and no step that must happen once
happens twice.
"""

from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from tests.engine.building import (
    Behaviour,
    EchoTools,
    Kinds,
    catalog,
    until_silent,
    waits,
    workflow,
)

from toolweave.catalog.node import NodeContext, Outcome, Wait
from toolweave.catalog.node_kind import NodeKind
from toolweave.engine.context import EngineServices
from toolweave.engine.decide import result_of
from toolweave.engine.engine import Engine
from toolweave.engine.events import FINAL, Choice
from toolweave.engine.journal import Journal, Lease
from toolweave.engine.journal_rows import JournalChange, Written
from toolweave.engine.runs import RunRequest
from toolweave.errors import Unavailable
from toolweave.json_text import Json
from toolweave.nodes.flow import delay
from toolweave.storage.database import Database, open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.clock import FakeClock
from toolweave.testing.unchecked import Unchecked
from toolweave.workflow.model import Node, Workflow

pytestmark = pytest.mark.anyio

Moment = Literal["before", "after"]
ITEMS: list[Json] = [1, 2, 3]


class CutJournal(Journal):
    """Fails at its write number so and so, as if the process were no more."""

    at: int = 0
    moment: Moment = "before"
    writes: int = 0

    async def append(
        self, lease: Lease, events: Sequence[Written], change: JournalChange | None = None
    ) -> int:
        self.writes += 1
        if self.writes == self.at and self.moment == "before":
            raise Unavailable("TEST_CUT", "the process is no more")
        last = await super().append(lease, events, change)
        if self.writes == self.at:
            raise Unavailable("TEST_CUT", "the process is no more")
        return last


@dataclass
class World:
    """What really happened, over all processes."""

    done: Counter[str] = field(default_factory=Counter[str])

    async def effect(self, context: NodeContext) -> Outcome:
        key = context.key.partition("/")[2]
        self.done[key] += 1
        return Outcome([key.rpartition("/")[2], context.given.incoming])


@dataclass(frozen=True)
class Case:
    """A workflow, and where it waits or fails for a while."""

    graph: Workflow
    answers: tuple[str, ...] = ()
    has_retry: bool = False


def turned(width: int, kind: str) -> Workflow:
    each = ("each", {"items": ITEMS, "width": width})
    return workflow({"l": each, "x": kind, "y": "once"}, ["l.loop > x", "x > y"])


NESTED = workflow(
    {
        "l": ("each", {"items": [[1, 2], [3]]}),
        "m": "each",
        "x": "once",
        "z": "once",
    },
    ["l.loop > m", "m.loop > x", "l.done > z"],
)
CASES = {
    "loop": Case(turned(1, "once")),
    "loop of keyed steps": Case(turned(1, "keyed")),
    "map": Case(turned(3, "once")),
    "loop in a loop": Case(NESTED),
    "delay": Case(
        workflow(
            {"a": "keyed", "d": catalog("DELAY", duration_seconds=3600), "b": "once"},
            ["a > d", "d > b"],
        )
    ),
    "question": Case(
        workflow(
            {"a": "once", "ask": "keyed", "other": "once", "b": "once"},
            ["a > ask", "a > other", "ask > b", "other > b"],
        ),
        answers=("ask",),
    ),
    "back-off": Case(
        workflow(
            {
                "a": "once",
                "again": ("keyed", {"configurations": {"retry_attempts": 3}}),
                "b": "once",
            },
            ["a > again", "again > b"],
        ),
        has_retry=True,
    ),
}


KIND_OF = {
    (name, node.id): node.type for name, case in CASES.items() for node in case.graph.nodes
} | {("back-off", "failed"): "keyed"}


class CutKinds(Kinds):
    """The kinds of the tests, and the real pause."""

    def of(self, node: Node) -> NodeKind | None:
        if node.ref == delay.node.spec.ref:
            return NodeKind(delay.node, delay.node.spec.effect, delay.node.spec)
        return super().of(node)


@dataclass
class House:
    """One database and one world; every engine is another process."""

    database: Database
    clock: FakeClock
    world: World
    case: Case
    skipped: int = 0

    def engine(self, at: int = 0, moment: Moment = "before") -> tuple[Engine, CutJournal]:
        names = [node.id for node in self.case.graph.nodes if node.type in {"once", "keyed"}]
        behaviours: dict[str, Behaviour] = dict.fromkeys(names, self.world.effect)
        behaviours |= {name: waits(question={"text": "May it?"}) for name in self.case.answers}
        if self.case.has_retry:
            behaviours["again"] = self._fails_twice
        journal = CutJournal(self.database, self.clock)
        journal.at, journal.moment = at, moment
        services = EngineServices(EchoTools(), self.clock)
        return Engine(
            self.database, journal, CutKinds(**behaviours), services=services, checker=Unchecked()
        ), journal

    async def _fails_twice(self, context: NodeContext) -> Outcome | Wait:
        self.world.done["failed"] += 1
        if self.world.done["failed"] <= 2:
            raise Unavailable("TEST_BUSY", "come back later")
        return Outcome("again")

    async def to_the_end(
        self, run: str, at: int = 0, moment: Moment = "before", *, was_cut: bool = False
    ) -> int:
        """Go on, cut off once, until it is over; how many writes the last process made."""
        engine, journal = self.engine(at, moment)
        async with engine.running():
            if was_cut:
                await until_silent(engine, self.clock)
            try:
                await self._advance(engine, run)
            except Unavailable as error:
                if error.code != "TEST_CUT":
                    raise
            else:
                return journal.writes
        return await self.to_the_end(run, was_cut=True)

    async def _advance(self, engine: Engine, run: str) -> None:
        while await engine.advance(run) not in FINAL:
            state = await engine.state(run)
            for key in list(state.uncertain):
                choice: Choice = "skip" if self.world.done[key] else "retry"
                self.skipped += choice == "skip"
                await engine.resolve(run, key, choice, resume=False)
            for key in self.case.answers:
                if key in state.waiting and not state.answers.get(key):
                    await engine.answer(run, key, "yes", resume=False)
            await self.clock.advance(7200)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncGenerator[Database]:
    async with open_database(tmp_path / "runs.db") as opened:
        await migrate(opened)
        yield opened


async def began(house: House) -> str:
    engine, _ = house.engine()
    async with engine.running():
        return await engine.runs.start(RunRequest(house.case.graph, {"n": 1}))


async def given(house: House, run: str) -> Json:
    engine, _ = house.engine()
    found = await engine.get(run)
    assert (found.status, found.error) == ("success", None)
    return result_of(await engine.state(run))


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("name", CASES)
async def test_cut_off_at_any_write_a_run_comes_to_the_same_end(
    database: Database, clock: FakeClock, name: str, moment: Moment
) -> None:
    whole = House(database, clock, World(), CASES[name])
    run = await began(whole)
    writes = await whole.to_the_end(run)
    result = await given(whole, run)
    assert writes >= 3
    for number in range(1, writes + 1):
        house = House(database, clock, World(), CASES[name])
        run = await began(house)
        await house.to_the_end(run, number, moment)
        found = await given(house, run)
        once = {key for key in house.world.done if KIND_OF[name, key.rpartition("/")[2]] == "once"}
        assert {key: house.world.done[key] for key in once} == dict.fromkeys(once, 1)
        assert set(house.world.done) == set(whole.world.done)
        if not house.skipped:
            assert found == result
