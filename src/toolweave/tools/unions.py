"""Unions: the kind of a value, unions that are lists of options, and discriminators."""

from collections.abc import Sequence

from toolweave.json_text import Json, canonical
from toolweave.tools.parameter import Constraints, Kind, Parameter


def kind_of(value: Json) -> Kind:
    """The kind of a JSON value; a whole number is an integer."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def has_kind(value: Json, kind: Kind) -> bool:
    """Whether `value` is of `kind`; a null counts for none but null and any."""
    found = kind_of(value)
    return kind == found or (kind == "number" and found == "integer") or kind == "any"


def one_enum(variants: Sequence[Parameter]) -> tuple[Kind, tuple[Json, ...]] | None:
    """Return the kind and options of alternatives that only list options of one kind."""
    kind = variants[0].kind
    options: dict[bytes, Json] = {}
    for variant in variants:
        enum = variant.constraints.enum
        is_plain = variant.constraints == Constraints(enum=enum) and not variant.nullable
        if enum is None or not is_plain or variant.kind != kind or kind in ("object", "array"):
            return None
        options |= {canonical(option): option for option in enum}
    return kind, tuple(options.values())


def discriminator_of(variants: Sequence[Parameter]) -> str | None:
    """Return the property with a different constant in each alternative."""
    fixed = [
        {one.name: canonical(one.only_value[0]) for one in variant.properties if one.only_value}
        for variant in variants
    ]
    return next(
        (
            name
            for name in fixed[0]
            if len({values.get(name) for values in fixed} - {None}) == len(variants)
        ),
        None,
    )
