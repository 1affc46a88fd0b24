"""Runs that steps of other runs began: how they are named, and who waits for them.

A called run has a `once_key` made of the step that called it, so that the step finds it again
whatever was killed in between, and its end is written to the journal of the caller in the same
commit as its own.
"""

from toolweave.engine.events import Key
from toolweave.engine.state import RunState
from toolweave.storage.database import Database

PREFIX = "sub/"
# How long the id of a run is.
RUN_CHARS = 36
# Who cancels a run that was called, in its journal.
BY_CALLER = "the run that called it"


def once_key(run: str, key: Key) -> str:
    """The name of the run that a step calls."""
    return f"{PREFIX}{run}/{key}"


def caller_of(once_key: str | None) -> tuple[str, Key] | None:
    """The run and the step that called a run; nothing for one that nobody called."""
    if once_key is None or not once_key.startswith(PREFIX):
        return None
    run, _, key = once_key.removeprefix(PREFIX).partition("/")
    return run, key


def open_calls(state: RunState) -> list[Key]:
    """The steps of a run that may have called another one and do not know how it ended."""
    return [
        key
        for key, place in state.places.items()
        if place.step.kind.calls and place.step.index not in place.frame.outcomes
    ]


async def called_runs(database: Database, run: str, keys: list[Key]) -> list[str]:
    """Those runs that these steps called and that are not over."""
    found: list[str] = []
    for key in keys:
        row = await database.row(
            "SELECT id FROM runs WHERE once_key = ? AND finished_at IS NULL", once_key(run, key)
        )
        if row is not None:
            found.append(str(row[0]))
    return found


async def is_orphan(database: Database, key: str | None) -> bool:
    """Whether a run was called by one that is over: nobody waits for what it gives."""
    caller = caller_of(key)
    if caller is None:
        return False
    row = await database.row("SELECT finished_at FROM runs WHERE id = ?", caller[0])
    return row is None or row[0] is not None
