"""OpenCode: `mcp` in `opencode.json` of the project and of the user.

A command is one list with its arguments, and `{env:NAME}` is a variable. Newer versions have the
servers one level deeper, in `mcp.servers`.
"""

from collections.abc import Iterator

from toolweave.patterns import pattern
from toolweave.problems import Problem
from toolweave.servers.config_entry import ConfigDialect, as_list, as_object
from toolweave.servers.discovery.client import DiscoveredServer, FileProblem
from toolweave.servers.discovery.config_file import Source, load
from toolweave.servers.discovery.locations import ClientLocations
from toolweave.servers.discovery.section import read_servers

_FILES = ("opencode.json", "opencode.jsonc")
_VARIABLE = pattern(r"\{env:([^{}:]+)\}")
_DIALECT = ConfigDialect(rewrite=lambda text: _VARIABLE.sub(r"${\1}", text))


class OpenCode:
    """The command-line agent of Anomaly."""

    name = "OpenCode"

    def find(self, places: ClientLocations) -> Iterator[DiscoveredServer | FileProblem]:
        """Project and user servers."""
        for source in self._sources(places):
            loaded = load(source)
            yield from loaded.problems
            document = loaded.document or {}
            yield from read_servers(
                source, document, *_section(document), dialect=_DIALECT, adapt=_adapted
            )

    def _sources(self, places: ClientLocations) -> Iterator[Source]:
        for directory in places.project_directories():
            for folder in (directory, directory / ".opencode"):
                for file in _FILES:
                    yield Source(
                        self.name, "project", folder / file, format="jsonc", directory=directory
                    )
        if (file := places.variable("OPENCODE_CONFIG")) is not None:
            yield Source(self.name, "user", file, format="jsonc")
        own = (places.variable("XDG_CONFIG_HOME") or places.home / ".config") / "opencode"
        for folder in filter(None, (places.variable("OPENCODE_CONFIG_DIR"), own)):
            for name in ("config.json", *_FILES):
                yield Source(self.name, "user", folder / name, format="jsonc")


def _section(document: dict[str, object]) -> tuple[str, ...]:
    servers = as_object((as_object(document.get("mcp")) or {}).get("servers"))
    is_server = servers is None or isinstance(servers.get("type"), str)
    return ("mcp",) if is_server else ("mcp", "servers")


def _adapted(entry: dict[str, object], _at: str) -> tuple[dict[str, object], list[Problem]]:
    if entry.get("type") == "remote":
        return {**entry, "type": "http"}, []
    command = as_list(entry.get("command"))
    if not command:
        return entry, []
    changed = {"type": "stdio", "command": command[0], "args": command[1:]}
    return {**entry, **changed, "env": entry.get("environment")}, []


client = OpenCode()
