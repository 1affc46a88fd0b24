"""Private folders and files that survive a power failure."""

import errno
import os
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

LEFT_AFTER_S = 60.0


def make_private_folder(folder: Path) -> None:
    """Create `folder` if missing, private to the user; an existing one is unchanged."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def sync_folder(folder: Path) -> None:
    """Sync the directory entries of `folder`; a no-op on Windows."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def sweep_temporary(folder: Path) -> None:
    """Remove temporary files that a killed process left; younger ones may still be written."""
    for path in folder.glob(".*.tmp"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > LEFT_AFTER_S:
                path.unlink()


def replace_private(path: Path, text: str) -> None:
    """Replace a file, or create it, so that only the user can read it and readers see it whole."""
    with _written_beside(path, text) as temporary:
        os.replace(temporary, path)


def write_private(path: Path, text: str) -> None:
    """Write a new file, whole or not at all, that only the user can read.

    Raises `FileExistsError`.
    """
    with _written_beside(path, text) as temporary:
        put_new(temporary, path)


def put_new(temporary: str, path: Path) -> None:
    """Move a complete file to a name that is free. Raises `FileExistsError`."""
    try:
        os.link(temporary, path)  # unlike a rename, it never replaces a file
    except FileExistsError:
        raise
    except OSError:  # some file systems have no hard links: exFAT, FAT, some network ones
        with _locked(path.parent):
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path) from None
            os.rename(temporary, path)


@contextmanager
def _locked(folder: Path) -> Generator[None]:
    """Let one process at a time create a file here; without locks of folders, do it anyway."""
    if sys.platform == "win32":  # a rename does not replace a file there
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _written_beside(path: Path, text: str) -> Generator[str]:
    """Write a temporary file in the folder of `path`; it is gone at the end."""
    make_private_folder(path.parent)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(descriptor)
        yield temporary
    finally:
        with suppress(OSError):
            os.unlink(temporary)
    sync_folder(path.parent)
