"""The work that several evaluations may do together, such as all expressions of one step.

Charged by size, in the steps of `Evaluation.spend`: about a tenth of a microsecond each.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

# One evaluation costs this much, however small the expression.
BASE = 10
# Characters or bytes built per step of work.
ROOM_SHIFT = 4


class WorkBudget:
    """What is left to spend; `is_spent` once an evaluation ended for lack of it."""

    __slots__ = ("is_spent", "left")

    def __init__(self, work: int) -> None:
        self.left = work
        self.is_spent = False

    def renew(self, work: int) -> None:
        """Begin again with `work`."""
        self.left = work
        self.is_spent = False

    def charge(self, work: int, room: int) -> None:
        """Take what one evaluation used."""
        self.left -= BASE + work + (room >> ROOM_SHIFT)


# The budget of the current step; without one, each evaluation has its own limit only.
CURRENT: ContextVar[WorkBudget | None] = ContextVar("work_budget", default=None)


@contextmanager
def limited_to(budget: WorkBudget) -> Generator[WorkBudget]:
    """Charge all evaluations of this task to `budget`."""
    token = CURRENT.set(budget)
    try:
        yield budget
    finally:
        CURRENT.reset(token)
