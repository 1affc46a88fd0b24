"""The SDK's server with our tools, resources and completion."""

import logging
from hashlib import sha256
from typing import Any

import mcp_types as types
from mcp.server import CacheHint, Server
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware
from mcp.server.lowlevel import NotificationOptions
from mcp.server.models import InitializationOptions
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

import toolweave
from toolweave.access.authorization import method_rule, resource_rule
from toolweave.authoring.live_catalog import LiveCatalog
from toolweave.catalog.tool_service import ToolService
from toolweave.json_text import write
from toolweave.mcp_server import resources
from toolweave.mcp_server.app_resource import read_app
from toolweave.mcp_server.context import McpContext
from toolweave.mcp_server.home_resources import SCHEME, HomeResources
from toolweave.mcp_server.identity import INSTRUCTIONS, NAME, TITLE, TOOLS_FRESH_MS
from toolweave.mcp_server.library_prompts import LibraryPrompts
from toolweave.mcp_server.library_resources import PREFIX as LIBRARIES
from toolweave.mcp_server.library_resources import LibraryResources
from toolweave.mcp_server.list_changes import Changes
from toolweave.mcp_server.signed_state import sealing
from toolweave.mcp_server.skills import EXTENSION as SKILL_EXTENSION
from toolweave.mcp_server.skills import PREFIX as SKILLS
from toolweave.mcp_server.skills import SkillMethods
from toolweave.mcp_server.tasks import TaskMethods
from toolweave.mcp_server.tool_call import Context, McpCaller, ResourceReader, asker
from toolweave.mcp_server.tools import McpTools
from toolweave.publishing.app_page import EXTENSION as APP_EXTENSION
from toolweave.publishing.app_page import PREFIX as APPS

logger = logging.getLogger("toolweave.mcp")


CATALOG = resource_rule("catalog")


class ResourceServer:
    """Serves the catalog, and what the home holds, as resources."""

    def __init__(
        self, catalog: LiveCatalog, context: McpContext | None, prompts: LibraryPrompts
    ) -> None:
        self._catalog = catalog
        self._prompts = prompts
        self._home = HomeResources(context.studio) if context else None
        self._libraries = LibraryResources(context) if context else None
        self._published = context.published if context else None
        self.skills = SkillMethods(context.studio if context else None)

    async def list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """List the catalog and what the home holds, as far as the caller may read it."""
        caller = McpCaller(context)
        entries = resources.entries(self._catalog.knowledge) if caller.may(CATALOG) else []
        held = await self._home.visible(caller.reader) if self._home else []
        offered = await self._libraries.visible(caller.reader) if self._libraries else []
        return resources.page([*entries, *held, *offered], params.cursor if params else None)

    async def list_templates(
        self, context: Context, _: object
    ) -> types.ListResourceTemplatesResult:
        """List the templates that the caller may use."""
        caller = McpCaller(context)
        shown = [resources.template()] if caller.may(CATALOG) else []
        held = self._home.templates(caller.reader) if self._home else []
        offered = await self._libraries.templates(caller.reader) if self._libraries else []
        return types.ListResourceTemplatesResult(resource_templates=[*shown, *held, *offered])

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Read an entry of the catalog, or something of the home."""
        caller, uri = McpCaller(context), str(params.uri)
        if uri.startswith(SKILLS):
            return types.ReadResourceResult(contents=[await self.skills.read(caller, uri)])
        if uri.startswith(APPS) and self._published is not None:
            return types.ReadResourceResult(contents=[await read_app(self._published, caller, uri)])
        if self._libraries and _is_of_library(uri):
            found = await self._libraries.read(caller.reader, uri)
            if found is not None:
                return types.ReadResourceResult(contents=[found])
        if self._home and not uri.startswith(resources.PREFIX):
            return types.ReadResourceResult(contents=[await self._home.read(caller.reader, uri)])
        caller.require(CATALOG)
        text = write(resources.read(self._catalog.knowledge, uri), pretty=True)
        contents = types.TextResourceContents(uri=uri, mime_type="application/json", text=text)
        return types.ReadResourceResult(contents=[contents])

    async def version(self, reader: ResourceReader, uri: str) -> str:
        """Return what differs after a change of a resource.

        Raises:
            MCPError: the reader may not read it, or there is none.
        """
        if uri.startswith((SKILLS, APPS)):
            message = f"{uri[:200]!r} cannot be watched; its workflow can"
            raise MCPError(types.INVALID_PARAMS, message, data={"uri": uri[:2000]})
        if self._libraries and _is_of_library(uri):
            found = await self._libraries.version(reader, uri)
            if found is not None:
                return found
        if self._home and not uri.startswith(resources.PREFIX):
            return await self._home.version(reader, uri)
        reader.require(CATALOG)
        text = write(resources.read(self._catalog.knowledge, uri))
        return sha256(text.encode()).hexdigest()

    async def complete(
        self, context: Context, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        """Complete the arguments of templates and prompts."""
        caller, ref = McpCaller(context), params.ref
        if isinstance(ref, types.PromptReference):
            caller.require(method_rule("prompts/get"))
            values = await self._prompts.complete(ref.name, params.argument.name)
            return types.CompleteResult(
                completion=resources.completed(values, params.argument.value)
            )
        if self._home:
            names = await self._home.complete(caller.reader, ref.uri, params.argument.name)
            if names is not None:
                completion = resources.completed(names, params.argument.value)
                return types.CompleteResult(completion=completion)
        caller.require(CATALOG)
        completion = resources.complete(self._catalog.knowledge, params)
        return types.CompleteResult(completion=completion)


def _is_of_library(uri: str) -> bool:
    return uri.startswith(LIBRARIES) or not uri.startswith(SCHEME)


class _Server(Server[Any]):
    """Also announces list changes to clients of the session protocol."""

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *args: Any, **kwargs: Any
    ) -> InitializationOptions:
        """The SDK's options with change notifications, without extensions of the newer protocol."""
        changing = NotificationOptions(resources_changed=True, tools_changed=True)
        options = super().create_initialization_options(
            notification_options or changing, *args, **kwargs
        )
        options.capabilities.extensions = None
        return options


def build_server(
    catalog: LiveCatalog,
    tool_service: ToolService,
    changes: Changes,
    context: McpContext | None = None,
) -> Server[Any]:
    """The server for stdio and HTTP; without a context it runs no workflows."""
    prompts = LibraryPrompts(context)
    ours, tools = ResourceServer(catalog, context, prompts), McpTools(tool_service, context)
    changes.subscriptions.read_by(ours.version)
    server = _Server(
        NAME,
        version=toolweave.__version__,
        title=TITLE,
        instructions=INSTRUCTIONS,
        cache_hints={
            # The list of tools depends on the API key.
            "tools/list": CacheHint(ttl_ms=TOOLS_FRESH_MS, scope="private"),
            "server/discover": CacheHint(ttl_ms=TOOLS_FRESH_MS, scope="public"),
        },
        get_tool_input_schema=tools.input_schema,
        on_list_tools=tools.list_tools,
        on_call_tool=tools.call_tool,
        on_list_resources=ours.list_resources,
        on_list_resource_templates=ours.list_templates,
        on_read_resource=ours.read_resource,
        on_completion=ours.complete,
        on_list_prompts=prompts.list_prompts,
        on_get_prompt=prompts.get_prompt,
        on_subscribe_resource=changes.subscriptions.subscribe,
        on_unsubscribe_resource=changes.subscriptions.unsubscribe,
        on_subscriptions_listen=changes.listen,
    )
    server.add_notification_handler(
        "notifications/initialized", types.NotificationParams, changes.meet
    )
    TaskMethods(context).serve(server)
    ours.skills.serve(server)
    server.extensions[APP_EXTENSION] = {}
    server.middleware += [
        _contain,
        _announce({name: server.extensions[name] for name in (SKILL_EXTENSION, APP_EXTENSION)}),
        _authorize(server),
        sealing(context.seal_key if context else None),
    ]
    return server


def _announce(extensions: dict[str, Any]) -> ServerMiddleware[Any]:
    """Add extensions to the handshake of the older protocol, from which the SDK drops them."""

    async def add(ctx: Context, call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method != "initialize" or result is None:
            return result
        plain = (
            result
            if isinstance(result, dict)
            else result.model_dump(by_alias=True, mode="json", exclude_none=True)
        )
        capabilities = {**plain.get("capabilities", {}), "extensions": extensions}
        return {**plain, "capabilities": capabilities}

    return add


def _authorize(server: Server[Any]) -> ServerMiddleware[Any]:
    """Check every request that has a handler against the authorisation table."""

    async def check(ctx: Context, call_next: CallNext) -> HandlerResult:
        if server.get_request_handler(ctx.method) is not None:
            McpCaller(ctx).require(method_rule(ctx.method))
        return await call_next(ctx)

    return check


async def _contain(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Hide the text of unexpected exceptions, which the SDK would send to the client."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except Exception:
        logger.exception("request failed", extra={**asker(ctx), "method": ctx.method})
        message = "internal error; see the server's log"
        raise MCPError(types.INTERNAL_ERROR, message) from None
