"""Writing an export: nothing outside the folder, nothing that is not ours, all files or none.

Paths are checked component by component for links; every file is written beside its place first
and then moved there.
"""

import difflib
import os
import stat
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Literal

from toolweave.errors import Conflict, Unavailable
from toolweave.export.embedded_graph import mark_in
from toolweave.export.exporter import Export, ExportedFile
from toolweave.problems import Problem

State = Literal["new", "same", "changed", "edited", "foreign", "blocked"]
MAX_READ = 64 * 1024 * 1024
FILE_MODE = 0o644

_WHY: dict[State, tuple[str, str]] = {
    "edited": ("EXPORT_EDITED", "was changed by hand since it was exported"),
    "foreign": ("EXPORT_FILE_FOREIGN", "was not written by an export of this workflow"),
    "blocked": ("EXPORT_PATH_UNSAFE", "is a link or no plain file, or lies behind one"),
}


@dataclass(frozen=True, slots=True)
class FileChangePlan:
    """What writing one file means: its state on disk, and the old text where there is one."""

    file: ExportedFile
    path: Path
    state: State
    old: str = ""

    @property
    def problem(self) -> Problem | None:
        """Why the file must not be written; nothing when it may."""
        if self.state not in _WHY:
            return None
        code, why = _WHY[self.state]
        can_force = self.state != "blocked"
        hint = "check with `--dry-run`; `--force` overwrites it" if can_force else "remove the link"
        return Problem(code, "", f"{self.file.path!r} {why}", hint)

    @property
    def staleness(self) -> Problem | None:
        """Why the file is not what an export would write now; nothing if it is, or is missing."""
        if self.state != "changed":
            return self.problem
        message = f"{self.file.path!r} is not what the workflow exports now"
        return Problem("EXPORT_STALE", "", message, "export again; `--dry-run` shows the changes")

    def diff(self) -> str:
        """The change as a unified diff; empty when there is none."""
        lines = difflib.unified_diff(
            self.old.splitlines(keepends=True),
            self.file.text.splitlines(keepends=True),
            "/dev/null" if self.state == "new" else f"a/{self.file.path}",
            f"b/{self.file.path}",
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def changes(export: Export, folder: Path) -> list[FileChangePlan]:
    """What writing `export` into `folder` would do; nothing is touched."""
    try:
        return [_change(file, folder) for file in export.files]
    except OSError as error:
        raise _unusable(folder, error) from error


def joined(path: str, folder: Path, join: Callable[[str], str]) -> FileChangePlan:
    """What changing a file that also others write would do; `join` keeps what they wrote."""
    try:
        change = _change(ExportedFile(path, ""), folder)
        if change.state == "blocked":
            return change
        text = join(change.old)
    except OSError as error:
        raise _unusable(folder, error) from error
    state: State = "new" if change.state == "new" else "changed"
    return replace(
        change, file=ExportedFile(path, text), state="same" if text == change.old else state
    )


def write(planned: Iterable[FileChangePlan], folder: Path, *, force: bool = False) -> None:
    """Write the files that differ, if all of them may be written."""
    wanted = [change for change in planned if change.state != "same"]
    refused = [
        problem
        for change in wanted
        if (problem := change.problem) and not (force and change.state != "blocked")
    ]
    if refused:
        raise Conflict(
            "EXPORT_REFUSED",
            f"nothing is written: {'; '.join(problem.message for problem in refused)}",
            hint=refused[0].hint,
            facts={"problems": [problem.as_json() for problem in refused]},
        )
    try:
        _write_all(wanted, folder)
    except OSError as error:
        raise _unusable(folder, error) from error


def _change(file: ExportedFile, folder: Path) -> FileChangePlan:
    parts = PurePosixPath(file.path).parts
    path = folder.joinpath(*parts)
    if ".." in parts or PurePosixPath(file.path).is_absolute() or _is_blocked(folder, parts):
        return FileChangePlan(file, path, "blocked")
    try:
        with path.open("rb") as there:
            old = there.read(MAX_READ).decode("utf-8", "replace")
    except FileNotFoundError:
        return FileChangePlan(file, path, "new")
    if old.replace("\r\n", "\n") == file.text:
        return FileChangePlan(file, path, "same", old)
    ours, theirs = mark_in(file.text), mark_in(old)
    if ours is None or theirs is None or (ours.of, ours.id) != (theirs.of, theirs.id):
        return FileChangePlan(file, path, "foreign", old)
    return FileChangePlan(file, path, "changed" if theirs.is_intact else "edited", old)


def _is_blocked(folder: Path, parts: tuple[str, ...]) -> bool:
    """Whether a link or special file is in the way."""
    at = folder
    for index, part in enumerate(parts):
        at = at / part
        try:
            mode = at.lstat().st_mode
        except FileNotFoundError:
            return False
        except NotADirectoryError:
            return True
        is_last = index == len(parts) - 1
        if not (stat.S_ISREG(mode) if is_last else stat.S_ISDIR(mode)):
            return True
    return False


def _write_all(wanted: list[FileChangePlan], folder: Path) -> None:
    ready: list[tuple[str, Path]] = []
    try:
        for change in wanted:
            change.path.parent.mkdir(parents=True, exist_ok=True)
            ready.append((_beside(change), change.path))
        for temporary, path in ready:
            # A link that appeared in between is replaced, not followed.
            os.replace(temporary, path)
    finally:
        for temporary, _ in ready:
            with suppress(FileNotFoundError):
                os.unlink(temporary)


def _beside(change: FileChangePlan) -> str:
    descriptor, name = tempfile.mkstemp(dir=change.path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(change.file.text.encode())
            file.flush()
            os.fsync(file.fileno())
        mode = FILE_MODE
        with suppress(FileNotFoundError):
            mode = stat.S_IMODE(change.path.lstat().st_mode)
        os.chmod(name, mode)
    except BaseException:
        os.unlink(name)
        raise
    return name


def _unusable(folder: Path, error: OSError) -> Unavailable:
    return Unavailable(
        "EXPORT_FOLDER_UNUSABLE",
        f"the folder {str(folder)!r} cannot be used: {error.strerror}",
        hint="check that it is a folder you may write to, or name another with `--out`",
    )
