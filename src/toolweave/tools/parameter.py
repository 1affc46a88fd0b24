"""The parameter tree: the part of a JSON Schema that forms, tables and hints show.

The raw schema is kept next to it and decides what is valid.
"""

from dataclasses import dataclass, field
from typing import Literal

from toolweave.json_text import Json

Kind = Literal["string", "number", "integer", "boolean", "array", "object", "null", "union", "any"]


@dataclass(frozen=True, slots=True)
class Constraints:
    """What a value must satisfy beyond its kind."""

    enum: tuple[Json, ...] | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    format: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: float | None = None
    exclusive_maximum: float | None = None
    multiple_of: float | None = None
    min_items: int | None = None
    max_items: int | None = None
    unique_items: bool = False
    min_properties: int | None = None
    max_properties: int | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """One value a tool takes, with everything below it."""

    name: str
    kind: Kind
    required: bool = False
    description: str | None = None
    title: str | None = None
    has_default: bool = False
    default: Json = None
    nullable: bool = False
    constraints: Constraints = field(default_factory=Constraints)
    items: "Parameter | None" = None
    # Fixed leading items of a tuple-like array.
    prefix_items: "tuple[Parameter, ...]" = ()
    properties: "tuple[Parameter, ...]" = ()
    # Other keys of an object: False = none, True = anything, a Parameter = each like this.
    extra: "bool | Parameter" = False
    # Keys by pattern (the name is the pattern), and what every key must look like.
    pattern_properties: "tuple[Parameter, ...]" = ()
    keys: "Parameter | None" = None
    # Alternatives of a union, and the property whose constant tells them apart.
    variants: "tuple[Parameter, ...]" = ()
    discriminator: str | None = None
    # The `$ref` at which a recursive schema was cut; the raw schema has the rest.
    recursive_ref: str | None = None

    @property
    def only_value(self) -> tuple[Json, ...]:
        """The only possible value as a tuple; empty if there are several."""
        options = self.constraints.enum
        return options if options is not None and len(options) == 1 and not self.nullable else ()

    @property
    def is_impossible(self) -> bool:
        """Whether no value is valid, as for the schema `false`."""
        return self.constraints.enum == () and not self.nullable
