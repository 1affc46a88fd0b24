"""A prompt file of GitHub Copilot."""

from toolweave.export.target import MarkdownTarget
from toolweave.export.target_terms import COPILOT_PROMPT

exporter = MarkdownTarget(
    name="copilot-prompt",
    summary="A prompt file of GitHub Copilot.",
    path=".github/prompts/{}.prompt.md",
    terms=COPILOT_PROMPT,
    is_skill=False,
    always=(("agent", "agent"),),
)
