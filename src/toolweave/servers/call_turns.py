"""Which call asks a question, at servers of the session protocol, whose questions do not say.

From a server's first question on, one of its calls runs at a time, so that a question is of the one
that runs. A call whose question waits for a person lets the next one run.
"""

import anyio
import mcp_types as types

from toolweave.errors import ToolweaveError
from toolweave.servers.elicitation import elicit
from toolweave.tools.elicitation import Asker

# How long a question waits for calls that began together to end, but for one.
WAIT_S = 2.0


class CallTurn:
    """An open call; a class, because a generator would be slower for every call."""

    __slots__ = ("_turns", "asker", "is_running", "question")

    def __init__(self, turns: "CallTurns", asker: Asker | None) -> None:
        self._turns = turns
        self.asker = asker
        self.is_running = False
        # Its question, which ends with the call.
        self.question: anyio.CancelScope | None = None

    async def __aenter__(self) -> None:
        await self._turns.begin(self)

    async def __aexit__(self, *_: object) -> None:
        self._turns.end(self)


class CallTurns:
    """The open calls of one connection."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._open: list[CallTurn] = []
        self._has_asked = False
        # Set with the next change; made when something waits for it.
        self._changed: anyio.Event | None = None

    def take(self, asker: Asker | None) -> CallTurn:
        """Return the turn of a call, which runs while it is entered."""
        return CallTurn(self, asker)

    async def begin(self, turn: CallTurn) -> None:
        """Wait until it is the turn of a call."""
        self._open.append(turn)
        try:
            await self._run(turn)
        except BaseException:
            self.end(turn)
            raise

    def end(self, turn: CallTurn) -> None:
        """Let others run, and end the question of the call."""
        self._open.remove(turn)
        if turn.question is not None:
            turn.question.cancel()
        self._report_change()

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
        self._report_change()
        answer: types.ElicitResult | types.ErrorData = _refused("the call has ended")
        with anyio.CancelScope() as turn.question:
            try:
                answer = await elicit(self._server, params, turn.asker)
            except ToolweaveError as error:
                answer = _refused(error.message)
            await self._run(turn)
        turn.question = None
        return answer

    async def _asking(self) -> CallTurn | None:
        """Return the call that asks; of one that asks twice at once, after its first answer."""
        running = [one for one in self._open if one.is_running]
        asking = running or [one for one in self._open if one.question is not None]
        with anyio.move_on_after(WAIT_S):
            while len(asking) > 1:
                await self._change()
                asking = [one for one in asking if one in self._open]
        if len(asking) != 1:
            return None
        [turn] = asking
        while turn in self._open and not turn.is_running:
            await self._change()
        return turn if turn in self._open else None

    async def _run(self, turn: CallTurn) -> None:
        while self._has_asked and any(one.is_running for one in self._open):
            await self._change()
        turn.is_running = True
        self._report_change()

    async def _change(self) -> None:
        if self._changed is None:
            self._changed = anyio.Event()
        await self._changed.wait()

    def _report_change(self) -> None:
        if self._changed is not None:
            self._changed.set()
            self._changed = None


def _refused(message: str) -> types.ErrorData:
    return types.ErrorData(code=types.INVALID_REQUEST, message=message)
