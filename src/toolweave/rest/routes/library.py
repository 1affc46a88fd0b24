"""`/api/v1/library`: flows and prompt templates from git repositories."""

from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import Field

from toolweave.access.authorization import route_rule
from toolweave.app.running_studio import RunningStudio
from toolweave.errors import Invalid, TimedOut, Unavailable
from toolweave.json_record import JsonRecord
from toolweave.json_text import JsonObject
from toolweave.library.flow_runner import FlowRequest
from toolweave.library.home_libraries import flow_runner, library_store
from toolweave.library.library_json import (
    FlowExecution,
    FlowRecord,
    LibraryContent,
    LibraryRecord,
    TemplateRecord,
)
from toolweave.library.models import LibraryRevision
from toolweave.library.templates import fill
from toolweave.rest.auth import Authenticator, key_of
from toolweave.rest.request_body import RequestBody
from toolweave.rest.routing import Routes

ALL = "/api/v1/library"
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


class LibraryListResponse(JsonRecord):
    """All of them."""

    libraries: list[LibraryRecord]


class FillTemplateResponse(JsonRecord):
    """A filled template."""

    name: str
    text: str


class _Handlers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        self._libraries = library_store(studio.home)
        self._runner = flow_runner(studio.home, studio.engine, self._libraries)

    async def list_libraries(self) -> LibraryListResponse:
        """List the libraries."""
        found = await self._libraries.list()
        return LibraryListResponse(libraries=[LibraryRecord.of(one) for one in found])

    async def add_library(
        self, body: Annotated[LibraryRequest, Depends(LibraryRequest.read)]
    ) -> LibraryRecord:
        """Add a repository; it must be reachable."""
        folder = self._studio.home.settings.home
        try:
            added = await self._libraries.add(body.name, body.url, ref=body.ref, folder=folder)
        except (Unavailable, TimedOut) as error:
            # An error of the request: the address comes from the client.
            raise Invalid("GITHUB_ERROR", error.message, hint=error.hint) from None
        return LibraryRecord.of(added)

    async def show_library(self, library: LibraryName, ref: Ref = None) -> LibraryContent:
        """Show the flows and templates of a library, and the skipped files."""
        flows = await self._libraries.flows(library, ref)
        return LibraryContent.read(library, flows, await self._libraries.templates(library, ref))

    async def remove_library(self, library: LibraryName) -> Response:
        """Remove a library and its cached content."""
        await self._libraries.remove(library)
        return Response(status_code=204)

    async def refresh_library(self, library: LibraryName) -> LibraryRevision:
        """Check the repository for changes now."""
        return await self._libraries.refresh(library)

    async def show_flow(self, library: LibraryName, flow: FlowName, ref: Ref = None) -> FlowRecord:
        """Show a flow."""
        return FlowRecord.read(library, await self._libraries.flow(library, flow, ref))

    async def run_flow(
        self,
        library: LibraryName,
        flow: FlowName,
        body: Annotated[FlowRunRequest, Depends(FlowRunRequest.read)],
        request: Request,
    ) -> FlowExecution:
        """Run a flow to its end; errors are part of the execution."""
        await self._libraries.get(library)
        inputs = cast("JsonObject", body.inputs)
        may_read = route_rule("GET", f"{ALL}/{{library}}/templates/{{template}}")
        asked = FlowRequest(
            *(library, flow, body.ref, inputs),
            may_read=may_read.allows(key_of(request)),
            trigger="rest",
        )
        return FlowExecution.of(await self._runner.execute(asked))

    async def show_template(
        self, library: LibraryName, template: TemplateName, ref: Ref = None
    ) -> TemplateRecord:
        """Show a template."""
        found = await self._libraries.template(library, template, ref)
        return TemplateRecord.of(found.as_json())

    async def fill_template(
        self,
        library: LibraryName,
        template: TemplateName,
        body: Annotated[FillTemplateRequest, Depends(FillTemplateRequest.read)],
    ) -> FillTemplateResponse:
        """Fill a template with values."""
        found = await self._libraries.template(library, template, body.ref)
        return FillTemplateResponse(name=found.name, text=fill(found, body.values))


def library_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The nine endpoints."""
    handlers = _Handlers(studio)
    routes = Routes(authenticator, ALL, "library", 404, 409, 422, texts=_TEXTS)
    one, flow, template = "/{library}", "/{library}/flows/{flow}", "/{library}/templates/{template}"
    routes.add("GET", "", handlers.list_libraries)
    routes.add("POST", "", handlers.add_library, status=201)
    routes.add("GET", one, handlers.show_library)
    routes.add("DELETE", one, handlers.remove_library, status=204)
    routes.add("POST", f"{one}/refresh", handlers.refresh_library)
    routes.add("GET", flow, handlers.show_flow)
    routes.add("POST", f"{flow}/run", handlers.run_flow)
    routes.add("GET", template, handlers.show_template)
    routes.add("POST", f"{template}/fill", handlers.fill_template)
    return routes.router()


_TEXTS = {
    404: "The library, ref, flow or template does not exist.",
    409: "Another library has this name.",
    422: "The request does not have the expected form, or the repository or a file cannot be read.",
    503: "The database or the git host is unavailable.",
}
