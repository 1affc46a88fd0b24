"""MCP nodes in natural language without a configured model; `environment` checks agents."""

from collections.abc import Iterator

from toolweave.problems import Problem, pointer
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.modes import mode_of

WAYS = (
    "run `toolweave models add NAME --provider anthropic|openai|gemini`, or"
    " `toolweave models add NAME --provider compatible --base-url URL --model M` for your"
    " own model, or set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or TOOLWEAVE_MODEL_URL"
)


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield nodes that need a model if none is configured; prompts and templates need none."""
    home = case.known.home
    if home is None or home.models:
        return
    for index, node in enumerate(case.workflow.nodes):
        if node.type == "mcp" and mode_of(node.data) not in {"detailed", None}:
            yield Problem(
                "MODEL_NEEDED",
                pointer("nodes", index),
                f"node {node.title!r} is in natural language and needs a model; none is configured",
                hint=WAYS,
                severity="error" if case.known.is_run else "warning",
            )
