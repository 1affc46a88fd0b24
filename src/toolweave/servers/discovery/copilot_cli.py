"""Copilot CLI: `~/.copilot/mcp-config.json`, and `.github/mcp.json` of the project."""

from toolweave.problems import Problem
from toolweave.servers.discovery.json_client import JsonClient


def _adapted(entry: dict[str, object], _at: str) -> tuple[dict[str, object], list[Problem]]:
    tools = entry.get("tools")
    changed = {**entry, "enabled_tools": None if tools == ["*"] else tools}
    return {**changed, "type": "stdio"} if entry.get("type") == "local" else changed, []


client = JsonClient(
    "Copilot CLI",
    project=(".github/mcp.json",),
    user=(".copilot/mcp-config.json",),
    adapt=_adapted,
    home_variable="COPILOT_HOME",
)
