"""Continue: a list in `~/.continue/config.yaml`, and the files in `.continue/mcpServers`."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from toolweave.patterns import pattern
from toolweave.problems import Problem
from toolweave.servers.config_entry import ConfigDialect, as_object
from toolweave.servers.definition import Scope
from toolweave.servers.discovery.client import DiscoveredServer, FileProblem
from toolweave.servers.discovery.config_file import Format, Source, load
from toolweave.servers.discovery.locations import ClientLocations
from toolweave.servers.discovery.section import read_servers

_MOST_FILES = 200
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
                loaded.document,
                "mcpServers",
                dialect=_DIALECT,
                adapt=_adapted,
                is_list=True,
            )

    def _sources(self, places: ClientLocations) -> Iterator[Source]:
        for directory in places.project_directories():
            yield from self._files("project", directory / ".continue" / "mcpServers", directory)
        own = places.home / ".continue"
        yield Source(self.name, "user", own / "config.yaml", format="yaml")
        yield from self._files("user", own / "mcpServers", None)

    def _files(self, scope: Scope, folder: Path, directory: Path | None) -> Iterator[Source]:
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            return
        for name in names[:_MOST_FILES]:
            if (format_ := _FORMATS.get(Path(name).suffix)) is not None:
                yield Source(self.name, scope, folder / name, format=format_, directory=directory)


def _adapted(entry: dict[str, object], _at: str) -> tuple[dict[str, object], list[Problem]]:
    options = as_object(entry.get("requestOptions")) or {}
    return {**entry, "headers": entry.get("headers", options.get("headers"))}, []


client = Continue()
