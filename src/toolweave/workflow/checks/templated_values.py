"""Checks values with `{{ … }}` against a schema, as far as possible before a run.

The value of a template is unknown, so the schema is loosened on the path to it: any value is valid
at its place, and above it only independent keywords apply. Not a check.
"""

from collections.abc import Iterator
from dataclasses import replace

from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.tools.check import check_arguments
from toolweave.tools.dialect import dialect_of
from toolweave.tools.document import SchemaDocument, references
from toolweave.tools.misspelling import misspelt
from toolweave.tools.tool import Tool
from toolweave.workflow.checks.compiled_schemas import CompiledSchemas
from toolweave.workflow.scope.references import may_ask

MARK = "{{"
# With more items than this, only the type of the array is checked.
_MAX_ITEMS = 50
_MAX_REFERENCES = 32
_ROOT = frozenset({"$schema", "$defs", "definitions"})
_ANNOTATIONS = frozenset(
    {"description", "title", "default", "deprecated", "examples", "writeOnly", "x-node"}
)
# Keywords that only concern a value's type, its keys or their number.
_OF_OBJECTS = frozenset(
    {"type", "properties", "required", "additionalProperties", "propertyNames"}
    | {"minProperties", "maxProperties", "dependentRequired"}
)
_CONTAINERS = frozenset({dict, list})
_OF_ARRAYS = frozenset({"type", "minItems", "maxItems"})
_NAMING = frozenset({"required", "minProperties", "maxProperties", "dependentRequired"})
_JOINING = ("allOf", "anyOf", "oneOf")


def check_values(judge: CompiledSchemas, values: JsonObject) -> Iterator[Problem]:
    """Yield the certain problems of `values`, with the codes of tool parameters."""
    if takes_values(judge, values):
        return
    schema = judge.schema
    looser = _Loosener(schema).loosened(schema, values)
    if looser is not None and not isinstance(looser, dict):
        return
    # References still point to the definitions of the whole schema.
    whole: JsonObject = {key: schema[key] for key in schema if key in _ROOT}
    asked = schema if looser is None else whole | looser
    if names := _templated(judge, values):
        judge.keep(names, asked)
    for problem in check_arguments(Tool("", "", "", asked, (), {}), values):
        if looser is None or problem.code != "MCP_VALUE_UNCHECKED":
            yield problem


def takes_values(judge: CompiledSchemas, values: JsonObject) -> bool:
    """Whether `values` certainly have no problem; true for nearly all."""
    if not values and judge.takes_nothing:
        return True
    names = _templated(judge, values)
    loosened = judge.loosened(names) if names else None
    # Values that are valid as written are valid in a looser schema too.
    return (judge if loosened is None else loosened).accepts(values)


def _templated(judge: CompiledSchemas, values: JsonObject) -> frozenset[str] | None:
    """Return the names of templated texts if they alone determine the loosened schema."""
    found: list[str] = []
    for name, value in values.items():
        if isinstance(value, str):
            if MARK in value:
                found.append(name)
        elif type(value) in _CONTAINERS:
            return None
    return frozenset(found) if found and values.keys() <= judge.names else None


def strangers(judge: CompiledSchemas, values: JsonObject) -> Iterator[Problem]:
    """Yield unknown names for a tool that allows additional parameters."""
    if not judge.is_open or values.keys() <= judge.names:
        return
    names = _members(judge.schema, "properties")
    free = [name for name in names if name not in values]
    for name in values:
        if name not in names:
            yield _stranger(judge, values, name, misspelt(name, free))


def has_template(value: Json) -> bool:
    """Whether a value contains a template."""
    return may_ask(value) and _has_template(value)


def _has_template(value: Json) -> bool:
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str() as text if MARK in text:
                return True
            case list() as items:
                waiting.extend(items)
            case dict() as members:
                waiting.extend(members.values())
            case _:
                pass
    return False


def _stranger(judge: CompiledSchemas, values: JsonObject, name: str, meant: str | None) -> Problem:
    found = Problem(
        "MCP_PARAMETER_UNKNOWN",
        pointer(name),
        f"the tool has no parameter {name!r}",
        hint=f"did you mean {meant!r}?" if meant else "the tool may ignore it",
        severity="warning",
    )
    if meant is None:
        return found
    repaired = {meant if key == name else key: value for key, value in values.items()}
    wrong = {problem.pointer for problem in check_values(judge, repaired)}
    move = {"op": "move", "from": pointer(name), "path": pointer(meant)}
    return found if pointer(meant) in wrong else replace(found, patch=(move,))


class _Loosener:
    """Loosens one schema for one value; None if the value has no template."""

    def __init__(self, root: JsonObject) -> None:
        self._document = SchemaDocument(root)
        self._tuple = "prefixItems" if dialect_of(root)[0] == "2020-12" else "items"

    def loosened(self, schema: Json, value: Json) -> Json:
        """Return the schema without what a template could change; None if unchanged."""
        if isinstance(value, str):
            return True if MARK in value else None
        if isinstance(value, dict):
            return self._object(self._meant(schema, "object"), value)
        return self._array(self._meant(schema, "array"), value) if isinstance(value, list) else None

    def _object(self, schema: Json, value: JsonObject) -> Json:
        known = _members(schema, "properties")
        free = [name for name in known if name not in value]
        extra = schema.get("additionalProperties", True) if isinstance(schema, dict) else True
        required = schema.get("required") if isinstance(schema, dict) else None
        missing = [name for name in free if isinstance(required, list) and name in required]
        below: JsonObject = {}
        for key, part in value.items():
            # A misspelt name is checked like the correct one, so that it can be fixed.
            meant = free if extra is False else missing
            name = (misspelt(key, meant) if key not in known else None) or key
            looser = self.loosened(known.get(name, extra), part)
            if looser is not None:
                below[name] = looser
        if not below or not isinstance(schema, dict):
            return None if not below else schema
        if "patternProperties" in schema or references(schema):
            return _kind(schema)
        kept = {key: schema[key] for key in schema if key in _OF_OBJECTS | _ROOT | _ANNOTATIONS}
        kept |= {key: schema[key] for key in _JOINING if _names_only(schema.get(key))}
        open_names = below if extra is not False else {k: below[k] for k in below if k in known}
        kept["properties"] = known | open_names
        return kept

    def _array(self, schema: Json, value: list[Json]) -> Json:
        each = schema.get("items", True) if isinstance(schema, dict) else True
        is_plain = isinstance(schema, dict) and "prefixItems" not in schema
        rest = True if isinstance(each, list) else each
        parts = [self.loosened(rest, item) for item in value]
        if all(part is None for part in parts):
            return None
        if not isinstance(schema, dict):
            return schema
        kept = {key: schema[key] for key in schema if key in _OF_ARRAYS | _ROOT | _ANNOTATIONS}
        if is_plain and rest is not True and len(value) <= _MAX_ITEMS:
            kept[self._tuple] = [rest if part is None else part for part in parts]
        return kept

    def _meant(self, schema: Json, kind: str) -> Json:
        """Resolve references, and alternatives if only one has this type."""
        for _ in range(_MAX_REFERENCES):
            if not isinstance(schema, dict):
                return schema
            named = references(schema)
            if named and schema.keys() - _ANNOTATIONS - _ROOT <= {"$ref"}:
                schema = self._target(named[0])
            elif (chosen := self._variant(schema, kind)) is not None:
                schema = chosen
            else:
                return schema
        return True

    def _target(self, reference: str) -> Json:
        try:
            return self._document.target(reference)
        except LookupError:
            return True

    def _behind(self, schema: Json) -> Json:
        named = references(schema) if isinstance(schema, dict) and len(schema) == 1 else []
        return self._target(named[0]) if named else schema

    def _variant(self, schema: JsonObject, kind: str) -> Json:
        keyword = next((key for key in ("anyOf", "oneOf") if key in schema), None)
        variants = schema.get(keyword) if keyword else None
        if not isinstance(variants, list) or schema.keys() - _ANNOTATIONS - _ROOT != {keyword}:
            return None
        kinds: list[tuple[Json, JsonObject]] = []
        for variant in variants:
            found = self._behind(variant)
            if not isinstance(found, dict) or not isinstance(found.get("type"), str):
                return None
            kinds.append((found["type"], found))
        fitting = [found for named, found in kinds if named == kind]
        return fitting[0] if len(fitting) == 1 else None


def _kind(schema: JsonObject) -> JsonObject:
    return {key: schema[key] for key in schema if key in _ROOT | {"type"}}


def _members(schema: Json, keyword: str) -> JsonObject:
    found = schema.get(keyword) if isinstance(schema, dict) else None
    return found if isinstance(found, dict) else {}


def _names_only(schemas: Json) -> bool:
    """Whether these schemas only require keys."""
    if not isinstance(schemas, list):
        return False
    return all(
        isinstance(one, dict)
        and one.keys() <= _NAMING | {*_JOINING}
        and all(_names_only(one[key]) for key in _JOINING if key in one)
        for one in schemas
    )
