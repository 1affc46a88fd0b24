"""An export read back: the graph it carries, from a text, a file or a folder."""

import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from os import walk
from os.path import isdir
from pathlib import Path

from toolweave.errors import Invalid, NotFound
from toolweave.export.embedded_graph import graph_in, mark_in
from toolweave.problems import Problem
from toolweave.workflow.formats.format import LoadedWorkflow

MAX_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 5
MAX_FILES = 20_000
ENDINGS = (".md", ".mmd")
# Scripts are exports only in the folder of this name.
SCRIPTS = "workflows"
_NOT_SEARCHED = frozenset({"node_modules", ".git", ".venv", "__pycache__"})


@dataclass(frozen=True, slots=True)
class ReimportedWorkflow:
    """A workflow, and the file it was found in."""

    loaded: LoadedWorkflow
    path: Path


def import_text(text: str) -> LoadedWorkflow:
    """Return the workflow in an exported text. Raises `EXPORT_NOT_OURS`, `EXPORT_DAMAGED`."""
    loaded, mark = graph_in(text), mark_in(text)
    if loaded is None and mark is not None:
        raise Invalid(
            "EXPORT_NOT_OURS",
            f"this is one part of the export of {mark.of!r} and carries no graph of its own",
            hint=f"import the skill, command or prompt {mark.of!r} instead",
        )
    if loaded is None:
        raise Invalid(
            "EXPORT_NOT_OURS",
            "this is no export of toolweave: it carries no workflow",
            hint="import a file that `toolweave export` wrote; a workflow file needs no import",
        )
    if mark is None or mark.is_intact:
        return loaded
    edited = Problem(
        "EXPORT_EDITED",
        "",
        "the text was changed after the export; the graph is as it was exported",
        hint="make the change in the workflow, then export it again",
        severity="warning",
    )
    return replace(loaded, problems=(edited, *loaded.problems))


def import_path(path: Path) -> ReimportedWorkflow:
    """The workflow in an exported file, or in the one export that a folder holds.

    Raises `NotFound`: `EXPORT_NOT_FOUND` when there is no such file, or no export in the folder;
    `Invalid`: `EXPORT_NOT_OURS`, `EXPORT_DAMAGED`, or `EXPORT_AMBIGUOUS` for several.
    """
    if not isdir(path):
        return ReimportedWorkflow(import_text(_text(path)), path)
    found = [
        ReimportedWorkflow(import_text(text), file)
        for file in _candidates(path)
        if (text := _text(file)) and mark_in(text) and graph_in(text)
    ]
    if not found:
        raise NotFound(
            "EXPORT_NOT_FOUND",
            f"{str(path)!r} holds no file that `toolweave export` wrote",
            hint="name the folder that was given to `--out`, or the file itself",
        )
    # One workflow may be there for several targets.
    if any(one.loaded.workflow != found[0].loaded.workflow for one in found):
        names = ", ".join(repr(str(one.path.relative_to(path))) for one in found)
        raise Invalid(
            "EXPORT_AMBIGUOUS",
            f"{str(path)!r} holds different workflows: {names}",
            hint="name one of these files",
        )
    return found[0]


def _candidates(folder: Path) -> Iterator[Path]:
    """Files that may be exports, a few folders deep, never through a link."""
    left = MAX_FILES
    for root, folders, files in walk(folder):
        here = Path(root)
        depth = len(here.relative_to(folder).parts)
        folders[:] = sorted(set(folders) - _NOT_SEARCHED) if depth < MAX_DEPTH else []
        for name in sorted(files):
            left -= 1
            if left < 0:
                return
            is_script = here.name == SCRIPTS and name.endswith(".js")
            if (is_script or name.endswith(ENDINGS)) and stat.S_ISREG(
                (here / name).lstat().st_mode
            ):
                yield here / name


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise NotFound("EXPORT_NOT_FOUND", f"there is no file {str(path)!r}") from None
    except OSError as error:
        raise Invalid("EXPORT_UNREADABLE", f"{str(path)!r}: {error.strerror}") from None
    if len(data) > MAX_BYTES:
        raise Invalid("EXPORT_UNREADABLE", f"{str(path)!r} is larger than {MAX_BYTES} bytes")
    return data.decode("utf-8", "replace")
