"""Reads a file named on the command line; `-` is standard input."""

import os
import sys
from pathlib import Path

import click

from toolweave.workflow.file_names import ENDINGS

STDIN = "-"


def names_file(text: str) -> bool:
    """Whether an argument is a file or standard input, not the name of a stored workflow."""
    return text == STDIN or os.path.lexists(text) or Path(text).suffix.lower() in ENDINGS


def read_bytes(name: str) -> bytes:
    """Read the file or standard input; a file that cannot be read is a usage error."""
    if name == STDIN:
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise click.BadParameter(f"{name!r} cannot be read: {error.strerror}") from None
