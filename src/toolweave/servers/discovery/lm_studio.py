"""LM Studio: `~/.lmstudio/mcp.json`."""

from toolweave.servers.discovery.json_client import JsonClient

client = JsonClient("LM Studio", user=(".lmstudio/mcp.json",))
