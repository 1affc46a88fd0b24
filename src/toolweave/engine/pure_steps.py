"""Everything in a run that needs no waiting: pure steps and loop iterations, in batches.

Each batch becomes one row of the journal, however many steps it contains.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import anyio.to_thread

from toolweave.catalog.node import Looping, NodeInput, Outcome, Pure
from toolweave.engine.decide import computable
from toolweave.engine.events import Event, Key, LoopOpened, PureStepsDone, StepFailed
from toolweave.engine.frames import LoopState, StepFrame
from toolweave.engine.spans import computed_span, tell_span
from toolweave.engine.state import TURN, RunState
from toolweave.engine.step_input import Binder
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import Json

logger = logging.getLogger(__name__)

MAX_STEPS = 1_000
# From this many characters on, a step that may be heavy is computed in a thread.
LARGE = 100_000
GLANCE = 20
ITEM = 16

# Applies the end of a step; returns the place to continue with, if only one can follow.
Leave: TypeAlias = Callable[[StepFrame, Outcome], StepFrame | None]


@dataclass(eq=False)
class _Row:
    """A journal row under construction; a value that is passed on is stored once."""

    steps: list[list[Json]] = field(default_factory=list[list[Json]])
    values: list[Json] = field(default_factory=list[Json])
    _numbers: dict[int, int] = field(default_factory=dict[int, int])

    def add(self, key: Key, outcome: Outcome) -> None:
        """Add a step."""
        number = self._numbers.setdefault(id(outcome.value), len(self.values))
        if number == len(self.values):
            self.values.append(outcome.value)
        # No mark stands for the default port.
        ports: list[Json] = [] if outcome.ports == ("output",) else list(outcome.ports) or [None]
        self.steps.append([key, number, *ports])

    def turn(self, key: Key) -> None:
        """Add the start of an iteration."""
        self.steps.append([key, TURN])


class Computer:
    """Computes what is ready and applies it to the state."""

    def __init__(self, state: RunState, binder: Binder, *, is_traced: bool = False) -> None:
        self._state = state
        self._is_traced = is_traced
        self._binder = binder
        self._row = _Row()
        self._events: list[Event] = []
        self._heavy: list[tuple[StepFrame, NodeInput]] = []

    def events(self) -> list[Event]:
        """Return the events of one batch, already applied; none if there was nothing to compute.

        At most about `MAX_STEPS` steps: call it again until it returns none.
        """
        state = self._state
        while len(self._row.steps) < MAX_STEPS:
            places, loops = computable(state)
            if not (places or loops):
                break
            if len(places) == 1 and not loops and not self._is_traced:
                self._chain(places[0])
                continue
            for place in places:
                if state.stopped_by is None:
                    self._one(place)
            for loop in loops:
                self._loop(loop)
        return self._taken_events()

    def _taken_events(self) -> list[Event]:
        self._close_row()
        events, self._events = self._events, []
        return events

    def _chain(self, place: StepFrame) -> None:
        """Compute a step and those after it that follow nothing else."""
        following: StepFrame | None = place
        while following is not None and len(self._row.steps) < MAX_STEPS:
            following = self._step(following, self._state.hand_on)
        if following is not None:
            self._state.make_ready(following)  # for the next batch

    def _one(self, place: StepFrame) -> None:
        if self._is_traced:
            self._traced(place)
        else:
            self._step(place, self._state.leave)

    def _traced(self, place: StepFrame) -> None:
        with computed_span(self._binder.run, place):
            before = len(self._events)
            self._step(place, self._state.leave)
            for event in self._events[before:]:
                tell_span(event)

    def _step(self, place: StepFrame, leave: Leave) -> StepFrame | None:
        """Compute one step; return the place to continue with, if `leave` has one."""
        kind = place.step.kind
        try:
            if place.step.prepared.is_disabled:
                return self._apply(place, self._passed_over(place), leave)
            if kind.loop is not None:
                items = kind.loop.items(self._binder.of_loop(place))
                self._apart(LoopOpened(place.key, items))
            elif kind.pure is not None:
                given = self._binder.given(place)
                if kind.may_be_heavy and is_large(given):
                    self._put_aside(place, given)
                else:
                    return self._apply(place, kind.pure.compute(given), leave)
        except ToolweaveError as error:
            self._apart(failure_of(place.key, error))
        except Exception:
            self._apart(_unforeseen(place))
        return None

    @property
    def has_heavy(self) -> bool:
        """Whether heavy steps were set aside."""
        return bool(self._heavy)

    async def heavy_events(self) -> list[Event]:
        """Compute the next heavy step in a thread, so that the event loop stays free."""
        place, given = self._heavy.pop(0)
        code = place.step.kind.pure
        assert code is not None
        outcome = await anyio.to_thread.run_sync(_computed, place, code, given)
        if isinstance(outcome, StepFailed):
            self._apart(outcome)
        else:
            self._apply(place, outcome, self._state.leave)
        return self._taken_events()

    def _put_aside(self, place: StepFrame, given: NodeInput) -> None:
        self._heavy.append((place, given))
        self._state.put_aside(place)

    def _passed_over(self, place: StepFrame) -> Outcome:
        """Pass the input through a disabled node."""
        incoming, prepared = self._binder.incoming(place), place.step.prepared
        value: Json = {"data": incoming} if prepared.passes_on else incoming
        return Outcome(value, prepared.passed_by)

    def _loop(self, loop: LoopState) -> None:
        place, code = loop.place, loop.place.step.kind.loop
        assert code is not None
        key = place.key
        self._state.touched.discard(key)
        try:
            given = self._binder.of_loop(place)
            self._judge(loop, code, given)
            while (
                not loop.broken and loop.open_turns < code.width(given) and _has_next(loop, given)
            ):
                self._row.turn(key)
                self._state.begin_turn(loop)
                self._state.touched.discard(key)
            if loop.open_turns or len(loop.turns) < loop.begun:
                return
            if loop.broken is not None and loop.broken.error is not None:
                raise Invalid(str(loop.broken.error["code"]), str(loop.broken.error["message"]))
            turns = [loop.turns[index] for index in range(loop.begun)]
            self._apply(place, code.finish(given, turns), self._state.leave)
        except ToolweaveError as error:
            self._apart(failure_of(key, error))
        except Exception:
            self._apart(_unforeseen(place))
        self._binder.forget_loop(key)

    def _judge(self, loop: LoopState, code: Looping, given: NodeInput) -> None:
        """Whether a failed iteration ends the loop; each is judged once."""
        while loop.failed and loop.broken is None:
            turn = loop.failed.pop(0)
            loop.broken = turn if code.stops(given, turn) else None

    def _apply(self, place: StepFrame, outcome: Outcome, leave: Leave) -> StepFrame | None:
        self._row.add(place.key, outcome)
        return leave(place, outcome)

    def _apart(self, event: Event) -> None:
        """Add a separate event after what was computed before it."""
        self._close_row()
        self._state.apply(event)
        self._events.append(event)

    def _close_row(self) -> None:
        if self._row.steps:
            self._events.append(PureStepsDone(self._row.steps, self._row.values))
            self._row = _Row()


def _has_next(loop: LoopState, given: NodeInput) -> bool:
    if loop.items is not None:
        return loop.begun < len(loop.items)
    code = loop.place.step.kind.loop
    assert code is not None
    if len(loop.turns) < loop.begun:
        return False  # the condition sees the last iteration
    last = loop.last[0] if loop.last else given.value("data")
    return code.continues(given, loop.begun, last)


def is_large(given: NodeInput) -> bool:
    """Whether the input is so large that computing may take long."""
    return sum(map(_size, given.inputs.values())) > LARGE


def _size(value: Json) -> int:
    """Estimate the characters of a value; of a list, from its first items."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list) or not value:
        return 8
    few = value[:GLANCE]
    sizes = sum(len(one) if isinstance(one, str | list | dict) else 1 for one in few)
    return len(value) * (ITEM + 8 * sizes // len(few))


def _computed(place: StepFrame, code: Pure, given: NodeInput) -> Outcome | StepFailed:
    try:
        return code.compute(given)
    except ToolweaveError as error:
        return failure_of(place.key, error)
    except Exception:
        return _unforeseen(place)


def _unforeseen(place: StepFrame) -> StepFailed:
    """Return a bug in a node's code as the failure of its step only."""
    logger.exception("step failed", extra={"step": place.key})
    message = f"node {place.step.id!r} failed unexpectedly; see the log for details"
    return StepFailed(place.key, "INTERNAL", message)


def failure_of(key: Key, error: ToolweaveError, attempt: int = 1) -> StepFailed:
    """Return how an error is recorded."""
    problems = (
        [problem.as_json() for problem in error.problems] if isinstance(error, Invalid) else []
    )
    return StepFailed(
        key, error.code, error.message, attempt, hint=error.hint, problems=problems or None
    )
