"""Tool calls of steps that ask a question: the call stays open while the step waits for a person.

A step runs until its tool ends or asks. When the answer comes, the step is run again and finds its
open call by the step's key. After a restart the call is gone: a tool of the newest protocol is
called again, which is how that protocol works; an older tool may have acted before it asked, so its
step fails.
"""

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import anyio
from anyio.abc import TaskGroup

from toolweave.errors import Cancelled, Conflict, ToolweaveError
from toolweave.tools.elicitation import AnsweredQuestion, ElicitationAnswer, ElicitationQuestion
from toolweave.tools.tool import (
    AskingToolCaller,
    ProgressListener,
    ToolCall,
    ToolProgress,
    ToolResult,
    content_call,
)


class OpenCalls:
    """The calls of this process that belong to steps, by the step's key."""

    def __init__(
        self, tools: AskingToolCaller, tasks: TaskGroup, holder: str | None = None
    ) -> None:
        # The name of this process, by which others know whether an open call still exists.
        self.holder = holder
        self._tools = tools
        self._tasks = tasks
        self._open: dict[str, _OpenCall] = {}
        # The tasks that steps poll: server and id, by the step's key.
        self._polled: dict[str, tuple[str, str]] = {}

    async def call(
        self,
        key: str,
        call: ToolCall,
        *,
        on_progress: ProgressListener,
        answered: Sequence[AnsweredQuestion] = (),
    ) -> ToolResult | ElicitationQuestion:
        """Return the result of the tool, or its first question that is not answered.

        Raises `Conflict`: `CALL_ENDED_UNANSWERED`, and what the call raises.
        """
        found = self._open.pop(key, None)
        if found is None or not found.continue_with(answered):
            if found is not None:
                found.end()
            if answered and not answered[-1].question.is_repeatable:
                raise _ended(call)
            found = _OpenCall(answered)
            self._tasks.start_soon(found.run, self._tools, call)
        outcome = await found.next_outcome(on_progress)
        if isinstance(outcome, ElicitationQuestion):
            self._open[key] = found
        elif outcome.task is not None:
            self._polled[key] = call.server, outcome.task.id
        else:
            self._polled.pop(key, None)
        return outcome

    def end(self, run: str) -> None:
        """End the open calls of a run that goes no further."""
        for key in [one for one in self._open if one.startswith(f"{run}/")]:
            self._open.pop(key).end()
        for key in [one for one in self._polled if one.startswith(f"{run}/")]:
            self._tasks.start_soon(self._cancel, *self._polled.pop(key))

    async def _cancel(self, server: str, task: str) -> None:
        call = content_call(server, "tasks/cancel", {"taskId": task})
        with suppress(ToolweaveError):  # the server may be gone, and its task with it
            await self._tools.call(replace(call, source="workflow"))


class _OpenCall:
    """One call in a task of its own, which outlives the step that waits for an answer."""

    def __init__(self, answered: Sequence[AnsweredQuestion]) -> None:
        self._answered = deque(answered)
        # How many of its questions have an answer.
        self._given = 0
        self._changed = anyio.Event()
        self._outcome: ToolResult | ElicitationQuestion | Exception | None = None
        self._replied = anyio.Event()
        self._reply: ElicitationAnswer | None = None
        self._on_progress: ProgressListener | None = None
        self._scope = anyio.CancelScope()

    async def run(self, tools: AskingToolCaller, call: ToolCall) -> None:
        """Make the call; its outcome is for the step that waits."""
        with self._scope:
            try:
                found = await tools.call(call, on_progress=self._hear, asker=self._ask)
            except Exception as error:  # raised in the step, as if it had made the call
                self._conclude(error)
            else:
                self._conclude(found)
        if self._scope.cancel_called:
            ended = Cancelled("CALL_CANCELLED", f"the call of {call.tool!r} was cancelled")
            self._conclude(ended)

    async def next_outcome(self, on_progress: ProgressListener) -> ToolResult | ElicitationQuestion:
        """Wait until the call ends or asks; ending the wait ends the call."""
        self._on_progress = on_progress
        try:
            await self._changed.wait()
        except anyio.get_cancelled_exc_class():
            self.end()
            raise
        finally:
            self._on_progress = None
        if isinstance(self._outcome, Exception):
            raise self._outcome
        assert self._outcome is not None
        return self._outcome

    def continue_with(self, answered: Sequence[AnsweredQuestion]) -> bool:
        """Give the open question its answer; return whether there is any.

        There are more answers if another process made the call too, and got further: the last one
        is then of a later question. A call that has ended meanwhile stays as it is.
        """
        if not answered or not isinstance(self._outcome, ElicitationQuestion):
            return bool(answered)
        following = range(self._given, len(answered))
        fitting = (at for at in following if answered[at].question == self._outcome)
        self._given = next(fitting, len(answered) - 1)
        self._changed = anyio.Event()
        self._reply = answered[self._given].answer
        self._answered = deque(answered[self._given + 1 :])
        self._replied.set()
        return True

    def end(self) -> None:
        """Cancel the call, also on the server."""
        self._scope.cancel()

    def _conclude(self, outcome: ToolResult | ElicitationQuestion | Exception) -> None:
        self._outcome = outcome
        self._changed.set()

    async def _ask(self, question: ElicitationQuestion) -> ElicitationAnswer:
        if self._answered and self._answered[0].question == question:
            self._given += 1
            return self._answered.popleft().answer
        self._replied = anyio.Event()
        self._conclude(question)
        await self._replied.wait()
        assert self._reply is not None
        self._given += 1
        return self._reply

    async def _hear(self, progress: ToolProgress) -> None:
        if self._on_progress is not None:
            await self._on_progress(progress)


def _ended(call: ToolCall) -> Conflict:
    return Conflict(
        "CALL_ENDED_UNANSWERED",
        f"the call of {call.tool!r} ended before its question was answered, because the service "
        "was restarted; what the tool did before it asked is not known",
        hint="check what the tool did, then run again from this step",
    )
