"""Which call asks a question, at servers of the session protocol, whose questions do not say.

From a server's first question on, one of its calls runs at a time, so that a question is of the one
that runs. A call whose question waits for a person lets the next one run.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
import mcp_types as types

from toolweave.errors import ToolweaveError
from toolweave.servers.elicitation import elicit
from toolweave.tools.elicitation import Asker

# How long a question waits for calls that began together to end, but for one.
WAIT_S = 2.0


@dataclass(eq=False)
class _Turn:
    """An open call."""

    asker: Asker | None
    is_running: bool = False
    # Its question, which ends with the call.
    question: anyio.CancelScope | None = None


class CallTurns:
    """The open calls of one connection."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._open: list[_Turn] = []
        self._has_asked = False
        self._changed = anyio.Event()

    @asynccontextmanager
    async def take(self, asker: Asker | None) -> AsyncGenerator[None]:
        """Run a call when it is its turn."""
        turn = _Turn(asker)
        self._open.append(turn)
        try:
            await self._run(turn)
            yield
        finally:
            self._open.remove(turn)
            if turn.question is not None:
                turn.question.cancel()
            self._tell()

    async def ask(self, params: types.ElicitRequestParams) -> types.ElicitResult | types.ErrorData:
        """Put a question to the person of the call that asks it."""
        self._has_asked = True
        count = len(self._open)
        turn = await self._asking()
        if turn is None:
            return _refused(
                f"{count} calls are open, and the question does not say which one it belongs to; "
                "call the tool again"
            )
        turn.is_running = False
        self._tell()
        answer: types.ElicitResult | types.ErrorData = _refused("the call has ended")
        with anyio.CancelScope() as turn.question:
            try:
                answer = await elicit(self._server, params, turn.asker)
            except ToolweaveError as error:
                answer = _refused(error.message)
            await self._run(turn)
        turn.question = None
        return answer

    async def _asking(self) -> _Turn | None:
        """Return the call that asks; of one that asks twice at once, after its first answer."""
        running = [one for one in self._open if one.is_running]
        asking = running or [one for one in self._open if one.question is not None]
        with anyio.move_on_after(WAIT_S):
            while len(asking) > 1:
                await self._changed.wait()
                asking = [one for one in asking if one in self._open]
        if len(asking) != 1:
            return None
        [turn] = asking
        while turn in self._open and not turn.is_running:
            await self._changed.wait()
        return turn if turn in self._open else None

    async def _run(self, turn: _Turn) -> None:
        while self._has_asked and any(one.is_running for one in self._open):
            await self._changed.wait()
        turn.is_running = True
        self._tell()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()


def _refused(message: str) -> types.ErrorData:
    return types.ErrorData(code=types.INVALID_REQUEST, message=message)
