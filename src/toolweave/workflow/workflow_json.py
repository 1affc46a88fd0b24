"""The JSON of a stored workflow, for REST and `--json`."""

from collections.abc import Iterable

from toolweave.json_record import JsonRecord
from toolweave.problems import Problem
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


def summary_of(stored: Stored, problems: Iterable[Problem]) -> WorkflowSummary:
    """Summarize a stored workflow with these problems."""
    severities = [problem.severity for problem in problems]
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
