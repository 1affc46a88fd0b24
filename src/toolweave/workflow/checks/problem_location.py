"""From a problem of a part to a problem of the whole document. No subject of its own."""

from dataclasses import replace

from toolweave.problems import Problem


def placed(problem: Problem, place: str, *, is_there: bool = True) -> Problem:
    """The problem, its place and patch below `place`; no patch if nothing is there to mend."""
    patch = problem.patch and tuple(
        {key: place + one if key in {"path", "from"} else one for key, one in operation.items()}
        for operation in problem.patch
    )
    return replace(problem, pointer=place + problem.pointer, patch=patch if is_there else None)
