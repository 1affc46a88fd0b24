"""Reads and writes `ToolParameter`, the parameters in CCWF workflow files.

`type` is one of the format's six types; unions, nullable, formats and open objects are written to
additional keys, so that nothing is lost and other readers still work.
"""

from dataclasses import replace
from importlib import import_module
from typing import Any, cast

from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.tools.parameter import Constraints, Kind, Parameter
from toolweave.tools.write_schema import write_constraints

# The format's type for a kind that it does not have.
_STAND_IN: dict[Kind, str] = {"null": "string", "any": "string", "union": "string"}
_KINDS = frozenset({None, "null", "any", "union"})
_TYPES = frozenset({"string", "number", "boolean", "integer", "array", "object"})
_COUNTS = {
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_items",
    "maxItems": "max_items",
    "minProperties": "min_properties",
    "maxProperties": "max_properties",
}
_NUMBERS = {
    "minimum": "minimum",
    "maximum": "maximum",
    "exclusiveMinimum": "exclusive_minimum",
    "exclusiveMaximum": "exclusive_maximum",
    "multipleOf": "multiple_of",
}


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
        return _parameter(_Keys(data)), []
    except _Unusual:
        return import_module("toolweave.tools.wire_models").read_any_wire(data)


def _all(parameters: tuple[Parameter, ...]) -> Json:
    return [write_wire(one) for one in parameters] or None


def _extra(extra: bool | Parameter) -> Json:
    return write_wire(extra) if isinstance(extra, Parameter) else extra


class _Unusual(Exception):
    """Not the form that `write_wire` writes: wrong, or right in another way."""


class _Keys:
    """An object whose values have exactly the expected types."""

    def __init__(self, data: Json) -> None:
        if not isinstance(data, dict) or any("_" in key for key in data):
            raise _Unusual
        self.data = data

    def text(self, key: str) -> str | None:
        return cast("str | None", self._of(key, str, None))

    def flag(self, key: str) -> bool:
        return cast("bool", self._of(key, bool, False))

    def one(self, key: str) -> Parameter | None:
        value = self.data.get(key)
        return None if value is None else _parameter(_Keys(value))

    def many(self, key: str) -> tuple[Parameter, ...]:
        values = cast("list[Json]", self._of(key, list, []))
        return tuple(_parameter(_Keys(value)) for value in values)

    # Any: the types are compared here, and named by the caller.
    def _of(self, key: str, kind: type, absent: Any) -> Any:
        value = self.data.get(key, absent)
        if value is absent or type(value) is kind:
            return value
        raise _Unusual


def _parameter(given: _Keys) -> Parameter:
    data = given.data
    name, kind = data.get("name"), given.text("type")
    special = given.text("kind")
    if not isinstance(name, str) or kind not in _TYPES or special not in _KINDS:
        raise _Unusual
    extra = data.get("extra", False)
    # The key is the name: the format has both, and they could differ.
    properties = data.get("properties", {})
    if not isinstance(properties, dict):
        raise _Unusual
    return Parameter(
        name=name,
        kind=cast("Kind", special or kind),
        required=given.flag("required"),
        description=given.text("description"),
        title=given.text("title"),
        has_default="default" in data,
        default=data.get("default"),
        nullable=given.flag("nullable"),
        constraints=_constraints(_Keys(data.get("validation", {}))),
        items=given.one("items"),
        prefix_items=given.many("prefixItems"),
        properties=tuple(
            replace(_parameter(_Keys(one)), name=key) for key, one in properties.items()
        ),
        extra=extra if isinstance(extra, bool) else _parameter(_Keys(extra)),
        pattern_properties=given.many("patternProperties"),
        keys=given.one("keys"),
        variants=given.many("variants"),
        discriminator=given.text("discriminator"),
        recursive_ref=given.text("recursiveRef"),
    )


def _constraints(given: _Keys) -> Constraints:
    data = given.data
    if not data:
        return Constraints()
    found: dict[str, Any] = {"unique_items": given.flag("uniqueItems")}  # Any: of many types
    found |= {name: given.text(name) for name in ("pattern", "format")}
    for names, kinds in ((_COUNTS, (int,)), (_NUMBERS, (int, float))):
        for key, name in names.items():
            value = data.get(key)
            if value is not None and type(value) not in kinds:
                raise _Unusual
            found[name] = value
    choices = data.get("enum")
    if choices is not None:
        if not isinstance(choices, list):
            raise _Unusual
        found["enum"] = tuple(choices)
    return Constraints(**found)
