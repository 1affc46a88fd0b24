"""The SDK's server object around our tools, catalog resources, completion."""

import logging
import time
from collections.abc import Mapping
from typing import Any, cast

import mcp_types as types
from mcp.server import CacheHint, Server
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import NotificationOptions
from mcp.server.models import InitializationOptions
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

import toolweave
from toolweave.app.live_catalog import LiveCatalog
from toolweave.catalog.toolbox import Toolbox
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import JsonObject, write
from toolweave.mcp_server import resources
from toolweave.mcp_server.calls import Answer, Asked, Caller, Context, Tools, refused
from toolweave.mcp_server.changes import Changes
from toolweave.mcp_server.identity import INSTRUCTIONS, NAME, TITLE, TOOLS_FRESH_MS
from toolweave.mcp_server.menu import CONTRIBUTED, listed
from toolweave.problems import did_you_mean
from toolweave.tools.check import check_arguments
from toolweave.tools.read_tool import read_tool

logger = logging.getLogger("toolweave.mcp")


class CatalogServer:
    """Answers the protocol's questions about tools and the catalog."""

    def __init__(
        self, catalog: LiveCatalog, toolbox: Toolbox, contributed: Mapping[str, Tools]
    ) -> None:
        self._catalog = catalog
        self._toolbox = toolbox
        self._contributed = contributed
        self._offers = {offered.name: offered for offered in CONTRIBUTED}
        self._tools = {
            name: read_tool(NAME, offered.definition) for name, offered in self._offers.items()
        }

    async def list_tools(self, _: Context, __: object) -> types.ListToolsResult:
        """Every tool, on one page."""
        return types.ListToolsResult(tools=[types.Tool.model_validate(one) for one in listed()])

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """One call; an unknown tool is a protocol error, as the specification asks."""
        caller = Caller(context)
        arguments = cast("JsonObject", params.arguments or {})
        if self._toolbox.knows(params.name):
            caller.require("tools:execute")
            answer: Answer = _called(self._toolbox, params.name, arguments, _asker(context))
        else:
            answer = await self._answered(Asked(params.name, arguments, caller, params))
        return types.CallToolResult.model_validate(answer) if isinstance(answer, dict) else answer

    async def _answered(self, asked: Asked) -> Answer:
        offered, tools = self._offers.get(asked.name), self._contributed.get(asked.name)
        if offered is None or tools is None:
            asked.caller.require("tools:execute")
            raise self._no_tool(asked.name)
        asked.caller.require(offered.scope)
        problems = check_arguments(self._tools[asked.name], asked.arguments)
        errors = [problem for problem in problems if problem.severity == "error"]
        started = time.perf_counter()
        try:
            if errors:
                told = f"the arguments of {asked.name!r} are wrong"
                raise Invalid("REQUEST_INVALID", told, problems=errors)
            answer = await tools.call(asked)
        except ToolweaveError as error:
            answer = refused(error)
        _note(asked.name, answer, started, _asker(asked.caller.context))
        return answer

    def _no_tool(self, name: str) -> MCPError:
        known = [str(entry["name"]) for entry in listed()]
        hint = did_you_mean(name, known) or f"there are {', '.join(known)}"
        return MCPError(types.INVALID_PARAMS, f"no tool {name[:100]!r}; {hint}")

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
        options = notification_options or NotificationOptions(
            resources_changed=True, tools_changed=True
        )
        return super().create_initialization_options(options, *args, **kwargs)


def build_server(
    catalog: LiveCatalog,
    toolbox: Toolbox,
    changes: Changes,
    contributed: Mapping[str, Tools] | None = None,
) -> Server[Any]:
    """One object for stdio and HTTP alike."""
    ours = CatalogServer(catalog, toolbox, contributed or {})
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
    _note(name, answer, started, asker)
    return answer


def _note(name: str, answer: Answer, started: float, asker: dict[str, Any]) -> None:
    took_ms = round((time.perf_counter() - started) * 1000, 3)
    is_error = bool(answer.get("isError")) if isinstance(answer, dict) else False
    told = {"tool": name, "is_error": is_error, "took_ms": took_ms}
    logger.info("tool call", extra={**asker, **told})


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


def _asker(context: Context) -> dict[str, Any]:
    """The request and its client, as the log of HTTP requests calls them."""
    if context.request is None:
        return {}
    state = context.request.state
    return {"request_id": state.request_id, "client": state.client}
