"""ACTION.SET_FIELDS: values, expressions, names and what is left."""

import pytest
from tests.nodes.action.trying import code_of, compute

from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.action.set_fields import node

RECORD: JsonObject = {"a": 1, "b": {"c": 2, "d": 3}}

CHANGES: list[tuple[JsonObject, Json]] = [
    ({"set": {"x": [1]}}, {**RECORD, "x": [1]}),
    ({"set": {"b.e": None}}, {"a": 1, "b": {"c": 2, "d": 3, "e": None}}),
    ({"set": {"new.deep": 1}}, {**RECORD, "new": {"deep": 1}}),
    ({"remove": ["b.c", "gone", "a.x"]}, {"a": 1, "b": {"d": 3}}),
    ({"rename": {"b.c": "c", "gone": "x"}}, {"a": 1, "b": {"d": 3}, "c": 2}),
    ({"rename": {"a": "b.a"}}, {"b": {"c": 2, "d": 3, "a": 1}}),
    ({"expressions": {"sum": "item.a + item.b.c"}}, {**RECORD, "sum": 3}),
    ({"expressions": {"x": "item.a + 1", "y": "item.x * 2"}}, {**RECORD, "x": 2, "y": 4}),
    ({"remove": ["a"], "expressions": {"x": "item.a + 1"}}, {"b": {"c": 2, "d": 3}, "x": 2}),
    ({"set": {"a": 9}, "expressions": {"x": "item.a"}}, {**RECORD, "a": 9, "x": 9}),
    ({"keep_others": False, "set": {"x": 1}}, {"x": 1}),
    ({"keep_others": False, "rename": {"b.c": "c"}}, {"c": 2}),
    ({"expressions": {"x": "data.a + variables.n"}}, {**RECORD, "x": 6}),
    ({}, RECORD),
]


@pytest.mark.parametrize(("config", "expected"), CHANGES, ids=str)
def test_a_change_gives_the_record_it_says(config: JsonObject, expected: Json) -> None:
    assert compute(node, config, data=RECORD, variables={"n": 5}) == {"data": expected}
    assert RECORD == {"a": 1, "b": {"c": 2, "d": 3}}


def test_each_record_of_a_list_is_changed_by_itself() -> None:
    config: JsonObject = {"expressions": {"n": "item.a * 10 + index"}}
    found = compute(node, config, data=[{"a": 1}, {"a": 2}])
    assert found == {"data": [{"a": 1, "n": 10}, {"a": 2, "n": 21}]}


WRONG: list[tuple[JsonObject, Json]] = [
    ({}, "text"),
    ({}, [1]),
    ({"set": {"a.b": 1}}, {"a": 1}),
    ({"set": {"": 1}}, {}),
    ({"set": {"a.": 1}}, {}),
    ({"set": {".".join("a" * 1000): 1}}, {}),
    ({"rename": {"a": 7}}, {"a": 1}),
    ({"remove": [7]}, {"a": 1}),
    ({"expressions": {"a": 7}}, {"a": 1}),
]


@pytest.mark.parametrize(("config", "data"), WRONG, ids=lambda one: str(one)[:60])
def test_what_cannot_be_done_is_refused(config: JsonObject, data: Json) -> None:
    with pytest.raises(Invalid) as caught:
        compute(node, config, data=data)
    assert code_of(caught) == "FIELDS_INVALID"


def test_an_expression_that_fails_says_so() -> None:
    with pytest.raises(ToolweaveError) as caught:
        compute(node, {"expressions": {"x": "item.nothing + 1"}}, data={"a": 1})
    assert code_of(caught) == "EXPRESSION_FAILED"


@pytest.mark.parametrize("example", node.spec.examples, ids=lambda one: one.name)
def test_an_example_gives_all_it_says(example: object) -> None:
    found = next(one for one in node.spec.examples if one is example)
    assert compute(node, found.configurations, **found.input_params) == found.expected_output
