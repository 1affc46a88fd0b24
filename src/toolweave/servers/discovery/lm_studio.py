"""LM Studio: `mcp.json` in the folder that `~/.lmstudio-home-pointer` names.

Without that file, in `~/.lmstudio` and, of older versions, `~/.cache/lm-studio`.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from toolweave.servers.discovery.client import DiscoveredServer, FileProblem
from toolweave.servers.discovery.config_file import read_bytes
from toolweave.servers.discovery.json_client import JsonClient
from toolweave.servers.discovery.locations import ClientLocations

_POINTER = ".lmstudio-home-pointer"
_HOMES = (".lmstudio", ".cache/lm-studio")
_MAX_POINTER_BYTES = 4096


@dataclass(frozen=True, slots=True)
class LmStudio:
    """Reads the folder that LM Studio uses on this machine."""

    name: str = "LM Studio"

    def find(self, places: ClientLocations) -> Iterator[DiscoveredServer | FileProblem]:
        """Servers of the user."""
        named = _named_home(places)
        homes = _HOMES if named is None else (named,)
        files = tuple(os.path.join(home, "mcp.json") for home in homes)
        return JsonClient(self.name, user=files).find(places)


def _named_home(places: ClientLocations) -> str | None:
    try:
        text = read_bytes(places.home / _POINTER, _MAX_POINTER_BYTES).decode("utf-8-sig").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return text if os.path.isabs(text) and "*" not in text and "\0" not in text else None


client = LmStudio()
