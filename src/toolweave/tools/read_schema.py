"""Read a JSON Schema into the parameter tree that forms, tables and hints show.

Reads any schema without raising: what has the wrong shape is skipped here and reported by
`compile_schema`. Recursion, size and depth are bounded, so a cut tree is possible, a hang is not.
"""

from dataclasses import replace

from toolweave.json_text import Json, JsonObject
from toolweave.tools.dialect import dialect_of
from toolweave.tools.document import SchemaDocument
from toolweave.tools.flatten import DESCRIPTIVE, Flat, Flattener
from toolweave.tools.keywords import TYPES, is_number
from toolweave.tools.merge import merged
from toolweave.tools.parameter import Constraints, Kind, Parameter
from toolweave.tools.schema import MAX_DEPTH, MAX_NODES
from toolweave.tools.size import size_of
from toolweave.tools.unions import discriminator_of, has_kind, kind_of, one_enum

MAX_TREE_DEPTH = 40

_SAYS: dict[Kind, frozenset[str]] = {
    "object": frozenset(
        {"properties", "required", "additionalProperties", "patternProperties", "propertyNames"}
        | {"minProperties", "maxProperties", "unevaluatedProperties"}
    ),
    "array": frozenset({"items", "prefixItems", "minItems", "maxItems", "uniqueItems"}),
    "string": frozenset({"minLength", "maxLength", "pattern", "format"}),
    "number": frozenset(
        {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
    ),
}
_ANY: list[Kind] = ["any"]
_KINDS: dict[str, Kind] = {
    "string": "string",
    "number": "number",
    "integer": "integer",
    "boolean": "boolean",
    "array": "array",
    "object": "object",
    "null": "null",
}


def read_schema(schema: Json, name: str = "") -> Parameter:
    """Return the tree of `schema`; "any" if it exceeds the limits."""
    if size_of(schema, max_nodes=MAX_NODES, max_depth=MAX_DEPTH) is None:
        return Parameter(name, "any", extra=True)
    document = SchemaDocument(schema)
    dialect, _ = dialect_of(schema)
    reader = _Reader(Flattener(document, dialect))
    return reader.read(name, schema, frozenset(), 0)


def parameters_of(root: Parameter) -> tuple[Parameter, ...]:
    """Return the parameters of a tool with the input `root`; those of all alternatives."""
    if root.kind != "union":
        return root.properties
    found: dict[str, Parameter] = {}
    for variant in root.variants:
        for parameter in variant.properties:
            found.setdefault(parameter.name, parameter)
    required = [{p.name for p in variant.properties if p.required} for variant in root.variants]
    return tuple(
        replace(parameter, required=all(name in names for names in required))
        for name, parameter in found.items()
    )


class _Reader:
    def __init__(self, flattener: Flattener) -> None:
        self._flattener = flattener

    def read(
        self, name: str, schema: Json, trail: frozenset[str], depth: int, *, required: bool = False
    ) -> Parameter:
        flat = self._flattener.flat(schema, trail)
        return replace(self._read_flat(name, flat, depth), required=required)

    def _read_flat(self, name: str, flat: Flat, depth: int) -> Parameter:
        self._flattener.spend()
        if depth > MAX_TREE_DEPTH or self._flattener.is_spent:
            return Parameter(name, "any", extra=True)
        found = self._read_any(name, flat, depth)
        if found.constraints.enum != ():
            return found
        return Parameter(name, "any", constraints=found.constraints, extra=True)

    def _read_any(self, name: str, flat: Flat, depth: int) -> Parameter:
        about = _about(name, flat.schema)
        if flat.cut is not None:
            kind, *others = sorted(_kinds(flat.schema), key="null".__eq__)
            return replace(about, kind=kind, nullable="null" in others, recursive_ref=flat.cut)
        for keyword in ("anyOf", "oneOf"):
            variants = flat.schema.get(keyword)
            if isinstance(variants, list) and variants:
                return self._union(about, flat, keyword, variants, depth)
        kinds = _kinds(flat.schema)
        options = _options(flat.schema)
        if options is not None:
            options = [one for one in options if any(has_kind(one, kind) for kind in kinds)]
            flat = replace(flat, schema=flat.schema | {"enum": options})
            kinds = [kind for kind in kinds if any(has_kind(one, kind) for one in options)] or _ANY
        nullable = "null" in kinds and len(kinds) > 1 and (options is None or None in options)
        if len(kinds) > 1:
            kinds: list[Kind] = [kind for kind in kinds if kind != "null"]
        about = replace(about, nullable=nullable)
        if len(kinds) == 1:
            return self._of_kind(about, kinds[0], flat, depth)
        if options is not None:
            return self._of_kind(replace(about, nullable=False), "any", flat, depth)
        plain = _without(flat.schema, DESCRIPTIVE)
        typed = [Flat(plain | {"type": kind}, flat.trail) for kind in kinds]
        return self._of_variants(about, typed, depth)

    def _union(
        self, about: Parameter, flat: Flat, keyword: str, variants: list[Json], depth: int
    ) -> Parameter:
        base = _without(flat.schema, DESCRIPTIVE | {keyword})
        found = [self._flattener.flat(variant, flat.trail) for variant in variants]
        flats = [Flat(merged(one.schema, base), one.trail, one.cut) for one in found]
        return self._of_variants(about, flats, depth)

    def _of_variants(self, about: Parameter, flats: list[Flat], depth: int) -> Parameter:
        read = [self._read_flat("", flat, depth + 1) for flat in flats]
        possible = [variant for variant in read if not variant.is_impossible] or read[:1]
        variants = [variant for variant in possible if variant.kind != "null"]
        nullable = about.nullable or len(variants) < len(possible)
        if not variants:
            return replace(about, kind="null")
        if len(variants) == 1:
            only = variants[0]
            only = replace(
                only,
                name=about.name,
                title=about.title or only.title,
                description=about.description or only.description,
                has_default=about.has_default or only.has_default,
                default=about.default if about.has_default else only.default,
            )
            return _or_null(only) if nullable else only
        if (enum := one_enum(variants)) is not None:
            kind, options = enum
            limits = Constraints(enum=options)
            about = replace(about, kind=kind, constraints=limits, extra=kind == "any")
            return _or_null(about) if nullable else about
        return replace(
            about,
            kind="union",
            nullable=nullable,
            variants=tuple(replace(one, name=_variant_name(one)) for one in variants),
            discriminator=discriminator_of(variants),
        )

    def _of_kind(self, about: Parameter, kind: Kind, flat: Flat, depth: int) -> Parameter:
        constraints = _constraints(flat.schema, kind)
        about = replace(about, kind=kind, constraints=constraints)
        if constraints.enum is None and kind == "object":
            return self._object(about, flat, depth)
        if constraints.enum is None and kind == "array":
            return self._array(about, flat, depth)
        return replace(about, extra=kind in ("any", "object"))

    def _object(self, about: Parameter, flat: Flat, depth: int) -> Parameter:
        schema = flat.schema
        required = _texts(schema.get("required"))
        known = _named(schema.get("properties"))
        properties = [
            self.read(name, sub, flat.trail, depth + 1, required=name in required)
            for name, sub in (
                known | {name: True for name in required if name not in known}
            ).items()
        ]
        patterns = _named(schema.get("patternProperties"))
        keys = schema.get("propertyNames", True)
        extra = schema.get("additionalProperties", schema.get("unevaluatedProperties", True))
        return replace(
            about,
            properties=tuple(one for one in properties if one.required or not one.is_impossible),
            pattern_properties=tuple(
                self.read(pattern, sub, flat.trail, depth + 1) for pattern, sub in patterns.items()
            ),
            keys=None if keys is True else self.read("key", keys, flat.trail, depth + 1),
            extra=self._extra(extra, flat, depth),
        )

    def _extra(self, extra: Json, flat: Flat, depth: int) -> bool | Parameter:
        if not isinstance(extra, dict):
            return extra is not False
        each = self.read("value", extra, flat.trail, depth + 1)
        if each.is_impossible:
            return False
        return each if each != Parameter("value", "any", extra=True) else True

    def _array(self, about: Parameter, flat: Flat, depth: int) -> Parameter:
        prefix = flat.schema.get("prefixItems")
        first = [
            self.read(str(index), sub, flat.trail, depth + 1)
            for index, sub in enumerate(prefix if isinstance(prefix, list) else [])
        ]
        items = flat.schema.get("items", True)
        each = self.read("item", items, flat.trail, depth + 1) if items is not True else None
        if each is not None and each.is_impossible:
            # A closed tuple: nothing may follow the fixed items.
            most = about.constraints.max_items
            most = len(first) if most is None else min(most, len(first))
            about = replace(about, constraints=replace(about.constraints, max_items=most))
            each = None
        return replace(about, prefix_items=tuple(first), items=each)


def _about(name: str, schema: JsonObject) -> Parameter:
    title, description = schema.get("title"), schema.get("description")
    return Parameter(
        name,
        "any",
        title=title if isinstance(title, str) else None,
        description=description if isinstance(description, str) else None,
        has_default="default" in schema,
        default=schema.get("default"),
    )


def _kinds(schema: JsonObject) -> list[Kind]:
    """Return the types of a schema, else those implied by its other keywords."""
    declared = schema.get("type")
    names = declared if isinstance(declared, list) else [declared]
    kinds: list[Kind] = [_KINDS[name] for name in names if isinstance(name, str) and name in TYPES]
    if "number" in kinds and "integer" in kinds:
        kinds.remove("integer")
    if not kinds and (options := _options(schema)):
        kinds = [kind_of(option) for option in options]
    if not kinds:
        kinds = [kind for kind, words in _SAYS.items() if schema.keys() & words]
        kinds = kinds[:1]
    return sorted(set(kinds), key=kinds.index) or _ANY


def _constraints(schema: JsonObject, kind: Kind) -> Constraints:
    options = _options(schema)
    if kind == "null":
        return Constraints()
    if options is not None:
        fitting = [option for option in options if has_kind(option, kind)]
        return Constraints(enum=tuple(fitting))
    if kind == "string":
        return Constraints(
            min_length=_count(schema, "minLength"),
            max_length=_count(schema, "maxLength"),
            pattern=_text(schema, "pattern"),
            format=_text(schema, "format"),
        )
    if kind in ("number", "integer"):
        return Constraints(
            minimum=_number(schema, "minimum"),
            maximum=_number(schema, "maximum"),
            exclusive_minimum=_number(schema, "exclusiveMinimum"),
            exclusive_maximum=_number(schema, "exclusiveMaximum"),
            multiple_of=_number(schema, "multipleOf"),
            format=_text(schema, "format"),
        )
    return Constraints(
        min_items=_count(schema, "minItems") if kind == "array" else None,
        max_items=_count(schema, "maxItems") if kind == "array" else None,
        unique_items=kind == "array" and schema.get("uniqueItems") is True,
        min_properties=_count(schema, "minProperties") if kind == "object" else None,
        max_properties=_count(schema, "maxProperties") if kind == "object" else None,
    )


def _or_null(parameter: Parameter) -> Parameter:
    """Make it nullable; "any" already includes null."""
    options = parameter.constraints.enum
    if parameter.kind != "any":
        return replace(parameter, nullable=True)
    if options is None or None in options:
        return parameter
    return replace(parameter, constraints=Constraints(enum=(*options, None)))


def _variant_name(variant: Parameter) -> str:
    return variant.title or variant.kind


def _options(schema: JsonObject) -> list[Json] | None:
    options = schema.get("enum")
    return options if isinstance(options, list) else None


def _named(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _texts(value: Json) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _text(schema: JsonObject, keyword: str) -> str | None:
    value = schema.get(keyword)
    return value if isinstance(value, str) else None


def _number(schema: JsonObject, keyword: str) -> float | None:
    value = schema.get(keyword)
    return value if isinstance(value, int | float) and is_number(value) else None


def _count(schema: JsonObject, keyword: str) -> int | None:
    value = _number(schema, keyword)
    return int(value) if value is not None and 0 <= value < float("inf") else None


def _without(schema: JsonObject, keywords: frozenset[str]) -> JsonObject:
    return {key: value for key, value in schema.items() if key not in keywords}
