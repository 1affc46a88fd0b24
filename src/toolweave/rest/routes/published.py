"""`/api/v1/published`: workflows published as MCP tools."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response
from pydantic import Field

from toolweave.app.running_studio import RunningStudio
from toolweave.json_record import JsonRecord
from toolweave.publishing.service import PublicationRequest, publish, unpublish
from toolweave.publishing.store import MAX_DESCRIPTION, TOOL_NAME, IfLeft, PublicationRecord, Tasks
from toolweave.rest.auth import Authenticator, key_of
from toolweave.rest.request_body import RequestBody
from toolweave.rest.routing import Routes
from toolweave.workflow.ids import MAX_NAME

Name = Annotated[str, Path(max_length=MAX_NAME, pattern=r"\S", description="A workflow's name")]


class PublishRequest(RequestBody):
    """How to publish; missing fields keep their value, or come from the workflow."""

    tool: str | None = Field(None, pattern=f"^{TOOL_NAME}$", description="The tool's name")
    description: str | None = Field(None, max_length=MAX_DESCRIPTION)
    if_left: IfLeft | None = Field(
        None, alias="ifLeft", description="What happens to a run whose caller disconnects"
    )
    tasks: Tasks | None = Field(
        None, description="When callers that support tasks get a task handle"
    )
    only: bool = Field(False, description="Whether to remove earlier tool names of the workflow")


class PublishedListResponse(JsonRecord):
    """All published workflows, by tool."""

    published: list[PublicationRecord]


class _Handlers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        self._home = studio.home

    async def list_published(self, request: Request) -> PublishedListResponse:
        """List the published workflows that the key may use, by tool."""
        key = key_of(request)
        tools = await self._studio.published.tools()
        found = [one.publication for one in tools if key.allows_tool(one.publication.tool)]
        return PublishedListResponse(published=[PublicationRecord.of(one) for one in found])

    async def publish_workflow(
        self, name: Name, body: Annotated[PublishRequest, Depends(PublishRequest.read)]
    ) -> PublicationRecord:
        """Publish a stored workflow as a tool, in its current revision."""
        wish = PublicationRequest(
            name, body.tool, body.description, body.if_left, body.tasks, body.only
        )
        made = await publish(self._home, await self._studio.authoring.tools.known(), wish)
        self._studio.published.nudge()
        return PublicationRecord.of(made)

    async def unpublish_workflow(self, name: Name) -> Response:
        """Unpublish a tool, by its name or its workflow's; its runs continue."""
        await unpublish(self._home, name)
        self._studio.published.nudge()
        return Response(status_code=204)


def published_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The three endpoints."""
    handlers = _Handlers(studio)
    routes = Routes(authenticator, "/api/v1/published", "published")
    routes.add("GET", "", handlers.list_published, 422)
    routes.add("PUT", "/{name}", handlers.publish_workflow, 404, 409)
    routes.add("DELETE", "/{name}", handlers.unpublish_workflow, 404, status=204)
    return routes.router()
