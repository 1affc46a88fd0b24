"""Why a value does not fit a schema: every fault with its place.

The compiled validator decides whether a value fits; this only explains a refusal. The validator's
own list of errors cannot be used: on recursive alternatives it takes exponential time. Here each
schema judges each place once, and the number of judgements is bounded.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import jsonschema_rs

from toolweave.json_text import Json, JsonObject, canonical
from toolweave.tools.dialect import LONE_REFERENCES, Dialect, validator_for
from toolweave.tools.document import Document, Steps, references
from toolweave.tools.keywords import IN_PLACE, subschemas
from toolweave.tools.schema import CompiledSchema

MAX_JUDGEMENTS = 10_000
MAX_FAULTS = 100

# Keywords that judge the value itself; the validator is asked about these, one schema at a time.
_OWN = frozenset(
    {"type", "enum", "const", "multipleOf", "required", "dependentRequired", "uniqueItems"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "pattern", "format"}
    | {"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"}
)


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: where in the value, which keyword of which schema, and what that asked for."""

    path: Steps
    keyword: str
    value: Json
    schema: JsonObject
    expected: Json = None


class TooManyJudgements(Exception):
    """The bound was reached before the whole value was explained."""


class Explainer:
    """Explains refusals by one compiled schema."""

    def __init__(self, compiled: CompiledSchema) -> None:
        self.root = compiled.root
        self._dialect: Dialect = compiled.dialect
        self._document = Document(compiled.root)
        self._known: dict[tuple[int, Steps], tuple[Fault, ...]] = {}
        self._validators: dict[int | str, jsonschema_rs.Validator] = {}
        self._left = MAX_JUDGEMENTS

    def fits(self, schema: Json, value: Json) -> bool:
        """Whether `schema` would take `value`, whatever it thinks of its format."""
        trial = ("trial", self._left)  # no place of the real value, and never the same twice
        return all(fault.keyword == "format" for fault in self.faults(schema, value, trial))

    def faults(self, schema: Json, value: Json, path: Steps = ()) -> tuple[Fault, ...]:
        """What `schema` finds wrong with the `value` at `path`.

        Nothing, if the keyword that refuses it is one that cannot be explained.

        Raises:
            TooManyJudgements: the value is too large to explain.
        """
        if not isinstance(schema, dict):
            return () if schema is not False else (Fault(path, "false", value, {}),)
        key = (id(schema), path)
        if key not in self._known:
            self._left -= 1
            if self._left < 0:
                raise TooManyJudgements
            # A schema that refers to itself adds nothing to what it says anyway.
            self._known[key] = ()
            self._known[key] = self._judge(schema, value, path)
        return self._known[key]

    def within(self, schema: Json) -> Iterator[JsonObject]:
        """The schema and all that judge the same value with it."""
        waiting, seen = [schema], set[int]()
        while waiting:
            one = waiting.pop()
            if isinstance(one, dict) and id(one) not in seen:
                seen.add(id(one))
                yield one
                waiting.extend(self._document.target(reference) for reference in references(one))
                waiting.extend(sub for keyword, _, sub in subschemas(one) if keyword in IN_PLACE)

    def _judge(self, schema: JsonObject, value: Json, path: Steps) -> tuple[Fault, ...]:
        followed = [self._document.target(reference) for reference in references(schema)]
        if followed and self._dialect in LONE_REFERENCES:
            return self.faults(followed[0], value, path)
        own = self._own(schema, value, path)
        if any(fault.keyword == "type" for fault in own):
            return tuple(fault for fault in own if fault.keyword == "type")
        found = {_identity(fault): fault for fault in own}
        for more in self._others(schema, followed, value, path):
            found |= {_identity(fault): fault for fault in more}
            if len(found) >= MAX_FAULTS:
                break
        return tuple(found.values())

    def _own(self, schema: JsonObject, value: Json, path: Steps) -> list[Fault]:
        if id(schema) not in self._validators:
            own = {keyword: schema[keyword] for keyword in schema.keys() & _OWN}
            self._validators[id(schema)] = validator_for(own, self._dialect)
        errors = self._validators[id(schema)].iter_errors(value)
        return [_own_fault(error, schema, value, path) for error in errors]

    def _others(
        self, schema: JsonObject, followed: list[Json], value: Json, path: Steps
    ) -> Iterator[Iterable[Fault]]:
        for sub in [*followed, *_list(schema, "allOf")]:
            yield self.faults(sub, value, path)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                yield self._alternatives(schema, keyword, value, path)
        if "not" in schema and not self.faults(schema["not"], value, path):
            yield [Fault(path, "not", value, schema)]
        if "if" in schema:
            branch = "else" if self.faults(schema["if"], value, path) else "then"
            yield self.faults(schema.get(branch, True), value, path)
        if isinstance(value, dict):
            yield from self._in_object(schema, value, path)
        if isinstance(value, list):
            yield from self._in_array(schema, value, path)

    def _alternatives(
        self, schema: JsonObject, keyword: str, value: Json, path: Steps
    ) -> Iterable[Fault]:
        every = [self.faults(variant, value, path) for variant in _list(schema, keyword)]
        fitting = sum(not faults for faults in every)
        if keyword == "oneOf" and fitting > 1:
            return [Fault(path, "oneOf", value, schema, fitting)]
        return () if fitting else nearest(every, schema, value, path)

    def _in_object(
        self, schema: JsonObject, value: JsonObject, path: Steps
    ) -> Iterator[Iterable[Fault]]:
        known, patterns = _dict(schema, "properties"), _dict(schema, "patternProperties")
        for keyword in ("dependentSchemas", "dependencies"):
            for name, sub in _dict(schema, keyword).items():
                if name in value:
                    yield self._dependent(schema, sub, value, path)
        for name, part in value.items():
            below = (*path, name)
            matching = [sub for pattern, sub in patterns.items() if self._matches(pattern, name)]
            for sub in [known[name]] if name in known else []:
                yield self.faults(sub, part, below)
            for sub in matching:
                yield self.faults(sub, part, below)
            if "propertyNames" in schema and not self.fits(schema["propertyNames"], name):
                yield [Fault(below, "propertyNames", name, schema, schema["propertyNames"])]
            if name not in known and not matching:
                yield self._additional(schema, part, below)
        if schema.get("unevaluatedProperties") is False:
            yield self._unevaluated(schema, value, path)

    def _dependent(
        self, schema: JsonObject, sub: Json, value: JsonObject, path: Steps
    ) -> Iterable[Fault]:
        if not isinstance(sub, list):
            return self.faults(sub, value, path)
        missing = [name for name in sub if isinstance(name, str) and name not in value]
        return [Fault(path, "required", value, schema, name) for name in missing]

    def _additional(self, schema: JsonObject, part: Json, below: Steps) -> Iterable[Fault]:
        extra = schema.get("additionalProperties", True)
        if extra is False:
            return [Fault(below, "additionalProperties", part, schema, list(self._names(schema)))]
        return self.faults(extra, part, below)

    def _unevaluated(self, schema: JsonObject, value: JsonObject, path: Steps) -> Iterable[Fault]:
        names = self._names(schema)
        patterns = [
            pattern for one in self.within(schema) for pattern in _dict(one, "patternProperties")
        ]
        for name, part in value.items():
            if name not in names and not any(self._matches(pattern, name) for pattern in patterns):
                yield Fault((*path, name), "additionalProperties", part, schema, list(names))

    def _names(self, schema: JsonObject) -> dict[str, None]:
        return {name: None for one in self.within(schema) for name in _dict(one, "properties")}

    def _in_array(
        self, schema: JsonObject, value: list[Json], path: Steps
    ) -> Iterator[Iterable[Fault]]:
        items = schema.get("items", True)
        tuple_like = isinstance(items, list)
        first = items if isinstance(items, list) else _list(schema, "prefixItems")
        rest = schema.get("additionalItems", True) if tuple_like else items
        for index, part in enumerate(value):
            sub = first[index] if index < len(first) else rest
            yield self.faults(sub, part, (*path, index))
        contains = schema.get("contains", True)
        if contains is not True and not any(self.fits(contains, part) for part in value):
            yield [Fault(path, "contains", value, schema)]

    def _matches(self, pattern: str, name: str) -> bool:
        if pattern not in self._validators:
            self._validators[pattern] = validator_for({"pattern": pattern}, self._dialect)
        return self._validators[pattern].is_valid(name)


def nearest(
    every: list[tuple[Fault, ...]], schema: JsonObject, value: Json, path: Steps
) -> Iterable[Fault]:
    """The faults of the alternative that was most likely meant, or what all of them ask for."""
    of_kind = [faults for faults in every if not _has(faults, "type", path)]
    if not of_kind:
        wanted = [fault for faults in every for fault in faults if fault.path == path]
        return [Fault(path, "type", value, schema, _together(wanted))]
    tags = [{fault.path for fault in faults if _is_tag(fault, path)} for faults in of_kind]
    untagged = [faults for faults, wrong in zip(of_kind, tags, strict=True) if not wrong]
    shared = tags[0].intersection(*tags[1:])
    if not untagged and shared:
        place = min(shared, key=str)
        asked = [fault for faults in of_kind for fault in faults if fault.path == place]
        return [Fault(place, "enum", asked[0].value, asked[0].schema, _together(asked))]
    if (missing := _missing_tag(of_kind, value, path)) is not None:
        return [missing]
    if all(_has(faults, "enum", path) or _has(faults, "const", path) for faults in of_kind):
        asked = [fault for faults in of_kind for fault in faults if fault.path == path]
        return [Fault(path, "enum", value, schema, _together(asked))]
    return min(untagged or of_kind, key=len)


def _missing_tag(every: list[tuple[Fault, ...]], value: Json, path: Steps) -> Fault | None:
    """The missing property that would tell the alternatives apart, with all its values."""
    by_name: dict[str, list[Json]] = {}
    for fault in (fault for faults in every for fault in faults):
        if fault.keyword == "required" and fault.path == path and isinstance(fault.expected, str):
            tag = _dict(fault.schema, "properties").get(fault.expected)
            fixed = [tag["const"]] if isinstance(tag, dict) and "const" in tag else []
            only = _list(tag, "enum") if isinstance(tag, dict) else []
            by_name.setdefault(fault.expected, []).extend(fixed or only)
    for name, values in by_name.items():
        if len({canonical(one) for one in values}) == len(every) > 1:
            return Fault(path, "required", value, {"properties": {name: {"enum": values}}}, name)
    return None


def _has(faults: tuple[Fault, ...], keyword: str, path: Steps) -> bool:
    return any(fault.keyword == keyword and fault.path == path for fault in faults)


def _is_tag(fault: Fault, path: Steps) -> bool:
    """Whether this is a property with one fixed value, right below the alternatives."""
    if len(fault.path) != len(path) + 1:
        return False
    is_single = isinstance(fault.expected, list) and len(fault.expected) == 1
    return fault.keyword == "const" or (fault.keyword == "enum" and is_single)


def _together(faults: list[Fault]) -> list[Json]:
    """All that these faults asked for, each once."""
    asked = {
        canonical(one): one
        for fault in faults
        for one in (fault.expected if isinstance(fault.expected, list) else [fault.expected])
    }
    return list(asked.values())


def _own_fault(
    error: jsonschema_rs.ValidationError, schema: JsonObject, value: Json, path: Steps
) -> Fault:
    kind = error.kind
    if isinstance(kind, jsonschema_rs.ValidationErrorKind.Required):
        return Fault(path, "required", value, schema, kind.property)
    if isinstance(kind, jsonschema_rs.ValidationErrorKind.Type):
        return Fault(path, "type", value, schema, list[Json](kind.types))
    expected = schema.get(kind.name)
    return Fault(path, kind.name, value, schema, expected)


def _identity(fault: Fault) -> tuple[Steps, str, bytes]:
    return fault.path, fault.keyword, canonical(fault.expected)


def _list(schema: JsonObject, keyword: str) -> list[Json]:
    value = schema.get(keyword)
    return value if isinstance(value, list) else []


def _dict(schema: JsonObject, keyword: str) -> JsonObject:
    value = schema.get(keyword)
    return value if isinstance(value, dict) else {}
