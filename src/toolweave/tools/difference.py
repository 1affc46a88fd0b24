"""What changed between two definitions of a tool, and whether calls that worked still will.

Narrowed: accepts less than before. Widened: accepts more. Text only: other descriptions. Changed:
both, or not comparable. Schemas are compared as written, path by path.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from toolweave.json_text import Json, JsonObject, canonical
from toolweave.problems import pointer
from toolweave.tools.document import Steps
from toolweave.tools.keywords import ANNOTATIONS, TYPES, is_number
from toolweave.tools.size import size_of
from toolweave.tools.value_preview import shown

Direction = Literal["narrowed", "widened", "text_only", "changed"]
DifferenceKind = Literal["same", "added", "removed", "narrowed", "widened", "text_only", "changed"]

MAX_DEPTH = 128
MAX_NODES = 50_000


@dataclass(frozen=True, slots=True)
class ToolChange:
    """One change: its path in the definition, its kind and a description."""

    pointer: str
    direction: Direction
    message: str


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes of a tool and their overall kind."""

    kind: DifferenceKind
    changes: tuple[ToolChange, ...] = ()


def difference(old: JsonObject | None, new: JsonObject | None) -> Difference:
    """Compare two raw definitions of a tool; None means it did not exist."""
    if old is None or new is None:
        return Difference("same" if old is new else "added" if old is None else "removed")
    if any(size_of(one, max_nodes=MAX_NODES, max_depth=MAX_DEPTH) is None for one in (old, new)):
        return Difference("changed", (ToolChange("", "changed", "too large to compare in detail"),))
    if _equal(old, new):
        return Difference("same")
    changes = tuple(_tool(old, new))
    return Difference(_kind([change.direction for change in changes]), changes)


def _kind(directions: list[Direction]) -> DifferenceKind:
    real: list[Direction] = [direction for direction in directions if direction != "text_only"]
    if not real:
        return "text_only"
    return real[0] if all(direction == real[0] for direction in real) else "changed"


def _tool(old: JsonObject, new: JsonObject) -> Iterator[ToolChange]:
    for key in _names(old, new):
        if key in ("inputSchema", "outputSchema"):
            yield from _schema(old.get(key, True), new.get(key, True), (key,))
        elif not _equal(old.get(key), new.get(key)):
            direction = "changed" if key in ("name", "annotations") else "text_only"
            yield ToolChange(pointer(key), direction, _from_to(key, old.get(key), new.get(key)))


def _schema(old: Json, new: Json, at: Steps) -> Iterator[ToolChange]:
    if _equal(old, new):
        return
    if old is False:
        yield ToolChange(pointer(*at), "widened", "now allows values")
    elif new is False:
        yield ToolChange(pointer(*at), "narrowed", "no longer allows any value")
    else:
        before, after = _dict(old), _dict(new)
        yield from _options(before, after, at)
        for keyword in _names(before, after):
            is_same = keyword in before and keyword in after
            if not is_same or not _equal(before[keyword], after[keyword]):
                # A keyword of another vocabulary means nothing to validators.
                compare = _RULES.get(keyword, _text)
                yield from compare(before.get(keyword), after.get(keyword), (*at, keyword))


def _options(before: JsonObject, after: JsonObject, at: Steps) -> Iterator[ToolChange]:
    """`enum` and `const` together, as one may have become the other."""
    old, new = _option_map(before), _option_map(after)
    place = pointer(*at, "enum" if "enum" in after or "enum" in before else "const")
    if old is None and new is not None:
        yield ToolChange(place, "narrowed", f"now restricted to {_listed(new)}")
    elif new is None and old is not None:
        yield ToolChange(place, "widened", f"no longer restricted to {_listed(old)}")
    elif old is not None and new is not None:
        if gone := {key: value for key, value in old.items() if key not in new}:
            yield ToolChange(place, "narrowed", f"{_listed(gone)} no longer allowed")
        if more := {key: value for key, value in new.items() if key not in old}:
            yield ToolChange(place, "widened", f"{_listed(more)} also allowed")


def _option_map(schema: JsonObject) -> dict[bytes, Json] | None:
    options = [schema["const"]] if "const" in schema else schema.get("enum")
    return {canonical(one): one for one in options} if isinstance(options, list) else None


def _listed(options: dict[bytes, Json]) -> str:
    more = f" and {len(options) - 5} more" if len(options) > 5 else ""
    return ", ".join(shown(option) for option in list(options.values())[:5]) + more


Rule = Callable[[Json, Json, Steps], Iterator[ToolChange]]


def _nothing(_old: Json, _new: Json, _at: Steps) -> Iterator[ToolChange]:
    return iter(())


def _text(old: Json, new: Json, at: Steps) -> Iterator[ToolChange]:
    yield ToolChange(pointer(*at), "text_only", _from_to(str(at[-1]), old, new))


def _other(old: Json, new: Json, at: Steps) -> Iterator[ToolChange]:
    yield ToolChange(pointer(*at), "changed", _from_to(str(at[-1]), old, new))


def _demand(old: Json, new: Json, at: Steps) -> Iterator[ToolChange]:
    direction = "narrowed" if old is None else "widened" if new is None else "changed"
    yield ToolChange(pointer(*at), direction, _from_to(str(at[-1]), old, new))


def _least(old: Json, new: Json, at: Steps) -> Iterator[ToolChange]:
    yield ToolChange(
        pointer(*at),
        _toward(old, new, up="narrowed", down="widened"),
        _from_to(str(at[-1]), old, new),
    )


def _most(old: Json, new: Json, at: Steps) -> Iterator[ToolChange]:
    yield ToolChange(
        pointer(*at),
        _toward(old, new, up="widened", down="narrowed"),
        _from_to(str(at[-1]), old, new),
    )


def _toward(old: Json, new: Json, *, up: Direction, down: Direction) -> Direction:
    if old is None or new is None:
        return "narrowed" if old is None else "widened"
    if isinstance(old, int | float) and isinstance(new, int | float):
        return (up if new > old else down) if is_number(old) and is_number(new) else "changed"
    return "changed"


def _types(old: Json, new: Json, at: Steps) -> Iterator[ToolChange]:
    before, after = _kinds(old), _kinds(new)
    direction = "widened" if before < after else "narrowed" if after < before else "changed"
    yield ToolChange(pointer(*at), direction, _from_to("type", old, new))


def _kinds(names: Json) -> set[str]:
    if names is None:
        return set(TYPES)
    kinds = {str(name) for name in (names if isinstance(names, list) else [names])}
    return kinds | {"integer"} if "number" in kinds else kinds


def _required(old: Json, new: Json, at: Steps) -> Iterator[ToolChange]:
    before, after = _list(old), _list(new)
    for name in after:
        if name not in before:
            yield ToolChange(pointer(*at), "narrowed", f"{name!r} is required now")
    for name in before:
        if name not in after:
            yield ToolChange(pointer(*at), "widened", f"{name!r} is no longer required")


def _properties(old: Json, new: Json, at: Steps) -> Iterator[ToolChange]:
    before, after = _dict(old), _dict(new)
    for name in _names(before, after):
        if name not in before:
            # `required` reports whether it is required.
            yield ToolChange(pointer(*at, name), "widened", f"{name!r} was added")
        elif name not in after:
            yield ToolChange(pointer(*at, name), "narrowed", f"{name!r} was removed")
        else:
            yield from _schema(before[name], after[name], (*at, name))


def _by_name(old: Json, new: Json, at: Steps) -> Iterator[ToolChange]:
    before, after = _dict(old), _dict(new)
    for name in _names(before, after):
        yield from _schema(before.get(name, True), after.get(name, True), (*at, name))


def _definitions(old: Json, new: Json, at: Steps) -> Iterator[ToolChange]:
    before, after = _dict(old), _dict(new)
    for name in _names(before, after):
        if name in before and name in after:
            yield from _schema(before[name], after[name], (*at, name))
        else:
            what = "added" if name in after else "removed"
            yield ToolChange(pointer(*at, name), "text_only", f"the definition {name!r} was {what}")


def _one(old: Json, new: Json, at: Steps) -> Iterator[ToolChange]:
    if isinstance(old, list) or isinstance(new, list):
        yield from _in_turn(old, new, at)
    else:
        yield from _schema(True if old is None else old, True if new is None else new, at)


def _in_turn(old: Json, new: Json, at: Steps) -> Iterator[ToolChange]:
    if not isinstance(old, list | None) or not isinstance(new, list | None):
        yield from _other(old, new, at)
        return
    before, after = _list(old), _list(new)
    for index in range(max(len(before), len(after))):
        one = before[index] if index < len(before) else True
        two = after[index] if index < len(after) else True
        yield from _schema(one, two, (*at, index))


def _not(old: Json, new: Json, at: Steps) -> Iterator[ToolChange]:
    """Invert the direction: excluding more accepts less."""
    for change in _schema(False if old is None else old, False if new is None else new, at):
        yield ToolChange(change.pointer, _opposite(change.direction), change.message)


def _opposite(direction: Direction) -> Direction:
    match direction:
        case "narrowed":
            return "widened"
        case "widened":
            return "narrowed"
        case _:
            return direction


def _any_of(old: Json, new: Json, at: Steps) -> Iterator[ToolChange]:
    return _alternatives(old, new, at, more="widened", fewer="narrowed")


def _all_of(old: Json, new: Json, at: Steps) -> Iterator[ToolChange]:
    return _alternatives(old, new, at, more="narrowed", fewer="widened")


def _alternatives(
    old: Json, new: Json, at: Steps, *, more: Direction, fewer: Direction
) -> Iterator[ToolChange]:
    before, after = _list(old), _list(new)
    if not before or not after:
        # Having alternatives at all is a restriction, however many there are.
        direction = "narrowed" if not before else "widened"
        yield ToolChange(
            pointer(*at), direction, f"{at[-1]} was {'added' if not before else 'removed'}"
        )
    elif len(before) == len(after):
        for index, (one, two) in enumerate(zip(before, after, strict=True)):
            yield from _schema(one, two, (*at, index))
    else:
        known, kept = ({canonical(one) for one in ones} for ones in (before, after))
        for index, one in enumerate(before):
            if canonical(one) not in kept:
                yield ToolChange(pointer(*at), fewer, f"alternative {index} was removed")
        for index, one in enumerate(after):
            if canonical(one) not in known:
                yield ToolChange(pointer(*at, index), more, f"alternative {index} was added")


def _unique(old: Json, new: Json, at: Steps) -> Iterator[ToolChange]:
    is_stricter = new is True
    if is_stricter or old is True:
        direction = "narrowed" if is_stricter else "widened"
        yield ToolChange(pointer(*at), direction, _from_to("uniqueItems", old, new))


def _from_to(what: str, old: Json, new: Json) -> str:
    if old is None:
        return f"{what} {shown(new)} was added"
    if new is None:
        return f"{what} {shown(old)} was removed"
    return f"{what} changed from {shown(old)} to {shown(new)}"


def _names(old: JsonObject, new: JsonObject) -> list[str]:
    return [*old, *(key for key in new if key not in old)]


def _equal(old: Json, new: Json) -> bool:
    return canonical(old) == canonical(new)


def _dict(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


_RULES: dict[str, Rule] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems"), _least),
    **dict.fromkeys(("minProperties", "minContains"), _least),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems"), _most),
    **dict.fromkeys(("maxProperties", "maxContains"), _most),
    **dict.fromkeys(("pattern", "format", "multipleOf", "dependentRequired"), _demand),
    **dict.fromkeys(("additionalProperties", "items", "propertyNames", "contains"), _one),
    **dict.fromkeys(("additionalItems", "unevaluatedItems", "unevaluatedProperties"), _one),
    **dict.fromkeys(("patternProperties", "dependentSchemas"), _by_name),
    **dict.fromkeys(("$defs", "definitions"), _definitions),
    **dict.fromkeys(("$schema", "$ref", "$dynamicRef", "$dynamicAnchor", "default"), _other),
    **dict.fromkeys(("if", "then", "else", "dependencies", "$id", "id", "$anchor"), _other),
    **dict.fromkeys(ANNOTATIONS, _text),
    **dict.fromkeys(("enum", "const"), _nothing),
    "type": _types,
    "required": _required,
    "properties": _properties,
    "prefixItems": _in_turn,
    "not": _not,
    "anyOf": _any_of,
    "oneOf": _any_of,
    "allOf": _all_of,
    "uniqueItems": _unique,
}
