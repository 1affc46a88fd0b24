"""`/api/v1/overview`: the workflows as the start page shows them, in one request.

Not below `/api/v1/workflows`, where the path could be the name of a workflow.
"""

from fastapi import APIRouter, Request

from toolweave.app.running_studio import RunningStudio
from toolweave.engine.events import RunStatus
from toolweave.engine.run_table import RunTable
from toolweave.json_record import JsonRecord
from toolweave.rest.auth import Authenticator, key_of
from toolweave.rest.routes.workflows import visible_workflows
from toolweave.rest.routing import Routes
from toolweave.triggers.activation_store import Activations
from toolweave.workflow.workflow_json import WorkflowSummary

LAST_RUNS = 12


class LastRun(JsonRecord):
    """A run in the overview of its workflow."""

    id: str
    status: RunStatus
    started_at: str
    finished_at: str | None


class WorkflowOverview(WorkflowSummary):
    """A stored workflow, whether it is active and published, and its last runs, newest first."""

    is_active: bool
    is_published: bool
    runs: list[LastRun]


class WorkflowOverviewResponse(JsonRecord):
    """The stored workflows with their last runs, by name."""

    workflows: list[WorkflowOverview]


class _Handlers:
    """The handlers."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        self._runs = RunTable(studio.home.database)
        self._activations = Activations(studio.home.database, studio.home.clock)

    async def show_overview(self, request: Request) -> WorkflowOverviewResponse:
        """List the stored workflows with their last runs, active and published or not."""
        workflows = await visible_workflows(self._studio, key_of(request))
        runs = await self._runs.latest([one.name for one in workflows], LAST_RUNS)
        active = {one.workflow for one in await self._activations.triggers() if not one.paused_at}
        published = {one.publication.workflow for one in await self._studio.published.tools()}
        return WorkflowOverviewResponse(
            workflows=[
                WorkflowOverview(
                    **dict(one),
                    is_active=one.slug in active,
                    is_published=one.name in published,
                    runs=[LastRun.of(run) for run in runs.get(one.name, [])],
                )
                for one in workflows
            ]
        )


_TEXTS = {503: "The database or the workflow folder is unavailable."}


def overview_routes(studio: RunningStudio, authenticator: Authenticator) -> APIRouter:
    """The endpoint."""
    routes = Routes(authenticator, "/api/v1/overview", "workflows", texts=_TEXTS)
    routes.add("GET", "", _Handlers(studio).show_overview)
    return routes.router()
