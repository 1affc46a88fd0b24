"""VS Code: `.vscode/mcp.json` in the workspace and `mcp.json` of the user's default profile.

`${input:id}` stays unchanged; its value is requested when the server starts.
"""

from collections.abc import Iterator

from toolweave.servers.config_entry import ConfigDialect
from toolweave.servers.discovery.client import DiscoveredServer, FileProblem
from toolweave.servers.discovery.config_file import Source, load
from toolweave.servers.discovery.locations import ClientLocations, folder_variables
from toolweave.servers.discovery.section import read_servers


class VsCode:
    """The editor of Microsoft."""

    name = "VS Code"

    def find(self, places: ClientLocations) -> Iterator[DiscoveredServer | FileProblem]:
        """Workspace and user servers."""
        for directory in places.project_directories():
            path = directory / ".vscode" / "mcp.json"
            yield from _read(
                Source(self.name, "project", path, format="jsonc", directory=directory), places
            )
        path = places.settings_directory() / "Code" / "User" / "mcp.json"
        yield from _read(Source(self.name, "user", path, format="jsonc"), places)


def _read(source: Source, places: ClientLocations) -> Iterator[DiscoveredServer | FileProblem]:
    loaded = load(source)
    yield from loaded.problems
    rewrite = folder_variables(source.directory or places.project, places.home)
    yield from read_servers(
        source, loaded.document, "servers", dialect=ConfigDialect(rewrite=rewrite)
    )


client = VsCode()
