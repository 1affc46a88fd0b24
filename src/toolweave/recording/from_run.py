"""Makes a recording of a finished run from its journal and the kept exchanges."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from toolweave.catalog.node import RunFacts
from toolweave.engine.events import (
    FINAL,
    Answered,
    Event,
    Finished,
    PureStepsDone,
    Started,
    StepFailed,
    StepFinished,
    StepStarted,
    StepWaiting,
)
from toolweave.engine.journal import Journal, JournalEntry
from toolweave.engine.plan import Plan
from toolweave.engine.run_table import RunRecord, RunTable
from toolweave.engine.state import RunState
from toolweave.engine.step_input import Binder
from toolweave.engine.variables import one_by_one
from toolweave.engine.workflow_snapshots import WorkflowSnapshots
from toolweave.errors import Conflict, NotFound, ToolweaveError
from toolweave.home import Home
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.registry import NodeRegistry
from toolweave.recording.entries import (
    FORMAT,
    CallLine,
    Header,
    ModelLine,
    PersonLine,
    RecordedRun,
    RecordedServer,
    RecordingSource,
    ResultLine,
    SkillLine,
    StepLine,
    ToolLine,
    WorkflowLine,
)
from toolweave.recording.exchange_log import KeptExchange, exchanges_of
from toolweave.recording.matching import canonical, canonical_arguments, key_of
from toolweave.recording.recording import Recording
from toolweave.recording.replay_mode import own_code, replay_mode, request_of
from toolweave.servers.skill_reading import skill_tools
from toolweave.workflow.formats.load import convert

_CALLING = ("toolweave.nodes.mcp.", "toolweave.nodes.tool.", "toolweave.nodes.ai.")


class RunRecorder:
    """Makes recordings of the runs of one home."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._journal = Journal(home.database, home.clock)
        self._snapshots = WorkflowSnapshots(home.database, NodeRegistry())
        self._tool_lines: dict[str, tuple[str, tuple[ToolLine, ...]]] = {}
        # The workflow of the last recording, by identity of its plan, which keeps it alive.
        self._written: tuple[Plan, WorkflowLine] | None = None

    async def record(self, run: RunRecord, name: str, recorded_at: str) -> Recording:
        """Return the recording of a run. Raises `Conflict`: `RUN_NOT_FINISHED`, `RUN_PINNED`."""
        if run.status not in FINAL:
            raise Conflict(
                "RUN_NOT_FINISHED",
                f"run {run.id!r} is {run.status}; only a finished run can be recorded",
                hint=f"`toolweave runs watch {run.id[:8]}` follows it",
            )
        plan = await self._plan(run)
        entries = await self._journal.read(run.id)
        started = next(one.event for one in entries if isinstance(one.event, Started))
        if started.pins:
            raise Conflict(
                "RUN_PINNED",
                f"run {run.id[:8]!r} used pinned outputs of {', '.join(sorted(started.pins))}; it "
                "does not show what the workflow does",
                hint="run the workflow without pinned outputs, and record that run",
            )
        exchanges = await self._exchanges(run)
        seen = RunSteps(run, plan, {one.step for one in exchanges if one.body})
        steps = list(seen.read(entries))
        lines = _ExchangeLines(datetime.fromisoformat(run.started_at), self._schemas(exchanges))
        lines.add_all(exchanges)
        servers = sorted({line.server for line in lines.calls})
        return Recording(
            Header(
                type="recording",
                format=FORMAT,
                name=name,
                recorded_at=recorded_at,
                source=RecordingSource(
                    kind="run", run=run.id, fidelity="partial" if seen.is_partial else "wire"
                ),
                servers=await self._servers(servers),
                workflow=plan.workflow.name,
                run=_recorded_run(run, started),
            ),
            self._workflow_line(plan),
            self.tools(servers),
            tuple(lines.calls),
            tuple(lines.models),
            tuple(_people(entries, len(exchanges))),
            tuple(steps),
            result_of(entries),
            self._skills(servers),
        )

    async def _exchanges(self, run: RunRecord) -> list[KeptExchange]:
        """Return the exchanges of a run, and of the runs that it took earlier steps from."""
        found: list[KeptExchange] = []
        known: set[str] = set()
        runs = RunTable(self._home.database)
        while True:
            own = await exchanges_of(self._home.database, run.id)
            found += [one for one in own if one.step not in known]
            known |= {one.step for one in own}
            if not run.fork_of:
                return found
            try:
                run = await runs.get(run.fork_of)
            except NotFound:
                return found  # it was removed

    async def _plan(self, run: RunRecord) -> Plan:
        row = await self._home.database.row("SELECT document FROM runs WHERE id = ?", run.id)
        assert row is not None
        return await self._snapshots.plan_of(row[0])

    def _workflow_line(self, plan: Plan) -> WorkflowLine:
        if self._written is None or self._written[0] is not plan:
            document = convert(plan.workflow, "toolweave")
            line = WorkflowLine.model_validate({"type": "workflow", "document": document})
            self._written = plan, line
        return self._written[1]

    def _schemas(self, exchanges: Sequence[KeptExchange]) -> dict[tuple[str, str], "_KnownTool"]:
        servers = {str(one.body.get("server")) for one in exchanges if one.kind == "call"}
        return {
            (server, tool): _KnownTool(pin.hash, pin.definition)
            for server in servers
            for tool, pin in self._home.lockfile.pins(server).items()
        }

    def tools(self, servers: Sequence[str]) -> tuple[ToolLine, ...]:
        """Return the approved tools of servers as lines."""
        return tuple(line for server in servers for line in self._tools_of(server))

    def _skills(self, servers: Sequence[str]) -> tuple[SkillLine, ...]:
        """Return the tool that reads the approved skills, for each server that has some."""
        return tuple(
            SkillLine(type="skill", server=server, definition=tool.raw)
            for server in servers
            for tool in skill_tools(server, self._home.lockfile.skills(server).values())
        )

    def _tools_of(self, server: str) -> tuple[ToolLine, ...]:
        stamp = self._home.lockfile.stamp()
        known = self._tool_lines.get(server)
        if known is None or known[0] != stamp:
            pins = sorted(self._home.lockfile.pins(server).items())
            known = (
                stamp,
                tuple(
                    ToolLine(type="tool", server=server, hash=pin.hash, definition=pin.definition)
                    for _, pin in pins
                ),
            )
            self._tool_lines[server] = known
        return known[1]

    async def _servers(self, names: Sequence[str]) -> dict[str, RecordedServer]:
        found: dict[str, RecordedServer] = {}
        for name in names:
            pins = self._home.lockfile.pins(name)
            hashes: list[Json] = [pin.hash for _, pin in sorted(pins.items())]
            found[name] = RecordedServer(tools_hash=key_of(hashes))
        return found


@dataclass(frozen=True, slots=True)
class _KnownTool:
    hash: str
    definition: JsonObject

    @property
    def schema(self) -> JsonObject:
        found = self.definition.get("inputSchema")
        return found if isinstance(found, dict) else {}


def _recorded_run(run: RunRecord, started: Started) -> RecordedRun:
    return RecordedRun(
        id=run.id, started_at=run.started_at, inputs=started.inputs, trigger=started.trigger
    )


@dataclass(slots=True)
class _ExchangeLines:
    """The lines of exchanges, numbered in the order they began."""

    began: datetime
    tools: dict[tuple[str, str], _KnownTool]
    calls: list[CallLine] = field(default_factory=list[CallLine])
    models: list[ModelLine] = field(default_factory=list[ModelLine])
    _times: dict[str, int] = field(default_factory=dict[str, int])
    _group: int = 0
    _group_ends_ms: float = -1.0

    def add_all(self, exchanges: Sequence[KeptExchange]) -> None:
        for seq, one in enumerate(sorted(exchanges, key=lambda one: one.at), 1):
            if not one.body:
                continue
            at_ms = (datetime.fromisoformat(one.at) - self.began).total_seconds() * 1000
            shared = {"seq": seq, "step": one.step, "at_ms": at_ms, "took_ms": one.took_ms}
            if one.kind == "call":
                self._add_call(one.body, shared)
            else:
                request = canonical(one.body["request"])
                key = key_of(request)
                line = {**shared, **one.body, "key": key, "occurrence": self._nth(key)}
                self.models.append(ModelLine.model_validate({"type": "model", **line}))

    def _add_call(self, body: JsonObject, shared: Mapping[str, object]) -> None:
        server, tool = str(body["server"]), str(body["tool"])
        known = self.tools.get((server, tool))
        arguments = body["arguments"]
        assert isinstance(arguments, dict)
        wanted = canonical_arguments(arguments, known.schema if known else None)
        key = key_of(server, "tools/call", tool, wanted)
        at_ms, took_ms = shared["at_ms"], shared["took_ms"]
        assert isinstance(at_ms, float)
        assert isinstance(took_ms, float)
        if at_ms > self._group_ends_ms:
            self._group += 1
        self._group_ends_ms = max(self._group_ends_ms, at_ms + took_ms)
        line: dict[str, object] = {"type": "call", **shared, **body}
        line |= {"group": self._group, "key": key, "occurrence": self._nth(key)}
        if known is not None:
            line["tool_hash"] = known.hash
        self.calls.append(CallLine.model_validate(line))

    def _nth(self, key: str) -> int:
        self._times[key] = self._times.get(key, 0) + 1
        return self._times[key]


class RunSteps:
    """Reads the steps of a run from its journal, each with what it saw when it ran.

    `exchanged` are the steps whose exchanges were kept.
    """

    def __init__(self, run: RunRecord, plan: Plan, exchanged: set[str]) -> None:
        self._state = RunState(plan)
        self._began = datetime.fromisoformat(run.started_at)
        self._binder = Binder(self._state, RunFacts(run.id, run.workflow, self._began))
        self._exchanged = exchanged
        self._started: dict[str, float] = {}
        self.is_partial = False

    def read(self, entries: Sequence[JournalEntry]) -> Iterator[StepLine]:
        """Yield the ended steps in order."""
        for entry in entries:
            at_ms = (datetime.fromisoformat(entry.at) - self._began).total_seconds() * 1000
            if isinstance(entry.event, StepStarted):
                self._started.setdefault(entry.event.key, at_ms)
            for key, event in one_by_one(entry.event):
                ended = key or _failed_key(event)
                line = self._line(ended, at_ms) if ended else None
                self._state.apply(event)
                if line is not None and ended is not None:
                    yield _finished(line, event)

    def _line(self, key: str, at_ms: float) -> StepLine | None:
        place = self._state.places.get(key)
        if place is None:
            return None
        step = place.step
        ref = step.node.ref or step.node.type
        at_ms = self._started.get(key, at_ms)
        line = StepLine(
            type="step", key=key, node=step.id, kind=ref, replay="computed", status="", at_ms=at_ms
        )
        if step.kind.effectful is None or step.prepared.is_disabled:
            return line
        try:
            given = self._binder.given(place)
        except ToolweaveError:
            return line  # its input was refused, which a replay computes again
        mode = replay_mode(step.kind, given)
        if mode == "boundary" and self._lacks_exchanges(key, step.kind.code):
            mode, self.is_partial = "outcome", True
        request = canonical(request_of(step.kind, given)) if mode == "outcome" else None
        update: dict[str, object] = {"replay": mode}
        if request is not None:
            update["request"] = request
        return line.model_copy(update=update)

    def _lacks_exchanges(self, key: str, code: object) -> bool:
        """Whether the step calls something and nothing of that was kept."""
        calls = f"{type(own_code(code)).__module__}.".startswith(_CALLING)
        return calls and key not in self._exchanged


def _finished(line: StepLine, event: Event) -> StepLine:
    if isinstance(event, StepFailed):
        error: JsonObject = {"code": event.code, "message": event.message}
        if event.hint:
            error["hint"] = event.hint
        return line.model_copy(update={"status": "failed", "error": error})
    update: dict[str, object] = {"status": "success"}
    if isinstance(event, StepFinished):
        update["output"] = event.value
        if event.ports is not None:
            update["ports"] = tuple(event.ports)
    elif isinstance(event, PureStepsDone):
        update["output"] = event.values[int(str(event.steps[0][1]))]
    return line.model_copy(update=update)


def _failed_key(event: Event) -> str | None:
    return event.key if isinstance(event, StepFailed) and event.retry_at is None else None


def _people(entries: Sequence[JournalEntry], after: int) -> Iterator[PersonLine]:
    questions: dict[str, JsonObject | None] = {}
    for entry in entries:
        event = entry.event
        if isinstance(event, StepWaiting) and event.question is not None:
            questions[event.key] = event.question
        elif isinstance(event, Answered):
            after += 1
            told = {"by": event.by, "via": event.via, "at": event.at}
            yield PersonLine.model_validate(
                {
                    "type": "person",
                    "seq": after,
                    "step": event.key,
                    "question": questions.get(event.key),
                    "reply": event.reply,
                    **{name: value for name, value in told.items() if value is not None},
                }
            )


def result_of(entries: Sequence[JournalEntry]) -> ResultLine:
    """Return how a finished run ended."""
    event = entries[-1].event
    assert isinstance(event, Finished)
    line: JsonObject = {"type": "result", "status": event.status, "result": event.result}
    if event.error is not None:
        line["error"] = event.error
    return ResultLine.model_validate(line)


async def find_run(runs: RunTable, name: str) -> RunRecord:
    """Return a run by its id, the beginning of it, or `last`. Raises `RUN_UNKNOWN`."""
    if name == "last" and (newest := await runs.newest(limit=1)):
        return newest[0]
    return await runs.match(name)
