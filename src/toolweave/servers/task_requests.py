"""Tasks of a server: a call that goes on after its response, and is polled until it ends.

The newest protocol has them as an extension; 2025-11-25 has them for tools that require one.
"""

from collections.abc import Mapping
from typing import Any, Literal, cast

import mcp_types as types
from mcp_types import RequestParams

from toolweave.errors import Cancelled, ToolweaveError
from toolweave.servers.disconnect_reason import printable, protocol_error
from toolweave.tools.tool import TaskHandle, ToolResult

EXTENSION = "io.modelcontextprotocol/tasks"
DEFAULT_POLL_S = 1.0
MIN_POLL_S, MAX_POLL_S = 0.05, 300.0
MAX_ID = 1_000


class ServerTaskParams(RequestParams):
    """Which task."""

    task_id: str


class TaskUpdateParams(ServerTaskParams):
    """Answers to the questions of a task."""

    # Any: answers by the key of their question.
    input_responses: dict[str, Any]


# `name_param` makes the SDK send the header `Mcp-Name`, by which requests are routed.
class TaskGetRequest(types.Request[ServerTaskParams, Literal["tasks/get"]]):
    """Asks for the state of a task."""

    name_param = "taskId"
    method: Literal["tasks/get"] = "tasks/get"
    params: ServerTaskParams


class TaskResultRequest(types.Request[ServerTaskParams, Literal["tasks/result"]]):
    """Asks for the result of a task, before 2026-07-28."""

    method: Literal["tasks/result"] = "tasks/result"
    params: ServerTaskParams


class TaskUpdateRequest(types.Request[TaskUpdateParams, Literal["tasks/update"]]):
    """Answers the questions of a task."""

    name_param = "taskId"
    method: Literal["tasks/update"] = "tasks/update"
    params: TaskUpdateParams


class TaskCancelRequest(types.Request[ServerTaskParams, Literal["tasks/cancel"]]):
    """Cancels a task."""

    name_param = "taskId"
    method: Literal["tasks/cancel"] = "tasks/cancel"
    params: ServerTaskParams


def task_in(raw: Mapping[str, Any], server: str) -> TaskHandle | None:
    """Return the task that a raw response stands for, if it is one."""
    nested: object = raw.get("task")
    if raw.get("resultType") == "task":
        found, poll, ttl = raw, "pollIntervalMs", "ttlMs"
    elif isinstance(nested, dict) and "content" not in raw:
        found, poll, ttl = cast("Mapping[str, Any]", nested), "pollInterval", "ttl"
    else:
        return None
    identity = found.get("taskId")
    if not isinstance(identity, str) or not 0 < len(identity) <= MAX_ID:
        raise protocol_error(server, "its task has no id")
    return TaskHandle(identity, poll_s(found.get(poll)), _seconds(found.get(ttl)))


def poll_s(interval_ms: object) -> float:
    """Return the seconds between polls, within bounds."""
    return min(max(_seconds(interval_ms) or DEFAULT_POLL_S, MIN_POLL_S), MAX_POLL_S)


def _seconds(milliseconds: object) -> float | None:
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return None
    return milliseconds / 1000 if milliseconds > 0 else None


def failure_of(raw: Mapping[str, Any], server: str) -> ToolweaveError:
    """Return the error of a task that ended without a result."""
    if raw.get("status") == "cancelled":
        return Cancelled("CALL_CANCELLED", f"server {server!r} cancelled the task")
    error: object = raw.get("error")
    said: object = (
        cast("Mapping[str, object]", error).get("message") if isinstance(error, dict) else None
    )
    message = said or raw.get("statusMessage") or "no reason given"
    return ToolweaveError(
        "TASK_FAILED", f"the task of server {server!r} failed: {printable(str(message), 500)}"
    )


def unfinished(task: TaskHandle) -> ToolResult:
    """Return a result that says that the task goes on."""
    return ToolResult(content=(), task=task)
