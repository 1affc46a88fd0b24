"""Claude Desktop: one file in the user's application settings."""

from collections.abc import Iterator
from pathlib import Path

from toolweave.servers.discovery.client import DiscoveredServer, FileProblem
from toolweave.servers.discovery.config_file import Source, load
from toolweave.servers.discovery.locations import ClientLocations
from toolweave.servers.discovery.section import read_servers

# The Windows Store edition is given a private copy of the settings directory.
_STORE_EDITION = ("Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming")


class ClaudeDesktop:
    """The desktop application of Anthropic."""

    name = "Claude Desktop"

    def find(self, places: ClientLocations) -> Iterator[DiscoveredServer | FileProblem]:
        """The user's servers."""
        for directory in _directories(places):
            path = directory / "Claude" / "claude_desktop_config.json"
            source = Source(self.name, "user", path)
            loaded = load(source)
            yield from loaded.problems
            yield from read_servers(source, loaded.document, "mcpServers")


def _directories(places: ClientLocations) -> Iterator[Path]:
    if places.platform == "win32":
        local = places.variable("LOCALAPPDATA") or places.home / "AppData" / "Local"
        yield local.joinpath(*_STORE_EDITION)
    yield places.settings_directory()


client = ClaudeDesktop()
