"""Repairs a workflow with the patches of its problems; only those proven to be harmless."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

from toolweave import json_text
from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.problems import Problem
from toolweave.workflow.checks import check_workflow
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.formats.load import convert, read
from toolweave.workflow.graph import Graph
from toolweave.workflow.json_patch import apply_patch, difference, value_at
from toolweave.workflow.model import Workflow
from toolweave.workflow.repair_joining import joined
from toolweave.workflow.repair_order import FIRST, decided, is_of_data
from toolweave.workflow.repair_search import with_edits

MAX_ROUNDS = 20
# The limit of nodes checked to prove patches, and of passes over a larger workflow; beyond it,
# problems lose their patches.
MAX_PROOF = 5_000
MAX_PASSES = 4
# The limit of nodes checked to prove each patch alone.
MAX_TRIED_ALONE = 1_000
# The limit of further errors that a patch reveals and that are fixed with it.
MAX_REVEALED = 3
# The limit of reported problems.
MAX_REPORTED = 1_000

UNKNOWN_NODE = "NODE_UNKNOWN"
UNKNOWN_OPTION = "FIELD_OPTION_INVALID"
CONTRADICTION = "VALUE_UNLIKELY"

# Any: operations are JSON to be sent on.
Patch: TypeAlias = tuple[dict[str, Any], ...]
_PLACES = frozenset({"path", "from"})


@dataclass(frozen=True, slots=True)
class CheckedWorkflow:
    """A problem, and the document after its patch."""

    problem: Problem
    # The canonical document and what its patch makes of it; None without one.
    before: Json = None
    document: Json = None

    @property
    def repaired(self) -> Workflow | None:
        """The workflow after the patch."""
        return None if self.document is None else read(self.document).workflow

    @property
    def changes(self) -> Patch:
        """The least operations on the canonical document; only the changed parts are compared."""
        patch = self.problem.patch or ()
        parts = sorted(_parts(patch))
        if len(patch) == 1 and patch[0]["op"] == "remove" and parts == [patch[0]["path"]]:
            return patch
        if any(one[key] in parts for one in patch for key in _PLACES & one.keys()):
            parts = [""]  # items of a list are added or removed
        return tuple(
            operation
            for part in parts
            for operation in difference(
                value_at(self.before, part), value_at(self.document, part), part
            )
        )


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
    found = with_edits(workflow, known, format, check_workflow(workflow, known, format))
    judge = _Judge(workflow, known, format, found)
    reported = _most_severe(judge.settled())
    patched = [at for at, problem in enumerate(reported) if problem.patch is not None]
    proven: dict[int, Problem] = {}
    if patched:
        proven = _proven(judge, reported, patched, size_with_subflows(workflow))
        proven = joined(proven, judge.holds)
    for at, problem in enumerate(reported):
        if (fixed := proven.get(at)) is not None:
            yield CheckedWorkflow(fixed, judge.document, judge.patched([fixed]))
        else:
            yield CheckedWorkflow(_unproven(problem) if problem.patch else problem)


def size_with_subflows(workflow: Workflow) -> int:
    """How many nodes a check of a workflow reads; a sub-flow itself takes as long as twenty."""
    size = max(1, len(workflow.nodes))
    return size + sum(20 + size_with_subflows(flow) for flow in workflow.subflows)


def _unproven(problem: Problem) -> Problem:
    """A problem whose patch would cause another; the hint must not promise it."""
    hint = problem.hint and f"{problem.hint}; alone, it causes another problem"
    return replace(problem, patch=None, hint=hint)


def _proven(
    judge: "_Judge", problems: list[Problem], patched: list[int], size: int
) -> dict[int, Problem]:
    """Return the problems whose patches cause no new error, or fix those that they cause.

    Each patch is tried alone where that is cheap. Many patches are tried together, so that the
    time does not grow with the square of their number; a group that fails is tried in halves.
    """
    room = max(MAX_PROOF, MAX_PASSES * size)
    is_cheap = len(patched) * size <= MAX_TRIED_ALONE
    waiting = [[at] for at in patched] if is_cheap else list(_groups(problems, patched))
    proven: dict[int, Problem] = {}
    # A group is tried before the halves of those that failed, so that a few cost no others.
    for group in waiting:
        room -= size
        if room < 0:
            break
        chosen = [problems[at] for at in group]
        if judge.holds(chosen):
            proven |= {at: problems[at] for at in group}
        elif len(group) > 1:
            half = len(group) // 2
            waiting += [group[:half], group[half:]]
        elif room >= MAX_REVEALED * size and (longer := judge.completed(chosen[0])) is not None:
            room -= MAX_REVEALED * size
            proven[group[0]] = longer
        elif judge.holds(chosen, is_revealing=True):
            room -= size
            proven[group[0]] = chosen[0]
    return proven


def _groups(problems: list[Problem], patched: list[int]) -> Iterator[list[int]]:
    """Return the problems in groups whose patches change different nodes and edges."""
    while patched:
        touched: dict[str, Patch] = {}
        group: list[int] = []
        later: list[int] = []
        for at in patched:
            patch = problems[at].patch or ()
            parts = _parts(patch)
            # Two problems of one value have the same patch.
            is_free = all(touched.get(part, patch) == patch for part in parts)
            (group if is_free else later).append(at)
            if is_free:
                touched |= dict.fromkeys(parts, patch)
        yield group
        patched = later


def _fix_of(problem: Problem) -> tuple[str, str, str]:
    # Without the pointers, which change when an item before them is removed.
    values = [one.get("value") for one in problem.patch or ()]
    return problem.code, problem.message, json_text.write(values)


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
    problems = check_workflow(workflow, known, format)
    repaired: list[Problem] = []
    for _ in range(MAX_ROUNDS):
        problems = with_edits(workflow, known, format, problems)
        judge = _Judge(workflow, known, format, problems)
        problems = judge.settled()
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
        self._workflow = workflow
        self._known = known
        self._format: FormatName = format
        self._before = problems
        self._errors = _errors(problems)

    @cached_property
    def document(self) -> Json:
        """The canonical document."""
        return convert(self._workflow, "toolweave")

    def settled(self) -> list[Problem]:
        """Return the problems; those whose fix depends on that of others have to wait.

        What an expression means is decided by nodes, settings and edges. Where their fixes make
        a problem of the flow of data disappear or ask for another patch, its own is too early.
        """
        problems = decided(self._before)
        causes = [one for one in problems if one.patch and not is_of_data(one)]
        if not causes or not any(one.patch and is_of_data(one) for one in problems):
            return problems
        try:
            workflow = read(self.patched([*_independent(causes)])).workflow
        except Invalid:
            return problems
        left = {_fix_of(one) for one in check_workflow(workflow, self._known, self._format)}
        return [
            replace(one, patch=None, hint=FIRST)
            if one.patch and is_of_data(one) and _fix_of(one) not in left
            else one
            for one in problems
        ]

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
        for group in _of_one_node(patched):
            found = self.after(group)
            if found is not None:
                return (*found, group)
        for problem in patched:
            longer = self.completed(problem)
            found = None if longer is None else self.after([longer])
            if longer is not None and found is not None:
                return (*found, [longer])
        for problem in patched:
            found = self.after([problem], is_revealing=True)
            if found is not None:
                return (*found, [problem])
        return None

    def completed(self, problem: Problem) -> Problem | None:
        """Return the problem with a patch that also fixes the errors its own one reveals.

        A renamed setting may have a value that is wrong there, and once a node is known, a
        reference to it may be wrong. These are fixed by their own patches only.
        """
        hint = problem.hint
        try:
            document = self.patched([problem])
            for _ in range(MAX_REVEALED):
                found = check_workflow(read(document).workflow, self._known, self._format)
                revealed = _errors(found) - self._errors
                if not revealed:
                    patch = tuple(difference(self.document, document))
                    longer = replace(problem, patch=patch, hint=hint)
                    return longer if patch and self.holds([longer]) else None
                # An error of the same kind elsewhere was there before.
                step = next(
                    (
                        one
                        for one in found
                        if one.patch
                        and one.code in revealed
                        and not self._said[one.code, one.message]
                    ),
                    None,
                )
                if step is None:
                    return None
                document = apply_patch(document, step.patch or ())
                hint = ", then ".join(_instruction(text) for text in (hint, step.hint) if text)
        except Invalid:
            return None
        return None

    def _with_id(self, operation: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Return the operation; an edge id derived from its ends is updated."""
        if _is_end(operation):
            owner, _, key = str(operation["path"]).rpartition("/")
            edge = value_at(self.document, owner)
            if isinstance(edge, dict) and edge.get("id") == f"{edge.get('from')}->{edge.get('to')}":
                ends = edge | {key: operation["value"]}
                name = f"{ends['from']}->{ends['to']}"
                yield {"op": "replace", "path": f"{owner}/id", "value": name}
        yield operation

    def after(
        self, chosen: Sequence[Problem], *, is_revealing: bool = False
    ) -> tuple[Workflow, list[Problem]] | None:
        """Return the workflow and its problems after these patches; None if not better.

        Of an unknown node nothing can be checked, nor what follows it. With `is_revealing`, the
        problems that are found there once it is known are not held against its fix.
        """
        try:
            document = self.patched(chosen)
        except Invalid:
            return None
        workflow = read(document).workflow
        problems = check_workflow(workflow, self._known, self._format)
        judged = problems
        if is_revealing:
            hidden = _unchecked_before(self._workflow, chosen)
            judged = [one for one in problems if _part(one.pointer) not in hidden]
        if _errors(judged) - self._errors or _weight(judged) >= _weight(self._before):
            return None
        if self._contradicts(chosen, judged):
            return None
        return workflow, problems

    def _contradicts(self, chosen: Sequence[Problem], after: Iterable[Problem]) -> bool:
        """Whether an option that a patch chooses makes another setting of its node idle."""
        nodes = {_part(one.pointer) for one in chosen if one.code == UNKNOWN_OPTION}
        return bool(nodes) and any(
            one.code == CONTRADICTION
            and _part(one.pointer) in nodes
            and not self._said[one.code, one.message]
            for one in after
        )

    def holds(self, chosen: Sequence[Problem], *, is_revealing: bool = False) -> bool:
        """Whether these patches cause no new error, and of several each fixes its problem."""
        found = self.after(chosen, is_revealing=is_revealing)
        if found is None or len(chosen) == 1:
            return found is not None
        left, gone = _said(found[1]), _said(chosen)
        return all(left[key] <= self._said[key] - gone[key] for key in gone)

    def patched(self, chosen: Sequence[Problem]) -> Json:
        """Return the canonical document after these patches; raises `Invalid`."""
        patches = {
            json_text.write(list(problem.patch or ())): problem for problem in _backwards(chosen)
        }
        operations = [step for one in patches.values() for step in one.patch or ()]
        return apply_patch(
            self.document, [step for one in operations for step in self._with_id(one)]
        )

    @cached_property
    def _said(self) -> Counter[tuple[str, str]]:
        return _said(self._before)


def _unchecked_before(workflow: Workflow, chosen: Iterable[Problem]) -> set[str]:
    """The nodes whose kind these fixes correct, the nodes that follow them, and their edges."""
    parts = {_part(one.pointer) for one in chosen if one.code == UNKNOWN_NODE}
    named = [(f"/nodes/{at}", one.id) for at, one in enumerate(workflow.nodes)]
    after = Graph(workflow).reachable(id for place, id in named if place in parts)
    nodes = {place for place, id in named if id in after}
    edges = {f"/connections/{at}" for at, one in enumerate(workflow.edges) if one.source in after}
    return nodes | edges


def _said(problems: Iterable[Problem]) -> Counter[tuple[str, str]]:
    # A pointer changes when an item before it is removed.
    return Counter((problem.code, problem.message) for problem in problems)


def _is_end(operation: Mapping[str, Any]) -> bool:
    place = str(operation["path"])
    return operation["op"] == "replace" and place.rpartition("/")[2] in {"from", "to"}


def _instruction(hint: str) -> str:
    """A hint as one of several steps: `did you mean 'x'?` is `use 'x'`."""
    return hint.replace("did you mean ", "use ", 1).rstrip("?")


def _weight(problems: Sequence[Problem]) -> tuple[int, int]:
    """Return a score: errors count first, as fixing one may reveal others."""
    return sum(problem.severity == "error" for problem in problems), len(problems)


def _errors(problems: Iterable[Problem]) -> Counter[str]:
    return Counter(problem.code for problem in problems if problem.severity == "error")


def _independent(patched: Iterable[Problem]) -> Iterator[Problem]:
    """Return problems whose patches change different nodes and edges."""
    touched: set[str] = set()
    for problem in patched:
        places = _parts(problem.patch or ())
        if touched.isdisjoint(places):
            touched |= places
            yield problem


def _of_one_node(patched: Iterable[Problem]) -> Iterator[list[Problem]]:
    """Return the problems of each node whose patches change different values, if they are several.

    A setting and the one that decides about it may both have a wrong name.
    """
    groups: dict[str, list[Problem]] = {}
    touched: set[str] = set()
    for problem in patched:
        places = {str(one[key]) for one in problem.patch or () for key in _PLACES & one.keys()}
        if touched.isdisjoint(places):
            touched |= places
            groups.setdefault(_part(problem.pointer), []).append(problem)
    yield from (group for group in groups.values() if len(group) > 1)


def _parts(patch: Patch) -> set[str]:
    return {_part(str(operation[key])) for operation in patch for key in _PLACES & operation.keys()}


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
