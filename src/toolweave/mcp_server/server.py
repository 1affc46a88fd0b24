"""The SDK's server object around our toolbox: tools, catalog resources, completion."""

import logging
import time
from typing import Any, cast

import mcp_types as types
from mcp.server import CacheHint, Server, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import NotificationOptions
from mcp.server.models import InitializationOptions
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

import toolweave
from toolweave.access.keys import ApiKey
from toolweave.app.live_catalog import LiveCatalog
from toolweave.catalog.toolbox import Toolbox
from toolweave.errors import ToolweaveError
from toolweave.json_text import JsonObject, write
from toolweave.mcp_server import resources
from toolweave.mcp_server.changes import Changes
from toolweave.mcp_server.identity import INSTRUCTIONS, NAME, TITLE, TOOLS_FRESH_MS

logger = logging.getLogger("toolweave.mcp")

Context = ServerRequestContext[Any, Any]  # Any: this server keeps no state per session

FORBIDDEN = -32003  # of the range the protocol leaves to implementations


class CatalogServer:
    """Answers the protocol's questions about tools and the catalog."""

    def __init__(self, catalog: LiveCatalog, toolbox: Toolbox) -> None:
        self._catalog = catalog
        self._toolbox = toolbox

    async def list_tools(self, _: Context, __: object) -> types.ListToolsResult:
        """Every tool, on one page."""
        tools = [types.Tool.model_validate(entry) for entry in self._toolbox.definitions]
        return types.ListToolsResult(tools=tools)

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """One call; an unknown tool is a protocol error, as the specification asks."""
        _require(context, "tools:execute")
        if not self._toolbox.knows(params.name):
            hint = self._toolbox.did_you_mean(params.name)
            raise MCPError(types.INVALID_PARAMS, f"no tool {params.name[:100]!r}; {hint}")
        arguments = cast("JsonObject", params.arguments or {})
        answer = _called(self._toolbox, params.name, arguments, _asker(context))
        return types.CallToolResult.model_validate(answer)

    async def list_resources(
        self, _: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """The whole catalog, each type of it, and each node."""
        return resources.page(self._catalog.knowledge, params.cursor if params else None)

    async def list_templates(self, _: Context, __: object) -> types.ListResourceTemplatesResult:
        """One node's specification."""
        return types.ListResourceTemplatesResult(resource_templates=[resources.template()])

    async def read_resource(
        self, _: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """`…/types`, `…/FLOW` or `…/FLOW/IF`."""
        uri = str(params.uri)
        text = write(resources.read(self._catalog.knowledge, uri), pretty=True)
        contents = types.TextResourceContents(uri=uri, mime_type="application/json", text=text)
        return types.ReadResourceResult(contents=[contents])

    async def complete(
        self, _: Context, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        """Types and subtypes that begin with what was typed."""
        completion = resources.complete(self._catalog.knowledge, params)
        return types.CompleteResult(completion=completion)


class _Server(Server[Any]):
    """Tells clients of the older era, too, that lists may change."""

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *args: Any, **kwargs: Any
    ) -> InitializationOptions:
        """As the SDK's, with change notifications on."""
        options = notification_options or NotificationOptions(resources_changed=True)
        return super().create_initialization_options(options, *args, **kwargs)


def build_server(catalog: LiveCatalog, toolbox: Toolbox, changes: Changes) -> Server[Any]:
    """One object for stdio and HTTP alike."""
    ours = CatalogServer(catalog, toolbox)
    hint = CacheHint(ttl_ms=TOOLS_FRESH_MS, scope="public")
    server = _Server(
        NAME,
        version=toolweave.__version__,
        title=TITLE,
        instructions=INSTRUCTIONS,
        cache_hints={"tools/list": hint, "server/discover": hint},
        on_list_tools=ours.list_tools,
        on_call_tool=ours.call_tool,
        on_list_resources=ours.list_resources,
        on_list_resource_templates=ours.list_templates,
        on_read_resource=ours.read_resource,
        on_completion=ours.complete,
        on_subscriptions_listen=changes.listen,
    )
    server.add_notification_handler(
        "notifications/initialized", types.NotificationParams, changes.meet
    )
    server.middleware.append(_contain)
    return server


def try_call(toolbox: Toolbox, name: str, arguments: JsonObject) -> JsonObject | None:
    """A call past the SDK; nothing where it fails, so that the SDK meets the fault and tells it."""
    try:
        return _called(toolbox, name, arguments, {})
    except Exception:
        return None


def _called(
    toolbox: Toolbox, name: str, arguments: JsonObject, asker: dict[str, Any]
) -> JsonObject:
    started = time.perf_counter()
    answer = toolbox.call(name, arguments)
    took_ms = round((time.perf_counter() - started) * 1000, 3)
    told = {"tool": name, "is_error": answer["isError"], "took_ms": took_ms}
    logger.info("tool call", extra={**asker, **told})
    return answer


async def _contain(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Keep the words of a fault of ours from the wire, where the SDK would put them."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except Exception:
        logger.exception("request failed", extra={**_asker(ctx), "method": ctx.method})
        told = "a fault of ours; the log has the details"
        raise MCPError(types.INTERNAL_ERROR, told) from None


def _require(context: Context, scope: str) -> None:
    """Over HTTP the endpoint leaves the key in the request; over stdio there is none to ask for."""
    if context.request is None:
        return
    key: ApiKey = context.request.state.key
    try:
        key.require(scope)
    except ToolweaveError as error:
        raise MCPError(FORBIDDEN, f"{error.message}; {error.hint}", data=error.as_json()) from None


def _asker(context: Context) -> dict[str, Any]:
    """The request and its client, as the log of HTTP requests calls them."""
    if context.request is None:
        return {}
    state = context.request.state
    return {"request_id": state.request_id, "client": state.client}
