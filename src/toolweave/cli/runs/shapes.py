"""A run as programs read it."""

from toolweave.engine.run_table import RunRecord
from toolweave.json_text import JsonObject


def as_dict(found: RunRecord) -> JsonObject:
    """The row of a run as JSON."""
    return {
        "id": found.id,
        "workflow": found.workflow,
        "status": found.status,
        "startedAt": found.started_at,
        "changedAt": found.changed_at,
        "finishedAt": found.finished_at,
        "wakeAt": found.wake_at,
        "trigger": found.trigger,
        "forkOf": found.fork_of,
        "error": found.error,
    }
