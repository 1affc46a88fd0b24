"""One configuration file of another client, read with a size limit and never written.

Whatever is at the path, the result is a document, nothing, or a problem.
"""

import errno
import json
import os
import stat
import tomllib
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Literal

from toolweave.errors import Invalid
from toolweave.json_text import read
from toolweave.problems import Problem, Severity
from toolweave.servers.config_entry import as_object
from toolweave.servers.definition import Scope
from toolweave.servers.discovery.client import ConfigOrigin, FileProblem
from toolweave.servers.discovery.lenient_json import has_excessive_key, strip_comments

Format = Literal["json", "jsonc", "toml", "yaml"]

MIB = 1024 * 1024
MAX_BYTES = 8 * MIB
MAX_FILES = 200


@dataclass(frozen=True, slots=True)
class Source:
    """A file with the servers of one client in one scope."""

    client: str
    scope: Scope
    path: Path
    format: Format = "json"
    max_bytes: int = MAX_BYTES
    directory: Path | None = None  # the project directory its commands start in

    def problem(
        self, code: str, message: str, *, at: str = "", severity: Severity = "error"
    ) -> FileProblem:
        """Return a problem with this file."""
        return FileProblem(self.client, self.path, Problem(code, at, message, severity=severity))

    def origin(self, at: str) -> ConfigOrigin:
        """Return a location in this file."""
        return ConfigOrigin(self.scope, self.path, at)


@dataclass(frozen=True, slots=True)
class ConfigContent:
    """Read a file; no document if it is missing, empty or cannot be read."""

    document: dict[str, object] | None = None
    problems: tuple[FileProblem, ...] = ()


def files_in(base: Path, relative: str) -> list[Path]:
    """Return the files below `base` that a path with at most one `*` stands for, by name."""
    before, star, after = relative.partition("*")
    if not star:
        return [base / relative]
    folder = base / before
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    if after.startswith("/"):
        return [folder / name / after[1:] for name in names[:MAX_FILES]]
    return [folder / name for name in names if name.endswith(after)][:MAX_FILES]


def load(source: Source) -> ConfigContent:
    """Parse a file strictly, or leniently with a warning that says why."""
    try:
        text = read_bytes(source.path, source.max_bytes).decode("utf-8-sig")
        if not text.strip():
            return ConfigContent()
        value, doubt = _parse(text, source)
    except (FileNotFoundError, NotADirectoryError):
        return ConfigContent()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        is_large = error.errno == errno.EFBIG
        code = "CLIENT_FILE_TOO_LARGE" if is_large else "CLIENT_FILE_UNREADABLE"
        return _failed(source, code, f"the file cannot be read: {reason}")
    except UnicodeDecodeError as error:
        return _failed(source, "CLIENT_FILE_INVALID", f"not UTF-8 text at byte {error.start}")
    except RecursionError:
        return _failed(source, "CLIENT_FILE_INVALID", "nested too deeply")
    except Invalid as error:
        return _failed(source, "CLIENT_FILE_INVALID", error.message)
    document = as_object(value)
    if document is None:
        return _failed(source, "CLIENT_FILE_INVALID", "expected an object at the top of the file")
    warnings = [source.problem("CLIENT_FILE_DOUBTFUL", doubt, severity="warning")] if doubt else []
    return ConfigContent(document, tuple(warnings))


def _failed(source: Source, code: str, message: str) -> ConfigContent:
    return ConfigContent(problems=(source.problem(code, message),))


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """Read a regular file; anything else, or more than `max_bytes`, is an `OSError`."""
    # Non-blocking: opening a named pipe would otherwise wait for a writer.
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        facts = os.fstat(number)
        if not stat.S_ISREG(facts.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        with os.fdopen(number, "rb", closefd=False) as file:
            data = b"" if facts.st_size > max_bytes else file.read(max_bytes + 1)
    finally:
        os.close(number)
    if facts.st_size > max_bytes or len(data) > max_bytes:
        raise OSError(errno.EFBIG, f"it is larger than {max_bytes // MIB} MiB")
    return data


def _parse(text: str, source: Source) -> tuple[object, str | None]:
    """Return the value, and why a strict parser would reject it."""
    if source.format == "toml":
        return _toml(text), None
    if source.format == "yaml":
        return _yaml(text), None
    if source.format == "jsonc":
        text = strip_comments(text)
    try:
        return read(text, max_bytes=source.max_bytes), None
    except Invalid as strict:
        # A duplicate key or a lone surrogate in a client's history must not hide its servers.
        try:
            return json.loads(text), strict.message
        except ValueError:
            raise strict from None


def _toml(text: str) -> object:
    if has_excessive_key(text):
        raise Invalid("CLIENT_FILE_INVALID", "a dotted key has too many parts")
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise Invalid("CLIENT_FILE_INVALID", f"not TOML: {error}") from None


def _yaml(text: str) -> object:
    """Load the parser when there is a file for it: few people have one."""
    return import_module("toolweave.servers.plain_yaml").read_yaml(text)
