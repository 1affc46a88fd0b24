"""A studio with its engine, for services that run workflows."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from toolweave.app.open_engine import open_engine
from toolweave.app.run_progress import ProgressListeners
from toolweave.app.studio import Studio, open_studio
from toolweave.authoring.authoring import Authoring
from toolweave.engine.engine import Engine
from toolweave.home import Home
from toolweave.publishing.service import Published


@dataclass(frozen=True, slots=True)
class RunningStudio(Studio):
    """A studio whose engine runs workflows; commands that only call tools open a `Studio`."""

    engine: Engine
    authoring: Authoring
    published: Published
    progress: ProgressListeners


@asynccontextmanager
async def open_running_studio(home: Home) -> AsyncGenerator[RunningStudio]:
    """Open the studio and its engine; interrupted and due runs continue."""
    progress = ProgressListeners()
    async with (
        open_studio(home, keeps_trying=True) as studio,
        open_engine(studio, drives_runs=True, on_progress=progress.report) as engine,
    ):
        yield RunningStudio(
            home=home,
            connections=studio.connections,
            gate=studio.gate,
            transports=studio.transports,
            shared_limits=studio.shared_limits,
            engine=engine,
            authoring=Authoring(home, studio.connections),
            published=Published(home),
            progress=progress,
        )
