"""The page of a published workflow's app, as the resource that its tool names."""

import mcp_types as types
from anyio.to_thread import run_sync
from mcp.shared.exceptions import MCPError

from toolweave.access.authorization import resource_rule
from toolweave.errors import Unavailable
from toolweave.mcp_server.tool_call import McpCaller
from toolweave.publishing.app_page import MIME_TYPE, app_page, tool_of
from toolweave.publishing.service import Published

READ = resource_rule("apps")


async def read_app(published: Published, caller: McpCaller, uri: str) -> types.TextResourceContents:
    """Read the page of a tool's app.

    Raises:
        MCPError: the caller may not, there is none, or it was not built.
    """
    caller.require(READ)
    tool = tool_of(uri)
    one = await published.get(tool) if tool else None
    if tool is None or one is None or not (caller.key is None or caller.key.allows_tool(tool)):
        message = f"no app {uri[:200]!r}; a published tool names its app in `_meta`"
        raise MCPError(types.INVALID_PARAMS, message, data={"uri": uri[:2000]})
    try:
        text = await run_sync(app_page, tool)
    except Unavailable as error:
        message = f"{error.message}; {error.hint}"
        raise MCPError(types.INTERNAL_ERROR, message, data=error.as_json()) from None
    # It loads nothing from anywhere, so it asks for no origins.
    shown = {"ui": {"prefersBorder": True}}
    return types.TextResourceContents(uri=uri, mime_type=MIME_TYPE, text=text, _meta=shown)
