"""Compile untrusted JSON Schemas: check the limits, compile, cache.

Everything here runs on the event loop, so an expensive schema is refused up front: by bytes,
nodes, depth and the size its references expand to. Nothing is fetched.
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from threading import Lock
from typing import Literal, NamedTuple

import jsonschema_rs
import orjson

from toolweave.json_text import Json, JsonObject, canonical
from toolweave.problems import Problem, pointer
from toolweave.tools.cost import Cost, TooCostly, cost_of
from toolweave.tools.dialect import DEFAULT, Dialect, dialect_of, validator_for
from toolweave.tools.document import SchemaDocument, Steps
from toolweave.tools.keywords import ANNOTATIONS
from toolweave.tools.lint import is_own_requirement, lint
from toolweave.tools.patterns import loosen, not_linear, patterns_of
from toolweave.tools.size import FEW, flat_chars, size_of

MAX_BYTES = 256 * 1024
MAX_NODES = 10_000
MAX_SCHEMAS = 2_500
MAX_DEPTH = 64
TOO_BIG = f"more than {MAX_NODES} values, or nested more than {MAX_DEPTH} deep"
MAX_PROBLEMS = 100
MAX_CACHED_BYTES = 8 * 1024 * 1024

# The maximum cost of one value; beyond it, validation could block the event loop.
MAX_VALUE_NODES = 500_000
MAX_VALUE_DEPTH = 256
MAX_VALUE_COST_NS = 150_000_000

Verdict = Literal["valid", "invalid", "unchecked"]


class SchemaVerdict(NamedTuple):
    """The verdict on a value and the amount of text in it."""

    verdict: Verdict
    chars: int = 0


@dataclass(frozen=True, slots=True)
class CompiledSchema:
    """A schema ready for validation; `root` is the copy the validator was compiled from."""

    root: Json
    dialect: Dialect
    problems: tuple[Problem, ...]
    validator: jsonschema_rs.Validator | None = None
    cost: Cost = field(default_factory=Cost)

    @property
    def is_usable(self) -> bool:
        """Whether it can validate values."""
        return self.validator is not None

    def judge(self, value: Json) -> SchemaVerdict:
        """Validate `value`; "unchecked" if that is impossible or would take too long."""
        size = size_of(value, max_nodes=MAX_VALUE_NODES, max_depth=MAX_VALUE_DEPTH)
        if self.validator is None or size is None:
            return SchemaVerdict("unchecked")
        if self.cost.of_value(size.nodes, size.chars) > MAX_VALUE_COST_NS:
            return SchemaVerdict("unchecked", size.chars)
        return SchemaVerdict("valid" if self.validator.is_valid(value) else "invalid", size.chars)

    def accepts(self, value: Json, max_chars: int) -> bool:
        """Whether `value` is certainly valid and has at most so much text."""
        validator = self.validator
        if validator is None:
            return False
        # Most are small objects without others inside.
        if isinstance(value, dict) and len(value) <= FEW:
            nodes, chars = 1 + len(value), flat_chars(value)
        else:
            nodes, chars = 0, None
        if chars is None:
            size = size_of(value, max_nodes=MAX_VALUE_NODES, max_depth=MAX_VALUE_DEPTH)
            if size is None:
                return False
            nodes, chars = size.nodes, size.chars
        is_cheap = chars <= max_chars and self.cost.of_value(nodes, chars) <= MAX_VALUE_COST_NS
        return is_cheap and validator.is_valid(value)

    def unchecked_reason(self, value: Json) -> str:
        """Why the verdict on `value` is "unchecked", with the limit."""
        if self.validator is None:
            first = self.problems[0].message if self.problems else "it was not compiled"
            return f"its schema cannot be used ({first})"
        size = size_of(value, max_nodes=MAX_VALUE_NODES, max_depth=MAX_VALUE_DEPTH)
        if size is None:
            return (
                f"it has more than {MAX_VALUE_NODES:,} values"
                f" or is nested more than {MAX_VALUE_DEPTH} deep"
            )
        return (
            f"its {size.nodes:,} values and {size.chars:,} characters would take more than"
            f" {MAX_VALUE_COST_NS // 1_000_000} ms with this schema"
        )

    def refuses_apart_from_formats(self, value: Json) -> bool:
        """Whether a refused value is also refused without formats."""
        return not validator_for(self.root, self.dialect, formats=False).is_valid(value)


class _Recent:
    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._lock = Lock()
        self._found: OrderedDict[bytes, CompiledSchema] = OrderedDict()

    def compiled(self, text: bytes) -> CompiledSchema:
        with self._lock:
            return self._recent_or_made(text)

    def _recent_or_made(self, text: bytes) -> CompiledSchema:
        if text in self._found:
            self._found.move_to_end(text)
            return self._found[text]
        made = self._found[text] = _compile(orjson.loads(text))
        self._bytes += len(text)
        while self._bytes > self._max_bytes:
            oldest, _ = self._found.popitem(last=False)
            self._bytes -= len(oldest)
        return made


# A cache of a pure function.
_RECENT = _Recent(MAX_CACHED_BYTES)


def compile_schema(schema: Json) -> CompiledSchema:
    """Return the validator for `schema` with the schema's problems; never raises."""
    try:
        text = canonical(schema)
    except TypeError as error:
        if size_of(schema, max_nodes=MAX_NODES, max_depth=MAX_DEPTH) is None:
            return _refused(TOO_BIG)
        problem = Problem("MCP_TOOL_SCHEMA_INVALID", "", f"cannot be JSON: {error}")
        return CompiledSchema(True, DEFAULT, (problem,))
    if len(text) > MAX_BYTES:
        return _refused(f"the schema has {len(text)} bytes; the limit is {MAX_BYTES}")
    return _RECENT.compiled(text)


def _refused(message: str) -> CompiledSchema:
    return CompiledSchema(True, DEFAULT, (Problem("MCP_TOOL_SCHEMA_TOO_LARGE", "", message),))


def _compile(root: Json) -> CompiledSchema:
    if size_of(root, max_nodes=MAX_NODES, max_depth=MAX_DEPTH) is None:
        return _refused(TOO_BIG)
    declared, unknown = dialect_of(root)
    document = SchemaDocument(root)
    places = list(islice(document.places(), MAX_SCHEMAS + 1))
    if len(places) > MAX_SCHEMAS:
        return _refused(f"more than {MAX_SCHEMAS} schemas in one")
    problems = [*([unknown] if unknown else ()), *lint(document, places)]
    if any(problem.severity == "error" for problem in problems):
        return CompiledSchema(root, declared, _foremost(problems))
    problems += _sanitise([(steps, schema) for steps, schema in places if isinstance(schema, dict)])
    try:
        cost = cost_of(document)
    except TooCostly as too_costly:
        return _refused(str(too_costly))
    dialect, validator, trouble = _validator(root, declared)
    return CompiledSchema(root, dialect, _foremost([*problems, *trouble]), validator, cost)


def _foremost(problems: list[Problem]) -> tuple[Problem, ...]:
    """Return the most severe problems; a hostile schema can have thousands."""
    return tuple(sorted(problems, key=lambda problem: problem.severity)[:MAX_PROBLEMS])


def _sanitise(places: list[tuple[Steps, JsonObject]]) -> Iterator[Problem]:
    """Remove what the compiler cannot handle and what could leave the document."""
    schemas = [schema for _, schema in places]
    dropped = not_linear(schemas)
    for steps, schema in places:
        for below, pattern in patterns_of(schema):
            if pattern in dropped:
                yield Problem(
                    "MCP_TOOL_PATTERN_UNCHECKED",
                    pointer(*steps, *below),
                    f"the pattern {pattern[:80]!r} is not checked: it uses look-around or"
                    " backreferences, is too large, or there are too many",
                    hint="the server still applies it",
                    severity="warning",
                )
        _strip(schema)
    if dropped:
        loosen(schemas, dropped)


_DESCRIBED = ("integer", "number", "object")


def _strip(schema: JsonObject) -> None:
    # Repairs prefer names that are not deprecated, and read the unit of a number and what the
    # names in an object stand for.
    kept = {"deprecated", "description"} if schema.get("type") in _DESCRIBED else {"deprecated"}
    for keyword in (ANNOTATIONS - kept) & schema.keys():
        # A reference can make a map of properties look like a schema; keep a property `title`.
        is_secret = keyword == "writeOnly" and schema[keyword] is True
        if not is_secret and not isinstance(schema[keyword], dict):
            del schema[keyword]
    if not isinstance(schema.get("$schema"), dict):
        schema.pop("$schema", None)
    for keyword in ("$id", "id"):
        # Without ids every reference is local, as in `Document`.
        if isinstance(name := schema.get(keyword), str) and not name.startswith("#"):
            del schema[keyword]
    required = schema.get("required")
    if is_own_requirement("required", required):
        del schema["required"]
    elif isinstance(required, list):
        schema["required"] = list({name: None for name in required if isinstance(name, str)})


def _validator(
    root: Json, declared: Dialect
) -> tuple[Dialect, jsonschema_rs.Validator | None, list[Problem]]:
    """Return the validator in the declared dialect, else in an older one that works."""
    older: tuple[Dialect, ...] = ("draft7", "draft4")
    first: Problem | None = None
    for dialect in (declared, *older):
        try:
            validator = validator_for(root, dialect)
        except ValueError as error:
            first = first or _invalid(error, declared)
        else:
            return dialect, validator, [_read_as(dialect, first)] if first else []
    return declared, None, [first] if first else []


def _invalid(error: ValueError, dialect: Dialect) -> Problem:
    is_placed = isinstance(error, jsonschema_rs.ValidationError)
    return Problem(
        "MCP_TOOL_SCHEMA_INVALID",
        pointer(*error.instance_path) if is_placed else "",
        f"not valid in {dialect}: {str(error).splitlines()[0][:160]}",
    )


def _read_as(dialect: Dialect, trouble: Problem) -> Problem:
    return Problem(
        "MCP_TOOL_SCHEMA_DIALECT",
        trouble.pointer,
        f"{trouble.message}; read as {dialect}",
        hint="the server should name its dialect in `$schema`",
        severity="warning",
    )
