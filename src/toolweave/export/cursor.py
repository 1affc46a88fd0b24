"""A skill of Cursor, with its sub-agents."""

from toolweave.export.target import MarkdownTarget
from toolweave.export.target_terms import CURSOR

exporter = MarkdownTarget(
    name="cursor",
    summary="A skill of Cursor, with its sub-agents.",
    path=".cursor/skills/{}/SKILL.md",
    terms=CURSOR,
)
