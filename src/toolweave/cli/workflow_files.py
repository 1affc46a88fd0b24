"""Workflow files on the command line: read one, `-` or a stored name, and write it back safely."""

import os
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click

from toolweave.errors import Conflict, Unavailable
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.formats.load import YAML_ENDINGS, dump
from toolweave.workflow.model import Workflow

STDIN = "-"


@dataclass(frozen=True, slots=True)
class WorkflowFile:
    """A file as it was given, with its bytes."""

    name: str
    data: bytes

    def dumped(self, workflow: Workflow, format: FormatName) -> str:
        """The text for a changed workflow, in the file's own format."""
        if self.name.lower().endswith(YAML_ENDINGS):
            raise Conflict(
                "WORKFLOW_IS_YAML",
                f"{self.name!r} is YAML, which is only read",
                hint=f"`toolweave convert {self.name} --to {format} --out FILE` makes JSON of it",
            )
        return dump(workflow, format)

    def replace(self, text: str) -> None:
        """Write the new text in its place, or to standard output where it came from a pipe."""
        if self.name == STDIN:
            click.echo(text, nl=False)
            return
        path = Path(self.name)
        if path.read_bytes() != self.data:
            raise Conflict(
                "WORKFLOW_CHANGED",
                f"{self.name!r} was changed by somebody else meanwhile",
                hint="run the command again",
            )
        write_whole(path, text)


def read_file(name: str) -> WorkflowFile:
    """The file of this name; `-` is standard input."""
    if name == STDIN:
        return WorkflowFile(STDIN, sys.stdin.buffer.read())
    try:
        return WorkflowFile(name, Path(name).read_bytes())
    except OSError as error:
        raise click.BadParameter(f"{name!r} cannot be read: {error.strerror}") from None


def write_whole(path: Path, text: str) -> None:
    """Write a file so that at every moment the old or the new text is there, whole."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except OSError as error:
        with suppress(OSError):
            os.unlink(temporary)
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> Unavailable:
    return Unavailable("FILE_NOT_WRITTEN", f"{str(path)!r} cannot be written: {error.strerror}")
