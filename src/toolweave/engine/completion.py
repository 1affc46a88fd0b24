"""Callers that wait for the end of a run that this process executes.

They are notified when it is stored, without a database query. Callers that wait for a run of
another process, or for one that is suspended, follow the journal.
"""

from dataclasses import dataclass, field

import anyio

from toolweave.engine.events import Finished


@dataclass(eq=False)
class _Ending:
    told: anyio.Event = field(default_factory=anyio.Event)
    finished: Finished | None = None


class Completions:
    """Tasks that wait for the end of a run, by run."""

    def __init__(self) -> None:
        self._awaited: dict[str, _Ending] = {}

    async def of(self, run: str) -> Finished | None:
        """Wait for the end of a run that is executing here; nothing if it was only suspended."""
        ending = self._awaited.setdefault(run, _Ending())
        await ending.told.wait()
        return ending.finished

    def report(self, run: str, finished: Finished | None) -> None:
        """Report that a run stopped executing here: it finished or was suspended."""
        ending = self._awaited.pop(run, None)
        if ending is not None:
            ending.finished = finished
            ending.told.set()

    def __len__(self) -> int:
        return len(self._awaited)
