"""The events of a run. The journal holds nothing else; a run's state is their fold.

Stored as small JSON: `kind` is a column, the rest the body. A step's key is its place in the
graph: `fetch`, or `loop#3/fetch` for the fourth iteration of `loop`.
"""

from dataclasses import dataclass, fields
from typing import ClassVar, Literal, TypeAlias, get_args

from toolweave.catalog.spec import Effect
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject

Key: TypeAlias = str
RunStatus = Literal["running", "waiting", "uncertain", "success", "partial", "failed", "cancelled"]
STATUSES: frozenset[RunStatus] = frozenset(get_args(RunStatus))
FINAL: frozenset[RunStatus] = frozenset({"success", "partial", "failed", "cancelled"})
Choice = Literal["retry", "skip", "fail"]


@dataclass(frozen=True, slots=True)
class Started:
    """The run started; its workflow, inputs and trigger are pinned."""

    kind: ClassVar[str] = "started"
    inputs: Json
    trigger: str | None = None
    # The run this one was forked from, and the step it begins at.
    fork_of: str | None = None
    fork_at: str | None = None
    # Step inputs that were edited when the run was forked.
    edits: JsonObject | None = None
    # Outputs by node that take the place of executing it: `output`, and `ports` if unusual.
    pins: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class PureStepsDone:
    """Pure steps in the order they were computed: key, index of the value, ports if unusual.

    A value passed on by several steps is stored once.
    """

    kind: ClassVar[str] = "computed"
    steps: list[list[Json]]
    values: list[Json]


@dataclass(frozen=True, slots=True)
class StepStarted:
    """An effect is about to happen."""

    kind: ClassVar[str] = "step_started"
    key: Key
    attempt: int = 1
    given: Json = None


@dataclass(frozen=True, slots=True)
class StepProgress:
    """Progress of a running step; it does not change the state."""

    kind: ClassVar[str] = "step_progress"
    key: Key
    done: float
    total: float | None = None
    message: str | None = None
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class StepFinished:
    """An effect happened."""

    kind: ClassVar[str] = "step_finished"
    key: Key
    value: Json
    ports: list[str] | None = None  # the default port
    # What a tool said beside the value, as blocks.
    content: list[Json] | None = None


@dataclass(frozen=True, slots=True)
class StepFailed:
    """An attempt failed; with `retry_at` another one follows."""

    kind: ClassVar[str] = "step_failed"
    key: Key
    code: str
    message: str
    attempt: int = 1
    retry_at: str | None = None
    hint: str | None = None
    problems: list[Json] | None = None


@dataclass(frozen=True, slots=True)
class StepCancelled:
    """A running step was stopped, because its run was cancelled or ended elsewhere."""

    kind: ClassVar[str] = "step_cancelled"
    key: Key


@dataclass(frozen=True, slots=True)
class StepQueued:
    """The run was put down for the workers of a queue; this step is the first that needs them."""

    kind: ClassVar[str] = "step_queued"
    key: Key
    queue: str
    # Whether a worker served the queue then.
    is_served: bool = True


@dataclass(frozen=True, slots=True)
class Interrupted:
    """The process that computed the next step is gone; another one tries again."""

    kind: ClassVar[str] = "interrupted"


@dataclass(frozen=True, slots=True)
class StepWaiting:
    """The step waits for a time, an answer, or both."""

    kind: ClassVar[str] = "step_waiting"
    key: Key
    until: str | None = None
    question: JsonObject | None = None
    memory: Json = None
    # For a node that works in parts: what the next part does; `memory` is one more entry.
    effect: Effect | None = None
    adds: bool = False


@dataclass(frozen=True, slots=True)
class StepUncertain:
    """The process died while the step ran: whether the effect happened is unknown."""

    kind: ClassVar[str] = "step_uncertain"
    key: Key


@dataclass(frozen=True, slots=True)
class UncertainResolved:
    """A person decided about an uncertain step."""

    kind: ClassVar[str] = "resolved"
    key: Key
    choice: Choice
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """A person answered a waiting step."""

    kind: ClassVar[str] = "answered"
    key: Key
    reply: Json
    by: str | None = None
    # The channel and time of the answer, which may have waited for its run.
    via: str | None = None
    at: str | None = None


@dataclass(frozen=True, slots=True)
class CallEnded:
    """A run that a step called has ended."""

    kind: ClassVar[str] = "call_ended"
    key: Key
    run: str


@dataclass(frozen=True, slots=True)
class LoopOpened:
    """A loop knows its items; `items` is None where a condition decides."""

    kind: ClassVar[str] = "loop_opened"
    key: Key
    items: list[Json] | None = None


@dataclass(frozen=True, slots=True)
class SlotAwaited:
    """The run waits for a free slot of a limit (`workflow 'orders'`), holding no lease."""

    kind: ClassVar[str] = "slot_awaited"
    limit: str


@dataclass(frozen=True, slots=True)
class SlotFreed:
    """A slot that the run waits for may be free now."""

    kind: ClassVar[str] = "slot_freed"


@dataclass(frozen=True, slots=True)
class CancelAsked:
    """Cancellation was requested."""

    kind: ClassVar[str] = "cancel_asked"
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """The run ended."""

    kind: ClassVar[str] = "finished"
    status: RunStatus
    result: Json = None
    error: JsonObject | None = None
    # What the tool whose value the result is said beside it, as blocks.
    content: list[Json] | None = None


Event: TypeAlias = (
    Started
    | PureStepsDone
    | StepStarted
    | StepProgress
    | StepFinished
    | StepFailed
    | StepCancelled
    | StepWaiting
    | StepUncertain
    | UncertainResolved
    | Answered
    | CallEnded
    | LoopOpened
    | SlotAwaited
    | SlotFreed
    | CancelAsked
    | StepQueued
    | Interrupted
    | Finished
)
_KINDS: dict[str, type[Event]] = {event.kind: event for event in get_args(Event)}
_DEFAULTS: dict[type[Event], tuple[tuple[str, object], ...]] = {
    kind: tuple((one.name, one.default) for one in fields(kind)) for kind in _KINDS.values()
}


def to_body(event: Event) -> JsonObject:
    """Return an event as JSON, without default values."""
    return {
        name: value
        for name, default in _DEFAULTS[type(event)]
        if (value := getattr(event, name)) is not default and value != default
    }


def from_body(kind: str, body: JsonObject) -> Event:
    """The event of a journal row."""
    try:
        return _KINDS[kind](**body)  # type: ignore[arg-type] # rows are our own
    except (KeyError, TypeError) as error:
        raise Invalid(
            "JOURNAL_UNREADABLE",
            f"the journal has an event {kind!r} that this version does not know",
            hint="it was written by a later version; upgrade toolweave",
        ) from error
