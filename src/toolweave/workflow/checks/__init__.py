"""The checks of a workflow: one module per subject, discovered by being in this package.

A subject is a module with `check(case) -> Iterator[Problem]`. Pointers and patches refer to the
canonical document (`dump(workflow, "toolweave")`). A workflow that can run has no errors.

A subject with `READS_CONSTANTS = True` is given `{{ 5 }}` as 5: it checks values, not expressions.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import cast

from toolweave.problems import Problem, pointer
from toolweave.tools.repair_budget import limited_repairs
from toolweave.workflow.checks.constant_values import filled
from toolweave.workflow.checks.context import CheckContext, KnownEnvironment
from toolweave.workflow.collection_pause import paused_collection
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.model import Workflow

Check = Callable[[CheckContext], Iterator[Problem]]

# The problems of values in one workflow that get a suggestion; each takes about a millisecond.
MAX_REPAIRS = 500
_PATTERN = "FIELD_LIMIT_VIOLATED"


@cache
def subjects() -> tuple[tuple[Check, bool], ...]:
    """Return every check by its module name, and whether it reads constants in templates."""
    modules = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]
    return tuple(
        (cast("Check", module.check), getattr(module, "READS_CONSTANTS", False))
        for module in modules
        if hasattr(module, "check")
    )


def check_workflow(
    workflow: Workflow, known: KnownEnvironment, format: FormatName = "toolweave"
) -> list[Problem]:
    """Return the problems of a workflow and its sub-flows, in document order."""
    with paused_collection(), limited_repairs(MAX_REPAIRS):
        return _problems(workflow, known, format)


def _problems(workflow: Workflow, known: KnownEnvironment, format: FormatName) -> list[Problem]:
    problems = _checked(CheckContext(workflow, known, format))
    for index, subflow in enumerate(workflow.subflows):
        place = pointer("subAgentFlows", index)
        found = _checked(CheckContext(subflow, known, format, workflow))
        problems.extend(_moved(problem, place) for problem in found)
    problems.sort(key=lambda problem: _order(problem.pointer))
    errors = [one for one in problems if one.severity == "error"]
    if not errors:
        return problems
    said = {_finding(one) for one in errors}
    fixed: dict[str, list[Problem]] = {}
    for one in errors:
        if one.patch is not None:
            fixed.setdefault(one.pointer, []).append(one)
    return [
        one
        for one in problems
        if (one.severity == "error" or _finding(one) not in said)
        and not any(_says_less(one, other) for other in fixed.get(one.pointer, ()))
    ]


def _finding(problem: Problem) -> tuple[str, str, str]:
    return problem.code, problem.pointer, problem.message


def _says_less(problem: Problem, other: Problem) -> bool:
    """Whether an error with a fix says all of it: the same fix, or that a pattern is not met."""
    if problem is other:
        return False
    if problem.severity == "warning":
        return problem.patch == other.patch
    return problem.code == _PATTERN and problem.hint is None and problem.patch is None


def _checked(case: CheckContext) -> list[Problem]:
    found: list[Problem] = []
    with_constants = case.once(filled)
    for check, reads_constants in subjects():
        found += check(with_constants if reads_constants else case)
    with_constants.forget()
    case.forget()
    return found


def _moved(problem: Problem, by: str) -> Problem:
    patch = problem.patch and tuple(
        {key: by + value if key in {"path", "from"} else value for key, value in operation.items()}
        for operation in problem.patch
    )
    return replace(problem, pointer=by + problem.pointer, patch=patch)


def _order(place: str) -> tuple[tuple[int, str], ...]:
    return tuple((int(step), "") if step.isdecimal() else (-1, step) for step in place.split("/"))
