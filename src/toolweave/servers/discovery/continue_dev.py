"""Continue: a list in `~/.continue/config.yaml`, and the files in `.continue/mcpServers`.

A JSON file there has the servers of another client, or is one server, which has the file's name.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from toolweave.patterns import pattern
from toolweave.problems import Problem
from toolweave.servers.config_entry import ConfigDialect, as_object
from toolweave.servers.definition import Scope
from toolweave.servers.discovery.client import DiscoveredServer, FileProblem
from toolweave.servers.discovery.config_file import Format, Source, files_in, load
from toolweave.servers.discovery.locations import ClientLocations
from toolweave.servers.discovery.remote_address import with_transport
from toolweave.servers.discovery.section import read_servers

_FORMATS: dict[str, Format] = {".yaml": "yaml", ".yml": "yaml", ".json": "jsonc"}
_SECRET = pattern(r"\$\{\{\s*(?:secrets|inputs|env)\.(\w+)\s*\}\}", re.ASCII)
_DIALECT = ConfigDialect(rewrite=lambda text: _SECRET.sub(r"${\1}", text))


class Continue:
    """The editor extension of Continue."""

    name = "Continue"

    def find(self, places: ClientLocations) -> Iterator[DiscoveredServer | FileProblem]:
        """Project and user servers."""
        for source in self._sources(places):
            loaded = load(source)
            yield from loaded.problems
            yield from read_servers(
                source,
                _with_section(source, loaded.document),
                "mcpServers",
                dialect=_DIALECT,
                adapt=_adapted,
                is_list=True,
            )

    def _sources(self, places: ClientLocations) -> Iterator[Source]:
        for directory in places.project_directories():
            yield from self._files("project", directory / ".continue" / "mcpServers", directory)
        own = places.variable("CONTINUE_GLOBAL_DIR") or places.home / ".continue"
        yield Source(self.name, "user", own / "config.yaml", format="yaml")
        yield from self._files("user", own / "mcpServers", None)

    def _files(self, scope: Scope, folder: Path, directory: Path | None) -> Iterator[Source]:
        for path in files_in(folder, "*"):
            if (format_ := _FORMATS.get(path.suffix)) is not None:
                yield Source(self.name, scope, path, format=format_, directory=directory)


def _with_section(source: Source, document: dict[str, object] | None) -> dict[str, object] | None:
    if document is None or source.format != "jsonc" or not document.keys() & {"command", "url"}:
        return document
    return {"mcpServers": {source.path.stem: document}}


def _adapted(entry: dict[str, object], at: str) -> tuple[dict[str, object], list[Problem]]:
    options = as_object(entry.get("requestOptions")) or {}
    headers = entry.get("headers", options.get("headers"))
    return with_transport({**entry, "headers": headers}, at, "Continue")


client = Continue()
