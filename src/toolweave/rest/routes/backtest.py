"""`/api/v1/edit/backtest`: a changed workflow against its past runs, before it is published."""

from typing import Annotated, Any, Literal, cast

from fastapi import APIRouter, Depends
from pydantic import AwareDatetime, BeforeValidator, Field

from toolweave.app.running_studio import RunningStudio
from toolweave.authoring.authoring import require_workflow
from toolweave.json_record import JsonRecord
from toolweave.json_text import Json
from toolweave.recording.backtest import backtest
from toolweave.recording.backtest_records import BacktestRequest
from toolweave.rest.auth import Authenticator
from toolweave.rest.routes.edit import EditRequest
from toolweave.rest.routing import Routes
from toolweave.workflow.ids import MAX_NAME

MAX_RUNS = 200


def _text(value: object) -> object:
    """Refuse numbers, which are times to Pydantic."""
    if not isinstance(value, str):
        raise ValueError("expected a time such as `2026-11-17T09:00:00Z`")
    return value


class BacktestRunsRequest(EditRequest):
    """A changed workflow, and which of its past runs to judge it by."""

    of: str | None = Field(
        None,
        max_length=MAX_NAME,
        description="The workflow whose runs to use; default: the name in the document",
    )
    since: Annotated[AwareDatetime, Field(strict=False), BeforeValidator(_text)] | None = Field(
        None, description="Only runs that started at or after this time"
    )
    limit: int = Field(50, ge=1, le=MAX_RUNS, description="Maximum number of runs")
    skip: int = Field(0, ge=0, le=1_000_000, description="Leave out this many of the newest runs")


class ValueDifferenceResponse(JsonRecord):
    """A place with the recorded and the new value; one is missing if there is none."""

    pointer: str
    # Any: data of a run, masked.
    expected: Any = None
    actual: Any = None


class StepDifferenceResponse(JsonRecord):
    """A step, or `result`, with what is different about it."""

    step: str
    what: Literal["changed", "missing", "new", "refused"]
    message: str | None = None
    values: list[ValueDifferenceResponse] | None = None


class BacktestCaseResponse(JsonRecord):
    """A past run, and what the changed workflow would do otherwise."""

    source: Literal["run", "recording"]
    name: str
    started_at: str | None = Field(validation_alias="startedAt")
    verdict: Literal["same", "differs", "not_judged"]
    differences: list[StepDifferenceResponse]
    new_requests: list[StepDifferenceResponse] = Field(validation_alias="newRequests")
    no_longer: list[str] = Field(validation_alias="noLonger")
    not_judged: list[str] = Field(validation_alias="notJudged")


class BacktestResponse(JsonRecord):
    """The judged runs, newest first; `hasMore` if there are older ones."""

    workflow: str
    cases: list[BacktestCaseResponse]
    has_more: bool


class _Handlers:
    """The handler."""

    def __init__(self, studio: RunningStudio) -> None:
        self._home = studio.home

    async def backtest_workflow(
        self, body: Annotated[BacktestRunsRequest, Depends(BacktestRunsRequest.read)]
    ) -> BacktestResponse:
        """Replay past runs with the changed workflow; nothing is called, saved or sent."""
        loaded = require_workflow(await body.loaded())
        wish = BacktestRequest(
            loaded, since=body.since, limit=body.limit, skip=body.skip, of=body.of
        )
        report, has_more = await backtest(self._home, wish)
        cases = self._home.masker.hide(cast("Json", [one.as_json() for one in report.cases]))
        return BacktestResponse.of(
            {"workflow": report.workflow, "cases": cases, "has_more": has_more}
        )


def backtest_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The endpoint."""
    routes = Routes(authenticator, "/api/v1/edit", "edit", 404)
    routes.add("POST", "/backtest", _Handlers(studio).backtest_workflow)
    return routes.router()
