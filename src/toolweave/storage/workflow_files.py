"""A flat folder of small files: read without following links, replaced whole or not at all."""

import errno
import os
import re
import stat
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import anyio
from anyio import CapacityLimiter, to_thread

from toolweave.errors import Conflict, Invalid, Unavailable
from toolweave.storage.files import sync_folder
from toolweave.storage.lock import hold

# One byte more is read, so that whoever reads it sees that it is too large.
MAX_BYTES = 16 * 1024 * 1024
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\.[a-z]{1,8}")
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
    """The files of one folder, by names of an allow-list; nothing outside it is ever touched."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._threads = CapacityLimiter(1)

    async def names(self) -> list[str]:
        """The names of all files; links and names of another make are left out."""
        return await self._in_thread(self._names)

    async def stamps(self) -> dict[str, str]:
        """What tells whether each file was written to, without reading any."""
        return await self._in_thread(self._stamps)

    async def read(self, name: str) -> bytes | None:
        """What is in a file; nothing when there is none.

        Raises:
            Conflict: `WORKFLOW_FILE_FOREIGN` for a link or anything else that is no plain file.
        """
        return await self._in_thread(lambda: self._read(_allowed(name)))

    async def swap(self, name: str, old: bytes | None, new: bytes | None) -> bool:
        """Put `new` in place of `old`, all or nothing; None is "no file".

        Raises:
            Conflict: `WORKFLOWS_BUSY` when another process does not let go of the folder.
        """
        with anyio.move_on_after(LOCK_DEADLINE_S):
            while True:
                done = await self._in_thread(lambda: self._locked_swap(_allowed(name), old, new))
                if done is not None:
                    return done
                await anyio.sleep(LOCK_EVERY_S)
        raise Conflict(
            "WORKFLOWS_BUSY",
            f"another process keeps {str(self._root)!r} locked",
            hint="wait until it is done, or stop it",
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
                with suppress(FileNotFoundError):  # removed this very moment
                    seen = entry.stat(follow_symlinks=False)
                    times = (seen.st_mtime_ns, seen.st_ctime_ns, seen.st_size, seen.st_ino)
                    stamps[entry.name] = "-".join(map(str, times))
        return stamps

    def _read(self, name: str) -> bytes | None:
        path = self._root / name
        try:
            # Without waiting: opening a pipe would, for somebody to write into it.
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
            with suppress(FileNotFoundError):  # a new file stays the user's alone
                os.chmod(temporary, stat.S_IMODE(os.lstat(path).st_mode))
            os.replace(temporary, path)
        finally:
            with suppress(FileNotFoundError):  # it is gone when all went well
                os.unlink(temporary)


def _allowed(name: str) -> str:
    if not NAME.fullmatch(name):
        raise Invalid(
            "WORKFLOW_NAME_INVALID",
            f"{name[:80]!r} is no name of a workflow file",
            hint="such a name has small letters, digits and single hyphens, and an ending",
        )
    return name


def _foreign(path: Path) -> Conflict:
    return Conflict(
        "WORKFLOW_FILE_FOREIGN",
        f"{path.name!r} is a link or no plain file; it is left alone",
        hint=f"remove it from {str(path.parent)!r}, or put the file itself there",
    )


@contextmanager
def _explained(root: Path) -> Generator[None]:
    """What the system refuses, as an error that says what can be done."""
    try:
        yield
    except OSError as error:
        code = _CODES.get(error.errno or 0, "STORAGE_BROKEN")
        raise Unavailable(
            code,
            f"the folder of workflows {str(root)!r} cannot be used: {error.strerror}",
            hint="check the disk's free space and the permissions of the folder",
        ) from error
