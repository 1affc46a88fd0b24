"""`toolweave servers diff NAME [TOOL]`: changed tools, and what uses them."""

from pathlib import Path

import click

from toolweave.app.studio import open_studio
from toolweave.cli.completion_values import server_names
from toolweave.cli.record import folder_option
from toolweave.cli.sanitize import visible
from toolweave.cli.servers.typed_changes import show_tool
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, say
from toolweave.drift.server_difference import server_difference
from toolweave.drift.tool_drift import ToolDrift
from toolweave.recording.files import RecordingFolder
from toolweave.recording.migration.records import (
    AffectedRecord,
    ServerDifferenceRecord,
)

MAX_PLACES = 10
VERDICTS = {"breaks": "red", "unknown": "yellow", "fits": "green"}
WORDS = {"breaks": "breaks", "unknown": "unknown", "fits": "compatible"}


@click.command()
@click.argument("name", shell_complete=server_names)
@click.argument("tool", required=False)
@folder_option
@json_option
def diff(name: str, tool: str | None, folder: Path, as_json: bool) -> int:
    """Compare the tools that a server lists with the approved ones.

    Shows every changed parameter, and the workflows, documents and recordings that use a changed
    tool: whether they break, are compatible, or it is unknown. Exit code 1 if anything differs.
    """

    async def work() -> ServerDifferenceRecord:
        async with current_home() as home, open_studio(home) as studio:
            drift = ToolDrift(home, studio.gate, RecordingFolder(folder))
            return await server_difference(drift, name, tool)

    found = run(work)
    if as_json:
        print_json(found)
    else:
        _show(found)
    return 1 if found.tools else 0


def _show(found: ServerDifferenceRecord) -> None:
    for warning in found.warnings:
        say((f"warning: {warning}", "yellow"), stderr=True)
    if not found.tools:
        say(f"No difference: {found.listed} tools of {found.server!r} are as approved.")
        return
    for tool in found.tools:
        show_tool(tool)
    if not found.affected:
        say("No workflow, document or recording uses them.")
        return
    say("Used by:")
    for affected in found.affected:
        _show_affected(affected)
    if any(one.kind == "workflow" and one.verdict != "fits" for one in found.affected):
        say("`toolweave migrate --all` proposes changes to the workflows.")


def _show_affected(affected: AffectedRecord) -> None:
    say(
        f"{affected.kind} {affected.name}  ",
        (WORDS[affected.verdict], VERDICTS[affected.verdict]),
        indent=2,
    )
    for place in affected.places[:MAX_PLACES]:
        at = f" {place.pointer}" if place.pointer else ""
        say(f"{place.node}{at}: {visible(place.reason, one_line=True)}", indent=6)
    if len(affected.places) > MAX_PLACES:
        say(f"and {len(affected.places) - MAX_PLACES} more", indent=6)
