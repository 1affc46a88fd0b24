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
from toolweave.settings import from_environment


@click.command()
@click.option("--database", metavar="URL", help="postgresql://… that all workers share.")
def worker(database: str | None) -> None:
    """Run a worker that executes queued runs until stopped with Ctrl-C.

    Start as many as you like: each run is leased by one worker, and another one takes over if
    that worker dies.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    anyio.run(_work, database)


async def _work(database: str | None) -> None:
    settings = from_environment()
    if database:
        settings = replace(settings, database=database)
    async with (
        open_home(settings) as home,
        open_studio(home) as studio,
        open_engine(studio, drives_runs=True),
    ):
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            say("working", stderr=True)
            async for _ in signals:
                break
    say("stopped", stderr=True)
