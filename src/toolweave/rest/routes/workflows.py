"""`/api/v1/workflows`: named workflows for the studio, and conversion between dialects.

A revision is a workflow's `ETag` and stands in every answer. Whoever saves or deletes says which
one they have seen, in `If-Match` or in the body; if it is another one by now, the answer is 409
with both versions, and nothing is written.
"""

from dataclasses import replace
from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.routing import Route

from toolweave.authoring.authoring import is_workflow, require_workflow
from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.rest import openapi
from toolweave.rest.auth import Doorkeeper
from toolweave.rest.error_responses import OtherMethods
from toolweave.rest.json_response import json_answer
from toolweave.rest.request_body import Strict, read_shape
from toolweave.rest.shapes import KEYED, READING, ProblemShape, Responses, responses
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.formats.load import convert, load, read
from toolweave.workflow.ids import MAX_NAME, slug
from toolweave.workflow.model import Workflow
from toolweave.workflow.store import Revision, Stored, WorkflowStore

Name = Annotated[
    str, Path(max_length=MAX_NAME, pattern=r"\S", description="A workflow's name, or its slug")
]
ONE = "/{name}"
_LISTED = {"type": "array"}
_NODES: dict[str, Any] = {"required": ["nodes"], "properties": {"nodes": _LISTED}}
# What a document needs at the least to be taken for a workflow: bare, flows, or wrapped.
_WORKFLOW: dict[str, Any] = {
    "anyOf": [
        _NODES,
        {"required": ["flows"], "properties": {"flows": _LISTED}},
        {"required": ["workflow"], "properties": {"workflow": {"type": "object", **_NODES}}},
    ]
}
_REVISION = "[0-9a-f]{64}"


class Saving(Strict):
    """A workflow of any dialect, and the revision it was made from; none for a new one."""

    # Any: a workflow in whatever dialect; the readers tell what is wrong with it.
    document: dict[str, Any] = Field(
        description="The workflow, in any dialect", json_schema_extra=_WORKFLOW
    )
    revision: str | None = Field(
        None, pattern=f"^{_REVISION}$", description="Where there is no `If-Match`"
    )


class Converting(Strict):
    """A workflow of any dialect and the dialect it shall have."""

    # Any: as above.
    document: dict[str, Any] | str = Field(
        description="The workflow, or the text of its file (JSON or YAML)"
    )
    to: FormatName = Field(description="The dialect to write")


class FoundWorkflow(BaseModel):
    """One line of the list."""

    name: str
    slug: str
    revision: str
    description: str | None = None
    updated_at: str | None = Field(None, alias="updatedAt")
    nodes: int
    errors: int
    warnings: int


class FoundAll(BaseModel):
    """All of them, by name."""

    workflows: list[FoundWorkflow]


class SavedWorkflow(BaseModel):
    """A workflow in canonical JSON, and all that is odd about it."""

    name: str
    slug: str
    revision: str
    format: str
    document: dict[str, Any]
    problems: list[ProblemShape]


class Converted(BaseModel):
    """A workflow in another dialect, null where nothing was understood, and all that is odd."""

    from_: str | None = Field(alias="from")
    to: str
    document: Any
    problems: list[ProblemShape]


class _Answers:
    """The handlers."""

    def __init__(self, store: WorkflowStore) -> None:
        self._store = store

    async def list_workflows(self) -> Response:
        """List the workflows, by name."""
        return json_answer({"workflows": [_listed(stored) for stored in await self._store.list()]})

    async def show_workflow(self, name: Name, request: Request) -> Response:
        """One workflow in canonical JSON; 304 when `If-None-Match` has its revision."""
        stored = await self._store.load(name)
        if stored.revision in _tags(request, "if-none-match"):
            return Response(status_code=304, headers=_etag(stored.revision))
        return _kept(stored)

    async def save_workflow(self, name: Name, request: Request) -> Response:
        """Save a workflow over the revision it was made from, or a new one (201)."""
        body = await read_shape(request, Saving)
        loaded = require_workflow(read(cast("Json", body.document)))
        workflow = loaded.workflow
        if not workflow.name:
            workflow = replace(workflow, name=name)
        over = await self._seen(name, request, body.revision)
        if over is None and slug(workflow.name) != slug(name):
            raise _other_name(name, workflow)
        await self._store.save(workflow, over=over, at=name)
        return _kept(await self._store.load(workflow.name), 201 if over is None else 200)

    async def delete_workflow(self, name: Name, request: Request) -> Response:
        """Delete a workflow; `If-Match` says which revision was seen."""
        over = await self._seen(name, request, None)
        if over is None:
            raise Invalid(
                "REVISION_MISSING",
                f"which revision of {name!r} is to be deleted?",
                hint="send the revision you have seen as `If-Match`",
            )
        await self._store.delete(name, over=over)
        return Response(status_code=204)

    async def convert_workflow(self, request: Request) -> Response:
        """Write a workflow in another dialect; nothing is saved."""
        body = await read_shape(request, Converting)
        given = body.document
        loaded = load(given) if isinstance(given, str) else read(cast("Json", given))
        is_understood = is_workflow(loaded)
        return json_answer(
            {
                "from": loaded.format if is_understood else None,
                "to": body.to,
                "document": convert(loaded.workflow, body.to) if is_understood else None,
                "problems": [problem.as_json() for problem in loaded.problems],
            }
        )

    async def _seen(self, name: str, request: Request, revision: str | None) -> Revision | None:
        """The revision that whoever asks has seen, from the head or else from the body."""
        tags = _tags(request, "if-match")
        if not tags and "if-match" in request.headers:
            raise Invalid("REVISION_MISSING", "`If-Match` is there, but names no revision")
        if not tags:
            return Revision(revision) if revision is not None else None
        current = (await self._store.load(name)).revision
        # One of several is enough; if none fits, the first is the one that is told.
        return current if "*" in tags or current in tags else Revision(tags[0])


def workflow_routes(store: WorkflowStore, doorkeeper: Doorkeeper) -> APIRouter:
    """The five endpoints; reading and converting need `workflows:read`, the others `:write`."""
    answers = _Answers(store)
    reads, writes = map(doorkeeper.wants, ("workflows:read", "workflows:write"))
    router = APIRouter(prefix="/api/v1/workflows", tags=["workflows"])
    for method, path, answer, gate, answered, reading in (
        ("GET", "", answers.list_workflows, reads, _LIST, None),
        ("POST", "/convert", answers.convert_workflow, reads, _CONVERT, Converting),
        ("GET", ONE, answers.show_workflow, reads, _SHOW, None),
        ("PUT", ONE, answers.save_workflow, writes, _SAVE, Saving),
        ("DELETE", ONE, answers.delete_workflow, writes, _DELETE, None),
    ):
        router.add_api_route(
            path,
            answer,
            methods=[method],
            dependencies=[Depends(gate)],
            responses=answered,
            status_code=204 if method == "DELETE" else None,
            openapi_extra=openapi.keyed(reading) | _heads(method, path),
        )
    # That a workflow may be called `convert` is nothing to advertise.
    for path, methods in (("/convert", ("POST",)), (ONE, ("DELETE", "GET", "PUT"))):
        router.routes.append(Route(router.prefix + path, endpoint=OtherMethods(*methods)))
    return router


def _other_name(name: str, workflow: Workflow) -> Invalid:
    return Invalid(
        "WORKFLOW_NAME_MISMATCH",
        f"the workflow is called {workflow.name[:100]!r}, not {name!r}",
        hint="save a new workflow under its own name; to rename one, send the revision you have",
    )


def _tags(request: Request, header: str) -> list[str]:
    """The revisions in an `If-Match` or `If-None-Match`; `*` stands for itself."""
    tags = (tag.strip() for tag in request.headers.get(header, "").split(","))
    return [tag.removeprefix("W/").strip('"') for tag in tags if tag]


def _listed(stored: Stored) -> dict[str, object]:
    severities = [problem.severity for problem in stored.loaded.problems]
    return {
        "name": stored.name,
        "slug": stored.slug,
        "revision": stored.revision,
        "description": stored.workflow.description,
        "updatedAt": stored.workflow.updated_at,
        "nodes": len(stored.workflow.nodes),
        "errors": severities.count("error"),
        "warnings": severities.count("warning"),
    }


def _kept(stored: Stored, status: int = 200) -> Response:
    body = {
        "name": stored.name,
        "slug": stored.slug,
        "revision": stored.revision,
        "format": stored.loaded.format,
        "document": convert(stored.workflow, "toolweave"),
        "problems": [problem.as_json() for problem in stored.loaded.problems],
    }
    return json_answer(body, status, _etag(stored.revision))


def _etag(revision: Revision) -> dict[str, str]:
    return {"ETag": f'"{revision}"'}


_TEXTS = {
    404: "No such workflow.",
    409: "It is at another revision by now, or the name is taken; both versions are told.",
    422: "The request has not the expected form, or this is no workflow.",
    503: "The database or the folder of workflows does not answer.",
}


def _responses(ok: type[BaseModel] | None, *more: int, status: int = 200) -> Responses:
    return responses(ok, 422, *KEYED, *more, texts=_TEXTS, status=status)


_LIST = _responses(FoundAll)
_SHOW: Responses = {
    **_responses(SavedWorkflow, 404, 409),
    304: {"description": "It is still at the revision you have."},
}
_SAVE: Responses = {
    **_responses(SavedWorkflow, 404, 409, *READING),
    201: {"model": SavedWorkflow, "description": "It is new."},
}
_DELETE: Responses = _responses(None, 404, 409, status=204)
_CONVERT = _responses(Converted, *READING)


def _heads(method: str, path: str) -> dict[str, Any]:
    if path != ONE:
        return {}
    shown: dict[str, Any] = {"in": "header", "description": 'A revision, as in `ETag`: "…"'}
    if method == "GET":
        named = {"name": "If-None-Match", "schema": {"type": "string"}}
    else:
        schema = {"type": "string", "pattern": rf'^(\*|(W/)?"{_REVISION}")$'}
        named = {"name": "If-Match", "schema": schema, "required": method == "DELETE"}
    return {"parameters": [shown | named]}
