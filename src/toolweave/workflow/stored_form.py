"""What a workflow is stored as: its MCP nodes completed, and when it was created and changed."""

from dataclasses import replace
from datetime import datetime

from toolweave.clock import timestamp
from toolweave.workflow.mcp_completion import completed_nodes
from toolweave.workflow.mode_status import LiveTools
from toolweave.workflow.model import Workflow


def to_store(
    workflow: Workflow, now: datetime, tools: LiveTools, *, before: Workflow | None = None
) -> Workflow:
    """The workflow to store over `before`; `before` itself if nothing else has changed."""
    created = workflow.created_at or (before.created_at if before else None) or timestamp(now)
    stored = replace(completed_nodes(workflow, now, tools), created_at=created)
    if before is not None and replace(stored, updated_at=before.updated_at) == before:
        return before
    return replace(stored, updated_at=timestamp(now))
