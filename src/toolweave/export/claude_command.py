"""A slash command of Claude Code, with its sub-agents."""

from toolweave.export.target import MarkdownTarget
from toolweave.export.target_terms import CLAUDE

exporter = MarkdownTarget(
    name="claude-command",
    summary="A slash command of Claude Code, with its sub-agents.",
    path=".claude/commands/{}.md",
    terms=CLAUDE,
    is_skill=False,
)
