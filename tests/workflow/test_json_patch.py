"""JSON Patch: applying, refusing, and saying how two documents differ."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.workflow.json_patch import Operation, apply_patch, difference, value_at

values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab/~0", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text("ab/~", max_size=2), inner, max_size=4)
        | st.lists(st.fixed_dictionaries({"id": st.sampled_from("abcd"), "v": inner}), max_size=5)
    ),
    max_leaves=12,
)

DOCUMENT: Json = {"a": [1, 2, {"b/c": "x"}], "d": {"e~f": None}}


@pytest.mark.parametrize(
    ("operation", "place", "expected"),
    [
        ({"op": "add", "path": "/a/1", "value": 9}, "/a", [1, 9, 2, {"b/c": "x"}]),
        ({"op": "add", "path": "/a/-", "value": 9}, "/a", [1, 2, {"b/c": "x"}, 9]),
        ({"op": "add", "path": "/d/new", "value": 9}, "/d", {"e~f": None, "new": 9}),
        ({"op": "replace", "path": "/a/2/b~1c", "value": "y"}, "/a/2/b~1c", "y"),
        ({"op": "remove", "path": "/a/0"}, "/a", [2, {"b/c": "x"}]),
        ({"op": "remove", "path": "/d/e~0f"}, "/d", {}),
        ({"op": "move", "from": "/a/0", "path": "/d/one"}, "/d/one", 1),
        ({"op": "copy", "from": "/a/2", "path": "/d/copy"}, "/d/copy", {"b/c": "x"}),
        ({"op": "test", "path": "/a/0", "value": 1.0}, "/a/0", 1),
        ({"op": "replace", "path": "", "value": 5}, "", 5),
    ],
)
def test_each_operation_does_what_the_standard_says(
    operation: Operation, place: str, expected: Json
) -> None:
    assert value_at(apply_patch(DOCUMENT, [operation]), place) == expected


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "remove", "path": "/missing"},
        {"op": "replace", "path": "/missing", "value": 1},
        {"op": "add", "path": "/a/4", "value": 1},
        {"op": "add", "path": "/a/01", "value": 1},
        {"op": "add", "path": "/a/0/deeper", "value": 1},
        {"op": "replace", "path": "/a/-", "value": 1},
        {"op": "test", "path": "/a/0", "value": True},
        {"op": "test", "path": "/a/0", "value": 2},
        {"op": "move", "from": "/a", "path": "/a/0"},
        {"op": "remove", "path": ""},
        {"op": "guess", "path": "/a"},
        {"op": "remove", "path": "a"},
    ],
)
def test_what_cannot_be_done_is_refused_and_nothing_is_changed(operation: Operation) -> None:
    before = repr(DOCUMENT)
    with pytest.raises(Invalid) as refused:
        apply_patch(DOCUMENT, [{"op": "remove", "path": "/d"}, operation])
    assert refused.value.code == "PATCH_IMPOSSIBLE"
    assert repr(DOCUMENT) == before


@given(values, values)
def test_a_difference_makes_the_new_document_of_the_old_one(old: Json, new: Json) -> None:
    assert apply_patch(old, difference(old, new)) == new


@given(values)
def test_equal_documents_do_not_differ(value: Json) -> None:
    assert difference(value, value) == []


def test_a_difference_of_lists_touches_only_what_changed() -> None:
    old: Json = [{"id": "a", "v": 1}, {"id": "b", "v": 2}, {"id": "c", "v": 3}]
    new: Json = [{"id": "a", "v": 1}, {"id": "c", "v": 4}]
    assert difference(old, new) == [
        {"op": "remove", "path": "/1"},
        {"op": "replace", "path": "/1/v", "value": 4},
    ]
