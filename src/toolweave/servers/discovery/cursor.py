"""Cursor: `.cursor/mcp.json` in the project and in the home directory."""

from toolweave.servers.discovery.json_client import JsonClient

client = JsonClient("Cursor", project=(".cursor/mcp.json",), user=(".cursor/mcp.json",))
