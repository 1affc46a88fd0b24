"""Violations: why a value does not match a schema, with the path of each.

The compiled validator decides; this module only explains a refusal. The validator's own list of
errors takes exponential time on recursive alternatives. Here each schema is applied to each path
once, and the number of applications is bounded.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import jsonschema_rs

from toolweave.json_text import Json, JsonObject, canonical
from toolweave.tools.dialect import LONE_REFERENCES, Dialect, validator_for
from toolweave.tools.document import SchemaDocument, Steps, references
from toolweave.tools.keywords import IN_PLACE, subschemas
from toolweave.tools.schema import CompiledSchema

MAX_JUDGEMENTS = 5_000
MAX_FAULTS = 100

# Keywords about the value itself; the validator checks these, one schema at a time.
_OWN = frozenset(
    {"type", "enum", "const", "multipleOf", "uniqueItems"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "pattern", "format"}
    | {"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"}
)


@dataclass(frozen=True, slots=True)
class Violation:
    """One violation: the path, the keyword and its schema, and the expected value."""

    path: Steps
    keyword: str
    value: Json
    schema: JsonObject
    expected: Json = None


class TooManyJudgements(Exception):
    """The limit was reached before the whole value was explained."""


class Explainer:
    """Explains refusals by one compiled schema."""

    def __init__(self, compiled: CompiledSchema) -> None:
        self.root = compiled.root
        self._dialect: Dialect = compiled.dialect
        self._document = SchemaDocument(compiled.root)
        self._known: dict[tuple[int, Steps], tuple[Violation, ...]] = {}
        self._validators: dict[int | str, jsonschema_rs.Validator] = {}
        # With the schema itself, so that its identity stays its own.
        self._properties: dict[int, tuple[JsonObject, JsonObject]] = {}
        self._left = MAX_JUDGEMENTS

    def fits(self, schema: Json, value: Json) -> bool:
        """Whether `schema` accepts `value`, ignoring formats."""
        return all(fault.keyword == "format" for fault in self._tried(schema, value))

    def _takes(self, schema: Json, value: Json) -> bool:
        return not self._tried(schema, value)

    def _tried(self, schema: Json, value: Json) -> tuple[Violation, ...]:
        # No place of the real value, and never the same twice.
        return self.faults(schema, value, ("trial", self._left))

    def faults(self, schema: Json, value: Json, path: Steps = ()) -> tuple[Violation, ...]:
        """Return the violations of `schema` by the `value` at `path`.

        Empty if the refusing keyword cannot be explained.

        Raises `TooManyJudgements`: the value is too large to explain.
        """
        if not isinstance(schema, dict):
            self._spend(1)
            return () if schema is not False else (Violation(path, "false", value, {}),)
        key = (id(schema), path)
        if key not in self._known:
            self._spend(1)
            # A schema that refers to itself adds nothing.
            self._known[key] = ()
            self._known[key] = self._judge(schema, value, path)
        return self._known[key]

    def _spend(self, judgements: int) -> None:
        self._left -= judgements
        if self._left < 0:
            raise TooManyJudgements

    def properties(self, schema: JsonObject) -> JsonObject:
        """Return the properties named by a schema and those applied with it."""
        if id(schema) not in self._properties:
            named = (_dict(one, "properties") for one in self.within(schema))
            self._properties[id(schema)] = (
                schema,
                {name: sub for each in named for name, sub in each.items()},
            )
        return self._properties[id(schema)][1]

    def within(self, schema: Json) -> Iterator[JsonObject]:
        """Yield the schema and all that apply to the same value."""
        waiting, seen = [schema], set[int]()
        while waiting:
            one = waiting.pop()
            if isinstance(one, dict) and id(one) not in seen:
                seen.add(id(one))
                yield one
                waiting.extend(self._document.target(reference) for reference in references(one))
                waiting.extend(sub for keyword, _, sub in subschemas(one) if keyword in IN_PLACE)

    def _judge(self, schema: JsonObject, value: Json, path: Steps) -> tuple[Violation, ...]:
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

    def _own(self, schema: JsonObject, value: Json, path: Steps) -> list[Violation]:
        own = {keyword: schema[keyword] for keyword in schema if keyword in _OWN}
        if id(schema) not in self._validators:
            self._validators[id(schema)] = validator_for(own, self._dialect)
        if self._validators[id(schema)].is_valid(value):
            return []
        # One keyword at a time: each error of the validator copies its value.
        return [
            Violation(path, keyword, value, schema, _as_list(asked) if keyword == "type" else asked)
            for keyword, asked in own.items()
            if not validator_for(_alone(keyword, own), self._dialect).is_valid(value)
        ]

    def _others(
        self, schema: JsonObject, followed: list[Json], value: Json, path: Steps
    ) -> Iterator[Iterable[Violation]]:
        for sub in [*followed, *_list(schema, "allOf")]:
            yield self.faults(sub, value, path)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                yield self._alternatives(schema, keyword, value, path)
        if "not" in schema and not self.faults(schema["not"], value, path):
            yield [Violation(path, "not", value, schema)]
        if "if" in schema:
            branch = "else" if self.faults(schema["if"], value, path) else "then"
            yield self.faults(schema.get(branch, True), value, path)
        if isinstance(value, dict):
            yield from self._in_object(schema, value, path)
        if isinstance(value, list):
            yield from self._in_array(schema, value, path)

    def _alternatives(
        self, schema: JsonObject, keyword: str, value: Json, path: Steps
    ) -> Iterable[Violation]:
        every = [self.faults(variant, value, path) for variant in _list(schema, keyword)]
        fitting = sum(not faults for faults in every)
        if keyword == "oneOf" and fitting > 1:
            return [Violation(path, "oneOf", value, schema, fitting)]
        return () if fitting else nearest(every, schema, value, path)

    def _in_object(
        self, schema: JsonObject, value: JsonObject, path: Steps
    ) -> Iterator[Iterable[Violation]]:
        known, patterns = _dict(schema, "properties"), _dict(schema, "patternProperties")
        yield _missing(schema, _list(schema, "required"), value, path)
        for keyword in ("dependentSchemas", "dependentRequired", "dependencies"):
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
            if wrong := self._tried(schema.get("propertyNames", True), name):
                is_format = all(fault.keyword == "format" for fault in wrong)
                keyword = "format" if is_format else "propertyNames"
                yield [Violation(below, keyword, name, schema, wrong[0].expected)]
            if name not in known and not matching:
                yield self._additional(schema, part, below)
        if "unevaluatedProperties" in schema:
            yield self._unevaluated(schema, value, path)

    def _dependent(
        self, schema: JsonObject, sub: Json, value: JsonObject, path: Steps
    ) -> Iterable[Violation]:
        if isinstance(sub, list):
            return _missing(schema, sub, value, path)
        return self.faults(sub, value, path)

    def _additional(self, schema: JsonObject, part: Json, below: Steps) -> Iterable[Violation]:
        extra = schema.get("additionalProperties", True)
        if extra is False:
            return [
                Violation(
                    below, "additionalProperties", part, schema, list[Json](self.properties(schema))
                )
            ]
        return self.faults(extra, part, below)

    def _unevaluated(
        self, schema: JsonObject, value: JsonObject, path: Steps
    ) -> Iterator[Violation]:
        extra = schema["unevaluatedProperties"]
        known = self._evaluated(schema, value, path, set())
        for name, part in value.items():
            below = (*path, name)
            if name not in known and extra is False:
                names = list[Json](self.properties(schema))
                yield Violation(below, "additionalProperties", part, schema, names)
            elif name not in known:
                yield from self.faults(extra, part, below)

    def _evaluated(self, schema: Json, value: JsonObject, path: Steps, seen: set[int]) -> set[str]:
        """Return the keys evaluated by a schema or by a valid one applied with it."""
        if not isinstance(schema, dict) or id(schema) in seen:
            return set()
        if "additionalProperties" in schema or (seen and "unevaluatedProperties" in schema):
            return set(value)
        seen.add(id(schema))
        self._spend(len(value))
        properties, patterns = _dict(schema, "properties"), _dict(schema, "patternProperties")
        known = {
            name
            for name in value
            if name in properties or any(self._matches(pattern, name) for pattern in patterns)
        }
        for sub in self._agreeing(schema, value, path):
            known |= self._evaluated(sub, value, path, seen)
        return known

    def _agreeing(self, schema: JsonObject, value: JsonObject, path: Steps) -> Iterator[Json]:
        candidates = [self._document.target(reference) for reference in references(schema)]
        candidates += [*_list(schema, "allOf"), *_list(schema, "anyOf"), *_list(schema, "oneOf")]
        candidates += [
            sub for key, sub in _dict(schema, "dependentSchemas").items() if key in value
        ]
        if "if" in schema:
            is_met = not self.faults(schema["if"], value, path)
            candidates += [schema["if"], schema.get("then" if is_met else "else", True)]
        return (sub for sub in candidates if not self.faults(sub, value, path))

    def _in_array(
        self, schema: JsonObject, value: list[Json], path: Steps
    ) -> Iterator[Iterable[Violation]]:
        items = schema.get("items", True)
        tuple_like = isinstance(items, list)
        first = items if isinstance(items, list) else _list(schema, "prefixItems")
        rest = schema.get("additionalItems", True) if tuple_like else items
        for index, part in enumerate(value):
            sub = first[index] if index < len(first) else rest
            yield self.faults(sub, part, (*path, index))
        if "contains" in schema:
            count = sum(self._takes(schema["contains"], part) for part in value)
            least, most = _number(schema, "minContains", 1), _number(schema, "maxContains", count)
            yield [] if least <= count <= most else [Violation(path, "contains", value, schema)]

    def _matches(self, pattern: str, name: str) -> bool:
        if pattern not in self._validators:
            self._validators[pattern] = validator_for({"pattern": pattern}, self._dialect)
        return self._validators[pattern].is_valid(name)


def nearest(
    every: list[tuple[Violation, ...]], schema: JsonObject, value: Json, path: Steps
) -> Iterable[Violation]:
    """Return the violations of the most likely alternative, or what all require."""
    of_kind = [faults for faults in every if not _has(faults, "type", path)]
    if not of_kind:
        wanted = [fault for faults in every for fault in faults if fault.path == path]
        return [Violation(path, "type", value, schema, _together(wanted))]
    tags = [{fault.path for fault in faults if _is_tag(fault, path)} for faults in of_kind]
    untagged = [faults for faults, wrong in zip(of_kind, tags, strict=True) if not wrong]
    shared = tags[0].intersection(*tags[1:])
    if not untagged and shared:
        place = min(shared, key=str)
        asked = [fault for faults in of_kind for fault in faults if fault.path == place]
        return [Violation(place, "enum", asked[0].value, asked[0].schema, _together(asked))]
    if (missing := _missing_tag(of_kind, value, path)) is not None:
        return [missing]
    if all(_has(faults, "enum", path) or _has(faults, "const", path) for faults in of_kind):
        asked = [fault for faults in of_kind for fault in faults if fault.path == path]
        return [Violation(path, "enum", value, schema, _together(asked))]
    return min(untagged or of_kind, key=len)


def _missing_tag(every: list[tuple[Violation, ...]], value: Json, path: Steps) -> Violation | None:
    """Return the missing discriminator of the alternatives with all its values."""
    by_name: dict[str, list[Json]] = {}
    for fault in (fault for faults in every for fault in faults):
        if fault.keyword == "required" and fault.path == path and isinstance(fault.expected, str):
            tag = _dict(fault.schema, "properties").get(fault.expected)
            fixed = [tag["const"]] if isinstance(tag, dict) and "const" in tag else []
            only = _list(tag, "enum") if isinstance(tag, dict) else []
            by_name.setdefault(fault.expected, []).extend(fixed or only)
    for name, values in by_name.items():
        if len({canonical(one) for one in values}) == len(every) > 1:
            known: JsonObject = {name: {"enum": values}}
            if (only := _only_tag(every, name, value)) is not None:
                of_all = value if isinstance(value, dict) else {}
                known = {**dict.fromkeys(of_all, True), name: {"enum": values, "default": only}}
            return Violation(path, "required", value, {"properties": known}, name)
    return None


def _only_tag(every: list[tuple[Violation, ...]], name: str, value: Json) -> Json:
    """The tag of the only alternative that lacks nothing else and names all that is given."""
    found: list[Json] = []
    for faults in every:
        properties = _dict(faults[0].schema, "properties") if len(faults) == 1 else {}
        tag = properties.get(name)
        is_missing = len(faults) == 1 and faults[0].keyword == "required"
        named = isinstance(value, dict) and bool(value) and value.keys() <= properties.keys()
        if is_missing and named and isinstance(tag, dict):
            found += [tag["const"]] if "const" in tag else _list(tag, "enum")
    return found[0] if len(found) == 1 else None


def _has(faults: tuple[Violation, ...], keyword: str, path: Steps) -> bool:
    return any(fault.keyword == keyword and fault.path == path for fault in faults)


def _is_tag(fault: Violation, path: Steps) -> bool:
    """Whether this is a property with one fixed value, right below the alternatives."""
    if len(fault.path) != len(path) + 1:
        return False
    is_single = isinstance(fault.expected, list) and len(fault.expected) == 1
    return fault.keyword == "const" or (fault.keyword == "enum" and is_single)


def _together(faults: list[Violation]) -> list[Json]:
    """Return the distinct expected values of these violations."""
    asked = {canonical(one): one for fault in faults for one in _as_list(fault.expected)}
    return list(asked.values())


def _alone(keyword: str, own: JsonObject) -> JsonObject:
    """One keyword; in draft 4 a limit and whether it is exclusive are one thing."""
    pair = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}
    exclusive = pair.get(keyword, keyword)
    if keyword in pair.values() and isinstance(own[keyword], bool):
        return {}
    together = {keyword, exclusive} if isinstance(own.get(exclusive), bool) else {keyword}
    return {one: own[one] for one in together}


def _missing(
    schema: JsonObject, names: list[Json], value: JsonObject, path: Steps
) -> list[Violation]:
    missing = [name for name in names if isinstance(name, str) and name not in value]
    return [Violation(path, "required", value, schema, name) for name in missing[:MAX_FAULTS]]


def _identity(fault: Violation) -> tuple[Steps, str, bytes]:
    return fault.path, fault.keyword, canonical(fault.expected)


def _as_list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [value]


def _number(schema: JsonObject, keyword: str, default: int) -> float:
    value = schema.get(keyword)
    return value if isinstance(value, int | float) else default


def _list(schema: JsonObject, keyword: str) -> list[Json]:
    value = schema.get(keyword)
    return value if isinstance(value, list) else []


def _dict(schema: JsonObject, keyword: str) -> JsonObject:
    value = schema.get(keyword)
    return value if isinstance(value, dict) else {}
