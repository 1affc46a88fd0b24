"""Nodes that ask people, in real runs: a clock that a test moves, replies as doors give them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import anyio
from tests.nodes.flow.running import alone, an_engine, opened_database, outcome_of

from toolweave.catalog.node import Outcome
from toolweave.catalog.resources.record import Resources
from toolweave.engine.engine import Engine
from toolweave.engine.events import StepFailed, StepFinished, StepWaiting
from toolweave.engine.runs import RunRequest
from toolweave.json_text import Json, JsonObject
from toolweave.people.inbox import Inbox
from toolweave.testing.clock import FakeClock
from toolweave.workflow.question import Question, question_of

STEP = "n"


@dataclass
class People:
    """An engine whose runs ask people."""

    engine: Engine
    clock: FakeClock
    inbox: Inbox

    async def asked(self, ref: str, config: JsonObject, inputs: JsonObject) -> str:
        """A run of one node that has asked its question."""
        run = await self.engine.runs.start(RunRequest(alone(ref, config, inputs), inputs))
        await self.engine.advance(run)
        return run

    async def question(self, run: str) -> Question:
        found = question_of((await self.engine.state(run)).waiting[STEP].question)
        assert found is not None
        return found

    async def waits(self, run: str) -> int:
        """How often it began to wait so far."""
        entries = await self.engine.journal.read(run)
        return sum(isinstance(entry.event, StepWaiting) for entry in entries)

    async def reply(
        self, run: str, reply: Json, *, by: str | None = None, via: str = "test"
    ) -> Outcome | None:
        """Answer, and what came of it; nothing where the run waits on."""
        before = await self.waits(run)
        await self.engine.answer(run, STEP, reply, by=by, via=via)
        return await self.settled(run, before)

    async def settled(self, run: str, waits: int) -> Outcome | None:
        """What came of a step once it is over; nothing once it waits again."""
        with anyio.fail_after(60):
            async for entry in self.engine.follow(run):
                match entry.event:
                    case StepWaiting():
                        waits -= 1
                        if waits < 0:
                            return None
                    case StepFinished(key) if key == STEP:
                        return await outcome_of(self.engine, run)
                    case StepFailed(retry_at=None):
                        raise AssertionError(entry.event)
                    case _:
                        pass
        raise AssertionError("the run ended without the step")

    async def later(self, run: str) -> Outcome | None:
        """Let time pass until the run has something to do, and what came of that."""
        wake_at = (await self.engine.get(run)).wake_at
        assert wake_at is not None
        ahead = datetime.fromisoformat(wake_at) - self.clock.now()
        await self.clock.advance((ahead + timedelta(milliseconds=1)).total_seconds())
        before = await self.waits(run)
        await self.engine.advance(run)
        return await self.settled(run, before)


@asynccontextmanager
async def people(
    folder: Path, resources: Resources | None = None, clock: FakeClock | None = None
) -> AsyncGenerator[People]:
    clock = clock or FakeClock()
    async with (
        opened_database(folder) as database,
        an_engine(database, clock, resources) as engine,
    ):
        yield People(engine, clock, Inbox(engine))


def said(outcome: Outcome | None) -> tuple[str, Json]:
    """The port and the reply of an outcome."""
    assert outcome is not None
    assert isinstance(outcome.value, dict)
    assert outcome.ports == (outcome.value["ai_classification"],)
    return outcome.ports[0], outcome.value["user_response"]


def answers(outcome: Outcome | None) -> list[JsonObject]:
    assert outcome is not None
    assert isinstance(outcome.value, dict)
    found = outcome.value["answers"]
    assert isinstance(found, list)
    return [one for one in found if isinstance(one, dict)]
