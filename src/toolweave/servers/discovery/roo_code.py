"""Roo Code: `.roo/mcp.json` in the project and the settings of its VS Code extension."""

from toolweave.servers.discovery.json_client import JsonClient

client = JsonClient(
    "Roo Code",
    project=(".roo/mcp.json",),
    settings=("Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",),
)
