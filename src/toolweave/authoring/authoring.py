"""Work on a workflow before it runs: check it, repair it, switch the mode of a node.

Checking a large workflow takes a while, so it runs in a thread and does not block the event loop.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial

import anyio.to_thread

from toolweave.authoring.environment import (
    ToolKnowledge,
    mcp_node_in,
    offered_tools,
    require_answer,
    tool_in,
)
from toolweave.authoring.live_environment import known_live
from toolweave.catalog.index import Catalog
from toolweave.errors import Invalid
from toolweave.home import Home
from toolweave.problems import Problem
from toolweave.servers.connections import Connections
from toolweave.workflow.checks.context import KnownEnvironment, KnownHome
from toolweave.workflow.extraction.extract import ExtractedWorkflow, extract
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.mcp_completion import certain_repairs, completed_nodes
from toolweave.workflow.mode_status import Status, live_status
from toolweave.workflow.mode_switch import refuse_new_errors, switch_mode
from toolweave.workflow.model import Workflow
from toolweave.workflow.modes import Mode, text_at
from toolweave.workflow.report import Report, examine_loaded
from toolweave.workflow.store import Revision, Stored
from toolweave.workflow.stored_form import to_store
from toolweave.workflow.workflow_json import WorkflowSummary, summary_of


@dataclass(frozen=True, slots=True)
class _Basis:
    """What the problems of a workflow depend on."""

    revision: Revision
    catalog: Catalog
    home: KnownHome | None
    # A list of tools grows old.
    day: date


class ProblemCounts:
    """Summaries of stored workflows, by their file."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[_Basis, WorkflowSummary]] = {}

    def summaries(self, stored: Sequence[Stored], known: KnownEnvironment) -> list[WorkflowSummary]:
        """Summarize the workflows; those that are gone are forgotten."""
        self._known = {one.slug: self._summary(one, known) for one in stored}
        return [self._known[one.slug][1] for one in stored]

    def _summary(self, stored: Stored, known: KnownEnvironment) -> tuple[_Basis, WorkflowSummary]:
        basis = _Basis(stored.revision, known.catalog, known.home, known.now.date())
        if (found := self._known.get(stored.slug)) is not None and found[0] == basis:
            return found
        problems = examine_loaded(stored.loaded, known).problems
        return basis, summary_of(stored, problems)


@dataclass(frozen=True, slots=True)
class Examined:
    """A report; where servers were asked, how MCP nodes stand and why some did not answer."""

    report: Report
    statuses: Mapping[str, Status]
    reasons: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ModeSwitch:
    """How an MCP node is to be configured; the tool by its name."""

    node: str
    mode: Mode
    description: str | None = None
    tool: str | None = None
    # Of a task: the tools to choose from, all for an empty list; None keeps a choice.
    only: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class OpenedWorkflow:
    """A stored workflow with its MCP nodes completed, and its problems."""

    workflow: Workflow
    problems: tuple[Problem, ...]


class Authoring:
    """Checks, repairs and edits workflows; saves and runs nothing."""

    def __init__(self, home: Home, connections: Connections) -> None:
        self._home = home
        self._connections = connections
        self.tools = ToolKnowledge(home)
        self._counts = ProblemCounts()

    async def examine(
        self, loaded: LoadedWorkflow, *, live: bool = False, is_run: bool = False
    ) -> Examined:
        """Everything that is wrong with a workflow; `live` asks its servers for their tools.

        To be run now (`is_run`) it must have what it needs, such as a model.
        """
        known, reasons = await self._known(loaded.workflow, live=live)
        known = replace(known, is_run=is_run)
        report = await anyio.to_thread.run_sync(examine_loaded, loaded, known)
        return Examined(report, _statuses(loaded.workflow, known), reasons)

    async def open(self, loaded: LoadedWorkflow) -> OpenedWorkflow:
        """A stored workflow as it is shown: completed, with all its problems.

        Pointers refer to the canonical document.
        """
        known = await self.tools.known()
        return await anyio.to_thread.run_sync(_opened, loaded, known)

    async def to_store(self, workflow: Workflow, *, before: Workflow | None) -> Workflow:
        """The workflow as it is stored over `before`."""
        known = await self.tools.known()
        store = partial(to_store, workflow, known.now, known.tools_of, before=before)
        return await anyio.to_thread.run_sync(store)

    async def summaries(self, stored: Sequence[Stored]) -> list[WorkflowSummary]:
        """A line for each stored workflow, with the number of its problems."""
        known = await self.tools.known()
        return await anyio.to_thread.run_sync(self._counts.summaries, stored, known)

    async def repair(self, loaded: LoadedWorkflow) -> tuple[Report, Report]:
        """Return the problems of a workflow, and those that remain after fixing it."""
        known, _ = await self._known(loaded.workflow, live=False)

        def work() -> tuple[Report, Report]:
            report = examine_loaded(require_workflow(loaded), known)
            repaired = convert(report.fixed.workflow, loaded.format)
            return report, examine_loaded(read(repaired), known)

        return await anyio.to_thread.run_sync(work)

    async def switch(self, workflow: Workflow, to: ModeSwitch, *, live: bool = False) -> Workflow:
        """The workflow with one MCP node in another mode.

        Raises `NotFound`: `MCP_NODE_NOT_FOUND`, `MCP_SERVER_NOT_FOUND`; `Invalid`: the node has no
        modes, or the mode wants something else; `Unavailable`: `MCP_SERVER_DISCONNECTED` when a
        server that is asked does not answer.
        """
        node = mcp_node_in(workflow, to.node)
        server = text_at(node.data, "serverId")
        known, reasons = await self._known(replace(workflow, nodes=(node,)), live=live)
        require_answer(known, reasons, server)
        tools = list(known.tools_of(server) or ())
        now = self._home.clock.now()
        changed = switch_mode(
            node,
            to.mode,
            now=now,
            description=to.description,
            tool=tool_in(tools, server, to.tool) if to.tool is not None else None,
            available_tools=offered_tools(node, tools, to.only, live=live) or None,
        )
        if to.description is not None:
            refuse_new_errors(node, changed, now)
        nodes = tuple(changed if one is node else one for one in workflow.nodes)
        return replace(workflow, nodes=nodes)

    async def extract(
        self, workflow: Workflow, nodes: Sequence[str], name: str
    ) -> ExtractedWorkflow:
        """Some nodes as a workflow of their own, and the workflow that calls it.

        Raises `Invalid`: `EXTRACTION_IMPOSSIBLE`; `NotFound`: `NODE_ID_UNKNOWN`.
        """
        known = await self.tools.known()
        return await anyio.to_thread.run_sync(extract, workflow, nodes, name, known)

    async def _known(
        self, workflow: Workflow, *, live: bool
    ) -> tuple[KnownEnvironment, Mapping[str, str]]:
        if live:
            return await known_live(self._home, self._connections, [workflow])
        return await self.tools.known(), {}


def _opened(loaded: LoadedWorkflow, known: KnownEnvironment) -> OpenedWorkflow:
    if not is_workflow(loaded):
        return OpenedWorkflow(loaded.workflow, loaded.problems)
    workflow = completed_nodes(loaded.workflow, known.now, known.tools_of)
    repaired = certain_repairs(loaded.workflow, known.now)
    found = examine_loaded(read(convert(workflow, "toolweave")), known).problems
    reported = {(problem.code, problem.message) for problem in (*repaired, *found)}
    read_so = [one for one in loaded.problems if (one.code, one.message) not in reported]
    return OpenedWorkflow(workflow, (*read_so, *repaired, *found))


def is_workflow(loaded: LoadedWorkflow) -> bool:
    """Whether it is a workflow at all; problems can be fixed later."""
    return bool(loaded.workflow.nodes) or _unreadable(loaded) is None


def require_workflow(loaded: LoadedWorkflow) -> LoadedWorkflow:
    """What was read, unless nothing of it was understood. Raises `Invalid`: as its reader said."""
    if not is_workflow(loaded) and (problem := _unreadable(loaded)) is not None:
        message = f"this is no workflow: {problem.message}"
        raise Invalid(problem.code, message, problems=[problem], hint=problem.hint)
    return loaded


def _unreadable(loaded: LoadedWorkflow) -> Problem | None:
    codes = {"WORKFLOW_NOT_JSON", "WORKFLOW_UNKNOWN_DIALECT", "WORKFLOW_TOO_LARGE"}
    return next((problem for problem in loaded.problems if problem.code in codes), None)


def _statuses(workflow: Workflow, known: KnownEnvironment) -> dict[str, Status]:
    live = known.tools
    if live is None:
        return {}
    return {
        node.id: live_status(node, live).status for node in workflow.nodes if node.type == "mcp"
    }
