"""The JSON of a stored workflow, for REST and `--json`."""

from toolweave.json_record import JsonRecord
from toolweave.workflow.store import Stored


class WorkflowRecord(JsonRecord):
    """A stored workflow and its revision."""

    name: str
    slug: str
    revision: str


class WorkflowSummary(WorkflowRecord):
    """A stored workflow, without its content."""

    description: str | None
    updated_at: str | None
    nodes: int
    errors: int
    warnings: int


def summary_of(stored: Stored) -> WorkflowSummary:
    """Summarize a stored workflow."""
    severities = [problem.severity for problem in stored.loaded.problems]
    return WorkflowSummary(
        name=stored.name,
        slug=stored.slug,
        revision=stored.revision,
        description=stored.workflow.description,
        updated_at=stored.workflow.updated_at,
        nodes=len(stored.workflow.nodes),
        errors=severities.count("error"),
        warnings=severities.count("warning"),
    )
