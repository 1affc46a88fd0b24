"""The JSON of a stored workflow, for REST and `--json`."""

from collections.abc import Iterable

from toolweave.json_record import JsonRecord
from toolweave.json_text import Json
from toolweave.problems import Problem
from toolweave.workflow.store import Stored

MAX_TAGS = 20
MAX_TAG = 40


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
    tags: list[str]


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
        tags=_tags(stored.workflow.metadata.get("tags")),
    )


def _tags(value: Json) -> list[str]:
    """The tags of a workflow; anything else under that name is left out."""
    found = [tag for tag in value if isinstance(tag, str)] if isinstance(value, list) else []
    return list(dict.fromkeys(tag.strip()[:MAX_TAG] for tag in found if tag.strip()))[:MAX_TAGS]
