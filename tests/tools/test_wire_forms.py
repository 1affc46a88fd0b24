"""Parameters in the form that is written are read without the models; every other form by them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolweave.json_text import Json, JsonObject
from toolweave.tools.wire import read_wire
from toolweave.tools.wire_models import read_any_wire

NAMES = st.sampled_from(["a", "b_c"])
WRONG: st.SearchStrategy[Any] = st.sampled_from([None, 1, True, "x", "5", [], {}, [1]])
CONSTRAINTS: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {},
    optional={
        "enum": st.just([1, "a", None]) | WRONG,
        "minLength": st.just(1) | WRONG,
        "maximum": st.sampled_from([1, 2.5]) | WRONG,
        "pattern": st.just("a+") | WRONG,
        "uniqueItems": st.booleans() | WRONG,
        "max_items": st.just(3),
    },
)


LEAF: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"name": NAMES, "type": st.sampled_from(["string", "number"])},
    optional={"required": st.booleans() | WRONG, "validation": CONSTRAINTS | WRONG},
)
PARAMETERS: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"name": NAMES, "type": st.sampled_from(["string", "array", "object", "number"])},
    optional={
        "description": st.just("d") | WRONG,
        "default": WRONG,
        "validation": CONSTRAINTS | WRONG,
        "items": LEAF | WRONG,
        "properties": st.dictionaries(NAMES, LEAF, max_size=1) | WRONG,
        "kind": st.sampled_from(["null", "any", "union"]) | WRONG,
        "nullable": st.booleans() | WRONG,
        "variants": st.lists(LEAF, max_size=1) | WRONG,
        "extra": st.booleans() | LEAF,
        "keys": LEAF,
        "prefix_items": st.lists(LEAF, max_size=1),
        "unknown": WRONG,
    },
)


@given(PARAMETERS | WRONG)
def test_both_ways_of_reading_agree(data: Json) -> None:
    assert read_wire(data) == read_any_wire(data)


def test_what_is_written_needs_no_models(monkeypatch: pytest.MonkeyPatch) -> None:
    usual: JsonObject = {"name": "a", "type": "string", "validation": {"minLength": 1}}
    unusual: JsonObject = {**usual, "required": "yes"}
    asked = (None, ["asked"])

    def read(data: Json) -> object:
        return asked

    monkeypatch.setattr("toolweave.tools.wire_models.read_any_wire", read)
    assert read_wire(unusual) == asked
    assert read_wire(usual)[1] == []
