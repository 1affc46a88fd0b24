"""The loop of every trigger that looks by itself: one look at a time, and none stops another."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from toolweave.clock import Clock
from toolweave.engine.runs import Runs
from toolweave.errors import ToolweaveError
from toolweave.json_text import Json
from toolweave.triggers.activation_store import MAX_FAILURE, Activations
from toolweave.triggers.active_triggers import ActiveTriggers, ActiveTriggerSettings
from toolweave.triggers.recent_events import TriggerEvents

logger = logging.getLogger(__name__)

# How often a loop looks whether something was switched on or off, or the clock was set.
LOOK_EVERY_S = 1.0

# What one look does; it gives the seconds until the next one.
Look = Callable[[ActiveTriggerSettings], Awaitable[float]]


@dataclass(frozen=True, slots=True)
class PollingTrigger:
    """What every loop works with."""

    board: ActiveTriggers
    activations: Activations
    runs: Runs
    clock: Clock
    firings: TriggerEvents

    async def fire(self, active: ActiveTriggerSettings, what: str, inputs: Json) -> str:
        """Start a run for one occasion; for the same occasion it is the same run."""
        run = await self.runs.start(active.request(inputs, once_key=active.once_key(what)))
        self.firings.note(active.row.workflow, active.row.node, "started", run=run)
        return run

    async def once(self, ref: str, look: Look) -> float:
        """One look of every trigger of a kind; the seconds until somebody wants another one."""
        await self.board.refresh()
        waits = [LOOK_EVERY_S]
        for active in self.board.of(ref):
            try:
                waits.append(await look(active))
            except ToolweaveError as error:
                await self._note(active, error)
        return max(min(waits), 0.0)

    async def forever(self, ref: str, look: Look) -> None:
        """Look until the end; a database that does not answer is asked again."""
        while True:
            wait_s = LOOK_EVERY_S
            try:
                if self.board.of(ref):
                    wait_s = await self.once(ref, look)
            except ToolweaveError as error:
                logger.warning("triggers cannot be read", extra={"code": error.code})
            await self.clock.sleep(max(wait_s, 0.01))

    async def follow(self) -> None:
        """Keep the board as the tables are."""
        while True:
            try:
                await self.board.refresh()
            except ToolweaveError as error:
                logger.warning("triggers cannot be read", extra={"code": error.code})
            await self.clock.sleep(LOOK_EVERY_S)

    async def _note(self, active: ActiveTriggerSettings, error: ToolweaveError) -> None:
        row = active.row
        text = f"{error.code}: {error.message}"
        if row.failure != text[:MAX_FAILURE]:  # told once, not at every look
            extra = {"workflow": active.name, "node": row.node, "code": error.code}
            logger.warning("a trigger cannot check for events", extra=extra)
            await self.activations.failed(row.workflow, row.node, text)
