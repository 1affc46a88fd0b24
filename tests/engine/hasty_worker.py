"""A positive control: a worker that stops a run when Temporal gives its activity up."""

import asyncio

from temporalio import activity

from toolweave.engine.backend import AdvanceResult
from toolweave.engine.backends import temporal
from toolweave.engine.temporal.worker import TemporalWorker


class HastyWorker(TemporalWorker):
    async def wait(self, driving: "asyncio.Future[AdvanceResult]") -> None:
        try:
            while not driving.done():
                await asyncio.wait({driving}, timeout=0.5)
                activity.heartbeat()
        except asyncio.CancelledError:
            driving.cancel()
            raise


def make_hasty() -> None:
    temporal.TemporalWorker = HastyWorker
