"""What is known of a value: never less than its schema allows, so that a "no" is certain."""

from collections import Counter
from random import Random

import jsonschema_rs
import pytest
from tests.tools.builders import corpus
from tests.tools.example import example_value

from toolweave.cel.paths import EACH, Step
from toolweave.json_text import Json, JsonObject
from toolweave.tools.read_tool import read_tool
from toolweave.workflow.shapes import (
    UNKNOWN,
    ValueShape,
    fits,
    join,
    join_all,
    look_up,
    meet,
    of_cel,
    of_fields,
    of_kind,
    of_schema,
    of_value,
)

PERSON: JsonObject = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name"],
    "additionalProperties": False,
}


STEPS: list[tuple[Json, Step, str]] = [
    (PERSON, "name", "named"),
    (PERSON, "nmae", "absent"),
    ({**PERSON, "additionalProperties": True}, "nmae", "open"),
    ({**PERSON, "additionalProperties": {"type": "string"}}, "nmae", "open"),
    ({**PERSON, "patternProperties": {"^n": {}}}, "nmae", "open"),
    ({"type": "object", "properties": {"name": {}}}, "nmae", "unsaid"),
    ({"type": "object"}, "nmae", "open"),
    ({}, "nmae", "open"),
    (True, "nmae", "open"),
    ({"type": "string"}, "nmae", "absent"),
    ({"type": ["object", "null"], "properties": {"name": {}}}, "name", "named"),
    ({"type": "array", "items": PERSON}, 0, "open"),
    ({"type": "string"}, 0, "absent"),
    ({"type": "array"}, EACH, "open"),
    ({"type": "object"}, EACH, "open"),
    ({"type": "integer"}, EACH, "absent"),
    ({"type": "array"}, "first", "absent"),
    ({"$ref": "#/$defs/p", "$defs": {"p": PERSON}}, "nmae", "absent"),
    ({"$ref": "https://elsewhere.example/p"}, "nmae", "open"),
    ({"$ref": "#/$defs/gone"}, "nmae", "open"),
    ({"anyOf": [PERSON, {"type": "null"}]}, "name", "named"),
    ({"anyOf": [PERSON, {"type": "null"}]}, "nmae", "absent"),
    ({"oneOf": [PERSON, {"type": "object"}]}, "nmae", "open"),
    ({"allOf": [PERSON, {"required": ["age"]}]}, "nmae", "absent"),
    ({"allOf": [PERSON, {"properties": {"nmae": {}}}]}, "nmae", "absent"),
]


@pytest.mark.parametrize(("schema", "step", "verdict"), STEPS)
def test_a_step_finds_what_the_schema_says(schema: Json, step: Step, verdict: str) -> None:
    assert look_up(of_schema(schema), step).verdict == verdict


def test_a_recursive_schema_is_followed_as_deep_as_it_is_looked_at_and_unknown_below() -> None:
    tree: JsonObject = {
        "type": "object",
        "properties": {"left": {"$ref": "#"}},
        "additionalProperties": False,
    }
    shape = of_schema(tree)
    assert look_up(look_up(shape, "left").shape, "right").verdict == "absent"
    for _ in range(50):
        shape = look_up(shape, "left").shape
    assert shape.is_unknown


def test_a_schema_that_multiplies_is_cut() -> None:
    defs: JsonObject = {
        f"d{at}": {
            "type": "object",
            "properties": {name: {"$ref": f"#/$defs/d{at + 1}"} for name in "abcdefgh"},
        }
        for at in range(9)
    }
    assert of_schema({"$ref": "#/$defs/d0", "$defs": defs}).words == "an object"


@pytest.mark.parametrize(
    ("given_schema", "wanted", "fit"),
    [
        ({"type": "integer"}, {"type": "number"}, "yes"),
        ({"type": "number"}, {"type": "integer"}, "unknown"),
        ({"type": "integer"}, {"type": "string"}, "no"),
        ({"type": ["string", "null"]}, {"type": "string"}, "unknown"),
        ({"type": "string"}, {"type": "string", "minLength": 3}, "unknown"),
        ({"type": "string"}, {"enum": ["a"]}, "unknown"),
        ({"enum": ["a", "b"]}, {"enum": ["b", "c"]}, "unknown"),
        ({"enum": ["a", "b"]}, {"enum": ["c"]}, "no"),
        ({"const": 1}, {"enum": [1.0, 2]}, "unknown"),
        ({"const": 1}, {"const": True}, "no"),
        ({}, {"type": "string"}, "unknown"),
        ({"type": "string"}, {}, "yes"),
        (PERSON, PERSON, "unknown"),
        (PERSON, {"type": "object", "required": ["id"]}, "no"),
        (PERSON, {"type": "object", "properties": {"name": {"type": "integer"}}}, "no"),
        (PERSON, {"type": "object", "properties": {"age": {"type": "string"}}}, "unknown"),
        (PERSON, {"type": "object", "additionalProperties": False}, "no"),
        (
            {"type": "array", "items": {"type": "string"}},
            {"type": "array", "items": {"type": "integer"}},
            "unknown",  # both may be empty
        ),
        ({"type": "string", "nullable": True}, {"type": "null"}, "unknown"),
    ],
)
def test_a_shape_fits_where_it_is_certain(given_schema: Json, wanted: Json, fit: str) -> None:
    assert fits(of_schema(given_schema), of_schema(wanted)) == fit


def test_words_are_for_people() -> None:
    assert of_schema({"type": ["number", "null"]}).words == "a number or null"
    assert of_cel("int").words == "a whole number"
    assert of_cel("dyn") is UNKNOWN
    assert of_cel(None) is UNKNOWN
    assert of_value([1]).words == "a list"
    assert look_up(of_value({"a": 1}), "b").verdict == "absent"


def test_a_value_of_one_of_two_shapes_has_the_fields_of_either() -> None:
    one, other = of_fields({"a": of_kind("string")}, "none"), of_fields({"b": UNKNOWN}, "none")
    both = join(one, other)
    assert [look_up(both, step).verdict for step in ("a", "b", "c")] == ["named", "named", "absent"]
    assert join(one, one) is one
    assert join_all([]) is UNKNOWN
    assert join(one, UNKNOWN) is UNKNOWN
    assert look_up(join(one, of_kind("null")), "c").verdict == "absent"
    assert look_up(join(one, of_fields({"c": UNKNOWN}, "unsaid")), "d").verdict == "unsaid"
    lists = join(
        ValueShape(frozenset({"array"}), items=one), ValueShape(frozenset({"array"}), items=other)
    )
    assert look_up(look_up(lists, 0).shape, "c").verdict == "absent"


def test_very_large_shapes_are_joined_to_the_unknown() -> None:
    large = of_fields({str(at): of_kind("null") for at in range(3_000)}, "none")
    assert join(large, of_kind("string")).is_unknown


def test_a_contradiction_says_nothing() -> None:
    assert meet(of_kind("string"), of_kind("integer")).is_unknown


KEYS = ("a", "b", "c")
TYPES = ("string", "integer", "number", "boolean", "null", "object", "array")
PLAIN: tuple[Json, ...] = (None, True, False, 0, 1, 1.0, 2.5, "", "x", "y")


def a_value(rng: Random, depth: int = 0) -> Json:
    chance = rng.random()
    if depth > 2 or chance < 0.5:
        return rng.choice(PLAIN)
    if chance < 0.6:
        return [a_value(rng, depth + 1) for _ in range(rng.randint(0, 2))]
    return {key: a_value(rng, depth + 1) for key in KEYS if rng.random() < 0.5}


def a_schema(rng: Random, depth: int = 0) -> Json:
    """Any combination of the keywords that shapes read, and some that they do not."""
    chance = rng.random()
    if chance < 0.05:
        return chance < 0.04
    schema: JsonObject = {}
    if rng.random() < 0.7:
        schema["type"] = "object" if depth == 0 and chance < 0.5 else rng.choice(TYPES)
    for keyword, often in _OFTEN.items():
        if depth < 3 and rng.random() < often:
            schema[keyword] = _part(rng, keyword, depth + 1)
    return schema


_OFTEN = {
    "properties": 0.4,
    "additionalProperties": 0.3,
    "patternProperties": 0.05,
    "required": 0.3,
    "items": 0.2,
    "enum": 0.1,
    "const": 0.05,
    "anyOf": 0.15,
    "oneOf": 0.1,
    "allOf": 0.15,
    "not": 0.05,
    "minimum": 0.1,
    "$ref": 0.1,
    "type": 0.05,
}


def _part(rng: Random, keyword: str, depth: int) -> Json:
    match keyword:
        case "properties" | "patternProperties":
            return {key: a_schema(rng, depth) for key in KEYS if rng.random() < 0.6}
        case "additionalProperties":
            return False if rng.random() < 0.6 else a_schema(rng, depth)
        case "required":
            return [key for key in KEYS if rng.random() < 0.4]
        case "enum":
            return [a_value(rng, 1) for _ in range(3)]
        case "const":
            return a_value(rng, 1)
        case "anyOf" | "oneOf" | "allOf":
            return [a_schema(rng, depth) for _ in range(rng.randint(1, 3))]
        case "type":
            return list[Json](rng.sample(TYPES, 2))
        case "minimum":
            return 1
        case "$ref":
            return rng.choice(("#/$defs/x", "#/$defs/y"))
        case _:
            return a_schema(rng, depth)


def a_document(rng: Random) -> JsonObject:
    schema = a_schema(rng)
    found: JsonObject = schema if isinstance(schema, dict) else {"not": {}}
    definitions: JsonObject = {"x": PERSON, "y": {"type": "object"}}
    return {**found, "$defs": definitions}


def takes_in(shape: ValueShape, value: Json) -> bool:
    """Whether a shape says nothing against a value."""
    if fits(of_value(value), shape) == "no":
        return False
    if isinstance(value, dict):
        found = [(look_up(shape, key), one) for key, one in value.items()]
        return all(one.verdict != "absent" and takes_in(one.shape, part) for one, part in found)
    if isinstance(value, list):
        each = look_up(shape, EACH)
        return each.verdict != "absent" and all(takes_in(each.shape, one) for one in value)
    return True


def is_valid(schema: JsonObject, value: Json) -> bool:
    return jsonschema_rs.Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize("seed", range(4))
def test_a_shape_takes_in_every_value_of_its_schema(seed: int) -> None:
    rng = Random(seed)
    valid = 0
    for _ in range(150):
        schema = a_document(rng)
        shape = of_schema(schema)
        values = [value for value in (a_value(rng) for _ in range(12)) if is_valid(schema, value)]
        assert all(takes_in(shape, value) for value in values), schema
        valid += len(values)
    assert valid > 200


@pytest.mark.parametrize("seed", range(4))
def test_no_and_yes_are_certain(seed: int) -> None:
    rng = Random(seed)
    fits_found: Counter[str] = Counter()
    for _ in range(150):
        one, other = a_document(rng), a_document(rng)
        fit = fits(of_schema(one), of_schema(other))
        fits_found[fit] += 1
        values = [value for value in (a_value(rng) for _ in range(12)) if is_valid(one, value)]
        for value in values:
            assert fit != ("no" if is_valid(other, value) else "yes"), (one, other, value)
    assert fits_found["no"] > 10
    assert fits_found["yes"] > 0


def test_the_schemas_of_real_tools_take_in_their_own_examples() -> None:
    schemas: list[JsonObject] = []
    for one in corpus():
        tool = read_tool(one.server, one.entry)
        schemas += [found for found in (tool.input_schema, tool.output_schema) if found]
    made = 0
    for schema in schemas:
        value, _ = example_value(schema)
        if value is not None:
            made += 1
            assert takes_in(of_schema(schema), value), schema
    assert made > 100
