"""GitHub Copilot in JetBrains IDEs: one file of the user, in the form of VS Code.

The headers of an address stand in `requestInit`.
"""

from toolweave.problems import Problem
from toolweave.servers.config_entry import as_object
from toolweave.servers.discovery.json_client import JsonClient

_FILE = "github-copilot/intellij/mcp.json"


def _adapted(entry: dict[str, object], _at: str) -> tuple[dict[str, object], list[Problem]]:
    request = as_object(entry.get("requestInit")) or {}
    return {**entry, "headers": entry.get("headers", request.get("headers"))}, []


client = JsonClient(
    "Copilot for JetBrains",
    user=(f".config/{_FILE}", f"AppData/Local/{_FILE}"),
    section="servers",
    adapt=_adapted,
)
