"""`/api/v1/runs/{run}/…`: the workflow, inputs and outputs of a run."""

from typing import Annotated, Any, cast

from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import Field

from toolweave.app.running_studio import RunningStudio
from toolweave.authoring.authoring import require_workflow
from toolweave.authoring.locked_choices import freeze_node
from toolweave.engine.events import Finished
from toolweave.engine.execution_report import StepRecord, record_in
from toolweave.engine.run_media import RunMedia, stored_at
from toolweave.engine.step_snapshot import StepSnapshot
from toolweave.errors import NotFound, ToolweaveError
from toolweave.json_record import JsonRecord, ProblemRecord
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.publishing.limited_keys import VisibleRuns
from toolweave.rest.auth import Authenticator, key_of
from toolweave.rest.json_response import JsonResponse
from toolweave.rest.request_body import RequestBody
from toolweave.rest.response_models import document_in, problem_records
from toolweave.rest.routes.runs import ALL, PRINTABLE, MaxChars, RunId
from toolweave.rest.routing import Routes
from toolweave.rest.truncation import TruncatedValue, cut, data_of, kind_of_media, media_at
from toolweave.workflow.formats.load import read

# A type that is safe in a header.
_TYPE = pattern(r"[a-z0-9.+-]{1,60}/[a-z0-9.+-]{1,60}(; ?charset=[A-Za-z0-9-]{1,40})?")
StepKey = Annotated[
    str, Query(min_length=1, max_length=1_000, pattern=PRINTABLE, description="The step's key")
]

AnyStep = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=1_000,
        pattern=PRINTABLE,
        alias="step",
        description="The step's key; default: the result of the whole run",
    ),
]
MediaAt = Annotated[
    str, Query(max_length=1_000, description="Where it is in the value, as a JSON pointer")
]
Digest = Annotated[
    str, Path(pattern="^[0-9a-f]{64}$", description="The SHA-256 of the bytes, in hexadecimal")
]


class RunWorkflowResponse(JsonRecord):
    """The workflow of a run as of its start, in canonical JSON."""

    run: str
    document: dict[str, Any]


class StepInputResponse(JsonRecord):
    """The input of a step."""

    run: str
    step: str
    input: Any
    # Describes the input if it is too large.
    cut: TruncatedValue | None = None
    # The resolved configuration and inputs of the step, without secrets.
    given: dict[str, Any] | None = None


class FreezeRequest(RequestBody):
    """The node, and its workflow if it is not the stored workflow of the run."""

    node: str = Field(min_length=1, max_length=1_000, description="A node's id")
    # Any: a workflow in any dialect; its reader reports what is wrong with it.
    document: dict[str, Any] | None = Field(None, description="The workflow, in any dialect")


class FrozenCall(JsonRecord):
    """A call that a model chose."""

    tool: str
    arguments: dict[str, Any]


class FreezeResponse(JsonRecord):
    """The workflow with detailed nodes, their calls, and its problems."""

    format: str
    document: dict[str, Any]
    calls: list[FrozenCall]
    problems: list[ProblemRecord]


class _Handlers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        self._engine = studio.engine
        self._runs = VisibleRuns(studio.engine, studio.published)
        self._masker = studio.home.masker
        self._media = RunMedia(studio.home.database)

    async def show_run_workflow(self, run: RunId, request: Request) -> RunWorkflowResponse:
        """Show the workflow of a run as of its start."""
        found = await self._runs.match(key_of(request), run)
        plan = await self._engine.plan(found.id)
        return RunWorkflowResponse(run=found.id, document=document_in(plan.workflow, "toolweave"))

    async def show_step_input(
        self, run: RunId, step: StepKey, request: Request, max_chars: MaxChars = None
    ) -> StepInputResponse:
        """Show the input of a step; with `maxChars`, also its resolved configuration."""
        found = await self._runs.match(key_of(request), run)
        moment = await self._engine.moment(found.id, step)
        value = moment.binder.incoming(moment.place)
        content: JsonObject = {"run": found.id, "step": step, "input": value}
        if max_chars is not None:
            if (short := cut(value, max_chars)) is not None:
                content |= {"input": None, "cut": short}
            content["given"] = self._given(moment, max_chars)
        return StepInputResponse.of(content)

    async def freeze_chosen(
        self, run: RunId, body: Annotated[FreezeRequest, Depends(FreezeRequest.read)]
    ) -> FreezeResponse:
        """Turn a model's choices for a node of a run into detailed nodes; nothing is saved."""
        found = await self._engine.match(run)
        if body.document is not None:
            loaded = require_workflow(await run_sync(read, cast("Json", body.document)))
        else:
            loaded = (await self._studio.home.workflows.load(found.workflow)).loaded
        frozen = await freeze_node(self._studio.home, found.id, body.node, loaded)
        return FreezeResponse(
            format=loaded.format,
            document=document_in(frozen.workflow, loaded.format),
            calls=[FrozenCall.of(call) for call in frozen.chosen],
            problems=problem_records(frozen.problems),
        )

    async def show_step_output(
        self, run: RunId, request: Request, step: AnyStep = None
    ) -> Response:
        """Download the full output of a step, or of the run, as JSON."""
        value = await self._gave(run, request, step)
        headers = {"Content-Disposition": 'attachment; filename="output.json"'}
        return JsonResponse(value, 200, headers)

    async def show_media(
        self, run: RunId, request: Request, step: AnyStep = None, at: MediaAt = ""
    ) -> Response:
        """Return a picture, sound or file in the output of a step, or in the result of the run."""
        block = media_at(await self._gave(run, request, step), at)
        if block is not None and (data := data_of(block)) is not None:
            return _media(data, block.get("mimeType"))
        address = stored_at(block.get("stored")) if block else None
        if address is None:
            raise NotFound("MEDIA_UNKNOWN", f"the output has no picture, sound or file at {at!r}")
        # Of another run if that one called this one, or this one repeats a part of it.
        return await self.show_stored_media(*address, request)

    async def show_stored_media(self, run: RunId, digest: Digest, request: Request) -> Response:
        """Return a picture, sound or file that is too large for the run's results: its `href`."""
        found = await self._runs.match_called(key_of(request), run)
        stored = await self._media.read(found.id, digest)
        if stored is None:
            raise NotFound("MEDIA_UNKNOWN", f"run {found.id!r} has no media {digest!r}")
        return _media(stored.data, stored.mime_type)

    async def _gave(self, run: str, request: Request, step: str | None) -> Json:
        found = await self._runs.match(key_of(request), run)
        journal = self._engine.journal
        if step is None:
            last = (await journal.last(found.id)).event
            return last.result if isinstance(last, Finished) else None
        record: StepRecord | None = None
        async for entries in journal.pages(found.id):
            record = record_in(entries, step, record)
        if record is None:
            raise NotFound("STEP_UNKNOWN", f"run {found.id!r} has no step {step!r}")
        return record.value

    def _given(self, moment: StepSnapshot, max_chars: int) -> JsonObject | None:
        """Return the resolved configuration of a step, or None if it is unknown."""
        place = moment.place
        try:
            given = moment.binder.given(place)
        except ToolweaveError:
            return None
        if place.step.node.type == "mcp":
            values = given.config.get("parameterValues")
            content: JsonObject = {"parameterValues": values} if values else {}
        else:
            content = {**given.config, **given.inputs}
        shown = self._masker.mask_json(content)
        is_large = not content or cut(content, max_chars) is not None
        return None if is_large or not isinstance(shown, dict) else shown


def _media(data: bytes, mime_type: Json) -> Response:
    """Return bytes with their type; only pictures and sounds are for a page, the rest to save."""
    kind = mime_type if isinstance(mime_type, str) and _TYPE.fullmatch(mime_type) else None
    headers = {
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }
    if kind_of_media(kind) == "file":
        headers["Content-Disposition"] = "attachment"
    return Response(data, media_type=kind or "application/octet-stream", headers=headers)


def run_detail_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The six endpoints."""
    handlers = _Handlers(studio)
    routes = Routes(authenticator, f"{ALL}/{{run}}", "runs", 404)
    routes.add("GET", "/workflow", handlers.show_run_workflow)
    routes.add("GET", "/input", handlers.show_step_input)
    routes.add("GET", "/output", handlers.show_step_output, documented={200: _JSON})
    routes.add("GET", "/media", handlers.show_media, documented={200: _MEDIA})
    routes.add("GET", "/media/{digest}", handlers.show_stored_media, documented={200: _MEDIA})
    routes.add("POST", "/freeze", handlers.freeze_chosen, 409)
    return routes.router()


_JSON: dict[str, Any] = {"content": {"application/json": {"schema": {}}}}
_MEDIA: dict[str, Any] = {
    "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}},
}
