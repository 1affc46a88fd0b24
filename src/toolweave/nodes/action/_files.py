"""What the file nodes need of the outside: folders they may use. `app` provides them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

WriteMode = Literal["overwrite", "create", "append"]


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A file, told by its path below the folder it is in."""

    path: str
    size: int
    modified_at: datetime


class Files(Protocol):
    """Files of the allowed folders, by path; nothing outside is reached, by no link either."""

    async def read(self, path: str, *, max_bytes: int) -> tuple[bytes, FileFacts]:
        """What is in a file.

        Raises:
            NotFound: `FILE_NOT_FOUND`.
            Denied: `FILE_DENIED` for a path outside the folders, a link, or no plain file.
            Invalid: `FILE_TOO_LARGE`.
        """
        ...

    async def write(
        self, path: str, data: bytes, *, mode: WriteMode, makes_folders: bool
    ) -> tuple[FileFacts, bool]:
        """Write a file, whole or not at all; whether it is new.

        Raises:
            Conflict: `FILE_EXISTS` for `create` where there is another one.
            NotFound: `FILE_NOT_FOUND` where a folder is missing and none may be made.
            Denied: `FILE_DENIED`.
        """
        ...
