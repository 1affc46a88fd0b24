"""`/api/v1/published`: workflows published as MCP tools."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.routing import Route

from toolweave.access.keys import ApiKey
from toolweave.app.running_studio import RunningStudio
from toolweave.publishing.service import PublicationRequest, publish, unpublish
from toolweave.publishing.store import MAX_DESCRIPTION, TOOL_NAME, IfLeft, Tasks
from toolweave.rest import openapi
from toolweave.rest.auth import Authenticator
from toolweave.rest.error_responses import OtherMethods
from toolweave.rest.json_response import JsonResponse
from toolweave.rest.request_body import RequestBody
from toolweave.rest.response_models import KEYED, READING, responses
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


class PublishedToolResponse(BaseModel):
    """A published workflow."""

    tool: str
    workflow: str
    description: str
    revision: str
    published_at: str = Field(alias="publishedAt")
    if_left: Literal["cancel", "continue"] = Field(alias="ifLeft")
    tasks: Literal["auto", "always", "only"]
    # Any: schemas.
    input_schema: dict[str, Any] = Field(alias="inputSchema")
    output_schema: dict[str, Any] | None = Field(alias="outputSchema")


class PublishedListResponse(BaseModel):
    """All published workflows, by tool."""

    published: list[PublishedToolResponse]


class _Handlers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        self._home = studio.home

    async def list_published(self, request: Request) -> Response:
        """List the published workflows that the key may use, by tool."""
        key: ApiKey = request.state.key
        tools = await self._studio.published.tools()
        found = [one.publication for one in tools if key.allows_tool(one.publication.tool)]
        return JsonResponse({"published": [one.as_json() for one in found]})

    async def publish_workflow(
        self, name: Name, body: Annotated[PublishRequest, Depends(PublishRequest.read)]
    ) -> Response:
        """Publish a stored workflow as a tool, in its current revision."""
        wish = PublicationRequest(name, body.tool, body.description, body.if_left, body.tasks)
        made = await publish(self._home, await self._studio.authoring.tools.known(), wish)
        self._studio.published.nudge()
        return JsonResponse(made.as_json())

    async def unpublish_workflow(self, name: Name) -> Response:
        """Unpublish a tool, by its name or its workflow's; its runs continue."""
        await unpublish(self._home, name)
        self._studio.published.nudge()
        return Response(status_code=204)


def published_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The three endpoints; reading needs `workflows:read`, publishing `workflows:write`."""
    handlers = _Handlers(studio)
    reads, writes = map(authenticator.require, ("workflows:read", "workflows:write"))
    router = APIRouter(prefix="/api/v1/published", tags=["published"])
    shown = responses(PublishedToolResponse, 404, 409, 422, *KEYED, *READING)
    for method, path, handler, gate, answered, reading in (
        (
            "GET",
            "",
            handlers.list_published,
            reads,
            responses(PublishedListResponse, 422, *KEYED),
            None,
        ),
        ("PUT", "/{name}", handlers.publish_workflow, writes, shown, PublishRequest),
        (
            "DELETE",
            "/{name}",
            handlers.unpublish_workflow,
            writes,
            responses(None, 404, 422, *KEYED, status=204),
            None,
        ),
    ):
        router.add_api_route(
            path,
            handler,
            methods=[method],
            dependencies=[Depends(gate)],
            responses=answered,
            status_code=204 if method == "DELETE" else None,
            openapi_extra=openapi.keyed(reading),
        )
    router.routes.append(Route(router.prefix + "/{name}", endpoint=OtherMethods("DELETE", "PUT")))
    return router
