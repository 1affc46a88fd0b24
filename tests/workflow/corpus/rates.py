"""What comes of the faults: caught, fixed, made worse; and the lines that say so."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from tests.workflow.corpus import in_structure, in_values, in_words
from tests.workflow.corpus.bases import Base, Document, bases, world
from tests.workflow.corpus.faults import Fault

from toolweave.problems import Problem
from toolweave.workflow.checks import check_workflow
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.load import load
from toolweave.workflow.json_patch import apply_patch
from toolweave.workflow.report import Report, examine


@dataclass(frozen=True)
class Outcome:
    """What the checks made of a fault."""

    fault: Fault
    told: tuple[Problem, ...]
    is_caught: bool
    is_fixed: bool
    # Problems whose patch could not be applied to the file, or brought a new error.
    harmful: tuple[str, ...]


# Of one kind in one base so many are tried; more of the same say nothing new.
MOST_OF_A_KIND = 2


def faults_of(base: Base) -> Iterator[Fault]:
    """Single faults of a base, of every kind that it has room for; of a sample file one each."""
    most = 1 if "/" in base.name else MOST_OF_A_KIND
    counts: Counter[str] = Counter()
    for each in (in_structure, in_values, in_words):
        for fault in each.faults(base):
            counts[fault.kind] += 1
            if counts[fault.kind] <= most:
                yield fault


@cache
def outcomes(name: str) -> tuple[Outcome, ...]:
    """What comes of every fault of the base of this name."""
    base = next(one for one in bases() if one.name == name)
    before = {(one.code, one.pointer) for one in examined(base.document, base).problems}
    return tuple(_outcome(fault, before) for fault in faults_of(base))


def examined(document: Document, base: Base) -> Report:
    """A document as a file would be examined."""
    return examine(json.dumps(document), world(base.world))


def _outcome(fault: Fault, before: set[tuple[str, str]]) -> Outcome:
    report = examined(fault.document, fault.base)
    new = tuple(one for one in report.problems if (one.code, one.pointer) not in before)
    caught = [
        one
        for one in new
        if one.code in fault.codes and (one.severity == "error" or not fault.is_grave)
    ]
    harmful = tuple(_harm(report, fault, new))
    fixed = any(_is_mended(one, fault, before) for one in caught if one.patch)
    return Outcome(fault, new, bool(caught), fixed, harmful)


def _harm(report: Report, fault: Fault, new: Iterable[Problem]) -> Iterator[str]:
    errors = _errors(report.problems)
    for problem in new:
        if problem.patch is not None:
            document = apply_patch(fault.document, problem.patch)
            after = _errors(_unproven(document, report.known))
            if after - errors:
                yield f"{fault.name}: {problem.code} brings {dict(after - errors)}"


def _unproven(document: object, known: KnownEnvironment) -> list[Problem]:
    """Everything wrong with a file, without the proof of every patch."""
    loaded = load(json.dumps(document))
    found = [
        replace(one, pointer=loaded.places.original(one.pointer))
        for one in check_workflow(loaded.workflow, known, loaded.format)
    ]
    told = {(one.code, one.pointer) for one in found}
    return [*(one for one in loaded.problems if (one.code, one.pointer) not in told), *found]


def _is_mended(problem: Problem, fault: Fault, before: set[tuple[str, str]]) -> bool:
    """Whether the patch, applied to the file's own document, leaves nothing wrong."""
    document = apply_patch(fault.document, problem.patch or ())
    left = [
        one
        for one in _unproven(document, world(fault.base.world))
        if (one.code, one.pointer) not in before
        and (one.severity == "error" or one.code == problem.code)
    ]
    if left:
        return False
    return fault.fix != "same" or _same(document, fault.base.document)


def _same(one: object, other: object) -> bool:
    """Whether two files are the same workflow."""
    return load(json.dumps(one)).workflow == load(json.dumps(other)).workflow


def _errors(problems: Iterable[Problem]) -> Counter[str]:
    return Counter(one.code for one in problems if one.severity == "error")
