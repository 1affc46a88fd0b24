"""The web application: routes and error handling."""

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
from toolweave.rest.auth import Authenticator
from toolweave.rest.docs_pages import docs_routes
from toolweave.rest.error_responses import error_response
from toolweave.rest.guard import BodyTooLarge, internal_error, too_large
from toolweave.rest.json_response import JsonResponse
from toolweave.rest.openapi import serve_openapi
from toolweave.rest.pages import page_routes
from toolweave.rest.protected_resource import MCP_PATHS
from toolweave.rest.routes.backtest import backtest_routes
from toolweave.rest.routes.build import build_routes
from toolweave.rest.routes.calls import call_routes
from toolweave.rest.routes.catalog import catalog_routes
from toolweave.rest.routes.chat import chat_routes
from toolweave.rest.routes.documents import document_routes
from toolweave.rest.routes.edit import edit_routes
from toolweave.rest.routes.events import event_routes
from toolweave.rest.routes.health import health_routes
from toolweave.rest.routes.inbox import inbox_routes
from toolweave.rest.routes.keys import key_routes
from toolweave.rest.routes.knowledge import FastInvoke, knowledge_routes
from toolweave.rest.routes.library import library_routes
from toolweave.rest.routes.models import model_routes
from toolweave.rest.routes.node_test import node_test_routes
from toolweave.rest.routes.oauth import oauth_routes
from toolweave.rest.routes.overview import overview_routes
from toolweave.rest.routes.preview import preview_routes
from toolweave.rest.routes.published import published_routes
from toolweave.rest.routes.run_control import run_control_routes
from toolweave.rest.routes.run_details import run_detail_routes
from toolweave.rest.routes.runs import run_routes
from toolweave.rest.routes.server_content import server_content_routes
from toolweave.rest.routes.server_details import server_detail_routes
from toolweave.rest.routes.server_migrations import server_migration_routes
from toolweave.rest.routes.servers import server_routes
from toolweave.rest.routes.services import service_routes
from toolweave.rest.routes.settings import setting_routes
from toolweave.rest.routes.signals import signal_routes
from toolweave.rest.routes.triggers import trigger_routes
from toolweave.rest.routes.versions import version_routes
from toolweave.rest.routes.workflows import workflow_routes


def create_app(
    toolbox: ToolService,
    authenticator: Authenticator,
    studio: RunningStudio,
    changes: ChangeFeed,
    hooks: Sequence[APIRouter],
    *,
    service_token: str | None,
    mcp: ASGIApp | None = None,
) -> ASGIApp:
    """Create the whole HTTP application; it must be served behind the guard."""
    api = create_api(
        toolbox, authenticator, studio, changes, hooks, service_token=service_token, mcp=mcp
    )
    return FastInvoke(api, toolbox, authenticator)


def create_api(
    toolbox: ToolService,
    authenticator: Authenticator,
    studio: RunningStudio,
    changes: ChangeFeed,
    hooks: Sequence[APIRouter],
    *,
    service_token: str | None,
    mcp: ASGIApp | None = None,
) -> FastAPI:
    """Create the routes; they must be served behind the guard."""
    api = FastAPI(
        title="Toolweave",
        version=toolweave.__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        default_response_class=JsonResponse,
        generate_unique_id_function=lambda route: route.name,
    )
    for router in hooks:  # first: routes match in order
        api.include_router(router)
    api.include_router(knowledge_routes(toolbox, authenticator, service_token=service_token))
    for router in (
        *_resources(studio, authenticator),
        build_routes(studio, authenticator, toolbox),
        event_routes(changes, authenticator),
    ):
        api.include_router(router)
    serve_openapi(api, authenticator)
    if mcp is not None:
        # Routes, not a mount: a mount redirects between the two paths, and few clients follow.
        api.router.routes += [Route(path, endpoint=mcp) for path in MCP_PATHS]
    api.router.routes += [*page_routes(), *docs_routes()]
    api.add_exception_handler(ToolweaveError, _on_error)
    api.add_exception_handler(RequestValidationError, _on_validation_error)
    api.add_exception_handler(HTTPException, _on_http_error)
    api.add_exception_handler(BodyTooLarge, _on_body_too_large)
    api.add_exception_handler(Exception, _on_exception)
    return api


def _resources(studio: RunningStudio, authenticator: Authenticator) -> Iterator[APIRouter]:
    """The routes of every resource under `/api/v1`."""
    for routes in (
        catalog_routes,
        workflow_routes,
        overview_routes,
        version_routes,
        edit_routes,
        preview_routes,
        backtest_routes,
        node_test_routes,
        run_control_routes,
        run_routes,
        run_detail_routes,
        server_routes,
        server_detail_routes,
        server_migration_routes,
        server_content_routes,
        call_routes,
        setting_routes,
        chat_routes,
        inbox_routes,
        signal_routes,
        trigger_routes,
        published_routes,
        library_routes,
        document_routes,
        health_routes,
    ):
        yield routes(studio, authenticator)
    yield service_routes(studio.home, authenticator)
    yield model_routes(studio.home, authenticator)
    yield key_routes(authenticator)
    yield from oauth_routes(studio.home, authenticator)


async def _on_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ToolweaveError)
    return error_response(request.scope, error)


async def _on_validation_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = [
        Problem("REQUEST_INVALID", pointer(*detail["loc"]), str(detail["msg"]))
        for detail in error.errors()
    ]
    failure = Invalid("REQUEST_INVALID", "the request is invalid", problems=problems)
    return error_response(request.scope, failure)


async def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        failure = ToolweaveError("METHOD_NOT_ALLOWED", "this address does not support the method")
    else:
        failure = NotFound("ROUTE_NOT_FOUND", "there is nothing at this address")
    return error_response(request.scope, failure, error.headers)


async def _on_body_too_large(request: Request, _: Exception) -> Response:
    return error_response(request.scope, too_large())


async def _on_exception(request: Request, _: Exception) -> Response:
    # The exception reaches the guard, which logs it.
    return error_response(request.scope, internal_error())
