"""From the porch to the SDK: its server reads on where the porch stopped."""

import os
from typing import Any, cast

import anyio
import orjson
from mcp.server.stdio import stdio_server

from toolweave import nodes
from toolweave.catalog.index import Catalog
from toolweave.catalog.knowledge import Knowledge
from toolweave.mcp_server.porch import Porch
from toolweave.mcp_server.server import build_server
from toolweave.mcp_server.stdio import Lines


def serve(lines: Lines, out: int, porch: Porch) -> None:
    """Serve what is left of the conversation, until the input ends."""
    knowledge = Knowledge(Catalog(node.spec for node in nodes.discover()))
    server = build_server(knowledge)
    told = [line for line in (porch.handshake, porch.initialized) if line is not None]
    lines.put_back(*told)
    writer = _Writer(out, silent_for=porch.handshake_id if told else None)

    async def work() -> None:
        reading = anyio.wrap_file(cast("Any", _Reader(lines)))
        writing = anyio.wrap_file(cast("Any", writer))
        async with stdio_server(reading, writing) as (inbox, outbox):
            await server.run(inbox, outbox, server.create_initialization_options())

    anyio.run(work)


class _Reader:
    """The lines as text, in the shape the SDK reads."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    def readline(self) -> str:
        """The next line."""
        return self._lines.readline().decode(errors="replace")


class _Writer:
    """Writes to the client all but the second answer to the handshake it had already."""

    def __init__(self, out: int, *, silent_for: Any) -> None:
        self._out = out
        self._silent_for = silent_for

    def write(self, text: str) -> int:
        """Write one message."""
        data = text.encode()
        if self._silent_for is not None and orjson.loads(data).get("id") == self._silent_for:
            self._silent_for = None
            return len(text)
        while data:
            data = data[os.write(self._out, data) :]
        return len(text)

    def flush(self) -> None:
        """Nothing is held back."""
