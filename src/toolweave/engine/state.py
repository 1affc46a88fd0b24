"""The state of a run: the fold of its events over its plan. No time, no I/O, no choice.

Whatever follows from the events (skipped branches, ready steps, how a loop continues) is derived
here and never stored, so replaying a journal gives the same state.
"""

from collections.abc import Iterator
from datetime import datetime

from toolweave.catalog.node import ERROR_PORT, OUTPUT_PORT, STOPPED, Iteration, Outcome, Resumed
from toolweave.catalog.spec import Effect
from toolweave.engine.events import (
    Answered,
    CallEnded,
    CancelAsked,
    Event,
    Finished,
    Interrupted,
    Key,
    LoopOpened,
    PureStepsDone,
    RunStatus,
    SlotAwaited,
    SlotFreed,
    Started,
    StepCancelled,
    StepFailed,
    StepFinished,
    StepProgress,
    StepQueued,
    StepStarted,
    StepUncertain,
    StepWaiting,
    UncertainResolved,
)
from toolweave.engine.frames import Frame, LoopState, StepFrame, with_earlier
from toolweave.engine.iteration_result import iteration_result
from toolweave.engine.plan import Plan
from toolweave.engine.repeats import note_end, refuse_turn, repeat
from toolweave.engine.steps import Link, PlannedStep
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.studio_data import PinnedOutput, read_pins

USUAL = (OUTPUT_PORT,)
# In a row of computed steps, in place of a value's index: a loop begins its next iteration.
TURN = -1
FLOW_STOPPED = "FLOW_STOPPED"


class RunState:
    """The fold: changed by `apply`, `leave` and `begin_turn`."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.inputs: Json = None
        self.started: Started | None = None
        # Outputs of nodes that are not executed.
        self.pins: dict[str, PinnedOutput] = {}
        self.finished: Finished | None = None
        self.is_cancelled = False
        # The step that ended the run.
        self.stopped_by: StepFrame | None = None
        self.top = Frame("")
        self.places: dict[Key, StepFrame] = {}
        self.ready: dict[Key, StepFrame] = {}
        # Those of them that need no waiting.
        self.computable: dict[Key, StepFrame] = {}
        # Steps that are computed separately; ready according to the journal.
        self.computing: dict[Key, StepFrame] = {}
        self.running: dict[Key, StepStarted] = {}
        self.waiting: dict[Key, StepWaiting] = {}
        # Steps that gather branches and have no deadline yet.
        self.untimed: dict[Key, StepFrame] = {}
        # In order of arrival: a step that asks several people takes one after the other.
        self.answers: dict[Key, list[Answered]] = {}
        # Resuming steps that had asked something, with the question.
        self.asking: dict[Key, JsonObject] = {}
        # The called run of a step has ended, maybe before the step waits for it.
        self.ended_calls: dict[Key, str] = {}
        # What ended the wait of a resuming step; kept until it ends or waits again.
        self.resumed: dict[Key, Resumed] = {}
        self.retrying: dict[Key, StepFailed] = {}
        self.attempts: dict[Key, int] = {}
        self.uncertain: set[Key] = set()
        self.failures: dict[Key, StepFailed] = {}
        self.loops: dict[Key, LoopState] = {}
        # Loops that may begin an iteration, or end.
        self.touched: set[Key] = set()

    def apply(self, event: Event) -> None:
        """Apply one event."""
        match event:
            case Started(inputs):
                self.started, self.inputs = event, inputs
                self.pins = read_pins(event.pins)
                self._open(self.top, None)
            case PureStepsDone(steps, values):
                for key, number, *ports in steps:
                    self._computed(str(key), int(str(number)), values, ports)
            case StepFinished(key, value, ports):
                left_by = ("output",) if ports is None else tuple(ports)
                self.leave(self.place(key), Outcome(value, left_by, event.content))
            case StepCancelled(key):
                self._forget(key)
            case StepProgress() | StepQueued() | Interrupted() | SlotAwaited() | SlotFreed():
                pass  # only for observers
            case CallEnded(key, run):
                self.ended_calls[key] = run
            case CancelAsked():
                self.is_cancelled = True
            case Finished():
                self.finished = event
            case _:
                self._apply_to_step(event)

    def _apply_to_step(self, event: Event) -> None:
        match event:
            case StepStarted(key, attempt):
                self._resume(key)
                self._forget(key)
                self.running[key], self.attempts[key] = event, attempt
            case StepFailed(key):
                self._forget(key)
                if event.retry_at is None:
                    self._failed(self.place(key), event)
                else:
                    self.retrying[key] = event
            case StepWaiting(key):
                self._forget(key)
                before = self.resumed.pop(key, None)
                self.waiting[key] = with_earlier(event, before) if event.adds else event
            case Answered(key):
                if self.accepts_answer(key):  # else it came too late
                    self.answers.setdefault(key, []).append(event)
            case StepUncertain(key):
                self._forget(key)
                self.uncertain.add(key)
            case UncertainResolved(key):
                self._resolved(event)
            case LoopOpened(key, items):
                place = self.place(key)
                self._forget(key)
                self.loops[key] = LoopState(place, items)
                self.touched.add(key)
            case _:
                raise AssertionError(event)

    def place(self, key: Key) -> StepFrame:
        """Return the place of a key that was ready once."""
        found = self.places.get(key)
        if found is None:
            message = f"the journal has a step {key!r} that the run had not reached"
            raise Invalid("JOURNAL_UNREADABLE", message)
        return found

    def resumption(self, key: Key) -> Resumed:
        """Return what a waiting step receives when it resumes."""
        waiting, answers = self.waiting[key], self.answers.get(key)
        if answers:
            reply, by, via = answers[0].reply, answers[0].by, answers[0].via
            at = datetime.fromisoformat(answers[0].at) if answers[0].at else None
            return Resumed("answer", reply, waiting.memory, waiting.effect, by, via, at)
        called = self.ended_calls.get(key)
        if called is not None:
            return Resumed("answer", {"run": called}, waiting.memory, waiting.effect)
        return Resumed("timer", None, waiting.memory, waiting.effect)

    def effect_of(self, place: StepFrame) -> Effect:
        """Return the effect of a step: of the part that is about to run, or runs."""
        resumed = self.resumed.get(place.key)
        return (resumed.effect if resumed else None) or place.step.effect

    @property
    def is_ending(self) -> bool:
        """Whether nothing new may begin, and running steps are to be stopped."""
        return self.is_cancelled or self.stopped_by is not None

    def accepts_answer(self, key: Key) -> bool:
        """Whether an answer can still reach a step: it waits, or processes an earlier one."""
        return key in self.waiting or (key in self.resumed and key in self.asking)

    @property
    def status(self) -> RunStatus:
        """The current status of the run."""
        if self.finished:
            return self.finished.status
        if self.running or self.ready or self.touched or self.computing:
            return "running"
        if self.uncertain:
            return "uncertain"
        return "waiting" if self.waiting or self.retrying else "running"

    def outcomes(self) -> Iterator[tuple[Key, Outcome]]:
        """Every outcome so far, of the top and of all iterations."""
        for key, place in self.places.items():
            outcome = place.frame.outcomes.get(place.step.index)
            if outcome is not None:
                yield key, outcome

    def _open(self, frame: Frame, loop: int | None) -> None:
        opening = self.plan.openings[loop]
        frame.open_steps = len(opening.undecided)
        frame.undecided, frame.taken = opening.undecided.copy(), opening.taken.copy()
        for step in opening.first:
            self._enter(frame, step)

    def _enter(self, frame: Frame, step: PlannedStep) -> None:
        """All links of a step are decided: it is ready, or skipped."""
        place = StepFrame(frame, step)
        is_root = not step.incoming
        if is_root or frame.taken[step.index]:
            key = place.key
            if step.gathers_s and key in self.places:
                self._forget(key)  # this was the last branch it waited for
            else:
                frame.keys.append(key)
            self.places[key] = place
            self.make_ready(place)
        else:
            self._decided(place, ())

    def _computed(self, key: Key, number: int, values: list[Json], ports: list[Json]) -> None:
        if number == TURN:
            self.begin_turn(self.loops[key])
        elif ports:
            left_by = tuple(str(port) for port in ports if port is not None)
            self.leave(self.place(key), Outcome(values[number], left_by))
        else:
            self.leave(self.place(key), Outcome(values[number]))

    def begin_turn(self, loop: LoopState) -> None:
        """Begin the next iteration of a loop."""
        place, index = loop.place, loop.begun
        self.touched.discard(place.key)
        item = loop.items[index] if loop.items is not None else None
        loop.begun += 1
        if self.plan.bodies[place.step.index]:
            loop.open_turns += 1
            self._open(Frame(f"{place.key}#{index}/", place, index, item), place.step.index)
        else:
            loop.turns[index] = Iteration(index if loop.items is None else item)
            self.touched.add(place.key)

    def leave(self, place: StepFrame, outcome: Outcome) -> None:
        """End a step: every event about its end leads here."""
        key = place.key
        self._forget(key)
        if self.resumed or self.answers or self.asking:
            self._settle(key)
        self.ended_calls.pop(key, None)
        if place.step.is_loop:
            self._close_loop(key)
            self._forgive(key)
        if place.frame.repeats is not None and not note_end(place):
            return  # an answer led back meanwhile, and the step runs again
        place.frame.outcomes[place.step.index] = outcome
        if place.step.may_stop and STOPPED in outcome.ports:
            self.stopped_by = self.stopped_by or place
        self._decided(place, outcome.ports)
        for link in place.step.back:
            if link.port in outcome.ports:
                self._lead_back(place, link)

    def hand_on(self, place: StepFrame, outcome: Outcome) -> StepFrame | None:
        """As `leave`; if only one step can follow, and it computes, return its place instead.

        The caller continues with that place; it was not made ready first.
        """
        step, frame = place.step, place.frame
        target = self.plan.followers[step.index]
        is_held = self.resumed or self.answers or frame.repeats is not None
        if target is None or outcome.ports != USUAL or is_held:
            self.leave(place, outcome)
            return None
        self._forget(place.key)
        frame.outcomes[step.index] = outcome
        frame.open_steps -= 1
        frame.undecided[target.index], frame.taken[target.index] = 0, 1
        following = StepFrame(frame, target)
        frame.keys.append(following.key)
        self.places[following.key] = following
        return following

    def _failed(self, place: StepFrame, event: StepFailed) -> None:
        error: JsonObject = {"code": event.code, "message": event.message, "node": place.step.id}
        self._close_loop(place.key)
        self._settle(place.key)
        if place.step.handles_errors:
            self.leave(place, Outcome({"error": error}, (ERROR_PORT,)))
            return
        if place.step.may_stop and event.code == FLOW_STOPPED:
            self.stopped_by = self.stopped_by or place
        self.failures[place.key] = event
        if place.frame.error is None:
            place.frame.error = error
        self._decided(place, ())

    def _resume(self, key: Key) -> None:
        if key in self.waiting:
            self.resumed[key] = self.resumption(key)
            if (question := self.waiting[key].question) is not None:
                self.asking[key] = question
            if answers := self.answers.pop(key, [])[1:]:
                self.answers[key] = answers
            self.ended_calls.pop(key, None)

    def _resolved(self, event: UncertainResolved) -> None:
        if event.key not in self.uncertain:
            return  # another answer was first
        self.uncertain.discard(event.key)
        place = self.place(event.key)
        if event.choice == "retry":
            self.make_ready(place)
        elif event.choice == "skip":
            self.leave(place, Outcome(None))
        else:
            message = "whether it happened is unknown; it was marked as failed"
            self._failed(place, StepFailed(event.key, "STEP_UNCERTAIN", message))

    def _decided(self, place: StepFrame, ports: tuple[str, ...]) -> None:
        """Follow the links of ended steps as far as that decides others."""
        waiting = [(place, ports)]
        while waiting:
            at, left_by = waiting.pop()
            frame = at.frame
            frame.open_steps -= 1
            for link in at.step.outgoing:
                if link.target not in frame.undecided:
                    continue  # back to the loop, or out of its body
                target = self.plan.steps[link.target]
                frame.undecided[link.target] -= 1
                frame.taken[link.target] += link.port in left_by
                if frame.undecided[link.target]:
                    if target.gathers_s and frame.taken[link.target]:
                        self._gather(StepFrame(frame, target))
                elif link.target in frame.outcomes and not frame.runs_again(link.target):
                    pass  # it continued without this branch
                elif frame.taken[link.target]:
                    self._enter(frame, target)
                else:
                    waiting.append((StepFrame(frame, target), ()))
            for loop in at.step.gated:
                self._open_gate(frame, loop, waiting)
            if frame.open_steps == 0 and frame.loop is not None:
                self._turned(frame)

    def _lead_back(self, place: StepFrame, link: Link) -> None:
        """Run an earlier step of a drawn workflow again, and what follows it."""
        if (refused := refuse_turn(self.plan, place, link)) is not None:
            self.failures[place.key] = refused
            return
        active = {*self.ready, *self.running, *self.waiting, *self.retrying, *self.uncertain}
        repeat(self.plan, place.frame, link, active)
        self._enter(place.frame, self.plan.steps[link.target])

    def _open_gate(
        self, frame: Frame, loop: int, waiting: list[tuple[StepFrame, tuple[str, ...]]]
    ) -> None:
        """Something that the body of a loop needs from outside is decided."""
        frame.undecided[loop] -= 1
        step = self.plan.steps[loop]
        if frame.undecided[loop]:
            return
        if frame.taken[loop] or not step.incoming:
            self._enter(frame, step)
        else:
            waiting.append((StepFrame(frame, step), ()))

    def _gather(self, place: StepFrame) -> None:
        """The first branches reached a step that waits for the others only for a limited time."""
        key = place.key
        if key not in self.places:
            place.frame.keys.append(key)
            self.places[key] = self.untimed[key] = place

    def hurry(self, place: StepFrame) -> None:
        """The time of a gathering step is up: it continues with what arrived."""
        self._forget(place.key)
        self.make_ready(place)

    def put_aside(self, place: StepFrame) -> None:
        """Compute a step separately."""
        self._forget(place.key)
        self.computing[place.key] = place

    def take_up(self, loop: LoopState) -> None:
        """Continue a loop that was put aside."""
        key = loop.place.key
        self._forget(key)
        self.touched.add(key)

    def make_ready(self, place: StepFrame) -> None:
        """Make a step ready."""
        self.ready[place.key] = place
        if place.step.is_computed or place.step.id in self.pins:
            self.computable[place.key] = place

    def _turned(self, frame: Frame) -> None:
        """End an iteration of a loop."""
        assert frame.loop is not None
        loop = self.loops.get(frame.loop.key)
        for key in frame.keys:
            del self.places[key]  # an ended iteration is only in the journal
            self.attempts.pop(key, None)
            self.answers.pop(key, None)
        if loop is not None:
            loop.open_turns -= 1
            turn = loop.turns[frame.index] = Iteration(
                iteration_result(self.plan, frame), frame.error
            )
            if turn.error:
                loop.failed.append(turn)
            else:
                loop.last = (turn.value,)
            self.touched.add(frame.loop.key)

    def _forgive(self, loop: Key) -> None:
        """Failures in a loop body that continues after them stay inside the loop."""
        for key in [key for key in self.failures if key.startswith(f"{loop}#")]:
            del self.failures[key]

    def _close_loop(self, key: Key) -> None:
        self.loops.pop(key, None)
        self.touched.discard(key)

    def _settle(self, key: Key) -> None:
        """A step ended: any other answer came too late."""
        self.resumed.pop(key, None)
        self.answers.pop(key, None)
        self.asking.pop(key, None)

    def _forget(self, key: Key) -> None:
        """Remove a step from its current set; it is in one at a time."""
        if self.ready.pop(key, None) is not None:
            self.computable.pop(key, None)
            return
        # Most of these are empty most of the time, and every step comes by here.
        if self.computing:
            self.computing.pop(key, None)
        if self.running:
            self.running.pop(key, None)
        if self.waiting:
            self.waiting.pop(key, None)
        if self.retrying:
            self.retrying.pop(key, None)
        if self.untimed:
            self.untimed.pop(key, None)
        if self.uncertain:
            self.uncertain.discard(key)
