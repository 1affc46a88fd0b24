"""Conditions of a filter in the notation of other systems."""

import pytest

from toolweave.json_text import Json
from toolweave.workflow.checks.filter_conditions import conditions_meant

LOW: Json = {"field": "stars", "operator": "less_or_equal", "value": 3}
OPEN: Json = {"field": "status", "operator": "equals", "value": "open"}


@pytest.mark.parametrize(
    ("given", "listed", "joined"),
    [
        ({"stars": {"$lte": 3}, "status": "open"}, [LOW, OPEN], None),
        ([{"stars": {"lte": 3}}, {"status": "open"}], [LOW, OPEN], None),
        ([["stars", "<=", 3], ["status", "is", "open"]], [LOW, OPEN], None),
        (["stars", "<=", 3], [LOW], None),
        ({"or": [LOW, OPEN]}, [LOW, OPEN], "OR"),
        ([{"$and": [{"stars": {"$lte": 3}}, OPEN]}], [LOW, OPEN], "AND"),
        ({"combinator": "or", "conditions": [LOW, OPEN]}, [LOW, OPEN], "OR"),
        (
            [
                {
                    "leftValue": "={{ $json.stars }}",
                    "operator": {"type": "number", "operation": "lte"},
                    "rightValue": 3,
                }
            ],
            [LOW],
            None,
        ),
        ({"status": ["open", "new"]},
         [{"field": "status", "operator": "in", "value": ["open", "new"]}], None),
        ([["comment", "exists"]], [{"field": "comment", "operator": "exists"}], None),
    ],
)  # fmt: skip
def test_a_notation_with_one_meaning_is_read(
    given: Json, listed: list[Json], joined: str | None
) -> None:
    found = conditions_meant(given)
    assert found is not None
    assert (found.listed, found.joined) == (listed, joined)


@pytest.mark.parametrize(
    "given",
    [
        [LOW, OPEN],  # ours
        [{"expression": "item.stars <= 3"}],
        {"stars": {"$near": 3}},
        [["stars", "roughly", 3]],
        {"combinator": "xor", "conditions": [LOW, OPEN]},
        {"and": [LOW], "or": [OPEN]},
        "item.stars <= 3",
        [],
    ],
)
def test_anything_else_is_left(given: Json) -> None:
    assert conditions_meant(given) is None
