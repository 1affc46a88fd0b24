"""Positions in a run: levels of the graph, steps within them, active loops."""

from dataclasses import dataclass, field

from toolweave.catalog.node import ERROR_PORT, Iteration, Outcome
from toolweave.engine.events import Key
from toolweave.engine.steps import PlannedStep
from toolweave.json_text import Json, JsonObject


@dataclass(eq=False)
class Frame:
    """One level of the graph being run: the top, or one iteration of a loop."""

    prefix: str
    loop: "StepFrame | None" = None
    index: int = 0
    item: Json = None
    # By step number: undecided links, taken links, the outcome.
    undecided: dict[int, int] = field(default_factory=dict[int, int])
    taken: dict[int, int] = field(default_factory=dict[int, int])
    outcomes: dict[int, Outcome] = field(default_factory=dict[int, Outcome])
    keys: list[Key] = field(default_factory=list[Key])
    open_steps: int = 0
    error: JsonObject | None = None


class StepFrame:
    """A step within a frame: what is run, waited for and recorded."""

    # Not a frozen dataclass, which would triple the cost of every step.
    __slots__ = ("frame", "key", "step")

    def __init__(self, frame: Frame, step: PlannedStep) -> None:
        self.frame = frame
        self.step = step
        # Its key in the journal.
        self.key: Key = frame.prefix + step.node.id


@dataclass(eq=False)
class LoopState:
    """An active loop."""

    place: StepFrame
    items: list[Json] | None
    turns: dict[int, Iteration] = field(default_factory=dict[int, Iteration])
    # Failed iterations not judged yet, and the one that ends the loop.
    failed: list[Iteration] = field(default_factory=list[Iteration])
    broken: Iteration | None = None
    # The result of the last successful iteration, if any.
    last: tuple[Json, ...] = ()
    begun: int = 0
    open_turns: int = 0


def carried_by(step: PlannedStep, outcome: Outcome) -> Json:
    """The output of a step; for a pass-through node, its input."""
    value = outcome.value
    if step.prepared.passes_on and ERROR_PORT not in outcome.ports and isinstance(value, dict):
        return value.get("data")
    return value
