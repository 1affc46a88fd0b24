"""FLOW.SORT, MERGE and SPLIT: lists in, lists out."""

import pytest
from tests.engine.building import gives, workflow
from tests.nodes.flow.conftest import Opened
from tests.nodes.flow.running import computed, fields, flow, outcome_of

from toolweave.engine.runs import RunRequest
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject

MIXED: list[Json] = [{"v": "b"}, {"v": 2}, {"v": None}, {"v": True}, {"v": "a"}, {}, {"v": 1.5}]


@pytest.mark.parametrize(
    ("order", "indices"),
    [("asc", [3, 6, 1, 4, 0, 2, 5]), ("desc", [0, 4, 1, 6, 3, 2, 5])],
)
def test_a_list_is_sorted_either_way_and_what_has_no_value_comes_last(
    order: str, indices: list[int]
) -> None:
    value = fields(computed("FLOW.SORT", {"sort_field": "v", "order": order}, {"data": MIXED}))
    assert value["original_indices"] == indices
    assert value["sorted_data"] == [MIXED[index] for index in indices]
    assert value["sort_stats"] == {"total_items": 7, "items_sorted": 5}


def test_lists_and_objects_have_an_order_of_their_own_behind_everything_else() -> None:
    items: list[Json] = [{"v": {"a": 1}}, {"v": [2]}, {"v": "z"}, {"v": [1]}]
    value = fields(computed("FLOW.SORT", {"sort_field": "v"}, {"data": items}))
    assert value["original_indices"] == [2, 3, 1, 0]


@pytest.mark.parametrize(
    ("config", "inputs", "code"),
    [
        ({"sort_field": ""}, {"data": []}, "SORT_INVALID"),
        ({"sort_field": "v", "order": "up"}, {"data": []}, "SORT_INVALID"),
        ({"sort_field": "v"}, {"data": [], "sort_override": {"order": 3}}, "SORT_INVALID"),
        ({"sort_field": "v"}, {"data": {}}, "NODE_INPUT_INVALID"),
    ],
)
def test_a_sort_that_cannot_be_done_says_why(
    config: JsonObject, inputs: JsonObject, code: str
) -> None:
    with pytest.raises(Invalid) as refused:
        computed("FLOW.SORT", config, inputs)
    assert refused.value.code == code


TWICE: Json = [[{"id": 1, "n": "a"}, {"id": 2, "n": "b"}], [{"id": 1, "n": "c"}, {"n": "d"}]]
ALL: list[Json] = [{"id": 1, "n": "a"}, {"id": 2, "n": "b"}, {"id": 1, "n": "c"}, {"n": "d"}]


@pytest.mark.parametrize(
    ("strategy", "duplicates", "merged", "removed"),
    [
        ("concatenate", "keep_all", ALL, 0),
        ("concatenate", "keep_first", ALL, 0),
        ("union", "keep_all", ALL, 0),
        ("union", "keep_first", [ALL[0], ALL[1], ALL[3]], 1),
        ("union", "keep_last", [ALL[2], ALL[1], ALL[3]], 1),
        ("union", "remove_duplicates", [ALL[0], ALL[1], ALL[3]], 1),
    ],
)
def test_lists_are_merged_by_every_strategy(
    strategy: str, duplicates: str, merged: Json, removed: int
) -> None:
    config: JsonObject = {
        "merge_strategy": strategy,
        "merge_key": "id",
        "handle_duplicates": duplicates,
    }
    value = fields(computed("FLOW.MERGE", config, {"data": TWICE}))
    assert value["merged_data"] == merged
    stats = {"total_inputs": 2, "items_merged": 4 - removed, "duplicates_removed": removed}
    assert value["merge_stats"] == stats


def test_whole_items_are_compared_without_a_key_and_true_is_not_one() -> None:
    config: JsonObject = {"merge_strategy": "union", "handle_duplicates": "keep_first"}
    value = fields(computed("FLOW.MERGE", config, {"data": [[1, True], [1, {"a": 1, "b": 2}],
                                                            [{"b": 2, "a": 1}]]}))  # fmt: skip
    assert value["merged_data"] == [1, True, {"a": 1, "b": 2}]


def test_inputs_are_merged_in_the_order_of_their_times() -> None:
    inputs: JsonObject = {
        "data": ["late", ["early"]],
        "timestamps": ["2026-03-02T09:30:00+01:00", "2026-03-02T08:00:00"],
    }
    value = fields(computed("FLOW.MERGE", {"merge_strategy": "concatenate"}, inputs))
    assert value["merged_data"] == ["early", "late"]
    assert value["source_mapping"] == [
        {"source": "input_2", "range": [0, 0]},
        {"source": "input_1", "range": [1, 1]},
    ]


@pytest.mark.parametrize("times", [["2026-03-02T08:00:00Z"], ["soon", "later"]])
def test_times_that_do_not_fit_the_inputs_are_refused(times: list[Json]) -> None:
    inputs: JsonObject = {"data": [[1], [2]], "timestamps": times}
    with pytest.raises(Invalid) as refused:
        computed("FLOW.MERGE", {"merge_strategy": "concatenate"}, inputs)
    assert refused.value.code == "MERGE_TIMESTAMPS_INVALID"


@pytest.mark.anyio
async def test_branches_are_merged_in_the_order_of_their_edges(engine: Opened) -> None:
    graph = workflow(
        {
            "s": "start",
            "if": flow("IF", condition_expression="data.n > 3"),
            "a": "once",
            "b": "once",
            "never": "once",
            "m": flow("MERGE", merge_strategy="concatenate"),
        },
        ["s > b", "s > a", "s > if", "if.false > never", "b > m", "never > m", "a > m"],
    )
    runs = await engine(a=gives([1]), b=gives([2, 3]))
    run = await runs.runs.start(RunRequest(graph, {"n": 5}))
    assert await runs.advance(run) == "success"
    assert fields(await outcome_of(runs, run, "m"))["merged_data"] == [2, 3, 1]


@pytest.mark.parametrize(
    ("config", "parts", "keys"),
    [
        ({"split_by": "size", "size": 3}, [[1, 2, 3], [4, 5]], []),
        ({"split_by": "size", "size": 9}, [[1, 2, 3, 4, 5]], []),
        ({"split_by": "parts", "parts": 3}, [[1, 2], [3, 4], [5]], []),
        ({"split_by": "parts", "parts": 9}, [[1], [2], [3], [4], [5]], []),
    ],
)
def test_a_list_is_split_by_size_and_into_parts(
    config: JsonObject, parts: Json, keys: Json
) -> None:
    value = fields(computed("FLOW.SPLIT", config, {"data": [1, 2, 3, 4, 5]}))
    assert (value["parts"], value["keys"]) == (parts, keys)
    assert value["total_items"] == 5


def test_a_list_is_split_by_a_field_and_items_without_it_are_a_group() -> None:
    items: list[Json] = [{"a": {"b": 1}}, {}, {"a": {"b": True}}, {"a": {"b": 1}, "c": 2}]
    value = fields(computed("FLOW.SPLIT", {"split_by": "field", "field": "a.b"}, {"data": items}))
    assert value["keys"] == [1, None, True]
    assert value["parts"] == [[items[0], items[3]], [items[1]], [items[2]]]


def test_nothing_is_split_into_nothing() -> None:
    for split_by in ("size", "parts", "field"):
        config: JsonObject = {"split_by": split_by, "field": "a"}
        assert fields(computed("FLOW.SPLIT", config, {"data": []}))["parts"] == []
    with pytest.raises(Invalid) as refused:
        computed("FLOW.SPLIT", {"split_by": "field"}, {"data": []})
    assert refused.value.facts == {"field": "field"}
