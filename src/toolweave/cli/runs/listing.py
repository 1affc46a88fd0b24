"""`toolweave runs list`: read from the runs table; loads no node code."""

from datetime import datetime
from importlib import import_module

import click

from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say
from toolweave.engine.run_search import RunSearch
from toolweave.engine.run_table import ALL_RUNS, RunRecord, RunTable

MOMENT = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M%z"])


@click.command("list")
@click.option("--status", help="Only runs with this status.")
@click.option("--workflow", metavar="NAME", help="Only runs of this workflow.")
@click.option("--since", type=MOMENT, metavar="TIME", help="Only runs started at or after TIME.")
@click.option("--until", type=MOMENT, metavar="TIME", help="Only runs started before TIME.")
@click.option("--text", help="Only runs with this text in their inputs.")
@click.option(
    "--limit",
    default=50,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Maximum number of runs.",
)
@json_option
def list_runs(
    status: str | None,
    workflow: str | None,
    since: datetime | None,
    until: datetime | None,
    text: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """List the newest runs.

    TIME is local unless it has an offset: 2026-01-31, 2026-01-31T09:00, 2026-01-31T09:00+02:00.
    """
    statuses = (status,) if status else ()
    search = RunSearch(local_time(since), local_time(until), text, statuses)

    async def work() -> list[RunRecord]:
        async with current_home() as home:
            rows = RunTable(home.database)
            return await rows.newest(workflow=workflow, limit=limit, search=search)

    found = run(work)
    if as_json:
        summary = import_module("toolweave.engine.run_json").RunSummary
        print_json([summary.of(run) for run in found])
    elif found:
        print_table(
            ("run", "status", "workflow", "started", "error"),
            [(one.id, one.status, one.workflow, one.started_at, one.error) for one in found],
        )
    elif workflow or search != ALL_RUNS:
        say("No matching runs. `toolweave runs list` shows all.")
    else:
        say("No runs yet. `toolweave run FILE` runs a workflow.")


def local_time(moment: datetime | None) -> datetime | None:
    """Add the local offset to a time without one."""
    return moment.astimezone() if moment is not None and moment.tzinfo is None else moment
