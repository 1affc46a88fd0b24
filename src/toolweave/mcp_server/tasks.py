"""The tasks extension: a run is a task, and the run's id is the task's.

A task is returned only after the run is stored, so that the client can query it immediately.
"""

from typing import Any

import mcp_types as types
from mcp.server import Server
from mcp.shared.exceptions import MCPError

from toolweave.engine.called_questions import open_questions
from toolweave.engine.engine import Engine
from toolweave.engine.events import FINAL, Finished
from toolweave.engine.run_table import RunRecord
from toolweave.errors import NotFound
from toolweave.json_text import JsonObject
from toolweave.mcp_server import elicitation as asking
from toolweave.mcp_server.context import McpContext
from toolweave.mcp_server.results import finished_result
from toolweave.mcp_server.tool_call import Context, McpCaller
from toolweave.publishing.limited_keys import VisibleRuns

EXTENSION = "io.modelcontextprotocol/tasks"
MISSING_CAPABILITY = -32021
HEADER_MISMATCH = -32020
POLL_MS = 1_000
ACCEPTED: JsonObject = {"resultType": "complete"}


class TaskParams(types.RequestParams):
    """Which task."""

    task_id: str


class UpdateParams(TaskParams):
    """Answers to the questions of a task."""

    # Any: unknown answers are ignored, as the extension requires.
    input_responses: dict[str, Any] | None = None


def has_tasks(caller: McpCaller) -> bool:
    """Whether the client supports tasks."""
    return caller.is_modern and EXTENSION in (caller.capabilities.extensions or {})


def require_tasks(caller: McpCaller) -> None:
    """Require a client that supports tasks.

    Raises:
        MCPError: -32021, with the missing capability.
    """
    if not has_tasks(caller):
        needed: JsonObject = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
        message = f"this needs a client with the extension {EXTENSION}"
        raise MCPError(MISSING_CAPABILITY, message, data=needed)


async def created(engine: Engine, run: str) -> JsonObject:
    """The task of a run."""
    found = await engine.get(run)
    return {"resultType": "task", **_task(found, "working")}


def _task(run: RunRecord, status: str) -> JsonObject:
    return {
        "taskId": run.id,
        "status": status,
        "createdAt": run.started_at,
        "lastUpdatedAt": run.changed_at,
        "ttlMs": None,
        "pollIntervalMs": POLL_MS,
    }


class TaskMethods:
    """`tasks/get`, `tasks/update` and `tasks/cancel`."""

    def __init__(self, context: McpContext | None) -> None:
        self._context = context

    def serve(self, server: Server[Any]) -> None:
        """Register the methods."""
        server.extensions[EXTENSION] = {}
        server.add_request_handler("tasks/get", TaskParams, self.get)
        server.add_request_handler("tasks/update", UpdateParams, self.update)
        server.add_request_handler("tasks/cancel", TaskParams, self.cancel)

    async def get(self, context: Context, params: TaskParams) -> dict[str, Any]:
        """The status of a task with its questions or its result."""
        engine, run = await self._found(context, params)
        last = (await engine.journal.last(run.id)).event
        if isinstance(last, Finished):
            return await self._ended(engine, run, last)
        questions = await _questions(engine, run.id)
        if not questions:
            return _task(run, "working")
        forms = {
            key: form.model_dump(by_alias=True, mode="json", exclude_none=True)
            for key, form in asking.requests(questions, McpCaller(context)).items()
        }
        return {**_task(run, "input_required"), "inputRequests": forms}

    async def _ended(self, engine: Engine, run: RunRecord, last: Finished) -> dict[str, Any]:
        if last.status == "cancelled":
            return _task(run, "cancelled")
        one = await self._context.published.of_workflow(run.workflow) if self._context else None
        fault: dict[str, Any] | None = None
        if one is None:
            fault = {"code": types.INVALID_PARAMS, "message": "the tool is no longer published"}
        elif last.error and last.error.get("code") == "INTERNAL":
            fault = {"code": types.INTERNAL_ERROR, "message": str(last.error.get("message"))}
        if one is None or fault is not None:
            return {**_task(run, "failed"), "error": fault}
        result = await finished_result(engine, run.id, one, last)
        return {**_task(run, "completed"), "result": result}

    async def update(self, context: Context, params: UpdateParams) -> dict[str, Any]:
        """Submit answers; invalid or late ones are ignored."""
        engine, run = await self._found(context, params)
        questions = await _questions(engine, run.id)
        caller = McpCaller(context)
        for key, response in asking.replies_in(params.input_responses).items():
            if (question := questions.get(key)) is None:
                continue
            reply = asking.reply_of(response, question, caller)
            if reply is not None and not question.faults(reply):
                await asking.answer(engine, run.id, key, reply, caller)
        return dict(ACCEPTED)

    async def cancel(self, context: Context, params: TaskParams) -> dict[str, Any]:
        """Cancel a task; a finished one is unchanged."""
        engine, run = await self._found(context, params)
        if run.status not in FINAL:
            await engine.cancel(run.id, by=McpCaller(context).who)
        return dict(ACCEPTED)

    async def _found(self, context: Context, params: TaskParams) -> tuple[Engine, RunRecord]:
        caller = McpCaller(context)
        if not caller.is_modern:
            raise MCPError(types.METHOD_NOT_FOUND, "Method not found", data=context.method)
        require_tasks(caller)
        _check_header(context, params)
        if self._context is None:
            raise _no_task(params)
        engine = (await self._context.studio()).engine
        runs = VisibleRuns(engine, self._context.published)
        try:
            if caller.key is not None:
                return engine, await runs.get(caller.key, params.task_id)
            return engine, await engine.get(params.task_id)
        except NotFound:
            raise _no_task(params) from None


async def _questions(engine: Engine, run: str) -> asking.Questions:
    found = await open_questions(engine, run)
    asked = ((key, asking.asked_here(question)) for key, question in found.items())
    return {key: question for key, question in asked if question is not None}


def _check_header(context: Context, params: TaskParams) -> None:
    """Check the routing header, which the SDK checks only for its own methods."""
    request = context.request
    named = None if request is None else request.headers.get("mcp-name")
    if named is not None and named.strip() != params.task_id:
        raise MCPError(HEADER_MISMATCH, "Mcp-Name is not the task's id")


def _no_task(params: TaskParams) -> MCPError:
    return MCPError(types.INVALID_PARAMS, f"no task {params.task_id[:100]!r}")
