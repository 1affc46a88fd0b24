"""Backtest: a changed workflow against its recorded runs, before it is published.

Each past run is replayed offline. A run differs if its result changes, if a request would be made
that was never made, or if a recorded call is no longer made.
"""

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Literal

from toolweave.clock import timestamp
from toolweave.engine.events import FINAL
from toolweave.engine.run_search import RunSearch
from toolweave.engine.run_table import RunRecord, RunTable
from toolweave.errors import Invalid, ToolweaveError
from toolweave.home import Home
from toolweave.recording.backtest_records import (
    BacktestCase,
    BacktestProgress,
    BacktestReport,
    BacktestRequest,
)
from toolweave.recording.comparison import (
    RESULT,
    StepDifference,
    compare,
)
from toolweave.recording.entries import ToolLine
from toolweave.recording.files import RecordingFolder, peek_header, read_recording
from toolweave.recording.from_run import RunRecorder
from toolweave.recording.recording import Recording
from toolweave.recording.replay import ReplayedRun, Replayer, open_replayer

# Runs of a single node, made while it was edited.
_NODE_TEST = "test"


class Backtest:
    """Judges one workflow by its recorded runs."""

    def __init__(self, home: Home, request: BacktestRequest) -> None:
        self._home = home
        self._request = request
        self._recorder = RunRecorder(home)
        self._pinned: tuple[ToolLine, ...] = ()
        # Whether there are older runs than those that were read.
        self.has_more = False

    async def cases(self) -> AsyncGenerator[BacktestProgress]:
        """Judge each recorded run, the files first, then the newest run. Raises `Invalid`."""
        await self._home.lockfile.refresh()
        servers = [one.name for one in await self._home.registry.list()]
        self._pinned = self._recorder.tools(sorted(servers))
        files = list(self._files())
        in_files = {run for _, run in files}
        runs = [one for one in await self._runs() if one.id not in in_files]
        total = len(files) + len(runs)
        async with open_replayer(self._home.settings.home) as replayer:
            for number, (path, _) in enumerate(files, 1):
                yield BacktestProgress(await self._of_file(path, replayer), number, total)
            for number, run in enumerate(runs, len(files) + 1):
                yield BacktestProgress(await self._of_run(run, replayer), number, total)

    async def _runs(self) -> list[RunRecord]:
        wish = self._request
        found = await RunTable(self._home.database).newest(
            workflow=wish.name,
            limit=wish.skip + wish.limit,
            search=RunSearch(since=wish.since),
        )
        self.has_more = len(found) == wish.skip + wish.limit
        return [one for one in found[wish.skip :] if one.trigger != _NODE_TEST]

    def _files(self) -> Iterator[tuple[Path, str | None]]:
        """The recordings of the workflow, each with its run, and those that cannot be read."""
        wish = self._request
        if wish.folder is None:
            return
        folder = RecordingFolder(wish.folder)
        since = timestamp(wish.since) if wish.since is not None else ""
        for path in map(folder.path, folder.names()):
            header = peek_header(path)
            if header is None:
                yield path, None
            elif header.workflow != wish.name or header.run is None:
                continue
            elif header.run.started_at >= since:
                yield path, header.run.id

    async def _of_file(self, path: Path, replayer: Replayer) -> BacktestCase:
        try:
            recording = read_recording(path).recording
        except ToolweaveError as error:
            return _not_judged("recording", path.stem, None, _message(error))
        return await self._judged("recording", path.stem, recording, replayer)

    async def _of_run(self, run: RunRecord, replayer: Replayer) -> BacktestCase:
        if run.status not in FINAL:
            return _not_judged("run", run.id, run.started_at, f"the run is still {run.status}")
        if run.status == "cancelled":
            return _not_judged("run", run.id, run.started_at, "the run was cancelled")
        if run.fork_of is not None:
            reason = f"the run continued another one, {run.fork_of[:8]}, from the middle"
            return _not_judged("run", run.id, run.started_at, reason)
        try:
            recording = await self._recorder.record(run, run.id, run.started_at)
        except ToolweaveError as error:
            return _not_judged("run", run.id, run.started_at, _message(error))
        return await self._judged("run", run.id, recording, replayer)

    async def _judged(
        self,
        source: Literal["run", "recording"],
        name: str,
        recording: Recording,
        replayer: Replayer,
    ) -> BacktestCase:
        began = recording.header.run
        at = began.started_at if began else None
        known = {line.server for line in recording.tools}
        more = tuple(line for line in self._pinned if line.server not in known)
        try:
            replayed = await replayer.replay(
                replace(recording, tools=(*recording.tools, *more)), self._request.loaded
            )
        except Invalid as error:
            if error.code == "RUN_INPUT_INVALID":
                refused = StepDifference("start", "refused", _message(error))
                return BacktestCase(source, name, at, "differs", (refused,))
            raise
        return _case(BacktestCase(source, name, at, "same"), recording, replayed)


def _case(empty: BacktestCase, recording: Recording, replayed: ReplayedRun) -> BacktestCase:
    comparison = compare(recording, replayed)
    requests = tuple(one for one in comparison.differences if one.what == "refused")
    rest = tuple(one for one in comparison.differences if one.what != "refused")
    if requests:
        # What follows a refused request fails for that reason, not because of the change.
        steps = ", ".join(repr(step) for step in dict.fromkeys(one.key for one in requests))
        reason = f"the result and what follows {steps}: the answer is not recorded"
        changed = tuple(one for one in rest if one.what == "changed" and one.key != RESULT)
        changed = tuple(one for one in changed if one.values)
        return replace(
            empty,
            verdict="differs",
            differences=changed,
            new_requests=requests,
            not_judged=(reason,),
        )
    is_other = any(one.key == RESULT for one in rest)
    if recording.header.match.volatile:  # the result is not compared, its steps are
        is_other = any(one.what == "changed" for one in rest)
    if not is_other and not comparison.unused:
        return empty
    return replace(empty, verdict="differs", differences=rest, no_longer=comparison.unused)


def _not_judged(
    source: Literal["run", "recording"], name: str, at: str | None, reason: str
) -> BacktestCase:
    return BacktestCase(source, name, at, "not_judged", not_judged=(reason,))


def _message(error: ToolweaveError) -> str:
    problems = error.problems if isinstance(error, Invalid) else ()
    places = "; ".join(f"{one.pointer or '/'}: {one.message}" for one in problems[:3])
    return f"{error.code}: {error.message}" + (f" ({places})" if places else "")


async def backtest(home: Home, request: BacktestRequest) -> tuple[BacktestReport, bool]:
    """Judge a workflow by its recorded runs; also return whether there are older ones."""
    found: list[BacktestCase] = []
    judge = Backtest(home, request)
    async with aclosing(judge.cases()) as cases:
        async for one in cases:
            found.append(one.case)
    return BacktestReport(request.name, tuple(found)), judge.has_more
