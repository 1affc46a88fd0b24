"""Who waits here for the end of a run that this very process brings forward.

They hear of it when it is stored, without a look at the database. Whoever waits for a run of
another process, or for one that sleeps, follows the journal.
"""

from dataclasses import dataclass, field

import anyio

from toolweave.engine.events import Finished


@dataclass(eq=False)
class _Ending:
    told: anyio.Event = field(default_factory=anyio.Event)
    finished: Finished | None = None


class Completions:
    """The ends that somebody waits for, by run."""

    def __init__(self) -> None:
        self._awaited: dict[str, _Ending] = {}

    async def of(self, run: str) -> Finished | None:
        """How a run ended that is being brought forward; nothing if it only came to rest."""
        ending = self._awaited.setdefault(run, _Ending())
        await ending.told.wait()
        return ending.finished

    def tell(self, run: str, finished: Finished | None) -> None:
        """It is no longer brought forward: it is over, or rests."""
        ending = self._awaited.pop(run, None)
        if ending is not None:
            ending.finished = finished
            ending.told.set()

    def __len__(self) -> int:
        return len(self._awaited)
