"""Reads and writes `ToolParameter`, the parameters in CCWF workflow files.

`type` is one of the format's six types; unions, nullable, formats and open objects are written to
additional keys, so that nothing is lost and other readers still work.
"""

from dataclasses import replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError
from pydantic.alias_generators import to_camel

from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem, pointer
from toolweave.tools.parameter import Constraints, Kind, Parameter
from toolweave.tools.write_schema import write_constraints

WireType = Literal["string", "number", "boolean", "integer", "array", "object"]

# The format's type for a kind that it does not have.
_STAND_IN: dict[Kind, WireType] = {"null": "string", "any": "string", "union": "string"}


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


def write_wire(parameter: Parameter) -> JsonObject:
    """Write one parameter; empty keys are omitted."""
    kind = parameter.kind
    wire: JsonObject = {
        "name": parameter.name,
        "type": _STAND_IN.get(kind, kind),
        "required": parameter.required,
    }
    said: JsonObject = {
        "description": parameter.description,
        "validation": write_constraints(parameter.constraints) or None,
        "items": write_wire(parameter.items) if parameter.items else None,
        "properties": {one.name: write_wire(one) for one in parameter.properties} or None,
        "kind": kind if kind in _STAND_IN else None,
        "title": parameter.title,
        "nullable": parameter.nullable or None,
        "prefixItems": _all(parameter.prefix_items),
        "extra": _extra(parameter.extra) or None,
        "patternProperties": _all(parameter.pattern_properties),
        "keys": write_wire(parameter.keys) if parameter.keys else None,
        "variants": _all(parameter.variants),
        "discriminator": parameter.discriminator,
        "recursiveRef": parameter.recursive_ref,
    }
    wire |= {key: value for key, value in said.items() if value is not None}
    return wire | {"default": parameter.default} if parameter.has_default else wire


def read_wire(data: Json) -> tuple[Parameter | None, list[Problem]]:
    """Return the parameter in `data`, or its problems."""
    try:
        return _parameter(WireParameter.model_validate(data)), []
    except ValidationError as error:
        return None, [
            Problem("MCP_TOOL_SCHEMA_INVALID", pointer(*fault["loc"]), fault["msg"])
            for fault in error.errors(include_url=False, include_input=False)
        ]


def _all(parameters: tuple[Parameter, ...]) -> Json:
    return [write_wire(one) for one in parameters] or None


def _extra(extra: bool | Parameter) -> Json:
    return write_wire(extra) if isinstance(extra, Parameter) else extra


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
