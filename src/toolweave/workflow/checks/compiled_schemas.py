"""Schemas that values are judged by again and again, compiled once. No subject of its own."""

from dataclasses import dataclass, field
from functools import cached_property

from toolweave.json_text import JsonObject
from toolweave.tools.schema import CompiledSchema, compile_schema

_MAX_LOOSENED = 32


@dataclass(frozen=True)
class CompiledSchemas:
    """A schema and what is made of it when it is first asked for."""

    schema: JsonObject
    # What is left of it for values with templates under these names: a few, not all there could be.
    _loosened: "dict[frozenset[str], CompiledSchemas]" = field(
        default_factory=lambda: dict[frozenset[str], CompiledSchemas](), compare=False, repr=False
    )

    @cached_property
    def compiled(self) -> CompiledSchema:
        """The validator; without this, finding it takes longer than most values."""
        return compile_schema(self.schema)

    @cached_property
    def takes_nothing(self) -> bool:
        """Whether an empty object fits."""
        return self.compiled.judge({}).verdict == "valid"

    def loosened(self, names: frozenset[str]) -> "CompiledSchemas | None":
        """What was kept for templates under these names."""
        return self._loosened.get(names)

    def keep(self, names: frozenset[str], loosened: JsonObject) -> None:
        """Remember what is left for templates under these names."""
        if len(self._loosened) < _MAX_LOOSENED:
            self._loosened[names] = CompiledSchemas(loosened)
