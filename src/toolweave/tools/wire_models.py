"""Reads `ToolParameter` of CCWF workflow files in any form, with the problems of a wrong one.

What has the form that `wire.py` writes does not come here: these models are slow to load.
"""

from dataclasses import replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError
from pydantic.alias_generators import to_camel

from toolweave.json_text import Json
from toolweave.problems import Problem, pointer
from toolweave.tools.parameter import Constraints, Parameter

WireType = Literal["string", "number", "boolean", "integer", "array", "object"]


class _Wire(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, frozen=True, defer_build=True
    )


class WireValidation(_Wire):
    """The format's `ParameterValidation`, with additional constraints."""

    enum: tuple[JsonValue, ...] | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    format: str | None = None
    minimum: int | float | None = None
    maximum: int | float | None = None
    exclusive_minimum: int | float | None = None
    exclusive_maximum: int | float | None = None
    multiple_of: int | float | None = None
    min_items: int | None = None
    max_items: int | None = None
    unique_items: bool = False
    min_properties: int | None = None
    max_properties: int | None = None


class WireParameter(_Wire):
    """The format's `ToolParameter`; the keys from `kind` on are additional."""

    name: str
    type: WireType
    description: str | None = None
    required: bool = False
    default: JsonValue = None
    validation: WireValidation = Field(default_factory=WireValidation)
    items: "WireParameter | None" = None
    properties: "dict[str, WireParameter]" = Field(default_factory=dict)
    kind: Literal["null", "any", "union"] | None = None
    title: str | None = None
    nullable: bool = False
    prefix_items: "tuple[WireParameter, ...]" = ()
    extra: "bool | WireParameter" = False
    pattern_properties: "tuple[WireParameter, ...]" = ()
    keys: "WireParameter | None" = None
    variants: "tuple[WireParameter, ...]" = ()
    discriminator: str | None = None
    recursive_ref: str | None = None


def read_any_wire(data: Json) -> tuple[Parameter | None, list[Problem]]:
    """Return the parameter in `data`, or its problems."""
    try:
        return _parameter(WireParameter.model_validate(data)), []
    except ValidationError as error:
        return None, [
            Problem("MCP_TOOL_SCHEMA_INVALID", pointer(*fault["loc"]), fault["msg"])
            for fault in error.errors(include_url=False, include_input=False)
        ]


def _parameter(wire: WireParameter) -> Parameter:
    return Parameter(
        name=wire.name,
        kind=wire.kind or wire.type,
        required=wire.required,
        description=wire.description,
        title=wire.title,
        has_default="default" in wire.model_fields_set,
        default=wire.default,
        nullable=wire.nullable,
        constraints=Constraints(**dict(wire.validation)),
        items=_parameter(wire.items) if wire.items else None,
        prefix_items=_parameters(wire.prefix_items),
        # The key is the name: the format has both, and they could differ.
        properties=tuple(
            replace(_parameter(one), name=name) for name, one in wire.properties.items()
        ),
        extra=_parameter(wire.extra) if isinstance(wire.extra, WireParameter) else wire.extra,
        pattern_properties=_parameters(wire.pattern_properties),
        keys=_parameter(wire.keys) if wire.keys else None,
        variants=_parameters(wire.variants),
        discriminator=wire.discriminator,
        recursive_ref=wire.recursive_ref,
    )


def _parameters(wires: tuple[WireParameter, ...]) -> tuple[Parameter, ...]:
    return tuple(_parameter(wire) for wire in wires)
