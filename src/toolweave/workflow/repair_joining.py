"""Joins patches that each make the same missing part, so that one does not undo another.

Two values that belong to a node's missing `inputParams` would each add it; who applies both patches
would lose the first value. Both problems get one patch that moves both.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from toolweave.json_text import canonical
from toolweave.problems import Problem


def joined(
    proven: Mapping[int, Problem], holds: Callable[[list[Problem]], bool]
) -> dict[int, Problem]:
    """Return the problems, those that make the same part with the patch of all of them."""
    makers: dict[str, list[int]] = {}
    for at, problem in proven.items():
        for place in _made(problem):
            makers.setdefault(place, []).append(at)
    found = dict(proven)
    for group in makers.values():
        patches = {canonical(list(found[at].patch or ())): found[at] for at in group}
        if len(patches) < 2:
            continue
        whole = replace(found[group[0]], patch=tuple(_steps(patches.values())))
        if holds([whole]):
            found |= {at: replace(found[at], patch=whole.patch) for at in group}
    return found


def _made(problem: Problem) -> set[str]:
    return {str(step["path"]) for step in problem.patch or () if _is_made(step)}


def _is_made(step: Mapping[str, Any]) -> bool:  # Any: part of a JSON Patch, as in `Problem`
    return step["op"] == "add" and step.get("value") == {}


def _steps(problems: Iterable[Problem]) -> Iterator[dict[str, Any]]:
    """The steps of several patches; a part is made once."""
    made: set[str] = set()
    for problem in problems:
        for step in problem.patch or ():
            if not _is_made(step):
                yield step
            elif step["path"] not in made:
                made.add(step["path"])
                yield step
