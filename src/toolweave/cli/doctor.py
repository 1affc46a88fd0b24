"""`toolweave doctor`: what this machine has, what is missing, and what to do about it."""

import os
import shlex
from functools import partial

import click

from toolweave.app.client_config import ClientConfig, client_config
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say
from toolweave.doctor.finding import DoctorFinding, FindingRecord
from toolweave.doctor.home_state import examine_home
from toolweave.doctor.machine import examine_disk, examine_machine, examine_port
from toolweave.errors import ToolweaveError
from toolweave.json_text import JsonObject
from toolweave.settings import from_environment


@click.command()
@click.option(
    "--port",
    default=8765,
    show_default=True,
    type=click.IntRange(1, 65_535),
    help="The port on which `toolweave serve` would listen.",
)
@json_option
def doctor(port: int, as_json: bool) -> int:
    """Check this machine and this home directory, and print a configuration for MCP clients."""
    findings = run(partial(_examine, port))
    client = _client()
    if as_json:
        print_json(
            [FindingRecord.brief(one).as_json() for one in findings] + _client_report(client)
        )
    else:
        print_table(("", "what", "details"), [row for one in findings for row in _rows(one)])
        if client:
            say("\nTo connect an MCP client, paste this into its configuration:")
            print_json(client.as_json())
    return 1 if any(finding.state == "fault" for finding in findings) else 0


_MARKS = {"ok": "ok", "note": "--", "fault": "!!"}


def _rows(finding: DoctorFinding) -> list[tuple[str, str, str]]:
    """A line of the table, and one below it for the remedy."""
    rows = [(_MARKS[finding.state], finding.what, finding.details)]
    return [*rows, ("", "", f"→ {finding.remedy}")] if finding.remedy else rows


async def _examine(port: int) -> list[DoctorFinding]:
    findings = examine_machine(os.environ)
    try:
        findings += [examine_port(port), examine_disk(from_environment().home)]
        async with current_home() as home:
            findings += await examine_home(home)
    except ToolweaveError as error:
        details = f"{error.message}; {error.hint or error.code}"
        findings.append(DoctorFinding("fault", "home", details, error.hint))
    return findings


def _client() -> ClientConfig | None:
    """The client configuration; none where a setting is invalid, which is a finding already."""
    try:
        return client_config(from_environment())
    except ToolweaveError:
        return None


def _client_report(client: ClientConfig | None) -> list[JsonObject]:
    if client is None:
        return []
    finding = DoctorFinding("ok", "mcp client", shlex.join([client.command, *client.args]))
    return [{**FindingRecord.brief(finding).as_json(), "configuration": client.as_json()}]
