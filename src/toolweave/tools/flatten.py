"""One schema node with its `$ref`s and `allOf`s folded in, in one spelling for all dialects.

`const` becomes `enum`, draft 4's boolean limits become numbers, tuples become `prefixItems`, and
the schema `false` becomes an empty `enum`.
"""

from dataclasses import dataclass

from toolweave.json_text import Json, JsonObject
from toolweave.tools.dialect import LONE_REFERENCES, Dialect
from toolweave.tools.document import SchemaDocument, references
from toolweave.tools.keywords import ANNOTATIONS, REFERENCES, is_number
from toolweave.tools.merge import IMPOSSIBLE, merged

# How the writer marks where a recursive schema was cut, so that it can be read back.
RECURSIVE = "x-toolweave-recursive"
MAX_FLATTENED = 4_000
MAX_FOLLOWED = 64
# What describes one use of a schema rather than what it accepts.
DESCRIPTIVE = ANNOTATIONS | {"default"}


@dataclass(frozen=True, slots=True)
class Flat:
    """A folded schema, the references that led to it, and the one it was cut at, if any."""

    schema: JsonObject
    trail: frozenset[str]
    cut: str | None = None


class Flattener:
    """Folds schema nodes of one document, up to a bound."""

    def __init__(self, document: SchemaDocument, dialect: Dialect) -> None:
        self._document = document
        self._lone_references = dialect in LONE_REFERENCES
        self._left = MAX_FLATTENED

    @property
    def is_spent(self) -> bool:
        """Whether the bound was reached, so that some nodes came back as "anything"."""
        return self._left <= 0

    def spend(self) -> None:
        """Count one more node against the bound."""
        self._left -= 1

    def flat(self, schema: Json, trail: frozenset[str]) -> Flat:
        """`schema` folded; a reference that is on the `trail` already is where it is cut."""
        self.spend()
        if schema is False:
            return Flat(dict(IMPOSSIBLE), trail)
        if not isinstance(schema, dict) or self.is_spent:
            return Flat({}, trail)
        followed = references(schema)
        own = _in_one_spelling(schema)
        all_of = schema.get("allOf")
        if followed and self._lone_references:
            own = {key: value for key, value in own.items() if key in DESCRIPTIVE}
            all_of = None
        mark = own.pop(RECURSIVE, None)
        found = Flat(own, trail, mark if isinstance(mark, str) else None)
        for reference in followed:
            found = _joined(found, self._followed(reference, trail))
        for sub in all_of if isinstance(all_of, list) else ():
            found = _joined(found, self.flat(sub, trail))
        return found

    def _followed(self, reference: str, trail: frozenset[str]) -> Flat:
        try:
            target = self._document.target(reference)
        except LookupError:
            return Flat({}, trail)
        if reference in trail or len(trail) >= MAX_FOLLOWED:
            kind = target.get("type") if isinstance(target, dict) else None
            return Flat({"type": kind} if isinstance(kind, str) else {}, trail, reference)
        return self.flat(target, trail | {reference})


def _joined(one: Flat, two: Flat) -> Flat:
    return Flat(merged(one.schema, two.schema), one.trail | two.trail, one.cut or two.cut)


def _in_one_spelling(schema: JsonObject) -> JsonObject:
    own = {
        key: value
        for key, value in schema.items()
        if key not in REFERENCES and key not in ("allOf", "const", "$defs", "definitions")
    }
    if "const" in schema:
        own = merged({"enum": [schema["const"]]}, own)
    for limit, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(is_exclusive := own.get(exclusive), bool):
            del own[exclusive]
            if is_exclusive and is_number(own.get(limit)):
                own[exclusive] = own.pop(limit)
    if isinstance(items := own.get("items"), list):
        own["prefixItems"] = items
        own["items"] = own.pop("additionalItems", True)
    return own
