"""How the tools of servers differ from the approved ones."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import anyio.to_thread

from toolweave.authoring.environment import approved_tools, known_home
from toolweave.catalog.live import specs_of
from toolweave.catalog.spec import NodeSpec
from toolweave.errors import Invalid, NotFound, ToolweaveError
from toolweave.home import Home
from toolweave.json_text import JsonObject
from toolweave.nodes.spec_cache import built_in_catalog
from toolweave.problems import Problem
from toolweave.recording.files import RecordingFolder, read_recording
from toolweave.recording.migration.changed_tool import ChangedTool
from toolweave.recording.migration.proposal import MigrationProposal
from toolweave.recording.migration.tool_difference import changed_tools
from toolweave.recording.recording import Recording
from toolweave.servers.gate import Gate
from toolweave.tools.read_tool import read_tool
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.model import Node
from toolweave.workflow.report import examine_loaded

Definitions = dict[str, JsonObject]


@dataclass(frozen=True, slots=True)
class NamedRecording:
    """A recording of the folder."""

    name: str
    recording: Recording


@dataclass(slots=True)
class ToolDrift:
    """Compares servers with their pins; asks each server once."""

    home: Home
    gate: Gate
    folder: RecordingFolder
    warnings: list[str] = field(default_factory=list[str])
    _listed: dict[str, Definitions] = field(default_factory=dict[str, Definitions])
    _recordings: list[NamedRecording] | None = None

    async def changed(self, server: str) -> list[ChangedTool]:
        """Return the tools of a server that differ from its pins. Raises `ToolweaveError`."""
        return changed_tools(server, self.pinned(server), await self.listed(server))

    async def listed(self, server: str) -> Definitions:
        """Return what a server lists now, by name."""
        if server not in self._listed:
            tools = await self.gate.tools(server)
            self._listed[server] = {tool.name: tool.raw for tool in tools}
        return self._listed[server]

    def pinned(self, server: str) -> Definitions:
        """Return the approved definitions, by name."""
        pins = self.home.lockfile.pins(server)
        return {name: pin.definition for name, pin in pins.items()}

    async def current(self, server: str) -> Definitions | None:
        """Return what a server lists now, else its pins with a warning; None if it has neither."""
        try:
            return await self.listed(server)
        except ToolweaveError as error:
            pins = self.pinned(server)
            what = "compared with its approved tools" if pins else "not compared"
            warning = f"server {server!r}: {error.message}; {what}"
            if warning not in self.warnings:
                self.warnings.append(warning)
            return pins or None

    async def recordings(self) -> list[NamedRecording]:
        """Return the readable recordings; others are warnings."""
        if self._recordings is None:
            self._recordings = []
            for name in self.folder.names():
                try:
                    path = self.folder.find(name)
                    read = await anyio.to_thread.run_sync(read_recording, path)
                except (Invalid, NotFound) as error:
                    self.warnings.append(f"recording {name!r} is left out: {error.message}")
                else:
                    self._recordings.append(NamedRecording(name, read.recording))
        return self._recordings

    async def known(self, changes: Sequence[ChangedTool]) -> KnownEnvironment:
        """Return what workflows are checked against once the changed tools are approved."""
        home = self.home
        tools = dict(await approved_tools(home))
        for server in {change.server for change in changes}:
            listed = await self.current(server) or {}
            tools[server] = [read_tool(server, definition) for definition in listed.values()]
        specs = specs_of(tool for of_server in tools.values() for tool in of_server)
        return KnownEnvironment(
            built_in_catalog(home.settings.home).with_specs(specs),
            home.clock.now(),
            pinned=tools.get,
            workflows=await home.workflows.slugs(),
            home=await known_home(home),
        )


def specs_in(known: KnownEnvironment) -> Callable[[Node], NodeSpec | None]:
    """Return the specifications of catalog nodes."""

    def spec(node: Node) -> NodeSpec | None:
        subtype = node.data.get("subtype")
        return known.catalog.get(node.type, subtype) if isinstance(subtype, str) else None

    return spec


def new_errors(proposal: MigrationProposal, known: KnownEnvironment) -> list[Problem]:
    """Return the errors that a migrated workflow has and the old one did not have."""
    loaded = proposal.loaded
    migrated = LoadedWorkflow(proposal.workflow, (), loaded.format, loaded.places)
    before, after = (examine_loaded(one, known).problems for one in (loaded, migrated))
    known_before = {(one.code, one.message) for one in before}
    return [
        one
        for one in after
        if one.severity == "error" and (one.code, one.message) not in known_before
    ]
