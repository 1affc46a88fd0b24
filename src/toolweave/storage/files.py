"""Folders and files that are the user's alone, and that are there after a power cut."""

import os
from pathlib import Path


def make_private_folder(folder: Path) -> None:
    """Make `folder` if it is missing, closed to other users; one that exists stays as it is."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def sync_folder(folder: Path) -> None:
    """Make sure the names in `folder` survive a power cut; Windows needs and has no such call."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_private(path: Path, text: str) -> None:
    """Write a new file that only the user can read; one that exists is left alone and refused.

    Raises:
        FileExistsError: somebody else was quicker.
    """
    make_private_folder(path.parent)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(descriptor)
    sync_folder(path.parent)
