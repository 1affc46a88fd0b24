"""`/api/v1/documents`: Markdown documents with tool blocks, in the allowed folders."""

from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Depends
from pydantic import Field

from toolweave.app.running_studio import RunningStudio
from toolweave.documents.bindings import read_binding
from toolweave.documents.document_json import DocumentRecord, DocumentRunRecord
from toolweave.documents.service import document_key
from toolweave.documents.workspace import DocumentFolders, StoredWorkflows, document_service
from toolweave.engine.engine import Engine
from toolweave.json_record import JsonRecord
from toolweave.json_text import JsonObject
from toolweave.rest.auth import Authenticator
from toolweave.rest.request_body import RequestBody
from toolweave.rest.routing import Routes

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


class DocumentListResponse(JsonRecord):
    """Documents of the allowed folders."""

    documents: list[str]


class RemovedResponse(JsonRecord):
    """How many were removed."""

    removed: int


class BindingResponse(JsonRecord):
    """A stored binding."""

    id: str


class _Handlers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        home = studio.home
        self._service = document_service(home)
        self._folders = DocumentFolders(home)

    async def list_documents(self) -> DocumentListResponse:
        """List the Markdown files of the allowed folders."""
        found = await anyio.to_thread.run_sync(self._folders.list)
        return DocumentListResponse(documents=found)

    async def check_document(
        self, body: Annotated[DocumentRequest, Depends(DocumentRequest.read)]
    ) -> DocumentRecord:
        """Show the blocks of a document, their servers and problems; nothing is run."""
        path = await self._folders.path(body.path)
        return DocumentRecord.read(await self._service.look(path))

    async def run_document(
        self, body: Annotated[DocumentRunRequest, Depends(DocumentRunRequest.read)]
    ) -> DocumentRunRecord:
        """Run the blocks of a document and write the results below them."""
        path = await self._folders.path(body.path)

        async def engine() -> Engine:
            return self._studio.engine

        studio = self._studio
        workflows = StoredWorkflows(engine, studio.home.workflows)
        ran = await self._service.run(
            path, studio.gate, workflows, refresh=body.refresh, parallel=body.parallel
        )
        return DocumentRunRecord.read(ran)

    async def clear_document(
        self, body: Annotated[DocumentRequest, Depends(DocumentRequest.read)]
    ) -> RemovedResponse:
        """Remove the results from a document."""
        path = await self._folders.path(body.path)
        return RemovedResponse(removed=await self._service.clear(path))

    async def bind_section(
        self, body: Annotated[BindingRequest, Depends(BindingRequest.read)]
    ) -> BindingResponse:
        """Bind a section of a document to a server."""
        path = await self._folders.path(body.path)
        given: JsonObject = body.model_dump(exclude={"path"}, exclude_none=True)
        kept = await self._service.bind(path, read_binding(given))
        return BindingResponse(id=kept.id)

    async def unbind_section(
        self, body: Annotated[UnbindRequest, Depends(UnbindRequest.read)]
    ) -> RemovedResponse:
        """Remove a binding, or all bindings of a document."""
        path = await self._folders.path(body.path)
        key = await anyio.to_thread.run_sync(document_key, path)
        return RemovedResponse(removed=await self._service.kept.remove(key, body.id))


def document_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The six endpoints."""
    handlers = _Handlers(studio)
    routes = Routes(authenticator, "/api/v1/documents", "documents", 404, 409, 422, texts=_TEXTS)
    routes.add("GET", "", handlers.list_documents)
    routes.add("POST", "/check", handlers.check_document)
    routes.add("POST", "/run", handlers.run_document)
    routes.add("POST", "/clear", handlers.clear_document)
    routes.add("POST", "/bind", handlers.bind_section, status=201)
    routes.add("POST", "/unbind", handlers.unbind_section)
    return routes.router()


_TEXTS = {
    403: "The key lacks the scope, or the file is not in an allowed folder.",
    404: "The document, server or binding does not exist.",
    409: "The document has changed in the meantime.",
}
