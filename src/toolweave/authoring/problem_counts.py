"""The problems of stored workflows, checked again only when something they depend on changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from toolweave.catalog.index import Catalog
from toolweave.workflow.checks.context import KnownEnvironment, KnownHome
from toolweave.workflow.report import examine_loaded
from toolweave.workflow.store import Revision, Stored
from toolweave.workflow.workflow_json import WorkflowSummary, summary_of


@dataclass(frozen=True, slots=True)
class _Basis:
    """What the problems of a workflow depend on."""

    revision: Revision
    catalog: Catalog
    home: KnownHome | None
    # A list of tools grows old.
    day: date


class ProblemCounts:
    """Summaries of stored workflows, by their file."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[_Basis, WorkflowSummary]] = {}

    def summaries(self, stored: Sequence[Stored], known: KnownEnvironment) -> list[WorkflowSummary]:
        """Summarize the workflows; those that are gone are forgotten."""
        self._known = {one.slug: self._summary(one, known) for one in stored}
        return [self._known[one.slug][1] for one in stored]

    def _summary(self, stored: Stored, known: KnownEnvironment) -> tuple[_Basis, WorkflowSummary]:
        basis = _Basis(stored.revision, known.catalog, known.home, known.now.date())
        if (found := self._known.get(stored.slug)) is not None and found[0] == basis:
            return found
        problems = examine_loaded(stored.loaded, known).problems
        return basis, summary_of(stored, problems)
