"""Windsurf, its preview and its plugin for JetBrains; a remote server has a `serverUrl`."""

from toolweave.problems import Problem
from toolweave.servers.discovery.json_client import JsonClient
from toolweave.servers.discovery.remote_address import with_transport


def _adapted(entry: dict[str, object], at: str) -> tuple[dict[str, object], list[Problem]]:
    url = entry.get("serverUrl", entry.get("url"))
    return with_transport({**entry, "url": url}, at, "Windsurf")


client = JsonClient(
    "Windsurf",
    user=(
        ".codeium/windsurf/mcp_config.json",
        ".codeium/windsurf-next/mcp_config.json",
        ".codeium/mcp_config.json",
    ),
    adapt=_adapted,
)
