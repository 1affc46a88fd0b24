"""JetBrains AI Assistant, from 2025.3: `.ai/mcp/mcp.json` in the project and in the home directory.

Older versions keep their servers in the XML settings of each IDE, which are not read.
"""

from toolweave.servers.discovery.json_client import JsonClient

client = JsonClient(
    "JetBrains AI Assistant", project=(".ai/mcp/mcp.json",), user=(".ai/mcp/mcp.json",)
)
