"""The work of `toolweave run`: start a run and follow it, in this process or in the studio."""

import signal
import sys
from base64 import b64decode
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, Protocol, cast

import anyio

from toolweave.app.open_engine import open_engine
from toolweave.app.run_progress import ProgressListeners
from toolweave.app.studio import open_studio
from toolweave.cli.elicitation import ask_on_terminal
from toolweave.cli.run_display import Display
from toolweave.cli.run_questions import RunQuestions
from toolweave.cli.run_report import as_line, find_run, to_dos
from toolweave.cli.session import current_home, run
from toolweave.cli.studio_protocol import RunWorkflowCommand
from toolweave.engine.called_runs import root_of
from toolweave.engine.engine import Engine
from toolweave.engine.events import Key, StepStarted
from toolweave.engine.execution_report import execution
from toolweave.engine.journal import JournalEntry
from toolweave.engine.journal_report import report_of
from toolweave.engine.runs import RunRequest
from toolweave.errors import Invalid, NotFound
from toolweave.home import Home
from toolweave.json_text import Json, JsonObject
from toolweave.problems import how_many
from toolweave.recording.continuation import ForkWish, continue_recorded
from toolweave.tasks import background
from toolweave.tools.elicitation import ElicitationQuestion
from toolweave.tools.tool import ToolProgress
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import load
from toolweave.workflow.json_patch import apply_given_patch
from toolweave.workflow.store import WorkflowStore


class RunWatcher(Protocol):
    """Who is shown a run; messages are named and made as in `Display.receive`."""

    # Any: each message has values of its own.
    async def send(self, name: str, *values: Any) -> None: ...

    def offer(self, name: str, *values: Any) -> None:
        """Show something that may be dropped rather than delay the run."""
        ...

    async def until_interrupted(self) -> None: ...

    async def ask(self, question: ElicitationQuestion) -> dict[str, Any]:
        """Ask the person who follows the run; the answer is an `ElicitationAnswer` as JSON."""
        ...


class _Terminal:
    """The person at this command."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self.was_interrupted = False

    async def send(self, name: str, *values: Any) -> None:
        self._display.receive(name, *values)

    def offer(self, name: str, *values: Any) -> None:
        self._display.receive(name, *values)

    async def until_interrupted(self) -> None:
        """Wait for the first Ctrl-C; the next one has its usual effect."""
        if sys.platform == "win32":
            await anyio.sleep_forever()
        with anyio.open_signal_receiver(signal.SIGINT) as signals:
            async for _ in signals:
                break
        self.was_interrupted = True
        self._display.stopping()

    async def ask(self, question: ElicitationQuestion) -> dict[str, Any]:
        return asdict(await ask_on_terminal(question))


def run_here(command: RunWorkflowCommand, display: Display) -> tuple[str, bool]:
    """Run in this process; return the status, and whether Ctrl-C was pressed."""
    terminal, progress = _Terminal(display), ProgressListeners()

    async def work() -> str:
        async with (
            current_home() as home,
            open_studio(home) as studio,
            open_engine(studio, on_progress=progress.report) as engine,
        ):
            started = await start(engine, home, command, hold=True)
            return await follow(engine, started, terminal, progress, can_ask=command.can_ask)

    return run(work), terminal.was_interrupted


async def start(engine: Engine, home: Home, command: RunWorkflowCommand, *, hold: bool) -> str:
    """Start the run and return its id."""
    loaded = None
    if command.file is not None:
        loaded = await _load(home.workflows, command.file, command.document)
    try:
        if command.node is not None:
            return await _fork(engine, home, command, loaded)
        assert loaded is not None
        request = RunRequest(loaded.workflow, command.inputs, hold=hold, source=loaded)
        return await engine.runs.start(request)
    except Invalid as error:
        if error.code != "WORKFLOW_INVALID" or command.file is None:
            raise
        raise Invalid(
            error.code,
            f"{command.file!r} cannot run: {how_many(error.problems)}",
            problems=error.problems,
            hint=f"run `toolweave validate {command.file}` for details; --fix repairs what it can",
        ) from None


async def _fork(
    engine: Engine, home: Home, command: RunWorkflowCommand, changed: LoadedWorkflow | None
) -> str:
    """Continue an earlier run from one of its nodes, or with a changed workflow."""
    old = await find_run(engine, str(command.old_run), to_act=True)
    edit = _edit(command.edits) if command.edits else None
    if command.recorded:
        wish = ForkWish(old.id, str(command.node), edit, changed)
        return (await continue_recorded(home, engine, wish)).run
    return await engine.runs.fork(old.id, str(command.node), edit, changed)


async def follow(
    engine: Engine,
    started: str,
    watcher: RunWatcher,
    progress: ProgressListeners,
    *,
    drives: bool = True,
    can_ask: bool = False,
) -> str:
    """Show a run until it ends or needs a person; without `drives` others execute it.

    With `can_ask` the questions of the run are put to the person who follows it.
    """
    shown = _ShownRun(engine, started, watcher)
    questions = RunQuestions(engine, watcher.ask)

    async def stop() -> None:
        await watcher.until_interrupted()
        await engine.cancel(started)

    async def pause(waiting: str) -> bool:
        report = await report_of(engine.journal, waiting)
        await watcher.send("waiting", await to_dos(engine, waiting, report.entries))
        is_asking = can_ask and await questions.has_open(waiting)
        if is_asking:
            tasks.start_soon(questions.ask_open, waiting)
        return is_asking

    with progress.heard_by(shown.on_progress):
        plan = await engine.plan(started)
        await watcher.send("begin", started, plan.workflow.name)
        async with background() as tasks:
            tasks.start_soon(shown.watch)
            tasks.start_soon(stop)
            ended = await engine.runs.run_to_end(
                started, through_pauses=True, on_pause=pause, drives=drives
            )
        await shown.show_rest()
    report = await report_of(engine.journal, started, keeps_result=True)
    result = execution(started, plan, report.entries, is_whole=report.is_whole)
    await watcher.send("end", ended.status, result, await to_dos(engine, started, report.entries))
    return ended.status


class _ShownRun:
    """Shows the events of a run in their order, and the progress of a step after its start."""

    def __init__(self, engine: Engine, run: str, watcher: RunWatcher) -> None:
        self._engine = engine
        self._run = run
        self._watcher = watcher
        self._seq = 0
        self._begun: set[Key] = set()
        self._early: dict[Key, list[JsonObject]] = {}
        # By run, the one that led to it: progress of called runs is shown too.
        self._roots = {run: run}

    async def watch(self) -> None:
        """Show events as they happen."""
        async for entry in self._engine.follow(self._run):
            await self.show([entry])

    async def show_rest(self) -> None:
        """Show what was not shown yet."""
        async for entries in self._engine.journal.pages(self._run, self._seq):
            await self.show(entries)

    async def show(self, entries: Sequence[JournalEntry]) -> None:
        """Show those of `entries` that were not shown yet."""
        for entry in entries:
            if entry.seq <= self._seq:
                continue
            await self._watcher.send("event", as_line(entry))
            self._seq = entry.seq
            if isinstance(entry.event, StepStarted):
                self._begun.add(entry.event.key)
                for line in self._early.pop(entry.event.key, []):
                    self._watcher.offer("progress", line)

    async def on_progress(self, run: str, key: Key, progress: ToolProgress) -> None:
        """Show the progress of a step, if it belongs to this run."""
        if run not in self._roots:
            self._roots[run] = await root_of(self._engine.journal.database, run)
        if self._roots[run] != self._run:
            return
        line: JsonObject = {"type": "progress", "run": run, "step": key, "done": progress.done}
        line |= {"total": progress.total, "message": progress.message}
        if run == self._run and key not in self._begun:
            self._early.setdefault(key, []).append(line)
        else:
            self._watcher.offer("progress", line)


async def _load(workflows: WorkflowStore, file: str, document: str | None) -> LoadedWorkflow:
    if document is not None:
        return load(b64decode(document), name_hint=file)
    try:
        return (await workflows.load(file)).loaded
    except NotFound as error:
        message = f"no file or stored workflow is called {file!r}"
        raise NotFound(error.code, message, hint=error.hint) from None


def _edit(operations: list[JsonObject]) -> Callable[[Json], Json]:
    def change(came_in: Json) -> Json:
        changed = apply_given_patch({"data": came_in}, operations)
        return cast("JsonObject", changed)["data"]

    return change
