"""The input of a node, and how it refuses a value.

The static checks of a node take it with the values of the document, a run with the resolved ones.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn, TypeVar

from toolweave.catalog.fields import Field
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Attached:
    """A node attached to an agent, with its templates filled."""

    id: str
    # `TOOL.SLACK_MCP_TOOL`, `TOOL.MCP:SERVER/TOOL`, `MEMORY.ENTITY`, …
    ref: str
    code: object
    config: JsonObject
    inputs: JsonObject = field(default_factory=dict[str, Json])


# As `Outcome`: not frozen, because every step makes one; nobody changes it.
@dataclass(slots=True)
class NodeInput:
    """A node's input: templates filled, defaults applied, inputs bound."""

    config: JsonObject
    inputs: JsonObject = field(default_factory=dict[str, Json])
    incoming: Json = None
    # What expressions may name: data, trigger, nodes, …
    names: Mapping[str, Json] = field(default_factory=dict[str, Json])
    # The tools and memories of an agent.
    attached: tuple[Attached, ...] = ()

    def value(self, name: str) -> Json:
        """An input, else the configuration of that name, else nothing."""
        given = self.inputs.get(name)
        return self.config.get(name) if given is None else given

    def text(self, name: str) -> str:
        """A text; empty where nothing is set."""
        value = self.value(name)
        if value is None:
            return ""
        return value if isinstance(value, str) else _refuse(name, "a text")

    def whole(self, name: str) -> int:
        """A whole number."""
        value = self.value(name)
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        _refuse(name, "a whole number")

    def number(self, name: str) -> float:
        """A number."""
        value = self.value(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        _refuse(name, "a number")

    def flag(self, name: str) -> bool:
        """Yes or no; no where nothing is set."""
        value = self.value(name)
        if value is None:
            return False
        return value if isinstance(value, bool) else _refuse(name, "true or false")

    def listing(self, name: str) -> list[Json]:
        """A list; empty where nothing is set."""
        value = self.value(name)
        if value is None:
            return []
        return value if isinstance(value, list) else _refuse(name, "a list")

    def record(self, name: str) -> JsonObject:
        """An object; empty where nothing is set."""
        value = self.value(name)
        if value is None:
            return {}
        return value if isinstance(value, dict) else _refuse(name, "an object")


def _refuse(name: str, called: str) -> NoReturn:
    facts = {"field": name, "expected": called}
    raise Invalid("NODE_INPUT_INVALID", f"{name!r} must be {called}", facts=facts)


class SeveralRefusals(Invalid):
    """More than one value is refused; it reads as the first of them."""

    def __init__(self, refusals: Sequence[Invalid]) -> None:
        first = refusals[0]
        super().__init__(
            first.code,
            first.message,
            hint=first.hint,
            facts=first.facts,
            problems=[_problem(one) for one in refusals],
        )
        self.refusals = tuple(refusals)


def refused_at(
    at: Sequence[str | int],
    code: str,
    message: str,
    *,
    hint: str | None = None,
    is_certain: bool = False,
    fix: Json = None,
    patch: Sequence[Json] = (),
) -> Invalid:
    """A refusal of a configuration or input, with its place: `("cases", 0, "when")`.

    `is_certain`: no template in the value can change it. `fix`: the only value it can mean;
    `patch`: the same as operations on the node's fields.
    """
    facts: dict[str, Json] = {"field": at[0], "at": pointer(*at)}
    if is_certain:
        facts["certain"] = True
    if fix is not None:
        facts["fix"] = fix
    if patch:
        facts["patch"] = [*patch]
    return Invalid(code, message, hint=hint, facts=facts)


def read_each(reads: Iterable[Callable[[], _T]]) -> list[_T]:
    """Read every value, and refuse all that are wrong at once."""
    found: list[_T] = []
    refused: list[Invalid] = []
    for read in reads:
        try:
            found.append(read())
        except Invalid as error:
            refused += all_refusals(error)
    refuse_all(refused)
    return found


def refuse_all(refusals: Iterable[Invalid]) -> None:
    """Raise every refusal at once; nothing for none."""
    refused = list(refusals)
    if refused:
        raise refused[0] if len(refused) == 1 else SeveralRefusals(refused)


def all_refusals(error: Invalid) -> tuple[Invalid, ...]:
    """The refusals that an error stands for."""
    return error.refusals if isinstance(error, SeveralRefusals) else (error,)


def _problem(refused: Invalid) -> Problem:
    at = refused.facts.get("at")
    return Problem(
        refused.code, at if isinstance(at, str) else "", refused.message, hint=refused.hint
    )


class NodeNames:
    """The names and defaults of a node's fields, for the input of many nodes."""

    def __init__(self, configurations: Iterable[Field], inputs: Iterable[Field] = ()) -> None:
        known = tuple(configurations)
        self._defaults = {given.name: given.default for given in known if given.default is not None}
        self._of_any = of_any_type(known)
        self._own_settings = _own_names(known)
        self._own_inputs = _own_names(inputs)

    def settings(self, values: JsonObject) -> JsonObject:
        """Settings under the names of their fields, with the defaults of those not set."""
        named = _renamed(values, self._own_settings)
        return {**self._defaults, **set_values(named, self._of_any)}

    def inputs(self, values: JsonObject) -> JsonObject:
        """Inputs under the names of their fields."""
        return _renamed(values, self._own_inputs)


def of_any_type(fields: Iterable[Field]) -> frozenset[str]:
    """All names of the fields in which null is a value."""
    found = (given for given in fields if given.type == "any")
    return frozenset(name for given in found for name in (given.name, *given.aliases))


def set_values(values: JsonObject, of_any: Container[str]) -> JsonObject:
    """The values that are set: null means "not set" except in a field of any type."""
    if None not in values.values():
        return values
    return {key: one for key, one in values.items() if one is not None or key in of_any}


def by_own_names(values: JsonObject, fields: Iterable[Field]) -> JsonObject:
    """Values under the names of their fields, where an older name was used."""
    return _renamed(values, _own_names(fields))


def _own_names(fields: Iterable[Field]) -> dict[str, str]:
    return {alias: given.name for given in fields if given.aliases for alias in given.aliases}


def _renamed(values: JsonObject, own: Mapping[str, str]) -> JsonObject:
    if own.keys().isdisjoint(values):
        return {**values}
    return {own.get(name, name): value for name, value in values.items()}


def with_defaults(values: JsonObject, fields: Iterable[Field]) -> JsonObject:
    """Values under the names of their fields, with the defaults of those that are not set."""
    return NodeNames(fields).settings(values)
