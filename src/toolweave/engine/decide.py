"""What a run does next: a pure function of its state and the time."""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from toolweave.catalog.node import Resumed
from toolweave.engine.events import Finished, Key, StepFailed
from toolweave.engine.frames import LoopState, StepFrame, carried_by
from toolweave.engine.queues import Placement
from toolweave.engine.state import RunState
from toolweave.engine.step_failure import error_json
from toolweave.json_text import Json, JsonObject


@dataclass(frozen=True, slots=True)
class NextWork:
    """A step to run now: its first attempt, a retry, or resumed after a wait."""

    place: StepFrame
    attempt: int = 1
    resumed: Resumed | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """Everything that can be done now; if nothing, when the run wakes up or how it ends."""

    compute: tuple[StepFrame, ...] = ()
    loops: tuple[LoopState, ...] = ()
    work: tuple[NextWork, ...] = ()
    wake_at: datetime | None = None
    finish: Finished | None = None
    # The first step that can begin, if all of them are of queues that this process does not serve.
    elsewhere: StepFrame | None = None


def decide(
    state: RunState,
    now: datetime,
    room: int = sys.maxsize,
    placement: Placement | None = None,
) -> Decision:
    """Return what to do next: at most `room` new steps, of queues that this process serves.

    Without a placement it serves all. A run moves to another queue when nothing is left to begin
    here and nothing runs.
    """
    if state.finished:
        return Decision()
    if state.is_ending:
        return Decision() if state.running else Decision(finish=_ended(state))
    compute, loops = computable(state)
    if compute or loops:
        return Decision(compute, loops)
    work = [
        NextWork(place, state.attempts.get(key, 0) + 1, state.resumed.get(key))
        for key, place in islice(_served(state, placement), room)
    ]
    if not (state.waiting or state.retrying):
        if work or state.running:
            return Decision(work=tuple(work))
        return _rest(state)
    due = _due(state, now)
    hurried = tuple(one.place for one in due if one.place.step.is_pure)
    if hurried:
        return Decision(compute=hurried)
    if placement is not None:
        others = [*state.ready.values(), *(one.place for one in due)]
        due = [one for one in due if placement.serves(one.place.step)]
        if others and not (work or due or state.running):
            return Decision(elsewhere=others[0])
    work.extend(due)
    if work or state.running:
        return Decision(work=tuple(work), wake_at=_next(state, now))
    return Decision(wake_at=_next(state, now))


def _rest(state: RunState) -> Decision:
    """Return what is left where nothing runs, waits or begins here."""
    if state.ready:
        return Decision(elsewhere=next(iter(state.ready.values())))
    return Decision() if state.uncertain else Decision(finish=_finished(state))


def _served(state: RunState, placement: Placement | None) -> Iterable[tuple[Key, StepFrame]]:
    """Return the ready steps that this process may begin."""
    if placement is None:
        return state.ready.items()
    return (item for item in state.ready.items() if placement.serves(item[1].step))


def computable(state: RunState) -> tuple[tuple[StepFrame, ...], tuple[LoopState, ...]]:
    """Return what needs no waiting: steps to compute, and loops that may begin an iteration."""
    if state.finished or state.is_ending:
        return (), ()
    places = tuple(state.computable.values())
    if not state.touched:
        return places, ()
    return places, tuple(state.loops[key] for key in state.touched if key in state.loops)


def result_of(state: RunState) -> Json:
    """The result of a run: the values of its ends, else of its last steps; a single one as is."""
    outcomes = state.top.outcomes
    steps = [step for step in state.plan.steps if step.index in outcomes]
    ends = [step for step in steps if step.is_end]
    last = ends or [one for one in steps if one.way_out.isdisjoint(outcomes[one.index].ports)]
    values = {step.id: outcomes[step.index].value for step in last}
    return next(iter(values.values())) if len(values) == 1 else values


def _due(state: RunState, now: datetime) -> list[NextWork]:
    """Return steps whose wake-up time or answer has come."""
    due: list[NextWork] = []
    for key, failed in state.retrying.items():
        if failed.retry_at is None or datetime.fromisoformat(failed.retry_at) <= now:
            due.append(NextWork(state.place(key), failed.attempt + 1, state.resumed.get(key)))
    for key, waiting in state.waiting.items():
        is_time = waiting.until is not None and datetime.fromisoformat(waiting.until) <= now
        if is_time or state.answers.get(key) or key in state.ended_calls:
            # Each part of a node has its own attempts.
            attempt = 1 if waiting.effect is not None else state.attempts.get(key, 1)
            due.append(NextWork(state.place(key), attempt, state.resumption(key)))
    return due


def _next(state: RunState, now: datetime) -> datetime | None:
    moments = [failed.retry_at for failed in state.retrying.values()]
    moments += [waiting.until for waiting in state.waiting.values()]
    later = [moment for text in moments if text and (moment := datetime.fromisoformat(text)) > now]
    return min(later, default=None)


def _ended(state: RunState) -> Finished:
    """Return the end of a run that stops before its end nodes."""
    place = state.stopped_by
    if place is None:
        return Finished("cancelled", _intermediate(state))
    failed = state.failures.get(place.key)
    if failed is None:
        outcome = place.frame.outcomes[place.step.index]
        return Finished("success", carried_by(place.step, outcome))
    return _unsuccessful(state, place.key, failed)


def _finished(state: RunState) -> Finished:
    if not state.failures:
        result = result_of(state)
        return Finished("success", result, content=_said_beside(state, result))
    return _unsuccessful(state, *next(iter(state.failures.items())))


def _said_beside(state: RunState, result: Json) -> list[Json] | None:
    """What the tool whose value is the result said beside it."""
    for outcome in reversed(list(state.top.outcomes.values())):
        if outcome.content is not None and outcome.value == result:
            return outcome.content
    return None


def _unsuccessful(state: RunState, key: Key, failed: StepFailed) -> Finished:
    error: JsonObject = {**error_json(failed), "failedAt": key}
    done = _intermediate(state)
    is_partial = any(not _is_start(state, key) for key in done)
    return Finished("partial" if is_partial else "failed", done, error)


def _intermediate(state: RunState) -> JsonObject:
    return {key: outcome.value for key, outcome in state.outcomes()}


def _is_start(state: RunState, key: Key) -> bool:
    step = state.plan.by_id.get(key)
    return step is not None and step.node.type in {"start", "TRIGGER", "multi_input", "input"}
