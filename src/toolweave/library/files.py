"""Files of a library beside its templates and flows: what a prompt carries, what clients read."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from toolweave.errors import Invalid, NotFound
from toolweave.library.repository import Repository
from toolweave.settings import MIB

MAX_ATTACHMENTS = 8
MAX_ATTACHED_BYTES = 2 * MIB  # of one prompt
# Not guessed by the machine's own tables, which differ.
_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".svg": "image/svg+xml",
    ".mp3": "audio/mpeg",
    ".wav": "audio/wav",
    ".ogg": "audio/ogg",
    ".flac": "audio/flac",
    ".md": "text/markdown",
    ".txt": "text/plain",
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".xml": "application/xml",
    ".pdf": "application/pdf",
}


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """A file of a repository with its content."""

    path: str
    data: bytes

    @property
    def mime_type(self) -> str:
        """Its type by the end of its name, otherwise by its content."""
        known = _TYPES.get(PurePosixPath(self.path).suffix.lower())
        return known or ("application/octet-stream" if self.text is None else "text/plain")

    @property
    def text(self) -> str | None:
        """Its text; `None` if it is not UTF-8."""
        try:
            return None if b"\0" in self.data else self.data.decode("utf-8")
        except UnicodeDecodeError:
            return None


def path_beside(file: str, named: str) -> str:
    """The path of a file that another file names, in the same folder or below.

    Raises `Invalid`: `PARSE_ERROR`.
    """
    parts = named.split("/")
    is_inside = all(part not in ("", ".", "..") for part in parts) and "\\" not in named
    if not is_inside or not named.isprintable():
        message = f"the file {named[:200]!r} must be in the folder of {file} or below it"
        raise Invalid("PARSE_ERROR", message, facts={"path": file})
    return str(PurePosixPath(file).parent.joinpath(*parts))


def attached_paths(file: str, names: tuple[str, ...], known: frozenset[str]) -> tuple[str, ...]:
    """The paths of the files that a template of `file` attaches.

    Raises `Invalid`: `PARSE_ERROR`.
    """
    if len(names) > MAX_ATTACHMENTS:
        raise Invalid("PARSE_ERROR", f"a template attaches at most {MAX_ATTACHMENTS} files")
    paths = tuple(path_beside(file, name) for name in names)
    for path in paths:
        if path not in known:
            raise Invalid("PARSE_ERROR", f"{path} does not exist, or is not a plain file")
    return paths


async def read_files(
    repository: Repository, commit: str, folder: str, paths: tuple[str, ...]
) -> tuple[LibraryFile, ...]:
    """Read plain files below a folder.

    Raises `NotFound`: `FILE_NOT_FOUND`; `Invalid`: `FILE_TOO_LARGE`.
    """
    listing = await repository.files(commit, folder)
    known = {file.path: file for file in (*listing.files, *listing.others)}
    for path in paths:
        if path not in known:
            raise NotFound("FILE_NOT_FOUND", f"the library has no file {path[:200]!r}")
    contents, refused = await repository.read([known[path] for path in dict.fromkeys(paths)])
    for path, why in refused.items():
        raise Invalid("FILE_TOO_LARGE", f"{path} cannot be read: {why}")
    return tuple(LibraryFile(path, contents[path]) for path in paths)
