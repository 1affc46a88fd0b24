"""`/api/v1/library`: flows and prompt templates from git repositories."""

from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.routing import Route

from toolweave.access.keys import ApiKey
from toolweave.app.running_studio import RunningStudio
from toolweave.errors import Denied, Invalid, TimedOut, Unavailable
from toolweave.json_text import JsonObject
from toolweave.library.flow_runner import FlowRequest
from toolweave.library.home_libraries import flow_runner, library_store
from toolweave.library.templates import fill
from toolweave.rest import openapi
from toolweave.rest.auth import Authenticator
from toolweave.rest.error_responses import OtherMethods
from toolweave.rest.json_response import JsonResponse
from toolweave.rest.request_body import RequestBody
from toolweave.rest.response_models import KEYED, READING, responses

ALL = "/api/v1/library"
READ, RUN, WRITE, ADMIN = "workflows:read", "workflows:run", "workflows:write", "servers:admin"
_PRINTED = r"^[^\x00-\x1f\x7f]+$"

LibraryName = Annotated[
    str, Path(alias="library", pattern="^[A-Za-z0-9_-]{1,64}$", description="A library's name")
]
FlowName = Annotated[
    str, Path(alias="flow", max_length=200, pattern=_PRINTED, description="A flow's name or id")
]
TemplateName = Annotated[
    str,
    Path(alias="template", max_length=200, pattern=_PRINTED, description="A template's name or id"),
]
Ref = Annotated[
    str | None,
    Query(max_length=200, pattern=_PRINTED, description="A branch, a tag or a commit"),
]


class LibraryRequest(RequestBody):
    """A repository to add."""

    name: str = Field(pattern="^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$", description="Its name")
    url: str = Field(min_length=1, max_length=2_000, description="An https or ssh URL, or a folder")
    ref: str | None = Field(
        None, min_length=1, max_length=200, description="Default: the repository's default branch"
    )


class FlowRunRequest(RequestBody):
    """The variables of a flow."""

    inputs: dict[str, Any] = Field(default_factory=dict[str, Any], description="Its variables")
    ref: str | None = Field(None, max_length=200, pattern=_PRINTED)


class FillTemplateRequest(RequestBody):
    """The values for a template."""

    values: dict[str, Any] = Field(default_factory=dict[str, Any], description="By name")
    ref: str | None = Field(None, max_length=200, pattern=_PRINTED)


class LibraryResponse(BaseModel):
    """A repository and its name."""

    name: str
    url: str
    ref: str
    added_at: str = Field(alias="addedAt")


class LibraryListResponse(BaseModel):
    """All of them."""

    libraries: list[LibraryResponse]


class LibraryVersionResponse(BaseModel):
    """The commit that was read; `stale` says why it may be outdated."""

    ref: str
    commit: str
    checked_at: str = Field(alias="checkedAt")
    stale: str | None = None


class LibraryDetailsResponse(LibraryVersionResponse):
    """The content of a library."""

    library: str
    flows: list[dict[str, Any]]
    templates: list[dict[str, Any]]
    skipped: list[dict[str, Any]]


class FlowResponse(LibraryVersionResponse):
    """A flow as stored in its file."""

    library: str
    name: str
    flow: dict[str, Any]


class TemplateResponse(BaseModel):
    """A template with its variables and stored values."""

    name: str
    title: str
    template: str
    variables: list[dict[str, Any]]
    variable_value_sets: list[dict[str, Any]] = Field(alias="variableValueSets")


class FillTemplateResponse(BaseModel):
    """A filled template."""

    name: str
    text: str


class FlowExecutionResponse(BaseModel):
    """The execution of a flow."""

    flow_id: str = Field(alias="flowId")
    flow_name: str = Field(alias="flowName")
    execution_id: str = Field(alias="executionId")
    initial_variables: dict[str, Any] = Field(alias="initialVariables")
    intermediate_results: list[dict[str, Any]] = Field(alias="intermediateResults")
    final_result: Any = Field(alias="finalResult")
    total_execution_time_ms: int = Field(alias="totalExecutionTimeMs")
    status: str
    error: dict[str, Any] | None = None


class _Handlers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        self._shelf = library_store(studio.home)
        self._runner = flow_runner(studio.home, studio.engine, self._shelf)

    async def list_libraries(self) -> Response:
        """List the libraries."""
        return JsonResponse({"libraries": [one.as_json() for one in await self._shelf.list()]})

    async def add_library(
        self, body: Annotated[LibraryRequest, Depends(LibraryRequest.read)]
    ) -> Response:
        """Add a repository; it must be reachable."""
        folder = self._studio.home.settings.home
        try:
            added = await self._shelf.add(body.name, body.url, ref=body.ref, folder=folder)
        except (Unavailable, TimedOut) as error:
            # An error of the request: the address comes from the client.
            raise Invalid("GITHUB_ERROR", error.message, hint=error.hint) from None
        return JsonResponse(added.as_json(), 201)

    async def show_library(self, library: LibraryName, ref: Ref = None) -> Response:
        """Show the flows and templates of a library, and the skipped files."""
        flows = await self._shelf.flows(library, ref)
        templates = await self._shelf.templates(library, ref)
        return JsonResponse(
            {
                "library": library,
                **flows.at.as_json(),
                "flows": [one.as_json() for one in flows.flows],
                "templates": [one.as_json() for one in templates.templates],
                "skipped": [one.as_json() for one in (*flows.skipped, *templates.skipped)],
            }
        )

    async def remove_library(self, library: LibraryName) -> Response:
        """Remove a library and its cached content."""
        await self._shelf.remove(library)
        return Response(status_code=204)

    async def refresh_library(self, library: LibraryName) -> Response:
        """Check the repository for changes now."""
        return JsonResponse((await self._shelf.refresh(library)).as_json())

    async def show_flow(self, library: LibraryName, flow: FlowName, ref: Ref = None) -> Response:
        """Show a flow."""
        found = await self._shelf.flow(library, flow, ref)
        about: JsonObject = {"library": library, "name": found.entry.name, **found.at.as_json()}
        return JsonResponse({**about, "flow": found.document})

    async def run_flow(
        self,
        library: LibraryName,
        flow: FlowName,
        body: Annotated[FlowRunRequest, Depends(FlowRunRequest.read)],
        request: Request,
    ) -> Response:
        """Run a flow to its end; errors are part of the execution."""
        await self._shelf.get(library)
        key: ApiKey = request.state.key
        inputs = cast("JsonObject", body.inputs)
        asked = FlowRequest(
            library, flow, body.ref, inputs, may_read=_may_read(key), trigger="rest"
        )
        return JsonResponse(await self._runner.execute(asked))

    async def show_template(
        self, library: LibraryName, template: TemplateName, ref: Ref = None
    ) -> Response:
        """Show a template."""
        return JsonResponse((await self._shelf.template(library, template, ref)).as_json())

    async def fill_template(
        self,
        library: LibraryName,
        template: TemplateName,
        body: Annotated[FillTemplateRequest, Depends(FillTemplateRequest.read)],
    ) -> Response:
        """Fill a template with values."""
        found = await self._shelf.template(library, template, body.ref)
        return JsonResponse({"name": found.name, "text": fill(found, body.values)})


def library_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The endpoints; adding and removing a repository needs `servers:admin`."""
    a = _Handlers(studio)
    router = APIRouter(prefix=ALL, tags=["library"])
    one, flow, template = "/{library}", "/{library}/flows/{flow}", "/{library}/templates/{template}"
    # Any: handlers of different parameters, and their responses.
    table: tuple[tuple[str, str, Any, str, type[BaseModel] | None, Any, int], ...] = (
        ("GET", "", a.list_libraries, READ, LibraryListResponse, None, 200),
        ("POST", "", a.add_library, ADMIN, LibraryResponse, LibraryRequest, 201),
        ("GET", one, a.show_library, READ, LibraryDetailsResponse, None, 200),
        ("DELETE", one, a.remove_library, ADMIN, None, None, 204),
        ("POST", f"{one}/refresh", a.refresh_library, WRITE, LibraryVersionResponse, None, 200),
        ("GET", flow, a.show_flow, READ, FlowResponse, None, 200),
        ("POST", f"{flow}/run", a.run_flow, RUN, FlowExecutionResponse, FlowRunRequest, 200),
        ("GET", template, a.show_template, READ, TemplateResponse, None, 200),
        (
            "POST",
            f"{template}/fill",
            a.fill_template,
            READ,
            FillTemplateResponse,
            FillTemplateRequest,
            200,
        ),
    )
    for method, path, handler, scope, shape, reading, status in table:
        router.add_api_route(
            path,
            handler,
            methods=[method],
            dependencies=[Depends(authenticator.require(scope))],
            responses=responses(
                shape, 403, 404, 409, 422, *KEYED, *READING, status=status, texts=_TEXTS
            ),
            status_code=status,
            openapi_extra=openapi.keyed(reading),
        )
    router.routes.append(Route(ALL, endpoint=OtherMethods("GET", "POST")))
    router.routes.append(Route(ALL + one, endpoint=OtherMethods("DELETE", "GET")))
    return router


_TEXTS = {
    404: "The library, ref, flow or template does not exist.",
    409: "Another library has this name.",
    422: "The request does not have the expected form, or the repository or a file cannot be read.",
    503: "The database or the git host is unavailable.",
}


def _may_read(key: ApiKey) -> bool:
    try:
        key.require(READ)
    except Denied:
        return False
    return True
