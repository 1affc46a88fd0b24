"""What a step saw, or would see now, derived from a run's journal.

A finished step is shown as of the moment before it ran, so it sees nothing that came later. A
changed or new node sees what it would see if the run started again at it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toolweave.catalog.node import Outcome, RunFacts
from toolweave.engine.events import Event, Key, Started, StepFailed
from toolweave.engine.fork import history_before
from toolweave.engine.frames import StepFrame
from toolweave.engine.journal import JournalEntry
from toolweave.engine.plan import Plan
from toolweave.engine.state import RunState
from toolweave.engine.step_input import Binder, StepNames
from toolweave.engine.steps import PlannedStep
from toolweave.engine.variables import one_by_one
from toolweave.errors import ToolweaveError
from toolweave.json_text import Json
from toolweave.workflow.scope.references import BRANCHING
from toolweave.workflow.studio_data import PinnedOutput

_DECISIONS = frozenset({"FLOW.IF", "FLOW.SWITCH"})


@dataclass(frozen=True, slots=True)
class StepSnapshot:
    """A step, and the state of the run when the step was about to run."""

    binder: Binder
    place: StepFrame
    # Whether the run reached it; else it sees what the run left elsewhere.
    is_reached: bool = True

    def names(self, *, of_settings: bool = False, of_own: bool = False) -> StepNames:
        """The names its texts may use."""
        return self.binder.names(self.place, of_settings=of_settings, of_own=of_own)


class MomentFinder:
    """Searches the events of a run, part by part, for the moment before a step ran."""

    def __init__(self, facts: RunFacts, plan: Plan, key: Key) -> None:
        self._facts = facts
        self._key = key
        self._state = RunState(plan)

    def find(self, entries: Sequence[JournalEntry]) -> StepSnapshot | None:
        """Return the moment if it is in these events, which follow the ones before."""
        key, state = self._key, self._state
        for entry in entries:
            for ended, event in one_by_one(entry.event):
                if key in (ended, _failed(event)) and key in state.places:
                    return self.now()
                state.apply(event)
        return None

    def now(self) -> StepSnapshot | None:
        """Return the step as it is after these events; None if the run never reached it."""
        place = self._state.places.get(self._key)
        return None if place is None else StepSnapshot(Binder(self._state, self._facts), place)


@dataclass(frozen=True, slots=True)
class RunHistory:
    """A past or current run."""

    facts: RunFacts
    plan: Plan
    entries: Sequence[JournalEntry]

    def moment_of(self, key: Key) -> StepSnapshot | None:
        """Return a step when it ran, or as it is now; None if the run never reached it."""
        finder = MomentFinder(self.facts, self.plan, key)
        return finder.find(self.entries) or finder.now()

    def foreseen(
        self,
        node: str,
        plan: Plan | None,
        pins: Mapping[str, PinnedOutput] | None = None,
        inputs: Json = None,
    ) -> StepSnapshot | None:
        """Return a node of `plan`, the current workflow, as if the run started again at it.

        Pinned outputs, and `inputs` if there are any, take the place of what the run had.

        A node in a loop body, or of a workflow that cannot be planned, is shown as last run.
        """
        step = plan.by_id.get(node) if plan is not None else None
        if plan is None or step is None or step.loop is not None:
            return self._last_of(node)
        try:
            state = self._continued(node, plan)
        except ToolweaveError:
            return self._last_of(node)
        if inputs is not None:
            state.inputs = inputs
        for pinned, pin in (pins or {}).items():
            source = plan.by_id.get(pinned)
            if source is not None and source.loop is None and pinned != node:
                ports = pin.ports or source.prepared.passed_by
                state.top.outcomes[source.index] = Outcome(pin.value, ports)
        place = state.places.get(node)
        if place is None:
            _take_other_branch(state, step)
        binder = Binder(state, self.facts)
        return StepSnapshot(binder, place or StepFrame(state.top, step), place is not None)

    def _continued(self, node: str, plan: Plan) -> RunState:
        past = RunState(self.plan)
        for entry in self.entries:
            past.apply(entry.event)
        state = RunState(plan)
        edits = past.started.edits if past.started else None
        state.apply(Started(past.inputs, edits=edits))
        for event in history_before(past, [node], plan):
            state.apply(event)
        return state

    def _last_of(self, node: str) -> StepSnapshot | None:
        keys = [
            key
            for entry in self.entries
            for ended, event in one_by_one(entry.event)
            if (key := ended or _failed(event)) and key.rpartition("/")[2] == node
        ]
        return self.moment_of(keys[-1] if keys else node)


def _take_other_branch(state: RunState, step: PlannedStep) -> None:
    """Let a decision that went another way lead here: it passes on the same data either way."""
    outcomes = state.top.outcomes
    for link in step.incoming:
        outcome = outcomes.get(link.source)
        source = state.plan.steps[link.source].node
        is_decision = source.type in BRANCHING or source.ref in _DECISIONS
        if outcome is not None and is_decision and link.port not in outcome.ports:
            outcomes[link.source] = Outcome(outcome.value, (*outcome.ports, link.port))


def _failed(event: Event) -> Key | None:
    return event.key if isinstance(event, StepFailed) and event.retry_at is None else None
