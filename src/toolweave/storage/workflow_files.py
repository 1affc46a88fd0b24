"""A flat folder of small files: read without following links, replaced atomically."""

import errno
import os
import stat
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import anyio
from anyio import CapacityLimiter, to_thread

from toolweave.errors import Conflict, Invalid, Unavailable
from toolweave.patterns import pattern
from toolweave.storage.files import sync_folder
from toolweave.storage.lock import hold

# One more byte is read, so that the caller can detect a file that is too large.
MAX_BYTES = 16 * 1024 * 1024
NAME = pattern(r"[a-z0-9]+(-[a-z0-9]+)*\.[a-z]{1,8}")
LOCK = ".lock"
LOCK_DEADLINE_S = 5.0
LOCK_EVERY_S = 0.02
_NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT: int = getattr(os, "O_NONBLOCK", 0)
_CODES = {
    errno.ENOSPC: "STORAGE_FULL",
    errno.EDQUOT: "STORAGE_FULL",
    errno.EROFS: "STORAGE_READ_ONLY",
    errno.EACCES: "STORAGE_READ_ONLY",
    errno.EPERM: "STORAGE_READ_ONLY",
}

Result = TypeVar("Result")


class WorkflowFiles:
    """The files of one folder with allowed names; nothing outside it is touched."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._threads = CapacityLimiter(1)

    async def names(self) -> list[str]:
        """Return the names of all files, without links and invalid names."""
        return await self._in_thread(self._names)

    async def stamps(self) -> dict[str, str]:
        """Return a fingerprint of each file, without reading it."""
        return await self._in_thread(self._stamps)

    async def read(self, name: str) -> bytes | None:
        """Return the content of a file, or `None`. Raises `WORKFLOW_FILE_FOREIGN`."""
        return await self._in_thread(lambda: self._read(_allowed(name)))

    async def swap(self, name: str, old: bytes | None, new: bytes | None) -> bool:
        """Replace `old` with `new` atomically; `None` means "no file"."""
        with anyio.move_on_after(LOCK_DEADLINE_S):
            while True:
                done = await self._in_thread(lambda: self._locked_swap(_allowed(name), old, new))
                if done is not None:
                    return done
                await anyio.sleep(LOCK_EVERY_S)
        raise Conflict(
            "WORKFLOWS_BUSY",
            f"another process keeps {str(self._root)!r} locked",
            hint="wait until it finishes, or stop it",
        )

    async def _in_thread(self, work: Callable[[], Result]) -> Result:
        with _explained(self._root):
            return await to_thread.run_sync(work, limiter=self._threads)

    def _names(self) -> list[str]:
        return list(self._stamps())

    def _stamps(self) -> dict[str, str]:
        stamps: dict[str, str] = {}
        with suppress(FileNotFoundError), os.scandir(self._root) as found:
            for entry in found:
                if not NAME.fullmatch(entry.name) or not entry.is_file(follow_symlinks=False):
                    continue
                with suppress(FileNotFoundError):  # just removed
                    seen = entry.stat(follow_symlinks=False)
                    times = (seen.st_mtime_ns, seen.st_ctime_ns, seen.st_size, seen.st_ino)
                    stamps[entry.name] = "-".join(map(str, times))
        return stamps

    def _read(self, name: str) -> bytes | None:
        path = self._root / name
        try:
            # Non-blocking: opening a named pipe would wait for a writer.
            descriptor = os.open(path, os.O_RDONLY | _NO_FOLLOW | _NO_WAIT)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise _foreign(path) from None
            raise
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise _foreign(path)
            return file.read(MAX_BYTES + 1)

    def _locked_swap(self, name: str, old: bytes | None, new: bytes | None) -> bool | None:
        try:
            with hold(self._root / LOCK):
                return self._swap(name, old, new)
        except Conflict as error:
            if error.code != "STORAGE_IN_USE":
                raise
            return None

    def _swap(self, name: str, old: bytes | None, new: bytes | None) -> bool:
        path = self._root / name
        there = self._read(name)
        if there != old or (there is not None and len(there) > MAX_BYTES):
            return False
        if new is not None:
            self._replace(path, new)
        elif old is not None:
            path.unlink()
        sync_folder(self._root)
        return True

    def _replace(self, path: Path, data: bytes) -> None:
        descriptor, temporary = tempfile.mkstemp(dir=self._root, prefix=".", suffix=".tmp")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(descriptor)
            with suppress(FileNotFoundError):  # a new file is private to the user
                os.chmod(temporary, stat.S_IMODE(os.lstat(path).st_mode))
            os.replace(temporary, path)
        finally:
            with suppress(FileNotFoundError):  # already gone on success
                os.unlink(temporary)


def _allowed(name: str) -> str:
    if not NAME.fullmatch(name):
        raise Invalid(
            "WORKFLOW_NAME_INVALID",
            f"{name[:80]!r} is not a valid workflow file name",
            hint="use lower-case letters, digits and single hyphens, and an extension",
        )
    return name


def _foreign(path: Path) -> Conflict:
    return Conflict(
        "WORKFLOW_FILE_FOREIGN",
        f"{path.name!r} is not a regular file; it was not changed",
        hint=f"remove it from {str(path.parent)!r}, or put the file itself there",
    )


@contextmanager
def _explained(root: Path) -> Generator[None]:
    """Return the typed error for an operating system error."""
    try:
        yield
    except OSError as error:
        code = _CODES.get(error.errno or 0, "STORAGE_BROKEN")
        raise Unavailable(
            code,
            f"the workflow folder {str(root)!r} cannot be used: {error.strerror}",
            hint="check free disk space and folder permissions",
        ) from error
