"""The studio's end of one connection: messages to and from a command, without blocking a run."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any, Self

import anyio
from anyio.abc import SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

from toolweave.cli.studio_protocol import (
    ALIVE_EVERY_S,
    LENGTH,
    Message,
    decode,
    encode,
    length_of,
)

# Messages that a slow reader may leave unread; progress beyond them is dropped, events wait.
MAX_UNREAD = 1_000


class CommandLink:
    """Sends in the order of the calls; `talking` reads what the command sends during its work."""

    def __init__(self, stream: SocketStream) -> None:
        self._stream = stream
        self._buffered = BufferedByteReceiveStream(stream)
        self._outbox, self._unsent = anyio.create_memory_object_stream[bytes](MAX_UNREAD)
        self._answers, self._answered = anyio.create_memory_object_stream[Any](1)
        self._cancelled = anyio.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for queue in (self._outbox, self._unsent, self._answers, self._answered):
            queue.close()

    async def receive(self) -> Message:
        """Wait for a message. Raises `anyio.EndOfStream`, `ValueError`."""
        length = length_of(await self._buffered.receive_exactly(LENGTH.size))
        return decode(await self._buffered.receive_exactly(length))

    async def reply(self, name: str, *values: object) -> None:
        """Send a message before the work begins."""
        await self._stream.send(encode(name, *values))

    async def send(self, name: str, *values: object) -> None:
        """Send a message, after those that wait."""
        await self._outbox.send(encode(name, *values))

    def offer(self, name: str, *values: object) -> None:
        """Send a message, or drop it if the command does not read."""
        with suppress(anyio.WouldBlock, anyio.ClosedResourceError):
            self._outbox.send_nowait(encode(name, *values))

    async def until_interrupted(self) -> None:
        """Wait until the person presses Ctrl-C."""
        await self._cancelled.wait()

    async def ask(self, question: object) -> dict[str, Any]:
        """Send a question to the person at the command, and wait for the answer."""
        await self.send("ask", question)
        return await self._answered.receive()

    @asynccontextmanager
    async def talking(self) -> AsyncGenerator[None]:
        """Send and receive during the work; it is cancelled when the command is gone."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._listen, tasks.cancel_scope)
            tasks.start_soon(self._stay_alive)
            async with anyio.create_task_group() as writing:
                writing.start_soon(self._write, tasks.cancel_scope)
                yield
                self._outbox.close()
            tasks.cancel_scope.cancel()

    async def _write(self, work: anyio.CancelScope) -> None:
        try:
            async for message in self._unsent:
                await self._stream.send(message)
        except anyio.BrokenResourceError:
            work.cancel()

    async def _stay_alive(self) -> None:
        while True:
            await anyio.sleep(ALIVE_EVERY_S)
            self.offer("alive")

    async def _listen(self, work: anyio.CancelScope) -> None:
        try:
            while True:
                name, *values = await self.receive()
                if name == "cancel":
                    self._cancelled.set()
                elif name == "answer":
                    await self._answers.send(values[0])
        except (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError, ValueError):
            work.cancel()
