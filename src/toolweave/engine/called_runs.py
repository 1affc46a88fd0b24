"""Runs started by steps of other runs: how they are named, and who waits for them.

A called run has a `once_key` derived from its calling step, so the step finds it again after a
crash. Its end is written to the caller's journal in the same commit as its own.
"""

from toolweave.engine.events import CallEnded, CancelAsked, Event, Key
from toolweave.engine.state import RunState
from toolweave.storage.database import Database

PREFIX = "sub/"
# The length of a run id.
RUN_CHARS = 36
# The canceller of a called run, as recorded in its journal.
BY_CALLER = "the run that called it"


def once_key(run: str, key: Key) -> str:
    """Return the key of the run that a step calls."""
    return f"{PREFIX}{run}/{key}"


def caller_of(once_key: str | None) -> tuple[str, Key] | None:
    """Return the run and step that called a run, if any."""
    if once_key is None or not once_key.startswith(PREFIX):
        return None
    run, _, key = once_key.removeprefix(PREFIX).partition("/")
    return run, key


def open_calls(state: RunState) -> list[Key]:
    """Return the steps of a run that may have called another and do not know its result."""
    return [
        key
        for key, place in state.places.items()
        if place.step.kind.calls and place.step.index not in place.frame.outcomes
    ]


async def called_runs(database: Database, run: str, keys: list[Key]) -> list[str]:
    """Return the unfinished runs that these steps called."""
    found = [await called_run(database, run, key) for key in keys]
    return [one for one in found if one is not None]


async def called_run(database: Database, run: str, key: Key) -> str | None:
    """Return the unfinished run that a step called, if any."""
    row = await database.row(
        "SELECT id FROM runs WHERE once_key = ? AND finished_at IS NULL", once_key(run, key)
    )
    return str(row[0]) if row is not None else None


async def place_of(database: Database, run: str, key: Key) -> tuple[str, Key]:
    """Return the run and step of a key such as `call/ask`, which leads into a called run."""
    parts = key.split("/")
    for count in range(1, len(parts)):
        called = await called_run(database, run, "/".join(parts[:count]))
        if called is not None:
            return await place_of(database, called, "/".join(parts[count:]))
    return run, key


async def events_at_end(
    database: Database, run: str, key: str | None, state: RunState
) -> tuple[list[str], tuple[tuple[str, Event], ...]]:
    """Return the called runs to cancel when a run ends, and the events for them and its caller.

    The events share a commit with the end of the run, so a crash leaves none of them behind.
    """
    keys = open_calls(state)
    called = await called_runs(database, run, keys) if keys else []
    events: list[tuple[str, Event]] = [(one, CancelAsked(BY_CALLER)) for one in called]
    if (caller := caller_of(key)) is not None:
        events.append((caller[0], CallEnded(caller[1], run)))
    return called, tuple(events)


async def is_orphan(database: Database, key: str | None) -> bool:
    """Whether the caller of a run has ended, so that nobody waits for its result."""
    caller = caller_of(key)
    if caller is None:
        return False
    row = await database.row("SELECT finished_at FROM runs WHERE id = ?", caller[0])
    return row is None or row[0] is not None


async def root_of(database: Database, run: str) -> str:
    """Return the run that nobody called, at the beginning of the calls that led to `run`."""
    while True:
        row = await database.row("SELECT once_key FROM runs WHERE id = ?", run)
        caller = caller_of(row[0]) if row is not None else None
        if caller is None:
            return run
        run = caller[0]
