"""What changed between two definitions of a tool."""

from itertools import pairwise
from typing import Literal

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema_rs.canonical import Containment
from tests.tools.builders import corpus
from tests.tools.strategies import steady

from toolweave.json_text import Json, JsonObject
from toolweave.tools.difference import Difference, difference

Way = Literal["narrowed", "widened", "text_only", "changed", "same"]


def entry(schema: Json, **more: Json) -> JsonObject:
    return {"name": "tool", "inputSchema": schema, **more}


def compare(old: Json, new: Json) -> Difference:
    return difference(entry(old), entry(new))


def test_a_tool_that_comes_goes_or_stays_is_said_so() -> None:
    assert difference(None, entry({})).kind == "added"
    assert difference(entry({}), None).kind == "removed"
    assert difference(entry({"a": 1}), entry({"a": 1})).kind == "same"
    assert difference(None, None).kind == "same"


A: Json = {"type": "string"}
B: Json = {"type": "integer"}

# Old and new schema, what it comes to forward; backward it is the opposite.
ORDERED: list[tuple[Json, Json]] = [
    ({"required": ["a"]}, {}),
    ({"required": ["a", "b"]}, {"required": ["b"]}),
    ({"properties": {"a": A}}, {"properties": {"a": A, "b": B}}),
    ({"properties": {"a": {"enum": ["x"]}}}, {"properties": {"a": {"enum": ["x", "y"]}}}),
    ({"enum": ["x"]}, {}),
    ({"const": "x"}, {"enum": ["x", "y"]}),
    ({"type": "string"}, {"type": ["string", "null"]}),
    ({"type": "integer"}, {"type": "number"}),
    ({"type": "string"}, {}),
    ({"minimum": 3}, {"minimum": 2}),
    ({"minimum": 3}, {}),
    ({"maximum": 3}, {"maximum": 4}),
    ({"maxLength": 3}, {}),
    ({"minLength": 2}, {"minLength": 1}),
    ({"pattern": "^a"}, {}),
    ({"format": "uri"}, {}),
    ({"multipleOf": 2}, {}),
    ({"uniqueItems": True}, {}),
    ({"uniqueItems": True}, {"uniqueItems": False}),
    ({"additionalProperties": False}, {}),
    ({"additionalProperties": False}, {"additionalProperties": A}),
    ({"additionalProperties": A}, {"additionalProperties": True}),
    ({"additionalProperties": A}, {"additionalProperties": {"type": ["string", "null"]}}),
    ({"items": A}, {}),
    ({"items": False}, {"items": A}),
    ({"items": [A, B]}, {"items": [A]}),
    ({"prefixItems": [A, B]}, {"prefixItems": [A]}),
    ({"patternProperties": {"^a": A}}, {}),
    ({"anyOf": [A]}, {"anyOf": [A, B]}),
    ({"oneOf": [A, B]}, {}),
    ({"allOf": [A, B]}, {"allOf": [A]}),
    ({"anyOf": [{"minimum": 3}]}, {"anyOf": [{"minimum": 2}]}),
    ({"not": {}}, {"not": A}),
    ({"not": A}, {}),
    ({"not": {"maximum": 3}}, {"not": {"maximum": 2}}),
    ({"$defs": {"a": {"minimum": 3}}}, {"$defs": {"a": {"minimum": 2}}}),
    (False, {}),
]
DIRECTED = [
    case
    for narrow, wide in ORDERED
    for case in ((narrow, wide, "widened"), (wide, narrow, "narrowed"))
]


@pytest.mark.parametrize(("old", "new", "kind"), DIRECTED)
def test_taking_more_is_widened_and_taking_less_is_narrowed(
    old: Json, new: Json, kind: Way
) -> None:
    found = compare(old, new)
    assert found.kind == kind
    assert {change.direction for change in found.changes} == {kind}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"pattern": "a"}, {"pattern": "b"}),
        ({"type": "string"}, {"type": "integer"}),
        ({"enum": ["a", "b"]}, {"enum": ["b", "c"]}),
        ({"default": 1}, {"default": 2}),
        ({"$ref": "#/a"}, {"$ref": "#/b"}),
        ({"if": A}, {"if": B}),
        ({"minimum": 1, "maximum": 2}, {"maximum": 1}),
        ({"minimum": 1, "exclusiveMinimum": True}, {"minimum": 1, "exclusiveMinimum": 1}),
        ({"items": A}, {"items": [A]}),
        ({"maximum": "x"}, {"maximum": "y"}),
    ],
)
def test_what_has_no_order_is_changed(old: Json, new: Json) -> None:
    assert compare(old, new).kind == "changed"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"description": "a"}, {"description": "b"}),
        ({"properties": {"a": {"title": "x"}}}, {"properties": {"a": {"examples": [1]}}}),
        ({"x-order": 1}, {"x-order": 2}),
        ({"not": {"title": "a"}}, {"not": {"title": "b"}}),
        ({"$defs": {"a": A}}, {"$defs": {"b": A}}),
        ({"uniqueItems": False}, {}),
    ],
)
def test_other_words_for_the_same_are_text_only(old: Json, new: Json) -> None:
    assert compare(old, new).kind == "text_only"


def test_words_beside_a_real_change_do_not_hide_it() -> None:
    found = compare({"description": "a", "minimum": 1}, {"description": "b", "minimum": 2})
    assert found.kind == "narrowed"
    assert [change.direction for change in found.changes] == ["text_only", "narrowed"]


def test_every_change_has_a_place_and_words() -> None:
    old: Json = {"properties": {"a": {"enum": ["x", "y"]}, "gone": {}}, "required": []}
    new: Json = {
        "properties": {"a": {"enum": ["x", "z"], "minLength": 2}, "b/c": {}},
        "required": ["b/c"],
    }
    assert [(c.pointer, c.direction, c.message) for c in compare(old, new).changes] == [
        ("/inputSchema/properties/a/enum", "narrowed", "'y' no longer allowed"),
        ("/inputSchema/properties/a/enum", "widened", "'z' also allowed"),
        ("/inputSchema/properties/a/minLength", "narrowed", "minLength 2 was added"),
        ("/inputSchema/properties/gone", "narrowed", "'gone' was removed"),
        ("/inputSchema/properties/b~1c", "widened", "'b/c' was added"),
        ("/inputSchema/required", "narrowed", "'b/c' is required now"),
    ]
    words = compare({"minimum": 1, "maximum": 2}, {"minimum": 0}).changes
    assert [change.message for change in words] == [
        "minimum changed from 1 to 0",
        "maximum 2 was removed",
    ]


def test_many_options_are_counted() -> None:
    (change,) = compare({}, {"enum": list[Json](range(9))}).changes
    assert change.message == "now restricted to 0, 1, 2, 3, 4 and 4 more"


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"description": "new"}, "text_only"),
        ({"title": "new"}, "text_only"),
        ({"name": "other"}, "changed"),
        ({"annotations": {"destructiveHint": True}}, "changed"),
        ({"outputSchema": {"type": "object"}}, "narrowed"),
    ],
)
def test_what_a_tool_says_besides_its_input_counts_too(change: JsonObject, kind: Way) -> None:
    old = entry({"type": "object"}, description="old")
    assert difference(old, old | change).kind == kind


def test_definitions_too_large_to_compare_are_changed() -> None:
    large: Json = list[Json](range(60_000))
    found = difference(entry({"enum": large}), entry({}))
    assert found.kind == "changed"
    assert len(found.changes) == 1


def test_every_real_tool_is_the_same_as_itself_and_unlike_its_neighbour() -> None:
    tools = corpus()
    for one, other in pairwise(tools):
        assert difference(one.entry, one.entry).kind == "same"
        assert difference(one.entry, other.entry).kind == "changed"


_KEYWORDS: dict[str, st.SearchStrategy[Json]] = {
    "minimum": st.integers(0, 3),
    "maximum": st.integers(4, 7),
    "minLength": st.integers(0, 3),
    "maxItems": st.integers(0, 3),
    "uniqueItems": st.booleans(),
    "type": st.sampled_from(["string", "integer", "number", "array"]),
    "enum": st.sampled_from([[1], [1, 2], ["a"], [2, 1, "a"]]).map(list[Json]),
    "const": st.sampled_from([1, "a"]),
    "items": st.sampled_from(["string", "integer"]).map(lambda kind: {"type": kind}),
}
SIMPLE = st.fixed_dictionaries({}, optional=_KEYWORDS)


@steady(200)
@given(SIMPLE, SIMPLE)
def test_narrowed_and_widened_agree_with_what_the_schemas_accept(
    old: JsonObject, new: JsonObject
) -> None:
    before, after = jsonschema_rs.canonicalize(old), jsonschema_rs.canonicalize(new)
    kind = compare(old, new).kind
    if kind in ("widened", "same", "text_only"):
        assert after.covers(before) != Containment.NO
    if kind in ("narrowed", "same", "text_only"):
        assert before.covers(after) != Containment.NO
