"""Roo Code: `.roo/mcp.json` in the project and the settings of its extension, in each editor."""

from toolweave.servers.discovery.json_client import JsonClient, extension_settings

client = JsonClient(
    "Roo Code",
    project=(".roo/mcp.json",),
    settings=extension_settings("rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
)
