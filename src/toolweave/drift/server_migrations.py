"""Proposes migrations of stored workflows to the changed tools of one server, and applies them.

What is applied is exactly what a person has seen: a proposal has an id of the workflow's revision
and the patch, and another one is refused.
"""

import hashlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from toolweave.drift.migration_planner import MigrationPlanner, PlannedMigration
from toolweave.drift.tool_drift import ToolDrift
from toolweave.errors import Conflict
from toolweave.home import Home
from toolweave.json_text import Json, canonical
from toolweave.recording.files import RecordingFolder
from toolweave.recording.migration.records import MigrationRecord, ServerMigrationsRecord
from toolweave.recording.migration.tool_uses import all_tool_uses
from toolweave.recording.replay import open_replayer
from toolweave.servers.gate import Gate
from toolweave.workflow.store import Stored


@dataclass(frozen=True, slots=True)
class MigrationConsent:
    """The proposal that a person has seen and agrees to."""

    workflow: str
    proposal: str
    # Whether changes that are only likely may be applied, too.
    is_likely_accepted: bool = False
    adapts_recordings: bool = False
    author: str | None = None


class ServerMigrations:
    """The migrations of one server's changes."""

    def __init__(self, home: Home, gate: Gate, folder: RecordingFolder, server: str) -> None:
        self._home = home
        self._gate = gate
        self._folder = folder
        self._server = server

    async def proposed(self) -> ServerMigrationsRecord:
        """Propose what adapts each stored workflow that the changes touch; nothing is saved."""
        found: list[MigrationRecord] = []
        async with self._planner() as (drift, planner):
            await drift.listed(self._server)  # one that does not answer has no changes to show
            for stored in await self._home.workflows.list():
                servers = {use.server for use in all_tool_uses(stored.workflow)}
                if self._server not in servers:
                    continue
                plan = await planner.plan(stored.name, stored.loaded)
                if plan.is_needed:
                    state = "proposed" if plan.can_apply else "open"
                    found.append(_record(stored, plan, state))
            warnings = [*drift.warnings]
        return ServerMigrationsRecord(server=self._server, migrations=found, warnings=warnings)

    async def apply(self, consent: MigrationConsent) -> MigrationRecord:
        """Save the migrated workflow, if the proposal is still the one that was seen.

        Raises `NotFound`: `WORKFLOW_NOT_FOUND`; `Conflict`: `MIGRATION_CHANGED`,
        `MIGRATION_IMPOSSIBLE`, `MIGRATION_LIKELY`, `WORKFLOW_CHANGED`.
        """
        workflows = self._home.workflows
        stored = await workflows.load(consent.workflow)
        async with self._planner() as (_, planner):
            plan = await planner.plan(stored.name, stored.loaded)
            _require(stored, plan, consent)
            await workflows.save(
                plan.proposal.workflow,
                over=stored.revision,
                at=stored.name,
                dialect=stored.loaded.format,
                author=consent.author,
            )
            if consent.adapts_recordings:
                await planner.adapt_recordings(plan)
        return _record(stored, plan, "applied")

    @asynccontextmanager
    async def _planner(self) -> AsyncGenerator[tuple[ToolDrift, MigrationPlanner]]:
        drift = ToolDrift(self._home, self._gate, self._folder)
        async with open_replayer(self._home.settings.home) as replayer:
            yield drift, MigrationPlanner(drift, replayer, self._server)


def _require(stored: Stored, plan: PlannedMigration, consent: MigrationConsent) -> None:
    if not plan.can_apply:
        raise Conflict(
            "MIGRATION_IMPOSSIBLE",
            f"there is nothing that can be changed in {stored.name!r} for these tools",
            hint="what only a person can decide is listed as open",
        )
    if _identity(stored, plan) != consent.proposal:
        raise Conflict(
            "MIGRATION_CHANGED",
            f"the proposal for {stored.name!r} is not the one that was shown",
            hint="the workflow or the tools changed in the meantime; review the new proposal",
        )
    if not plan.is_certain and not consent.is_likely_accepted:
        raise Conflict(
            "MIGRATION_LIKELY",
            f"the changes to {stored.name!r} are only likely to be right",
            hint="review them, and accept likely changes if they are right",
        )


def _record(stored: Stored, plan: PlannedMigration, state: str) -> MigrationRecord:
    record = MigrationRecord.read(stored.name, plan.proposal, plan.proof, state)
    update: dict[str, object] = {"proposal": _identity(stored, plan)}
    update["certainty"] = "certain" if plan.is_certain else "likely"
    if plan.errors:
        update["message"] = "; ".join(f"{one.pointer}: {one.message}" for one in plan.errors)
    return record.model_copy(update=update)


def _identity(stored: Stored, plan: PlannedMigration) -> str:
    patch: list[Json] = [*plan.proposal.patch]
    return hashlib.sha256(canonical([stored.revision, patch])).hexdigest()
