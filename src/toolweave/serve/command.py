"""`toolweave serve`: the studio, REST at /api/v1 and MCP at /mcp, in one process."""

import gc
import logging
import os
import signal
import socket
import sys
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

import anyio
import anyio.to_thread
import click
import uvicorn

from toolweave.access.keys import STUDIO, ApiKeys
from toolweave.app.client_config import client_config
from toolweave.cli.studio_protocol import KEY_FILE
from toolweave.errors import ToolweaveError, Unavailable
from toolweave.home import open_home
from toolweave.json_text import write
from toolweave.serve.browser import leading_file, may_open, open_browser, studio_url
from toolweave.serve.connections import MAX_CONNECTIONS, LimitedConnection
from toolweave.serve.http import ListenAddress, open_app
from toolweave.settings import Settings, from_environment, read_queues
from toolweave.storage.files import write_private

INSECURE = (
    "warning: plain HTTP on an address that others can reach; keys and data can be read on the way."
    " Put a TLS proxy before it and listen on 127.0.0.1, or confirm with --insecure."
)
# How long open streams may continue after a shutdown request.
GRACE_S = 3
# Heavy steps run in threads: how long one may go on while the event loop waits for its turn.
TURN_S = 0.001
# Full collections stop all threads, so they are rare and leave out what startup created.
COLLECT_AFTER = (20_000, 20, 50)


async def studio_key(keys: ApiKeys, home: Path, *, is_shared: bool = False) -> str | None:
    """Return the studio's key, a new one if needed; `None` if it cannot be stored.

    Where homes share a database, each has a key of its own.
    """
    path = home / KEY_FILE
    name = f"{STUDIO}@{socket.gethostname()}:{home}" if is_shared else STUDIO
    text = await anyio.to_thread.run_sync(_read, path)
    if text is not None and await keys.check(text) is not None:
        return text
    try:
        await _revoke_older(keys, name)
        _, text = await keys.create(name, ["admin"])
        await anyio.to_thread.run_sync(_write, path, text)
    except (OSError, ToolweaveError):
        return None
    return text


async def _revoke_older(keys: ApiKeys, name: str) -> None:
    """Revoke keys whose file is gone or was readable by others."""
    for key in await keys.list():
        if key.name == name and "admin" in key.scopes and key.revoked_at is None:
            await keys.revoke(key.id)


def _read(path: Path) -> str | None:
    with suppress(OSError):
        is_private = os.name != "posix" or not path.stat().st_mode & 0o077
        text = path.read_bytes().decode("ascii", "replace").strip()
        return text if is_private and text else None
    return None


def _write(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    write_private(path, text + "\n")


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    default=8765,
    show_default=True,
    type=click.IntRange(0, 65_535),
    help="Port to listen on; 0 chooses a free one.",
)
@click.option(
    "--database", metavar="URL", help="postgresql://… URL to use instead of a file in the home."
)
@click.option(
    "--backend",
    metavar="URL",
    help="temporal://HOST:PORT/NAMESPACE to drive runs by Temporal instead of this process.",
)
@click.option(
    "--queues",
    metavar="NAMES",
    help="Queues whose steps are executed here: default,gpu. Default: default.",
)
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME[:PORT]",
    help="Another host name of this server; repeatable.",
)
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option(
    "--insecure", is_flag=True, help="Allow plain HTTP on an address that others can reach."
)
def serve(
    host: str,
    port: int,
    database: str | None,
    backend: str | None,
    queues: str | None,
    allow_host: tuple[str, ...],
    no_browser: bool,
    insecure: bool,
) -> None:
    """Serve the studio, REST at /api/v1 and MCP at /mcp until stopped with Ctrl-C.

    Opens the studio in a browser with its own key, stored in the file `studio.key` of the home.
    Every other request except the health check needs an API key: see
    `toolweave keys create --help`.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    with _listen(host, port) as listener:
        address = ListenAddress(host, listener.getsockname()[1], allow_host)
        if not address.is_loopback and not insecure:
            _say(INSECURE)
        settings = from_environment()
        settings = replace(
            settings,
            database=database or settings.database,
            backend=backend or settings.backend,
            queues=read_queues(queues) if queues else settings.queues,
        )
        anyio.run(_serve, listener, address, settings, not no_browser)


async def _serve(
    listener: socket.socket, address: ListenAddress, settings: Settings, opens_browser: bool
) -> None:
    servers: list[uvicorn.Server] = []

    def is_ending() -> bool:
        return any(server.should_exit for server in servers)

    async with (
        open_home(settings) as home,
        open_app(
            home,
            address,
            is_ending=is_ending,
            serves_commands=True,
            on_loaded=_keep_loaded,
        ) as app,
    ):
        server = uvicorn.Server(
            uvicorn.Config(
                app,
                http=LimitedConnection,
                log_config=None,
                access_log=False,
                lifespan="off",
                limit_concurrency=2 * MAX_CONNECTIONS,  # `LimitedConnection` makes room before
                timeout_graceful_shutdown=GRACE_S,
            )
        )
        servers.append(server)
        _share_processor()
        _stop_by_signal(server)
        keys, is_shared = ApiKeys(home.database, home.clock), home.database.needs_notify
        key = await studio_key(keys, settings.home, is_shared=is_shared)
        url = studio_url(address.browsable, key)
        _say(f"listening on {address.url} (REST at /api/v1, MCP at /mcp)")
        _say(studio_line(address, url, is_terminal=sys.stderr.isatty()))
        _say("keys: `toolweave keys create --scope tools:read --scope tools:execute`")
        _say("MCP clients: paste this into the client's configuration")
        _say(write(client_config(settings).as_json(), pretty=True))
        with ExitStack() as until_stopped:
            if opens_browser and may_open(home.environ):
                leading = until_stopped.enter_context(leading_file(settings.home, url))
                # Connections queue in the listener until the server accepts them.
                open_browser(leading or address.browsable)
            await server.serve(sockets=[listener])
    _say("stopped")


def _stop_by_signal(server: uvicorn.Server) -> None:
    """Shut down cleanly on SIGINT and SIGTERM, with exit code 0."""

    def stop(_number: int, _frame: object) -> None:
        # For signals before uvicorn handles them, and those it raises again after stopping.
        server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)


def studio_line(address: ListenAddress, url: str, *, is_terminal: bool) -> str:
    """Where the studio is; its key is shown on a terminal only, not in a log."""
    if is_terminal:
        return f"studio: {url}"
    return f"studio: {address.browsable}/ (its key is in the file {KEY_FILE} of the home)"


def _share_processor() -> None:
    sys.setswitchinterval(TURN_S)
    gc.set_threshold(*COLLECT_AFTER)


def _keep_loaded() -> None:
    """Leave what is loaded by now out of later collections."""
    gc.collect()
    gc.freeze()


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
        # Inherited by connections; asyncio sets it only if the protocol is given.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (while")[0]
        raise Unavailable(
            "LISTEN_FAILED",
            f"cannot listen on {host!r}, port {port}: {reason}",
            hint="choose another port, or 0 for any free one",
        ) from None
