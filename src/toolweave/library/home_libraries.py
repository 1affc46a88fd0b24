"""Opens the libraries of a home, and runs their flows with its engine."""

from toolweave.engine.engine import Engine
from toolweave.errors import NotFound
from toolweave.home import Home
from toolweave.library.flow_runner import FlowRunner
from toolweave.library.git import Git
from toolweave.library.store import LibraryStore

LIBRARY = "library"
# The secret with the token for a host, such as `git:github.com`.
TOKEN = "git:"


def library_store(home: Home) -> LibraryStore:
    """The libraries of `home`; nothing is read or created before one is used."""

    async def token_for(host: str) -> str | None:
        try:
            token = await home.vault.get(f"{TOKEN}{host}")
        except NotFound:
            return None
        home.masker.learn([token])
        return token

    git = Git(home.environ, deadline_s=home.settings.library_deadline_s, token_for=token_for)
    return LibraryStore(home.database, home.clock, git, home.settings.home / LIBRARY)


def flow_runner(home: Home, engine: Engine, libraries: LibraryStore | None = None) -> FlowRunner:
    """A runner for flows of the libraries."""
    return FlowRunner(libraries or library_store(home), engine, home.clock)
