"""`/api/v1/edit`: operations on the workflow in the request; nothing is saved.

The workflow is sent as `document`, in any dialect, or as `text` (JSON or YAML). It is returned in
the same dialect; pointers and patches refer to the document that was sent.
"""

from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Self, cast

from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, Request
from pydantic import Field, model_validator

from toolweave.app.running_studio import RunningStudio
from toolweave.authoring.authoring import ModeSwitch, require_workflow
from toolweave.authoring.environment import tool_in
from toolweave.errors import Invalid, NotFound
from toolweave.export import discover
from toolweave.export.convert import checked_export
from toolweave.export.reimport import import_text
from toolweave.json_record import JsonRecord, ProblemRecord
from toolweave.json_text import Json
from toolweave.nodes.spec_cache import cached_specs
from toolweave.rest.auth import Authenticator, require_part
from toolweave.rest.request_body import RequestBody, one_of
from toolweave.rest.response_models import document_in, problem_records
from toolweave.rest.routing import Routes
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import load, understand
from toolweave.workflow.ids import MAX_NAME
from toolweave.workflow.mcp_node import node_for
from toolweave.workflow.mode_check import MAX_TOOLS
from toolweave.workflow.modes import Mode

TARGETS = tuple(exporter.name for exporter in discover())


class EditRequest(RequestBody):
    """A workflow, as a document or as text."""

    model_config = one_of(document="object", text="string")

    # Any: a workflow in any dialect; its reader reports what is wrong with it.
    document: dict[str, Any] | None = Field(None, description="The workflow, in any dialect")
    text: str | None = Field(None, description="The text of the workflow instead (JSON or YAML)")

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.document is None) == (self.text is None):
            raise ValueError("give the workflow either as 'document' or as 'text'")
        return self

    async def loaded(self) -> LoadedWorkflow:
        """Read the workflow, valid or not; in a thread, as it may be large."""
        if self.text is not None:
            return await run_sync(load, self.text)
        return await run_sync(understand, cast("Json", self.document))


class ValidateRequest(EditRequest):
    """A workflow to check."""

    live: bool = Field(
        False, description="Connect to its servers to check their tools; needs `workflows:run`"
    )


class SwitchModeRequest(EditRequest):
    """An MCP node to switch to another mode."""

    node: str = Field(min_length=1, max_length=200, description="Its id")
    mode: Mode = Field(description="The mode to switch to")
    description: str | None = Field(
        None, description="What you want, for the natural language modes"
    )
    tool: str | None = Field(None, description="The new tool, if it changes")
    tools: list[str] | None = Field(
        None,
        max_length=MAX_TOOLS,
        description="For `fullNaturalLanguage`: choose from these tools; all for an empty list",
    )
    live: bool = Field(
        False, description="Connect to its server to check its tools; needs `workflows:run`"
    )


class ExtractRequest(EditRequest):
    """Nodes to move into a sub-workflow."""

    nodes: list[str] = Field(min_length=1, max_length=10_000, description="The ids of the nodes")
    name: str = Field(min_length=1, max_length=MAX_NAME, description="The name of the new workflow")


class NewNodeRequest(EditRequest):
    """A tool to add to a workflow."""

    server: str = Field(min_length=1, max_length=128, description="The name of its server")
    tool: str = Field(min_length=1, max_length=200, description="Its name")


class ExportRequest(EditRequest):
    """A workflow and the export target."""

    to: str = Field(description="The target", json_schema_extra={"enum": list(TARGETS)})


class ImportRequest(RequestBody):
    """The text of an exported file."""

    text: str


class ValidateResponse(JsonRecord):
    """The problems; with `live`, the status of MCP nodes and the servers that did not answer."""

    valid: bool
    format: str
    problems: list[ProblemRecord]
    statuses: dict[str, str] | None = None
    unreachable: dict[str, str] | None = None


class RepairResponse(JsonRecord):
    """The repaired workflow, the fixed problems, and the remaining ones."""

    format: str
    document: dict[str, Any]
    mended: list[ProblemRecord]
    problems: list[ProblemRecord]


class SwitchModeResponse(JsonRecord):
    """The workflow with the node in its new mode."""

    format: str
    document: dict[str, Any]


class ExtractResponse(JsonRecord):
    """The workflow that calls the new one, the new one, and the id of the node that calls it."""

    format: str
    document: dict[str, Any]
    extracted: dict[str, Any]
    node: str


class NewNodeResponse(JsonRecord):
    """A node that calls the tool, with an id that the workflow does not have yet."""

    node: dict[str, Any]


class ExportedFileResponse(JsonRecord):
    """A file to write."""

    path: str
    text: str


class ExportResponse(JsonRecord):
    """The files for a target, the entry first, and its problems."""

    target: str
    files: list[ExportedFileResponse]
    problems: list[ProblemRecord]


class ImportResponse(JsonRecord):
    """The workflow in an exported file."""

    format: str
    document: dict[str, Any]
    problems: list[ProblemRecord]


class _Handlers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        self._specs = cached_specs(studio.home.settings.home)

    async def validate_workflow(
        self, body: Annotated[ValidateRequest, Depends(ValidateRequest.read)], request: Request
    ) -> ValidateResponse:
        """Validate a workflow; the status is 200 even if it has problems."""
        if body.live:  # connecting to a server may start its command, as a run would
            require_part(request, "live")
        found = await self._studio.authoring.examine(await body.loaded(), live=body.live)
        content = found.report.as_json()
        if body.live:
            content |= {"statuses": dict(found.statuses), "unreachable": dict(found.reasons)}
        return ValidateResponse.of(content)

    async def fix_workflow(
        self, body: Annotated[EditRequest, Depends(EditRequest.read)]
    ) -> RepairResponse:
        """Apply all known fixes to a workflow."""
        report, left = await self._studio.authoring.repair(await body.loaded())
        return RepairResponse(
            format=report.loaded.format,
            document=document_in(left.loaded.workflow, report.loaded.format),
            mended=problem_records(report.fixed.repaired),
            problems=problem_records(left.problems),
        )

    async def switch_mode(
        self, body: Annotated[SwitchModeRequest, Depends(SwitchModeRequest.read)], request: Request
    ) -> SwitchModeResponse:
        """Switch an MCP node to another mode; the settings of the other modes are kept."""
        if body.live:  # connecting to a server may start its command, as a run would
            require_part(request, "live")
        loaded = await body.loaded()
        to = ModeSwitch(body.node, body.mode, body.description, body.tool, body.tools)
        changed = await self._studio.authoring.switch(loaded.workflow, to, live=body.live)
        document = document_in(changed, loaded.format)
        return SwitchModeResponse(format=loaded.format, document=document)

    async def extract_nodes(
        self, body: Annotated[ExtractRequest, Depends(ExtractRequest.read)]
    ) -> ExtractResponse:
        """Move nodes into a sub-workflow that runs to the same result; save it under its name."""
        loaded = require_workflow(await body.loaded())
        done = await self._studio.authoring.extract(loaded.workflow, body.nodes, body.name)
        return ExtractResponse(
            format=loaded.format,
            document=document_in(done.workflow, loaded.format),
            extracted=document_in(done.extracted, "toolweave"),
            node=done.node,
        )

    async def make_node(
        self, body: Annotated[NewNodeRequest, Depends(NewNodeRequest.read)]
    ) -> NewNodeResponse:
        """Make a node that calls an approved tool, with the tool's schema; nothing is added."""
        loaded = await body.loaded()
        known = await self._studio.authoring.tools.known()
        try:
            tool = tool_in(list(known.tools_of(body.server) or ()), body.server, body.tool)
        except Invalid as error:  # the request is only that tool
            raise NotFound(error.code, error.message, hint=error.hint) from None
        node = node_for(tool, {node.id for node in loaded.workflow.nodes})
        shown = document_in(replace(loaded.workflow, nodes=(node,)), "toolweave")
        return NewNodeResponse(node=shown["nodes"][0])

    async def export_workflow(
        self, body: Annotated[ExportRequest, Depends(ExportRequest.read)]
    ) -> ExportResponse:
        """Export a workflow as files for a coding agent; they contain no secrets."""
        loaded = require_workflow(await body.loaded())
        errors = [problem for problem in loaded.problems if problem.severity == "error"]
        if errors:
            raise Invalid(
                errors[0].code,
                f"the workflow cannot be exported: {errors[0].message}",
                problems=errors,
                hint="`POST /api/v1/edit/fix` applies all known fixes",
            )
        known = await self._studio.authoring.tools.known()
        make = partial(checked_export, specs=self._specs, now=known.now, tools=known.tools_of)
        made = await run_sync(make, loaded.workflow, body.to)
        problems = [
            replace(problem, pointer=loaded.places.original(problem.pointer))
            for problem in made.problems
        ]
        return ExportResponse(
            target=made.target,
            files=[ExportedFileResponse.of(file) for file in made.files],
            problems=problem_records(problems),
        )

    async def import_workflow(
        self, body: Annotated[ImportRequest, Depends(ImportRequest.read)]
    ) -> ImportResponse:
        """Import the workflow from an exported file."""
        loaded = await run_sync(import_text, body.text)
        document = document_in(loaded.workflow, "toolweave")
        problems = problem_records(loaded.problems)
        return ImportResponse(format="toolweave", document=document, problems=problems)


def edit_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The seven endpoints."""
    handlers = _Handlers(studio)
    routes = Routes(authenticator, "/api/v1/edit", "edit")
    routes.add("POST", "/validate", handlers.validate_workflow)
    routes.add("POST", "/fix", handlers.fix_workflow)
    routes.add("POST", "/node", handlers.make_node, 404)
    routes.add("POST", "/mode", handlers.switch_mode, 404)
    routes.add("POST", "/extract", handlers.extract_nodes, 404)
    routes.add("POST", "/export", handlers.export_workflow)
    routes.add("POST", "/import", handlers.import_workflow)
    return routes.router()
