"""Replays recordings: the real engine on a database in memory, with a playback as its world.

No process is started and no connection is made: the engine has no other resources.
"""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import anyio
import anyio.to_thread

from toolweave import json_text
from toolweave.authoring.run_check import refuse_errors
from toolweave.catalog.index import Catalog
from toolweave.catalog.live import specs_of
from toolweave.catalog.resources.record import Resources
from toolweave.clock import SystemClock
from toolweave.engine.context import EngineServices, current_step
from toolweave.engine.engine import Engine
from toolweave.engine.events import FINAL
from toolweave.engine.journal import Journal, JournalEntry
from toolweave.engine.plan import Plan
from toolweave.engine.run_table import RunRecord
from toolweave.engine.runs import RunRequest
from toolweave.errors import Invalid
from toolweave.nodes.prompt.answer_source import AnswerSource
from toolweave.nodes.registry import NodeRegistry
from toolweave.nodes.spec_cache import built_in_catalog
from toolweave.recording.playback import Playback, PlayedResources
from toolweave.recording.recording import Recording
from toolweave.recording.replayed_nodes import ReplayedKinds
from toolweave.storage.database import Database, Statement
from toolweave.storage.dialects.sqlite import opened_in_memory
from toolweave.storage.migrations import migrate
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import read
from toolweave.workflow.model import Workflow
from toolweave.workflow.report import examine_loaded

MAX_CACHED = 64
# A replay that answers and waits more often than this would never end.
MAX_TURNS = 10_000


class ReplayClock:
    """Implements `toolweave.clock.Clock`: each step sees the time at which it was recorded."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._starts: dict[str, datetime] = {}

    def begin(self, now: datetime, at_ms: dict[str, float]) -> None:
        """Begin a replay at this time; `at_ms` says when each step (`RUN/STEP`) started."""
        self._now = now
        self._starts = {key: now + timedelta(milliseconds=ms) for key, ms in at_ms.items()}

    def advance_to(self, moment: datetime) -> None:
        """Let time pass until then; it never goes back."""
        self._now = max(self._now, moment)

    def now(self) -> datetime:
        """The time of the replay, or the later one at which the current step was recorded."""
        start = self._starts.get(current_step.get())
        return self._now if start is None else max(self._now, start)

    def monotonic(self) -> float:
        """Seconds that never jump."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait in real time: only background tasks of the engine sleep."""
        await anyio.sleep(seconds)


@dataclass(frozen=True, slots=True)
class ReplayedRun:
    """A finished replay: what the run did, and what the recording could not answer."""

    run: RunRecord
    plan: Plan
    entries: list[JournalEntry]
    playback: Playback


class RecordedToolsCheck:
    """Checks workflows against the tools of the current recording; remembers what passed."""

    def __init__(self, played: PlayedResources, home: Path | None) -> None:
        self._played = played
        self._catalog = built_in_catalog(home)
        self._known: dict[tuple[str, ...], KnownEnvironment] = {}
        # By identity of the workflow, which each entry keeps alive.
        self._passed: dict[tuple[int, tuple[str, ...]], Workflow] = {}

    async def require_valid(self, loaded: LoadedWorkflow) -> None:
        """Return if the workflow has no errors; else raise `WORKFLOW_INVALID`."""
        assert self._played.playback is not None
        recording = self._played.playback.recording
        tools = tuple(f"{line.server}/{line.hash}" for line in recording.tools)
        key = (id(loaded.workflow), tools)
        if key in self._passed:
            return
        if tools not in self._known:
            self._known = {tools: _environment(self._catalog, recording)}
        report = await anyio.to_thread.run_sync(examine_loaded, loaded, self._known[tools])
        refuse_errors(loaded, report.problems)
        if len(self._passed) >= MAX_CACHED:
            del self._passed[next(iter(self._passed))]
        self._passed[key] = loaded.workflow


def _environment(catalog: Catalog, recording: Recording) -> KnownEnvironment:
    tools: dict[str, list[Tool]] = {}
    for line in recording.tools:
        tools.setdefault(line.server, []).append(read_tool(line.server, line.definition))
    specs = specs_of(tool for many in tools.values() for tool in many)
    return KnownEnvironment(catalog.with_specs(specs), SystemClock().now(), pinned=tools.get)


class Replayer:
    """Replays one recording after another."""

    def __init__(
        self, engine: Engine, database: Database, played: PlayedResources, clock: ReplayClock
    ) -> None:
        self._engine = engine
        self._database = database
        self._played = played
        self._clock = clock
        # Recorded workflows by their text: what is checked and planned once is not again.
        self._recorded: dict[bytes, LoadedWorkflow] = {}

    async def replay(
        self, recording: Recording, loaded: LoadedWorkflow | None = None
    ) -> ReplayedRun:
        """Run the recorded workflow, or another version of it, against a recording.

        Raises `Invalid`: `WORKFLOW_INVALID`, `RUN_INPUT_INVALID`, `RECORDING_INVALID` if it holds
        no run.
        """
        began = recording.header.run
        if began is None or (recording.workflow is None and loaded is None):
            raise Invalid(
                "RECORDING_INVALID",
                f"recording {recording.name!r} holds no run of a workflow",
                hint="`toolweave mock` serves its tools",
            )
        source = loaded or self._workflow(recording)
        request = RunRequest(
            source.workflow, began.inputs, began.trigger, source=source, run_id=began.id
        )
        return await self.run(recording, request, Playback(recording))

    async def run(
        self, recording: Recording, request: RunRequest, playback: Playback
    ) -> ReplayedRun:
        """Execute a request with a recording as its world; `replay` makes the usual request."""
        began = recording.header.run
        assert began is not None
        self._played.playback = playback
        starts = {f"{began.id}/{line.key}": line.at_ms for line in recording.steps}
        self._clock.begin(datetime.fromisoformat(began.started_at), starts)
        run = await self._engine.runs.start(replace(request, hold=True))
        try:
            found = await self._to_end(run, playback)
            plan = await self._engine.plan(run)
            entries = await self._engine.journal.read(run)
            return ReplayedRun(found, plan, entries, playback)
        finally:
            await self._forget(run)

    def _workflow(self, recording: Recording) -> LoadedWorkflow:
        assert recording.workflow is not None
        text = json_text.canonical(recording.workflow.document)
        if text not in self._recorded:
            if len(self._recorded) >= MAX_CACHED:
                del self._recorded[next(iter(self._recorded))]
            self._recorded[text] = read(recording.workflow.document)
        return self._recorded[text]

    async def _to_end(self, run: str, playback: Playback) -> RunRecord:
        for _ in range(MAX_TURNS):
            found = await self._engine.runs.run_to_end(run)
            if found.status in FINAL:
                return found
            if await self._answered(run, playback):
                continue
            if found.wake_at is not None:
                self._clock.advance_to(datetime.fromisoformat(found.wake_at))
                continue
            await self._engine.cancel(run, resume=False)
        raise Invalid("RECORDING_INVALID", f"the replay of {run!r} does not come to an end")

    async def _answered(self, run: str, playback: Playback) -> bool:
        """Answer one waiting step from the recording; note a question without an answer."""
        waiting = (await self._engine.state(run)).waiting
        asked = [key for key, event in waiting.items() if event.question is not None]
        for key in asked:
            answer = playback.answer_of_person(key)
            if answer is not None:
                if answer.at is not None:
                    self._clock.advance_to(datetime.fromisoformat(answer.at))
                await self._engine.answer(
                    run, key, answer.reply, by=answer.by, via=answer.via, resume=False
                )
                return True
        for key in asked:
            if waiting[key].until is None or playback.stops_at_questions:
                playback.refuse_person(key)
        return False

    async def _forget(self, run: str) -> None:
        await self._database.at_once(
            [
                Statement("DELETE FROM journal WHERE run = ?", (run,)),
                Statement("DELETE FROM questions WHERE run = ?", (run,)),
                Statement("DELETE FROM runs WHERE id = ?", (run,)),
            ]
        )


@asynccontextmanager
async def open_replayer(home: Path | None = None) -> AsyncGenerator[Replayer]:
    """Open an engine for replays; `home` only speeds up reading the catalog."""
    played = PlayedResources()
    clock = ReplayClock(SystemClock().now())
    async with opened_in_memory() as database:
        await migrate(database)
        resources = Resources(model=played, approved_tools=played)
        engine = Engine(
            database,
            Journal(database, clock),
            ReplayedKinds(NodeRegistry(), played),
            services=EngineServices(played, clock, resources),
            checker=RecordedToolsCheck(played, home),
            prepare=AnswerSource(played),
            queues=None,
        )
        async with engine.running():
            yield Replayer(engine, database, played, clock)
