"""Amazon Q: `mcp.json` of the command line and `default.json` of the editor extensions."""

from toolweave.servers.discovery.json_client import JsonClient

client = JsonClient(
    "Amazon Q",
    project=(".amazonq/mcp.json", ".amazonq/default.json"),
    user=(".aws/amazonq/mcp.json", ".aws/amazonq/default.json"),
)
