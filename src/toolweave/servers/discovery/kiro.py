"""Kiro: `mcp.json` and agents of its command line, in the project and in the home directory."""

from toolweave.servers.discovery.json_client import JsonClient

_FILES = (".kiro/settings/mcp.json", ".kiro/agents/*.json")

client = JsonClient("Kiro", project=_FILES, user=_FILES)
