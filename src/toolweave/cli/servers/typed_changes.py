"""The typed changes of a tool as lines: what was renamed, added, narrowed, and where."""

from collections.abc import Iterable

from toolweave.cli.sanitize import visible
from toolweave.cli.terminal import say
from toolweave.recording.migration.records import ToolDifferenceRecord, TypedChangeRecord


def show_tool(tool: ToolDifferenceRecord) -> None:
    """Print a changed tool."""
    say((visible(tool.tool, one_line=True), "bold"))
    show_changes(tool.changes, indent=2)


def show_changes(changes: Iterable[TypedChangeRecord], *, indent: int) -> None:
    """Print changes, each with its place."""
    for change in changes:
        side = "result " if change.side == "output" else ""
        place = f"{side}{visible(change.parameter, one_line=True)}: " if change.parameter else side
        mark = "" if change.certainty == "certain" else (" (likely)", "yellow")
        message = visible(change.message, one_line=True)
        kind = (f"{change.kind.replace('_', ' ')}  ", "cyan")
        say(kind, f"{place}{message}", mark, indent=indent)
