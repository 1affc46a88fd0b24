"""Zed: `context_servers` in `settings.json` of the project and of the user."""

from collections.abc import Iterator
from pathlib import Path

from toolweave.problems import Problem
from toolweave.servers.config_entry import as_object, config_pointer
from toolweave.servers.discovery.client import DiscoveredServer, FileProblem
from toolweave.servers.discovery.config_file import Source, load
from toolweave.servers.discovery.locations import ClientLocations
from toolweave.servers.discovery.section import read_servers


class Zed:
    """The editor of Zed Industries."""

    name = "Zed"

    def find(self, places: ClientLocations) -> Iterator[DiscoveredServer | FileProblem]:
        """Project and user servers."""
        for source in self._sources(places):
            loaded = load(source)
            yield from loaded.problems
            yield from read_servers(source, loaded.document, "context_servers", adapt=_adapted)

    def _sources(self, places: ClientLocations) -> Iterator[Source]:
        for directory in places.project_directories():
            path = directory / ".zed" / "settings.json"
            yield Source(self.name, "project", path, format="jsonc", directory=directory)
        path = _settings_directory(places) / "settings.json"
        yield Source(self.name, "user", path, format="jsonc")


def _settings_directory(places: ClientLocations) -> Path:
    if places.platform == "win32":
        return places.settings_directory() / "Zed"
    own = places.variable("XDG_CONFIG_HOME") if places.platform == "linux" else None
    return (own or places.home / ".config") / "zed"


def _adapted(entry: dict[str, object], at: str) -> tuple[dict[str, object], list[Problem]]:
    """Read the older form of commands; what an extension starts is not in the file."""
    command = as_object(entry.get("command"))
    if command is not None:
        return {**entry, **command, "command": command.get("path")}, []
    if "command" in entry or "url" in entry:
        return entry, []
    reason = Problem(
        "SERVER_KEY_IGNORED",
        at + config_pointer("source"),
        "an extension of Zed starts this server; its command is not in the file",
        hint="add the server with `toolweave servers add`",
        severity="warning",
    )
    return entry, [reason]


client = Zed()
