"""Values that a template could become: what is refused with each of them is refused for certain."""

import re
from collections.abc import Iterator
from dataclasses import replace

from toolweave.catalog.node_input import NodeInput
from toolweave.catalog.spec import Field, NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.workflow.checks.templated_values import has_template

# The longest list of options that is tried.
_MOST = 64
_TEMPLATE = pattern(r"\{\{.*?\}\}", re.DOTALL)
_TEXTS: tuple[Json, ...] = ("a/b", "2026-01-01T00:00:00Z", "1", "a@example.com")
_OF_TYPE: dict[str, tuple[Json, ...]] = {
    "string": _TEXTS,
    "integer": (1,),
    "float": (1,),
    "boolean": (True, False),
    "array": (["a"], [{"a": "a"}], ["a@example.com"]),
    "object": ({"a": "a"}, {"a": ["a"]}),
    "any": ("a/b", ["a"], {"a": "a"}),
}
_ANY: tuple[Json, ...] = ("a/b", 1, True, ["a"], {"a": "a"})


def possible_inputs(given: NodeInput, spec: NodeSpec) -> Iterator[NodeInput]:
    """Return inputs of a node in which every template has become a value its field can have."""
    fields = {one.name: one for one in (*spec.all_configurations, *spec.inputs)}
    values = {**given.config, **given.inputs}
    whole = [name for name, one in values.items() if _is_whole(one) and name in fields]
    choices = max((len(_choices(fields[name])) for name in whole), default=0)
    for turn in range(min(max(choices, len(_ANY)), _MOST)):
        yield NodeInput(
            _replaced(given.config, fields, turn), _replaced(given.inputs, fields, turn)
        )


def _choices(field: Field) -> tuple[Json, ...]:
    return field.options or _OF_TYPE[field.type]


def _replaced(values: JsonObject, fields: dict[str, Field], turn: int) -> JsonObject:
    return {name: _filled(one, fields.get(name), turn) for name, one in values.items()}


def _filled(value: Json, field: Field | None, turn: int) -> Json:
    if isinstance(value, str) and has_template(value):
        if not _is_whole(value):
            return _TEMPLATE.sub("a", value)
        choices = _ANY if field is None else _choices(field)
        return choices[turn % len(choices)]
    if isinstance(value, list):
        each = None
        if field is not None and field.items is not None:
            each = replace(field, type=field.items, items=None)
        return [_filled(one, each, turn) for one in value]
    if isinstance(value, dict):
        return {name: _filled(one, None, turn) for name, one in value.items()}
    return value


def _is_whole(value: Json) -> bool:
    return isinstance(value, str) and _TEMPLATE.fullmatch(value.strip()) is not None
