"""Document files: read whole, replaced atomically, and only if unchanged since."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from toolweave.documents.document import MAX_BYTES
from toolweave.documents.render import ResultImage
from toolweave.errors import Conflict, Invalid, NotFound, Unavailable


def read_file(path: Path) -> bytes:
    """Read a document."""
    try:
        if not path.is_file():
            raise NotFound("DOCUMENT_NOT_FOUND", f"there is no document {str(path)!r}")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        told = f"{str(path)!r} cannot be read: {error.strerror}"
        raise Unavailable("FILE_UNREADABLE", told) from None
    if len(data) > MAX_BYTES:
        raise Invalid(
            "DOCUMENT_TOO_LARGE",
            f"{str(path)!r} is larger than {MAX_BYTES} bytes",
            hint="split it into several documents",
        )
    return data


def replace_file(path: Path, before: bytes, after: bytes) -> None:
    """Replace a document that was read; a link is followed to its file."""
    target = path.resolve()
    try:
        descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".tmp")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(after)
                file.flush()
                os.fsync(descriptor)
            os.chmod(temporary, target.stat().st_mode & 0o777)
            if target.read_bytes() != before:
                raise Conflict(
                    "DOCUMENT_CHANGED",
                    f"{str(path)!r} was changed while its blocks ran; it was not written",
                    hint="run it again: changed blocks run, and the results are written",
                )
            os.replace(temporary, target)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
    except OSError as error:
        told = f"{str(path)!r} cannot be written: {error.strerror}"
        raise Unavailable("FILE_UNWRITABLE", told) from None


def assets_folder(path: Path) -> str:
    """Return the folder beside a document for its pictures."""
    return f"{path.stem}.assets"


def keep_picture(path: Path, picture: ResultImage) -> None:
    """Write a picture beside its document; its name is derived from its call, so it is replaced."""
    folder = path.resolve().parent / assets_folder(path)
    try:
        folder.mkdir(exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=".", suffix=".tmp")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(picture.data)
            os.chmod(temporary, 0o644)
            os.replace(temporary, folder / picture.name)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
    except OSError as error:
        told = f"{str(folder / picture.name)!r} cannot be written: {error.strerror}"
        raise Unavailable("FILE_UNWRITABLE", told) from None
