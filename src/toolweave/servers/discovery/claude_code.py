"""Claude Code: user and local servers in `~/.claude.json`, project ones in `.mcp.json`.

Follows Claude Code 2.1.197 as measured: `.mcp.json` is read in every directory upwards; local
servers belong to the main git checkout, else to the directory itself; a readable
`managed-mcp.json` disables everything else.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from toolweave.servers.config_entry import as_list, as_object
from toolweave.servers.discovery.client import DiscoveredServer, FileProblem
from toolweave.servers.discovery.config_file import MIB, Source, load, read_bytes
from toolweave.servers.discovery.locations import ClientLocations
from toolweave.servers.discovery.section import Off, read_servers

_HISTORY_BYTES = 64 * MIB  # ~/.claude.json also contains the history of every project


class ClaudeCode:
    """The command-line agent of Anthropic."""

    name = "Claude Code"

    def find(self, places: ClientLocations) -> Iterator[DiscoveredServer | FileProblem]:
        """Enterprise, local, project and user servers."""
        managed = Source(self.name, "enterprise", _managed_directory(places) / "managed-mcp.json")
        loaded = load(managed)
        yield from loaded.problems
        yield from read_servers(managed, loaded.document, "mcpServers", is_off=_never)
        only = None if loaded.document is None else managed.origin("/mcpServers")
        for item in self._unmanaged(places):
            yield replace(item, shadowed_by=only) if isinstance(item, DiscoveredServer) else item

    def _unmanaged(self, places: ClientLocations) -> Iterator[DiscoveredServer | FileProblem]:
        own = places.variable("CLAUDE_CONFIG_DIR") or places.home
        user = Source(self.name, "user", own / ".claude.json", max_bytes=_HISTORY_BYTES)
        loaded = load(user)
        yield from loaded.problems
        document = loaded.document or {}
        root = _project_root(places)
        off = _listed(_project_entries(document, places, root), "disabledMcpServers")
        rejected = off | self._rejected(places, document)

        local = replace(user, scope="local", directory=root)
        for key in _project_keys(document, places, root) or [str(root)]:
            yield from read_servers(
                local, document, "projects", key, "mcpServers", is_off=_when_in(off)
            )
        for directory in places.upward():
            project = Source(self.name, "project", directory / ".mcp.json", directory=directory)
            shared = load(project)
            yield from shared.problems
            yield from read_servers(
                project, shared.document, "mcpServers", is_off=_when_in(rejected)
            )
        yield from read_servers(user, document, "mcpServers", is_off=_when_in(off))

    def _rejected(self, places: ClientLocations, document: dict[str, object]) -> set[str]:
        """Return the project servers the user rejected; Claude Code stores them per directory."""
        here = Path(os.path.realpath(places.project))
        user = places.variable("CLAUDE_CONFIG_DIR") or places.home / ".claude"
        settings = [
            load(Source(self.name, "user", path)).document or {}
            for path in (
                here / ".claude" / "settings.local.json",
                here / ".claude" / "settings.json",
                user / "settings.json",
            )
        ]
        entries = [*settings, *_project_entries(document, places, here)]
        return _listed(entries, "disabledMcpjsonServers")


def _managed_directory(places: ClientLocations) -> Path:
    match places.platform:
        case "darwin":
            return places.root / "Library" / "Application Support" / "ClaudeCode"
        case "win32":
            programs = places.variable("PROGRAMFILES") or Path("C:\\Program Files")
            return programs / "ClaudeCode"
        case "linux":
            return places.root / "etc" / "claude-code"


def _project_root(places: ClientLocations) -> Path:
    checkout = places.checkout()
    return _main_checkout(checkout) if checkout else Path(os.path.realpath(places.project))


def _main_checkout(checkout: Path) -> Path:
    """Return the main checkout of a linked worktree, which shares its servers."""
    try:
        text = read_bytes(checkout / ".git", 4096).decode()
    except (OSError, UnicodeDecodeError):  # a directory, except in linked worktrees
        return checkout
    at = checkout / text.removeprefix("gitdir:").strip()
    is_linked = at.parent.name == "worktrees" and at.parent.parent.name == ".git"
    return Path(os.path.normpath(at.parents[2])) if is_linked else checkout


def _project_keys(
    document: dict[str, object], places: ClientLocations, directory: Path
) -> list[str]:
    """Return the keys under `projects` for `directory`; Windows uses either slash."""

    def plain(path: str) -> str:
        return path.replace("\\", "/").casefold() if places.platform == "win32" else path

    projects = as_object(document.get("projects")) or {}
    return [key for key in projects if plain(key) == plain(str(directory))]


def _project_entries(
    document: dict[str, object], places: ClientLocations, directory: Path
) -> list[dict[str, object]]:
    projects = as_object(document.get("projects")) or {}
    return [as_object(projects[key]) or {} for key in _project_keys(document, places, directory)]


def _listed(entries: list[dict[str, object]], key: str) -> set[str]:
    names = [name for entry in entries for name in as_list(entry.get(key)) or []]
    return {name for name in names if isinstance(name, str)}


def _when_in(names: set[str]) -> Off:
    return lambda name, _entry: name in names


def _never(_name: str, _entry: dict[str, object]) -> bool:
    return False


client = ClaudeCode()
