"""Real disks that are small or cannot be written, where the system lets us make them."""

import os
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, size: str) -> Generator[Path]:
    """A file system of `size` at `folder`; skips the test where it cannot be mounted."""
    folder.mkdir()
    _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder))
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def read_only(folder: Path) -> Generator[None]:
    """`folder` and all in it cannot be written for a while, not even by root."""
    if os.geteuid() == 0:
        _mount("--bind", str(folder), str(folder))
        try:
            _mount("-o", "remount,ro,bind", str(folder))
            yield
        finally:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
        return
    for path in folder.iterdir():
        path.chmod(0o400)
    folder.chmod(0o500)
    try:
        yield
    finally:
        folder.chmod(0o700)
        for path in folder.iterdir():
            path.chmod(0o600)


def _mount(*arguments: str) -> None:
    try:
        subprocess.run(["mount", *arguments], check=True, capture_output=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("this system does not let us mount")
