"""A file examined: everything wrong with it, told in places and patches of that very file."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from toolweave.errors import Invalid
from toolweave.problems import Problem
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import convert, load, read
from toolweave.workflow.json_patch import apply_patch, difference
from toolweave.workflow.repair import Fixed, checked, fix


@dataclass(frozen=True)
class Report:
    """What was read and what is wrong with it; pointers and patches are those of the file."""

    loaded: LoadedWorkflow
    problems: tuple[Problem, ...]
    known: KnownEnvironment

    @property
    def is_valid(self) -> bool:
        """Whether nothing is an error."""
        return all(problem.severity != "error" for problem in self.problems)

    @property
    def is_workflow(self) -> bool:
        """Whether there was a workflow to look at."""
        return _has_content(self.loaded)

    @cached_property
    def fixed(self) -> Fixed:
        """The workflow with everything mended that can be."""
        loaded, mended = _respelt(self.loaded)
        found = fix(loaded.workflow, self.known, loaded.format)
        return replace(found, mended=(*mended, *found.mended))

    def as_json(self) -> dict[str, Any]:
        """The shape of `validate --json`."""
        return {
            "valid": self.is_valid,
            "format": self.loaded.format,
            "problems": [problem.as_json() for problem in self.problems],
        }


def examine(text: str | bytes, known: KnownEnvironment, *, name_hint: str | None = None) -> Report:
    """Read a file's text and check what is in it."""
    return examine_loaded(load(text, name_hint=name_hint), known)


def examine_loaded(loaded: LoadedWorkflow, known: KnownEnvironment) -> Report:
    """Check what was read."""
    found = tuple(_checked(loaded, known)) if _has_content(loaded) else ()
    # What its reader said too is told once, by the check, which may know a patch.
    told = {(problem.code, problem.pointer) for problem in found}
    read_so = (one for one in loaded.problems if (one.code, one.pointer) not in told)
    return Report(loaded, (*read_so, *found), known)


def _checked(loaded: LoadedWorkflow, known: KnownEnvironment) -> Iterator[Problem]:
    document = None
    for one in checked(loaded.workflow, known, loaded.format):
        patch = None
        if one.mended is not None:
            document = convert(loaded.workflow, loaded.format) if document is None else document
            patch = tuple(difference(document, convert(one.mended, loaded.format)))
        place = loaded.places.original(one.problem.pointer)
        yield replace(one.problem, pointer=place, patch=patch)


def _respelt(loaded: LoadedWorkflow) -> tuple[LoadedWorkflow, list[Problem]]:
    """What was read, after the patches that its reader gave, and the problems they mend."""
    document = convert(loaded.workflow, loaded.format)
    mended: list[Problem] = []
    for problem in loaded.problems:
        if problem.patch:
            try:
                document = apply_patch(document, problem.patch)
            except Invalid:
                continue
            mended.append(problem)
    return (read(document), mended) if mended else (loaded, mended)


def _has_content(loaded: LoadedWorkflow) -> bool:
    is_read = not any(problem.severity == "error" for problem in loaded.problems)
    return is_read or bool(loaded.workflow.nodes)
