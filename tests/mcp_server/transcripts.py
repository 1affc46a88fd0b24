"""A conversation over stdio in this process: by the SDK alone, and by early and SDK together."""

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
import mcp_types as types
import orjson
from mcp.server import Server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from toolweave.authoring.live_catalog import CountingToolService, LiveCatalog
from toolweave.mcp_server.list_changes import Changes
from toolweave.mcp_server.sdk_bridge import converse
from toolweave.mcp_server.server import build_server
from toolweave.mcp_server.stdio import StdinReader

Answer = dict[str, Any]
END = "the-end"
_END_LINE = orjson.dumps({"jsonrpc": "2.0", "id": END, "method": "no/such/method"}) + b"\n"


def a_server() -> Server[Any]:
    """The server over the built-in nodes."""
    catalog = LiveCatalog(None)
    return build_server(catalog, CountingToolService(catalog, None), Changes())


def by_sdk_alone(server: Server[Any], lines: Sequence[bytes]) -> list[Answer]:
    """What the SDK answers to `lines`; every request is answered before the input ends."""
    return anyio.run(_by_sdk_alone, server, lines)


async def _by_sdk_alone(server: Server[Any], lines: Sequence[bytes]) -> list[Answer]:
    said: list[Answer] = []
    deliver, inbox = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outbox, answers = anyio.create_memory_object_stream[SessionMessage](1_000)
    async with deliver, answers, anyio.create_task_group() as tasks:
        options = server.create_initialization_options()
        tasks.start_soon(server.run, inbox, outbox, options)
        for line in (*lines, _END_LINE):
            try:
                text = line.decode(errors="replace")
                message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
                await deliver.send(SessionMessage(message))
            except ValidationError as error:
                await deliver.send(error)
        await anyio.wait_all_tasks_blocked()
        await deliver.aclose()
        said = [orjson.loads(_json(answer)) async for answer in answers]
    return [answer for answer in said if answer.get("id") != END]


def _json(answer: SessionMessage) -> str:
    return answer.message.model_dump_json(by_alias=True, exclude_unset=True)


async def _converse(reader: StdinReader, server: Server[Any], has_left: threading.Event) -> None:
    """Go on until the end; a real process is gone when the early leaves, at whatever moment."""

    async def watch() -> None:
        await anyio.to_thread.run_sync(has_left.wait)
        tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch)
        await converse(reader, server)
        has_left.set()


def with_early_responses(
    server: Server[Any], lines: Sequence[bytes], *, before: int, chunk: int = 0
) -> list[Answer]:
    """What comes out of the pipe when `before` lines are in it before the SDK is there.

    The rest arrives while it takes over, `chunk` bytes at a time where that is not 0.
    """
    (theirs_in, ours_in), (ours_out, theirs_out) = os.pipe(), os.pipe()
    has_left = threading.Event()
    reader = StdinReader(theirs_in, theirs_out, leave=lambda _: has_left.set())
    with ThreadPoolExecutor(2) as threads, os.fdopen(ours_out, "rb") as answers:
        said = threads.submit(answers.read)
        reader.open()
        os.write(ours_in, b"".join(lines[:before]))
        rest = b"".join(lines[before:])
        size = chunk or max(len(rest), 1)

        def write_the_rest() -> None:
            for start in range(0, len(rest), size):
                os.write(ours_in, rest[start : start + size])
            os.close(ours_in)

        if before == len(lines):
            # The input ends while the early is open, or while it waits for the SDK.
            write_the_rest()
        else:
            threads.submit(write_the_rest)
        try:
            anyio.run(_converse, reader, server, has_left)
        finally:
            os.close(theirs_out)
            os.close(theirs_in)
        return [orjson.loads(line) for line in said.result(timeout=20).splitlines()]
