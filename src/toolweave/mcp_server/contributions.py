"""The code behind the tools of the menu: one line for each room that contributes some."""

from toolweave.mcp_server.calls import Rooms, Tools
from toolweave.mcp_server.offers import running
from toolweave.mcp_server.run_tools import RunTools


def contributed(rooms: Rooms) -> dict[str, Tools]:
    """Who answers which tool; `rooms` are opened when one of them is first called."""
    tools: dict[str, Tools] = {}
    tools |= dict.fromkeys((offered.name for offered in running.OFFERS), RunTools(rooms))
    return tools
