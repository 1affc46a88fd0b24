"""The libraries of a home, joined to its database, its clock and its engine."""

from toolweave.assistant.home_models import models_of
from toolweave.engine.engine import Engine
from toolweave.home import Ground
from toolweave.library.flow_runner import FlowRunner
from toolweave.library.git import Git
from toolweave.library.store import Shelf

LIBRARY = "library"


def shelf_of(ground: Ground) -> Shelf:
    """The libraries; nothing is asked or made before one is used."""
    git = Git(ground.environ, deadline_s=ground.settings.library_deadline_s)
    return Shelf(ground.database, ground.clock, git, ground.settings.home / LIBRARY)


def flow_runner(ground: Ground, engine: Engine, shelf: Shelf | None = None) -> FlowRunner:
    """Runs flows of the libraries."""

    async def has_model() -> bool:
        return bool(await models_of(ground).list())

    return FlowRunner(shelf or shelf_of(ground), engine, ground.clock, has_model=has_model)
