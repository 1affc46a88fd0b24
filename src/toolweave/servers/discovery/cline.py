"""Cline: the settings of its extension, in each editor, and of its command line.

An address without a type is an SSE server there, as in its first versions. Its command line writes
type, command and address one level deeper, in `transport`.
"""

from toolweave.problems import Problem
from toolweave.servers.config_entry import as_object
from toolweave.servers.discovery.json_client import JsonClient, extension_settings


def _adapted(entry: dict[str, object], _at: str) -> tuple[dict[str, object], list[Problem]]:
    nested = as_object(entry.get("transport"))
    if nested is not None:
        entry = {**nested, **entry, "transport": None}
    stated = entry.get("type", entry.get("transportType"))
    return {**entry, "type": stated or ("sse" if entry.get("url") else None)}, []


client = JsonClient(
    "Cline",
    user=(".cline/data/settings/cline_mcp_settings.json",),
    settings=extension_settings("saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
    adapt=_adapted,
    home_variable="CLINE_DIR",
)
