"""Amazon Q: the files of the command line, of its agents and of the editor extensions."""

from toolweave.servers.discovery.json_client import JsonClient

client = JsonClient(
    "Amazon Q",
    project=(".amazonq/mcp.json", ".amazonq/default.json", ".amazonq/cli-agents/*.json"),
    user=(
        ".aws/amazonq/mcp.json",
        ".aws/amazonq/default.json",
        ".aws/amazonq/agents/default.json",
        ".aws/amazonq/cli-agents/*.json",
    ),
)
