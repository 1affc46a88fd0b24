"""Plans the migration of workflows to changed tools, proves it by replay, and saves it."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import anyio.to_thread

from toolweave.drift.tool_drift import ToolDrift, new_errors, specs_in
from toolweave.engine.run_search import RunSearch
from toolweave.engine.run_table import RunTable
from toolweave.errors import ToolweaveError
from toolweave.json_text import JsonObject, canonical
from toolweave.problems import Problem
from toolweave.recording.files import write_recording
from toolweave.recording.from_run import RunRecorder
from toolweave.recording.masking import mask_for_file
from toolweave.recording.migration.adapted_recording import adapted
from toolweave.recording.migration.changed_tool import ChangedTool
from toolweave.recording.migration.proof import MigrationEvidence, MigrationProof, prove
from toolweave.recording.migration.proposal import MigrationProposal, propose
from toolweave.recording.migration.tool_uses import NodeToolUse, all_tool_uses
from toolweave.recording.recording import Recording
from toolweave.recording.replay import Replayer
from toolweave.workflow.checks.compiled_schemas import CompiledSchemas
from toolweave.workflow.checks.templated_values import check_values
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import convert

# Of so many of its newest runs a workflow is proved by those that can be replayed.
MAX_RUNS = 20


@dataclass(frozen=True, slots=True)
class PlannedMigration:
    """A proposal for a workflow, its proof, and errors that it would add."""

    name: str
    proposal: MigrationProposal
    proof: MigrationProof
    errors: tuple[Problem, ...] = ()
    changes: tuple[ChangedTool, ...] = ()

    @property
    def is_needed(self) -> bool:
        """Whether the workflow does not simply fit."""
        return self.proposal.verdict != "fits"

    @property
    def can_apply(self) -> bool:
        """Whether the migrated workflow is valid."""
        return self.proposal.can_apply and not self.errors

    @property
    def is_certain(self) -> bool:
        """Whether it is certain, and no replay says otherwise."""
        return self.proposal.certainty == "certain" and self.proof.state != "differs"


class MigrationPlanner:
    """Plans migrations; servers and recordings are read once for all workflows."""

    def __init__(self, drift: ToolDrift, replayer: Replayer, only: str | None = None) -> None:
        self._drift = drift
        self._replayer = replayer
        self._only = only

    async def plan(self, name: str, loaded: LoadedWorkflow) -> PlannedMigration:
        """Propose what adapts a workflow, replay it and check it; nothing is saved."""
        recordings = await self._recordings_of(name, loaded)
        changes = await self._changes(loaded, recordings)
        known = await self._drift.known(changes)
        proposal = await anyio.to_thread.run_sync(propose, loaded, changes, specs_in(known))
        proof = MigrationProof("not_proved", reasons=("nothing to replay",))
        errors: list[Problem] = []
        if proposal.can_apply:
            used = [change for change in changes if change.old is not None]
            runs = await self._past_runs(loaded, recordings)
            evidence = MigrationEvidence(recordings, runs)
            proof = await prove(proposal, used, evidence, self._replayer)
            errors = await anyio.to_thread.run_sync(new_errors, proposal, known)
        return PlannedMigration(name, proposal, proof, tuple(errors), tuple(changes))

    async def adapt_recordings(self, plan: PlannedMigration) -> list[str]:
        """Write the recordings that prove a migration as if the new tools had been called."""
        document = convert(plan.proposal.workflow, "toolweave")
        for named in await self._drift.recordings():
            if named.name in plan.proof.recordings:
                new = adapted(named.recording, plan.changes)
                line = (
                    new.workflow.model_copy(update={"document": document}) if new.workflow else None
                )
                new = await mask_for_file(self._drift.home, replace(new, workflow=line))
                path = self._drift.folder.find(named.name)
                await anyio.to_thread.run_sync(write_recording, new, path)
        return [*plan.proof.recordings]

    async def _changes(
        self, loaded: LoadedWorkflow, recordings: Sequence[Recording]
    ) -> list[ChangedTool]:
        uses = list(all_tool_uses(loaded.workflow))
        servers = sorted({use.server for use in uses if self._only in (None, use.server)})
        found: list[ChangedTool] = []
        for server in servers:
            current = await self._drift.current(server)
            if current is None:
                continue
            pinned = self._drift.pinned(server)
            if canonical(pinned) != canonical(current):
                found += await self._drift.changed(server)
            known = {change.name for change in found if change.server == server}
            mine = [use for use in uses if use.server == server and use.tool not in known]
            found += _from_recordings(mine, current, recordings)
        return found

    async def _past_runs(
        self, loaded: LoadedWorkflow, known: Sequence[Recording]
    ) -> list[Recording]:
        """Return recordings of the newest successful runs that are not in `known`."""
        home = self._drift.home
        found: list[Recording] = []
        recorder, name = RunRecorder(home), loaded.workflow.name
        newest = await RunTable(home.database).newest(
            workflow=name, limit=MAX_RUNS, search=RunSearch(statuses=("success",))
        )
        in_files = {one.header.run.id for one in known if one.header.run is not None}
        for run in newest:
            if run.fork_of is not None or run.id in in_files:
                continue
            with suppress(ToolweaveError):  # with pinned outputs, or of an older database
                found.append(await recorder.record(run, run.id, run.started_at))
        return found

    async def _recordings_of(self, name: str, loaded: LoadedWorkflow) -> list[Recording]:
        names = {name, loaded.workflow.name}
        return [
            one.recording
            for one in await self._drift.recordings()
            if one.recording.header.workflow in names and one.recording.header.run is not None
        ]


def _from_recordings(
    uses: Sequence[NodeToolUse], current: dict[str, JsonObject], recordings: Sequence[Recording]
) -> list[ChangedTool]:
    """Return tools that were approved after they changed, with the definition that was recorded.

    Only where the values of a node do not fit the tool: others may have been adapted already.
    """
    found: dict[str, ChangedTool] = {}
    for recording in recordings:
        for line in recording.tools:
            name = str(line.definition.get("name"))
            new = current.get(name)
            if new is None or name in found or canonical(line.definition) == canonical(new):
                continue
            mine = [use for use in uses if (use.server, use.tool) == (line.server, name)]
            if any(not _fits(use, new) for use in mine):
                found[name] = ChangedTool(line.server, name, line.definition, new)
    return list(found.values())


def _fits(use: NodeToolUse, definition: JsonObject) -> bool:
    schema = definition.get("inputSchema")
    if not isinstance(schema, dict) or use.mode != "detailed":
        return True
    properties = schema.get("properties")
    names = properties.keys() if isinstance(properties, dict) else ()
    is_known = all(name in names for name in use.values)
    return is_known and not any(check_values(CompiledSchemas(schema), use.values))
