"""JSON Schemas as a migration reads them: references expanded, one kind, texts apart."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from toolweave.json_text import Json, JsonObject, canonical
from toolweave.tools.schema import compile_schema

# Names of properties; `*` stands for the items of an array.
SchemaPath: TypeAlias = tuple[str, ...]
Certainty = Literal["certain", "likely"]

ITEMS = "*"
MAX_DEPTH = 8
# A recursive schema grows with every level; a larger one is compared in part only.
MAX_SCHEMAS = 5_000
_TEXTS = frozenset({"description", "title", "examples", "$comment", "default", "deprecated"})
_WORD = re.compile(r"[a-z]+|\d+(?:\.\d+)?")
# Words that say how a value is meant: another one makes another value of the same text or number.
_UNITS = frozenset(
    {"ms", "millisecond", "milliseconds", "sec", "second", "seconds", "minute", "minutes"}
    | {"hour", "hours", "day", "days", "week", "weeks", "month", "months", "year", "years"}
    | {"byte", "bytes", "kb", "kib", "mb", "mib", "gb", "gib", "cent", "cents", "dollar"}
    | {"dollars", "euro", "euros", "percent", "percentage", "fraction", "ratio", "unit", "units"}
    | {"px", "pixel", "pixels", "inch", "inches", "cm", "mm", "meter", "meters", "km", "mile"}
    | {"miles", "celsius", "fahrenheit", "kelvin", "degree", "degrees", "radian", "radians"}
    | {"utc", "epoch", "unix", "iso8601", "comma", "separated", "delimited", "newline", "base64"}
    | {"hex", "absolute", "relative", "regex", "glob", "not", "never", "except", "exclude"}
    | {"excludes", "excluding", "without", "ascending", "descending", "inclusive", "exclusive"}
)


@dataclass(frozen=True, slots=True)
class SchemaProperty:
    """A property: its place, its expanded schema, its position and whether it is required."""

    path: SchemaPath
    schema: JsonObject = field(hash=False)
    position: int
    is_required: bool

    @property
    def name(self) -> str:
        """Its own name."""
        return self.path[-1]


@dataclass(slots=True)
class ExpandedSchema:
    """A schema without references and with an optional null taken out.

    `is_cut`: it is too large, and parts of it are missing.
    """

    root: JsonObject
    left: int = MAX_SCHEMAS
    is_cut: bool = False

    def expand(self) -> JsonObject:
        """Return the whole schema."""
        return self._expanded(self.root, 0)

    def _expanded(self, schema: Json, depth: int) -> JsonObject:
        if not isinstance(schema, dict) or depth > MAX_DEPTH:
            return {}
        if self.left <= 0:
            self.is_cut = True
            return {}
        self.left -= 1
        reference = schema.get("$ref")
        if isinstance(reference, str):
            target = _target(reference, self.root)
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            return self._expanded({**target, **beside}, depth + 1)
        schema = _single(schema)
        if "$ref" in schema:
            return self._expanded(schema, depth + 1)
        return self._members(schema, depth + 1)

    def _members(self, schema: JsonObject, depth: int) -> JsonObject:
        found: JsonObject = {
            key: value for key, value in schema.items() if key not in ("$defs", "definitions")
        }
        properties = schema.get("properties")
        if isinstance(properties, dict):
            found["properties"] = {
                name: self._expanded(inner, depth) for name, inner in properties.items()
            }
        if isinstance(schema.get("items"), dict):
            found["items"] = self._expanded(schema["items"], depth)
        for keyword in ("anyOf", "oneOf", "allOf"):
            inner = schema.get(keyword)
            if isinstance(inner, list):
                found[keyword] = [self._expanded(each, depth) for each in inner]
        return found


def _single(schema: JsonObject) -> JsonObject:
    """Return the only alternative besides null, together with what stands beside it."""
    for keyword in ("anyOf", "oneOf", "allOf"):
        inner = schema.get(keyword)
        if not isinstance(inner, list):
            continue
        others = [one for one in inner if isinstance(one, dict) and one.get("type") != "null"]
        if len(others) == 1:
            beside = {key: value for key, value in schema.items() if key != keyword}
            return {**others[0], **beside}
    return schema


def _target(reference: str, root: JsonObject) -> JsonObject:
    found: Json = root
    for step in reference.removeprefix("#/").split("/") if reference.startswith("#/") else ():
        name = step.replace("~1", "/").replace("~0", "~")
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) and found is not root else {}


def kind_of(schema: JsonObject) -> str | None:
    """Return the one type of a schema; None if there are several or none."""
    named = schema.get("type")
    if isinstance(named, list):
        kinds = [one for one in named if one != "null"]
        named = kinds[0] if len(kinds) == 1 else None
    if isinstance(named, str):
        return named
    if isinstance(schema.get("properties"), dict):
        return "object"
    options = options_of(schema)
    if options and all(isinstance(option, str) for option in options):
        return "string"
    return None


def options_of(schema: JsonObject) -> list[Json] | None:
    """Return the only allowed values, if they are listed."""
    if "const" in schema:
        return [schema["const"]]
    options = schema.get("enum")
    return options if isinstance(options, list) else None


def properties_of(schema: JsonObject, at: SchemaPath = ()) -> Iterator[SchemaProperty]:
    """Yield the direct properties of an object."""
    properties, required = schema.get("properties"), schema.get("required")
    needed = required if isinstance(required, list) else []
    if isinstance(properties, dict):
        for position, (name, inner) in enumerate(properties.items()):
            known = inner if isinstance(inner, dict) else {}
            yield SchemaProperty((*at, name), known, position, name in needed)


def description_of(schema: JsonObject) -> str:
    """Return the description of a schema; empty if there is none."""
    text = schema.get("description")
    return " ".join(text.split()) if isinstance(text, str) else ""


def rules_of(schema: Json) -> Json:
    """Return a schema without texts and defaults: what decides which values fit."""
    if not isinstance(schema, dict):
        return schema
    found: JsonObject = {}
    for key, value in schema.items():
        if key in _TEXTS:
            continue
        if key == "properties" and isinstance(value, dict):
            found[key] = {name: rules_of(inner) for name, inner in value.items()}
        elif isinstance(value, dict):
            found[key] = rules_of(value)
        elif isinstance(value, list) and key in ("anyOf", "oneOf", "allOf"):
            found[key] = [rules_of(inner) for inner in value]
        else:
            found[key] = value
    return found


def has_same_rules(old: Json, new: Json) -> bool:
    """Whether two schemas accept the same values, as written."""
    return canonical(rules_of(old)) == canonical(rules_of(new))


def accepts(schema: JsonObject, value: Json) -> bool:
    """Whether a value fits an expanded schema."""
    return compile_schema(schema).judge(value).verdict == "valid"


def may_mean_other(old: JsonObject, new: JsonObject) -> bool:
    """Whether two descriptions differ in a unit, a number or the like."""
    before, after = description_of(old), description_of(new)
    if before == after or not before or not after:
        return False
    return _telling(before) != _telling(after)


def is_described_anew(old: JsonObject, new: JsonObject) -> bool:
    """Whether two descriptions have next to nothing in common."""
    before, after = (
        {word for word in _WORD.findall(description_of(one).lower()) if len(word) > 3}
        for one in (old, new)
    )
    if len(before) < 3 or len(after) < 3:
        return False
    return len(before & after) < 0.2 * min(len(before), len(after))


def has_new_meaning(old: JsonObject, new: JsonObject) -> bool:
    """Whether the new description names a unit, a number or the like that the old one does not."""
    return bool(_telling(description_of(new)) - _telling(description_of(old)))


def _telling(text: str) -> frozenset[str]:
    words = _WORD.findall(text.lower())
    return frozenset(word for word in words if word in _UNITS or word[0].isdigit())
