"""`GET /api/v1/runs…`: list runs, show one, and follow its events.

Events are streamed from the run's journal by number, so a client that lost its connection resumes
without missing any.
"""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Annotated, Any, get_args

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import AwareDatetime, BeforeValidator
from starlette.routing import Route

from toolweave.app.running_studio import RunningStudio
from toolweave.engine.engine import Engine
from toolweave.engine.events import FINAL, Event, RunStatus, to_body
from toolweave.engine.execution_report import StepRecord, execution, records
from toolweave.engine.journal_reader import JournalEntry
from toolweave.engine.journal_report import SHORT_CHARS, CutValue, report_of
from toolweave.engine.queue_report import run_notice
from toolweave.engine.run_json import RunStep, RunSummary
from toolweave.engine.run_search import RunSearch
from toolweave.errors import Invalid
from toolweave.json_record import JsonRecord
from toolweave.json_text import JsonObject
from toolweave.publishing.limited_keys import VisibleRuns
from toolweave.rest.auth import Authenticator, key_of
from toolweave.rest.error_responses import OtherMethods
from toolweave.rest.routing import Routes, event_schema
from toolweave.rest.stream import EventStream, SentEvent
from toolweave.rest.truncation import TruncatedValue, cut, cut_event
from toolweave.workflow.ids import MAX_NAME

KINDS = tuple(event.kind for event in get_args(Event))
MAX_LISTED = 1_000
MAX_SEQ = 2**53
ALL = "/api/v1/runs"
# Some databases refuse text with a NUL in it.
PRINTABLE = r"^[^\x00-\x1f\x7f]+$"

RunId = Annotated[
    str,
    Path(
        alias="run", pattern="^[0-9a-f-]{4,36}$", description="A run's id or its first characters"
    ),
]
WholeRunId = Annotated[
    str, Path(alias="run", pattern="^[0-9a-f-]{4,36}$", description="A run's whole id")
]
Status = Annotated[
    list[RunStatus] | None,
    Query(max_length=7, description="Only runs with this status, or one of several"),
]
WorkflowName = Annotated[
    str | None,
    Query(max_length=MAX_NAME, pattern=PRINTABLE, description="Only runs of this workflow"),
]


def _as_text(value: object) -> object:
    """Refuse numbers, which pydantic takes for seconds since 1970."""
    if isinstance(value, str) and "T" not in value.upper():
        raise ValueError("expected a date and time with a zone, such as 2026-11-17T09:00:00Z")
    return value


_Time = Annotated[AwareDatetime, BeforeValidator(_as_text)]
Since = Annotated[_Time | None, Query(description="Only runs that started at this time or later")]
Until = Annotated[_Time | None, Query(description="Only runs that started before this time")]
InputText = Annotated[
    str | None,
    Query(min_length=1, max_length=200, description="Only runs with this text in their inputs"),
]
Limit = Annotated[int, Query(ge=1, le=MAX_LISTED, description="Maximum number of runs")]
After = Annotated[
    int,
    Query(
        ge=0, le=MAX_SEQ, description="The last event received; `Last-Event-ID` takes precedence"
    ),
]
MaxChars = Annotated[
    int | None,
    Query(
        alias="maxChars",
        ge=100,
        le=1_000_000,
        description="Longer values are described in `cut` instead of sent",
    ),
]


class RunListResponse(JsonRecord):
    """The newest runs."""

    runs: list[RunSummary]


class RunStepResponse(RunStep):
    """A step of a run; with `maxChars`, a large `value` is null and described in `cut`."""

    # By field name.
    cut: dict[str, TruncatedValue] | None = None


class RunDetails(RunSummary):
    """A run, its steps in the order they started, and its execution in the flow format."""

    # What it waits for, if no worker serves its queue.
    notice: str | None = None
    steps: list[RunStepResponse]
    # How many steps of loops are not listed.
    hidden_steps: int = 0
    execution: dict[str, Any]


class _Handlers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._engine: Engine = studio.engine
        self._runs = VisibleRuns(studio.engine, studio.published)

    async def list_runs(
        self,
        request: Request,
        status: Status = None,
        workflow: WorkflowName = None,
        since: Since = None,
        until: Until = None,
        text: InputText = None,
        limit: Limit = 50,
    ) -> RunListResponse:
        """List the newest runs."""
        search = RunSearch(since, until, text, tuple(status or ()))
        runs = await self._runs.newest(
            key_of(request), workflow=workflow, limit=limit, search=search
        )
        return RunListResponse(runs=[RunSummary.of(run) for run in runs])

    async def show_run(
        self, run: RunId, request: Request, max_chars: MaxChars = None
    ) -> RunDetails:
        """Show a run with its steps and their outputs; `maxChars` truncates large values.

        A run of more than 16 million characters is always truncated: long values are described in
        `cut`, `execution` is empty, and of steps in loops the first 10,000 are listed.
        """
        record = await self._runs.match(key_of(request), run)
        journal = self._engine.journal
        report = await report_of(journal, record.id, cut=cut, most=max_chars or SHORT_CHARS)
        steps = [_step_of(step, max_chars) for step in records(report.entries)]
        shown: JsonObject = {}
        if max_chars is None and report.is_whole:
            shown = execution(record.id, await self._engine.plan(record.id), report.entries)
        summary = dict(RunSummary.of(record))
        notice = await run_notice(journal.database, self._engine.clock, record)
        return RunDetails(
            **summary,
            notice=notice,
            steps=steps,
            hidden_steps=report.hidden_steps,
            execution=shown,
        )

    async def follow_run(
        self, run: RunId, request: Request, after: After = 0, max_chars: MaxChars = None
    ) -> Response:
        """Stream the events of a run, past and new, as server-sent events until the run ends.

        The id of an event is its number: send the last one as `Last-Event-ID` to resume after it.
        If the run has ended and all events were received, the response is 204, which stops clients
        from reconnecting.
        """
        seen = _last_seen(request, after)
        record = await self._runs.match(key_of(request), run)
        last = (await self._engine.journal.last(record.id)).seq if seen else 0
        if seen > last:
            raise _unknown_event(record.id, seen)
        if seen and seen == last and record.status in FINAL:
            return Response(status_code=204)
        entries = self._runs.follow(key_of(request), record, seen)
        return EventStream(_events(entries, max_chars))


def run_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The three endpoints."""
    handlers = _Handlers(studio)
    routes = Routes(authenticator, ALL, "runs")
    routes.add("GET", "", handlers.list_runs)
    routes.add("GET", "/{run}", handlers.show_run, 404)
    routes.stream(
        *("GET", "/{run}/events", handlers.follow_run, event_schema([*KINDS]), 404),
        documented={204: _ALL_RECEIVED},
        extra={"parameters": [_LAST_EVENT_ID]},
    )
    router = routes.router()
    router.routes.append(Route(ALL, endpoint=OtherMethods("GET", "POST")))
    return router


def _step_of(step: StepRecord, max_chars: int | None) -> RunStepResponse:
    is_cut = isinstance(step.value, CutValue)
    short = step.value if is_cut else None if max_chars is None else cut(step.value, max_chars)
    if short is None:
        return RunStepResponse.of(step)
    shown = RunStepResponse.of(replace(step, value=None))
    return shown.model_copy(update={"cut": {"value": TruncatedValue.of(short)}})


async def _events(
    entries: AsyncIterator[JournalEntry], max_chars: int | None
) -> AsyncIterator[SentEvent]:
    async for entry in entries:
        kind = entry.event.kind
        body = to_body(entry.event)
        short = body if max_chars is None else cut_event(body, max_chars)
        data = {"type": kind, "seq": entry.seq, "at": entry.at, **short}
        yield SentEvent(entry.seq, kind, data)


def _last_seen(request: Request, after: int) -> int:
    text = request.headers.get("last-event-id")
    if text is None:
        return after
    if not (text.isascii() and text.isdecimal()) or len(text) > 15:
        message = f"`Last-Event-ID` is {text[:50]!r}; expected a number"
        raise Invalid("REQUEST_INVALID", message, hint="send the id of the last event you received")
    return int(text)


def _unknown_event(run: str, seq: int) -> Invalid:
    message = f"run {run!r} has no event {seq}"
    hint = "send the id of the last event you received, or 0"
    return Invalid("REQUEST_INVALID", message, hint=hint)


_ALL_RECEIVED = {"description": "The run has ended and all of its events were received."}
_LAST_EVENT_ID = {
    "name": "Last-Event-ID",
    "in": "header",
    "schema": {"type": "string", "pattern": "^[0-9]{1,15}$"},
    "description": "The id of the last event received",
}
