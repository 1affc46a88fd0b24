"""A running studio for commands: in this process, or as a process of its own."""

import os
import subprocess
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from anyio.from_thread import start_blocking_portal
from tests.cli.driving import DEADLINE_S, PROGRAM, Commands

from toolweave.access.keys import ApiKeys
from toolweave.app.running_studio import open_running_studio
from toolweave.cli.studio_protocol import LOCK
from toolweave.cli.studio_socket import open_command_socket
from toolweave.home import open_home
from toolweave.serve.command import studio_key
from toolweave.settings import from_environment
from toolweave.storage.lock import owner_of
from toolweave.testing.server import ScriptedServer

# A setting of the command that the studio does not have: the command works alone.
ALONE = {"TOOLWEAVE_CONCURRENT_CALLS": "24"}


@dataclass(frozen=True)
class Served:
    """A home with a studio and a server that counts its starts."""

    tw: Commands
    server: ScriptedServer

    def is_used_by(self, *argv: str, **environ: str) -> bool:
        """Whether the studio does the work: a command alone starts the server again."""
        before = len(self.server.processes)
        self.tw.ok(*argv, **environ)
        return len(self.server.processes) == before


def commands_in(folder: Path) -> Commands:
    """The command line with a home and a project below `folder`."""
    commands = Commands(folder / "home", folder / "project")
    commands.home.mkdir(parents=True)
    commands.project.mkdir()
    return commands


@contextmanager
def studio_here(tw: Commands) -> Generator[None]:
    """A studio of this home on a thread of this process."""
    environ = {**os.environ, **tw.environ}
    settings = from_environment(environ)

    @asynccontextmanager
    async def serving() -> AsyncGenerator[None]:
        async with (
            open_home(settings, environ=environ, directory=tw.project) as home,
            open_running_studio(home) as studio,
        ):
            assert await studio_key(ApiKeys(home.database, home.clock), settings.home)
            async with open_command_socket(studio):
                yield

    with start_blocking_portal() as portal, portal.wrap_async_context_manager(serving()):
        yield


@contextmanager
def studio_process(tw: Commands) -> Generator[subprocess.Popen[bytes]]:
    """`toolweave serve` of this home, from the moment it takes commands."""
    log = tw.home / "serve.log"
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            [*PROGRAM, "serve", "--port", "0", "--no-browser"],
            cwd=tw.project,
            env=tw.environ,
            stdin=subprocess.DEVNULL,
            stderr=stderr,
            start_new_session=True,
        )
    try:
        until = monotonic() + 2 * DEADLINE_S
        while b"listening" not in log.read_bytes():
            assert monotonic() < until, log.read_bytes()
            assert process.poll() is None, log.read_bytes()
            sleep(0.02)
        owner = owner_of(tw.state / LOCK)
        assert owner is not None
        assert owner.pid == process.pid
        yield process
    finally:
        process.kill()
        process.wait()
