"""VS Code: `.vscode/mcp.json` in the workspace and `mcp.json` of each of the user's profiles.

`${input:id}` stays unchanged; its value is requested when the server starts.
"""

from toolweave.servers.discovery.json_client import JsonClient

client = JsonClient(
    "VS Code",
    project=(".vscode/mcp.json",),
    settings=("Code/User/mcp.json", "Code/User/profiles/*/mcp.json"),
    section="servers",
)
