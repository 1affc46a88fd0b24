"""`toolweave backtest`: run a changed workflow against its recorded runs."""

from contextlib import aclosing
from datetime import datetime
from pathlib import Path

import click

from toolweave.authoring.authoring import require_workflow
from toolweave.cli.difference_lines import difference_lines
from toolweave.cli.record import folder_option
from toolweave.cli.runs.listing import MOMENT, local_time
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import is_terminal, json_option, print_json, say
from toolweave.cli.workflow_files import read_file
from toolweave.home import Home
from toolweave.recording.backtest import Backtest
from toolweave.recording.backtest_records import (
    DEFAULT_LIMIT,
    MAX_LIMIT,
    BacktestCase,
    BacktestReport,
    BacktestRequest,
)
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import load

MAX_SHOWN = 20


@click.command("backtest")
@click.argument("name", metavar="WORKFLOW|FILE")
@click.option("--since", type=MOMENT, metavar="TIME", help="Only runs started at or after TIME.")
@click.option(
    "--limit",
    default=DEFAULT_LIMIT,
    show_default=True,
    type=click.IntRange(1, MAX_LIMIT),
    help="Maximum number of runs, the newest first.",
)
@folder_option
@json_option
def backtest_command(
    name: str, since: datetime | None, limit: int, folder: Path, as_json: bool
) -> int:
    """Run a changed workflow against its recorded runs and show what would be different.

    Uses the runs of the workflow with the same name and its recordings. No server, model or person
    is asked. Exit code 1 if a result changes, if a request would be made that was never made, or if
    a recorded call is no longer made.
    """

    given = file_of(name)

    async def work() -> BacktestReport:
        async with current_home() as home:
            loaded = given or (await home.workflows.load(name)).loaded
            return await judged(
                home, BacktestRequest(loaded, local_time(since), limit, folder=folder)
            )

    report = run(work)
    if as_json:
        print_json(report.as_json())
    else:
        show_backtest(report)
    return 1 if report.of("differs") else 0


def file_of(name: str) -> LoadedWorkflow | None:
    """Return the workflow in the file of this name, if there is one."""
    if not Path(name).is_file():
        return None
    given = read_file(name)
    return require_workflow(load(given.data, name_hint=given.name))


async def judged(home: Home, request: BacktestRequest) -> BacktestReport:
    """Judge a workflow by its recorded runs, with progress on a terminal."""
    cases: list[BacktestCase] = []
    progress = _Progress()
    try:
        async with aclosing(Backtest(home, request).cases()) as found:
            async for one in found:
                cases.append(one.case)
                progress.show(one.number, one.total)
    finally:
        progress.clear()
    return BacktestReport(request.name, tuple(cases))


class _Progress:
    """One line on stderr that counts the runs; nothing if that is not a terminal."""

    def __init__(self) -> None:
        self._is_shown = is_terminal(stderr=True)

    def show(self, number: int, total: int) -> None:
        if self._is_shown:
            click.echo(f"\r\x1b[K{number} of {total} runs", nl=False, err=True)

    def clear(self) -> None:
        if self._is_shown:
            click.echo("\r\x1b[K", nl=False, err=True)


def show_backtest(report: BacktestReport) -> None:
    """Print the runs that differ or could not be compared, and the counts."""
    shown = [*report.of("differs"), *report.of("not_judged")]
    for case in shown[:MAX_SHOWN]:
        mark = "✗" if case.verdict == "differs" else "?"
        name = case.name[:8] if case.source == "run" else case.name
        say(f"{mark} {case.source} {name}" + (f"  {case.started_at}" if case.started_at else ""))
        for line in _lines(case):
            say(line, indent=4)
    if len(shown) > MAX_SHOWN:
        say(f"and {len(shown) - MAX_SHOWN} more; --json lists all")
    if report.cases:
        say(f"{report.workflow}: {report.summary}")
    else:
        say(f"There are no recorded runs of {report.workflow!r}.")


def _lines(case: BacktestCase) -> list[str]:
    lines = [line for one in case.differences for line in difference_lines(one)]
    lines += [f"never made before: {one.key}: {one.message}" for one in case.new_requests]
    lines += [f"no longer made: {one}" for one in case.no_longer]
    lines += [f"not compared: {one}" for one in case.not_judged]
    return lines
