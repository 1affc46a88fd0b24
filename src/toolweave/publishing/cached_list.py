"""The published tools as a file of the home: for a first answer that waits for no database."""

from pathlib import Path

from toolweave import json_text
from toolweave.errors import ToolweaveError
from toolweave.json_text import JsonObject
from toolweave.settings import from_environment

FILE = "published.json"


def listed_here(home: Path | None = None) -> list[JsonObject]:
    """The entries of `home` or the home of the environment; none if a setting is invalid."""
    try:
        return listed_copy(home or from_environment().home)
    except ToolweaveError:
        return []


def listed_copy(home: Path) -> list[JsonObject]:
    """The entries of `tools/list` that the copy holds; none where there is no copy."""
    try:
        found = json_text.read((home / FILE).read_bytes())
    except (OSError, ToolweaveError):
        return []
    entries = found if isinstance(found, list) else []
    return [entry for entry in entries if isinstance(entry, dict)]
