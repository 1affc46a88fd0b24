"""A skill of Gemini CLI."""

from toolweave.export.target import MarkdownTarget
from toolweave.export.target_terms import GEMINI

exporter = MarkdownTarget(
    name="gemini",
    summary="A skill of Gemini CLI.",
    path=".gemini/skills/{}/SKILL.md",
    terms=GEMINI,
)
