"""ACTION.DATA_TRANSFORMATION: each operation, function, operator and format."""

from xml.etree import ElementTree

import pytest
from tests.nodes.action.trying import code_of, compute, field

from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.action._records import FUNCTIONS, OPERATORS
from toolweave.nodes.action.data_transformation import node

PEOPLE: list[Json] = [
    {"name": "Ada", "age": 36, "home": {"city": "London"}, "_source": "a"},
    {"name": "Alan", "age": 41, "home": {"city": "London"}},
    {"name": "Grace", "home": {"city": "New York"}, "age": 85},
]

# By operation: its settings, what comes out, and what is counted.
OPERATIONS: dict[str, tuple[JsonObject, Json, JsonObject]] = {
    "map": (
        {"field_mapping": {"who": "name", "city": "home.city", "no": "nothing.here"}},
        [
            {"_source": "a", "who": "Ada", "city": "London", "no": None},
            {"who": "Alan", "city": "London", "no": None},
            {"who": "Grace", "city": "New York", "no": None},
        ],
        {"missing_values": 3},
    ),
    "filter": (
        {
            "filter_conditions": [
                {"field": "home.city", "operator": "equals", "value": "London"},
                {"field": "age", "operator": "greater_than", "value": 40},
            ]
        },
        [PEOPLE[1]],
        {"filtered_out": 2},
    ),
    "aggregate": (
        {
            "group_by_fields": ["home.city"],
            "aggregation_functions": {"age": "avg", "people": "count", "eldest": "max(age)"},
        },
        [
            {"home.city": "London", "age": 38.5, "people": 2, "eldest": 41},
            {"home.city": "New York", "age": 85, "people": 1, "eldest": 85},
        ],
        {"groups": 2},
    ),
    "sort": (
        {"sort_config": {"field": "age", "direction": "desc"}},
        [PEOPLE[2], PEOPLE[1], PEOPLE[0]],
        {"missing_values": 0},
    ),
    "group_by": (
        {"group_by_fields": ["home.city"]},
        [
            {"home.city": "London", "items": PEOPLE[:2]},
            {"home.city": "New York", "items": PEOPLE[2:]},
        ],
        {"groups": 2},
    ),
    "flatten": (
        {},
        [
            {"name": "Ada", "age": 36, "home.city": "London", "_source": "a"},
            {"name": "Alan", "age": 41, "home.city": "London"},
            {"name": "Grace", "home.city": "New York", "age": 85},
        ],
        {"opened_lists": 0},
    ),
    "pivot": (
        {"group_by_fields": ["home.city", "name"], "aggregation_functions": {"age": "sum"}},
        [
            {"home.city": "London", "Ada": 36, "Alan": 41, "Grace": None},
            {"home.city": "New York", "Ada": None, "Alan": None, "Grace": 85},
        ],
        {"rows": 2, "columns": 3},
    ),
    "custom": (
        {"transformation_script": "data.filter(one, one.age < 50).map(one, one.name)"},
        ["Ada", "Alan"],
        {},
    ),
    "join": (
        {"group_by_fields": ["name"]},
        [
            {"field": "logic", "name": "Alan", "age": 41, "home": {"city": "London"}},
            {"field": "codes", "name": "Alan", "age": 41, "home": {"city": "London"}},
        ],
        {"unmatched": 2},
    ),
}
RIGHT: JsonObject = {
    "right": [{"name": "Alan", "field": "logic", "age": 0}, {"name": "Alan", "field": "codes"}]
}


@pytest.mark.parametrize("operation", field(node, "operation").options)
def test_each_operation_gives_its_records_and_counts(operation: str) -> None:
    config, expected, stats = OPERATIONS[operation]
    found = compute(node, {"operation": operation, **config}, data=PEOPLE, context=RIGHT)
    assert found["transformed_data"] == expected
    assert found["transformation_stats"] == stats
    assert found["original_count"] == 3
    assert isinstance(expected, list)
    assert found["output_count"] == len(expected)
    assert found["success"] is True
    assert found["error_message"] == ""


FORMATS: dict[str, Json] = {
    "json": [{"a": 1, "b": "x,y"}, {"a": None, "c": [1, True]}],
    "array": [{"a": 1, "b": "x,y"}, {"a": None, "c": [1, True]}],
    "csv": 'a,b,c\n1,"x,y",\n,,"[1,true]"\n',
    "xml": '<?xml version="1.0" encoding="UTF-8"?>\n<records><record><a>1</a><b>x,y</b></record>'
    "<record><a></a><c><item>1</item><item>true</item></c></record></records>",
}


@pytest.mark.parametrize("output_format", field(node, "output_format").options)
def test_each_output_format_is_written(output_format: str) -> None:
    config: JsonObject = {"operation": "flatten", "output_format": output_format}
    data: list[Json] = [{"a": 1, "b": "x,y"}, {"a": None, "c": [1, True]}]
    assert compute(node, config, data=data)["transformed_data"] == FORMATS[output_format]


def test_array_wraps_one_value_and_json_leaves_it() -> None:
    config: JsonObject = {"operation": "custom", "transformation_script": "size(data)"}
    assert compute(node, config, data=[1, 2])["transformed_data"] == 2
    as_array = compute(node, {**config, "output_format": "array"}, data=[1, 2])
    assert as_array["transformed_data"] == [2]
    assert as_array["output_count"] == 1


def test_xml_of_odd_names_and_characters_can_be_read_back() -> None:
    odd: Json = {"1st <name>": "a & b < c \x00 \ud7ff", "xml": "q"}
    config: JsonObject = {"operation": "flatten", "output_format": "xml"}
    text = str(compute(node, config, data=[odd])["transformed_data"])
    fields = ElementTree.fromstring(text)[0]
    assert [(one.get("name"), one.text) for one in fields] == [
        ("1st <name>", "a & b < c \ufffd \ud7ff"),
        ("xml", "q"),
    ]


RECORD: JsonObject = {"n": 5, "text": "hello", "list": [1, "a", True], "none": None, "yes": True,
                      "object": {"key": 1}}  # fmt: skip
HOLDS: list[tuple[str, str, Json]] = [
    ("n", "equals", 5.0),
    ("none", "equals", None),
    ("list", "equals", [1, "a", True]),
    ("n", "not_equals", "5"),
    ("yes", "not_equals", 1),
    ("n", "greater_than", 4),
    ("text", "greater_than", "abc"),
    ("n", "greater_or_equal", 5),
    ("n", "less_than", 5.5),
    ("n", "less_or_equal", 5),
    ("text", "in", ["hello", "bye"]),
    ("yes", "not_in", [1, "true"]),
    ("text", "contains", "ell"),
    ("list", "contains", "a"),
    ("object", "contains", "key"),
    ("text", "starts_with", "he"),
    ("text", "ends_with", "lo"),
    ("none", "exists", True),
    ("gone", "exists", False),
    ("list.1", "equals", "a"),
]
HOLDS_NOT: list[tuple[str, str, Json]] = [
    ("yes", "equals", 1),
    ("list", "equals", [1, "a", 1]),
    ("n", "not_equals", 5),
    ("n", "greater_than", "4"),
    ("gone", "less_than", 9),
    ("yes", "greater_or_equal", 0),
    ("n", "less_or_equal", 4),
    ("n", "in", ["5"]),
    ("n", "not_in", [5]),
    ("list", "contains", 2),
    ("n", "starts_with", "5"),
    ("n", "ends_with", "5"),
    ("gone", "exists", True),
]


def kept(condition: tuple[str, str, Json]) -> Json:
    path, operator, value = condition
    conditions: Json = [{"field": path, "operator": operator, "value": value}]
    config: JsonObject = {"operation": "filter", "filter_conditions": conditions}
    return compute(node, config, data=[RECORD])["output_count"]


def test_every_operator_is_tried() -> None:
    assert {operator for _, operator, _ in HOLDS} == {*OPERATORS, "exists"}


@pytest.mark.parametrize("condition", HOLDS, ids=str)
def test_a_condition_that_holds_keeps_the_record(condition: tuple[str, str, Json]) -> None:
    assert kept(condition) == 1


@pytest.mark.parametrize("condition", HOLDS_NOT, ids=str)
def test_a_condition_that_does_not_hold_drops_it(condition: tuple[str, str, Json]) -> None:
    assert kept(condition) == 0


AGGREGATES: dict[str, Json] = {
    "count": 3,
    "sum": 6.5,
    "avg": 3.25,
    "min": 2,
    "max": "x",
    "first": 4.5,
    "last": "x",
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_each_function_passes_over_nulls(function: str) -> None:
    config: JsonObject = {
        "operation": "aggregate",
        "aggregation_functions": {"v": function + "(v)"},
    }
    data: list[Json] = [{"v": 4.5}, {"v": None}, {"v": 2}, {}, {"v": "x"}]
    assert compute(node, config, data=data)["transformed_data"] == [{"v": AGGREGATES[function]}]


def test_nothing_aggregated_is_null_or_zero() -> None:
    functions: JsonObject = {function: f"{function}(v)" for function in FUNCTIONS}
    config: JsonObject = {"operation": "aggregate", "aggregation_functions": functions}
    nothing = {**dict.fromkeys(FUNCTIONS), "count": 0, "sum": 0}
    assert compute(node, config, data=[])["transformed_data"] == [nothing]


def test_sorting_puts_records_without_the_field_last_in_both_directions() -> None:
    data: list[Json] = [{"k": None}, {"k": "b"}, {}, {"k": 2}, {"k": "a"}, {"k": True}]
    for direction, expected in (
        ("asc", [{"k": 2}, {"k": "a"}, {"k": "b"}, {"k": True}, {"k": None}, {}]),
        ("desc", [{"k": True}, {"k": "b"}, {"k": "a"}, {"k": 2}, {"k": None}, {}]),
    ):
        order: JsonObject = {"field": "k", "direction": direction}
        found = compute(node, {"operation": "sort", "sort_config": order}, data=data)
        assert found["transformed_data"] == expected
        assert found["transformation_stats"] == {"missing_values": 2}


def test_metadata_is_dropped_where_it_is_not_to_be_preserved() -> None:
    config: JsonObject = {
        "operation": "map",
        "field_mapping": {"who": "name"},
        "preserve_metadata": False,
    }
    assert compute(node, config, data=PEOPLE[:1])["transformed_data"] == [{"who": "Ada"}]


def test_a_left_join_keeps_records_without_a_partner() -> None:
    config: JsonObject = {"operation": "join", "group_by_fields": ["name"]}
    context: JsonObject = {**RIGHT, "join_type": "left"}
    found = compute(node, config, data=PEOPLE, context=context)["transformed_data"]
    assert isinstance(found, list)
    assert [one["name"] for one in found if isinstance(one, dict)] == [
        *("Ada", "Alan", "Alan", "Grace")
    ]


def test_another_way_to_join_is_refused() -> None:
    config: JsonObject = {"operation": "join", "group_by_fields": ["name"]}
    with pytest.raises(Invalid, match="'outer'"):
        compute(node, config, data=PEOPLE, context={**RIGHT, "join_type": "outer"})


def test_a_pivot_without_a_function_counts() -> None:
    config: JsonObject = {"operation": "pivot", "group_by_fields": ["home.city", "age"]}
    found = compute(node, config, data=PEOPLE[:1])
    assert found["transformed_data"] == [{"home.city": "London", "36": 1}]


def test_flatten_opens_lists_in_the_list() -> None:
    found = compute(node, {"operation": "flatten"}, data=[[1, {"a": {"b": {}}}], 2])
    assert found["transformed_data"] == [1, {"a.b": {}}, 2]
    assert found["transformation_stats"] == {"opened_lists": 1}


def test_nothing_that_came_in_is_changed() -> None:
    before = [dict(one) for one in PEOPLE if isinstance(one, dict)]
    for operation, (config, _, _) in OPERATIONS.items():
        compute(node, {"operation": operation, **config}, data=PEOPLE, context=RIGHT)
    assert before == PEOPLE


WRONG: list[JsonObject] = [
    {"operation": "map"},
    {"operation": "map", "field_mapping": {"a": 7}},
    {"operation": "filter"},
    {"operation": "filter", "filter_conditions": [{"field": "a", "operator": "eqals"}]},
    {"operation": "filter", "filter_conditions": [{"operator": "equals"}]},
    {"operation": "filter", "filter_conditions": [{"field": "a", "operator": "in", "value": 1}]},
    {"operation": "aggregate"},
    {"operation": "aggregate", "aggregation_functions": {"a": "median"}},
    {"operation": "sort"},
    {"operation": "sort", "sort_config": {"field": "a", "direction": "up"}},
    {"operation": "group_by"},
    {"operation": "join", "group_by_fields": ["a"]},
    {"operation": "join"},
    {"operation": "pivot", "group_by_fields": ["a"]},
    {
        "operation": "pivot",
        "group_by_fields": ["a", "b"],
        "aggregation_functions": {"a": "sum", "b": "sum"},
    },
    {"operation": "custom"},
]


@pytest.mark.parametrize("config", WRONG, ids=str)
def test_settings_that_say_too_little_are_refused(config: JsonObject) -> None:
    with pytest.raises(Invalid) as caught:
        compute(node, config, data=[{"a": 1}])
    assert code_of(caught) == "TRANSFORMATION_INVALID"


def test_an_item_that_is_no_record_is_named() -> None:
    with pytest.raises(Invalid, match="item 1"):
        compute(node, {"operation": "map", "field_mapping": {"a": "a"}}, data=[{"a": 1}, 2])


def test_a_join_cannot_explode() -> None:
    many: list[Json] = [{"k": 1}] * 1000
    config: JsonObject = {"operation": "join", "group_by_fields": ["k"]}
    with pytest.raises(Invalid, match="more than"):
        compute(node, config, data=many, context={"right": many})


def test_a_script_that_fails_says_where() -> None:
    config: JsonObject = {"operation": "custom", "transformation_script": "data.nope("}
    with pytest.raises(ToolweaveError) as caught:
        compute(node, config, data=[])
    assert code_of(caught).startswith("EXPRESSION_")


@pytest.mark.parametrize("example", node.spec.examples, ids=lambda one: one.name)
def test_an_example_gives_all_it_says(example: object) -> None:
    found = next(one for one in node.spec.examples if one is example)
    assert compute(node, found.configurations, **found.input_params) == found.expected_output
