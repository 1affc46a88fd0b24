"""Workflow files on the command line: read a file or `-`, and write it back safely."""

import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from toolweave.cli.input_file import STDIN, read_bytes
from toolweave.cli.terminal import print_document
from toolweave.errors import Conflict, Unavailable
from toolweave.json_text import write_like
from toolweave.storage.files import put_new
from toolweave.workflow.file_names import YAML_ENDINGS
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.formats.load import convert
from toolweave.workflow.model import Workflow

INSTEAD = "choose another name, or delete the file"


@dataclass(frozen=True, slots=True)
class WorkflowFile:
    """A workflow file with its bytes."""

    name: str
    data: bytes

    def dumped(self, workflow: Workflow, format: FormatName) -> str:
        """The text of a changed workflow in the file's own dialect and layout."""
        if self.name.lower().endswith(YAML_ENDINGS):
            raise Conflict(
                "WORKFLOW_IS_YAML",
                f"{self.name!r} is YAML, which cannot be written",
                hint=f"`toolweave convert {self.name} --to {format} --out FILE` writes JSON",
            )
        return write_like(convert(workflow, format), self.data)

    def replace(self, text: str) -> None:
        """Replace the file with the new text; write to standard output if it came from a pipe."""
        if self.name == STDIN:
            print_document(text)
            return
        path = Path(self.name)
        if path.read_bytes() != self.data:
            raise Conflict(
                "WORKFLOW_CHANGED",
                f"{self.name!r} was changed by another program in the meantime",
                hint="run the command again",
            )
        write_file(path, text, force=True)


def read_file(name: str) -> WorkflowFile:
    """Read the file; `-` is standard input."""
    return WorkflowFile(name, read_bytes(name))


def write_file(path: Path, text: str, *, force: bool = False, hint: str = INSTEAD) -> None:
    """Write the whole file atomically; an existing file is replaced only with `over`.

    Raises:
        Conflict: `FILE_EXISTS`.
        Unavailable: `FILE_UNWRITABLE`.
    """
    try:
        if not force and os.path.lexists(path):
            raise _exists(path, hint)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(descriptor)
            os.chmod(temporary, _mode(path))
            _put(temporary, path, force=force)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
    except FileExistsError:
        raise _exists(path, hint) from None
    except OSError as error:
        raise Unavailable(
            "FILE_UNWRITABLE", f"{str(path)!r} cannot be written: {error.strerror}"
        ) from None


def _put(temporary: str, path: Path, *, force: bool) -> None:
    if force:
        os.replace(temporary, path)
    else:
        put_new(temporary, path)  # fails if the file was created in the meantime


def _mode(path: Path) -> int:
    """The mode of the existing file; for a new one, 0666 with the user's umask."""
    with suppress(FileNotFoundError):
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _exists(path: Path, hint: str) -> Conflict:
    return Conflict(
        "FILE_EXISTS",
        f"{str(path)!r} already exists",
        hint=hint,
    )
