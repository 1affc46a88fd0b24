"""What two versions of the program on one database mean for its runs, for diagnostics."""

from collections.abc import Sequence
from dataclasses import dataclass

from toolweave.clock import Clock
from toolweave.engine.compatibility import VERSION
from toolweave.engine.heartbeats import Heartbeats
from toolweave.storage.database import Database

_NEEDED = (
    "SELECT compatible_from, count(*) FROM runs WHERE finished_at IS NULL AND compatible_from > ? "
    "GROUP BY compatible_from ORDER BY compatible_from"
)
_RUN = "SELECT compatible_from FROM runs WHERE id = ? AND finished_at IS NULL"


@dataclass(frozen=True, slots=True)
class DeployedVersions:
    """The engine versions of the processes that drive runs, and of this program."""

    workers: tuple[int, ...]
    own: int
    # Runs that not every version can drive, by the version that they need.
    needed: tuple[tuple[int, int], ...]

    @property
    def stranded(self) -> int:
        """How many runs no process that runs now can drive."""
        newest = max(self.workers, default=0)
        return sum(count for version, count in self.needed if version > newest)


async def deployed_versions(database: Database, clock: Clock) -> DeployedVersions:
    """Return what is running on a database."""
    workers = sorted((await Heartbeats(database, clock, "").versions()).values())
    oldest = min((*workers, VERSION))
    rows = await database.rows(_NEEDED, oldest)
    needed = tuple((version, count) for version, count in rows)
    return DeployedVersions(tuple(workers), VERSION, needed)


async def left_alone(database: Database, clock: Clock, run: str) -> Sequence[str]:
    """Return why workers leave a run alone, if those that run now do."""
    row = await database.row(_RUN, run)
    if row is None or row[0] <= 1:
        return ()
    workers = (await Heartbeats(database, clock, "").versions()).values()
    if not workers or max(workers) >= row[0]:
        return ()
    return (
        f"needs a worker of engine version {row[0]}; the newest one that runs has {max(workers)}",
    )
