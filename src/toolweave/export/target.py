"""What the Markdown targets have in common; each says only where its file is and what it knows."""

from dataclasses import dataclass

from toolweave.export.agents import description_of
from toolweave.export.entry import entry_files, option_fields
from toolweave.export.exporter import ExportedFile
from toolweave.export.features import lacking
from toolweave.export.file_names import stem_of
from toolweave.export.target_terms import TargetTerms
from toolweave.json_text import Json
from toolweave.problems import Problem
from toolweave.workflow.model import Workflow


@dataclass(frozen=True, slots=True)
class MarkdownTarget:
    """A coding agent that reads Markdown with frontmatter."""

    name: str
    summary: str
    # Where the entry is written; `{}` is the workflow's name as a slug.
    path: str
    terms: TargetTerms
    # Skills say their name, commands are called by their file's.
    is_skill: bool = True
    # Frontmatter that every entry of this target has, after the description.
    always: tuple[tuple[str, str], ...] = ()

    def files(self, workflow: Workflow, graph: Workflow) -> tuple[ExportedFile, ...]:
        """The entry, and agent files where the target has them."""
        path = self.path.format(stem_of(workflow))
        return entry_files(workflow, self.terms, path, self.fields(workflow), graph)

    def fields(self, workflow: Workflow) -> dict[str, Json]:
        """The frontmatter of the entry."""
        fields: dict[str, Json] = {"name": stem_of(workflow)} if self.is_skill else {}
        fields |= {"description": description_of(workflow), **dict(self.always)}
        return fields | option_fields(workflow, self.terms)

    def lacks(self, workflow: Workflow) -> list[Problem]:
        """What the agent has no word for."""
        return lacking(workflow, self.terms)
