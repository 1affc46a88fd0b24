"""Junie of JetBrains: `.junie/mcp/mcp.json` in the project and in the home directory.

`JUNIE_HOME` replaces `~/.junie`.
"""

from toolweave.servers.discovery.json_client import JsonClient

_FILE = ".junie/mcp/mcp.json"

client = JsonClient("Junie", project=(_FILE,), user=(_FILE,), home_variable="JUNIE_HOME")
