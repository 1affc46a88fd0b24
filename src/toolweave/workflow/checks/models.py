"""MCP nodes in plain words where no model is configured; `at_home` speaks of agents."""

from collections.abc import Iterator

from toolweave.problems import Problem, pointer
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.modes import mode_of

WAYS = (
    "run `toolweave models add NAME --provider anthropic|openai|gemini`, or"
    " `toolweave models add NAME --provider compatible --base-url URL --model M` for a model of"
    " your own, or set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or TOOLWEAVE_MODEL_URL"
)


def check(case: CheckContext) -> Iterator[Problem]:
    """Every node that needs a model nobody configured; to run it that is an error.

    A prompt or template needs none: it gives its filled text then.
    """
    home = case.known.home
    if home is None or home.models:
        return
    for index, node in enumerate(case.workflow.nodes):
        if node.type == "mcp" and mode_of(node.data) not in {"detailed", None}:
            yield Problem(
                "MODEL_NEEDED",
                pointer("nodes", index),
                f"node {node.title!r} is in plain words and needs a model; none is configured",
                hint=WAYS,
                severity="error" if case.known.is_run else "warning",
            )
