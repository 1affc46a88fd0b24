"""The validation report of a file, with pointers and patches of that file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.problems import Problem
from toolweave.workflow.checks import check_workflow
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.envelope import X
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import convert, load, read
from toolweave.workflow.formats.reshape import original_place
from toolweave.workflow.json_patch import apply_patch, difference
from toolweave.workflow.model import Workflow
from toolweave.workflow.repair import RepairedWorkflow, checked, fix, size_with_subflows

# The limit of nodes written to say patches in another dialect; beyond it, problems have none.
MAX_WRITTEN = 20_000


@dataclass(frozen=True)
class Report:
    """The parsed file and its problems; pointers and patches refer to the file."""

    loaded: LoadedWorkflow
    problems: tuple[Problem, ...]
    known: KnownEnvironment

    @property
    def is_valid(self) -> bool:
        """Whether there are no errors."""
        return all(problem.severity != "error" for problem in self.problems)

    @property
    def is_workflow(self) -> bool:
        """Whether the file contains a workflow."""
        return _has_content(self.loaded)

    @cached_property
    def fixed(self) -> RepairedWorkflow:
        """Return the workflow with every possible fix applied."""
        loaded, repaired = _respelt(self.loaded)
        found = fix(loaded.workflow, self.known, loaded.format)
        if found.repaired and loaded.format != "toolweave":
            found = replace(found, workflow=_native(found.workflow, loaded, self.known))
        return replace(found, repaired=(*repaired, *found.repaired))

    def as_json(self) -> dict[str, Any]:
        """Return the output of `validate --json`."""
        return {
            "valid": self.is_valid,
            "format": self.loaded.format,
            "problems": [problem.as_json() for problem in self.problems],
        }


def examine(text: str | bytes, known: KnownEnvironment, *, name_hint: str | None = None) -> Report:
    """Parse and validate a file's text."""
    return examine_loaded(load(text, name_hint=name_hint), known)


def examine_loaded(loaded: LoadedWorkflow, known: KnownEnvironment) -> Report:
    """Validate a parsed file."""
    found = tuple(_checked(loaded, known)) if _has_content(loaded) else ()
    # A problem found by both the parser and a check is reported by the check.
    reported = {(problem.code, problem.pointer) for problem in found}
    read_so = (one for one in loaded.problems if (one.code, one.pointer) not in reported)
    return Report(loaded, (*read_so, *found), known)


def _checked(loaded: LoadedWorkflow, known: KnownEnvironment) -> Iterator[Problem]:
    document = None
    # To say a patch in another dialect, the whole workflow is written in it.
    size = size_with_subflows(loaded.workflow)
    room = MAX_WRITTEN
    for one in checked(loaded.workflow, known, loaded.format):
        patch = None
        if one.document is not None and loaded.format == "toolweave":
            patch = one.changes
        elif room >= 0 and one.repaired is not None:
            room -= size
            document = convert(loaded.workflow, loaded.format) if document is None else document
            native = convert(_native(one.repaired, loaded, known), loaded.format)
            patch = tuple(difference(document, native))
        place = loaded.places.original(one.problem.pointer)
        if loaded.corrected:
            place = original_place(place, loaded.corrected)
            patch = patch if _is_untouched(patch, loaded.corrected) else None
        yield replace(one.problem, pointer=place, patch=patch)


def _native(repaired: Workflow, loaded: LoadedWorkflow, known: KnownEnvironment) -> Workflow:
    """Return a repaired workflow as its dialect says it.

    What was read differently before the repair would be noted beside it (`x-toolweave`). The file
    does without such notes if it is read with as few problems.
    """
    written = convert(repaired, loaded.format)
    bare = _without_notes(written)
    if (
        bare == written
        or _without_notes(before := convert(loaded.workflow, loaded.format)) != before
    ):
        return repaired
    again = read(bare)
    problems = len(check_workflow(again.workflow, known, loaded.format))
    is_as_good = problems <= len(check_workflow(repaired, known, loaded.format))
    return again.workflow if is_as_good and again.format == loaded.format else repaired


def _without_notes(document: Json) -> Json:
    if isinstance(document, dict):
        return {key: _without_notes(one) for key, one in document.items() if key != X}
    return [_without_notes(one) for one in document] if isinstance(document, list) else document


def _is_untouched(patch: Sequence[Mapping[str, Any]] | None, corrected: Sequence[Problem]) -> bool:
    """Whether a patch of the corrected document is also one of the file."""
    places = (one[key] for one in patch or () for key in ("path", "from") if key in one)
    return all(original_place(place, corrected) == place for place in places)


def _respelt(loaded: LoadedWorkflow) -> tuple[LoadedWorkflow, list[Problem]]:
    """Apply the parser's patches; return the result and the problems they fix."""
    document = convert(loaded.workflow, loaded.format)
    repaired = [*loaded.corrected]
    for problem in loaded.problems:
        if problem.patch and problem not in repaired:
            try:
                document = apply_patch(document, problem.patch)
            except Invalid:
                continue
            repaired.append(problem)
    is_changed = len(repaired) > len(loaded.corrected)
    return (read(document), repaired) if is_changed else (loaded, repaired)


def _has_content(loaded: LoadedWorkflow) -> bool:
    is_read = not any(problem.severity == "error" for problem in loaded.problems)
    return is_read or bool(loaded.workflow.nodes)
