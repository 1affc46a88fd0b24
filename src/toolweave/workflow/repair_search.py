"""Searches for the only edit that removes a problem for which no check has a patch.

The specification of a node says which places there are and what fits in them. Edits that it allows
are tried on the whole workflow: one is offered if it is the only one that removes the problem,
causes no other, and loses nothing that the author wrote. Of several, the hint names all.
"""

from collections.abc import Iterator
from dataclasses import replace

from toolweave.problems import Problem
from toolweave.workflow.checks.context import CheckContext, KnownEnvironment
from toolweave.workflow.checks.exchanged_values import is_exchanged
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.model import Workflow
from toolweave.workflow.repair_edits import EditSearch
from toolweave.workflow.repair_loops import with_loop_edges

# A larger workflow is not searched; the nodes that are checked again, for all edits together.
MAX_SIZE = 200
MAX_PROBLEMS = 20
# Hints that do not leave a choice between several settings.
_WITHOUT_CHOICE = ("available", "did you mean")


def with_edits(
    workflow: Workflow, known: KnownEnvironment, format: FormatName, problems: list[Problem]
) -> list[Problem]:
    """Return the problems, with a patch where a search finds the only one."""
    problems = with_loop_edges(workflow, known, format, [*_with_their_fixes(problems)])
    unfixed = [at for at, one in enumerate(problems) if _is_searched(one)]
    size = len(workflow.nodes)
    if not unfixed or len(unfixed) > MAX_PROBLEMS or size > MAX_SIZE or workflow.subflows:
        return problems
    search = EditSearch(CheckContext(workflow, known, format), problems)
    found = list(problems)
    for at in unfixed:
        found[at] = search.fixed(problems[at])
    moved = {
        step["from"]: found[at].patch
        for at in unfixed
        for step in found[at].patch or ()
        if "from" in step
    }
    # What has a place is not to be removed.
    return [
        replace(one, patch=moved[place], hint=None) if (place := _removed(one)) in moved else one
        for one in found
    ]


def _removed(problem: Problem) -> str:
    """The place of a value that the patch of a problem removes; empty for other patches."""
    steps = problem.patch or ()
    return str(steps[0]["path"]) if len(steps) == 1 and steps[0]["op"] == "remove" else ""


def _with_their_fixes(problems: list[Problem]) -> Iterator[Problem]:
    """The problems; an unknown name that the fix of another problem moves has the same fix."""
    emptied: dict[str, list[Problem]] = {}
    for one in problems:
        for place in _emptied(one):
            emptied.setdefault(place, []).append(one)
    for one in problems:
        moving = emptied.get(one.pointer, [])
        is_open = one.code == "FIELD_UNKNOWN" and one.patch is None and len(moving) == 1
        if is_open and (one.hint or "").startswith(_WITHOUT_CHOICE):
            yield replace(one, patch=moving[0].patch, hint=moving[0].hint)
        else:
            yield one


def _emptied(problem: Problem) -> set[str]:
    """The places whose value the patch of a problem moves or removes."""
    return {
        str(step["from"] if "from" in step else step["path"])
        for step in problem.patch or ()
        if "from" in step or step["op"] == "remove"
    }


def _is_searched(problem: Problem) -> bool:
    is_of_node = problem.pointer.startswith("/nodes/") and problem.pointer.count("/") > 2
    return problem.patch is None and is_of_node and not is_exchanged(problem)
