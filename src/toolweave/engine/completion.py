"""Callers that wait for a run that this process executes, until it finishes or waits.

They are notified when that is stored, without a database query. Callers that wait for a run of
another process, or for one that is suspended, follow the journal.
"""

from dataclasses import dataclass, field

import anyio

from toolweave.engine.backend import AdvanceResult


@dataclass(eq=False)
class _Ending:
    told: anyio.Event = field(default_factory=anyio.Event)
    progress: AdvanceResult | None = None


class Completions:
    """Tasks that wait for the end of a run, by run."""

    def __init__(self) -> None:
        self._awaited: dict[str, _Ending] = {}

    async def of(self, run: str) -> AdvanceResult | None:
        """Wait until a run stops executing here; nothing if its execution failed."""
        ending = self._awaited.setdefault(run, _Ending())
        await ending.told.wait()
        return ending.progress

    def report(self, run: str, progress: AdvanceResult | None) -> None:
        """Report that a run stopped executing here, and how far it came."""
        ending = self._awaited.pop(run, None)
        if ending is not None:
            ending.progress = progress
            ending.told.set()

    def __len__(self) -> int:
        return len(self._awaited)
