"""Moves problems of a part to their location in the whole document. Not a check."""

from dataclasses import replace

from toolweave.problems import Problem


def placed(problem: Problem, place: str, *, is_there: bool = True) -> Problem:
    """Move a problem and its patch below `place`; without a patch if the place is missing."""
    patch = problem.patch and tuple(
        {key: place + one if key in {"path", "from"} else one for key, one in operation.items()}
        for operation in problem.patch
    )
    return replace(problem, pointer=place + problem.pointer, patch=patch if is_there else None)
