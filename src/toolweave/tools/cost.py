"""The worst-case cost of validating a value, computed from the schema alone.

`$ref`s let a small schema expand to a huge one: 30 definitions that each use the next one twice
are a billion checks. Sums are kept per definition, so nothing has to be expanded.
"""

from dataclasses import dataclass

from toolweave.json_text import Json, JsonObject
from toolweave.tools.document import SchemaDocument, references
from toolweave.tools.keywords import IN_PLACE, PARTS, subschemas
from toolweave.tools.patterns import pattern_cost, patterns_of

MAX_UNFOLDED = 100_000
MAX_DEPTH = 200  # levels of schemas, references followed
# Comparing a value with one object or array takes about as long as five checks.
COMPOSITE_CHECKS = 5
# `unevaluated…` validates the subschemas again at every level.
REPEATS_UNEVALUATED = 3

_UNEVALUATED = frozenset({"unevaluatedProperties", "unevaluatedItems"})
# These apply to every part of a value; other keywords apply to one part.
_EVERY = frozenset({"patternProperties", "propertyNames", "contains"})


class TooCostly(Exception):
    """The schema is too expensive; the message has the reason."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The maximum of checks and pattern costs for one part of a value."""

    checks: int = 1
    pattern_steps: int = 0
    unfolded: int = 1

    def of_value(self, nodes: int, chars: int) -> int:
        """The worst case for a value of this size, in nanoseconds."""
        return nodes * self.checks * 50 + chars * self.pattern_steps * 40


_CUT = Cost()


def cost_of(document: SchemaDocument) -> Cost:
    """Return the cost of a schema whose references all resolve. Raises `TooCostly`."""
    return _Estimate(document).of(document.root, 0)


class _Estimate:
    def __init__(self, document: SchemaDocument) -> None:
        self.document = document
        self.known: dict[int, Cost] = {}

    def of(self, schema: Json, depth: int) -> Cost:
        if not isinstance(schema, dict):
            return _CUT
        if id(schema) not in self.known:
            # The entry for a recursion; the validator caches its results there.
            self.known[id(schema)] = _CUT
            self.known[id(schema)] = self._unfold(schema, depth)
        return self.known[id(schema)]

    def _unfold(self, schema: JsonObject, depth: int) -> Cost:
        if depth > MAX_DEPTH:
            raise TooCostly(f"nested more than {MAX_DEPTH} schemas deep")
        here = [self.of(self.document.target(to), depth + 1) for to in references(schema)]
        one, every = [_CUT], list[Cost]()
        for keyword, _, sub in subschemas(schema):
            if keyword in IN_PLACE:
                here.append(self.of(sub, depth + 1))
            elif keyword in PARTS:
                (every if keyword in _EVERY else one).append(self.of(sub, depth + 1))
        if schema.keys() & _UNEVALUATED:
            here *= REPEATS_UNEVALUATED
        unfolded = sum(cost.unfolded for cost in (*here, *one, *every))
        if unfolded > MAX_UNFOLDED:
            raise TooCostly(f"expands to more than {MAX_UNFOLDED} schemas")
        own = Cost(1 + _comparisons(schema), _pattern_steps(schema))
        # One part meets the checks here or, below, one named subschema and all general ones.
        return Cost(
            max(own.checks, max(cost.checks for cost in one) + sum(cost.checks for cost in every))
            + sum(cost.checks for cost in here),
            own.pattern_steps
            + max(cost.pattern_steps for cost in one)
            + sum(cost.pattern_steps for cost in (*every, *here)),
            unfolded,
        )


def _pattern_steps(schema: JsonObject) -> int:
    return sum(pattern_cost(pattern) or 0 for _, pattern in patterns_of(schema))


def _comparisons(schema: JsonObject) -> int:
    options = schema.get("enum")
    if not isinstance(options, list):
        return 0
    return COMPOSITE_CHECKS * sum(isinstance(option, dict | list) for option in options)
