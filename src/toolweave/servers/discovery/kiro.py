"""Kiro: `.kiro/settings/mcp.json` in the project and in the home directory."""

from toolweave.servers.discovery.json_client import JsonClient

client = JsonClient("Kiro", project=(".kiro/settings/mcp.json",), user=(".kiro/settings/mcp.json",))
