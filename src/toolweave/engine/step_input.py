"""The input of a step: the names its expressions see, its filled templates, its bound inputs."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from toolweave.catalog.node import Attached, NodeInput, Outcome, RunFacts
from toolweave.cel.language import evaluate
from toolweave.cel.templates import substitute
from toolweave.clock import timestamp
from toolweave.engine.events import Key
from toolweave.engine.frames import Frame, StepFrame, carried_by
from toolweave.engine.state import RunState
from toolweave.engine.step_binding import BoundNames, bind, check, fill, member, with_required
from toolweave.engine.steps import MERGE, Link, PlannedStep
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.model import INPUT_PORT


@dataclass(eq=False)
class Binder:
    """Binds the inputs of one run's steps."""

    state: RunState
    run: RunFacts
    _of_loops: dict[Key, NodeInput] = field(default_factory=dict[Key, NodeInput])

    def given(self, place: StepFrame) -> NodeInput:
        """Return the input of a step. Raises `NODE_INPUT_INVALID` with every problem."""
        incoming = self.incoming(place)
        names = StepNames(self, place, incoming)
        step = place.step
        prepared = step.prepared
        config, inputs = prepared.config, prepared.inputs
        if prepared.has_templates or prepared.has_spec:
            config, inputs = bind(step.node.id, prepared, names)
        hanging = step.attached
        attached = tuple(self._attached(place, one, incoming) for one in hanging) if hanging else ()
        return NodeInput(config, inputs, incoming, names, attached)

    def names(
        self, place: StepFrame, *, of_settings: bool = False, of_own: bool = False
    ) -> "StepNames":
        """Return the names that texts of a step may use, even if it could not run.

        Settings may also use inputs; fields that are expressions see the step's own inputs and
        settings.
        """
        reached = not place.step.incoming or next(_taken(place), None) is not None
        incoming = self.incoming(place) if reached else None
        names = StepNames(self, place, incoming)
        if not (of_settings or of_own):
            return names
        prepared = place.step.prepared
        filled = substitute({"inputParams": prepared.inputs}, lambda text: evaluate(text, names))
        inputs = member(filled.value, "inputParams")
        names.may_name(inputs)
        if of_own:
            with suppress(Invalid):
                inputs = with_required(place.step.id, prepared, inputs, names)
            names.within(inputs, prepared.config)
            names.within_first()
        return names

    def _attached(self, place: StepFrame, step: PlannedStep, incoming: Json) -> Attached:
        """A node attached to an agent sees what the agent sees."""
        prepared = step.prepared
        config, inputs = prepared.config, prepared.inputs
        if prepared.has_templates:
            config, inputs = fill(prepared, StepNames(self, place, incoming))
            check(prepared, config, inputs)
        return Attached(step.id, step.node.ref or step.node.type, step.kind.code, config, inputs)

    def take_bound(self, place: StepFrame, config: JsonObject, inputs: JsonObject) -> NodeInput:
        """Return the input of a step that was bound in another process; a loop's is kept."""
        incoming, prepared = self.incoming(place), place.step.prepared
        names = StepNames(self, place, incoming)
        names.take_bound(prepared, config, inputs)
        given = NodeInput(config, inputs, incoming, names)
        if place.step.is_loop:
            self._of_loops[place.key] = given
        return given

    def of_loop(self, place: StepFrame) -> NodeInput:
        """Record the input of a loop when it starts."""
        key = place.key
        if key not in self._of_loops:
            self._of_loops[key] = self.given(place)
        return self._of_loops[key]

    def knows_loop(self, key: Key) -> bool:
        """Whether the input of a loop is known; not after a restart."""
        return key in self._of_loops

    def forget_loop(self, key: Key) -> None:
        """Discard the input of an ended loop."""
        self._of_loops.pop(key, None)

    def loop_names(self, frame: Frame) -> JsonObject:
        """Return the names that the body of a loop may use in one iteration."""
        assert frame.loop is not None
        code = frame.loop.step.kind.loop
        assert code is not None
        own = code.names(self.of_loop(frame.loop), frame.index, frame.item)
        return {"loop": {"index": frame.index, "item": frame.item}, **own}

    def incoming(self, place: StepFrame) -> Json:
        """Return what the taken links carry to a step."""
        edits = self.state.started.edits if self.state.started else None
        if edits is not None and place.key in edits:
            return edits[place.key]
        only = place.step.only_link
        if only is not None and place.frame.repeats is None:
            return self.carried(place, only)
        if not place.step.incoming:
            return self.state.inputs
        carried = [(link, self.carried(place, link)) for link in _taken(place)]
        if place.step.node.ref == MERGE:
            return [value for _, value in carried]
        if len(carried) == 1:
            return carried[0][1]
        steps = self.state.plan.steps
        return {steps[link.source].id: value for link, value in carried}

    def by_port(self, place: StepFrame) -> JsonObject:
        """Return the incoming values by input port; `main` is an alias of `input`."""
        found: JsonObject = {}
        for link in _taken(place):
            found[link.target_port] = self.carried(place, link)
        if INPUT_PORT in found:
            found.setdefault("main", found[INPUT_PORT])
        return found

    def carried(self, place: StepFrame, link: Link) -> Json:
        """Return what a link carries: its source's output; for a pass-through node, its input."""
        frame = place.frame
        if frame.loop is not None and link.source == frame.loop.step.index:
            loop = self.state.loops.get(frame.loop.key)
            return self._last_turn(frame) if loop and loop.items is None else frame.item
        outcome = _outcome_around(frame, link.source)
        assert outcome is not None
        return carried_by(self.state.plan.steps[link.source], outcome)

    def _last_turn(self, frame: Frame) -> Json:
        assert frame.loop is not None
        loop = self.state.loops.get(frame.loop.key)
        return loop.last[0] if loop and loop.last else self.of_loop(frame.loop).value("data")


class StepNames(BoundNames):
    """The names an expression of one step sees, from the state of its run."""

    def __init__(self, binder: Binder, place: StepFrame, incoming: Json) -> None:
        super().__init__(incoming)
        self._binder = binder
        self._place = place

    def __iter__(self) -> Iterator[str]:
        yield from ("data", "input", "inputs", "trigger", "nodes", "run", "config")
        yield from (step.id for step in self._steps if self._outcome(step) is not None)

    @property
    def _steps(self) -> tuple[PlannedStep, ...]:
        return self._binder.state.plan.steps

    def first_output(self) -> str | None:
        """Return the name of the first output of the step that the input comes from."""
        source = next(_taken(self._place), None)
        spec = self._steps[source.source].kind.spec if source else None
        return spec.outputs[0].name if spec and spec.outputs else None

    def look_up(self, name: str) -> Json:
        """Return what a name means in the state of the run."""
        match name:
            case "trigger":
                return self._binder.state.inputs
            case "inputs":
                return self._binder.by_port(self._place)
            case "nodes":
                found = ((step.id, self._outcome(step)) for step in self._steps)
                return {identity: outcome for identity, outcome in found if outcome is not None}
            case "config":
                return self._place.step.prepared.config
            case "run":
                run = self._binder.run
                started_at = timestamp(run.started_at)
                return {"id": run.id, "workflow": run.workflow, "started_at": started_at}
            case _:
                return self._of_loop_or_step(name)

    def _of_loop_or_step(self, name: str) -> Json:
        frame = self._place.frame
        while frame.loop is not None:
            names = self._binder.loop_names(frame)
            if name in names:
                return names[name]
            frame = frame.loop.frame
        step = self._binder.state.plan.by_id.get(name)
        outcome = self._outcome(step) if step else None
        if outcome is None:
            raise KeyError(name)
        return outcome["output"]

    def _outcome(self, step: PlannedStep) -> JsonObject | None:
        """Return the output of a step by port, in this iteration or around it."""
        frame: Frame | None = self._place.frame
        while frame is not None:
            outcome = frame.outcomes.get(step.index)
            if outcome is not None:
                ports = dict.fromkeys((*outcome.ports, "output", "result"), outcome.value)
                return {"template": step.template_name, **ports}
            frame = frame.loop.frame if frame.loop else None
        return None


def _taken(place: StepFrame) -> Iterator[Link]:
    frame, repeats = place.frame, place.frame.repeats
    if repeats is not None and place.step.index in repeats.entered:
        yield repeats.entered[place.step.index]
        return
    for link in place.step.incoming:
        if repeats is not None and repeats.is_stale(link.source):
            continue
        outcome = frame.outcomes.get(link.source)
        is_turn = frame.loop is not None and link.source == frame.loop.step.index
        if is_turn or (outcome is not None and link.port in outcome.ports):
            yield link
    for link in place.step.outside:
        outcome = _outcome_around(frame, link.source)
        if outcome is not None and link.port in outcome.ports:
            yield link


def _outcome_around(frame: Frame, step: int) -> Outcome | None:
    """Return the outcome of a step in this iteration or around it."""
    at: Frame | None = frame
    while at is not None and step not in at.outcomes:
        at = at.loop.frame if at.loop else None
    return at.outcomes[step] if at else None
