"""How a replay gets the outcome of a node: by running its code, or from the recorded step.

A node runs where everything it uses of the outside world is recorded: tool calls, models, people.
The outcome of any other node (HTTP, files, databases, delays, called workflows) is taken whole.
"""

from collections.abc import Callable
from typing import Literal

from toolweave.catalog.node_input import NodeInput
from toolweave.catalog.node_kind import NodeKind
from toolweave.json_text import Json

ReplayMode = Literal["computed", "boundary", "outcome"]

_BOUNDARY = (
    "toolweave.nodes.ai.",
    "toolweave.nodes.human.form",
    "toolweave.nodes.human.manual_review",
    "toolweave.nodes.human.mcp_elicitation",
    "toolweave.nodes.mcp.",
    "toolweave.nodes.prompt.",
    "toolweave.nodes.tool.",
)
# Their real code can run too, under the replay's clock, where nothing is recorded for them.
_TIMED = frozenset({"FLOW.DELAY", "FLOW.WAIT", "FLOW.TIMEOUT"})


def replay_mode(kind: NodeKind, given: NodeInput) -> ReplayMode:
    """Return how the node is replayed."""
    if kind.effectful is None:
        return "computed"
    attached = [one.code for one in given.attached]
    is_bounded = all(_is_bounded(code) for code in (kind.code, *attached))
    return "boundary" if is_bounded and not _uses_more(kind.code, given) else "outcome"


def is_timed(kind: NodeKind) -> bool:
    """Whether the node only waits, so that its code can run under the replay's clock."""
    return kind.spec is not None and kind.spec.ref in _TIMED


def is_model_tool(kind: NodeKind) -> bool:
    """Whether the node is only ever a tool of an agent, which uses its code in other ways."""
    return f"{type(kind.code).__module__}.".startswith("toolweave.nodes.tool.")


def request_of(kind: NodeKind, given: NodeInput) -> Json:
    """Return what a node is asked to do; what came in matters only if it is not bound to inputs."""
    asked: dict[str, Json] = {"config": given.config, "inputs": given.inputs}
    if kind.spec is None:
        asked["incoming"] = given.incoming
    if given.attached:
        asked["attached"] = [
            {"id": one.id, "ref": one.ref, "config": one.config, "inputs": one.inputs}
            for one in given.attached
        ]
    return asked


def own_code(code: object) -> object:
    """Return the code of a node itself, if a replay stands before it."""
    return getattr(code, "replayed_code", code)


def _is_bounded(code: object) -> bool:
    return f"{type(own_code(code)).__module__}.".startswith(_BOUNDARY)


def _uses_more(code: object, given: NodeInput) -> bool:
    """Whether a node that asks a model also uses something that is not recorded by itself."""
    uses_more: Callable[[NodeInput], bool] | None = getattr(own_code(code), "uses_more", None)
    return uses_more is not None and uses_more(given)
