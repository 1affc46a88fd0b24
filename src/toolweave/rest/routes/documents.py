"""`/api/v1/documents`: Markdown with tool blocks, in the folders that are allowed."""

from pathlib import Path
from typing import Any

import anyio.to_thread
from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from toolweave.app.running_studio import RunningStudio
from toolweave.documents.bindings import read_binding
from toolweave.documents.service import DocumentReport, document_key, looked_json
from toolweave.documents.workspace import DocumentFolders, StoredWorkflows, document_service
from toolweave.engine.engine import Engine
from toolweave.json_text import JsonObject
from toolweave.rest import openapi
from toolweave.rest.auth import Doorkeeper
from toolweave.rest.json_response import json_answer
from toolweave.rest.request_body import Strict, read_shape
from toolweave.rest.shapes import KEYED, READING, responses

ALL = "/api/v1/documents"
READ, WRITE, EXECUTE = "workflows:read", "workflows:write", "tools:execute"
_PATH = Field(min_length=1, max_length=4_096, description="A file of an allowed folder")


class DocumentPath(Strict):
    """A document."""

    path: str = _PATH


class DocumentRunRequest(Strict):
    """A document whose blocks are to be run."""

    path: str = _PATH
    refresh: bool = Field(False, description="Run blocks again that have their result")


class BindingRequest(Strict):
    """A section and its server; one of heading, block or lines."""

    path: str = _PATH
    server: str = Field(min_length=1, max_length=128)
    heading: str | None = Field(None, max_length=1_000)
    block: str | None = Field(None, max_length=100)
    lines: str | None = Field(None, max_length=40, description="`FIRST-LAST`, without results")
    inherit: bool = True


class Unbinding(Strict):
    """A binding by its id, or all of a document."""

    path: str = _PATH
    id: str | None = Field(None, min_length=1, max_length=50)


class DocumentsShape(BaseModel):
    """Documents of the allowed folders."""

    documents: list[str]


class LookedShape(BaseModel):
    """A document's blocks, bindings and problems."""

    path: str
    blocks: list[dict[str, Any]]
    bindings: list[dict[str, Any]]
    problems: list[dict[str, Any]]


class RanShape(BaseModel):
    """What a run of a document did; `held` says how to go on where the limit was reached."""

    path: str
    blocks: int
    ran: int
    failed: int
    skipped: int
    invalid: int
    cancelled: bool
    results: list[dict[str, Any]]
    problems: list[dict[str, Any]]
    held: dict[str, Any] | None = None


class CountShape(BaseModel):
    """How many there were."""

    removed: int


class BoundShape(BaseModel):
    """A binding that was kept."""

    id: str


class _Answers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        home = studio.home
        self._desk = document_service(home)
        self._folders = DocumentFolders(home)

    async def list_documents(self) -> Response:
        """List the Markdown files of the allowed folders."""
        found = await anyio.to_thread.run_sync(self._folders.list)
        return json_answer({"documents": found})

    async def check_document(self, request: Request) -> Response:
        """Blocks, the servers they use, and what is wrong; nothing is run."""
        path = await self._path((await read_shape(request, DocumentPath)).path)
        looked: DocumentReport = await self._desk.look(path)
        return json_answer(looked_json(looked))

    async def run_document(self, request: Request) -> Response:
        """Run the blocks of a document and write the results below them."""
        body = await read_shape(request, DocumentRunRequest)
        path = await self._path(body.path)

        async def engine() -> Engine:
            return self._studio.engine

        studio = self._studio
        workflows = StoredWorkflows(engine, studio.home.workflows)
        ran = await self._desk.run(path, studio.gate, workflows, refresh=body.refresh)
        return json_answer(ran.as_json())

    async def clear_document(self, request: Request) -> Response:
        """Take the results out of a document."""
        path = await self._path((await read_shape(request, DocumentPath)).path)
        return json_answer({"removed": await self._desk.clear(path)})

    async def bind_section(self, request: Request) -> Response:
        """Bind a section of a document to a server."""
        body = await read_shape(request, BindingRequest)
        path = await self._path(body.path)
        given: JsonObject = body.model_dump(exclude={"path"}, exclude_none=True)
        kept = await self._desk.bind(path, read_binding(given))
        return json_answer({"id": kept.id}, 201)

    async def unbind_section(self, request: Request) -> Response:
        """Remove a binding, or all of a document."""
        body = await read_shape(request, Unbinding)
        path = await self._path(body.path)
        key = await anyio.to_thread.run_sync(document_key, path)
        return json_answer({"removed": await self._desk.kept.remove(key, body.id)})

    async def _path(self, given: str) -> Path:
        return await self._folders.path(given)


def document_routes(studio: RunningStudio, doorkeeper: Doorkeeper) -> APIRouter:
    """The endpoints; running blocks calls tools, so it wants `tools:execute`."""
    a = _Answers(studio)
    router = APIRouter(prefix=ALL, tags=["documents"])
    # Any: what OpenAPI is told of each.
    table: tuple[tuple[str, str, Any, str, type[BaseModel], type[Strict] | None, int], ...] = (
        ("GET", "", a.list_documents, READ, DocumentsShape, None, 200),
        ("POST", "/check", a.check_document, READ, LookedShape, DocumentPath, 200),
        ("POST", "/run", a.run_document, EXECUTE, RanShape, DocumentRunRequest, 200),
        ("POST", "/clear", a.clear_document, WRITE, CountShape, DocumentPath, 200),
        ("POST", "/bind", a.bind_section, WRITE, BoundShape, BindingRequest, 201),
        ("POST", "/unbind", a.unbind_section, WRITE, CountShape, Unbinding, 200),
    )
    for method, path, answer, scope, shape, reading, status in table:
        router.add_api_route(
            path,
            answer,
            methods=[method],
            dependencies=[Depends(doorkeeper.wants(scope))],
            responses=responses(
                shape, 403, 404, 409, 422, *KEYED, *READING, status=status, texts=_TEXTS
            ),
            status_code=status,
            openapi_extra=openapi.keyed(reading),
        )
    return router


_TEXTS = {
    403: "The key lacks the scope, or the file is in no allowed folder.",
    404: "No such document, server or binding.",
    409: "The document was changed meanwhile.",
}
