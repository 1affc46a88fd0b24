"""Questions of a run and of the runs that its steps call, by the step as the first run sees it.

The step `ask` of the run that the step `call` calls is `call/ask`.
"""

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field

import anyio
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectSendStream

from toolweave.engine.called_runs import called_run, once_key, open_calls
from toolweave.engine.engine import Engine
from toolweave.engine.events import Key, StepCancelled, StepFailed, StepFinished, StepStarted
from toolweave.engine.journal import LOOK_EVERY_S, JournalEntry
from toolweave.engine.plan import Plan
from toolweave.errors import ToolweaveError
from toolweave.json_text import JsonObject
from toolweave.tasks import background

logger = logging.getLogger(__name__)


async def open_questions(engine: Engine, run: str) -> dict[Key, JsonObject]:
    """Return what a run and the runs it called wait for a person or a program to answer."""
    state = await engine.state(run)
    found = {
        key: waiting.question
        for key, waiting in state.waiting.items()
        if waiting.question is not None and key not in state.answers
    }
    for key in open_calls(state):
        called = await called_run(engine.journal.database, run, key)
        if called is not None:
            asked = await open_questions(engine, called)
            found |= {f"{key}/{inner}": question for inner, question in asked.items()}
    return found


@dataclass(frozen=True, slots=True)
class RunEvents:
    """New events of a run, or with a prefix such as `call/` of the one that a step called."""

    prefix: str
    entries: Sequence[JournalEntry]


@asynccontextmanager
async def with_called_runs(
    engine: Engine, run: str
) -> AsyncGenerator[AsyncGenerator[RunEvents, None]]:
    """Follow a run until it ends, and meanwhile the runs that its steps call."""
    send, receive = anyio.create_memory_object_stream[RunEvents | ToolweaveError]()

    async def events() -> AsyncGenerator[RunEvents]:
        async for one in receive:
            if isinstance(one, ToolweaveError):
                raise one
            yield one

    # The tasks end first: one that sends to a closed stream would fail.
    async with send, receive, aclosing(events()) as following, background() as tasks:
        tasks.start_soon(_Follower(engine, send, tasks).follow_first, run)
        yield following


@dataclass
class _Follower:
    """Sends the events of runs, of each in its order."""

    engine: Engine
    send: MemoryObjectSendStream[RunEvents | ToolweaveError]
    tasks: TaskGroup
    calls: dict[Key, anyio.CancelScope] = field(default_factory=dict[Key, anyio.CancelScope])

    async def follow_first(self, run: str) -> None:
        try:
            await self._follow(run, "")
        except ToolweaveError as error:
            await self.send.send(error)
        self.send.close()

    async def _follow(self, run: str, prefix: str) -> None:
        plan = await self.engine.plan(run)
        async with aclosing(self.engine.journal.batches(run)) as batches:
            async for entries in batches:
                begun = self._changed_calls(plan, prefix, entries)
                await self.send.send(RunEvents(prefix, entries))
                for key in begun:
                    scope = self.calls[prefix + key] = anyio.CancelScope()
                    self.tasks.start_soon(self._follow_called, run, key, prefix, scope)

    def _changed_calls(self, plan: Plan, prefix: str, entries: Sequence[JournalEntry]) -> list[Key]:
        """Return the steps that now call a run; those of ended steps are followed no longer."""
        begun: dict[Key, None] = {}
        for entry in entries:
            match entry.event:
                case StepStarted(key) if prefix + key not in self.calls and _calls(plan, key):
                    begun[key] = None
                case StepFinished(key) | StepFailed(key) | StepCancelled(key):
                    begun.pop(key, None)
                    if (scope := self.calls.pop(prefix + key, None)) is not None:
                        scope.cancel()
                case _:
                    pass
        return list(begun)

    async def _follow_called(
        self, run: str, key: Key, prefix: str, scope: anyio.CancelScope
    ) -> None:
        with scope:
            try:
                await self._follow(await self._called(run, key), f"{prefix}{key}/")
            except ToolweaveError as error:
                # The caller still gets what the first run does.
                logger.info("a called run is not followed", extra={"code": error.code})

    async def _called(self, run: str, key: Key) -> str:
        """Return the run that a step calls, as soon as there is one."""
        notifications = self.engine.journal.notifications
        with notifications.listening():
            while True:
                notified = notifications.any()
                if (found := await self.engine.find(once_key(run, key))) is not None:
                    return found
                with anyio.move_on_after(LOOK_EVERY_S):
                    await notified.wait()


def _calls(plan: Plan, key: Key) -> bool:
    step = plan.by_id.get(key.rpartition("/")[2])
    return step is not None and step.kind.calls
