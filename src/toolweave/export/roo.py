"""A skill of Roo Code."""

from toolweave.export.target import MarkdownTarget
from toolweave.export.target_terms import ROO

exporter = MarkdownTarget(
    name="roo",
    summary="A skill of Roo Code.",
    path=".roo/skills/{}/SKILL.md",
    terms=ROO,
)
