"""A client whose JSON files have a section of servers in the common format."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from toolweave.servers.config_entry import ConfigDialect
from toolweave.servers.definition import Scope
from toolweave.servers.discovery.client import DiscoveredServer, FileProblem
from toolweave.servers.discovery.config_file import Source, load
from toolweave.servers.discovery.locations import ClientLocations, folder_variables
from toolweave.servers.discovery.section import Adapt, keep_unchanged, read_servers


@dataclass(frozen=True, slots=True)
class JsonClient:
    """Paths are relative: to each project directory, the home, and the settings directory."""

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
                yield self._source("project", directory / path, directory)
        for path in self.user:
            own = places.variable(self.home_variable) if self.home_variable else None
            relative = Path(path)
            at = own.joinpath(*relative.parts[1:]) if own else places.home / relative
            yield self._source("user", at)
        for path in self.settings:
            yield self._source("user", places.settings_directory() / path)

    def _source(self, scope: Scope, path: Path, directory: Path | None = None) -> Source:
        return Source(self.name, scope, path, format="jsonc", directory=directory)
