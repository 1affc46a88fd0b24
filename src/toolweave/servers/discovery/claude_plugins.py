"""Plugins of Claude Code: the servers that an installed plugin brings.

`~/.claude/plugins/installed_plugins.json` names the directory of each; its servers are in
`.mcp.json` and in `mcpServers` of `.claude-plugin/plugin.json` as an object, a path, or several, of
which the last one wins.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from toolweave.patterns import pattern
from toolweave.servers.config_entry import ConfigDialect, as_list, as_object
from toolweave.servers.discovery.client import DiscoveredServer, FileProblem
from toolweave.servers.discovery.config_file import Source, load
from toolweave.servers.discovery.locations import ClientLocations
from toolweave.servers.discovery.section import Off, read_servers

_SECTION = "mcpServers"
_UNNAMED = pattern(r"[^a-zA-Z0-9_-]", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Folders:
    """The folders that an entry may name: of the plugin, of its data, of the project."""

    root: Path
    data: Path
    project: Path

    def filled_in(self, text: str) -> str:
        """Return a text with the folders in place of their variables."""
        text = text.replace("${CLAUDE_PLUGIN_ROOT}", str(self.root))
        text = text.replace("${CLAUDE_PLUGIN_DATA}", str(self.data))
        return text.replace("${CLAUDE_PROJECT_DIR}", str(self.project))


class ClaudePlugins:
    """Packages of commands, skills and servers for Claude Code."""

    name = "Claude Code plugins"

    def find(self, places: ClientLocations) -> Iterator[DiscoveredServer | FileProblem]:
        """The servers of every plugin that is installed for the user or this project."""
        own = places.variable("CLAUDE_CONFIG_DIR") or places.home / ".claude"
        listed = load(Source(self.name, "user", own / "plugins" / "installed_plugins.json"))
        yield from listed.problems
        switched = _switches(own, places)
        plugins = as_object((listed.document or {}).get("plugins")) or {}
        for plugin, installs in plugins.items():
            data = own / "plugins" / "data" / _UNNAMED.sub("-", plugin)
            for root in _directories(installs, places):
                folders = _Folders(root, data, places.project)
                yield from self._servers(folders, _off_if(switched.get(plugin) is False))

    def _servers(self, folders: _Folders, is_off: Off) -> Iterator[DiscoveredServer | FileProblem]:
        root = folders.root
        manifest = Source(self.name, "user", root / ".claude-plugin" / "plugin.json")
        loaded = load(manifest)
        yield from loaded.problems
        stated = (loaded.document or {}).get(_SECTION)
        read: set[Path] = set()
        # Of entries with one name, the one that is found first is used.
        for part in [*reversed(as_list(stated) or [stated]), ".mcp.json"]:
            if (inline := as_object(part)) is not None:
                yield from _read(manifest, {_SECTION: inline}, folders, is_off)
            file = _inside(root, part) if isinstance(part, str) else None
            if file is None or file in read:
                continue
            read.add(file)
            source = Source(self.name, "user", file)
            shared = load(source)
            yield from shared.problems
            if shared.document is not None:
                yield from _read(source, shared.document, folders, is_off)


def _read(
    source: Source, document: dict[str, object], folders: _Folders, is_off: Off
) -> Iterator[DiscoveredServer | FileProblem]:
    steps = (_SECTION,) if _SECTION in document else ()
    dialect = ConfigDialect(rewrite=folders.filled_in)
    yield from read_servers(source, document, *steps, dialect=dialect, is_off=is_off)


def _switches(own: Path, places: ClientLocations) -> dict[str, object]:
    """Return which plugins are on, by the nearest settings that say so."""
    project = places.project / ".claude"
    paths = (own / "settings.json", project / "settings.json", project / "settings.local.json")
    merged: dict[str, object] = {}
    for path in paths:
        settings = load(Source(ClaudePlugins.name, "user", path)).document or {}
        merged |= as_object(settings.get("enabledPlugins")) or {}
    return merged


def _directories(installs: object, places: ClientLocations) -> Iterator[Path]:
    for install in as_list(installs) or [installs]:
        entry = as_object(install) or {}
        path, project = entry.get("installPath"), entry.get("projectPath")
        is_elsewhere = isinstance(project, str) and not _is_same(project, places.project)
        if isinstance(path, str) and os.path.isabs(path) and not is_elsewhere:
            yield Path(path)


def _is_same(path: str, other: Path) -> bool:
    return os.path.realpath(path) == os.path.realpath(other)


def _inside(root: Path, relative: str) -> Path | None:
    """Return a path of the plugin; one that leads out of it is not read."""
    path = Path(os.path.realpath(root / relative))
    return path if path.is_relative_to(os.path.realpath(root)) else None


def _off_if(is_off: bool) -> Off:
    return lambda _name, entry: is_off or entry.get("disabled") is True


client = ClaudePlugins()
