"""`toolweave runs list` and `prune`: read from the runs table; loads no node code."""

import re

import click

from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say, tell
from toolweave.engine.retention import Retention, prune
from toolweave.engine.run_json import RunSummary
from toolweave.engine.run_table import RunRecord, RunTable

_AGE = re.compile(r"(\d+(?:\.\d+)?)([mhdw]?)")
_DAYS = {"m": 1 / 1440, "h": 1 / 24, "d": 1.0, "": 1.0, "w": 7.0}


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
        print_json([RunSummary.of(run).as_json() for run in found])
    elif found:
        print_table(
            ("run", "status", "workflow", "started", "error"),
            [(one.id, one.status, one.workflow, one.started_at, one.error) for one in found],
        )
    elif status or workflow:
        say("No matching runs. `toolweave runs list` shows all.")
    else:
        say("No runs yet. `toolweave run FILE` runs a workflow.")


@click.command("prune")
@click.option(
    "--older-than",
    "age",
    metavar="AGE",
    help="Delete runs that ended longer ago than this: 30d, 12h, 45m, 2w.",
)
@click.option(
    "--keep", type=click.IntRange(0), metavar="N", help="Keep only the N runs that ended last."
)
@json_option
def prune_runs(age: str | None, keep: int | None, as_json: bool) -> None:
    """Delete old finished runs; without options, those the settings do not retain.

    Active and waiting runs are never deleted.
    """

    async def work() -> int:
        async with current_home() as home:
            settings = home.settings
            retention = Retention(_days(age) if age else None, keep)
            if age is None and keep is None:
                retention = Retention(settings.keep_days or None, settings.keep_runs or None)
            return await prune(home.database, retention, home.clock.now())

    pruned = run(work)
    tell(
        as_json, {"pruned": pruned}, "Deleted 1 run." if pruned == 1 else f"Deleted {pruned} runs."
    )


def _days(age: str) -> float:
    found = _AGE.fullmatch(age.strip())
    if found is None:
        raise click.BadParameter(
            f"{age!r} is not an age; use a form such as 30d, 12h, 45m or 2w",
            param_hint="--older-than",
        )
    return float(found[1]) * _DAYS[found[2]]
