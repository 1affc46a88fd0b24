"""The code behind the tools of the menu: one line for each room that contributes some."""

from toolweave.mcp_server.calls import Tools
from toolweave.mcp_server.desk import Desk
from toolweave.mcp_server.offers import running
from toolweave.mcp_server.run_tools import RunTools


def contributed(desk: Desk) -> dict[str, Tools]:
    """Who answers which tool; the rooms are opened when one of them is first called."""
    tools: dict[str, Tools] = {}
    tools |= dict.fromkeys((offered.name for offered in running.OFFERS), RunTools(desk))
    return tools
