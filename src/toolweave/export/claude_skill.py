"""A skill of Claude Code, with its sub-agents."""

from toolweave.export.target import MarkdownTarget
from toolweave.export.target_terms import CLAUDE

exporter = MarkdownTarget(
    name="claude-skill",
    summary="A skill of Claude Code, with its sub-agents.",
    path=".claude/skills/{}/SKILL.md",
    terms=CLAUDE,
)
