"""Workflows as doors work on them: looked over, mended, switched, started. Nothing is saved here.

Checking takes a while for a large workflow, so it is done in a thread: others wait for the loop.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import anyio.to_thread

from toolweave.app.open_engine import open_engine
from toolweave.app.studio import Studio, open_studio
from toolweave.authoring.environment import ToolKnowledge, known_live, node_in, tool_in
from toolweave.engine.engine import Engine
from toolweave.errors import Invalid, Unavailable
from toolweave.home import Home
from toolweave.json_text import JsonObject
from toolweave.problems import Problem, how_many
from toolweave.publishing.service import Published
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.mode_status import Status, standing
from toolweave.workflow.mode_switch import switch_mode
from toolweave.workflow.model import Workflow
from toolweave.workflow.modes import Mode, text_at
from toolweave.workflow.report import Report, examine_loaded


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


@dataclass(frozen=True, slots=True)
class Workbench:
    """An open studio, its engine, what is known of tools, and which workflows are tools."""

    studio: Studio
    engine: Engine
    approved: ToolKnowledge
    published: Published

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

    async def mend(self, loaded: LoadedWorkflow) -> tuple[Report, Report]:
        """What is wrong with a workflow, and what is left after mending it.

        Raises:
            Invalid: it is no workflow.
        """
        known, _ = await self._known(loaded.workflow, live=False)

        def work() -> tuple[Report, Report]:
            report = examine_loaded(require_workflow(loaded), known)
            mended = convert(report.fixed.workflow, loaded.format)
            return report, examine_loaded(read(mended), known)

        return await anyio.to_thread.run_sync(work)

    async def switch(self, workflow: Workflow, to: ModeSwitch, *, live: bool = False) -> Workflow:
        """The workflow with one MCP node in another mode.

        Raises:
            NotFound: `NODE_ID_UNKNOWN`.
            Invalid: the node has no modes, or the mode wants something else.
            Unavailable: `MCP_SERVER_DISCONNECTED` when a server that is asked does not answer.
        """
        node = node_in(workflow, to.node)
        server = text_at(node.data, "serverId")
        known, reasons = await self._known(replace(workflow, nodes=(node,)), live=live)
        if server in reasons:
            raise Unavailable("MCP_SERVER_DISCONNECTED", reasons[server])
        tools = list(known.tools_of(server) or ())
        changed = switch_mode(
            node,
            to.mode,
            now=self.studio.home.clock.now(),
            description=to.description,
            tool=tool_in(tools, server, to.tool) if to.tool is not None else None,
            available_tools=tools or None,
        )
        nodes = tuple(changed if one is node else one for one in workflow.nodes)
        return replace(workflow, nodes=nodes)

    async def start(
        self,
        loaded: LoadedWorkflow,
        inputs: JsonObject,
        *,
        trigger: str,
        once_key: str | None = None,
    ) -> str:
        """Begin a run of a workflow without errors; the engine brings it forward by itself.

        Raises:
            Invalid: `WORKFLOW_INVALID` with everything that is wrong.
        """
        await self.require_valid(loaded)
        return await self.engine.start(loaded.workflow, inputs, trigger=trigger, once_key=once_key)

    async def require_valid(self, loaded: LoadedWorkflow) -> None:
        """Go on only with a workflow without errors.

        Raises:
            Invalid: `WORKFLOW_INVALID` with everything that is wrong.
        """
        report = (await self.examine(loaded, is_run=True)).report
        if not report.is_valid:
            errors = [problem for problem in report.problems if problem.severity == "error"]
            raise Invalid(
                "WORKFLOW_INVALID",
                f"workflow {loaded.workflow.name[:100]!r} cannot be run: {how_many(errors)}",
                problems=errors,
                hint="mend what the problems say; those with a patch can be mended for you",
            )

    async def _known(
        self, workflow: Workflow, *, live: bool
    ) -> tuple[KnownEnvironment, Mapping[str, str]]:
        if live:
            return await known_live(self.studio.home, self.studio.connections, [workflow])
        return await self.approved.known(), {}


@asynccontextmanager
async def open_workbench(home: Home) -> AsyncGenerator[Workbench]:
    """Open the studio and its engine; runs that were cut off or are due go on."""
    async with (
        open_studio(home, keeps_trying=True) as studio,
        open_engine(studio, keeps_time=True) as engine,
    ):
        yield Workbench(studio, engine, ToolKnowledge(home), Published(home))


def is_workflow(loaded: LoadedWorkflow) -> bool:
    """Whether anything of it was understood; faults can be mended later."""
    return bool(loaded.workflow.nodes) or _unreadable(loaded) is None


def require_workflow(loaded: LoadedWorkflow) -> LoadedWorkflow:
    """What was read, unless nothing of it was understood.

    Raises:
        Invalid: as its reader said.
    """
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
    return {node.id: standing(node, live).status for node in workflow.nodes if node.type == "mcp"}
