"""Cursor: `.cursor/mcp.json` in the project and in the home directory."""

from collections.abc import Iterator

from toolweave.servers.config_entry import ConfigDialect
from toolweave.servers.discovery.client import DiscoveredServer, FileProblem
from toolweave.servers.discovery.config_file import Source, load
from toolweave.servers.discovery.locations import ClientLocations, folder_variables
from toolweave.servers.discovery.section import read_servers


class Cursor:
    """The editor of Anysphere."""

    name = "Cursor"

    def find(self, places: ClientLocations) -> Iterator[DiscoveredServer | FileProblem]:
        """Project and user servers."""
        for directory in places.project_directories():
            path = directory / ".cursor" / "mcp.json"
            yield from _read(
                Source(self.name, "project", path, format="jsonc", directory=directory), places
            )
        path = places.home / ".cursor" / "mcp.json"
        yield from _read(Source(self.name, "user", path, format="jsonc"), places)


def _read(source: Source, places: ClientLocations) -> Iterator[DiscoveredServer | FileProblem]:
    loaded = load(source)
    yield from loaded.problems
    rewrite = folder_variables(source.directory or places.project, places.home)
    yield from read_servers(
        source, loaded.document, "mcpServers", dialect=ConfigDialect(rewrite=rewrite)
    )


client = Cursor()
