"""Which lockfiles outside the home were approved here: by their hash, by whom and when.

A project brings its lockfile along, and could approve tools that nobody here has seen. The record
is a file of the home, so that no project can change it.
"""

import hashlib
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from toolweave.clock import SystemClock, timestamp
from toolweave.errors import Invalid
from toolweave.json_text import Json, read, write
from toolweave.storage.files import replace_private

NAME = "approved_lockfiles.json"
# In place of a person: the file pinned nothing before a server was approved.
BY_SERVER = "the approval of a server"


@dataclass(frozen=True, slots=True)
class LockfileApproval:
    """The hash that was approved last, and the person or key that did."""

    hash: str
    approved_at: str
    approved_by: str


@dataclass(frozen=True, slots=True)
class LockfileTrust:
    """Reads and writes the record."""

    path: Path

    def stamp(self) -> tuple[int, ...] | None:
        """Return a value that changes with every write to the record."""
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def of(self, lockfile: Path) -> LockfileApproval | None:
        """Return the approval of a lockfile; a record that cannot be read approves nothing."""
        return self._records().get(str(lockfile))

    def approve(self, lockfile: Path, approval: LockfileApproval) -> None:
        """Record an approval in place of an earlier one of the same file."""
        records = self._records() | {str(lockfile): approval}
        body = {name: asdict(one) for name, one in sorted(records.items())}
        replace_private(self.path, write(body, pretty=True) + "\n")

    def renew(self, lockfile: Path, new_hash: str) -> None:
        """Record the content that an approval of a server has just written to a lockfile."""
        now = timestamp(SystemClock().now())
        known = self.of(lockfile) or LockfileApproval(
            hash=new_hash, approved_at=now, approved_by=BY_SERVER
        )
        self.approve(lockfile, replace(known, hash=new_hash))

    def _records(self) -> dict[str, LockfileApproval]:
        try:
            stored = read(self.path.read_bytes())
        except (OSError, Invalid):
            return {}
        if not isinstance(stored, dict):
            return {}
        found = {name: _approval(one) for name, one in stored.items()}
        return {name: one for name, one in found.items() if one is not None}


def _approval(stored: Json) -> LockfileApproval | None:
    if not isinstance(stored, dict):
        return None
    match (stored.get("hash"), stored.get("approved_at"), stored.get("approved_by")):
        case (str() as approved, str() as at, str() as by):
            return LockfileApproval(approved, at, by)
        case _:
            return None


def content_hash(content: bytes) -> str:
    """Return the hash that an approval of a lockfile covers."""
    return "sha256:" + hashlib.sha256(content).hexdigest()
