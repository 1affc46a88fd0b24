"""The JSON of a run and of its steps, for REST, `--json` and MCP."""

from typing import Any

from toolweave.engine.events import RunStatus
from toolweave.json_record import JsonRecord


class RunSummary(JsonRecord):
    """A run, without its steps."""

    id: str
    workflow: str
    status: RunStatus
    started_at: str
    changed_at: str
    finished_at: str | None
    wake_at: str | None
    trigger: str | None
    fork_of: str | None
    error: str | None
    # The queue whose workers continue it; null if every worker can.
    queue: str | None = None


class AnsweredRun(RunSummary):
    """A run after an answer; `why` says why the answer does not count, if it does not."""

    counts: bool = True
    why: str | None = None


class RunStep(JsonRecord):
    """A step of a run; `value` is its output, or its question while it waits."""

    key: str
    status: str
    started_at: str
    finished_at: str | None
    took_ms: int
    attempt: int
    # Any: whatever the node returned.
    value: Any
    error: dict[str, Any] | None
    # The queue whose workers it waits for.
    queue: str | None = None
