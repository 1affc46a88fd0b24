"""Everything in a run that needs no waiting: pure steps and loop iterations, in batches.

Each batch becomes one row of the journal, however many steps it contains. What takes long is set
aside and computed by `heavy_steps.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import anyio
import anyio.lowlevel
import anyio.to_thread

from toolweave.catalog.node import Looping, NodeInput, Outcome
from toolweave.cel.budget import WorkBudget, limited_to
from toolweave.engine.decide import computable
from toolweave.engine.events import Event, Finished, Key, LoopOpened, PureStepsDone, StepFailed
from toolweave.engine.frames import LoopState, StepFrame
from toolweave.engine.heavy_steps import (
    HeavyStep,
    bound_apart,
    computed_apart,
    has_next,
    unforeseen,
)
from toolweave.engine.heavy_work import LARGE, LESS_DATA, size_of
from toolweave.engine.journal_rows import Written, written
from toolweave.engine.result_size import MAX_ANSWER_BYTES, MIB, ResultSizes, result_too_large
from toolweave.engine.spans import computed_span, tell_span
from toolweave.engine.state import TURN, RunState
from toolweave.engine.step_failure import failure_of
from toolweave.engine.step_input import Binder
from toolweave.engine.step_pool import StepPool
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import Json, JsonObject

MAX_STEPS = 1_000
# The work of expressions on the event loop: about 20 ms. A step that needs more is heavy.
LIGHT_WORK = 200_000
# The JSON that is written at once.
MAX_BATCH = 64 * 1024 * 1024

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

    def has(self, value: Json) -> bool:
        """Whether a value is passed on, and written already."""
        return id(value) in self._numbers

    def turn(self, key: Key) -> None:
        """Add the start of an iteration."""
        self.steps.append([key, TURN])


class Computer:
    """Computes what is ready and applies it to the state."""

    def __init__(
        self,
        state: RunState,
        binder: Binder,
        *,
        pool: StepPool,
        sizes: ResultSizes,
        is_traced: bool = False,
    ) -> None:
        self._state = state
        self._is_traced = is_traced
        self._binder = binder
        self._row = _Row()
        self._events: list[Event] = []
        self._heavy: list[HeavyStep] = []
        self._pool = pool
        # By loop: whether it continues, as computed apart.
        self._verdicts: dict[Key, bool] = {}
        self._budget = WorkBudget(LIGHT_WORK)
        self._spent = 0
        self._sizes = sizes
        # Of the results in this batch, as they are written.
        self._size = 0

    def events(self) -> list[Event]:
        """Return the events of one batch, already applied; none if there was nothing to compute.

        At most about `MAX_STEPS` steps and `LIGHT_WORK`: call it again until it returns none.
        """
        self._spent = self._size = 0
        with limited_to(self._budget):
            self._compute_batch()
        return self._taken_events()

    def _compute_batch(self) -> None:
        state = self._state
        while self._has_room:
            places, loops = computable(state)
            if not (places or loops):
                break
            if len(places) == 1 and not loops and not self._is_traced:
                self._chain(places[0])
                continue
            for place in places:
                if state.stopped_by is None and self._has_room:
                    self._one(place)
            for loop in loops:
                self._loop(loop)

    @property
    def _has_room(self) -> bool:
        steps = len(self._row.steps)
        return steps < MAX_STEPS and self._spent < LIGHT_WORK and self._size < MAX_BATCH

    @property
    def is_large(self) -> bool:
        """Whether the events of the last batch take long to write."""
        return self._size > LARGE

    def _taken_events(self) -> list[Event]:
        self._close_row()
        events, self._events = self._events, []
        return events

    def _chain(self, place: StepFrame) -> None:
        """Compute a step and those after it that follow nothing else."""
        following: StepFrame | None = place
        hand_on = self._state.hand_on
        while following is not None and self._has_room:
            following = self._step(following, hand_on)
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
        if place.step.prepared.is_disabled:
            return self._apply(place, self._passed_over(place), leave)
        pins = self._state.pins
        if pins and (pin := pins.get(place.step.id)) is not None:
            ports = pin.ports or place.step.prepared.passed_by
            return self._apply(place, Outcome(pin.value, ports), leave)
        budget = self._budget
        if budget.left != LIGHT_WORK or budget.is_spent:
            budget.renew(LIGHT_WORK)
        found = _computed(place, self._binder)
        self._spent += LIGHT_WORK - budget.left
        if type(found) is Outcome and not budget.is_spent:
            return self._apply(place, found, leave)
        if found is None or budget.is_spent:
            # Computed from the beginning, with the whole budget of a step.
            self._binder.forget_loop(place.key)
            self._set_aside(HeavyStep(place))
            return None
        return self._take(place, found, leave)

    def _take(
        self, place: StepFrame, found: Outcome | LoopOpened | StepFailed, leave: Leave
    ) -> StepFrame | None:
        if isinstance(found, Outcome):
            return self._apply(place, found, leave)
        if isinstance(found, LoopOpened):
            is_known = self._row.has(found.items)
            if not (is_known or self._may_keep(found.items)):
                found = result_too_large(place)
        self._apart(found)
        return None

    @property
    def has_heavy(self) -> bool:
        """Whether heavy steps were set aside."""
        return bool(self._heavy)

    def _set_aside(self, heavy: HeavyStep) -> None:
        self._heavy.append(heavy)
        self._state.put_aside(heavy.place)

    async def heavy_events(self) -> list[Event]:
        """Compute the next heavy step in another process, so that the event loop stays free."""
        heavy, self._size = self._heavy.pop(0), 0
        place, key = heavy.place, heavy.place.key
        found = await computed_apart(heavy, self._binder, self._pool)
        if heavy.loop is None:
            assert not isinstance(found, bool | NodeInput)
            if not isinstance(found, StepFailed):
                value = found.value if isinstance(found, Outcome) else found.items
                await self._sizes.measure_ahead(value, self._pool.lane)
            self._take(place, found, self._state.leave)
        elif isinstance(found, StepFailed):
            self._apart(found)
            self._binder.forget_loop(key)
        else:
            if isinstance(found, bool):
                self._verdicts[key] = found
            self._state.take_up(heavy.loop)
        return self._taken_events()

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
        budget = self._budget
        budget.renew(LIGHT_WORK)
        try:
            given = self._binder.of_loop(place)
            self._judge(loop, code, given)
            while not loop.broken and loop.open_turns < code.width(given):
                if not self._has_next(loop, given):
                    break
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
            if budget.is_spent:
                return self._set_aside(HeavyStep(place, loop))
            self._apart(failure_of(key, error))
        except Exception:
            self._apart(unforeseen(place))
        finally:
            self._spent += LIGHT_WORK - budget.left
        self._binder.forget_loop(key)

    def _has_next(self, loop: LoopState, given: NodeInput) -> bool:
        key = loop.place.key
        if key in self._verdicts:
            return self._verdicts.pop(key)
        return has_next(loop, given)

    def _judge(self, loop: LoopState, code: Looping, given: NodeInput) -> None:
        """Whether a failed iteration ends the loop; each is judged once."""
        while loop.failed and loop.broken is None:
            turn = loop.failed.pop(0)
            loop.broken = turn if code.stops(given, turn) else None

    def _may_keep(self, value: Json) -> bool:
        """Add the size of a new result to that of the batch; whether it can be kept at all."""
        size = self._sizes.of(value)
        self._size += size or 0
        return size is not None

    def _apply(self, place: StepFrame, outcome: Outcome, leave: Leave) -> StepFrame | None:
        value = outcome.value
        if not (self._row.has(value) or self._may_keep(value)):
            self._apart(result_too_large(place))
            return None
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


async def rows_of(
    events: list[Event], lane: anyio.CapacityLimiter, *, is_large: bool
) -> list[Written]:
    """Return events as they will be stored; large ones are written in a thread."""
    if is_large:
        return await anyio.to_thread.run_sync(_written, events, limiter=lane)
    return _written(events)


def bounded_end(event: Finished, sizes: ResultSizes) -> tuple[Finished, bool]:
    """Return the end of a run and whether it is large; one with too large a result is a failure."""
    size = sizes.of_answer(event.result)
    if size is not None:
        return event, size > LARGE
    message = f"the run gives more than {MAX_ANSWER_BYTES // MIB} MB of JSON"
    error: JsonObject = {"code": "STEP_OUTPUT_LIMIT", "message": message, "hint": LESS_DATA}
    return Finished("failed", None, error), False


def _written(events: list[Event]) -> list[Written]:
    return [written(event) for event in events]


def _computed(place: StepFrame, binder: Binder) -> Outcome | LoopOpened | StepFailed | None:
    """What came of a step; None if it is too heavy for the event loop."""
    kind = place.step.kind
    try:
        if kind.loop is not None:
            return LoopOpened(place.key, kind.loop.items(binder.of_loop(place)))
        assert kind.pure is not None
        if not kind.may_be_heavy:
            return kind.pure.compute(binder.given(place))
        # Before its input is bound, which takes time as well.
        came = binder.incoming(place)
        if (size := size_of(came)) > LARGE:
            return None
        given = binder.given(place)
        # What came in is often the whole input, and is not measured again.
        others = [one for one in given.inputs.values() if one is not came]
        taken = size * (len(given.inputs) - len(others))
        return None if size_of(*others) + taken > LARGE else kind.pure.compute(given)
    except ToolweaveError as error:
        return failure_of(place.key, error)
    except Exception:
        return unforeseen(place)


async def bound_input(place: StepFrame, binder: Binder, pool: StepPool) -> NodeInput:
    """The input of a step with effects; computed apart if its expressions take long.

    Raises:
        Invalid: `NODE_INPUT_INVALID`.
    """
    if not (place.step.has_expressions or place.frame.loop):
        return binder.given(place)
    budget = WorkBudget(LIGHT_WORK)
    try:
        with limited_to(budget):
            given = binder.given(place)
    except ToolweaveError:
        if not budget.is_spent:
            raise
    else:
        if budget.left < LIGHT_WORK // 2:
            await anyio.lowlevel.checkpoint()  # many such steps may start at once
        if not budget.is_spent:
            return given
    return await bound_apart(place, binder, pool)
