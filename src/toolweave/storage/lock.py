"""One process per SQLite file: a lock that the system releases with its owner.

The file's content only names the owner, so what a killed
process leaves behind has no effect.
"""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from toolweave.errors import Conflict, Unavailable
from toolweave.storage.files import make_private_folder

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class LockOwner:
    """The process that holds a lock."""

    pid: int
    boot_id: str | None
    started_at: str
    command: str
    # Where the process answers commands of the same version, if it does.
    address: str | None = None
    version: str | None = None

    @property
    def runs(self) -> bool:
        """Whether its process may still run: one of that number does, since the same boot."""
        if self.boot_id != _boot_id():
            return False
        try:
            os.kill(self.pid, 0)
        except PermissionError:
            return True
        except (OSError, OverflowError):
            return False
        return True


@contextmanager
def hold(path: Path, *, address: str | None = None, version: str | None = None) -> Generator[None]:
    """Hold the lock file `path`; a read-only folder needs no lock."""
    descriptor = _open(path)
    if descriptor is None:
        yield
        return
    try:
        if not _lock(descriptor):
            raise _in_use(path)
        _write_owner(descriptor, address, version)
        yield
        # Truncated, not removed: a waiting process may have this file open.
        with suppress(OSError):
            os.truncate(descriptor, 0)
    finally:
        os.close(descriptor)


def owner_of(path: Path) -> LockOwner | None:
    """Return the last owner that did not release `path`; it may no longer run."""
    try:
        return _read_owner(orjson.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


# Any: whatever the file contains.
def _read_owner(found: dict[str, Any]) -> LockOwner | None:
    owner = LockOwner(**found)
    texts = [found["started_at"], found["command"]]
    texts += [text for text in (owner.boot_id, owner.address, owner.version) if text is not None]
    is_right = type(owner.pid) is int and all(type(text) is str for text in texts)
    return owner if is_right else None


def _open(path: Path) -> int | None:
    try:
        make_private_folder(path.parent)
        return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError as error:
        if path.parent.is_dir() and not os.access(path.parent, os.W_OK):
            return None
        raise Unavailable(
            "STORAGE_BROKEN",
            f"the lock file {str(path)!r} cannot be opened: {error.strerror}",
            hint="check the disk and the permissions of the file and its folder",
        ) from error


def _lock(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            # Far behind the content, which others must be able to read.
            os.lseek(descriptor, 1 << 30, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _write_owner(descriptor: int, address: str | None, version: str | None) -> None:
    owner = LockOwner(
        pid=os.getpid(),
        boot_id=_boot_id(),
        started_at=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        # Only the name: arguments may contain secrets.
        command=Path(sys.argv[0]).name,
        address=address,
        version=version,
    )
    # On a full disk the lock still works; only its owner is not recorded.
    with suppress(OSError):
        os.truncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, orjson.dumps(asdict(owner)))


def _boot_id() -> str | None:
    return _BOOT_ID.read_text(encoding="ascii").strip() if _BOOT_ID.exists() else None


def _in_use(path: Path) -> Conflict:
    # No owner: it has just taken the lock and not written its name yet.
    owner = owner_of(path)
    who = f"process {owner.pid} ({owner.command})" if owner else "another process"
    return Conflict(
        "STORAGE_IN_USE",
        f"{who} already uses the database locked by {str(path)!r}",
        hint="use the running process, stop it, or set another TOOLWEAVE_HOME",
        facts=asdict(owner) if owner else None,
    )
