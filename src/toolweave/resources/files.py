"""The resource `files`: files of the folders workflows may use.

A path is opened folder by folder from an open root, without following links, so that nothing can
be replaced between the check and the use.
"""

import errno
import os
import secrets
import stat
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import NoReturn, TypeVar

from anyio import CapacityLimiter, Lock, to_thread

from toolweave.catalog.resources.files import FileFacts, WriteMode
from toolweave.errors import Conflict, Denied, Invalid, NotFound, Unavailable
from toolweave.settings import MIB
from toolweave.storage.files import make_private_folder

MAX_FILE_BYTES = 64 * MIB
THREADS = 4
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT: int = getattr(os, "O_NONBLOCK", 0)
_FULL = {errno.ENOSPC, errno.EDQUOT}

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class _Place:
    root: Path
    parts: tuple[str, ...]

    @property
    def shown(self) -> str:
        return "/".join(self.parts)

    @property
    def path(self) -> Path:
        return self.root.joinpath(*self.parts)


class AllowedFolders:
    """A `Files` of some folders; a relative path is below the first."""

    def __init__(self, roots: Sequence[Path], *, max_file_bytes: int = MAX_FILE_BYTES) -> None:
        self._roots = tuple(roots)
        self._max_file_bytes = max_file_bytes
        self._threads = CapacityLimiter(THREADS)
        self._writing = Lock()

    async def read(self, path: str, *, max_bytes: int) -> tuple[bytes, FileFacts]:
        """Return the content of a file; see `Files`."""
        place = self._place(path)
        return await self._in_thread(place, lambda: _read(place, max_bytes))

    async def write(
        self, path: str, data: bytes, *, mode: WriteMode, makes_folders: bool
    ) -> tuple[FileFacts, bool]:
        """Write a file atomically; see `Files`."""
        place = self._place(path)
        if place.root == self._roots[0]:
            await self._in_thread(place, lambda: make_private_folder(place.root))

        def write() -> tuple[FileFacts, bool]:
            with _folder(place, makes_folders=makes_folders) as folder:
                return self._write(place, folder, data, mode)

        async with self._writing:  # concurrent appends are both kept
            return await self._in_thread(place, write)

    async def checked(self, path: str) -> Path:
        """Return the full path of an existing or new file inside a folder; links are refused."""
        place = self._place(path)

        def look() -> Path:
            with _folder(place, makes_folders=False) as folder:
                _before(place, folder)
            return place.path

        return await self._in_thread(place, look)

    def _place(self, path: str) -> _Place:
        if not path or "\0" in path or "\\" in path or len(path) > 4096:
            raise Invalid("FILE_PATH_INVALID", f"{path[:80]!r} is no path of a file")
        if not self._roots:
            raise Denied("FILE_DENIED", "no folder is allowed to workflows")
        root, inside = self._roots[0], PurePosixPath(path)
        if inside.is_absolute():
            found = [one for one in self._roots if inside.is_relative_to(one.as_posix())]
            if not found:
                _deny(path, "it is in none of the folders that workflows may use")
            root = max(found, key=lambda one: len(one.parts))
            inside = inside.relative_to(root.as_posix())
        if not inside.parts or ".." in inside.parts:
            _deny(path, "it leaves the folder, or is the folder itself")
        return _Place(root, inside.parts)

    async def _in_thread(self, place: _Place, work: Callable[[], Result]) -> Result:
        with _explained(place):
            return await to_thread.run_sync(work, limiter=self._threads)

    def _write(
        self, place: _Place, folder: int, data: bytes, mode: WriteMode
    ) -> tuple[FileFacts, bool]:
        before = _before(place, folder)
        if before is not None and mode != "overwrite":
            there, facts = _read(place, self._max_file_bytes)
            if mode == "append":
                data = there + data
            elif there == data:
                return facts, False  # the same step created it before it was interrupted
            else:
                message = f"there is another file {place.shown!r}"
                raise Conflict("FILE_EXISTS", message, hint="choose another name or mode")
        if len(data) > self._max_file_bytes:
            _too_large(place, self._max_file_bytes)
        _replace(folder, place.parts[-1], data, before)
        return FileFacts(place.shown, len(data), datetime.now(UTC)), before is None


def _read(place: _Place, max_bytes: int) -> tuple[bytes, FileFacts]:
    with _folder(place, makes_folders=False) as folder:
        # Without blocking: opening a pipe would wait for a writer.
        flags = os.O_RDONLY | _NO_FOLLOW | _NO_WAIT
        descriptor = os.open(place.parts[-1], flags, dir_fd=folder)
    with os.fdopen(descriptor, "rb") as file:
        seen = os.fstat(descriptor)
        if not stat.S_ISREG(seen.st_mode):
            _deny(place.shown, "it is no plain file")
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        _too_large(place, max_bytes)
    modified_at = datetime.fromtimestamp(seen.st_mtime, UTC)
    return data, FileFacts(place.shown, len(data), modified_at)


@contextmanager
def _folder(place: _Place, *, makes_folders: bool) -> Generator[int]:
    folder = os.open(place.root, _FOLDER)
    try:
        for name in place.parts[:-1]:
            if makes_folders:
                with suppress(FileExistsError):
                    os.mkdir(name, 0o700, dir_fd=folder)
            below = os.open(name, _FOLDER | _NO_FOLLOW, dir_fd=folder)
            os.close(folder)
            folder = below
        yield folder
    finally:
        os.close(folder)


def _before(place: _Place, folder: int) -> os.stat_result | None:
    """Return the facts of the existing file, if any."""
    try:
        seen = os.stat(place.parts[-1], dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(seen.st_mode):
        _deny(place.shown, "it is no plain file")
    return seen


def _replace(folder: int, name: str, data: bytes, before: os.stat_result | None) -> None:
    temporary = f".{secrets.token_hex(8)}.tmp"
    mode = stat.S_IMODE(before.st_mode) if before else 0o600
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW
    descriptor = os.open(temporary, flags, mode, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        os.fsync(folder)
    finally:
        with suppress(FileNotFoundError):  # already renamed if all went well
            os.unlink(temporary, dir_fd=folder)


@contextmanager
def _explained(place: _Place) -> Generator[None]:
    try:
        yield
    except FileNotFoundError:
        raise NotFound("FILE_NOT_FOUND", f"there is no file or folder {place.shown!r}") from None
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENXIO}:
            _deny(place.shown, "a link, or something that is no folder, is on the way")
        if error.errno in _FULL:
            message = f"no space is left for {place.shown!r}"
            raise Unavailable("FILE_FAILED", message, hint="free some, then try again") from None
        if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG}:
            _deny(place.shown, os.strerror(error.errno))
        reason = os.strerror(error.errno) if error.errno else "unknown"
        raise Unavailable("FILE_FAILED", f"{place.shown!r}: {reason}") from None


def _deny(path: str, why: str) -> NoReturn:
    raise Denied(
        "FILE_DENIED",
        f"{path[:200]!r} cannot be used: {why}",
        hint="write a path below the files folder, such as in/data.csv",
    )


def _too_large(place: _Place, max_bytes: int) -> NoReturn:
    message = f"{place.shown!r} has more than {max_bytes} bytes"
    raise Invalid("FILE_TOO_LARGE", message, facts={"max_bytes": max_bytes})
