"""Files in the folders that nodes may use."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

WriteMode = Literal["overwrite", "create", "append"]


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A file; `path` is relative to its allowed folder."""

    path: str
    size: int
    modified_at: datetime


class Files(Protocol):
    """Reads and writes files of the allowed folders; links do not lead outside."""

    async def read(self, path: str, *, max_bytes: int) -> tuple[bytes, FileFacts]:
        """Return the content of a file.

        Raises `NotFound`: `FILE_NOT_FOUND`; `Denied`: `FILE_DENIED` for a path outside the folders,
        a link, or no regular file; `Invalid`: `FILE_TOO_LARGE`.
        """
        ...

    async def write(
        self, path: str, data: bytes, *, mode: WriteMode, makes_folders: bool
    ) -> tuple[FileFacts, bool]:
        """Write a file atomically; return its facts and whether it is new.

        Raises `Conflict`: `FILE_EXISTS` for `create` where the file exists; `NotFound`:
        `FILE_NOT_FOUND` where a folder is missing and may not be created; `Denied`: `FILE_DENIED`.
        """
        ...
