"""`toolweave doctor`: what this machine has, what is missing, and what to do about it."""

import os

import click

from toolweave.app.doctor import DoctorFinding, examine_home, examine_machine
from toolweave.cli.session import home, run
from toolweave.cli.terminal import json_option, print_json, print_table
from toolweave.errors import ToolweaveError


@click.command()
@json_option
def doctor(as_json: bool) -> int:
    """Check this machine and this home directory."""
    findings = run(_examine)
    if as_json:
        print_json([one.as_json() for one in findings])
    else:
        rows = [(_MARKS[one.state], one.what, one.details) for one in findings]
        print_table(("", "what", "details"), rows)
    return 1 if any(one.state == "fault" for one in findings) else 0


_MARKS = {"ok": "ok", "note": "--", "fault": "!!"}


async def _examine() -> list[DoctorFinding]:
    found = examine_machine(os.environ)
    try:
        async with home() as rooms:
            found += await examine_home(rooms)
    except ToolweaveError as error:
        details = f"{error.message}; {error.hint or error.code}"
        found.append(DoctorFinding("fault", "home", details, error.hint))
    return found
