"""`/api/v1/servers/{server}/migrations`: what adapts workflows to a server's changed tools."""

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import Field

from toolweave.app.studio import Studio
from toolweave.drift.server_migrations import MigrationConsent, ServerMigrations
from toolweave.recording.files import FOLDER, RecordingFolder
from toolweave.recording.migration.records import MigrationRecord, ServerMigrationsRecord
from toolweave.rest.auth import Authenticator, key_of, require_part
from toolweave.rest.request_body import RequestBody
from toolweave.rest.routes.servers import ServerIdentity, server_of
from toolweave.rest.routing import Routes
from toolweave.workflow.ids import MAX_NAME


class ApplyMigrationRequest(RequestBody):
    """The proposal to apply."""

    workflow: str = Field(min_length=1, max_length=MAX_NAME, description="The stored workflow")
    proposal: str = Field(
        pattern=r"^[0-9a-f]{64}$", description="The id of the proposal, as it was listed"
    )
    accept_likely: bool = Field(
        False, alias="acceptLikely", description="Also apply changes that are only likely"
    )
    adapt_recordings: bool = Field(
        False, alias="adaptRecordings", description="Also adapt the recordings that prove it"
    )


class _Handlers:
    """The handlers."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    async def list_server_migrations(self, server: ServerIdentity) -> ServerMigrationsRecord:
        """Propose changes that adapt stored workflows to a server's changed tools; saves nothing.

        Each proposal is replayed against recordings and past runs of its workflow.
        """
        return await (await self._migrations(server)).proposed()

    async def apply_server_migration(
        self,
        server: ServerIdentity,
        body: Annotated[ApplyMigrationRequest, Depends(ApplyMigrationRequest.read)],
        request: Request,
    ) -> MigrationRecord:
        """Change one stored workflow as proposed; 409 if the proposal is another one by now."""
        require_part(request, "workflow")
        consent = MigrationConsent(
            body.workflow,
            body.proposal,
            is_likely_accepted=body.accept_likely,
            adapts_recordings=body.adapt_recordings,
            author=key_of(request).name,
        )
        return await (await self._migrations(server)).apply(consent)

    async def _migrations(self, server: str) -> ServerMigrations:
        found = await server_of(self._studio, server)
        studio, folder = self._studio, RecordingFolder(Path(FOLDER))
        return ServerMigrations(studio.home, studio.gate, folder, found.name)


def server_migration_routes(studio: Studio, authenticator: Authenticator) -> APIRouter:
    """The endpoints."""
    handlers = _Handlers(studio)
    routes = Routes(authenticator, "/api/v1/servers/{server}", "servers", 404, 409, 504)
    routes.add("GET", "/migrations", handlers.list_server_migrations)
    routes.add("POST", "/migrations", handlers.apply_server_migration)
    return routes.router()
