"""Looking at files from tests that are async."""

import stat
from pathlib import Path


def files_in(folder: Path) -> dict[str, bytes]:
    """The content of each file in `folder`, by name; a missing folder has none."""
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}


def mode_of(path: Path) -> int:
    """Who may do what with `path`."""
    return stat.S_IMODE(path.stat().st_mode)


def make(folder: Path) -> Path:
    """A new folder only we can read."""
    folder.mkdir(mode=0o700)
    return folder
