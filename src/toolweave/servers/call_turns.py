"""Which call asks a question, at servers of the session protocol, whose questions do not say.

Over streamable HTTP a question comes on the stream of its call. Elsewhere, from a server's first
such question on, one of its calls runs at a time, so that a question is of the one that runs; a
call whose question waits for a person lets the next one run. Calls that began together are told
apart once all but one of them have ended; if all of them ask, the questions are put in their order
to the people who are the same for all, or the last question is refused.
"""

from contextvars import ContextVar, Token

import anyio
import mcp_types as types

from toolweave.errors import ToolweaveError
from toolweave.servers.elicitation import elicit
from toolweave.tools.elicitation import Asker

# How long a question waits for calls that began together to end, but for one.
WAIT_S = 30.0

# The call that the current task serves; the SDK hands it on to what comes on the call's stream.
_current: ContextVar["CallTurn | None"] = ContextVar("current_call", default=None)


class CallTurn:
    """An open call; a class, because a generator would be slower for every call."""

    __slots__ = ("_token", "_turns", "asker", "audience", "is_running", "question")

    def __init__(self, turns: "CallTurns", asker: Asker | None, audience: str | None) -> None:
        self._turns = turns
        self._token: Token[CallTurn | None] | None = None
        self.asker = asker
        # Who is asked, and about which tool: calls with the same are alike to a person.
        self.audience = audience
        self.is_running = False
        # Its question, which ends with the call.
        self.question: anyio.CancelScope | None = None

    async def __aenter__(self) -> None:
        self._token = _current.set(self)
        await self._turns.begin(self)

    async def __aexit__(self, *_: object) -> None:
        self._turns.end(self)
        if self._token is not None:
            _current.reset(self._token)


class CallTurns:
    """The open calls of one connection."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._open: list[CallTurn] = []
        self._has_asked = False
        # The questions whose call is not known yet, in their order.
        self._unplaced: list[types.ElicitRequestParams] = []
        # Set with the next change; made when something waits for it.
        self._changed: anyio.Event | None = None

    def take(self, asker: Asker | None, audience: str | None = None) -> CallTurn:
        """Return the turn of a call, which runs while it is entered."""
        return CallTurn(self, asker, audience)

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
        own = _current.get()
        if own is not None and own in self._open:
            return await self._put(params, own) or _refused("the call has ended")
        self._has_asked = True
        calls = [one for one in self._open if one.is_running]
        calls = calls or [one for one in self._open if one.question is not None]
        count = len(self._open)
        answer = None
        # Again if the call that seemed to ask ends without an answer: then another one asks.
        while answer is None:
            turn = await self._asking(params, calls)
            if turn is None:
                return _refused(
                    f"{count} calls are open, and the question does not say which one it belongs "
                    "to; call the tool again"
                )
            answer = await self._put(params, turn)
        return answer

    async def _put(
        self, params: types.ElicitRequestParams, turn: CallTurn
    ) -> types.ElicitResult | types.ErrorData | None:
        """Return the answer of the call's person, or nothing if the call ends before it."""
        while turn in self._open and not turn.is_running:
            await self._change()  # of two questions at once, the second waits for the first answer
        if turn not in self._open:
            return None
        turn.is_running = False
        self._report_change()
        answer: types.ElicitResult | types.ErrorData | None = None
        with anyio.CancelScope() as turn.question:
            try:
                answer = await elicit(self._server, params, turn.asker)
            except ToolweaveError as error:
                answer = _refused(error.message)
            await self._run(turn)
        turn.question = None
        return answer

    async def _asking(
        self, params: types.ElicitRequestParams, calls: list[CallTurn]
    ) -> CallTurn | None:
        """Return which of `calls` asks, or nothing if that cannot be known."""
        self._unplaced.append(params)
        self._report_change()
        try:
            with anyio.move_on_after(WAIT_S):
                while True:
                    left = [one for one in calls if one in self._open]
                    if len(left) <= 1:
                        return next(iter(left), None)
                    running = [one for one in left if one.is_running]
                    if running and len(self._unplaced) >= len(running):
                        # All of them ask: none ends before an answer.
                        alike = _first_alike(running)
                        if alike is not None and self._unplaced[0] is params:
                            return alike
                        if alike is None and self._unplaced[-1] is params:
                            return None
                    await self._change()
            return None
        finally:
            self._unplaced = [one for one in self._unplaced if one is not params]
            self._report_change()

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


def _first_alike(calls: list[CallTurn]) -> CallTurn | None:
    """Return the first of calls that are alike to a person, or nothing if they are not."""
    audience = calls[0].audience
    is_one = audience is not None and all(one.audience == audience for one in calls)
    return calls[0] if is_one else None


def _refused(message: str) -> types.ErrorData:
    return types.ErrorData(code=types.INVALID_REQUEST, message=message)
