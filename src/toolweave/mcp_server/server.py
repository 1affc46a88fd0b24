"""The SDK's server object around our toolbox: tools, catalog resources, completion."""

from typing import Any, cast

import mcp_types as types
from mcp.server import CacheHint, Server, ServerRequestContext
from mcp.shared.exceptions import MCPError

import toolweave
from toolweave.catalog.corrections import Missing, correct
from toolweave.catalog.knowledge import Knowledge
from toolweave.catalog.serialise import serialise
from toolweave.catalog.toolbox import Toolbox
from toolweave.json_text import JsonObject, write
from toolweave.mcp_server.identity import INSTRUCTIONS, NAME, TITLE, TOOLS_FRESH_MS

Context = ServerRequestContext[Any, Any]  # Any: this server keeps no state per session

PREFIX = "toolweave://catalog/"


class CatalogServer:
    """Answers the protocol's questions about tools and the catalog."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._toolbox = Toolbox(knowledge)

    async def list_tools(self, _: Context, __: object) -> types.ListToolsResult:
        """Every tool, on one page."""
        tools = [types.Tool.model_validate(entry) for entry in self._toolbox.definitions]
        return types.ListToolsResult(tools=tools)

    async def call_tool(
        self, _: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """One call; an unknown tool is a protocol error, as the specification asks."""
        if not self._toolbox.knows(params.name):
            hint = self._toolbox.did_you_mean(params.name)
            raise MCPError(types.INVALID_PARAMS, f"no tool {params.name!r}; {hint}")
        answer = self._toolbox.call(params.name, cast("JsonObject", params.arguments or {}))
        return types.CallToolResult.model_validate(answer)

    async def list_resources(self, _: Context, __: object) -> types.ListResourcesResult:
        """The whole catalog, and each type of it."""
        listed = [
            types.Resource(
                uri=PREFIX + "types",
                name="node-types",
                title="All node types",
                mime_type="application/json",
            )
        ]
        for node_type in self._knowledge.catalog.types():
            listed.append(
                types.Resource(
                    uri=PREFIX + node_type,
                    name=node_type,
                    title=f"The {node_type} nodes",
                    mime_type="application/json",
                )
            )
        return types.ListResourcesResult(resources=listed)

    async def list_templates(self, _: Context, __: object) -> types.ListResourceTemplatesResult:
        """One node's specification."""
        template = types.ResourceTemplate(
            uri_template=PREFIX + "{node_type}/{subtype}",
            name="node-spec",
            title="One node's specification",
            mime_type="application/json",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(
        self, _: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """`…/types`, `…/FLOW` or `…/FLOW/IF`."""
        uri = str(params.uri)
        text = write(self._resource(uri), pretty=True)
        contents = types.TextResourceContents(uri=uri, mime_type="application/json", text=text)
        return types.ReadResourceResult(contents=[contents])

    async def complete(
        self, _: Context, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        """Types and subtypes that begin with what was typed."""
        known = self._knowledge.catalog.types()
        given = params.context.arguments if params.context else None
        if params.argument.name == "node_type":
            candidates = list(known)
        elif params.argument.name == "subtype":
            only = (given or {}).get("node_type")
            candidates = (
                known.get(only, []) if only else [s for each in known.values() for s in each]
            )
        else:
            candidates = []
        typed = params.argument.value.upper()
        found = [name for name in candidates if name.startswith(typed)]
        values = found[:100]
        return types.CompleteResult(
            completion=types.Completion(
                values=values, total=len(found), has_more=len(found) > len(values)
            )
        )

    def _resource(self, uri: str) -> JsonObject:
        path = uri.removeprefix(PREFIX)
        if not uri.startswith(PREFIX) or path.count("/") > 1:
            raise _no_resource(uri)
        if path == "types":
            return self._knowledge.node_types()
        node_type, slash, subtype = path.partition("/")
        if not slash:
            subtypes = self._knowledge.catalog.types(node_type)
            if not subtypes:
                raise _no_resource(uri)
            return {node_type: list(subtypes[node_type])}
        found = correct(self._knowledge.catalog, node_type, subtype)
        if isinstance(found, Missing):
            raise _no_resource(uri, found.hint)
        return serialise(found.spec)


def _no_resource(uri: str, hint: str | None = None) -> MCPError:
    return MCPError(
        types.INVALID_PARAMS, f"no resource {uri!r}; {hint or '`resources/list` has the addresses'}"
    )


def build_server(knowledge: Knowledge) -> Server[Any]:
    """One object for stdio and HTTP alike."""
    ours = CatalogServer(knowledge)
    hint = CacheHint(ttl_ms=TOOLS_FRESH_MS, scope="public")
    return Server(
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
    )
