"""Fills the templates of one step and binds its inputs, from the names that they use.

Needs no run: the names come from the state of one (`step_input.py`) or through a pipe
(`step_process.py`).
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace

from toolweave.catalog.fields import Field
from toolweave.cel.fault import fault_at
from toolweave.cel.language import Result, Value, evaluate
from toolweave.cel.templates import substitute
from toolweave.engine.prepared_step import Prepared
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.tools.check import check_value
from toolweave.tools.schema import CompiledSchema
from toolweave.tools.unions import kind_of

URL_VARIABLES = "url_variables"
SECRET_MARK = "${vault:"
_KINDS = {"float": ("number", "integer"), "any": ()}


class BoundNames(Mapping[str, Json]):
    """The names an expression of one step sees, resolved on demand."""

    def __init__(self, incoming: Json) -> None:
        self.incoming = incoming
        self._found: dict[str, Json] = {"data": incoming, "input": incoming}

    @abstractmethod
    def look_up(self, name: str) -> Json:
        """Return what a name means. Raises `KeyError`."""

    @abstractmethod
    def first_output(self) -> str | None:
        """Return the name of the first output of the step that the input comes from."""

    def within(self, inputs: JsonObject, config: JsonObject) -> None:
        """Let these names mean the step's own inputs and settings from now on."""
        self._found["config"] = config
        for name in ("data", "context", "variables"):
            if name in inputs:
                self._found[name] = inputs[name]
        self._found.setdefault("context", {})
        self._found.setdefault("variables", {})

    def take_bound(self, prepared: Prepared, config: JsonObject, inputs: JsonObject) -> None:
        """Let the names mean what they mean after `bind` returned these values."""
        if prepared.has_templates:
            self.may_name({name: inputs[name] for name in prepared.inputs})
        if prepared.has_spec:
            self.within(inputs, config)

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
            self._found[name] = self.look_up(name)
        return self._found[name]

    def __len__(self) -> int:
        return sum(1 for _ in self)


def bind(step: str, prepared: Prepared, names: BoundNames) -> tuple[JsonObject, JsonObject]:
    """Return the settings and inputs of a step. Raises `NODE_INPUT_INVALID`."""
    config, inputs = prepared.config, prepared.inputs
    if prepared.has_templates:
        config, inputs = fill(prepared, names)
    if prepared.has_spec:
        inputs = with_required(step, prepared, inputs, names)
        if prepared.has_templates:
            check(prepared, config, inputs)
        names.within(inputs, config)
    return config, inputs


def with_required(
    step: str, prepared: Prepared, inputs: JsonObject, names: BoundNames
) -> JsonObject:
    """Return the inputs, with missing ones taken from the incoming value."""
    incoming, more = names.incoming, dict[str, Json]()
    for wanted in prepared.required:
        if inputs.get(wanted.name) is not None:
            continue
        if isinstance(incoming, dict) and incoming.get(wanted.name) is not None:
            more[wanted.name] = incoming[wanted.name]
        elif wanted is prepared.primary:
            more[wanted.name] = _primary(step, wanted, names)
    return {**inputs, **more} if more else inputs


def _primary(step: str, wanted: Field, names: BoundNames) -> Json:
    incoming = names.incoming
    if _fits(wanted, incoming):
        return incoming
    first = names.first_output()
    found = incoming.get(first) if first and isinstance(incoming, dict) else None
    if found is not None and _fits(wanted, found):
        return found
    raise Invalid(
        "NODE_INPUT_MISSING",
        f"node {step!r} needs {wanted.name!r}, and no incoming value matches",
        hint=f"write inputParams.{wanted.name}, for example as {{{{ data.… }}}}",
    )


def fill(prepared: Prepared, names: BoundNames) -> tuple[JsonObject, JsonObject]:
    """Inputs first: settings may use them, and the keys of `variables` and similar ones."""
    filled = substitute({"inputParams": prepared.inputs}, lambda text: evaluate(text, names))
    refuse(filled.problems)
    inputs = member(filled.value, "inputParams")
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
    refuse(settings.problems)
    return member(settings.value, "configurations"), inputs


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


def member(value: Json, name: str) -> JsonObject:
    """Return an object within an object."""
    assert isinstance(value, dict)
    found = value[name]
    assert isinstance(found, dict)
    return found


def _names_secret(value: Json) -> bool:
    """Whether a value would become a vault reference if it were taken for the author's text."""
    return any(SECRET_MARK in text for text in _texts_in(value))


def check(prepared: Prepared, config: JsonObject, inputs: JsonObject) -> None:
    """Check that the filled templates are what the node accepts."""
    problems = [
        *_problems("/configurations", prepared.config_schema, config),
        *_problems("/inputParams", prepared.input_schema, inputs),
    ]
    refuse(tuple(problems))


def _problems(place: str, schema: CompiledSchema | None, value: JsonObject) -> Iterator[Problem]:
    if schema is not None:
        for problem in check_value(schema, value):
            # Unknown fields are ignored, with templates or without: validation warns of them.
            if problem.severity == "error" and problem.code != "MCP_PARAMETER_UNKNOWN":
                yield replace(problem, pointer=place + problem.pointer, patch=None)


def refuse(problems: tuple[Problem, ...]) -> None:
    if problems:
        first = problems[0]
        message = f"{first.pointer}: {first.message}"
        raise Invalid("NODE_INPUT_INVALID", message, problems=problems, hint=first.hint)


def _fits(wanted: Field, value: Json) -> bool:
    kinds = _KINDS.get(wanted.type, (wanted.type,))
    return value is not None and (not kinds or kind_of(value) in kinds)
