"""The studio's side of `toolweave call` and `run`: a socket in the home for commands of its user.

Only the user who runs the studio can connect, with the studio's key; what the command may do is in
the authorisation table. The work is the same as in a process of the command's own: `call_work` and
`run_work`. A command that disappears cancels its call; its run continues.
"""

import logging
import os
import secrets
import socket
import tempfile
from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio
import anyio.abc

import toolweave
from toolweave.access.authorization import command_rule
from toolweave.access.keys import ApiKey, ApiKeys
from toolweave.access.references import references
from toolweave.app.running_studio import RunningStudio
from toolweave.assistant.providers import discover as providers
from toolweave.cli.call_work import call_tool
from toolweave.cli.errors import as_told
from toolweave.cli.run_work import follow, start
from toolweave.cli.studio_link import CommandLink
from toolweave.cli.studio_protocol import (
    LOCK,
    SOCKET,
    CallToolCommand,
    RunWorkflowCommand,
    environment_digest,
    peer_of,
)
from toolweave.errors import Conflict, ToolweaveError
from toolweave.home import Home
from toolweave.servers.commands import Commands
from toolweave.servers.transport_factory import templates_of
from toolweave.settings import PREFIX, WORDS
from toolweave.storage.lock import hold
from toolweave.tasks import background
from toolweave.tools.elicitation import ElicitationAnswer, ElicitationQuestion
from toolweave.tools.tool import ToolProgress

logger = logging.getLogger(__name__)

MAX_CONNECTIONS = 200
HELLO_S = 10.0
# The longest path of a socket that every system accepts.
MAX_PATH_BYTES = 100
# Settings that do not change what a command does.
_OWN_SETTINGS = frozenset({"HOME", "DEBUG"})


@asynccontextmanager
async def open_command_socket(studio: RunningStudio) -> AsyncGenerator[None]:
    """Accept commands while the context is active, if no other studio of this home does."""
    with ExitStack() as held:
        listener = await _listen(studio.home.settings.home, held)
        if listener is None:
            yield
            return
        async with listener, background() as tasks:
            commands = _Commands(studio)
            tasks.start_soon(listener.serve, commands.serve)
            yield


async def _listen(home: Path, held: ExitStack) -> anyio.abc.Listener[Any] | None:
    if not hasattr(socket, "AF_UNIX"):
        return None
    path = home / SOCKET
    try:
        if len(os.fsencode(path)) > MAX_PATH_BYTES:
            short = held.enter_context(tempfile.TemporaryDirectory(prefix="toolweave-"))
            path = Path(short) / SOCKET
        held.enter_context(hold(home / LOCK, address=str(path), version=toolweave.__version__))
        # Of a studio that was killed: the lock shows that none runs.
        path.unlink(missing_ok=True)
        listener = await anyio.create_unix_listener(path, mode=0o600)
    except (OSError, Conflict) as error:
        logger.info("commands of this home do not use this studio", extra={"reason": str(error)})
        return None
    held.callback(path.unlink, missing_ok=True)
    return listener


class _Commands:
    """Executes commands of one home."""

    def __init__(self, studio: RunningStudio) -> None:
        self._studio = studio
        self._keys = ApiKeys(studio.home.database, studio.home.clock)
        self._open = 0

    async def serve(self, stream: anyio.abc.SocketStream) -> None:
        """Execute the command of one connection."""
        self._open += 1
        try:
            async with stream:
                peer = peer_of(stream.extra(anyio.abc.SocketAttribute.raw_socket))
                is_own = peer is None or peer[1] == os.geteuid()
                if is_own and self._open <= MAX_CONNECTIONS:
                    with CommandLink(stream) as link:
                        await self._converse(link)
        except (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError, ValueError):
            pass  # it works alone, is gone, or is no command
        except Exception:  # the edge of a door: others are served
            logger.exception("connection of a command failed")
        finally:
            self._open -= 1

    async def _converse(self, link: CommandLink) -> None:
        key: ApiKey | None = None
        command: list[Any] = []
        with anyio.move_on_after(HELLO_S):
            name, *values = await link.receive()
            if name == "hello" and len(values) == 1:
                key = await self._keys.check(str(values[0]))
            if key is None:
                return
            await link.reply("hello", await facts_of(self._studio.home))
            command = await link.receive()
        if key is None or not command:
            return
        async with link.talking():
            try:
                await self._execute(link, key, *command)
            except Exception as error:  # the edge of a door: the command shows it
                if not isinstance(error, ToolweaveError):
                    logger.exception("command failed", extra={"command": command[0]})
                await link.send("error", as_told(error).as_json())

    async def _execute(self, link: CommandLink, key: ApiKey, name: str, given: Any) -> None:
        command_rule(name).require(key)
        if name == "call":
            await self._call(link, CallToolCommand(**given))
            return
        command = RunWorkflowCommand(**given)
        if command.document is not None:
            command_rule("run#document").require(key)
        if command.edits:
            command_rule("run#edit").require(key)
        await self._run(link, command)

    async def _call(self, link: CommandLink, command: CallToolCommand) -> None:
        async def on_progress(progress: ToolProgress) -> None:
            link.offer("progress", progress.done, progress.total, progress.message)

        async def ask(question: ElicitationQuestion) -> ElicitationAnswer:
            return ElicitationAnswer(**await link.ask(question))

        async def cancel_on_request() -> None:
            await link.until_interrupted()
            work.cancel()

        asker = ask if command.can_ask else None
        # A session of its own, as in a process of its own.
        scope = f"cli {uuid4()}"
        try:
            with anyio.CancelScope() as work:
                async with background() as tasks:
                    tasks.start_soon(cancel_on_request)
                    result = await call_tool(
                        self._studio, command, scope, on_progress=on_progress, asker=asker
                    )
                await link.send("result", result)
                return
        finally:
            self._studio.gate.limits.start_session(scope)
        await link.send("cancelled")

    async def _run(self, link: CommandLink, command: RunWorkflowCommand) -> None:
        studio = self._studio
        started = await start(studio.engine, studio.home, command, hold=False)
        await follow(
            studio.engine, started, link, studio.progress, drives=False, can_ask=command.can_ask
        )


async def facts_of(home: Home) -> dict[str, object]:
    """What a command compares with its own process before it uses the studio."""
    # Also reads what other commands changed a moment ago: a server approved, a tool pinned.
    servers = [templates_of(server) for server in await home.registry.list()]
    await anyio.to_thread.run_sync(home.lockfile.pins, "")
    programs = [
        {"command": program.definition.model_dump_json()}
        for program in await Commands(home.database, home.clock).list()
    ]
    referenced = {
        reference.name
        for texts in (*servers, *programs)
        for text in texts.values()
        for reference in references(text)
        if reference.kind == "env"
    }
    keys = {one.key_variable for one in providers().values() if one.key_variable is not None}
    names = {PREFIX + name for name in WORDS if name not in _OWN_SETTINGS} | referenced | keys
    settings = home.settings
    # Also options of `serve`.
    options = {"DATABASE": settings.database, "BACKEND": settings.backend}
    environ = {
        name: value
        for name, value in home.environ.items()
        if name.removeprefix(PREFIX) not in options
    }
    environ |= {PREFIX + name: value for name, value in options.items() if value}
    salt = secrets.token_hex(8)
    return {
        "variables": sorted(names),
        "salt": salt,
        "digest": environment_digest(names, environ, salt),
        "lockfile": str(home.lockfile_at),
    }
