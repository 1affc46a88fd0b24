"""GitHub Copilot in JetBrains IDEs: one file of the user, in the form of VS Code."""

from toolweave.servers.discovery.json_client import JsonClient

_FILE = "github-copilot/intellij/mcp.json"

client = JsonClient(
    "Copilot for JetBrains",
    user=(f".config/{_FILE}", f"AppData/Local/{_FILE}"),
    section="servers",
)
