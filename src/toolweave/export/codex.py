"""A skill of Codex CLI."""

from toolweave.export.target import MarkdownTarget
from toolweave.export.target_terms import CODEX

exporter = MarkdownTarget(
    name="codex",
    summary="A skill of Codex CLI.",
    path=".codex/skills/{}/SKILL.md",
    terms=CODEX,
)
