"""From a JSON Schema to the parameter tree."""

import pytest
from tests.tools.builders import a_tool

from toolweave.json_text import Json, JsonObject
from toolweave.tools.parameter import Constraints, Kind, Parameter
from toolweave.tools.read_schema import read_schema


def read(schema: Json) -> Parameter:
    return read_schema(schema, "it")


def test_a_plain_object_becomes_its_parameters() -> None:
    tool = a_tool(
        {
            "region": {
                "type": "string",
                "title": "Region",
                "description": "Where.",
                "default": "us-east-1",
                "minLength": 1,
                "maxLength": 20,
                "pattern": "^[a-z0-9-]+$",
                "format": "hostname",
            },
            "count": {
                "type": "integer",
                "minimum": 1,
                "maximum": 10,
                "exclusiveMinimum": 0,
                "exclusiveMaximum": 11,
                "multipleOf": 1,
            },
        },
        required=["count"],
    )
    assert tool.parameters == (
        Parameter(
            "region",
            "string",
            title="Region",
            description="Where.",
            has_default=True,
            default="us-east-1",
            constraints=Constraints(
                min_length=1, max_length=20, pattern="^[a-z0-9-]+$", format="hostname"
            ),
        ),
        Parameter(
            "count",
            "integer",
            required=True,
            constraints=Constraints(
                minimum=1,
                maximum=10,
                exclusive_minimum=0,
                exclusive_maximum=11,
                multiple_of=1,
            ),
        ),
    )


@pytest.mark.parametrize("kind", ["string", "number", "boolean", "integer", "array", "object"])
def test_each_type_of_the_seed_is_a_kind(kind: str) -> None:
    assert read({"type": kind}).kind == kind


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["string", "null"]},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {"oneOf": [{"type": "null"}, {"type": "string"}]},
        {"anyOf": [{"type": "string"}, {"const": None}]},
        {"anyOf": [{"type": "string"}, {"enum": [None]}]},
    ],
)
def test_a_value_or_null_is_a_nullable_parameter(schema: Json) -> None:
    assert read(schema) == Parameter("it", "string", nullable=True)


def test_what_a_nullable_union_says_stands_before_what_its_variant_says() -> None:
    inner: JsonObject = {"type": "string", "description": "inner", "title": "T", "default": "x"}
    outer: JsonObject = {"anyOf": [inner, {"type": "null"}], "description": "o", "default": None}
    assert read(outer) == Parameter(
        "it", "string", title="T", description="o", nullable=True, has_default=True
    )
    assert read({"anyOf": [inner, {"type": "null"}]}).default == "x"


def test_null_alone_stays_null() -> None:
    schemas: list[Json] = [{"type": "null"}, {"const": None}, {"anyOf": [{"type": "null"}]}]
    assert [read(schema) for schema in schemas] == [Parameter("it", "null")] * 3
    assert read({"type": ["string", "null"], "enum": [1, None]}) == Parameter("it", "null")


OPTIONS: list[tuple[Json, Kind, bool, tuple[Json, ...]]] = [
    ({"enum": ["a", "b"]}, "string", False, ("a", "b")),
    ({"enum": ["a", None]}, "string", True, ("a",)),
    ({"type": ["string", "null"], "enum": ["a", None]}, "string", True, ("a",)),
    ({"type": ["string", "null"], "enum": ["a"]}, "string", False, ("a",)),
    ({"type": "string", "enum": ["a", 1]}, "string", False, ("a",)),
    ({"enum": [1, 2]}, "integer", False, (1, 2)),
    ({"enum": [1, 2.5]}, "any", False, (1, 2.5)),
    ({"enum": ["a", 1, None]}, "any", False, ("a", 1, None)),
    ({"enum": [True]}, "boolean", False, (True,)),
    ({"enum": [[1], [2.0]]}, "array", False, ([1], [2.0])),
    ({"enum": [{}]}, "object", False, ({},)),
    ({"const": 2.0}, "integer", False, (2.0,)),
    ({"type": "number", "const": 2}, "number", False, (2,)),
    ({"anyOf": [{"const": "a"}, {"const": "b"}]}, "string", False, ("a", "b")),
    ({"oneOf": [{"enum": ["a"]}, {"type": "null"}, {"const": "a"}]}, "string", True, ("a",)),
    ({"anyOf": [{"enum": ["a", 1]}, {"type": "null"}]}, "any", False, ("a", 1, None)),
    ({"const": "a", "enum": ["a", "b"]}, "string", False, ("a",)),
]


@pytest.mark.parametrize(("schema", "kind", "nullable", "options"), OPTIONS)
def test_options_are_one_enum_however_they_are_written(
    schema: Json, kind: str, nullable: bool, options: tuple[Json, ...]
) -> None:
    found = read(schema)
    assert (found.kind, found.nullable, found.constraints) == (
        kind,
        nullable,
        Constraints(enum=options),
    )


IMPOSSIBLE: list[Json] = [
    False,
    {"enum": []},
    {"type": "string", "enum": [1]},
    {"allOf": [{"type": "string"}, {"type": "integer"}]},
    {"anyOf": [False, {"enum": []}]},
    {"allOf": [{"const": 1}, {"const": True}]},
]


@pytest.mark.parametrize("schema", IMPOSSIBLE)
def test_what_nothing_fits_is_impossible(schema: Json) -> None:
    assert read(schema).is_impossible


def test_anything_is_anything() -> None:
    schemas: list[Json] = [
        True,
        {},
        {"description": 3},
        None,
        [],
        {"anyOf": [True, {"type": "null"}]},
    ]
    assert [read(schema) for schema in schemas] == [Parameter("it", "any", extra=True)] * 6


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"properties": {}}, "object"),
        ({"required": ["a"]}, "object"),
        ({"items": {}}, "array"),
        ({"uniqueItems": True}, "array"),
        ({"pattern": "a"}, "string"),
        ({"maximum": 3}, "number"),
        ({"type": ["integer", "number"]}, "number"),
        ({"type": "text", "minLength": 2}, "string"),
    ],
)
def test_a_missing_type_is_what_the_other_keywords_speak_of(schema: Json, kind: str) -> None:
    assert read(schema).kind == kind


def test_several_types_are_alternatives_each_with_its_own_constraints() -> None:
    found = read({"type": ["string", "integer", "null"], "minLength": 2, "minimum": 3})
    assert found == Parameter(
        "it",
        "union",
        nullable=True,
        variants=(
            Parameter("string", "string", constraints=Constraints(min_length=2)),
            Parameter("integer", "integer", constraints=Constraints(minimum=3)),
        ),
    )


def variant(kind: str, **more: Json) -> Json:
    return {"type": "object", "properties": {"kind": {"const": kind}, **more}}


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_a_constant_in_each_alternative_tells_them_apart(keyword: str) -> None:
    found = read({keyword: [variant("circle", r={"type": "number"}), variant("rect")]})
    assert found.kind == "union"
    assert found.discriminator == "kind"
    assert [one.properties[0].only_value for one in found.variants] == [("circle",), ("rect",)]


@pytest.mark.parametrize(
    "variants",
    [
        [variant("a"), variant("a")],
        [variant("a"), {"type": "object", "properties": {"other": {"const": "b"}}}],
        [variant("a"), {"type": "string"}],
    ],
)
def test_alternatives_without_a_telling_constant_have_no_discriminator(
    variants: list[Json],
) -> None:
    found = read({"anyOf": variants})
    assert (found.kind, found.discriminator) == ("union", None)


def test_variants_are_named_by_title_or_kind() -> None:
    found = read({"anyOf": [{"type": "string", "title": "Name"}, {"type": "integer"}]})
    assert [one.name for one in found.variants] == ["Name", "integer"]


def test_what_stands_beside_alternatives_holds_in_each() -> None:
    found = read(
        {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        }
    )
    assert [
        [(one.name, one.kind, one.required) for one in each.properties] for each in found.variants
    ] == [
        [("a", "string", True), ("b", "string", False)],
        [("a", "string", False), ("b", "string", True)],
    ]


def test_a_tool_of_alternatives_has_the_parameters_of_all() -> None:
    tool = a_tool(
        anyOf=[
            {"properties": {"a": {"type": "string"}, "b": {}}, "required": ["a", "b"]},
            {"properties": {"a": {"type": "string"}, "c": {}}, "required": ["a"]},
        ]
    )
    assert [(one.name, one.required) for one in tool.parameters] == [
        ("a", True),
        ("b", False),
        ("c", False),
    ]


def test_arrays_of_objects_are_read_to_the_bottom() -> None:
    found = read(
        {
            "type": "array",
            "minItems": 1,
            "maxItems": 5,
            "uniqueItems": True,
            "items": {"type": "object", "properties": {"x": {"type": "array", "items": {}}}},
        }
    )
    assert found.constraints == Constraints(min_items=1, max_items=5, unique_items=True)
    assert found.items is not None
    (inner,) = found.items.properties
    assert inner == Parameter("x", "array", items=Parameter("item", "any", extra=True))


@pytest.mark.parametrize(
    "schema",
    [
        {"prefixItems": [{"type": "string"}, {"type": "integer"}], "items": {"type": "null"}},
        {"items": [{"type": "string"}, {"type": "integer"}], "additionalItems": {"type": "null"}},
    ],
)
def test_tuples_of_both_spellings_are_the_same(schema: Json) -> None:
    found = read(schema)
    assert [one.kind for one in found.prefix_items] == ["string", "integer"]
    assert found.items == Parameter("item", "null")


@pytest.mark.parametrize(("most", "expected"), [(None, 2), (5, 2), (1, 1), (0, 0)])
def test_a_closed_tuple_has_at_most_its_fixed_items(most: int | None, expected: int) -> None:
    schema: JsonObject = {"prefixItems": [{}, {}], "items": False}
    found = read(schema if most is None else schema | {"maxItems": most})
    assert found.constraints.max_items == expected
    assert found.items is None


@pytest.mark.parametrize(
    ("schema", "extra"),
    [
        ({"type": "object"}, True),
        ({"type": "object", "additionalProperties": True}, True),
        ({"type": "object", "additionalProperties": {}}, True),
        ({"type": "object", "additionalProperties": False}, False),
        ({"type": "object", "additionalProperties": {"enum": []}}, False),
        ({"type": "object", "unevaluatedProperties": False}, False),
        (
            {"type": "object", "additionalProperties": {"type": "integer"}},
            Parameter("value", "integer"),
        ),
    ],
)
def test_other_keys_are_none_any_or_of_one_kind(schema: Json, extra: bool | Parameter) -> None:
    assert read(schema).extra == extra


def test_keys_by_pattern_and_the_names_of_keys_are_kept() -> None:
    found = read(
        {
            "patternProperties": {"^x-": {"type": "string"}},
            "propertyNames": {"maxLength": 5},
            "minProperties": 1,
            "maxProperties": 4,
        }
    )
    assert found.pattern_properties == (Parameter("^x-", "string"),)
    assert found.keys == Parameter("key", "string", constraints=Constraints(max_length=5))
    assert found.constraints == Constraints(min_properties=1, max_properties=4)


def test_a_required_name_without_a_schema_is_a_parameter_too() -> None:
    assert read({"properties": {}, "required": ["a"]}).properties == (
        Parameter("a", "any", required=True, extra=True),
    )


def test_a_forbidden_property_is_no_parameter_unless_it_is_required() -> None:
    found = read({"properties": {"a": False, "b": False}, "required": ["b"]})
    assert [(one.name, one.is_impossible) for one in found.properties] == [("b", True)]


def test_references_are_followed_and_what_stands_beside_them_is_kept() -> None:
    schema: JsonObject = {
        "$ref": "#/$defs/text",
        "description": "own",
        "minLength": 3,
        "$defs": {"text": {"type": "string", "description": "shared", "minLength": 1}},
    }
    assert read(schema) == Parameter(
        "it", "string", description="own", constraints=Constraints(min_length=3)
    )


def test_in_draft_7_only_words_stand_beside_a_reference() -> None:
    schema: JsonObject = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$ref": "#/definitions/text",
        "description": "own",
        "minLength": 3,
        "allOf": [{"maxLength": 2}],
        "definitions": {"text": {"type": "string"}},
    }
    assert read(schema) == Parameter("it", "string", description="own")


def test_a_reference_to_nowhere_says_nothing() -> None:
    for reference in ("#/nowhere", "https://example.com/schema"):
        assert read({"$ref": reference, "type": "string"}) == Parameter("it", "string")


def test_the_same_reference_twice_is_no_recursion() -> None:
    schema: JsonObject = {
        "properties": {"a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/$defs/x"}},
        "allOf": [{"$ref": "#/$defs/y"}, {"$ref": "#/$defs/y"}],
        "$defs": {"x": {"type": "string"}, "y": {"type": "object"}},
    }
    found = read(schema)
    assert [one.kind for one in found.properties] == ["string", "string"]
    assert found.recursive_ref is None


def test_a_recursive_schema_is_cut_where_it_comes_back_to_itself() -> None:
    schema: JsonObject = {
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                    "parent": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
                },
            }
        },
    }
    name, children, parent = read(schema).properties
    assert name.kind == "string"
    assert children.items == Parameter("item", "object", recursive_ref="#/$defs/node")
    assert parent == Parameter("parent", "object", nullable=True, recursive_ref="#/$defs/node")


def test_a_schema_that_is_only_itself_is_cut_at_once() -> None:
    assert read({"$ref": "#"}).recursive_ref == "#"
    assert read({"$defs": {"a": True}, "items": {"$ref": "#"}}).kind == "array"


def test_all_of_is_one_schema_that_says_everything() -> None:
    found = read(
        {
            "allOf": [
                {
                    "type": ["object", "string"],
                    "properties": {"a": {"type": "string", "minLength": 1}, "b": {}},
                    "required": ["a"],
                    "minProperties": 1,
                },
                {
                    "type": ["object", "null"],
                    "properties": {"a": {"maxLength": 9, "minLength": 2}, "c": True},
                    "required": ["a", "c"],
                    "additionalProperties": {"type": "integer"},
                    "minProperties": 2,
                },
                {"properties": {"a": {"minLength": 3}}},
            ]
        }
    )
    assert found.constraints == Constraints(min_properties=2)
    a, b, c = found.properties
    assert a == Parameter(
        "a", "string", required=True, constraints=Constraints(min_length=3, max_length=9)
    )
    assert (b.kind, b.required) == ("integer", False)
    assert (c.kind, c.required) == ("any", True)
    assert found.extra == Parameter("value", "integer")


def test_a_key_the_other_schema_forbids_is_gone() -> None:
    found = read(
        {
            "allOf": [
                {"properties": {"a": {}}, "additionalProperties": False},
                {"properties": {"a": {"type": "string"}, "b": {}}},
            ]
        }
    )
    assert [(one.name, one.kind) for one in found.properties] == [("a", "string")]


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        ({"type": "number"}, {"type": "integer"}, Parameter("it", "integer")),
        ({"minimum": "x"}, {"minimum": 1}, Parameter("it", "number")),
        (
            {"minimum": 1, "maximum": 9},
            {"minimum": 0, "maximum": 5},
            Parameter("it", "number", constraints=Constraints(minimum=1, maximum=5)),
        ),
        (
            {"enum": ["a", "b"]},
            {"enum": ["b", "c"]},
            Parameter("it", "string", constraints=Constraints(enum=("b",))),
        ),
        (
            {"type": "array", "uniqueItems": False},
            {"uniqueItems": True},
            Parameter("it", "array", constraints=Constraints(unique_items=True)),
        ),
        (
            {"items": {"type": "string"}},
            {"items": {"maxLength": 2}},
            Parameter(
                "it",
                "array",
                items=Parameter("item", "string", constraints=Constraints(max_length=2)),
            ),
        ),
        (
            {"items": {"type": "string"}},
            {"items": {"type": "string"}},
            Parameter("it", "array", items=Parameter("item", "string")),
        ),
        (
            {"prefixItems": [{"type": "string"}]},
            {"prefixItems": [{"maxLength": 2}, {"type": "null"}]},
            Parameter(
                "it",
                "array",
                prefix_items=(
                    Parameter("0", "string", constraints=Constraints(max_length=2)),
                    Parameter("1", "null"),
                ),
            ),
        ),
        (
            {"patternProperties": {"^a": {"type": "string"}, "^b": {}}},
            {"patternProperties": {"^a": {"maxLength": 2}}, "properties": {"x": {}}},
            Parameter(
                "it",
                "object",
                properties=(Parameter("x", "any", extra=True),),
                pattern_properties=(
                    Parameter("^a", "string", constraints=Constraints(max_length=2)),
                    Parameter("^b", "any", extra=True),
                ),
                extra=True,
            ),
        ),
        (
            {"pattern": "a"},
            {"pattern": "b"},
            Parameter("it", "string", constraints=Constraints(pattern="a")),
        ),
        (
            {"enum": 3, "prefixItems": 3, "patternProperties": 3, "minimum": True},
            {"enum": [1], "prefixItems": [], "patternProperties": {}, "minimum": 1},
            Parameter("it", "object", extra=True),
        ),
        (
            {"properties": 3},
            {"properties": {"a": {}}},
            Parameter("it", "object", properties=(Parameter("a", "any", extra=True),), extra=True),
        ),
    ],
)
def test_two_schemas_together_are_as_strict_as_both(
    one: Json, two: Json, expected: Parameter
) -> None:
    assert read({"allOf": [one, two]}) == expected


def test_boolean_limits_of_draft_4_are_numbers() -> None:
    found = read(
        {
            "type": "number",
            "minimum": 1,
            "exclusiveMinimum": True,
            "maximum": 5,
            "exclusiveMaximum": False,
        }
    )
    assert found.constraints == Constraints(exclusive_minimum=1, maximum=5)
    assert read({"type": "number", "exclusiveMinimum": True}).constraints == Constraints()


def test_keywords_of_the_wrong_shape_are_skipped() -> None:
    found = read(
        {
            "type": ["object", 3],
            "properties": {"a": {"type": "string", "minLength": -1, "pattern": 3}, "b": 4},
            "required": "a",
            "additionalProperties": "no",
            "minProperties": 1e400,
            "anyOf": [],
            "allOf": 3,
        }
    )
    assert found.properties == (Parameter("a", "string"), Parameter("b", "any", extra=True))
    assert found.constraints == Constraints()


def test_a_tree_deeper_than_people_can_use_is_cut() -> None:
    schema: Json = {"type": "string"}
    for _ in range(60):
        schema = {"items": schema}
    found, depth = read(schema), 0
    while found.items is not None:
        found, depth = found.items, depth + 1
    assert 30 < depth < 60
    assert found == Parameter("item", "any", extra=True)


def test_a_reference_followed_too_far_is_cut() -> None:
    definitions: JsonObject = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(80)}
    definitions["d80"] = {"type": "string"}
    found = read({"$ref": "#/$defs/d0", "$defs": definitions})
    assert found.recursive_ref == "#/$defs/d64"


def test_an_array_property_is_kept_when_more_than_one_says_it() -> None:
    both: Json = {"allOf": [{"items": False}, {"items": {"type": "string"}}]}
    assert read(both).constraints.max_items == 0
