"""The code behind the tools of the menu: one line for each room that contributes some."""

from toolweave.mcp_server.authoring import AuthoringTools
from toolweave.mcp_server.context import McpContext
from toolweave.mcp_server.definitions import authoring, library, running
from toolweave.mcp_server.library_tools import LibraryTools
from toolweave.mcp_server.run_tools import RunTools
from toolweave.mcp_server.tool_call import Tools


def contributed(desk: McpContext) -> dict[str, Tools]:
    """Who answers which tool; the rooms are opened when one of them is first called."""
    tools: dict[str, Tools] = {}
    tools |= dict.fromkeys((one.name for one in authoring.OFFERS), AuthoringTools(desk))
    tools |= dict.fromkeys((one.name for one in running.OFFERS), RunTools(desk))
    tools |= dict.fromkeys((one.name for one in library.OFFERS), LibraryTools(desk))
    return tools
