"""`/api/v1/workflows/{name}/versions`: every save of a workflow, to compare, name and restore."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request
from pydantic import Field

from toolweave.app.running_studio import RunningStudio
from toolweave.json_record import JsonRecord
from toolweave.publishing.versions import VersionHistory, VersionRecord
from toolweave.rest.auth import Authenticator, key_of
from toolweave.rest.request_body import RequestBody
from toolweave.rest.response_models import document_in
from toolweave.rest.routes.workflows import REVISION_PATTERN, Name
from toolweave.rest.routing import Routes
from toolweave.storage.workflow_versions import MAX_LABEL
from toolweave.workflow.store import Revision
from toolweave.workflow.workflow_json import WorkflowRecord

Number = Annotated[int, Path(ge=1, le=2**31 - 1, description="The number of a version")]
_VERSION = "/{number}"


class NameVersionRequest(RequestBody):
    """A name for a version; null removes it."""

    label: str | None = Field(max_length=MAX_LABEL, description="The name; null removes it")


class RestoreVersionRequest(RequestBody):
    """The revision that a restored version replaces; null if the workflow was deleted."""

    revision: str | None = Field(
        None, pattern=REVISION_PATTERN, description="The current revision of the workflow"
    )


class VersionListResponse(JsonRecord):
    """The saved versions of a workflow, newest first."""

    versions: list[VersionRecord]


class VersionDetails(VersionRecord):
    """A saved version and its workflow in canonical JSON."""

    # Any: a workflow.
    document: dict[str, Any]


class _Handlers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._history = VersionHistory(studio.home)

    async def list_versions(self, name: Name) -> VersionListResponse:
        """List the saved versions of a workflow, newest first."""
        return VersionListResponse(versions=list(await self._history.list(name)))

    async def show_version(self, name: Name, number: Number) -> VersionDetails:
        """Show a saved version in canonical JSON."""
        found = await self._history.show(name, number)
        document = document_in(found.loaded.workflow, "toolweave")
        return VersionDetails(**dict(found.record), document=document)

    async def name_version(
        self,
        name: Name,
        number: Number,
        body: Annotated[NameVersionRequest, Depends(NameVersionRequest.read)],
    ) -> VersionRecord:
        """Name a version, so that it is not pruned; or remove its name."""
        return await self._history.set_label(name, number, body.label)

    async def restore_version(
        self,
        name: Name,
        number: Number,
        body: Annotated[RestoreVersionRequest, Depends(RestoreVersionRequest.read)],
        request: Request,
    ) -> WorkflowRecord:
        """Save a version again over the current revision; this is a new version."""
        over = Revision(body.revision) if body.revision is not None else None
        author = key_of(request).name
        return WorkflowRecord.of(
            await self._history.restore(name, number, over=over, author=author)
        )


def version_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The four endpoints."""
    handlers = _Handlers(studio)
    prefix = "/api/v1/workflows/{name}/versions"
    routes = Routes(authenticator, prefix, "workflows", 404, texts=_TEXTS)
    routes.add("GET", "", handlers.list_versions)
    routes.add("GET", _VERSION, handlers.show_version)
    routes.add("PUT", _VERSION, handlers.name_version)
    routes.add("POST", f"{_VERSION}/restore", handlers.restore_version, 409)
    return routes.router()


_TEXTS = {
    404: "The workflow or the version does not exist.",
    409: "The workflow has another revision now; both are in the error.",
}
