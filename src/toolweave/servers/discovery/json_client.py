"""A client whose JSON files have a section of servers in the common format."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from toolweave.servers.config_entry import ConfigDialect
from toolweave.servers.definition import Scope
from toolweave.servers.discovery.client import DiscoveredServer, FileProblem
from toolweave.servers.discovery.config_file import Source, files_in, load
from toolweave.servers.discovery.locations import ClientLocations, folder_variables
from toolweave.servers.discovery.section import Adapt, keep_unchanged, read_servers

# Editors that run the extensions of VS Code.
_EDITORS = ("Code", "Code - Insiders", "Cursor", "Windsurf", "VSCodium")


def extension_settings(path: str) -> tuple[str, ...]:
    """Return the paths of an extension's own file, below the settings directory."""
    return tuple(f"{editor}/User/globalStorage/{path}" for editor in _EDITORS)


@dataclass(frozen=True, slots=True)
class JsonClient:
    """Paths are relative: to each project directory, the home, and the settings directory.

    `*` stands for every file of a directory, or for every directory.
    """

    name: str
    project: tuple[str, ...] = ()
    user: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    section: str = "mcpServers"
    adapt: Adapt = keep_unchanged
    # An environment variable that replaces the first part of the paths in `user`.
    home_variable: str | None = None

    def find(self, places: ClientLocations) -> Iterator[DiscoveredServer | FileProblem]:
        """Project and user servers."""
        for source in self._sources(places):
            loaded = load(source)
            yield from loaded.problems
            rewrite = folder_variables(source.directory or places.project, places.home)
            yield from read_servers(
                source,
                loaded.document,
                self.section,
                dialect=ConfigDialect(rewrite=rewrite),
                adapt=self.adapt,
            )

    def _sources(self, places: ClientLocations) -> Iterator[Source]:
        for directory in places.project_directories():
            for path in self.project:
                yield from self._files("project", directory, path, directory)
        own = places.variable(self.home_variable) if self.home_variable else None
        for path in self.user:
            inside = path.partition("/")[2] if own else path
            yield from self._files("user", own or places.home, inside)
        for path in self.settings:
            yield from self._files("user", places.settings_directory(), path)

    def _files(
        self, scope: Scope, base: Path, relative: str, directory: Path | None = None
    ) -> Iterator[Source]:
        for file in files_in(base, relative):
            yield Source(self.name, scope, file, format="jsonc", directory=directory)
