"""What the changed tools of a server affect: stored workflows, documents and recordings."""

from collections.abc import Sequence

import anyio.to_thread

from toolweave.documents.workspace import DocumentFolders, document_service
from toolweave.drift.tool_drift import NamedRecording, ToolDrift, specs_in
from toolweave.errors import NotFound, ToolweaveError
from toolweave.json_text import JsonObject
from toolweave.problems import did_you_mean, pointer
from toolweave.recording.migration.changed_tool import ChangedTool
from toolweave.recording.migration.proposal import Verdict, propose
from toolweave.recording.migration.records import (
    AffectedPlaceRecord,
    AffectedRecord,
    ServerDifferenceRecord,
    ToolDifferenceRecord,
    open_places,
)
from toolweave.recording.migration.tool_uses import tool_uses
from toolweave.recording.migration.value_migration import MigratedValues, migrate_arguments
from toolweave.workflow.formats.format import LoadedWorkflow


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
    for stored in await drift.home.workflows.list():
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
    home = drift.home
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
        verdict, reasons = _verdict_on_call(tool, arguments)
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


def _verdict_on_call(
    tool: ChangedTool, arguments: JsonObject
) -> tuple[Verdict, list[tuple[str, str]]]:
    """Return whether a call of a changed tool still works, and the places that do not."""
    if tool.old is None:
        return "fits", []
    if tool.new is None:
        return "breaks", [("", f"the tool {tool.name!r} is gone")]
    found: MigratedValues = migrate_arguments(
        tool.old.get("inputSchema"), tool.new.get("inputSchema"), arguments
    )
    reasons = [(pointer(*(one.old or one.new or ())), one.reason) for one in found.changes]
    reasons += [(pointer(*one.at), one.reason) for one in found.questions]
    if tool.new_name != tool.name:
        return "breaks", [("", f"the tool is {tool.new_name!r} now"), *reasons]
    if any(one.is_refused for one in found.questions) or any(
        one.is_needed for one in found.changes
    ):
        return "breaks", reasons
    return ("unknown" if reasons else "fits"), reasons
