"""The loop of polling triggers: one poll at a time; a failure stops no other trigger."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from toolweave.clock import Clock
from toolweave.engine.runs import Runs
from toolweave.errors import ToolweaveError
from toolweave.json_text import Json
from toolweave.tasks import internal_errors
from toolweave.triggers.activation_store import MAX_FAILURE, Activations
from toolweave.triggers.active_triggers import ActiveTriggers, ActiveTriggerSettings
from toolweave.triggers.recent_events import TriggerEvents

logger = logging.getLogger(__name__)

# How often a loop checks whether a trigger was switched, or the clock was set.
LOOK_EVERY_S = 1.0

# One poll; returns the seconds until the next one.
Look = Callable[[ActiveTriggerSettings], Awaitable[float]]


@dataclass(frozen=True, slots=True)
class PollingTrigger:
    """What every polling loop uses."""

    active: ActiveTriggers
    activations: Activations
    runs: Runs
    clock: Clock
    recent_events: TriggerEvents

    async def fire(self, active: ActiveTriggerSettings, what: str, inputs: Json) -> str:
        """Start a run for one event; the same event gives the same run."""
        run = await self.runs.start(active.request(inputs, once_key=active.once_key(what)))
        self.recent_events.note(active.row.workflow, active.row.node, "started", run=run)
        return run

    async def once(self, ref: str, look: Look) -> float:
        """Poll every trigger of a kind once; return the seconds until the next poll."""
        await self.active.refresh()
        waits = [LOOK_EVERY_S]
        for active in self.active.of(ref):
            try:
                row = active.row
                is_known = (row.failure or "").startswith("INTERNAL")
                with internal_errors(is_known=is_known, workflow=active.name, node=row.node):
                    waits.append(await look(active))
            except ToolweaveError as error:
                await self._note(active, error)
        return max(min(waits), 0.0)

    async def forever(self, ref: str, look: Look) -> None:
        """Poll forever; after a database failure, try again."""
        while True:
            wait_s = LOOK_EVERY_S
            try:
                if self.active.of(ref):
                    wait_s = await self.once(ref, look)
            except ToolweaveError as error:
                logger.warning("triggers cannot be read", extra={"code": error.code})
            await self.clock.sleep(max(wait_s, 0.01))

    async def follow(self) -> None:
        """Keep the enabled triggers current."""
        while True:
            try:
                await self.active.refresh()
            except ToolweaveError as error:
                logger.warning("triggers cannot be read", extra={"code": error.code})
            await self.clock.sleep(LOOK_EVERY_S)

    async def _note(self, active: ActiveTriggerSettings, error: ToolweaveError) -> None:
        row = active.row
        text = f"{error.code}: {error.message}"
        if row.failure != text[:MAX_FAILURE]:  # logged once, not at every poll
            extra = {"workflow": active.name, "node": row.node, "code": error.code}
            logger.warning("a trigger cannot check for events", extra=extra)
            await self.activations.failed(row.workflow, row.node, text)
