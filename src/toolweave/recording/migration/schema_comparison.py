"""Compares two schemas property by property: what was kept, renamed, moved, removed and added."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from toolweave.json_text import Json, JsonObject
from toolweave.recording.migration.property_pairs import PropertyPair, pair_properties
from toolweave.recording.migration.schema_view import (
    ITEMS,
    ExpandedSchema,
    SchemaPath,
    SchemaProperty,
    description_of,
    kind_of,
    properties_of,
)

Match: TypeAlias = tuple[SchemaProperty, SchemaProperty]

_ROOT: SchemaPath = ()


@dataclass(slots=True)
class SchemaComparison:
    """Two schemas. `kept` holds what has the same name; `pairs` what was renamed or moved."""

    old: JsonObject
    new: JsonObject
    kept: dict[SchemaPath, Match] = field(default_factory=dict[SchemaPath, Match])
    pairs: dict[SchemaPath, PropertyPair] = field(default_factory=dict[SchemaPath, PropertyPair])
    removed: dict[SchemaPath, SchemaProperty] = field(
        default_factory=dict[SchemaPath, SchemaProperty]
    )
    added: dict[SchemaPath, SchemaProperty] = field(
        default_factory=dict[SchemaPath, SchemaProperty]
    )
    # Removed properties that several new ones fit equally well.
    unclear: dict[SchemaPath, tuple[SchemaPath, ...]] = field(
        default_factory=dict[SchemaPath, tuple[SchemaPath, ...]]
    )
    # Whether the schemas are too large to compare all of them.
    is_cut: bool = False

    def matched(self) -> Iterator[Match]:
        """Yield every old property with its new one, outer ones first."""
        yield from self.kept.values()
        yield from ((pair.old, pair.new) for pair in self.pairs.values())


def compare_schemas(old: Json, new: Json) -> SchemaComparison:
    """Compare two schemas of objects."""
    before, after = (ExpandedSchema(one if isinstance(one, dict) else {}) for one in (old, new))
    found = SchemaComparison(before.expand(), after.expand())
    found.is_cut = before.is_cut or after.is_cut
    gone: list[SchemaProperty] = []
    came: list[SchemaProperty] = []
    _walk(found, (found.old, _ROOT), (found.new, _ROOT), gone, came)
    _pair(found, gone, came)
    return found


def _walk(
    found: SchemaComparison,
    old: tuple[JsonObject, SchemaPath],
    new: tuple[JsonObject, SchemaPath],
    gone: list[SchemaProperty],
    came: list[SchemaProperty],
) -> None:
    """Note what two schemas have in common, and collect the rest."""
    if kind_of(old[0]) == "array" and kind_of(new[0]) == "array":
        inner = (_items(old), _items(new))
        _walk(found, inner[0], inner[1], gone, came)
        return
    if kind_of(old[0]) != "object" or kind_of(new[0]) != "object":
        return
    before = {one.name: one for one in properties_of(*old)}
    after = {one.name: one for one in properties_of(*new)}
    swapped = _swapped(found, before, after)
    for name, one in before.items():
        if name not in after:
            gone.append(one)
        elif name not in swapped:
            found.kept[one.path] = one, after[name]
            _walk(found, (one.schema, one.path), (after[name].schema, after[name].path), gone, came)
    came += [one for name, one in after.items() if name not in before]


def _items(at: tuple[JsonObject, SchemaPath]) -> tuple[JsonObject, SchemaPath]:
    items = at[0].get("items")
    return (items if isinstance(items, dict) else {}, (*at[1], ITEMS))


def _swapped(
    found: SchemaComparison, before: dict[str, SchemaProperty], after: dict[str, SchemaProperty]
) -> set[str]:
    """Pair properties that have exchanged their descriptions, which may have exchanged names."""
    names = [
        name
        for name in before
        if name in after
        and description_of(before[name].schema) != description_of(after[name].schema)
    ]
    swapped: set[str] = set()
    for name in names:
        text = description_of(before[name].schema)
        others = [
            other
            for other in names
            if other != name
            and text
            and description_of(after[other].schema) == text
            and description_of(before[other].schema) == description_of(after[name].schema)
        ]
        if len(others) == 1:
            swapped.add(name)
            reason = f"{name!r} and {others[0]!r} have exchanged their descriptions"
            pair = PropertyPair(before[name], after[others[0]], "likely", reason, is_exchanged=True)
            found.pairs[before[name].path] = pair
    return swapped


def _pair(found: SchemaComparison, gone: list[SchemaProperty], came: list[SchemaProperty]) -> None:
    """Pair what is gone with what came, then what lies below each pair."""
    inner_gone = [one for outer in gone for one in _below(outer)]
    inner_came = [one for outer in came for one in _below(outer)]
    paired = pair_properties([*gone, *inner_gone], [*came, *inner_came])
    rest_gone: list[SchemaProperty] = []
    rest_came: list[SchemaProperty] = []
    for pair in paired.pairs:
        found.pairs[pair.old.path] = pair
        old, new = pair.old, pair.new
        _walk(found, (old.schema, old.path), (new.schema, new.path), rest_gone, rest_came)
    if rest_gone or rest_came:
        _pair(found, rest_gone, rest_came)
    found.unclear.update(paired.unclear)
    old_paths = [pair.old.path for pair in paired.pairs]
    new_paths = [pair.new.path for pair in paired.pairs]
    found.removed.update((one.path, one) for one in _left(gone, old_paths))
    found.added.update((one.path, one) for one in _left(came, new_paths))


def _below(outer: SchemaProperty) -> Iterator[SchemaProperty]:
    """Yield the properties of an object, at any depth."""
    if kind_of(outer.schema) == "object":
        for one in properties_of(outer.schema, outer.path):
            yield one
            yield from _below(one)


def _left(many: list[SchemaProperty], used: list[SchemaPath]) -> Iterator[SchemaProperty]:
    """Yield what is in no pair; of an object whose properties are in pairs, the others."""
    for one in many:
        if one.path in used:
            continue
        if any(path[: len(one.path)] == one.path for path in used):
            yield from _left(list(properties_of(one.schema, one.path)), used)
        else:
            yield one
