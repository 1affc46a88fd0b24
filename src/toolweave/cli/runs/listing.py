"""`toolweave runs list`: read from the runs table; loads no node code."""

from importlib import import_module

import click

from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say
from toolweave.engine.run_table import RunRecord, RunTable


@click.command("list")
@click.option("--status", help="Only runs with this status.")
@click.option("--workflow", metavar="NAME", help="Only runs of this workflow.")
@click.option(
    "--limit",
    default=50,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Maximum number of runs.",
)
@json_option
def list_runs(status: str | None, workflow: str | None, limit: int, as_json: bool) -> None:
    """List the newest runs."""

    async def work() -> list[RunRecord]:
        async with current_home() as home:
            rows = RunTable(home.database)
            return await rows.newest(status=status, workflow=workflow, limit=limit)

    found = run(work)
    if as_json:
        summary = import_module("toolweave.engine.run_json").RunSummary
        print_json([summary.of(run) for run in found])
    elif found:
        print_table(
            ("run", "status", "workflow", "started", "error"),
            [(one.id, one.status, one.workflow, one.started_at, one.error) for one in found],
        )
    elif status or workflow:
        say("No matching runs. `toolweave runs list` shows all.")
    else:
        say("No runs yet. `toolweave run FILE` runs a workflow.")
