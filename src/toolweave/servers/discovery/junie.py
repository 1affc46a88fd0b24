"""Junie of JetBrains: `.junie/mcp/mcp.json` in the project and in the home directory."""

from toolweave.servers.discovery.json_client import JsonClient

client = JsonClient("Junie", project=(".junie/mcp/mcp.json",), user=(".junie/mcp/mcp.json",))
