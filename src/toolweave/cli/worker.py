"""`toolweave worker`: another process that executes runs on the same database."""

import logging
import signal
import sys
from dataclasses import replace

import anyio
import click

from toolweave.app.open_engine import open_engine
from toolweave.app.studio import open_studio
from toolweave.cli.terminal import say
from toolweave.home import open_home
from toolweave.settings import from_environment, read_queues
from toolweave.triggers.fleet_schedules import open_fleet_schedules


@click.command()
@click.option("--database", metavar="URL", help="postgresql://… that all workers share.")
@click.option("--backend", metavar="URL", help="temporal://HOST:PORT/NAMESPACE for a fleet.")
@click.option("--queues", metavar="NAMES", help="Queues to serve: default,gpu. Default: default.")
def worker(database: str | None, backend: str | None, queues: str | None) -> None:
    """Run a worker that executes queued runs until stopped with Ctrl-C.

    Each run is leased by one worker, and another one takes over if that worker dies. For more than
    a pair of machines, let Temporal place the runs: give every worker and service the same
    --backend. A worker executes the steps of its queues: `queue` in the settings of a node.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    anyio.run(_work, database, backend, queues)


async def _work(database: str | None, backend: str | None, queues: str | None) -> None:
    settings = from_environment()
    settings = replace(
        settings,
        database=database or settings.database,
        backend=backend or settings.backend,
        queues=read_queues(queues) if queues else settings.queues,
    )
    async with (
        open_home(settings) as home,
        open_studio(home) as studio,
        open_engine(studio, drives_runs=True) as engine,
        open_fleet_schedules(home, engine),
    ):
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            say("working", stderr=True)
            async for _ in signals:
                break
    say("stopped", stderr=True)
