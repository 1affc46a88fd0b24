"""The web application: routes, error translation, the guard around all of it."""

from collections.abc import Iterator, Sequence

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.types import ASGIApp

import toolweave
from toolweave.app.change_feed import ChangeFeed
from toolweave.app.running_studio import RunningStudio
from toolweave.catalog.tool_service import ToolService
from toolweave.errors import Invalid, NotFound, ToolweaveError
from toolweave.problems import Problem, pointer
from toolweave.rest.auth import Doorkeeper
from toolweave.rest.error_responses import refusal
from toolweave.rest.guard import BodyTooLarge, Guard, fault, too_large
from toolweave.rest.openapi import serve_openapi
from toolweave.rest.pages import page_routes
from toolweave.rest.routes.catalog import catalog_routes
from toolweave.rest.routes.chat import chat_routes
from toolweave.rest.routes.documents import document_routes
from toolweave.rest.routes.edit import edit_routes
from toolweave.rest.routes.events import event_routes
from toolweave.rest.routes.freeze import freeze_routes
from toolweave.rest.routes.health import health_routes
from toolweave.rest.routes.inbox import inbox_routes
from toolweave.rest.routes.keys import key_routes
from toolweave.rest.routes.knowledge import InvokeDoor, knowledge_routes
from toolweave.rest.routes.library import library_routes
from toolweave.rest.routes.metrics import metrics_routes
from toolweave.rest.routes.models import model_routes
from toolweave.rest.routes.preview import preview_routes
from toolweave.rest.routes.published import published_routes
from toolweave.rest.routes.run_details import run_detail_routes
from toolweave.rest.routes.runs import run_routes
from toolweave.rest.routes.samples import sample_routes
from toolweave.rest.routes.server_details import server_detail_routes
from toolweave.rest.routes.servers import server_routes
from toolweave.rest.routes.services import service_routes
from toolweave.rest.routes.settings import setting_routes
from toolweave.rest.routes.signals import signal_routes
from toolweave.rest.routes.triggers import trigger_routes
from toolweave.rest.routes.workflows import workflow_routes

MCP_PATHS = ("/mcp", "/mcp/")


def create_app(
    toolbox: ToolService,
    doorkeeper: Doorkeeper,
    studio: RunningStudio,
    topics: ChangeFeed,
    hooks: APIRouter,
    *,
    hosts: Sequence[str],
    origins: Sequence[str],
    service_token: str | None,
    mcp: ASGIApp | None = None,
) -> ASGIApp:
    """Everything served over HTTP, behind the guard."""
    api = create_api(
        toolbox, doorkeeper, studio, topics, hooks, service_token=service_token, mcp=mcp
    )
    return Guard(InvokeDoor(api, toolbox, doorkeeper), hosts=hosts, origins=origins)


def create_api(
    toolbox: ToolService,
    doorkeeper: Doorkeeper,
    studio: RunningStudio,
    topics: ChangeFeed,
    hooks: APIRouter,
    *,
    service_token: str | None,
    mcp: ASGIApp | None = None,
) -> FastAPI:
    """The routes; only to be served behind the guard."""
    api = FastAPI(
        title="Toolweave",
        version=toolweave.__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
    )
    api.include_router(hooks)  # first, as routes are looked through in order
    api.include_router(knowledge_routes(toolbox, doorkeeper, service_token=service_token))
    for router in (*_resources(studio, doorkeeper), event_routes(topics, doorkeeper)):
        api.include_router(router)
    serve_openapi(api, doorkeeper)
    if mcp is not None:
        # Routes, not a mount: that would redirect from the one to the other, and few follow.
        api.router.routes += [Route(path, endpoint=mcp) for path in MCP_PATHS]
    api.router.routes += page_routes()
    api.add_exception_handler(ToolweaveError, _tell)
    api.add_exception_handler(RequestValidationError, _tell_validation)
    api.add_exception_handler(HTTPException, _tell_http)
    api.add_exception_handler(BodyTooLarge, _tell_too_large)
    api.add_exception_handler(Exception, _tell_fault)
    return api


def _resources(studio: RunningStudio, doorkeeper: Doorkeeper) -> Iterator[APIRouter]:
    """The routes of every resource under `/api/v1`."""
    home = studio.home
    yield catalog_routes(studio, doorkeeper)
    yield workflow_routes(studio.home.workflows, doorkeeper)
    yield edit_routes(studio, doorkeeper)
    yield preview_routes(studio, doorkeeper)
    yield run_routes(studio, doorkeeper)
    yield service_routes(home, doorkeeper)
    yield run_detail_routes(studio, doorkeeper)
    yield sample_routes(studio, doorkeeper)
    yield server_routes(studio, doorkeeper)
    yield server_detail_routes(studio, doorkeeper)
    yield key_routes(doorkeeper)
    yield setting_routes(home, doorkeeper)
    yield freeze_routes(studio, doorkeeper)
    yield chat_routes(studio, doorkeeper)
    yield model_routes(home, doorkeeper)
    yield inbox_routes(studio, doorkeeper)
    yield signal_routes(studio, doorkeeper)
    yield trigger_routes(studio, doorkeeper)
    yield published_routes(studio, doorkeeper)
    yield library_routes(studio, doorkeeper)
    yield document_routes(studio, doorkeeper)
    yield health_routes()
    yield metrics_routes(studio, doorkeeper)


async def _tell(request: Request, error: Exception) -> Response:
    assert isinstance(error, ToolweaveError)
    return refusal(request.scope, error)


async def _tell_validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = [
        Problem("REQUEST_INVALID", pointer(*fault["loc"]), str(fault["msg"]))
        for fault in error.errors()
    ]
    told = Invalid("REQUEST_INVALID", "the request cannot be understood", problems=problems)
    return refusal(request.scope, told)


async def _tell_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        told = ToolweaveError("METHOD_NOT_ALLOWED", "this address has no such method")
    else:
        told = NotFound("ROUTE_NOT_FOUND", "nothing is at this address")
    return refusal(request.scope, told, error.headers)


async def _tell_too_large(request: Request, _: Exception) -> Response:
    return refusal(request.scope, too_large())


async def _tell_fault(request: Request, _: Exception) -> Response:
    # What was raised goes on to the guard, which logs it.
    return refusal(request.scope, fault())
