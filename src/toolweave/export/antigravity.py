"""A skill of Antigravity."""

from toolweave.export.target import MarkdownTarget
from toolweave.export.target_terms import ANTIGRAVITY

exporter = MarkdownTarget(
    name="antigravity",
    summary="A skill of Antigravity.",
    path=".agent/skills/{}/SKILL.md",
    terms=ANTIGRAVITY,
)
