"""`toolweave runs prune`: delete old runs."""

import click

from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, tell
from toolweave.engine.retention import Retention, prune
from toolweave.patterns import pattern
from toolweave.problems import quantity

_AGE = pattern(r"(\d+(?:\.\d+)?)([mhdw]?)")
_DAYS = {"m": 1 / 1440, "h": 1 / 24, "d": 1.0, "": 1.0, "w": 7.0}


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
    tell(as_json, {"pruned": pruned}, f"Deleted {quantity(pruned, 'run')}.")


def _days(age: str) -> float:
    found = _AGE.fullmatch(age.strip())
    if found is None:
        raise click.BadParameter(
            f"{age!r} is not an age; use a form such as 30d, 12h, 45m or 2w",
            param_hint="--older-than",
        )
    return float(found[1]) * _DAYS[found[2]]
