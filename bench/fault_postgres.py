"""Postgres stopped as by a crash while runs go on (`tests/engine/test_postgres_restart.py`)."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from bench.fault_rows import Found, Part, say
from tests.engine.test_postgres_restart import STEPS, Hasty, once_keys, ordeal
from tests.storage.postgres import Postgres, get_server

from toolweave.clock import SystemClock
from toolweave.engine.journal import Journal
from toolweave.storage.database import open_database


@contextmanager
def a_server() -> Iterator[Postgres]:
    """A Postgres that may be stopped."""
    with tempfile.TemporaryDirectory(prefix="toolweave-pg-", ignore_cleanup_errors=True) as name:
        data = Path(name, "data")
        data.mkdir()
        # Stopping is ours: its own way complains where the server has stopped already.
        server = Postgres(get_server(data, cleanup_mode=None))
        try:
            yield server
        finally:
            server.stop()


async def lot(server: Postgres, runs: int, times: int, kind: type[Journal]) -> Found:
    """So many runs, the server falling over so many times."""
    found = Found(runs=runs, faults=times)
    async with open_database(server.new_database()) as database:
        try:
            world = await ordeal(server, database, kind(database, SystemClock()), times, runs)
        finally:
            row = await database.row("SELECT count(*) FROM journal WHERE kind = 'step_uncertain'")
            found.uncertain = int(row[0]) if row else 0
    found.lost = runs * len(STEPS) - len(world.ended)
    begun_again = sum(world.begun[key] - 1 for key in once_keys(world))
    ended_again = sum(world.ended[key] - 1 for key in once_keys(world))
    # Whatever began twice was uncertain, and somebody who looked said: again.
    found.twice = max(ended_again, begun_again - found.uncertain)
    return found


def restarted(lots: int, runs: int) -> Part:
    """Several lots of runs, two crashes in each."""

    async def work(_dice: Random) -> Found:
        found = Found()
        with a_server() as server:
            for number in range(lots):
                one = await lot(server, runs, 2, Journal)
                say(f"  lot {number + 1} of {lots}: {one}")
                found.runs, found.faults = found.runs + one.runs, found.faults + one.faults
                found.lost, found.twice = found.lost + one.lost, found.twice + one.twice
                found.uncertain += one.uncertain
        return found

    async def control(_dice: Random) -> Found:
        with a_server() as server:
            return await lot(server, min(runs, 50), 1, Hasty)

    return Part("Postgres restarted (-m immediate)", work, control, 2 * lots, has_uncertain=True)
