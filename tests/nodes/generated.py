"""Configurations made from what a node declares: right ones, boundaries and every kind of wrong."""

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import cast

from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.json_text import Json, JsonObject

TEMPLATE = "{{ trigger.given }}"
# What follows a change of which the value is written as a template that is the same in every run.
CONSTANT = " as a constant"
# One value of each kind, empty ones too; each is wrong for most fields and right for some.
EACH_KIND: tuple[Json, ...] = ("", "x", 5, -1, 1.5, True, [], ["x"], [{}], {}, {"x": 1})
UNKNOWN = "zz_unheard_of"


@dataclass(frozen=True, slots=True)
class Generated:
    """The settings and inputs of one node, and what was done to an example to get them."""

    done: str
    config: JsonObject
    inputs: JsonObject
    # Inputs that an edge brings where they are not written.
    required: frozenset[str] = frozenset()

    @property
    def is_templated(self) -> bool:
        """Whether a value was replaced by a template, which may become anything."""
        return self.done.endswith(TEMPLATE)

    @property
    def is_constant(self) -> bool:
        """Whether a value was replaced by a template without names."""
        return self.done.endswith(CONSTANT)

    @property
    def is_choice(self) -> bool:
        """Whether an option was chosen without any inputs, which it may need."""
        return self.done.endswith(", no inputs")

    @property
    def place(self) -> str:
        """What was changed."""
        return self.done.rpartition(" = ")[0]

    @property
    def is_filled(self) -> bool:
        """Whether there is a value at the place, and no template."""
        return self.done.rpartition(" = ")[2] not in {"absent", "''", "[]", "{}", TEMPLATE}


def generated(spec: NodeSpec) -> Iterator[Generated]:
    """Return variations of every example of a node, without repetitions."""
    seen: set[str] = set()
    required = frozenset(one.name for one in spec.inputs if one.required)
    for example in spec.examples:
        for one in _variations(spec, example):
            key = repr((one.config, one.inputs))
            if key not in seen:
                seen.add(key)
                yield replace(one, required=required)


def _variations(spec: NodeSpec, example: Example) -> Iterator[Generated]:
    config, inputs = example.configurations, example.input_params
    yield Generated("example", config, inputs)
    yield Generated("without inputs", config, {})
    yield Generated("unknown setting", {**config, UNKNOWN: 1}, inputs)
    yield Generated("unknown input", config, {**inputs, UNKNOWN: 1})
    for field in spec.all_configurations:
        for done, value in _values(field, config):
            yield Generated(f"{field.name} = {done}", _with(config, field.name, value), inputs)
    for field in spec.inputs:
        for done, value in _values(field, inputs):
            yield Generated(
                f"input {field.name} = {done}", config, _with(inputs, field.name, value)
            )
    for field in spec.all_configurations:
        for option in field.options:
            chosen = {**config, field.name: option}
            yield Generated(f"{field.name} = {option!r}, all inputs", chosen, _all_inputs(spec))
            yield Generated(f"{field.name} = {option!r}, no inputs", chosen, {})


def _all_inputs(spec: NodeSpec) -> JsonObject:
    given: JsonObject = {}
    for example in spec.examples:
        given |= example.input_params
    return given


_ABSENT = object()


def _with(values: JsonObject, name: str, value: object) -> JsonObject:
    rest = {key: one for key, one in values.items() if key != name}
    return rest if value is _ABSENT else {**rest, name: value}  # type: ignore[dict-item]


def constants(spec: NodeSpec) -> Iterator[tuple[Generated, Generated]]:
    """Pairs: a value, and the same value as a template without names, whole or in a text."""
    required = frozenset(one.name for one in spec.inputs if one.required)
    for example in spec.examples:
        for part, given, fields in (
            ("config", example.configurations, spec.all_configurations),
            ("inputs", example.input_params, spec.inputs),
        ):
            base = Generated("", example.configurations, example.input_params, required)
            for field in fields:
                for done, value in _values(field, given):
                    if value is _ABSENT or done.endswith(TEMPLATE):
                        continue
                    for form, text in _as_constants(cast("Json", value)):
                        name = f"{field.name} = {done}{form}{CONSTANT}"
                        literal = {part: _with(given, field.name, value)}
                        template = {part: _with(given, field.name, text)}
                        yield (
                            replace(base, done=name, **literal),  # type: ignore[arg-type]
                            replace(base, done=name, **template),  # type: ignore[arg-type]
                        )


def _as_constants(value: Json) -> Iterator[tuple[str, Json]]:
    """The value as a template, each of its members as one, and a text around a part of it."""
    whole = json.dumps(value, ensure_ascii=False)
    yield "", f"{{{{ {whole} }}}}"
    if isinstance(value, dict) and value:
        yield ", members", {key: f"{{{{ {json.dumps(one)} }}}}" for key, one in value.items()}
    elif isinstance(value, list) and value:
        yield ", items", [f"{{{{ {json.dumps(one)} }}}}" for one in value]
    elif isinstance(value, str) and len(value) > 1 and "{{" not in value:
        yield ", in a text", f"{value[:1]}{{{{ {json.dumps(value[1:])} }}}}"


def _values(field: Field, given: JsonObject) -> Iterator[tuple[str, object]]:
    yield "absent", _ABSENT
    yield TEMPLATE, TEMPLATE
    for value in (*EACH_KIND, *field.options, *_boundaries(field)):
        yield repr(value), value
    if field.options:
        yield "no option", "zz-no-such-option"
    if field.name in given:
        for done, value in _inside(given[field.name]):
            yield f"…{done}", value


def _boundaries(field: Field) -> Iterator[Json]:
    for limit, step in ((field.minimum, -1), (field.maximum, 1)):
        if limit is not None:
            whole = int(limit) if limit == int(limit) else limit
            yield whole
            yield whole + step


def _inside(value: Json) -> Iterator[tuple[str, Json]]:
    """Every member at any depth absent, of another kind, or a template; and an unknown one."""
    if isinstance(value, dict):
        yield UNKNOWN, {**value, UNKNOWN: 1}
        for key, inner in value.items():
            rest = {name: one for name, one in value.items() if name != key}
            yield f"/{key} absent", rest
            for done, other in _others(inner):
                yield f"/{key} {done}", {**deepcopy(value), key: other}
    elif isinstance(value, list):
        for index, inner in enumerate(value[:2]):
            for done, other in _others(inner):
                changed = deepcopy(value)
                changed[index] = other
                yield f"/{index} {done}", changed


def _others(inner: Json) -> Iterator[tuple[str, Json]]:
    yield from ((f"= {other!r}", other) for other in EACH_KIND)
    yield f"= {TEMPLATE}", TEMPLATE
    yield from _inside(inner)
