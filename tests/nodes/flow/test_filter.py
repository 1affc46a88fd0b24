"""FLOW.FILTER: every mode, type of filter and way of handling what does not fit."""

import pytest
from tests.nodes.flow.running import computed, fields

from toolweave.catalog.node import Outcome
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject

PEOPLE: list[Json] = [
    {"n": 0, "name": "Ada", "age": 36, "tags": ["math", "code"], "home": {"city": "London"}},
    {"n": 1, "name": "bob", "age": 17, "tags": [], "home.city": "flat"},
    {"n": 2, "name": "Eve", "age": None, "tags": ["Code"]},
    {"n": 3, "name": "Adam", "age": 36.0},
]


def filtered(kind: str, conditions: list[Json], data: Json = None, **config: Json) -> Outcome:
    whole: JsonObject = {
        "filter_mode": "include",
        "filter_type": kind,
        "conditions": conditions,
        **config,
    }
    return computed("FLOW.FILTER", whole, {"data": PEOPLE if data is None else data})


def kept(outcome: Outcome) -> list[Json]:
    items = fields(outcome)["filtered_data"]
    assert isinstance(items, list)
    return [item["n"] for item in items if isinstance(item, dict)]


def compare(field: str, operator: str, value: Json = None) -> Json:
    return {"field": field, "operator": operator, "value": value}


@pytest.mark.parametrize(
    ("condition", "passed"),
    [
        (compare("age", "equals", 36), [0, 3]),
        (compare("age", "==", 36), [0, 3]),
        (compare("age", "not_equals", 36), [1]),
        (compare("age", "greater_than", 17), [0, 3]),
        (compare("age", ">=", 17), [0, 1, 3]),
        (compare("age", "greater_or_equal", 36), [0, 3]),
        (compare("age", "less_than", 36), [1]),
        (compare("age", "less_or_equal", 36), [0, 1, 3]),
        (compare("name", "in", ["Ada", "Eve"]), [0, 2]),
        (compare("name", "not_in", ["Ada", "Eve"]), [1, 3]),
        (compare("name", "contains", "da"), [0, 3]),
        (compare("tags", "contains", "code"), [0]),
        (compare("name", "starts_with", "Ad"), [0, 3]),
        (compare("name", "ends_with", "a"), [0]),
        (compare("age", "exists"), [0, 1, 3]),
        (compare("age", "exists", False), [2]),
        (compare("home.city", "equals", "London"), [0]),
        (compare("tags.0", "equals", "math"), [0]),
        (compare("name", "greater_than", "B"), [1, 2]),
    ],
)
def test_a_simple_condition_has_every_operator(condition: Json, passed: list[int]) -> None:
    assert kept(filtered("simple_condition", [condition])) == passed


@pytest.mark.parametrize(
    ("kind", "condition", "passed"),
    [
        ("complex_expression", {"expression": "item.name.size() == 3 && index < 2"}, [0, 1]),
        ("regex_pattern", {"field": "name", "pattern": "^A"}, [0, 3]),
        ("range_filter", {"field": "age", "min_value": 17, "max_value": 36}, [0, 1, 3]),
        ("range_filter", {"field": "age", "min_value": 17, "inclusive": False}, [0, 3]),
        ("range_filter", {"field": "age", "max_value": 36, "inclusive": False}, [1]),
        ("range_filter", {"field": "name", "max_value": "Adz"}, [0, 3]),
        ("exists_filter", {"field": "home"}, [0]),
        ("type_filter", {"field": "tags", "type": "array"}, [0, 1, 2]),
        ("type_filter", {"field": "age", "type": "number"}, [0, 1, 3]),
        ("type_filter", {"field": "age", "type": "integer"}, [0, 1, 3]),
        ("type_filter", {"field": "age", "type": "null"}, [2]),
        ("type_filter", {"field": "home", "type": "object"}, [0]),
        ("type_filter", {"field": "name", "type": "string"}, [0, 1, 2, 3]),
        ("type_filter", {"field": "name", "type": "boolean"}, []),
        ("array_contains", {"field": "tags", "value": "math"}, [0]),
        ("fuzzy_match", {"field": "name", "value": "Adan", "threshold": 0.7}, [0, 3]),
        ("fuzzy_match", {"field": "name", "value": "Ada"}, [0, 3]),
    ],
)
def test_every_type_of_filter_keeps_what_it_should(
    kind: str, condition: Json, passed: list[int]
) -> None:
    assert kept(filtered(kind, [condition])) == passed


def test_a_function_of_ones_own_sees_the_item_its_place_the_data_and_the_context() -> None:
    config: JsonObject = {
        "filter_mode": "include",
        "filter_type": "custom_function",
        "conditions": [],
        "custom_filter_function": "item.n >= context.least && index < size(data) - 1",
    }
    inputs: JsonObject = {"data": PEOPLE, "context": {"least": 1}}
    assert kept(computed("FLOW.FILTER", config, inputs)) == [1, 2]


@pytest.mark.parametrize(
    ("mode", "passed", "excluded", "ports"),
    [
        ("include", [0, 3], [1, 2], ("output",)),
        ("exclude", [1, 2], [0, 3], ("output",)),
        ("partition", [0, 3], [1, 2], ("output", "excluded")),
    ],
)
def test_every_mode_keeps_its_side(
    mode: str, passed: list[int], excluded: list[int], ports: tuple[str, ...]
) -> None:
    outcome = filtered("simple_condition", [compare("age", "equals", 36)], filter_mode=mode)
    assert (kept(outcome), outcome.ports) == (passed, ports)
    assert fields(outcome)["excluded_data"] == [PEOPLE[place] for place in excluded]


@pytest.mark.parametrize(("operator", "passed"), [("AND", [0]), ("OR", [0, 1, 3]), ("NOT", [2])])
def test_conditions_are_joined_by_every_operator(operator: str, passed: list[int]) -> None:
    conditions = [compare("age", "exists"), compare("home", "exists")]
    outcome = filtered("simple_condition", conditions, logical_operator=operator)
    assert kept(outcome) == passed


@pytest.mark.parametrize(
    ("nulls", "passed"),
    [("include", [0, 2, 3]), ("exclude", [0, 3]), ("treat_as_empty", [0, 3])],
)
def test_every_way_of_handling_null_is_heeded(nulls: str, passed: list[int]) -> None:
    outcome = filtered("simple_condition", [compare("age", "equals", 36)], null_handling=nulls)
    assert kept(outcome) == passed
    empty = filtered("simple_condition", [compare("age", "equals", "")], null_handling=nulls)
    assert (2 in kept(empty)) == (nulls != "exclude")


@pytest.mark.parametrize(
    ("kind", "condition", "passed"),
    [
        ("simple_condition", compare("name", "equals", "BOB"), [1]),
        ("simple_condition", compare("name", "in", ["BOB", "ADA"]), [0, 1]),
        ("simple_condition", compare("tags", "contains", "CODE"), [0, 2]),
        ("simple_condition", compare("name", "starts_with", "AD"), [0, 3]),
        ("regex_pattern", {"field": "name", "pattern": "^[a-b]"}, [0, 1, 3]),
        ("array_contains", {"field": "tags", "value": "CODE"}, [0, 2]),
        ("fuzzy_match", {"field": "name", "value": "BOB", "threshold": 1}, [1]),
    ],
)
def test_case_counts_only_if_it_should(kind: str, condition: Json, passed: list[int]) -> None:
    assert kept(filtered(kind, [condition], case_sensitive=False)) == passed
    assert kept(filtered(kind, [condition], case_sensitive=True)) != passed


def test_a_dot_is_part_of_a_name_where_nothing_is_nested() -> None:
    condition = compare("home.city", "exists")
    assert kept(filtered("simple_condition", [condition], nested_field_support=True)) == [0]
    assert kept(filtered("simple_condition", [condition], nested_field_support=False)) == [1]


@pytest.mark.parametrize(
    ("handling", "passed"), [("skip_invalid", [1]), ("include_with_warning", [0, 1])]
)
@pytest.mark.parametrize("mode", ["include", "exclude"])
def test_an_item_that_cannot_be_compared_is_told_and_handled(
    handling: str, passed: list[int], mode: str
) -> None:
    items: list[Json] = [{"n": 0, "age": "old"}, {"n": 1, "age": 5}]
    operator = "greater_than" if mode == "include" else "less_than"
    condition = compare("age", operator, 3)
    outcome = filtered(
        "simple_condition", [condition], items, error_handling=handling, filter_mode=mode
    )
    assert kept(outcome) == passed
    (error,) = _errors(outcome)
    assert error["index"] == 0
    assert "'age'" in str(error["message"])


def _errors(outcome: Outcome) -> list[JsonObject]:
    errors = fields(outcome)["validation_errors"]
    assert isinstance(errors, list)
    return [error for error in errors if isinstance(error, dict)]


def test_an_item_that_cannot_be_compared_fails_the_node_where_it_should() -> None:
    with pytest.raises(Invalid) as refused:
        filtered(
            "simple_condition",
            [compare("age", "greater_than", 3)],
            [{"age": 4}, {"age": "old"}],
            error_handling="fail_on_error",
        )
    assert (refused.value.code, refused.value.facts) == ("FILTER_ITEM_INVALID", {"index": 1})


@pytest.mark.parametrize(
    ("kind", "condition", "item"),
    [
        ("regex_pattern", {"field": "v", "pattern": "a"}, {"v": 3}),
        ("array_contains", {"field": "v", "value": 1}, {"v": "no list"}),
        ("fuzzy_match", {"field": "v", "value": "a"}, {"v": []}),
        ("range_filter", {"field": "v", "min_value": 1}, {"v": True}),
        ("complex_expression", {"expression": "item.gone > 1"}, {"v": 1}),
        ("complex_expression", {"expression": "item.v"}, {"v": 1}),
        ("simple_condition", compare("v", "starts_with", "a"), {"v": 1}),
    ],
)
def test_what_a_condition_cannot_be_asked_of_is_an_error_of_the_item(
    kind: str, condition: Json, item: Json
) -> None:
    outcome = filtered(kind, [condition], [item])
    assert fields(outcome)["filtered_data"] == []
    assert [error["index"] for error in _errors(outcome)] == [0]


@pytest.mark.parametrize(("order", "passed"), [("asc", [1, 0]), ("desc", [0, 3])])
def test_what_passes_is_sorted_and_then_cut(order: str, passed: list[int]) -> None:
    outcome = filtered(
        "simple_condition",
        [compare("name", "exists")],
        sort_filtered_results=True,
        sort_field="age",
        sort_order=order,
        max_results=2,
    )
    assert kept(outcome) == passed
    stats = {"total_input": 4, "items_passed": 2, "items_filtered": 2}
    assert fields(outcome)["filter_stats"] == stats


@pytest.mark.parametrize(
    ("kind", "conditions", "config"),
    [
        ("simple_condition", [], {}),
        ("simple_condition", ["age > 3"], {}),
        ("simple_condition", [{"operator": "equals"}], {}),
        ("simple_condition", [compare("age", "resembles", 3)], {}),
        ("simple_condition", [compare("age", "in", 3)], {}),
        ("regex_pattern", [{"field": "name", "pattern": "("}], {}),
        ("regex_pattern", [{"field": "name", "pattern": "(?=a)"}], {}),
        ("range_filter", [{"field": "age"}], {}),
        ("type_filter", [{"field": "age", "type": "date"}], {}),
        ("fuzzy_match", [{"field": "name", "value": "a", "threshold": 2}], {}),
        ("fuzzy_match", [{"field": "name"}], {}),
        ("complex_expression", [{"expression": "item. >"}], {}),
        ("custom_function", [], {}),
    ],
)
def test_a_condition_that_can_never_be_asked_is_refused(
    kind: str, conditions: list[Json], config: JsonObject
) -> None:
    with pytest.raises(Invalid) as refused:
        filtered(kind, conditions, **config)
    assert refused.value.code == "FILTER_CONDITION_INVALID"
    assert refused.value.hint


def test_sorting_needs_a_field() -> None:
    with pytest.raises(Invalid) as refused:
        filtered("simple_condition", [compare("n", "exists")], sort_filtered_results=True)
    assert refused.value.code == "SORT_INVALID"
