"""Nodes that ask a model while none is configured; `environment` checks agents."""

from collections.abc import Iterator

from toolweave.problems import Problem, pointer
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.model import Node
from toolweave.workflow.modes import mode_of

WAYS = (
    "run `toolweave models add NAME --provider anthropic|openai|gemini`, or"
    " `toolweave models add NAME --provider compatible --base-url URL --model M` for your"
    " own model, or set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or TOOLWEAVE_MODEL_URL"
)


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield nodes that need a model if none is configured."""
    home = case.known.home
    if home is None or home.models:
        return
    for index, node in enumerate(case.workflow.nodes):
        if what := _asks(node):
            yield Problem(
                "MODEL_NEEDED",
                pointer("nodes", index),
                f"node {node.title!r} {what} and needs a model; none is configured",
                hint=WAYS,
                severity="error" if case.known.is_run else "warning",
            )


def _asks(node: Node) -> str | None:
    """How a node asks a model; None if it does not."""
    if node.type == "mcp" and mode_of(node.data) not in {"detailed", None}:
        return "is in natural language"
    if node.type in {"prompt", "template"} and node.data.get("answeredBy") == "model":
        return "asks a model"
    return None
