"""Repairs a workflow with the patches of its problems; only those proven to be harmless."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.problems import Problem
from toolweave.workflow.checks import check_workflow
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.json_patch import apply_patch, value_at
from toolweave.workflow.model import Workflow

MAX_ROUNDS = 20
# The limit of nodes checked to prove patches; beyond it, problems lose their patches.
MAX_PROOF = 5_000
FIRST = "fix the other problems first, then validate again"
# The limit of reported problems.
MAX_REPORTED = 1_000


@dataclass(frozen=True, slots=True)
class CheckedWorkflow:
    """A problem, and the workflow after its patch."""

    problem: Problem
    repaired: Workflow | None = None


@dataclass(frozen=True, slots=True)
class RepairedWorkflow:
    """A repaired workflow, the fixed problems and the remaining ones."""

    workflow: Workflow
    repaired: tuple[Problem, ...] = ()
    left: tuple[Problem, ...] = ()


def checked(
    workflow: Workflow, known: KnownEnvironment, format: FormatName
) -> Iterator[CheckedWorkflow]:
    """Return the problems of a workflow; patches are kept only if they cause no new error."""
    problems = _decided(check_workflow(workflow, known, format))
    room = MAX_PROOF
    judge: _Judge | None = None
    for problem in _most_severe(problems):
        if problem.patch is None:
            yield CheckedWorkflow(problem)
            continue
        judge = judge or _Judge(workflow, known, format, problems)
        room -= len(workflow.nodes)
        after = judge.after([problem]) if room >= 0 else None
        yield (
            CheckedWorkflow(problem, after[0])
            if after
            else CheckedWorkflow(replace(problem, patch=None))
        )


def _decided(problems: list[Problem]) -> list[Problem]:
    """Take away patches that depend on what the fix of another problem decides.

    A reference means something else once the type of a node is corrected or its text translated,
    and a name that nothing has may be that of the missing trigger.
    """
    codes = {problem.code for problem in problems if problem.patch is not None}
    translated = {one.pointer for one in problems if one.code == "EXPRESSION_OLDER_SYNTAX"}
    has_unknown_name = any(one.code == "REFERENCE_NAME_UNKNOWN" for one in problems)

    def is_early(problem: Problem) -> bool:
        if problem.code == "START_MISSING":
            return has_unknown_name
        is_reference = problem.code.startswith("REFERENCE_")
        return is_reference and ("NODE_UNKNOWN" in codes or problem.pointer in translated)

    return [
        replace(one, patch=None, hint=FIRST) if one.patch is not None and is_early(one) else one
        for one in problems
    ]


def _most_severe(problems: list[Problem]) -> list[Problem]:
    """Return the problems, or the most severe ones and a count of the others."""
    if len(problems) <= MAX_REPORTED:
        return problems
    gravest = sorted(range(len(problems)), key=lambda at: problems[at].severity != "error")
    kept = [problems[at] for at in sorted(gravest[:MAX_REPORTED])]
    message = f"{len(problems) - MAX_REPORTED} more problems were found"
    hint = "fix these first, then validate again"
    return [*kept, Problem("PROBLEMS_LEFT_OUT", "", message, hint, severity="warning")]


def fix(workflow: Workflow, known: KnownEnvironment, format: FormatName) -> RepairedWorkflow:
    """Return the workflow with every possible fix applied."""
    problems = _decided(check_workflow(workflow, known, format))
    repaired: list[Problem] = []
    for _ in range(MAX_ROUNDS):
        judge = _Judge(workflow, known, format, problems)
        step = judge.best([problem for problem in problems if problem.patch])
        if step is None:
            break
        workflow, problems, done = step
        repaired.extend(done)
    return RepairedWorkflow(workflow, tuple(repaired), tuple(problems))


_Step = tuple[Workflow, list[Problem], list[Problem]]


class _Judge:
    """Applies patches to a workflow and compares its problems."""

    def __init__(
        self,
        workflow: Workflow,
        known: KnownEnvironment,
        format: FormatName,
        problems: list[Problem],
    ) -> None:
        self._document: Json = convert(workflow, "toolweave")
        self._known = known
        self._format: FormatName = format
        self._before = problems
        self._errors = _errors(problems)

    def best(self, patched: list[Problem]) -> _Step | None:
        """Apply all independent patches; else the first one that helps."""
        together = list(_independent(patched))
        found = self.after(together) if len(together) > 1 else None
        if found is not None:
            return (*found, together)
        for problem in patched:
            found = self.after([problem])
            if found is not None:
                return (*found, [problem])
        return None

    def _with_id(self, operation: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Return the operation; an edge id derived from its ends is updated."""
        if _is_end(operation):
            owner, _, key = str(operation["path"]).rpartition("/")
            edge = value_at(self._document, owner)
            if isinstance(edge, dict) and edge.get("id") == f"{edge.get('from')}->{edge.get('to')}":
                ends = edge | {key: operation["value"]}
                name = f"{ends['from']}->{ends['to']}"
                yield {"op": "replace", "path": f"{owner}/id", "value": name}
        yield operation

    def after(self, chosen: Sequence[Problem]) -> tuple[Workflow, list[Problem]] | None:
        """Return the workflow and its problems after these patches; None if not better."""
        operations = [
            operation for problem in _backwards(chosen) for operation in problem.patch or ()
        ]
        operations = [step for one in operations for step in self._with_id(one)]
        try:
            document = apply_patch(self._document, operations)
        except Invalid:
            return None
        workflow = read(document).workflow
        problems = _decided(check_workflow(workflow, self._known, self._format))
        if _errors(problems) - self._errors or _weight(problems) >= _weight(self._before):
            return None
        return workflow, problems


def _is_end(operation: Mapping[str, Any]) -> bool:
    place = str(operation["path"])
    return operation["op"] == "replace" and place.rpartition("/")[2] in {"from", "to"}


def _weight(problems: Sequence[Problem]) -> tuple[int, int]:
    """Return a score: errors count first, as fixing one may reveal others."""
    return sum(problem.severity == "error" for problem in problems), len(problems)


def _errors(problems: Iterable[Problem]) -> Counter[str]:
    return Counter(problem.code for problem in problems if problem.severity == "error")


def _independent(patched: Iterable[Problem]) -> Iterator[Problem]:
    """Return problems whose patches change different nodes and edges."""
    touched: set[str] = set()
    for problem in patched:
        places = {
            _part(str(operation[key]))
            for operation in problem.patch or ()
            for key in ("path", "from")
            if key in operation
        }
        if touched.isdisjoint(places):
            touched |= places
            yield problem


def _backwards(problems: Iterable[Problem]) -> list[Problem]:
    """Sort by descending index, so that removals do not shift later targets."""
    return sorted(problems, key=lambda problem: _place(problem), reverse=True)


def _place(problem: Problem) -> list[tuple[str, int]]:
    paths = [str(operation["path"]) for operation in problem.patch or ()] or [problem.pointer]
    steps = max(paths).split("/")
    return [("", int(step)) if step.isdecimal() else (step, -1) for step in steps]


def _part(place: str) -> str:
    """Return `/nodes/3` of a longer pointer; an appended item only affects itself."""
    return place if place.endswith("/-") else "/".join(place.split("/")[:3])
