"""The libraries of a home, joined to its database, its clock and its engine."""

from toolweave.assistant.home_models import home_models
from toolweave.engine.engine import Engine
from toolweave.home import Home
from toolweave.library.flow_runner import FlowRunner
from toolweave.library.git import Git
from toolweave.library.store import LibraryStore

LIBRARY = "library"


def shelf_of(home: Home) -> LibraryStore:
    """The libraries; nothing is asked or made before one is used."""
    git = Git(home.environ, deadline_s=home.settings.library_deadline_s)
    return LibraryStore(home.database, home.clock, git, home.settings.home / LIBRARY)


def flow_runner(home: Home, engine: Engine, shelf: LibraryStore | None = None) -> FlowRunner:
    """Runs flows of the libraries."""

    async def has_model() -> bool:
        return bool(await home_models(home).list())

    return FlowRunner(shelf or shelf_of(home), engine, home.clock, has_model=has_model)
