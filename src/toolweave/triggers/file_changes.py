"""Changes of files between two scans: pure, except for the scan itself."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, TypeAlias

from toolweave.errors import Denied, Limited

MAX_FILES = 10_000

FileEvent: TypeAlias = Literal["created", "modified", "deleted"]
# By path below the watched folder: modification time in ns, size, inode.
Stamps: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file, its change and its stamp; of a deleted one the last."""

    path: str
    event: FileEvent
    stamp: str

    @property
    def modified_ns(self) -> int:
        """Its modification time."""
        return int(self.stamp.split("-")[0])

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return int(self.stamp.split("-")[1])


def changes(known: Stamps, before: Stamps, now: Stamps) -> list[FileChange]:
    """Return the changes since `known`; a file counts once it is unchanged in two scans."""
    found = [
        FileChange(path, "modified" if path in known else "created", stamp)
        for path, stamp in now.items()
        if stamp != known.get(path) and stamp == before.get(path)
    ]
    gone = [FileChange(path, "deleted", stamp) for path, stamp in known.items() if path not in now]
    return sorted([*found, *gone], key=lambda change: change.path)


def after(known: Stamps, taken: Iterable[FileChange]) -> dict[str, str]:
    """Return the known stamps after some changes were handled."""
    result = dict(known)
    for change in taken:
        if change.event == "deleted":
            result.pop(change.path, None)
        else:
            result[change.path] = change.stamp
    return result


def watched_folder(path: str, roots: Iterable[Path]) -> tuple[Path, str | None]:
    """Return the folder to scan, and the file name if a single file is watched."""
    for root in roots:
        top = root.resolve()
        place = (top / path).resolve()
        if place.is_relative_to(top):
            return (place.parent, place.name) if place.is_file() else (place, None)
    raise Denied(
        "FILE_DENIED",
        f"{path!r} is outside the folders that may be watched",
        hint="use a path in the folder `files` of the home",
    )


def scan(folder: Path, pattern: str, *, recursive: bool) -> dict[str, str]:
    """Return the stamps of all matching files in a folder; links are skipped."""
    found: dict[str, str] = {}
    for path, entry in _entries(folder, "", recursive=recursive):
        if not fnmatchcase(entry.name, pattern):
            continue
        try:
            seen = entry.stat(follow_symlinks=False)
        except FileNotFoundError:  # just removed
            continue
        found[path] = f"{seen.st_mtime_ns}-{seen.st_size}-{seen.st_ino}"
        if len(found) > MAX_FILES:
            message = f"{str(folder)!r} has more than {MAX_FILES} matching files"
            raise Limited("FILE_WATCH_LIMIT", message, hint="narrow the pattern or the folder")
    return found


def _entries(
    folder: Path, prefix: str, *, recursive: bool
) -> Iterator[tuple[str, os.DirEntry[str]]]:
    try:
        with os.scandir(folder) as listed:
            entries = list(listed)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    for entry in entries:
        if entry.is_file(follow_symlinks=False):
            yield prefix + entry.name, entry
        elif recursive and entry.is_dir(follow_symlinks=False):
            below = f"{prefix}{entry.name}/"
            yield from _entries(folder / entry.name, below, recursive=True)
