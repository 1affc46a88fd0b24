"""Poll one task of a server until it ends, and answer its questions, each once."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, cast

import anyio
import mcp_types as types

from toolweave.servers.content import read_result
from toolweave.servers.task_requests import (
    ServerTaskParams,
    TaskCancelRequest,
    TaskGetRequest,
    TaskResultRequest,
    TaskUpdateParams,
    TaskUpdateRequest,
    failure_of,
    poll_s,
    unfinished,
)
from toolweave.tools.elicitation import Asker
from toolweave.tools.tool import TaskHandle, ToolResult

CANCEL_S = 2.0


class _Request(Protocol):
    # Any: a raw response.
    async def __call__(self, request: types.Request[Any, Any], /) -> dict[str, Any]: ...


AnswerAll = Callable[[Mapping[str, Any], Asker | None], Awaitable[types.InputResponses]]


class TaskPolling:
    """One task; `ask` sends a request, `answer_all` answers the questions in a response."""

    def __init__(
        self, server: str, task: TaskHandle, *, ask: _Request, answer_all: AnswerAll, modern: bool
    ) -> None:
        self._server = server
        self._task = task
        self._ask = ask
        self._answer_all = answer_all
        self._is_modern = modern
        self._answered: set[str] = set()

    async def follow(self, asker: Asker | None, hold_s: float | None = None) -> ToolResult:
        """Wait for the result, with `hold_s` at most so long; cancelling cancels the task."""
        try:
            with anyio.move_on_after(hold_s):
                return await self._until_ended(asker)
        except anyio.get_cancelled_exc_class():
            if hold_s is None:  # a caller that polls again still wants it
                await self.cancel()
            raise
        return unfinished(self._task)

    async def cancel(self) -> None:
        """Cancel the task; whether that worked is not waited for long."""
        with anyio.CancelScope(shield=True), anyio.move_on_after(CANCEL_S):
            await self._ask(TaskCancelRequest(params=ServerTaskParams(task_id=self._task.id)))

    async def _until_ended(self, asker: Asker | None) -> ToolResult:
        params = ServerTaskParams(task_id=self._task.id)
        while True:
            raw = await self._ask(TaskGetRequest(params=params))
            status = raw.get("status")
            if status in ("failed", "cancelled"):
                raise failure_of(raw, self._server)
            if status == "completed" or (status == "input_required" and not self._is_modern):
                # The older protocol asks while the result is waited for.
                return read_result(await self._result(raw, params), self._server)
            if status == "input_required":
                await self._answer(raw, asker)
            interval_ms = raw.get("pollIntervalMs", raw.get("pollInterval"))
            await anyio.sleep(self._task.poll_s if interval_ms is None else poll_s(interval_ms))

    async def _result(self, raw: Mapping[str, Any], params: ServerTaskParams) -> Mapping[str, Any]:
        if not self._is_modern:
            return await self._ask(TaskResultRequest(params=params))
        result: object = raw.get("result")
        return cast("Mapping[str, Any]", result) if isinstance(result, dict) else {}

    async def _answer(self, raw: Mapping[str, Any], asker: Asker | None) -> None:
        asked: object = raw.get("inputRequests")
        requests = cast("dict[str, Any]", asked if isinstance(asked, dict) else {})
        fresh = {key: one for key, one in requests.items() if key not in self._answered}
        if not fresh:
            return  # the server has not read the answers yet
        answers = await self._answer_all({"inputRequests": fresh}, asker)
        self._answered |= set(answers)
        given = {
            key: answer.model_dump(by_alias=True, mode="json", exclude_none=True)
            for key, answer in answers.items()
        }
        params = TaskUpdateParams(task_id=self._task.id, input_responses=given)
        await self._ask(TaskUpdateRequest(params=params))
