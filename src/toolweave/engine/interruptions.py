"""Runs that stop their process each time they are tried are given up.

A run found with a process that is gone was interrupted. If nothing was finished between two
interruptions, the same work was tried twice; a third try would stop the service again.
"""

from collections.abc import Sequence

from toolweave.engine.events import (
    Event,
    Finished,
    Interrupted,
    StepProgress,
    StepQueued,
    StepStarted,
)
from toolweave.engine.journal import JournalEntry, Lease
from toolweave.engine.state import RunState
from toolweave.json_text import JsonObject

MAX_UNFINISHED = 2
_NO_PROGRESS = (Interrupted, StepStarted, StepProgress, StepQueued)


def interruption_of(
    lease: Lease, state: RunState, entries: Sequence[JournalEntry]
) -> Interrupted | Finished | None:
    """The event to record before a run continues: none if it was not interrupted.

    A run with effects under way is not counted: those steps have their own rules, and a service
    that is restarted during a long step is nothing unusual.
    """
    if not lease.was_cut_off or state.running:
        return None
    if _unfinished([entry.event for entry in entries]) + 1 < MAX_UNFINISHED:
        return Interrupted()
    message = (
        f"the service stopped {MAX_UNFINISHED} times while it computed the next step of this run"
    )
    hint = "reduce the data or the expressions of that step, then start the run again"
    error: JsonObject = {"code": "RUN_STEP_UNFINISHED", "message": message, "hint": hint}
    return Finished("failed", None, error)


def _unfinished(events: Sequence[Event]) -> int:
    """How often the run was interrupted since something was finished."""
    count = 0
    for event in reversed(events):
        if not isinstance(event, _NO_PROGRESS):
            break
        count += isinstance(event, Interrupted)
    return count
