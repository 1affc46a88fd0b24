"""A skill of GitHub Copilot."""

from toolweave.export.target import MarkdownTarget
from toolweave.export.terms import COPILOT

exporter = MarkdownTarget(
    name="copilot-skill",
    summary="A skill of GitHub Copilot.",
    path=".github/skills/{}/SKILL.md",
    terms=COPILOT,
)
