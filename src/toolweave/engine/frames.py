"""Positions in a run: levels of the graph, steps within them, active loops."""

from dataclasses import dataclass, field, replace

from toolweave.catalog.node import ERROR_PORT, Iteration, Outcome, Resumed
from toolweave.engine.events import Key, StepWaiting
from toolweave.engine.steps import Link, PlannedStep
from toolweave.json_text import Json, JsonObject


@dataclass(eq=False)
class Repeats:
    """The steps of a drawn workflow that run again, because an answer led back to one of them."""

    # By step number: how often a link led back to it, and by which link it was entered.
    turns: dict[int, int] = field(default_factory=dict[int, int])
    entered: dict[int, Link] = field(default_factory=dict[int, Link])
    # By step number: the prefix of its key now, and the one it had when it ended last.
    prefixes: dict[int, str] = field(default_factory=dict[int, str])
    ended: dict[int, str] = field(default_factory=dict[int, str])

    def is_stale(self, step: int) -> bool:
        """Whether the outcome of a step is one of an earlier turn."""
        return self.prefixes.get(step, "") != self.ended.get(step, "")


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
    repeats: "Repeats | None" = None

    def runs_again(self, step: int) -> bool:
        """Whether the outcome of a step is one of an earlier turn."""
        return self.repeats is not None and self.repeats.is_stale(step)


class StepFrame:
    """A step within a frame: what is run, waited for and recorded."""

    # Not a frozen dataclass, which would triple the cost of every step.
    __slots__ = ("frame", "key", "step")

    def __init__(self, frame: Frame, step: PlannedStep) -> None:
        self.frame = frame
        self.step = step
        repeats = frame.repeats
        prefix = repeats.prefixes.get(step.index, "") if repeats else frame.prefix
        # Its key in the journal.
        self.key: Key = prefix + step.node.id


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


def with_earlier(event: StepWaiting, before: Resumed | None) -> StepWaiting:
    """Add a part's entry after those of the earlier parts."""
    earlier = before.memory if before is not None and isinstance(before.memory, list) else []
    return replace(event, memory=[*earlier, event.memory])
