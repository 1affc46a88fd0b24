"""Schemas that many values are checked against, compiled once. Not a check."""

from dataclasses import dataclass, field
from functools import cached_property

from toolweave.json_text import JsonObject
from toolweave.tools.lint import MAX_STRING_LENGTH
from toolweave.tools.schema import CompiledSchema, compile_schema

_MAX_LOOSENED = 32
# What says something about members without a description.
_CLOSING = frozenset(
    {"additionalProperties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf"}
)


@dataclass(frozen=True)
class CompiledSchemas:
    """A schema and what is compiled from it on first use."""

    schema: JsonObject
    # The loosened schemas for values with templates under these names; bounded.
    _loosened: "dict[frozenset[str], CompiledSchemas]" = field(
        default_factory=lambda: dict[frozenset[str], CompiledSchemas](), compare=False, repr=False
    )

    @cached_property
    def compiled(self) -> CompiledSchema:
        """Return the validator; creating it takes longer than checking most values."""
        return compile_schema(self.schema)

    @cached_property
    def takes_nothing(self) -> bool:
        """Whether an empty object is valid."""
        return self.compiled.judge({}).verdict == "valid"

    def accepts(self, values: JsonObject) -> bool:
        """Whether the values are valid as they are; also of those with long texts it may be no."""
        return self.compiled.accepts(values, MAX_STRING_LENGTH)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the members that the schema describes."""
        known = self.schema.get("properties")
        return frozenset(known) if isinstance(known, dict) else frozenset()

    @cached_property
    def is_open(self) -> bool:
        """Whether the schema says nothing about other members than those it describes."""
        return bool(self.names) and self.schema.keys().isdisjoint(_CLOSING)

    def loosened(self, names: frozenset[str]) -> "CompiledSchemas | None":
        """Return the loosened schema cached for templates under these names."""
        return self._loosened.get(names)

    def keep(self, names: frozenset[str], loosened: JsonObject) -> None:
        """Cache the loosened schema for templates under these names."""
        if len(self._loosened) < _MAX_LOOSENED:
            self._loosened[names] = CompiledSchemas(loosened)
