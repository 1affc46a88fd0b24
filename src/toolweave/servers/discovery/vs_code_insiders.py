"""VS Code Insiders: `mcp.json` of the user's profiles; workspaces are those of VS Code."""

from toolweave.servers.discovery.json_client import JsonClient

client = JsonClient(
    "VS Code Insiders",
    settings=("Code - Insiders/User/mcp.json", "Code - Insiders/User/profiles/*/mcp.json"),
    section="servers",
)
