"""`toolweave record --server`: record what a client does with a server."""

import os
import shutil
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import click
from mcp.server import Server

from toolweave.app.studio import open_studio
from toolweave.cli.session import current_home, run
from toolweave.clock import timestamp
from toolweave.demo.server import http_service, listen, log_to_stderr, serve_stdio
from toolweave.errors import Denied, NotFound
from toolweave.home import Home
from toolweave.recording.files import RecordingFolder
from toolweave.recording.proxy_server import RecordingProxy, build_proxy
from toolweave.recording.traffic import TrafficMasks, TrafficRecorder, traffic_header
from toolweave.resources.open_calls import OpenCalls
from toolweave.tasks import background

HOST = "127.0.0.1"
# Where a client finds the address of the proxy: in its arguments and in its environment.
PLACE = "{url}"
VARIABLE = "MCP_RECORD_URL"


@dataclass(frozen=True, slots=True)
class TrafficWish:
    """Which server to record, for whom, and where to."""

    server: str
    name: str
    fields: tuple[str, ...]
    folder: RecordingFolder
    # An HTTP port; none for stdio.
    port: int | None
    # The command of a client to start; it ends the recording when it ends.
    client: tuple[str, ...] = ()


def record_traffic(wish: TrafficWish) -> int:
    """Serve the server's approved tools and record every call, until the client is done."""
    require_client(wish.client)
    log_to_stderr()

    async def work() -> int:
        async with (
            current_home() as home,
            open_studio(home) as studio,
            recorded_traffic(home, wish) as recorder,
            background() as calls,
        ):
            pins = home.lockfile.pins(wish.server)
            gate, open_calls = studio.gate, OpenCalls(studio.gate, calls)
            proxy = RecordingProxy(wish.server, pins, gate, open_calls, recorder)
            server = build_proxy(proxy, home.lockfile.description(wish.server))
            if wish.client:
                return await _with_client(server, wish.client)
            if wish.port is not None:
                await _over_http(server, wish.port)
            else:
                await _over_stdio(server, recorder)
        return 0

    return run(work)


@asynccontextmanager
async def recorded_traffic(home: Home, wish: TrafficWish) -> AsyncGenerator[TrafficRecorder]:
    """Open the file of a recording; it is complete when this ends."""
    await _require_approved(home, wish.server)
    names = await home.vault.names()
    home.masker.learn([await home.vault.get(name) for name in names])
    pins = home.lockfile.pins(wish.server)
    header = traffic_header(wish.name, wish.server, pins, timestamp(home.clock.now()))
    masks = TrafficMasks(home.masker, (*home.settings.record_mask, *wish.fields))
    recorder = TrafficRecorder(wish.folder.path(wish.name), header, pins, home.clock, masks)
    try:
        yield recorder
    finally:
        recorder.finish()
        click.echo(f"Recorded {recorder.calls} calls as {str(recorder.path)!r}.", err=True)


async def _require_approved(home: Home, server: str) -> None:
    """Raise before anything is written. Raises `NotFound`, `Denied`."""
    await home.registry.get(server)
    if not home.lockfile.pins(server):
        raise Denied(
            "SERVER_NOT_APPROVED",
            f"server {server!r} has no approved tools",
            hint=f"`toolweave servers approve {server}` shows and approves them",
        )


async def _over_stdio(server: Server[Any], recorder: TrafficRecorder) -> None:
    async with background() as tasks:
        tasks.start_soon(_finish_on_signal, recorder)
        await serve_stdio(server)


async def _finish_on_signal(recorder: TrafficRecorder) -> None:
    # The thread that reads stdin cannot be interrupted: complete the file, then end at once.
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for number in signals:
            recorder.finish()
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)


async def _over_http(server: Server[Any], port: int) -> None:
    with listen(HOST, port) as listener:
        service, url = http_service(server, HOST, listener)
        click.echo(f"listening on {url}", err=True)
        await service.serve(sockets=[listener])


async def _with_client(server: Server[Any], client: tuple[str, ...]) -> int:
    """Serve HTTP on a free port while the client runs; return its exit code."""
    with listen(HOST, 0) as listener:
        service, url = http_service(server, HOST, listener)
        command = [part.replace(PLACE, url) for part in client]
        environ = {**os.environ, VARIABLE: url}
        code = 1
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(service.serve, [listener])
            process = await anyio.open_process(
                command, stdin=None, stdout=None, stderr=None, env=environ
            )
            code = await process.wait()
            service.should_exit = True
        return code


def require_client(client: tuple[str, ...]) -> None:
    """Raise `COMMAND_START_FAILED` if the program of a client is not there."""
    if client and shutil.which(client[0]) is None:
        raise NotFound("COMMAND_START_FAILED", f"the client {client[0]!r} was not found")
