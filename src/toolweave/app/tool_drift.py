"""How the tools of servers differ from the approved ones, what that affects, and what adapts it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import anyio.to_thread

from toolweave.app.studio import Studio
from toolweave.authoring.environment import approved_tools, known_home
from toolweave.catalog.live import specs_of
from toolweave.catalog.spec import NodeSpec
from toolweave.documents.workspace import DocumentFolders, document_service
from toolweave.errors import Invalid, NotFound, ToolweaveError
from toolweave.json_text import JsonObject
from toolweave.nodes.spec_cache import built_in_catalog
from toolweave.problems import Problem, did_you_mean
from toolweave.recording.files import RecordingFolder, read_recording
from toolweave.recording.migration.proposal import MigrationProposal, propose, verdict_on_call
from toolweave.recording.migration.records import (
    AffectedPlaceRecord,
    AffectedRecord,
    ServerDifferenceRecord,
    ToolDifferenceRecord,
    open_places,
)
from toolweave.recording.migration.tool_difference import ChangedTool, changed_tools
from toolweave.recording.migration.tool_uses import tool_uses
from toolweave.recording.recording import Recording
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

    studio: Studio
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
            tools = await self.studio.gate.tools(server)
            self._listed[server] = {tool.name: tool.raw for tool in tools}
        return self._listed[server]

    def pinned(self, server: str) -> Definitions:
        """Return the approved definitions, by name."""
        pins = self.studio.home.lockfile.pins(server)
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
        home = self.studio.home
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


async def server_difference(
    drift: ToolDrift, server: str, only: str | None = None
) -> ServerDifferenceRecord:
    """Compare a server with its pins, and find what its changed tools affect.

    Raises `NotFound`: `MCP_SERVER_NOT_FOUND`, `MCP_TOOL_NOT_FOUND`; `Denied`:
    `SERVER_NOT_APPROVED`; `Unavailable` if it cannot be reached.
    """
    changes = await drift.changed(server)
    pinned, listed = drift.pinned(server), await drift.listed(server)
    if only is not None:
        if only not in {*pinned, *listed}:
            raise NotFound(
                "MCP_TOOL_NOT_FOUND",
                f"server {server!r} neither has nor had a tool {only!r}",
                hint=did_you_mean(only, sorted({*pinned, *listed})),
            )
        changes = [change for change in changes if only in (change.name, change.new_name)]
    affected: list[AffectedRecord] = []
    if any(change.old is not None for change in changes):
        affected += await _workflows(drift, changes)
        affected += await _documents(drift, changes)
        affected += _recordings(await drift.recordings(), changes)
    return ServerDifferenceRecord(
        server=server,
        approved=len(pinned),
        listed=len(listed),
        tools=[ToolDifferenceRecord.read(change) for change in changes],
        affected=affected,
        warnings=[*drift.warnings],
    )


async def _workflows(drift: ToolDrift, changes: Sequence[ChangedTool]) -> list[AffectedRecord]:
    spec = specs_in(await drift.known(changes))
    found: list[AffectedRecord] = []
    for stored in await drift.studio.home.workflows.list():
        proposal = await anyio.to_thread.run_sync(propose, stored.loaded, changes, spec)
        if proposal.uses:
            changed = [AffectedPlaceRecord.of(one) for one in proposal.changes]
            places = changed + open_places(proposal)
            places = places or _used(stored.loaded, changes)
            found.append(
                AffectedRecord(
                    kind="workflow", name=stored.name, verdict=proposal.verdict, places=places
                )
            )
    return found


def _used(loaded: LoadedWorkflow, changes: Sequence[ChangedTool]) -> list[AffectedPlaceRecord]:
    names = {(change.server, change.name) for change in changes}
    return [
        AffectedPlaceRecord(
            node=use.node.id,
            pointer=loaded.places.original(f"/nodes/{use.index}"),
            tool=use.tool,
            reason="its values fit the changed tool",
            certainty=None,
        )
        for use in tool_uses(loaded.workflow)
        if (use.server, use.tool) in names
    ]


async def _documents(drift: ToolDrift, changes: Sequence[ChangedTool]) -> list[AffectedRecord]:
    home = drift.studio.home
    service = document_service(home)
    by_name = {(change.server, change.name): change for change in changes}
    found: list[AffectedRecord] = []
    folders = DocumentFolders(home)
    for path in await anyio.to_thread.run_sync(folders.list):
        try:
            report = await service.look(await folders.path(path))
        except ToolweaveError as error:
            drift.warnings.append(f"document {path!r} is left out: {error.message}")
            continue
        calls = [
            (f"line {block.block.line}", by_name[key], block.block.arguments)
            for block in report.planned
            if (key := (block.server or "", block.block.name)) in by_name
        ]
        if calls:
            found.append(_affected("document", path, calls))
    return found


def _recordings(
    recordings: Sequence[NamedRecording], changes: Sequence[ChangedTool]
) -> list[AffectedRecord]:
    by_name = {(change.server, change.name): change for change in changes}
    found: list[AffectedRecord] = []
    for one in recordings:
        calls = [
            (call.step or f"call {call.seq}", by_name[key], call.arguments)
            for call in one.recording.calls
            if (key := (call.server, call.tool)) in by_name
        ]
        if calls:
            found.append(_affected("recording", one.name, calls))
    return found


def _affected(
    kind: str, name: str, calls: Sequence[tuple[str, ChangedTool, JsonObject]]
) -> AffectedRecord:
    verdicts: set[str] = set()
    places: list[AffectedPlaceRecord] = []
    for place, tool, arguments in calls:
        verdict, reasons = verdict_on_call(tool, arguments)
        verdicts.add(verdict)
        places += [
            AffectedPlaceRecord(
                node=place, pointer=pointer, tool=tool.name, reason=reason, certainty=None
            )
            for pointer, reason in reasons or [("", "its values fit the changed tool")]
        ]
    order = ("breaks", "unknown", "fits")
    worst = next(verdict for verdict in order if verdict in verdicts)
    return AffectedRecord(kind=kind, name=name, verdict=worst, places=places)
