"""Connects documents to a studio: the gate for their tools, the engine for their workflows."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from toolweave.documents.service import DocumentService
from toolweave.documents.stored_bindings import StoredBindings
from toolweave.engine.engine import Engine
from toolweave.engine.events import FINAL
from toolweave.engine.run_media import RunMedia
from toolweave.engine.runs import RunRequest
from toolweave.errors import ToolweaveError
from toolweave.home import FILES, Home
from toolweave.json_text import Json, JsonObject
from toolweave.resources.files import AllowedFolders
from toolweave.workflow.store import WorkflowStore

ENDINGS = (".md", ".markdown")
MAX_LISTED = 1_000

# Opens the engine when the first workflow is run.
Engines = Callable[[], Awaitable[Engine]]


def document_service(home: Home) -> DocumentService:
    """Return the document service of a studio."""
    return DocumentService(
        home.registry,
        home.lockfile,
        StoredBindings(home.database, home.clock),
        masker=home.masker,
        limits=home.settings.limits,
    )


class DocumentFolders:
    """The folders of documents: the home's own, and the configured ones."""

    def __init__(self, home: Home) -> None:
        self._roots = (home.settings.home / FILES, *home.settings.file_roots)
        self._folders = AllowedFolders(self._roots)

    async def path(self, given: str) -> Path:
        """Return the path of a file in these folders; a relative one is below the home's own."""
        return await self._folders.checked(given)

    def list(self) -> list[str]:
        """Return the Markdown files there are by full path; runs in a thread."""
        found: list[str] = []
        for root in self._roots:
            for folder, folders, names in os.walk(root):
                folders[:] = sorted(one for one in folders if not one.startswith("."))
                paths = (Path(folder) / one for one in sorted(names))
                found += [str(one) for one in paths if one.suffix.lower() in ENDINGS]
                if len(found) >= MAX_LISTED:
                    return found[:MAX_LISTED]
        return found


class StoredWorkflows:
    """Runs stored workflows for blocks of documents."""

    def __init__(self, engines: Engines, store: WorkflowStore) -> None:
        self._engines = engines
        self._store = store

    async def run_workflow(self, name: str, inputs: JsonObject, *, trigger: str) -> Json:
        """Return the result of a workflow. Raises `WORKFLOW_NOT_FOUND`, `SUBWORKFLOW_FAILED`."""
        stored = await self._store.load(name)
        engine = await self._engines()
        run = await engine.runs.start(
            RunRequest(stored.workflow, inputs, trigger=trigger, source=stored.loaded)
        )
        found = await engine.runs.run_to_end(run)
        if found.status not in FINAL:
            message = f"workflow {name!r} is waiting: run {run}"
            hint = f"`toolweave runs show {run}` shows what it waits for"
            raise ToolweaveError("SUBWORKFLOW_FAILED", message, hint=hint, facts={"run": run})
        finished = (await engine.state(run)).finished
        if finished is None or finished.status != "success":
            why = (finished.error or {}).get("message") if finished else None
            message = f"workflow {name!r} did not succeed: {why or found.status}"
            hint = f"`toolweave runs show {run}` shows the details"
            raise ToolweaveError("SUBWORKFLOW_FAILED", message, hint=hint, facts={"run": run})
        value: Json = finished.result
        if finished.content and isinstance(value, dict) and "content" not in value:
            said: list[Json] = finished.content
            value = {**value, "content": said}
        return await RunMedia(engine.journal.database).inlined(value)
