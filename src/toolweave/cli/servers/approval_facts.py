"""What a person sees before approving a server: everything the approval is bound to."""

from toolweave.cli.sanitize import visible
from toolweave.cli.servers.typed_changes import show_changes
from toolweave.cli.terminal import print_table, say
from toolweave.problems import quantity
from toolweave.recording.migration.records import ToolDifferenceRecord
from toolweave.servers.approval import ApprovalFact
from toolweave.servers.lockfile import Drift
from toolweave.tools.tool import Tool

SHOWN_TOOLS = 40
SHOWN_CHARS = 200
LABEL_WIDTH = 12


def show_facts(facts: list[ApprovalFact]) -> None:
    """Print a column of labels and a column of values."""
    for fact in facts:
        first, *rest = fact.words.split("\n")
        say((f"{fact.label:>{LABEL_WIDTH}}", "bold"), f"  {first}")
        for line in rest:
            say(" " * LABEL_WIDTH + f"  {line}")


def show_tools(tools: tuple[Tool, ...], path: str) -> None:
    """Print the pinned tools and warnings about them."""
    say(f"Pinned {quantity(len(tools), 'tool')} in {path}:")
    print_table(("", ""), [_tool_row(tool) for tool in tools[:SHOWN_TOOLS]], indent=2)
    if len(tools) > SHOWN_TOOLS:
        say(f"  … and {len(tools) - SHOWN_TOOLS} more")
    for tool in tools:
        for problem in tool.problems:
            name = visible(tool.name, one_line=True)
            say((f"! {name}: ", "yellow"), f"{problem.message}  [{problem.code}]")


def _tool_row(tool: Tool) -> tuple[str, str]:
    return tool.name, tool.description.strip().split("\n")[0][:SHOWN_CHARS]


def show_drift(drift: list[Drift], typed: list[ToolDifferenceRecord]) -> None:
    """Print how tools differ from the approved ones."""
    say(f"{len(drift)} of its tools changed since they were approved:")
    by_name = {one.tool: one.changes for one in typed}
    for change in drift:
        kind = change.kind.replace("_", " ")
        say((visible(change.tool, one_line=True), "bold"), f"  {kind}", indent=2)
        changes = by_name.get(change.tool)
        if changes:
            show_changes(changes, indent=6)
            continue
        for line in change.changes:
            say(f"{line.pointer or '/'}: {line.message}", indent=6)
