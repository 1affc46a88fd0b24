"""How many repairs are looked for together, such as in one document.

A repair compares a name with all that are known, which takes about a millisecond: a document with
thousands of wrong names would hold up everybody else. The first get a fix, the rest only the
problem.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

SPENT = "there are too many problems for a suggestion; fix the first ones and validate again"


class RepairBudget:
    """The repairs that are left."""

    __slots__ = ("left",)

    def __init__(self, repairs: int) -> None:
        self.left = repairs

    def take(self) -> bool:
        """Take one repair; false if none is left."""
        self.left -= 1
        return self.left >= 0


# The budget of the current document; without one, each value has its own limit only.
CURRENT: ContextVar[RepairBudget | None] = ContextVar("repair_budget", default=None)


@contextmanager
def limited_repairs(repairs: int) -> Generator[None]:
    """Look for so many repairs at most inside."""
    token = CURRENT.set(RepairBudget(repairs))
    try:
        yield
    finally:
        CURRENT.reset(token)
