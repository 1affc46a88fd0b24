"""The input of a step: the names its expressions see, its filled templates, its bound inputs."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from toolweave.catalog.node import Attached, NodeInput, Outcome, RunFacts
from toolweave.catalog.spec import Field
from toolweave.cel.fault import fault_at
from toolweave.cel.language import Result, Value, evaluate
from toolweave.cel.templates import substitute
from toolweave.clock import timestamp
from toolweave.engine.events import Key
from toolweave.engine.frames import Frame, StepFrame, carried_by
from toolweave.engine.prepared_step import Prepared
from toolweave.engine.state import RunState
from toolweave.engine.steps import MERGE, Link, PlannedStep
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.tools.check import check_value
from toolweave.tools.schema import CompiledSchema
from toolweave.tools.unions import kind_of
from toolweave.workflow.model import INPUT_PORT

URL_VARIABLES = "url_variables"
SECRET_MARK = "${vault:"
_KINDS = {"float": ("number", "integer"), "any": ()}


@dataclass(eq=False)
class Binder:
    """Binds the inputs of one run's steps."""

    state: RunState
    run: RunFacts
    _of_loops: dict[Key, NodeInput] = field(default_factory=dict[Key, NodeInput])

    def given(self, place: StepFrame) -> NodeInput:
        """Return the input of a step. Raises `NODE_INPUT_INVALID` with every problem."""
        prepared = place.step.prepared
        incoming = self.incoming(place)
        names = StepNames(self, place, incoming)
        config, inputs = prepared.config, prepared.inputs
        if prepared.has_templates:
            config, inputs = _filled(prepared, names)
        if place.step.kind.spec is not None:
            inputs = self._with_required(place, inputs, incoming)
            if prepared.has_templates:
                _check(prepared, config, inputs)
            names.within(inputs, config)
        hanging = place.step.attached
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
        inputs = _member(filled.value, "inputParams")
        names.may_name(inputs)
        if of_own:
            with suppress(Invalid):
                inputs = self._with_required(place, inputs, incoming)
            names.within(inputs, prepared.config)
            names.within_first()
        return names

    def _attached(self, place: StepFrame, step: PlannedStep, incoming: Json) -> Attached:
        """A node attached to an agent sees what the agent sees."""
        prepared = step.prepared
        config, inputs = prepared.config, prepared.inputs
        if prepared.has_templates:
            config, inputs = _filled(prepared, StepNames(self, place, incoming))
            _check(prepared, config, inputs)
        return Attached(step.id, step.node.ref or step.node.type, step.kind.code, config, inputs)

    def of_loop(self, place: StepFrame) -> NodeInput:
        """Record the input of a loop when it starts."""
        key = place.key
        if key not in self._of_loops:
            self._of_loops[key] = self.given(place)
        return self._of_loops[key]

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

    def _with_required(self, place: StepFrame, inputs: JsonObject, incoming: Json) -> JsonObject:
        """Return the inputs, with missing ones taken from the incoming value."""
        prepared = place.step.prepared
        more: JsonObject = {}
        for wanted in prepared.required:
            if inputs.get(wanted.name) is not None:
                continue
            if isinstance(incoming, dict) and incoming.get(wanted.name) is not None:
                more[wanted.name] = incoming[wanted.name]
            elif wanted is prepared.primary:
                more[wanted.name] = self._primary(place, wanted, incoming)
        return {**inputs, **more} if more else inputs

    def _primary(self, place: StepFrame, wanted: Field, incoming: Json) -> Json:
        if _fits(wanted, incoming):
            return incoming
        source = next(_taken(place), None)
        spec = self.state.plan.steps[source.source].kind.spec if source else None
        first = spec.outputs[0].name if spec and spec.outputs else None
        found = incoming.get(first) if first and isinstance(incoming, dict) else None
        if found is not None and _fits(wanted, found):
            return found
        raise Invalid(
            "NODE_INPUT_MISSING",
            f"node {place.step.id!r} needs {wanted.name!r}, and no incoming value matches",
            hint=f"write inputParams.{wanted.name}, for example as {{{{ data.… }}}}",
        )


class StepNames(Mapping[str, Json]):
    """The names an expression of one step sees, resolved on demand."""

    def __init__(self, binder: Binder, place: StepFrame, incoming: Json) -> None:
        self._binder = binder
        self._place = place
        self._found: dict[str, Json] = {"data": incoming, "input": incoming}

    def within(self, inputs: JsonObject, config: JsonObject) -> None:
        """Let these names mean the step's own inputs and settings from now on."""
        self._found["config"] = config
        for name in ("data", "context", "variables"):
            if name in inputs:
                self._found[name] = inputs[name]
        self._found.setdefault("context", {})
        self._found.setdefault("variables", {})

    def within_first(self) -> None:
        """For previewing a condition on each of several items: use the first."""
        items = self._found["data"]
        if isinstance(items, list) and items:
            self._found |= {"item": items[0], "index": 0}

    def may_name(self, inputs: JsonObject) -> None:
        """Let settings use inputs, and the keys of inputs such as `variables`."""
        given, came = inputs.get("data"), self._found["data"]
        if isinstance(given, dict):
            # The step's own input wins; other incoming values can still be used.
            self._found["data"] = {**came, **given} if isinstance(came, dict) else given
        for name, value in inputs.items():
            if name.endswith("variables") and isinstance(value, dict):
                self._found = {**value, **self._found}
            self._found.setdefault(name, value)

    def __getitem__(self, name: str) -> Json:
        if name not in self._found:
            self._found[name] = self._look_up(name)
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        yield from ("data", "input", "inputs", "trigger", "nodes", "run", "config")
        yield from (step.id for step in self._steps if self._outcome(step) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def _steps(self) -> tuple[PlannedStep, ...]:
        return self._binder.state.plan.steps

    def _look_up(self, name: str) -> Json:
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


def _filled(prepared: Prepared, names: StepNames) -> tuple[JsonObject, JsonObject]:
    """Inputs first: settings may use them, and the keys of `variables` and similar ones."""
    filled = substitute({"inputParams": prepared.inputs}, lambda text: evaluate(text, names))
    _refuse(filled.problems)
    inputs = _member(filled.value, "inputParams")
    names.may_name(inputs)
    own = inputs.get(URL_VARIABLES)
    left_to_node: set[str] = set(own) if isinstance(own, dict) else set()

    def resolve(text: str) -> Result | None:
        if text in left_to_node:
            return None  # the node encodes it into an address itself
        found = evaluate(text, names)
        if isinstance(found, Value) and _names_secret(found.value):
            return fault_at(text, 0, "SECRET_REFERENCE_DENIED", "incoming data names a secret")
        return found

    settings = substitute({"configurations": prepared.config}, resolve)
    _refuse(settings.problems)
    return _member(settings.value, "configurations"), inputs


def _texts_in(value: Json) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


def _member(value: Json, name: str) -> JsonObject:
    assert isinstance(value, dict)
    found = value[name]
    assert isinstance(found, dict)
    return found


def _names_secret(value: Json) -> bool:
    """Whether a value would become a vault reference if it were taken for the author's text."""
    return any(SECRET_MARK in text for text in _texts_in(value))


def _check(prepared: Prepared, config: JsonObject, inputs: JsonObject) -> None:
    """Check that the filled templates are what the node accepts."""
    problems = [
        *_problems("/configurations", prepared.config_schema, config),
        *_problems("/inputParams", prepared.input_schema, inputs),
    ]
    _refuse(tuple(problems))


def _problems(place: str, schema: CompiledSchema | None, value: JsonObject) -> Iterator[Problem]:
    if schema is not None:
        for problem in check_value(schema, value):
            if problem.severity == "error":
                yield replace(problem, pointer=place + problem.pointer, patch=None)


def _refuse(problems: tuple[Problem, ...]) -> None:
    if problems:
        first = problems[0]
        message = f"{first.pointer}: {first.message}"
        raise Invalid("NODE_INPUT_INVALID", message, problems=problems, hint=first.hint)


def _fits(wanted: Field, value: Json) -> bool:
    kinds = _KINDS.get(wanted.type, (wanted.type,))
    return value is not None and (not kinds or kind_of(value) in kinds)
