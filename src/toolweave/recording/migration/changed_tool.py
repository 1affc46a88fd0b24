"""What changed in a tool between two descriptions of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from toolweave.json_text import Json, JsonObject, canonical
from toolweave.recording.migration.schema_comparison import SchemaComparison, compare_schemas
from toolweave.recording.migration.schema_view import (
    Certainty,
    SchemaPath,
    SchemaProperty,
    description_of,
    kind_of,
    options_of,
)
from toolweave.tools.meaning import plain_word
from toolweave.tools.value_preview import shown

TypedChangeKind = Literal[
    "added",
    "removed",
    "renamed",
    "moved",
    "exchanged",
    "type",
    "enum_added",
    "enum_removed",
    "enum_renamed",
    "required",
    "optional",
    "default",
    "description",
    "constraint",
    "annotations",
    "tool_added",
    "tool_removed",
    "tool_renamed",
]
ChangeSide = Literal["tool", "input", "output"]
_SHOWN_ELSEWHERE = frozenset(
    {"type", "enum", "const", "default", "description", "title", "properties", "required", "items"}
    | {"examples", "$comment", "$schema", "$defs", "definitions"}
)


@dataclass(frozen=True, slots=True)
class TypedChange:
    """One change: of the tool, a parameter or a field of the result; dots separate levels."""

    kind: TypedChangeKind
    side: ChangeSide
    parameter: str
    message: str
    certainty: Certainty = "certain"
    now: str | None = None


@dataclass(frozen=True)
class ChangedTool:
    """A tool with its approved and its current definition; either may be missing."""

    server: str
    name: str
    old: JsonObject | None
    new: JsonObject | None
    # How sure it is that a tool with another name is this one.
    certainty: Certainty = "certain"
    reason: str = ""

    @property
    def new_name(self) -> str | None:
        """Its current name; None if it is gone."""
        return str(self.new.get("name")) if self.new is not None else None

    @cached_property
    def inputs(self) -> SchemaComparison:
        """The comparison of what it takes."""
        return compare_schemas(*self._schemas("inputSchema"))

    @cached_property
    def outputs(self) -> SchemaComparison | None:
        """The comparison of what it returns; None if that is unchanged or not described."""
        old, new = self._schemas("outputSchema")
        if old is None or new is None or canonical(old) == canonical(new):
            return None
        return compare_schemas(old, new)

    @cached_property
    def changes(self) -> tuple[TypedChange, ...]:
        """All changes."""
        return tuple(_changes(self))

    def _schemas(self, key: str) -> tuple[Json, Json]:
        return (self.old or {}).get(key), (self.new or {}).get(key)


def _changes(tool: ChangedTool) -> Iterator[TypedChange]:
    if tool.old is None:
        yield TypedChange("tool_added", "tool", "", "the tool is new")
        return
    if tool.new is None:
        yield TypedChange("tool_removed", "tool", "", "the tool is gone")
        return
    if tool.new_name != tool.name:
        message = f"the tool is {tool.new_name!r} now: {tool.reason}"
        yield TypedChange("tool_renamed", "tool", "", message, tool.certainty, tool.new_name)
    yield from _of_texts(tool.old, tool.new)
    yield from _of_schemas("input", tool.inputs)
    old, new = tool.old.get("outputSchema"), tool.new.get("outputSchema")
    if tool.outputs is not None:
        yield from _of_schemas("output", tool.outputs)
    elif old != new:
        what = "is described now" if old is None else "is no longer described"
        kind: TypedChangeKind = "added" if old is None else "removed"
        yield TypedChange(kind, "output", "", f"the result {what}")


def _of_texts(old: JsonObject, new: JsonObject) -> Iterator[TypedChange]:
    if description_of(old) != description_of(new):
        # In full, as the end of a description can say what to do with the next answer.
        texts = (repr(description_of(one)) for one in (old, new))
        yield TypedChange("description", "tool", "", "the description {} became {}".format(*texts))
    before, after = (_object(one.get("annotations")) for one in (old, new))
    for key in sorted({*before, *after}):
        if before.get(key) != after.get(key):
            message = f"{key}: {_value(before.get(key))} became {_value(after.get(key))}"
            yield TypedChange("annotations", "tool", key, message)


def _of_schemas(side: ChangeSide, compared: SchemaComparison) -> Iterator[TypedChange]:
    for pair in compared.pairs.values():
        now = _dotted(pair.new.path)
        message = f"{pair.kind} to {now!r}: {pair.reason}"
        yield TypedChange(pair.kind, side, _dotted(pair.old.path), message, pair.certainty, now)
    for path, one in compared.removed.items():
        names = [repr(_dotted(each)) for each in compared.unclear.get(path, ())]
        message = f"removed; it may be {' or '.join(names)} now" if names else "removed"
        yield TypedChange("removed", side, _dotted(one.path), message)
    for one in compared.added.values():
        needs = "required" if one.is_required and side == "input" else "optional"
        default = f", default {shown(one.schema['default'])}" if "default" in one.schema else ""
        kind = kind_of(one.schema) or "any type"
        words = f"{needs}, " if side == "input" else ""
        yield TypedChange("added", side, _dotted(one.path), f"added: {words}{kind}{default}")
    for old, new in compared.matched():
        yield from _of_property(side, old, new)


def _of_property(
    side: ChangeSide, old: SchemaProperty, new: SchemaProperty
) -> Iterator[TypedChange]:
    name = _dotted(new.path)
    before, after = _kind(old.schema), _kind(new.schema)
    if before != after:
        yield TypedChange("type", side, name, f"{before} became {after}")
    yield from _of_options(side, name, old.schema, new.schema)
    if old.is_required != new.is_required:
        kind: TypedChangeKind = "required" if new.is_required else "optional"
        words = "required now" if new.is_required else "no longer required"
        yield TypedChange(kind, side, name, words)
    if old.schema.get("default") != new.schema.get("default"):
        texts = (_value(one.schema.get("default")) for one in (old, new))
        yield TypedChange("default", side, name, "the default {} became {}".format(*texts))
    if description_of(old.schema) != description_of(new.schema):
        texts = (repr(description_of(one.schema)) for one in (old, new))
        yield TypedChange("description", side, name, "{} became {}".format(*texts))
    for key in sorted({*old.schema, *new.schema} - _SHOWN_ELSEWHERE):
        if old.schema.get(key) != new.schema.get(key):
            texts = (_value(one.schema.get(key)) for one in (old, new))
            yield TypedChange("constraint", side, name, "{}: {} became {}".format(key, *texts))


def _of_options(
    side: ChangeSide, name: str, old: JsonObject, new: JsonObject
) -> Iterator[TypedChange]:
    before, after = options_of(old), options_of(new)
    if before is None or after is None:
        if before != after:
            words = "no longer limited to options" if after is None else "limited to options now"
            kind: TypedChangeKind = "enum_added" if after is None else "enum_removed"
            yield TypedChange(kind, side, name, words)
        return
    gone = [one for one in before if one not in after]
    came = [one for one in after if one not in before]
    for option in gone:
        same = [one for one in came if plain_word(str(one)) == plain_word(str(option))]
        if len(same) == 1:
            message = f"the option {shown(option)} is spelt {shown(same[0])} now"
            yield TypedChange("enum_renamed", side, name, message)
            came.remove(same[0])
        else:
            yield TypedChange("enum_removed", side, name, f"the option {shown(option)} is gone")
    for option in came:
        yield TypedChange("enum_added", side, name, f"the option {shown(option)} is new")


def _kind(schema: JsonObject) -> str:
    named = schema.get("type")
    if isinstance(named, list):
        return " or ".join(str(one) for one in named)
    kind = kind_of(schema) or "any type"
    items = schema.get("items")
    return f"array of {_kind(items)}" if kind == "array" and isinstance(items, dict) else kind


def _dotted(path: SchemaPath) -> str:
    return ".".join(path).replace(".*", "[]")


def _value(value: Json) -> str:
    return "none" if value is None else shown(value)


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}
