"""`/api/v1/runs`: start runs, look at them, follow what happens, and steer them.

The service brings runs forward by itself. What happens is streamed from the run's journal by
number: there is no other record of it, so a dropped connection misses nothing.
"""

from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal, Self, cast, get_args

from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field, model_validator
from starlette.routing import Route

from toolweave import json_text
from toolweave.access.keys import ApiKey
from toolweave.app.running_studio import RunningStudio
from toolweave.authoring.authoring import require_workflow
from toolweave.engine.engine import Engine
from toolweave.engine.events import FINAL, Choice, Event, RunStatus, to_body
from toolweave.engine.execution_report import StepRecord, execution, records
from toolweave.engine.journal import JournalEntry
from toolweave.engine.run_table import RunRecord
from toolweave.engine.runs import RunRequest
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.rest import openapi
from toolweave.rest.auth import Doorkeeper
from toolweave.rest.error_responses import OtherMethods
from toolweave.rest.json_response import json_answer
from toolweave.rest.request_body import Strict, one_of, read_shape
from toolweave.rest.shapes import KEYED, READING, Responses, responses
from toolweave.rest.stream import EventStream, SentEvent
from toolweave.rest.truncation import CutShape, cut_event
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import read
from toolweave.workflow.ids import MAX_NAME
from toolweave.workflow.json_patch import apply_patch

TRIGGER = "rest"
KINDS = tuple(event.kind for event in get_args(Event))
MAX_LISTED = 1_000
MAX_SEQ = 2**53
ALL = "/api/v1/runs"
# Not every database takes a text with a NUL in it.
PRINTED = r"^[^\x00-\x1f\x7f]+$"

RunId = Annotated[
    str,
    Path(alias="run", pattern="^[0-9a-f-]{4,36}$", description="A run's id, or how it begins"),
]
Status = Annotated[RunStatus | None, Query(description="Only runs of this status")]
Named = Annotated[
    str | None,
    Query(
        max_length=MAX_NAME, pattern=PRINTED, description="Only runs of the workflow of this name"
    ),
]
Limit = Annotated[int, Query(ge=1, le=MAX_LISTED, description="At most so many, the newest")]
After = Annotated[
    int, Query(ge=0, le=MAX_SEQ, description="The last event that was seen; `Last-Event-ID` wins")
]

Most = Annotated[
    int | None,
    Query(
        alias="maxChars",
        ge=100,
        le=1_000_000,
        description="Values longer than this are told of in `cut` instead of sent",
    ),
]


class Starting(Strict):
    """What to run: a stored workflow by name, or one that is sent along."""

    model_config = one_of(workflow="string", document="object")

    workflow: str | None = Field(
        None, pattern=PRINTED, max_length=MAX_NAME, description="The name of a stored workflow"
    )
    # Any: a workflow in whatever dialect; the readers tell what is wrong with it.
    document: dict[str, Any] | None = Field(
        None, description="A workflow of any dialect instead; needs `workflows:write` as well"
    )
    inputs: dict[str, Any] = Field(
        default_factory=dict[str, Any], description="What it begins with"
    )
    once_key: str | None = Field(
        None,
        max_length=200,
        pattern=PRINTED,
        description="There is never more than one run of a key; a second start gives the first run",
    )

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.workflow is None) == (self.document is None):
            raise ValueError("give 'workflow', a name, or 'document', one of them")
        return self


class AnswerRequest(Strict):
    """An answer to a step that waits, or what to do about one that may have happened."""

    model_config = one_of(reply=None, choice="string")

    step: str = Field(min_length=1, max_length=1_000, description="The step's key")
    # Any: whatever the step asks for.
    reply: Any = Field(None, description="The answer of a step that waits")
    choice: Choice | None = Field(None, description="What to do about an uncertain step")

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.choice is None) == ("reply" not in self.model_fields_set):
            raise ValueError("give 'reply' for a step that waits, or 'choice' for an uncertain one")
        return self


class Operation(Strict):
    """A step of a JSON Patch."""

    op: Literal["add", "remove", "replace", "move", "copy", "test"]
    path: str = Field(pattern=r"^/data(/|$)", description="A pointer into what came in: `/data/…`")
    from_: str | None = Field(None, alias="from", pattern=r"^/data(/|$)")
    # Any: a part of what comes in.
    value: Any = None


class Forking(Strict):
    """Where a new run leaves an old one, and how what comes in there is changed."""

    from_: str = Field(alias="from", min_length=1, max_length=1_000, description="A node's id")
    edit: list[Operation] | None = Field(
        None, max_length=1_000, description='JSON Patch of `{"data": what came in}`'
    )
    # Any: a workflow in whatever dialect, as in `Starting`.
    document: dict[str, Any] | None = Field(
        None, description="The workflow as it is now; needs `workflows:write` as well"
    )


class RunShape(BaseModel):
    """A run as it stands."""

    id: str
    workflow: str
    status: RunStatus
    started_at: str = Field(alias="startedAt")
    changed_at: str = Field(alias="changedAt")
    finished_at: str | None = Field(alias="finishedAt")
    wake_at: str | None = Field(alias="wakeAt")
    trigger: str | None
    fork_of: str | None = Field(alias="forkOf")
    error: str | None


class RunsShape(BaseModel):
    """The newest runs."""

    runs: list[RunShape]


class StepShape(BaseModel):
    """A step of a run; what it asks stands in `value` while it waits."""

    key: str
    status: str
    started_at: str = Field(alias="startedAt")
    finished_at: str | None = Field(alias="finishedAt")
    took_ms: int = Field(alias="tookMs")
    attempt: int
    value: Any
    error: dict[str, Any] | None
    # By field, what is told of values that were too large.
    cut: dict[str, CutShape] | None = None


class WholeRun(RunShape):
    """A run, its steps in the order they began, and all of it in the shape of seed 003."""

    steps: list[StepShape]
    execution: dict[str, Any]


class _Answers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        self._engine: Engine = studio.engine

    async def start_run(self, request: Request) -> Response:
        """Start a run; it goes on in the background."""
        body = await read_shape(request, Starting)
        loaded = await self._workflow(request, body)
        inputs = cast("JsonObject", body.inputs)
        starting = RunRequest(
            loaded.workflow, inputs, trigger=TRIGGER, once_key=body.once_key, source=loaded
        )
        return await self._accepted(await self._engine.runs.start(starting))

    async def list_runs(
        self, status: Status = None, workflow: Named = None, limit: Limit = 50
    ) -> Response:
        """List the newest runs."""
        found = await self._engine.newest(status=status, workflow=workflow, limit=limit)
        return json_answer({"runs": [_run(run) for run in found]})

    async def show_run(self, run: RunId, most: Most = None) -> Response:
        """One run with its steps and what they gave; with `maxChars` large values are cut."""
        found = await self._engine.get(run)
        entries = await self._engine.journal.read(found.id)
        plan = await self._engine.plan(found.id)
        steps = [_step(record) for record in records(entries)]
        if most is not None:
            short = [cut_event(step, most) for step in steps]
            return json_answer({**_run(found), "steps": short, "execution": {}})
        told = execution(found.id, plan, entries)
        return json_answer({**_run(found), "steps": steps, "execution": told})

    async def follow_run(
        self, run: RunId, request: Request, after: After = 0, most: Most = None
    ) -> Response:
        """What happened in a run and what happens, as server-sent events, until it is over.

        The id of an event is its number: send the last one back as `Last-Event-ID` to go on after
        it. When the run is over and all was seen the answer is 204, which ends reconnecting.
        """
        seen = _last_seen(request, after)
        found = await self._engine.get(run)
        journal = self._engine.journal
        if seen and not await journal.read(found.id, seen):
            if not await journal.read(found.id, seen - 1):
                raise _unseen(found.id, seen)
            if found.status in FINAL:
                return Response(status_code=204)
        return EventStream(_events(self._engine.follow(found.id, seen), most))

    async def cancel_run(self, run: RunId, request: Request) -> Response:
        """Ask for a run to stop; one that is over stays as it is."""
        found = await self._allowed(run, request)
        await self._engine.cancel(found.id, by=_who(request))
        return await self._accepted(found.id)

    async def answer_run(self, run: RunId, request: Request) -> Response:
        """Answer a step that waits, or decide about one of which nobody knows if it happened."""
        body = await read_shape(request, AnswerRequest)
        found = await self._allowed(run, request)
        if body.choice is not None:
            await self._engine.resolve(found.id, body.step, body.choice, by=_who(request))
        else:
            await self._engine.answer(found.id, body.step, body.reply, by=_who(request), via="rest")
        return await self._accepted(found.id)

    async def fork_run(self, run: RunId, request: Request) -> Response:
        """Run again from one node, with all before it taken from an earlier run."""
        body = await read_shape(request, Forking)
        found = await self._allowed(run, request)
        edit = _Edit(body.edit) if body.edit else None
        changed = None
        if body.document is not None:
            changed = await self._sent(request, body.document)
        forked = await self._engine.runs.fork(found.id, body.from_, edit, changed)
        return await self._accepted(forked)

    async def _workflow(self, request: Request, body: Starting) -> LoadedWorkflow:
        key: ApiKey = request.state.key
        if body.workflow is not None and key.tools is not None:
            return await self._published(key, body.workflow)
        if body.workflow is not None:
            return (await self._studio.home.workflows.load(body.workflow)).loaded
        return await self._sent(request, body.document)

    async def _sent(self, request: Request, document: dict[str, Any] | None) -> LoadedWorkflow:
        # Whoever may only run, runs what others have stored.
        key: ApiKey = request.state.key
        key.require("workflows:write")
        return require_workflow(await run_sync(read, cast("Json", document)))

    async def _published(self, key: ApiKey, name: str) -> LoadedWorkflow:
        """What a key that is limited to some tools may run: they, as they are published."""
        one = await self._studio.published.of_workflow(name)
        key.require_tool(one.publication.tool if one else None)
        assert one is not None
        return read(json_text.read(one.publication.document))

    async def _allowed(self, run: str, request: Request) -> RunRecord:
        """A run that the key may steer."""
        found = await self._engine.get(run)
        key: ApiKey = request.state.key
        if key.tools is not None:
            one = await self._studio.published.of_workflow(found.workflow)
            key.require_tool(one.publication.tool if one else None)
        return found

    async def _accepted(self, run: str) -> Response:
        found = await self._engine.get(run)
        return json_answer(_run(found), 202, {"Location": f"{ALL}/{found.id}"})


def run_routes(studio: RunningStudio, doorkeeper: Doorkeeper) -> APIRouter:
    """The seven endpoints; looking needs `workflows:read`, all else `workflows:run`."""
    answers = _Answers(studio)
    reads, runs = map(doorkeeper.wants, ("workflows:read", "workflows:run"))
    router = APIRouter(prefix=ALL, tags=["runs"])
    for method, path, answer, gate, answered, reading in (
        ("POST", "", answers.start_run, runs, _accepts(*READING), Starting),
        ("GET", "", answers.list_runs, reads, responses(RunsShape, 422, *KEYED), None),
        ("GET", "/{run}", answers.show_run, reads, responses(WholeRun, 404, 422, *KEYED), None),
        ("GET", "/{run}/events", answers.follow_run, reads, _STREAM, None),
        ("POST", "/{run}/cancel", answers.cancel_run, runs, _accepts(422), None),
        ("POST", "/{run}/answer", answers.answer_run, runs, _accepts(*READING), AnswerRequest),
        ("POST", "/{run}/fork", answers.fork_run, runs, _accepts(*READING), Forking),
    ):
        router.add_api_route(
            path,
            answer,
            methods=[method],
            dependencies=[Depends(gate)],
            responses=answered,
            status_code=202 if method == "POST" else None,
            openapi_extra=openapi.keyed(reading) | _heads(path),
        )
    router.routes.append(Route(ALL, endpoint=OtherMethods("GET", "POST")))
    return router


class _Edit:
    """Changes what came in to a step by a JSON Patch."""

    def __init__(self, operations: list[Operation]) -> None:
        self._operations = [
            operation.model_dump(by_alias=True, exclude_unset=True) for operation in operations
        ]

    def __call__(self, came_in: Json) -> Json:
        changed = apply_patch({"data": came_in}, self._operations)
        if not isinstance(changed, dict) or "data" not in changed:
            message = "the patch leaves nothing that could come in"
            hint = "replace `/data` instead of removing it"
            raise Invalid("PATCH_IMPOSSIBLE", message, hint=hint)
        return changed["data"]


async def _events(
    entries: AsyncIterator[JournalEntry], most: int | None
) -> AsyncIterator[SentEvent]:
    async for entry in entries:
        kind = entry.event.kind
        body = to_body(entry.event)
        short = body if most is None else cut_event(body, most)
        data = {"type": kind, "seq": entry.seq, "at": entry.at, **short}
        yield SentEvent(entry.seq, kind, data)


def _last_seen(request: Request, after: int) -> int:
    text = request.headers.get("last-event-id")
    if text is None:
        return after
    if not (text.isascii() and text.isdecimal()) or len(text) > 15:
        message = f"`Last-Event-ID` is {text[:50]!r}; a number is expected"
        raise Invalid("REQUEST_INVALID", message, hint="send the id of the last event you have")
    return int(text)


def _unseen(run: str, seq: int) -> Invalid:
    message = f"run {run!r} has no event {seq}"
    return Invalid("REQUEST_INVALID", message, hint="send the id of the last event you have, or 0")


def _who(request: Request) -> str:
    key: ApiKey = request.state.key
    return f"key {key.id}"


def _run(run: RunRecord) -> JsonObject:
    return {
        "id": run.id,
        "workflow": run.workflow,
        "status": run.status,
        "startedAt": run.started_at,
        "changedAt": run.changed_at,
        "finishedAt": run.finished_at,
        "wakeAt": run.wake_at,
        "trigger": run.trigger,
        "forkOf": run.fork_of,
        "error": run.error,
    }


def _step(record: StepRecord) -> JsonObject:
    return {
        "key": record.key,
        "status": record.status,
        "startedAt": record.started_at,
        "finishedAt": record.finished_at,
        "tookMs": record.took_ms,
        "attempt": record.attempt,
        "value": record.value,
        "error": record.error,
    }


def _accepts(*more: int) -> Responses:
    answered = responses(RunShape, 404, 409, *KEYED, *more, status=202)
    where = {"schema": {"type": "string"}, "description": "Where the run is shown."}
    answered[202]["headers"] = {**answered[202]["headers"], "Location": where}
    return answered


_STREAM: Responses = {
    **responses(None, 404, 422, *KEYED),
    204: {"description": "The run is over, and everything of it was seen."},
}
_EVENT: dict[str, Any] = {
    "type": "object",
    "required": ["id", "event", "data"],
    "properties": {
        "id": {"type": "string", "pattern": "^[0-9]+$"},
        "event": {"enum": sorted(KINDS)},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
}
_STREAM[200]["content"] = {"text/event-stream": {"schema": _EVENT}}


def _heads(path: str) -> dict[str, Any]:
    if not path.endswith("/events"):
        return {}
    schema = {"type": "string", "pattern": "^[0-9]{1,15}$"}
    words = "The id of the last event that was seen"
    shown = {"name": "Last-Event-ID", "in": "header", "schema": schema, "description": words}
    return {"parameters": [shown]}
