"""Differences of JSON values: they restore exactly, and give way to what has changed since."""

from hypothesis import given
from tests.tools.strategies import steady
from tests.workflow.strategies import JSON

from toolweave import json_text
from toolweave.json_text import Json
from toolweave.workflow.formats.json_difference import difference, restore, same


@steady(150)
@given(JSON, JSON)
def test_a_difference_makes_the_one_value_into_the_other(one: Json, other: Json) -> None:
    restored = restore(one, difference(one, other))
    assert json_text.write(restored) == json_text.write(other)


@steady(100)
@given(JSON)
def test_a_value_does_not_differ_from_itself(value: Json) -> None:
    copy: Json = json_text.read(json_text.write(value))
    assert difference(value, copy) == {}
    assert same(value, copy)


@steady(150)
@given(JSON, JSON)
def test_values_are_the_same_exactly_when_their_texts_are(one: Json, other: Json) -> None:
    assert same(one, other) == (json_text.write(one) == json_text.write(other))


def test_only_what_differs_is_remembered() -> None:
    one: Json = {"id": 1, "port": "output", "data": {"a": 1}}
    other: Json = {"port": "out", "data": {"a": 1, "b": 2}}
    assert difference(one, other) == {
        "at": {
            "/id": {"was": 1},
            "/port": {"was": "output", "as": "out"},
            "/data/b": {"as": 2},
        }
    }


def test_things_put_into_a_list_are_remembered_one_by_one() -> None:
    assert difference([{"a": 1}, 2], [None, {"a": 1}, "x", 2]) == {
        "at": {"/0": {"as": None}, "/2": {"as": "x"}}
    }


def test_the_order_of_keys_is_remembered() -> None:
    changes = difference({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert changes == {"order": {"": ["b", "a"]}}
    assert list(dict(restored_keys({"a": 1, "c": 3, "b": 2}, changes))) == ["b", "a", "c"]


def restored_keys(value: Json, changes: dict[str, Json]) -> dict[str, Json]:
    restored = restore(value, changes)
    assert isinstance(restored, dict)
    return restored


def test_a_value_that_changed_since_is_not_respelt() -> None:
    changes = difference({"port": "output", "kind": "x"}, {"port": "out"})
    assert restore({"port": "true", "kind": "y"}, changes) == {"port": "true", "kind": "y"}


def test_a_value_that_came_since_is_not_overwritten() -> None:
    changes = difference({}, {"note": "old"})
    assert restore({"note": "new"}, changes) == {"note": "new"}


def test_restoring_leaves_the_value_it_was_given_alone() -> None:
    value: Json = {"data": {"a": [1]}}
    restore(value, difference(value, {"data": {"a": [2], "b": 3}}))
    assert value == {"data": {"a": [1]}}


def test_true_and_one_and_one_point_nought_are_three_values() -> None:
    assert difference([True, 1, 1.0], [1, 1.0, True]) != {}
    assert not same({"a": True}, {"a": 1})
