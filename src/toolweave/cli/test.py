"""`toolweave test`: replay recordings and compare."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from toolweave.cli.difference_lines import difference_lines
from toolweave.cli.record import folder_option
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, say
from toolweave.cli.workflow_files import read_file
from toolweave.errors import Invalid, NotFound, ToolweaveError
from toolweave.home import Home
from toolweave.json_text import JsonObject
from toolweave.recording.comparison import (
    ReplayComparison,
    accepted,
    compare,
    tool_changes,
)
from toolweave.recording.files import RecordingFolder, read_recording, write_recording
from toolweave.recording.junit import JunitCase, junit_xml
from toolweave.recording.masking import mask_for_file
from toolweave.recording.recording import Recording
from toolweave.recording.replay import Replayer, open_replayer
from toolweave.storage.files import replace_private
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import load

SAME = ReplayComparison()


@dataclass(frozen=True, slots=True)
class TestRequest:
    """What to test, and how."""

    __test__ = False  # not a test of pytest

    folder: RecordingFolder
    workflow: LoadedWorkflow | None
    is_updating: bool
    needs_all: bool


@dataclass(frozen=True, slots=True)
class TestOutcome:
    """One tested recording: its lines are empty if it passed."""

    __test__ = False

    name: str
    seconds: float
    version: str = "recorded"
    comparison: ReplayComparison = SAME
    lines: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    is_updated: bool = False

    def as_json(self) -> JsonObject:
        """Return the outcome for programs."""
        return {
            "name": self.name,
            "status": "updated" if self.is_updated else "failed" if self.lines else "passed",
            "workflow": self.version,
            "differences": [one.as_json() for one in self.comparison.differences],
            "messages": [*self.lines],
            "unused": [*self.comparison.unused],
            "warnings": [*self.warnings],
        }


@click.command("test")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--workflow", "file", metavar="FILE", help="Test this version of the workflow.")
@click.option("--update", is_flag=True, help="Accept the differences into the recordings.")
@click.option("--require-all", is_flag=True, help="Fail if a recorded call is not made.")
@click.option(
    "--junit", type=click.Path(path_type=Path, dir_okay=False), help="Write a JUnit report."
)
@folder_option
@json_option
def test(
    names: tuple[str, ...],
    file: str | None,
    update: bool,
    require_all: bool,
    junit: Path | None,
    folder: Path,
    as_json: bool,
) -> int:
    """Replay recordings without any server, model or person, and compare every step.

    Runs the stored workflow of the same name if there is one, else the recorded version. Without
    NAME, all recordings are tested. Exit code 1 if anything differs.
    """
    given = read_file(file) if file else None
    loaded = load(given.data, name_hint=given.name) if given else None
    request = TestRequest(RecordingFolder(folder), loaded, update, require_all)
    wanted = names or tuple(request.folder.names())
    if not wanted:
        raise NotFound(
            "RECORDING_UNKNOWN",
            f"there are no recordings in {str(folder)!r}",
            hint="`toolweave record RUN --as NAME` makes one of a finished run",
        )

    async def work() -> list[TestOutcome]:
        async with current_home() as home, open_replayer(home.settings.home) as replayer:
            return [await _tested(home, replayer, name, request) for name in wanted]

    outcomes = run(work)
    if junit is not None:
        cases = [JunitCase(one.name, one.seconds, "\n".join(one.lines) or None) for one in outcomes]
        replace_private(junit, junit_xml(cases))
    _show(outcomes, as_json=as_json)
    return 1 if any(one.lines and not one.is_updated for one in outcomes) else 0


async def _tested(home: Home, replayer: Replayer, name: str, request: TestRequest) -> TestOutcome:
    began = time.monotonic()
    warnings: tuple[str, ...] = ()
    try:
        path = request.folder.find(name)
        found = read_recording(path)
        warnings = tuple(one.message for one in found.warnings)
        done = await _replayed(home, replayer, path, found.recording, request)
    except ToolweaveError as error:
        done = TestOutcome(name, 0, lines=tuple(_error_lines(error)))
    return replace(done, name=name, seconds=time.monotonic() - began, warnings=warnings)


def _error_lines(error: ToolweaveError) -> Iterator[str]:
    """Yield what is wrong, where, and each hint once."""
    problems = error.problems if isinstance(error, Invalid) else ()
    yield f"{error.code}: {error.message}"
    yield from (f"  {one.pointer or '/'}: {one.message}" for one in problems)
    hints = dict.fromkeys([error.hint, *(one.hint for one in problems)])
    yield from (f"  hint: {hint}" for hint in hints if hint)


async def _replayed(
    home: Home, replayer: Replayer, path: Path, recording: Recording, request: TestRequest
) -> TestOutcome:
    loaded = request.workflow or await _stored(home, recording.header.workflow)
    replayed = await replayer.replay(recording, loaded)
    comparison = compare(recording, replayed)
    pins = {
        server: {tool: (pin.hash, pin.definition) for tool, pin in known.items()}
        for server in recording.header.servers
        if (known := home.lockfile.pins(server))
    }
    lines = [line for one in comparison.differences for line in difference_lines(one)]
    lines += [f"tool {line}" for line in tool_changes(recording, pins)]
    if request.needs_all:
        lines += [f"not made: {one}" for one in comparison.unused]
    is_updated = bool(lines) and request.is_updating and not replayed.playback.refusals
    if is_updated:
        write_recording(await mask_for_file(home, accepted(recording, replayed)), path)
    version = "current" if loaded else "recorded"
    return TestOutcome(recording.name, 0, version, comparison, tuple(lines), is_updated=is_updated)


async def _stored(home: Home, name: str | None) -> LoadedWorkflow | None:
    try:
        return (await home.workflows.load(name)).loaded if name else None
    except NotFound:
        return None


def _show(outcomes: Sequence[TestOutcome], *, as_json: bool) -> None:
    if as_json:
        print_json([one.as_json() for one in outcomes])
        return
    for one in outcomes:
        mark = "updated" if one.is_updated else "✗" if one.lines else "✓"
        say(f"{mark} {one.name}  ({one.version} workflow)")
        for line in (*one.lines, *(f"unused: {entry}" for entry in one.comparison.unused)):
            say(line, indent=4)
        for line in one.warnings:
            say(f"warning: {line}", indent=4)
    failed = sum(bool(one.lines) and not one.is_updated for one in outcomes)
    say(f"{len(outcomes)} tested, {failed} failed")
