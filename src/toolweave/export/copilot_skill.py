"""A skill of GitHub Copilot."""

from toolweave.export.target import MarkdownTarget
from toolweave.export.target_terms import COPILOT

exporter = MarkdownTarget(
    name="copilot-skill",
    summary="A skill of GitHub Copilot.",
    path=".github/skills/{}/SKILL.md",
    terms=COPILOT,
)
