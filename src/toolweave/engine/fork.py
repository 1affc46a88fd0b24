"""What a run that starts in the middle of another takes over from it."""

from collections.abc import Iterator

from toolweave.engine.events import Event, Key, PureStepsDone, Started
from toolweave.engine.frames import StepFrame
from toolweave.engine.plan import Plan
from toolweave.engine.state import RunState
from toolweave.engine.steps import PlannedStep
from toolweave.errors import Conflict, NotFound
from toolweave.problems import did_you_mean


def history_before(state: RunState, node: str, plan: Plan) -> tuple[Event, ...]:
    """Return how every step ended except `node` and those after it in `plan`, the new workflow.

    Nodes missing from `plan` are left out; new nodes run, and so do those after them.

    Raises `NODE_ID_UNKNOWN`; `STEP_NOT_REACHED` for a node in the body of a loop.
    """
    behind = _behind(plan, _step(plan, node).index)
    kept = {step.id for step in plan.steps if step.index not in behind}
    known = {
        key: event
        for key, place in state.places.items()
        if place.frame is state.top and place.step.id in kept
        for event in _known(state, key, place)
    }
    return tuple(_in_order(plan, known))


def _in_order(plan: Plan, known: dict[Key, Event]) -> Iterator[Event]:
    """Return the ends of steps in the order of `plan`; the new run knows no other steps."""
    state = RunState(plan)
    state.apply(Started(None))
    waiting = dict(known)
    while reached := [key for key in waiting if key in state.places]:
        for key in reached:
            event = waiting.pop(key)
            state.apply(event)
            yield event


def _step(plan: Plan, node: str) -> PlannedStep:
    step = plan.by_id.get(node)
    if step is None:
        hint = did_you_mean(node, plan.by_id)
        raise NotFound("NODE_ID_UNKNOWN", f"the workflow has no node {node!r}", hint=hint)
    if step.loop is not None:
        raise Conflict(
            "STEP_NOT_REACHED",
            f"node {node!r} is in the body of a loop, where a run cannot start",
            hint=f"start at the loop: {plan.steps[step.loop].id!r}",
        )
    return step


def _known(state: RunState, key: Key, place: StepFrame) -> Iterator[Event]:
    """Return how a step of an earlier run ended, if it did."""
    outcome = place.frame.outcomes.get(place.step.index)
    if outcome is not None:
        yield PureStepsDone([[key, 0, *outcome.ports]], [outcome.value])
    elif key in state.failures:
        yield state.failures[key]


def _behind(plan: Plan, start: int) -> set[int]:
    behind: set[int] = set()
    waiting = [start]
    while waiting:
        index = waiting.pop()
        if index not in behind:
            behind.add(index)
            waiting.extend(link.target for link in plan.steps[index].outgoing)
            waiting.extend(plan.steps[index].gated)
    return behind
