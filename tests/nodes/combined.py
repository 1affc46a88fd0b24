"""Configurations with several values changed at once, to values as authors write them. Seeded."""

import random
from collections.abc import Iterator
from typing import cast

from tests.nodes.generated import Generated

from toolweave.catalog.spec import Field, NodeSpec
from toolweave.json_text import Json, JsonObject

_TEXTS: tuple[str, ...] = (
    *("0 9 * * *", "@daily", "every day", "https://example.com/a", "example.com", "a b", "\n", " "),
    *("ada@example.com", "Ada <ada@example.com>", "2026-03-02", "2026-02-30", "10:00", "Berlin"),
    *("30s", "P1D", "SELECT 1", "DELETE FROM a", "data.a > 1", "data.", "{{", "a, b", "a..b"),
    *("..", "/abs", "../up", "C:\\x", "x" * 5_000, "\0", "#general", "[a-z", "(", "$json.x"),
    *("${vault:x}", "data:text/plain,a", "-1", "NaN", "null", "[]", '{"a": 1}', "50%"),
)
_NUMBERS: tuple[float, ...] = (0, 1, -1, 2, 10**6, 10**12, 0.5, -0.5, 65_536, 8_080, 101)
_OBJECTS: tuple[JsonObject, ...] = (
    *({}, {"a": 1}, {"a": None}, {"type": "object"}, {"type": "oops"}, {"": 1}),
    {"properties": {"a": {"type": "text"}}},
)
_LISTS: tuple[list[Json], ...] = ([], [1], ["a", "a"], [None], [{}], [[]], ["a", 1], [""])
# A disabled node is not started.
_LEFT_OUT = frozenset({"enabled"})


def combined(spec: NodeSpec, count: int) -> Iterator[Generated]:
    """Return examples with up to three settings or inputs changed, always the same ones."""
    chance = random.Random(spec.ref)
    fields = [(one, False) for one in spec.all_configurations] + [
        (one, True) for one in spec.inputs
    ]
    fields = [(one, is_input) for one, is_input in fields if one.name not in _LEFT_OUT]
    required = frozenset(one.name for one in spec.inputs if one.required)
    for _ in range(count if fields and spec.examples else 0):
        example = chance.choice(spec.examples)
        config, inputs = dict(example.configurations), dict(example.input_params)
        done: list[str] = []
        for field, is_input in chance.choices(fields, k=chance.choice((1, 2, 2, 3))):
            part = inputs if is_input else config
            given = part.pop(field.name, None)
            if chance.random() > 0.12:
                is_inside = given is not None and chance.random() < 0.5
                part[field.name] = _changed(chance, given) if is_inside else _value(chance, field)
            done.append(f"{field.name} = {part.get(field.name)!r:.80}")
        yield Generated("; ".join(done), config, inputs, required)


def _value(chance: random.Random, field: Field) -> Json:
    pools: dict[str, tuple[Json, ...]] = {
        "string": _TEXTS,
        "integer": _NUMBERS,
        "float": _NUMBERS,
        "object": _OBJECTS,
        "array": cast("tuple[Json, ...]", _LISTS),
        "boolean": (True, False),
    }
    pool = pools.get(field.type, (*_TEXTS, *_NUMBERS, *_OBJECTS))
    return chance.choice((*pool, *field.options, *field.options))


def _changed(chance: random.Random, value: Json) -> Json:
    """A value with one part of it changed."""
    if isinstance(value, dict) and value:
        key = chance.choice(list(value))
        rest = {name: one for name, one in value.items() if name != key}
        return rest if chance.random() < 0.2 else {**value, key: _changed(chance, value[key])}
    if isinstance(value, list) and value:
        at = chance.randrange(len(value))
        return [*value[:at], _changed(chance, value[at]), *value[at + 1 :]]
    if isinstance(value, str):
        return chance.choice(_TEXTS)
    return chance.choice((*_NUMBERS, "5", "x", None, True))
