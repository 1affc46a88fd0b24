"""Moves problems of a part to their location in the whole document. Not a check."""

from dataclasses import replace

from toolweave.problems import Problem

_ASIDE = "/data/.."


def placed(problem: Problem, place: str, *, is_there: bool = True) -> Problem:
    """Move a problem and its patch below `place`; without a patch if the place is missing."""
    patch = problem.patch and tuple(
        {key: place + one if key in {"path", "from"} else one for key, one in operation.items()}
        for operation in problem.patch
    )
    return replace(problem, pointer=place + problem.pointer, patch=patch if is_there else None)


def beside_data(problem: Problem) -> Problem:
    """Turn `/data/..` in a problem's pointers into the node itself."""
    patch = problem.patch and tuple(
        {
            key: one.replace(_ASIDE, "") if key in {"path", "from"} else one
            for key, one in operation.items()
        }
        for operation in problem.patch
    )
    return replace(problem, pointer=problem.pointer.replace(_ASIDE, ""), patch=patch)
