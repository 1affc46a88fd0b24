"""`/api/v1/documents`: Markdown documents with tool blocks, in the allowed folders."""

from pathlib import Path
from typing import Annotated, Any

import anyio.to_thread
from fastapi import APIRouter, Depends
from fastapi.responses import Response
from pydantic import BaseModel, Field

from toolweave.app.running_studio import RunningStudio
from toolweave.documents.bindings import read_binding
from toolweave.documents.service import DocumentReport, document_key, looked_json
from toolweave.documents.workspace import DocumentFolders, StoredWorkflows, document_service
from toolweave.engine.engine import Engine
from toolweave.json_text import JsonObject
from toolweave.rest import openapi
from toolweave.rest.auth import Authenticator
from toolweave.rest.json_response import JsonResponse
from toolweave.rest.request_body import RequestBody
from toolweave.rest.response_models import KEYED, READING, responses

ALL = "/api/v1/documents"
READ, WRITE, EXECUTE = "workflows:read", "workflows:write", "tools:execute"
_PATH = Field(min_length=1, max_length=4_096, description="A file in an allowed folder")


class DocumentRequest(RequestBody):
    """A document."""

    path: str = _PATH


class DocumentRunRequest(RequestBody):
    """A document whose blocks to run."""

    path: str = _PATH
    refresh: bool = Field(False, description="Also run blocks that already have a result")
    parallel: int = Field(1, ge=1, le=100, description="Blocks to run at a time; 1 is in order")


class BindingRequest(RequestBody):
    """A section and its server; give one of heading, block or lines."""

    path: str = _PATH
    server: str = Field(min_length=1, max_length=128)
    heading: str | None = Field(None, max_length=1_000)
    block: str | None = Field(None, max_length=100)
    lines: str | None = Field(None, max_length=40, description="`FIRST-LAST`, not counting results")
    inherit: bool = True


class UnbindRequest(RequestBody):
    """A binding by its id, or all bindings of a document."""

    path: str = _PATH
    id: str | None = Field(None, min_length=1, max_length=50)


class DocumentListResponse(BaseModel):
    """Documents of the allowed folders."""

    documents: list[str]


class DocumentCheckResponse(BaseModel):
    """A document's blocks, bindings and problems."""

    path: str
    blocks: list[dict[str, Any]]
    bindings: list[dict[str, Any]]
    problems: list[dict[str, Any]]


class DocumentRunResponse(BaseModel):
    """The results of a document's blocks; `held` says how to continue after a limit was reached."""

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


class RemovedResponse(BaseModel):
    """How many were removed."""

    removed: int


class BindingResponse(BaseModel):
    """A stored binding."""

    id: str


class _Handlers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        home = studio.home
        self._desk = document_service(home)
        self._folders = DocumentFolders(home)

    async def list_documents(self) -> Response:
        """List the Markdown files of the allowed folders."""
        found = await anyio.to_thread.run_sync(self._folders.list)
        return JsonResponse({"documents": found})

    async def check_document(
        self, body: Annotated[DocumentRequest, Depends(DocumentRequest.read)]
    ) -> Response:
        """Show the blocks of a document, their servers and problems; nothing is run."""
        path = await self._path(body.path)
        looked: DocumentReport = await self._desk.look(path)
        return JsonResponse(looked_json(looked))

    async def run_document(
        self, body: Annotated[DocumentRunRequest, Depends(DocumentRunRequest.read)]
    ) -> Response:
        """Run the blocks of a document and write the results below them."""
        path = await self._path(body.path)

        async def engine() -> Engine:
            return self._studio.engine

        studio = self._studio
        workflows = StoredWorkflows(engine, studio.home.workflows)
        ran = await self._desk.run(
            path, studio.gate, workflows, refresh=body.refresh, parallel=body.parallel
        )
        return JsonResponse(ran.as_json())

    async def clear_document(
        self, body: Annotated[DocumentRequest, Depends(DocumentRequest.read)]
    ) -> Response:
        """Remove the results from a document."""
        path = await self._path(body.path)
        return JsonResponse({"removed": await self._desk.clear(path)})

    async def bind_section(
        self, body: Annotated[BindingRequest, Depends(BindingRequest.read)]
    ) -> Response:
        """Bind a section of a document to a server."""
        path = await self._path(body.path)
        given: JsonObject = body.model_dump(exclude={"path"}, exclude_none=True)
        kept = await self._desk.bind(path, read_binding(given))
        return JsonResponse({"id": kept.id}, 201)

    async def unbind_section(
        self, body: Annotated[UnbindRequest, Depends(UnbindRequest.read)]
    ) -> Response:
        """Remove a binding, or all bindings of a document."""
        path = await self._path(body.path)
        key = await anyio.to_thread.run_sync(document_key, path)
        return JsonResponse({"removed": await self._desk.kept.remove(key, body.id)})

    async def _path(self, given: str) -> Path:
        return await self._folders.path(given)


def document_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The endpoints; running blocks calls tools, so it needs `tools:execute`."""
    a = _Handlers(studio)
    router = APIRouter(prefix=ALL, tags=["documents"])
    # Any: handlers of different parameters, and their responses.
    table: tuple[tuple[str, str, Any, str, type[BaseModel], type[RequestBody] | None, int], ...] = (
        ("GET", "", a.list_documents, READ, DocumentListResponse, None, 200),
        ("POST", "/check", a.check_document, READ, DocumentCheckResponse, DocumentRequest, 200),
        ("POST", "/run", a.run_document, EXECUTE, DocumentRunResponse, DocumentRunRequest, 200),
        ("POST", "/clear", a.clear_document, WRITE, RemovedResponse, DocumentRequest, 200),
        ("POST", "/bind", a.bind_section, WRITE, BindingResponse, BindingRequest, 201),
        ("POST", "/unbind", a.unbind_section, WRITE, RemovedResponse, UnbindRequest, 200),
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
    return router


_TEXTS = {
    403: "The key lacks the scope, or the file is not in an allowed folder.",
    404: "The document, server or binding does not exist.",
    409: "The document has changed in the meantime.",
}
