"""Goose: `extensions` in `config.yaml` of the user; built-in extensions are no MCP servers."""

from collections.abc import Iterator
from pathlib import Path

from toolweave.problems import Problem
from toolweave.servers.config_entry import as_list, as_object
from toolweave.servers.discovery.client import DiscoveredServer, FileProblem
from toolweave.servers.discovery.config_file import Source, load
from toolweave.servers.discovery.locations import ClientLocations
from toolweave.servers.discovery.section import read_servers

_TRANSPORTS = {"stdio": "stdio", "sse": "sse", "streamable_http": "http"}


class Goose:
    """The agent of Block."""

    name = "Goose"

    def find(self, places: ClientLocations) -> Iterator[DiscoveredServer | FileProblem]:
        """User servers."""
        source = Source(self.name, "user", _directory(places) / "config.yaml", format="yaml")
        loaded = load(source)
        yield from loaded.problems
        yield from read_servers(source, _servers_of(loaded.document), "extensions", adapt=_adapted)


def _directory(places: ClientLocations) -> Path:
    if (root := places.variable("GOOSE_PATH_ROOT")) is not None:
        return root / "config"
    if places.platform == "win32":
        return places.settings_directory() / "Block" / "goose" / "config"
    return (places.variable("XDG_CONFIG_HOME") or places.home / ".config") / "goose"


def _servers_of(document: dict[str, object] | None) -> dict[str, object]:
    """Return the document without the extensions that are part of Goose."""
    extensions = as_object((document or {}).get("extensions"))
    if extensions is None:
        return document or {}
    servers = {
        name: entry
        for name, entry in extensions.items()
        if _details(as_object(entry) or {}).get("type", "stdio") in _TRANSPORTS
    }
    return {"extensions": servers}


def _details(entry: dict[str, object]) -> dict[str, object]:
    return as_object(entry.get("config")) or entry


def _adapted(entry: dict[str, object], _at: str) -> tuple[dict[str, object], list[Problem]]:
    """Use the common keys; variables in `env_keys` come from the environment or a keyring."""
    details = _details(entry)
    kept = {str(name): f"${{{name}}}" for name in as_list(details.get("env_keys")) or []}
    return {
        "type": _TRANSPORTS.get(str(details.get("type", "stdio"))),
        "command": details.get("cmd"),
        "args": details.get("args"),
        "env": {**kept, **(as_object(details.get("envs")) or {})},
        "url": details.get("uri"),
        "headers": details.get("headers"),
        "enabled": entry.get("enabled"),
        "enabled_tools": details.get("available_tools"),
    }, []


client = Goose()
