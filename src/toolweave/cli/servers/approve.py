"""`toolweave servers approve`: show exactly what would be started, then record the approval."""

import shlex
from dataclasses import dataclass, field
from getpass import getuser
from typing import Any

import click

from toolweave.app.studio import Studio, open_studio
from toolweave.cli.completion_values import server_names
from toolweave.cli.prompts import confirm
from toolweave.cli.sanitize import visible
from toolweave.cli.servers.approvals import approve_lockfile
from toolweave.cli.servers.typed_changes import show_changes
from toolweave.cli.session import current_home, run
from toolweave.cli.terminal import json_option, print_json, print_table, say
from toolweave.errors import ToolweaveError
from toolweave.problems import quantity
from toolweave.recording.migration.records import ToolDifferenceRecord
from toolweave.recording.migration.tool_difference import changed_tools
from toolweave.servers.approval import (
    ApprovalFact,
    ApprovedListing,
    ToolDriftRecord,
    approval_facts,
    list_current_tools,
    pin_tools,
)
from toolweave.servers.definition import Server, definition_hash, with_sign_in
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


@dataclass(frozen=True, slots=True)
class ApprovalPrompt:
    """Whether and how a person is asked."""

    yes: bool
    changes: bool
    as_json: bool
    # Any: printed by `--json`.
    report: dict[str, Any] = field(default_factory=dict[str, Any])

    async def agrees(self, question: str) -> bool:
        """Whether the person confirms; `--yes` confirms in advance."""
        return self.yes or (not self.as_json and await confirm(question))


@click.command()
@click.argument("name", required=False, shell_complete=server_names)
@click.option("--yes", is_flag=True, help="Approve without asking; for scripts.")
@click.option("--changes", is_flag=True, help="Accept changes of the server's tools.")
@click.option("--oauth", is_flag=True, help="Let the server sign in with OAuth from now on.")
@click.option("--lockfile", is_flag=True, help="Approve the project's lockfile as it is now.")
@json_option
def approve(
    name: str | None, yes: bool, changes: bool, oauth: bool, lockfile: bool, as_json: bool
) -> int:
    """Show exactly what would be started, and approve it.

    The approval applies to this exact definition and to its current tools; when either changes,
    calls are refused until you approve again. --json does not prompt: without --yes you get
    what would be approved and exit code 1.

    A project's own toolweave.lock.json counts only after --lockfile approved its content, and again
    after every change.
    """
    if lockfile == (name is not None):
        raise click.UsageError("give the NAME of a server, or --lockfile")
    if lockfile:
        return approve_lockfile(yes=yes, as_json=as_json)
    server_name = str(name)
    asking = ApprovalPrompt(yes, changes, as_json)

    async def work() -> bool:
        async with current_home() as home, open_studio(home) as studio:
            server = await home.registry.get(server_name)
            if oauth:
                server = with_sign_in(server)
            home.lockfile.require_approved()
            return await _definition(studio, server, asking) and await _tools(
                studio, server_name, asking
            )

    is_done = run(work)
    if as_json:
        print_json({"approved": is_done, **asking.report})
    return 0 if is_done else 1


async def _definition(studio: Studio, server: Server, asking: ApprovalPrompt) -> bool:
    if server.is_approved and not asking.as_json:
        return True
    facts = await approval_facts(studio.transports, server)
    asking.report.update({fact.key: fact.value for fact in facts})
    if server.is_approved:
        return True
    if not asking.as_json:
        show_facts(facts)
    if not await asking.agrees("Approve this server?"):
        _tell(asking, "Not approved.")
        return False
    registry = studio.home.registry
    if server.definition != (await registry.get(server.name)).definition:
        await registry.use_sign_in(server.name)
    await registry.approve(server.name, definition_hash(server.definition), by=getuser())
    _tell(asking, f"Approved {server.name!r}.")
    return True


async def _tools(studio: Studio, name: str, asking: ApprovalPrompt) -> bool:
    path = str(studio.home.lockfile.path)
    try:
        listed = await list_current_tools(studio.gate, name)
    except ToolweaveError as error:
        asking.report["error"] = error.as_json()
        _tell(
            asking,
            f"The server could not be reached to pin its tools: {error.message}",
            stderr=True,
        )
        if error.hint:
            _tell(asking, f"Hint: {error.hint}", stderr=True)
        return False
    asking.report["description"] = listed.description
    asking.report["tools"] = [tool.name for tool in listed.tools]
    typed = _typed(studio, name, listed) if listed.drift else []
    if not await _accepts(name, listed.drift, typed, asking):
        return False
    pin_tools(studio.home.lockfile, name, listed)
    asking.report["pinnedIn"] = path
    if not asking.as_json:
        _conclude(listed, path)
        if listed.description:
            say(f"Its description: {listed.description}")
    return True


def _typed(studio: Studio, name: str, listed: ApprovedListing) -> list[ToolDifferenceRecord]:
    pinned = {tool: pin.definition for tool, pin in studio.home.lockfile.pins(name).items()}
    changed = changed_tools(name, pinned, {tool.name: tool.raw for tool in listed.tools})
    return [ToolDifferenceRecord.read(one) for one in changed]


async def _accepts(
    name: str, drift: list[Drift], typed: list[ToolDifferenceRecord], asking: ApprovalPrompt
) -> bool:
    if not drift:
        return True
    asking.report["changes"] = [ToolDriftRecord.of(one).as_json() for one in drift]
    asking.report["difference"] = [one.as_json() for one in typed]
    if not asking.as_json:
        show_drift(drift, typed)
    if not asking.changes:
        again = f"toolweave servers approve {shlex.quote(name)} --changes"
        _tell(asking, f"Accept with `{again}`.")
        return False
    if not await asking.agrees("Accept these changes?"):
        _tell(asking, "Not accepted; the changed tools stay blocked.")
        return False
    return True


def _conclude(listed: ApprovedListing, path: str) -> None:
    if listed.is_first:
        show_tools(listed.tools, path)
    elif listed.drift:
        say(f"Pinned {quantity(len(listed.tools), 'tool')} in {path}.")
    else:
        say(f"All {len(listed.tools)} tools match the approved ones. Nothing to do.")


def _tell(asking: ApprovalPrompt, words: str, *, stderr: bool = False) -> None:
    if not asking.as_json:
        say(words, stderr=stderr)
