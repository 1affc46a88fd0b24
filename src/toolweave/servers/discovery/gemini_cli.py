"""Gemini CLI: `mcpServers` in `settings.json` of the system, the project and the user.

Follows Gemini CLI 0.61 as read in its source: `$NAME` is a variable everywhere, and a `url`
without a type is tried as HTTP and then as SSE.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from toolweave.patterns import pattern
from toolweave.problems import Problem
from toolweave.servers.config_entry import ConfigDialect, as_list, as_object
from toolweave.servers.discovery.client import DiscoveredServer, FileProblem
from toolweave.servers.discovery.config_file import Source, load
from toolweave.servers.discovery.locations import ClientLocations
from toolweave.servers.discovery.remote_address import with_transport
from toolweave.servers.discovery.section import read_servers

_BARE_VARIABLE = pattern(r"\$([A-Za-z_]\w*)", re.ASCII)
_DIALECT = ConfigDialect(rewrite=lambda text: _BARE_VARIABLE.sub(r"${\1}", text))


class GeminiCli:
    """The command-line agent of Google."""

    name = "Gemini CLI"

    def find(self, places: ClientLocations) -> Iterator[DiscoveredServer | FileProblem]:
        """System, project and user servers."""
        sources = list(self._sources(places))
        documents: list[dict[str, object]] = []
        for source in sources:
            loaded = load(source)
            yield from loaded.problems
            documents.append(loaded.document or {})
        switches = Source(self.name, "user", _own(places) / "mcp-server-enablement.json")
        switched = load(switches).document or {}

        def is_off(name: str, _entry: dict[str, object]) -> bool:
            return _is_off(name.strip().lower(), documents, switched)

        for source, document in zip(sources, documents, strict=True):
            yield from read_servers(
                source, document, "mcpServers", dialect=_DIALECT, adapt=_adapted, is_off=is_off
            )

    def _sources(self, places: ClientLocations) -> Iterator[Source]:
        system = places.variable("GEMINI_CLI_SYSTEM_SETTINGS_PATH")
        path = system or _system_directory(places) / "settings.json"
        yield Source(self.name, "enterprise", path, format="jsonc")
        for directory in places.project_directories():
            path = directory / ".gemini" / "settings.json"
            yield Source(self.name, "project", path, format="jsonc", directory=directory)
        yield Source(self.name, "user", _own(places) / "settings.json", format="jsonc")


def _own(places: ClientLocations) -> Path:
    return (places.variable("GEMINI_CLI_HOME") or places.home) / ".gemini"


def _system_directory(places: ClientLocations) -> Path:
    match places.platform:
        case "darwin":
            return places.root / "Library" / "Application Support" / "GeminiCli"
        case "win32":
            return (places.variable("PROGRAMDATA") or Path("C:\\ProgramData")) / "gemini-cli"
        case "linux":
            return places.root / "etc" / "gemini-cli"


def _is_off(name: str, documents: list[dict[str, object]], switched: dict[str, object]) -> bool:
    rules = [as_object(document.get("mcp")) or {} for document in documents]
    allowed = next((rule for rule in rules if as_list(rule.get("allowed")) is not None), None)
    if allowed is not None and name not in _names(allowed, "allowed"):
        return True
    switch = as_object(switched.get(name)) or {}
    return switch.get("enabled") is False or any(name in _names(r, "excluded") for r in rules)


def _names(rule: dict[str, object], key: str) -> set[str]:
    names = as_list(rule.get(key)) or []
    return {name.strip().lower() for name in names if isinstance(name, str)}


def _adapted(entry: dict[str, object], at: str) -> tuple[dict[str, object], list[Problem]]:
    if entry.get("httpUrl"):  # overrides `url` and `type`
        return {**entry, "url": None, "type": "http"}, []
    return with_transport(entry, at, "Gemini CLI")


client = GeminiCli()
