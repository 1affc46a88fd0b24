"""FLOW.FILTER: keep some items of a list."""

from dataclasses import replace

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.catalog.spec import OUTPUT, Example, Field, NodeSpec, Port, terms
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.flow._conditions import Condition, Unfit, read_conditions
from toolweave.nodes.flow._items import in_order, read_order


def check_order(given: NodeInput) -> None:
    """Whether what passes can be sorted. Raises `SORT_INVALID`."""
    if given.flag("sort_filtered_results"):
        read_order(given, "sort_field", "sort_order")


class Filter:
    """Parts a list into the items that meet the conditions and the others."""

    may_be_heavy = True
    spec = NodeSpec(
        type="FLOW",
        subtype="FILTER",
        summary="Keep the items of a list that meet conditions, or part the list in two.",
        effect="pure",
        configurations=(
            Field(
                "filter_mode",
                "string",
                "include keeps what meets the conditions, exclude drops it, partition keeps it "
                "and sends the rest out by `excluded`.",
                "include",
                required=True,
                options=("include", "exclude", "partition"),
            ),
            Field(
                "filter_type",
                "string",
                "How conditions are read; the guidance shows the form of each.",
                "simple_condition",
                required=True,
                options=terms(
                    "simple_condition, complex_expression, custom_function, regex_pattern, "
                    "range_filter, exists_filter, type_filter, array_contains, fuzzy_match"
                ),
            ),
            Field(
                "conditions",
                "array",
                'Conditions: [{"field": "status", "operator": "equals", "value": "open"}]; [] '
                "for custom_function.",
                [],
                required=True,
                items="object",
                members="[{field, operator, value: any, expression, pattern, min_value: any, "
                "max_value: any, inclusive: boolean, type, threshold: number 0..1}]",
            ),
            Field(
                "logical_operator",
                "string",
                "AND: all must hold, OR: at least one, NOT: none.",
                "AND",
                options=("AND", "OR", "NOT"),
            ),
            Field(
                "custom_filter_function",
                "string",
                "CEL for custom_function, true for items that pass: `item.total > 100 && "
                "item.paid`.",
                multiline=True,
                used_when=("filter_type", "custom_function"),
            ),
            Field("case_sensitive", "boolean", "Whether A and a differ in texts.", True),
            Field(
                "null_handling",
                "string",
                "What a condition says of a field that is null or missing: holds, does not "
                "hold, or is compared as empty text.",
                "exclude",
                options=("include", "exclude", "treat_as_empty"),
            ),
            Field(
                "nested_field_support",
                "boolean",
                "Whether user.name goes into objects; else it is a name with a dot.",
                True,
            ),
            Field("max_results", "integer", "Most items that pass; -1 for all.", -1, minimum=-1),
            Field(
                "sort_filtered_results", "boolean", "Whether what passes is sorted after.", False
            ),
            Field(
                "sort_field",
                "string",
                "Path to sort by: user.name.",
                used_when=("sort_filtered_results", "true"),
            ),
            Field(
                "sort_order",
                "string",
                "Ascending or descending.",
                "asc",
                options=("asc", "desc"),
                used_when=("sort_filtered_results", "true"),
            ),
            Field(
                "error_handling",
                "string",
                "What happens to an item a condition fails on, such as text compared with a "
                "number.",
                "skip_invalid",
                options=("skip_invalid", "fail_on_error", "include_with_warning"),
            ),
        ),
        inputs=(
            Field("data", "array", "Items to filter.", required=True),
            Field("metadata", "object", "Notes on the items; not used."),
            Field("context", "object", "More values for CEL, as `context.name`."),
        ),
        outputs=(
            Field("filtered_data", "array", "Items that passed."),
            Field("excluded_data", "array", "Items that did not pass."),
            Field(
                "filter_stats",
                "object",
                "Counts: total_input, items_passed and items_filtered.",
                members="{total_input: integer, items_passed: integer, items_filtered: integer}",
            ),
            Field(
                "validation_errors",
                "array",
                'Items a condition failed on: [{"index": 3, "message": ...}].',
                items="object",
                members="[{index: integer, message}]",
            ),
        ),
        output_ports=(
            replace(OUTPUT, aliases=("passed",)),
            Port(
                "excluded",
                "The items that did not pass; taken with partition only.",
                aliases=("filtered",),
                used_when=("filter_mode", "partition"),
            ),
        ),
        checks=(read_conditions, check_order),
        tags=("flow", "filter", "list"),
        keywords=(
            *("filter", "select", "keep", "remove", "where", "match"),
            *("regex", "range", "exclude", "partition", "search", "list"),
        ),
        guidance=(
            "Forms of a condition. simple_condition: field, operator (equals, not_equals, "
            "greater_than, greater_or_equal, less_than, less_or_equal, in, not_in, contains, "
            "starts_with, ends_with, exists), value. complex_expression: expression, CEL over "
            "item, data and context. regex_pattern: field, pattern. range_filter: field, "
            "min_value, max_value, inclusive. exists_filter: field. type_filter: field, type. "
            "array_contains: field, value. fuzzy_match: field, value, threshold from 0 to 1."
        ),
        examples=(
            Example(
                "Active users",
                "A status of null does not pass.",
                {
                    "filter_mode": "include",
                    "filter_type": "simple_condition",
                    "conditions": [{"field": "status", "operator": "equals", "value": "active"}],
                    "null_handling": "exclude",
                },
                {
                    "data": [
                        {"name": "Ada", "status": "active"},
                        {"name": "Bob", "status": "paused"},
                        {"name": "Eve", "status": None},
                    ]
                },
                {
                    "filtered_data": [{"name": "Ada", "status": "active"}],
                    "excluded_data": [
                        {"name": "Bob", "status": "paused"},
                        {"name": "Eve", "status": None},
                    ],
                    "filter_stats": {"total_input": 3, "items_passed": 1, "items_filtered": 2},
                    "validation_errors": [],
                },
            ),
            Example(
                "Two conditions, sorted",
                "Over 25 and of one of two teams, the oldest first.",
                {
                    "filter_mode": "include",
                    "filter_type": "simple_condition",
                    "conditions": [
                        {"field": "age", "operator": "greater_than", "value": 25},
                        {"field": "work.team", "operator": "in", "value": ["Design", "Product"]},
                    ],
                    "logical_operator": "AND",
                    "sort_filtered_results": True,
                    "sort_field": "age",
                    "sort_order": "desc",
                },
                {
                    "data": [
                        {"name": "Ada", "age": 28, "work": {"team": "Design"}},
                        {"name": "Bob", "age": 24, "work": {"team": "Design"}},
                        {"name": "Eve", "age": 41, "work": {"team": "Legal"}},
                        {"name": "Joe", "age": 32, "work": {"team": "Product"}},
                    ]
                },
                {
                    "filtered_data": [
                        {"name": "Joe", "age": 32, "work": {"team": "Product"}},
                        {"name": "Ada", "age": 28, "work": {"team": "Design"}},
                    ],
                    "filter_stats": {"total_input": 4, "items_passed": 2, "items_filtered": 2},
                    "validation_errors": [],
                },
            ),
            Example(
                "Passed and failed",
                "Parts scores at 70; those below leave by `excluded`.",
                {
                    "filter_mode": "partition",
                    "filter_type": "range_filter",
                    "conditions": [
                        {"field": "score", "min_value": 70, "max_value": 100, "inclusive": True}
                    ],
                },
                {
                    "data": [
                        {"name": "Ada", "score": 85},
                        {"name": "Bob", "score": 65},
                        {"name": "Eve", "score": 70},
                    ]
                },
                {
                    "filtered_data": [
                        {"name": "Ada", "score": 85},
                        {"name": "Eve", "score": 70},
                    ],
                    "excluded_data": [{"name": "Bob", "score": 65}],
                    "filter_stats": {"total_input": 3, "items_passed": 2, "items_filtered": 1},
                    "validation_errors": [],
                },
                also=("excluded",),
            ),
            Example(
                "Own expression",
                "Drops test accounts by an expression.",
                {
                    "filter_mode": "exclude",
                    "filter_type": "custom_function",
                    "conditions": [],
                    "custom_filter_function": "item.mail.endsWith('@test.example') || item.trial",
                },
                {
                    "data": [
                        {"mail": "ada@example.com", "trial": False},
                        {"mail": "bot@test.example", "trial": False},
                        {"mail": "eve@example.com", "trial": True},
                    ]
                },
                {
                    "filtered_data": [{"mail": "ada@example.com", "trial": False}],
                    "excluded_data": [
                        {"mail": "bot@test.example", "trial": False},
                        {"mail": "eve@example.com", "trial": True},
                    ],
                    "filter_stats": {"total_input": 3, "items_passed": 1, "items_filtered": 2},
                    "validation_errors": [],
                },
            ),
            Example(
                "Codes by pattern",
                "Two letters and digits, in any case, and only the first two.",
                {
                    "filter_mode": "include",
                    "filter_type": "regex_pattern",
                    "conditions": [{"field": "code", "pattern": "^[a-z]{2}-[0-9]+$"}],
                    "case_sensitive": False,
                    "max_results": 2,
                },
                {
                    "data": [
                        {"code": "AB-12"},
                        {"code": "A-1"},
                        {"code": "cd-7"},
                        {"code": "ef-9"},
                    ]
                },
                {"filtered_data": [{"code": "AB-12"}, {"code": "cd-7"}], "validation_errors": []},
            ),
        ),
    )

    def compute(self, given: NodeInput) -> Outcome:
        """The items that pass and those that do not."""
        items, mode = given.listing("data"), given.text("filter_mode")
        conditions = read_conditions(given)
        passed: list[int] = []
        errors: list[Json] = []
        for place, item in enumerate(items):
            try:
                met = _met(conditions, given.text("logical_operator"), place, item)
                passes = met is not (mode == "exclude")
            except Unfit as unfit:
                passes = _passes_unfit(given, place, unfit)
                errors.append({"index": place, "message": str(unfit)})
            if passes:
                passed.append(place)
        passed = _cut(given, items, passed)
        ports = ("output", "excluded") if mode == "partition" else ("output",)
        return Outcome(_value(items, passed, errors), ports)


def _met(conditions: list[Condition], operator: str, place: int, item: Json) -> bool:
    held = (condition(place, item) for condition in conditions)
    match operator:
        case "OR":
            return any(held)
        case "NOT":
            return not any(held)
        case _:
            return all(held)


def _passes_unfit(given: NodeInput, place: int, unfit: Unfit) -> bool:
    handling = given.text("error_handling")
    if handling == "fail_on_error":
        raise Invalid(
            "FILTER_ITEM_INVALID",
            f"item {place}: {unfit}",
            hint="fix the item, or set error_handling to skip_invalid",
            facts={"index": place},
        )
    return handling == "include_with_warning"


def _cut(given: NodeInput, items: list[Json], passed: list[int]) -> list[int]:
    """What passed, in order and as much of it as is wanted."""
    if given.flag("sort_filtered_results"):
        found = [items[place] for place in passed]
        path, direction = read_order(given, "sort_field", "sort_order")
        order = in_order(found, path, direction, is_nested=given.flag("nested_field_support"))
        passed = [passed[place] for place in order]
    most = given.whole("max_results")
    return passed if most < 0 else passed[:most]


def _value(items: list[Json], passed: list[int], errors: list[Json]) -> JsonObject:
    kept = set(passed)
    return {
        "filtered_data": [items[place] for place in passed],
        "excluded_data": [item for place, item in enumerate(items) if place not in kept],
        "filter_stats": {
            "total_input": len(items),
            "items_passed": len(passed),
            "items_filtered": len(items) - len(passed),
        },
        "validation_errors": errors,
    }


node = Filter()
