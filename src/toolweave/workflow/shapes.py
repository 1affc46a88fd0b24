"""The known shape of a value before a run: a bounded view of JSON Schema.

A shape takes in at least every value its schema allows, so a "no" is certain; keywords that only
narrow further may be passed over. Trees are cut at a depth and a size, and are unknown below.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from typing import Literal, NamedTuple, cast

import orjson

from toolweave.cel.paths import Each, Step
from toolweave.json_text import Json, JsonObject
from toolweave.tools.document import SchemaDocument
from toolweave.tools.keywords import ANNOTATIONS
from toolweave.tools.unions import kind_of

Kind = Literal["string", "integer", "fraction", "boolean", "null", "object", "array"]
# Fields that are not named: there are none, the schema does not say, or any may be there.
Others = Literal["none", "unsaid", "any"]
Fit = Literal["yes", "no", "unknown"]

MAX_DEPTH = 10
MAX_SIZE = 2_000
_MAX_REMEMBERED = 16 * 1024

_KINDS_OF: dict[str, frozenset[Kind]] = {
    "string": frozenset({"string"}),
    "integer": frozenset({"integer"}),
    "number": frozenset({"integer", "fraction"}),
    "boolean": frozenset({"boolean"}),
    "null": frozenset({"null"}),
    "object": frozenset({"object"}),
    "array": frozenset({"array"}),
}
ALL: frozenset[Kind] = frozenset(kind for kinds in _KINDS_OF.values() for kind in kinds)
SCALARS = ALL - {"object", "array"}
_WORDS: dict[Kind, str] = {
    "string": "text",
    "integer": "a whole number",
    "fraction": "a number",
    "boolean": "true or false",
    "null": "null",
    "object": "an object",
    "array": "a list",
}
# What is taken in here; a schema with any other keyword allows less than its shape says.
_READ = (
    ANNOTATIONS
    | {"type", "enum", "const", "properties", "required", "additionalProperties", "items"}
    | {"$ref", "allOf", "anyOf", "$defs", "definitions", "$schema", "$id", "default"}
    | {"nullable"}
)


@dataclass(frozen=True, slots=True, eq=False)
class ValueShape:
    """The kinds a value can be of, and what it then holds; by default anything."""

    kinds: frozenset[Kind] = ALL
    fields: "Mapping[str, ValueShape]" = field(default_factory=dict[str, "ValueShape"])
    others: Others = "any"
    # What a field that is not named holds, where that is known.
    rest: "ValueShape | None" = None
    needed: frozenset[str] = frozenset()
    items: "ValueShape | None" = None
    # The only values there are.
    options: tuple[Json, ...] | None = None
    # Whether values may be refused for other reasons.
    is_limited: bool = False

    @property
    def is_unknown(self) -> bool:
        """Whether it says nothing of the kind of a value."""
        return self.kinds == ALL

    @property
    def words(self) -> str:
        """What it can be, for people: `text or null`."""
        kinds = self.kinds - ({"integer"} if "fraction" in self.kinds else set())
        return " or ".join(word for kind, word in _WORDS.items() if kind in kinds)


# Anything; and what could not be read, of which nothing is known either.
UNKNOWN = ValueShape()
UNREAD = ValueShape(is_limited=True)
TEXT = ValueShape(_KINDS_OF["string"])
BOOLEAN = ValueShape(_KINDS_OF["boolean"])
OBJECT = ValueShape(_KINDS_OF["object"])


_OF_KINDS = {name: ValueShape(kinds) for name, kinds in _KINDS_OF.items()}


def of_kind(name: str) -> ValueShape:
    """The shape of a JSON Schema type."""
    return _OF_KINDS[name]


# CEL's own words for what an expression gives.
_CEL = {
    "bool": "boolean",
    "int": "integer",
    "uint": "integer",
    "double": "number",
    "string": "string",
    "bytes": "string",
    "null_type": "null",
    "list": "array",
    "map": "object",
    "timestamp": "string",
    "duration": "string",
}


def of_cel(kind: str | None) -> ValueShape:
    """The shape of what an expression of this kind gives."""
    return of_kind(_CEL[kind]) if kind in _CEL else UNKNOWN


def of_fields(fields: Mapping[str, ValueShape], others: Others) -> ValueShape:
    """An object with these fields."""
    return ValueShape(_KINDS_OF["object"], fields, others)


def of_value(value: Json) -> ValueShape:
    """The shape of a literal; deeper levels are unknown."""
    if isinstance(value, dict):
        return of_fields(dict.fromkeys(value, UNKNOWN), "none")
    if isinstance(value, list):
        return of_kind("array")
    return ValueShape(frozenset({_kind(value)}), options=(value,))


def of_schema(schema: Json) -> ValueShape:
    """What a JSON Schema says of its values; references leave the document nowhere."""
    try:
        text = orjson.dumps(schema)
    except TypeError:
        text = b""
    if 0 < len(text) <= _MAX_REMEMBERED:
        return _remembered(text)
    return _Reader(SchemaDocument(schema)).shape(schema, 0)


@lru_cache(maxsize=512)
def _remembered(text: bytes) -> ValueShape:
    """The shape of a schema's text: every workflow that is checked asks for those of its tools."""
    schema: Json = orjson.loads(text)
    return _Reader(SchemaDocument(schema)).shape(schema, 0)


class FieldLookup(NamedTuple):
    """What a step into a value finds: that it is named, may be there, is not named, or cannot be.

    `unsaid`: the schema names other fields and does not say whether there are more.
    """

    verdict: Literal["named", "open", "unsaid", "absent"]
    shape: ValueShape = UNKNOWN


_OPEN = FieldLookup("open")
_ABSENT = FieldLookup("absent")


def look_up(shape: ValueShape, step: Step) -> FieldLookup:
    """One step into a value: a field, a place in a list, or each item."""
    if shape is UNKNOWN:
        return _OPEN
    if isinstance(step, Each):
        is_iterable = not shape.kinds.isdisjoint({"array", "object"})
        is_list = is_iterable and "object" not in shape.kinds
        return FieldLookup("open", shape.items or UNKNOWN) if is_list else _found(is_iterable)
    if isinstance(step, int):
        if "object" in shape.kinds or "array" not in shape.kinds:
            return _found("object" in shape.kinds)
        return FieldLookup("open", shape.items or UNKNOWN)
    if "object" not in shape.kinds:
        return _ABSENT
    if step in shape.fields:
        return FieldLookup("named", shape.fields[step])
    if shape.others == "any":
        return _OPEN if shape.rest is None else FieldLookup("open", shape.rest)
    return _ABSENT if shape.others == "none" else FieldLookup("unsaid")


def shape_at(shape: ValueShape, step: Step) -> ValueShape:
    """The shape of what one step into a value leads to."""
    # Most steps are fields that the shape names.
    if isinstance(step, str) and step in shape.fields and "object" in shape.kinds:
        return shape.fields[step]
    return look_up(shape, step).shape


def _found(may_be: bool) -> FieldLookup:
    return _OPEN if may_be else _ABSENT


def join(one: ValueShape, other: ValueShape) -> ValueShape:
    """What is known of a value that is of one shape or of the other."""
    if one is other:
        return one
    if one is UNKNOWN or other is UNKNOWN:
        return UNKNOWN
    if not _is_small(one, other):
        return UNREAD
    options = None
    if one.options is not None and other.options is not None:
        options = one.options + other.options
    kinds = one.kinds | other.kinds
    items = _joined_items(one, other)
    has_lost = options is None and not (one.options is None and other.options is None)
    is_limited = one.is_limited or other.is_limited or has_lost
    if "object" not in one.kinds or "object" not in other.kinds:
        objects = one if "object" in one.kinds else other
        return replace(objects, kinds=kinds, items=items, options=options, is_limited=is_limited)
    names = dict.fromkeys((*one.fields, *other.fields))
    fields = {name: _joined_field(name, one, other) for name in names}
    closed = one.others == other.others == "none"
    is_open = "any" in (one.others, other.others)
    others: Others = "none" if closed else "any" if is_open else "unsaid"
    return ValueShape(
        kinds, fields, others, None, one.needed & other.needed, items, options, is_limited
    )


def join_all(shapes: Iterable[ValueShape]) -> ValueShape:
    """What is known of a value that is of one of the shapes; unknown where there are none."""
    found = list(shapes)
    return reduce(join, found) if found else UNKNOWN


def _joined_field(name: str, one: ValueShape, other: ValueShape) -> ValueShape:
    if name in one.fields and name in other.fields:
        return join(one.fields[name], other.fields[name])
    having, lacking = (one, other) if name in one.fields else (other, one)
    return having.fields[name] if lacking.others == "none" else UNKNOWN


def _joined_items(one: ValueShape, other: ValueShape) -> ValueShape | None:
    if "array" not in one.kinds or "array" not in other.kinds:
        return one.items if "array" in one.kinds else other.items
    return join(one.items, other.items) if one.items and other.items else None


def _is_small(*shapes: ValueShape) -> bool:
    left = MAX_SIZE
    waiting = list(shapes)
    while waiting and left > 0:
        shape = waiting.pop()
        left -= 1
        waiting.extend(shape.fields.values())
        if shape.items is not None:
            waiting.append(shape.items)
    return left > 0


def meet(one: ValueShape, other: ValueShape) -> ValueShape:
    """What is known of a value that is of both shapes."""
    if one is UNKNOWN or other is UNKNOWN:
        return other if one is UNKNOWN else one
    kinds = one.kinds & other.kinds
    if not kinds:
        return UNREAD
    fields: dict[str, ValueShape] = {}
    for name in dict.fromkeys((*one.fields, *other.fields)):
        first, second = look_up(one, name), look_up(other, name)
        if "object" in kinds and "absent" not in (first.verdict, second.verdict):
            fields[name] = meet(first.shape, second.shape)
    others: Others = (
        "none"
        if "none" in (one.others, other.others)
        else "unsaid"
        if "unsaid" in (one.others, other.others)
        else "any"
    )
    return ValueShape(
        kinds,
        fields,
        others,
        one.rest if other.rest is None else other.rest if one.rest is None else None,
        one.needed | other.needed,
        one.items if other.items is None else other.items if one.items is None else None,
        one.options if other.options is None else other.options,
        one.is_limited or other.is_limited or not (one.options is None or other.options is None),
    )


def fits(shape: ValueShape, wanted: ValueShape) -> Fit:
    """Whether a value of `shape` can be what `wanted` asks for; no and yes are certain."""
    both = shape.kinds & wanted.kinds
    if not both or _only_other_values(shape, wanted):
        return "no"
    if both == OBJECT.kinds and _clash(shape, wanted):
        return "no"
    if not shape.kinds <= wanted.kinds or wanted.is_limited:
        return "unknown"
    is_plain = shape.kinds <= SCALARS and wanted.options is None
    return "yes" if is_plain or wanted is UNKNOWN else "unknown"


def _only_other_values(shape: ValueShape, wanted: ValueShape) -> bool:
    if shape.options is None or wanted.options is None:
        return False
    # As Python compares numbers, so that 1 is 1.0; the kind keeps true apart from 1.
    allowed = [(_kind(option), option) for option in wanted.options]
    return not any((_kind(option), option) in allowed for option in shape.options)


def _clash(shape: ValueShape, wanted: ValueShape) -> bool:
    """Whether a field that must be there cannot be, or cannot be right."""
    for name in wanted.needed | shape.needed:
        given, asked = look_up(shape, name), look_up(wanted, name)
        if "absent" in (given.verdict, asked.verdict) or fits(given.shape, asked.shape) == "no":
            return True
    return False


def _kind(value: Json) -> Kind:
    kind = kind_of(value)  # of a value, never `union` or `any`
    return "fraction" if kind == "number" else cast("Kind", kind)


class _Reader:
    def __init__(self, document: SchemaDocument) -> None:
        self._document = document
        self._left = MAX_SIZE

    def shape(self, schema: Json, depth: int) -> ValueShape:
        self._left -= 1
        if schema is True:
            return UNKNOWN
        if not isinstance(schema, dict) or depth > MAX_DEPTH or self._left < 0:
            return UNREAD
        found = self._own(schema, depth)
        reference = schema.get("$ref")
        if isinstance(reference, str):
            found = meet(found, self._target(reference, depth))
        for part in _listed(schema.get("allOf")):
            found = meet(found, self.shape(part, depth + 1))
        for keyword in ("anyOf", "oneOf"):
            if parts := _listed(schema.get(keyword)):
                alternatives = [self.shape(part, depth + 1) for part in parts]
                found = meet(found, join_all(alternatives))
        return found

    def _target(self, reference: str, depth: int) -> ValueShape:
        try:
            target = self._document.target(reference)
        except LookupError:
            return UNREAD
        return self.shape(target, depth + 1)

    def _own(self, schema: JsonObject, depth: int) -> ValueShape:
        options = _options(schema)
        kinds = _types(schema)
        if options is not None:
            kinds &= frozenset(_kind(option) for option in options)
        is_limited = not schema.keys() <= _READ
        properties = schema.get("properties")
        named = properties if isinstance(properties, dict) else {}
        if kinds == ALL and not named and options is None and "additionalProperties" not in schema:
            return UNREAD if is_limited or "required" in schema or "items" in schema else UNKNOWN
        # Of what some pattern or place decides too, nothing is said.
        rest = None if "patternProperties" in schema else schema.get("additionalProperties")
        needed = (one for one in _listed(schema.get("required")) if isinstance(one, str))
        items = None if "prefixItems" in schema else schema.get("items")
        return ValueShape(
            kinds or ALL,
            {name: self.shape(one, depth + 1) for name, one in named.items()},
            _others(schema),
            self.shape(rest, depth + 1) if isinstance(rest, dict) else None,
            frozenset(needed),
            self.shape(items, depth + 1) if isinstance(items, dict) else None,
            options,
            is_limited or not kinds,
        )


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _options(schema: JsonObject) -> tuple[Json, ...] | None:
    if "const" in schema:
        return (schema["const"],)
    options = schema.get("enum")
    if not isinstance(options, list) or not options:
        return None
    return (*options, None) if schema.get("nullable") is True else tuple(options)


def _types(schema: JsonObject) -> frozenset[Kind]:
    named = schema.get("type")
    names = named if isinstance(named, list) else [named]
    found = [_KINDS_OF[name] for name in names if isinstance(name, str) and name in _KINDS_OF]
    if not found or len(found) < len(names):
        return ALL
    if schema.get("nullable") is True:
        found.append(_KINDS_OF["null"])
    return frozenset(kind for kinds in found for kind in kinds)


def _others(schema: JsonObject) -> Others:
    rest = schema.get("additionalProperties")
    if "patternProperties" in schema:
        return "any"
    if rest is False:
        return "none"
    return "unsaid" if rest is None and schema.get("properties") else "any"
