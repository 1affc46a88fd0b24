"""`/api/v1/workflows`: stored workflows, and conversion between dialects.

The revision of a workflow is its `ETag` and part of every response. A client that saves or deletes
sends the revision it has, in `If-Match` or in the body; if the workflow has changed since, the
response is 409 with both versions, and nothing is written.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any, cast

from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, Path, Request, Response
from pydantic import Field

from toolweave.access.keys import ApiKey
from toolweave.app.running_studio import RunningStudio
from toolweave.authoring.authoring import is_workflow, require_workflow
from toolweave.errors import Invalid, NotFound
from toolweave.json_record import JsonRecord, ProblemRecord
from toolweave.json_text import Json
from toolweave.publishing.limited_keys import allows_workflow, published_of
from toolweave.publishing.limited_keys import require_workflow as require_published
from toolweave.publishing.service import Published
from toolweave.rest.auth import Authenticator, key_of
from toolweave.rest.request_body import RequestBody
from toolweave.rest.response_models import document_in, problem_records
from toolweave.rest.routing import Routes
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.formats.load import convert, load, understand
from toolweave.workflow.ids import MAX_NAME, slug
from toolweave.workflow.model import Workflow
from toolweave.workflow.store import Revision, Stored, WorkflowStore
from toolweave.workflow.workflow_json import WorkflowRecord, WorkflowSummary

Name = Annotated[
    str, Path(max_length=MAX_NAME, pattern=r"\S", description="The name or slug of a workflow")
]
ONE = "/{name}"
_LISTED = {"type": "array"}
_NODES: dict[str, Any] = {"required": ["nodes"], "properties": {"nodes": _LISTED}}
# The minimum of a workflow document: bare, flows, or wrapped.
_WORKFLOW: dict[str, Any] = {
    "anyOf": [
        _NODES,
        {"required": ["flows"], "properties": {"flows": _LISTED}},
        {"required": ["workflow"], "properties": {"workflow": {"type": "object", **_NODES}}},
    ]
}
_REVISION = "[0-9a-f]{64}"
REVISION_PATTERN = f"^{_REVISION}$"


class SaveWorkflowRequest(RequestBody):
    """A workflow in any dialect, and the revision it is based on; none for a new one."""

    # Any: a workflow in any dialect; its reader reports what is wrong with it.
    document: dict[str, Any] = Field(
        description="The workflow, in any dialect", json_schema_extra=_WORKFLOW
    )
    revision: str | None = Field(
        None, pattern=REVISION_PATTERN, description="The revision, if there is no `If-Match`"
    )


class ConvertWorkflowRequest(RequestBody):
    """A workflow in any dialect, and the target dialect."""

    # Any: as above.
    document: dict[str, Any] | str = Field(
        description="The workflow, or the text of its file (JSON or YAML)"
    )
    to: FormatName = Field(description="The target dialect")


class WorkflowListResponse(JsonRecord):
    """The stored workflows, by name."""

    workflows: list[WorkflowSummary]


class WorkflowDetails(WorkflowRecord):
    """A stored workflow in canonical JSON, and its problems."""

    format: str
    document: dict[str, Any]
    problems: list[ProblemRecord]


class ConvertWorkflowResponse(JsonRecord):
    """A workflow in another dialect; null if the input is not a workflow."""

    from_: str | None = Field(alias="from")
    to: str
    document: Any
    problems: list[ProblemRecord]


class _Handlers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        self._store: WorkflowStore = studio.home.workflows
        self._authoring = studio.authoring
        self._published = studio.published

    async def list_workflows(self, request: Request) -> WorkflowListResponse:
        """List the stored workflows that the key may see, by name."""
        return WorkflowListResponse(
            workflows=await visible_workflows(self._studio, key_of(request))
        )

    async def show_workflow(
        self, name: Name, request: Request, response: Response
    ) -> WorkflowDetails | Response:
        """Show a workflow in canonical JSON; 304 if `If-None-Match` has its revision."""
        key = key_of(request)
        await require_published(self._published, key, name)
        stored = await _visible(self._published, key, await self._store.load(name))
        if stored.revision in _tags(request, "if-none-match"):
            return Response(status_code=304, headers=_etag(stored.revision))
        return await self._details(stored, response)

    async def save_workflow(
        self,
        name: Name,
        body: Annotated[SaveWorkflowRequest, Depends(SaveWorkflowRequest.read)],
        request: Request,
        response: Response,
    ) -> WorkflowDetails:
        """Save a workflow over the revision it was based on, or a new one (201)."""
        loaded = require_workflow(await run_sync(understand, cast("Json", body.document)))
        workflow = loaded.workflow
        if not workflow.name:
            workflow = replace(workflow, name=name)
        over = await self._seen(name, request, body.revision)
        if over is None and slug(workflow.name) != slug(name):
            raise _other_name(name, workflow)
        workflow = await self._authoring.to_store(workflow, before=await self._before(name, over))
        await self._store.save(workflow, over=over, at=name, author=key_of(request).name)
        if over is None:
            response.status_code = 201
        return await self._details(await self._store.load(workflow.name), response)

    async def delete_workflow(self, name: Name, request: Request) -> Response:
        """Delete a workflow; `If-Match` is the revision to delete."""
        over = await self._seen(name, request, None)
        if over is None:
            raise Invalid(
                "REVISION_MISSING",
                f"the revision of {name!r} to delete is missing",
                hint="send the current revision as `If-Match`",
            )
        await self._store.delete(name, over=over)
        return Response(status_code=204)

    async def convert_workflow(
        self, body: Annotated[ConvertWorkflowRequest, Depends(ConvertWorkflowRequest.read)]
    ) -> ConvertWorkflowResponse:
        """Convert a workflow to another dialect; nothing is saved."""
        document = body.document
        read = load if isinstance(document, str) else understand
        loaded = await run_sync(read, cast("Any", document))
        is_understood = is_workflow(loaded)
        made = await run_sync(convert, loaded.workflow, body.to) if is_understood else None
        return ConvertWorkflowResponse.of(
            {
                "from": loaded.format if is_understood else None,
                "to": body.to,
                "document": made,
                "problems": problem_records(loaded.problems),
            }
        )

    async def _before(self, name: str, over: Revision | None) -> Workflow | None:
        if over is None:
            return None
        with suppress(NotFound):  # the store says what is wrong with the revision
            return (await self._store.load(name)).workflow
        return None

    async def _details(self, stored: Stored, response: Response) -> WorkflowDetails:
        opened = await self._authoring.open(stored.loaded)
        response.headers.update(_etag(stored.revision))
        return WorkflowDetails(
            **dict(WorkflowRecord.of(stored)),
            format=stored.loaded.format,
            document=await run_sync(document_in, opened.workflow, "toolweave"),
            problems=problem_records(opened.problems),
        )

    async def _seen(self, name: str, request: Request, revision: str | None) -> Revision | None:
        """Return the revision the client has, from `If-Match` or else from the body."""
        tags = _tags(request, "if-match")
        if not tags and "if-match" in request.headers:
            raise Invalid("REVISION_MISSING", "`If-Match` has no revision")
        if not tags:
            return Revision(revision) if revision is not None else None
        current = (await self._store.load(name)).revision
        # One match of several is enough; without a match the first one is reported.
        return current if "*" in tags or current in tags else Revision(tags[0])


async def visible_workflows(studio: RunningStudio, key: ApiKey) -> list[WorkflowSummary]:
    """Return the stored workflows that a key may see, by name."""
    allowed = [
        await _visible(studio.published, key, workflow)
        for workflow in await studio.home.workflows.list()
        if await allows_workflow(studio.published, key, workflow.name)
    ]
    return await studio.authoring.summaries(allowed)


async def _visible(published: Published, key: ApiKey, stored: Stored) -> Stored:
    """Return a workflow as a key may see it: a limited one its published version only."""
    if key.tools is None:
        return stored
    copy = await published_of(published, key, stored.name)
    return Stored(copy.loaded, Revision(copy.publication.revision), stored.slug)


def workflow_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The five endpoints."""
    handlers = _Handlers(studio)
    routes = Routes(authenticator, "/api/v1/workflows", "workflows", 422, texts=_TEXTS)
    routes.add("GET", "", handlers.list_workflows)
    routes.add("POST", "/convert", handlers.convert_workflow)
    # Any: parts of OpenAPI.
    found: tuple[tuple[str, Callable[..., Any], int, dict[str, Any]], ...] = (
        ("GET", handlers.show_workflow, 200, {"model": WorkflowDetails, "documented": _UNCHANGED}),
        ("PUT", handlers.save_workflow, 200, {"documented": _CREATED}),
        ("DELETE", handlers.delete_workflow, 204, {}),
    )
    for method, handler, status, more in found:
        extra = _header_parameters(method)
        routes.add(method, ONE, handler, 404, 409, status=status, extra=extra, **more)
    return routes.router()


def _other_name(name: str, workflow: Workflow) -> Invalid:
    return Invalid(
        "WORKFLOW_NAME_MISMATCH",
        f"the document is named {workflow.name[:100]!r}, but the address says {name!r}",
        hint="save a new workflow under its own name; to rename one, send its revision",
    )


def _tags(request: Request, header: str) -> list[str]:
    """Return the revisions in `If-Match` or `If-None-Match`, or `*`."""
    tags = (tag.strip() for tag in request.headers.get(header, "").split(","))
    return [tag.removeprefix("W/").strip('"') for tag in tags if tag]


def _etag(revision: Revision) -> dict[str, str]:
    return {"ETag": f'"{revision}"'}


_TEXTS = {
    404: "The workflow does not exist.",
    409: "The workflow has another revision now, or the name is taken; both are in the error.",
    422: "The request does not have the expected form, or the document is not a workflow.",
    503: "The database or the workflow folder is unavailable.",
}


_UNCHANGED = {304: {"description": "The workflow still has the revision you have."}}
_CREATED = {201: {"model": WorkflowDetails, "description": "The workflow is new."}}


def _header_parameters(method: str) -> dict[str, Any]:
    shown: dict[str, Any] = {"in": "header", "description": 'A revision, as in `ETag`: "…"'}
    if method == "GET":
        named = {"name": "If-None-Match", "schema": {"type": "string"}}
    else:
        schema = {"type": "string", "pattern": rf'^(\*|(W/)?"{_REVISION}")$'}
        named = {"name": "If-Match", "schema": schema, "required": method == "DELETE"}
    return {"parameters": [shown | named]}
