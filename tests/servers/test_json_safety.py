"""Values no JSON can carry are found, with their place, before they reach a wire."""

import uuid
from datetime import UTC, datetime

import pytest

from toolweave.json_text import Json
from toolweave.servers.json_safety import MAX_REPORTED, find_unencodable

JSON: list[Json] = [
    None,
    {},
    {"a": [1, 2.5, True, None, "text", {"b": {}}]},
    {"int": [2**64 - 1, -(2**63)], "text": "\U0001f600 \u2028 \0"},
    "x" * 2_000_000,
]


@pytest.mark.parametrize("value", JSON, ids=lambda value: str(value)[:20])
def test_json_is_writable(value: object) -> None:
    assert find_unencodable(value) == []


@pytest.mark.parametrize(
    ("value", "pointer", "message"),
    [
        ({"a": float("nan")}, "/a", "nan is not a JSON number"),
        ({"a": [0, float("-inf")]}, "/a/1", "-inf is not a JSON number"),
        ({"a": "\ud800"}, "/a", "contains a lone surrogate"),
        ({"a": {"\udfff": 1}}, "/a", "contains a lone surrogate"),
        ({"a": {1: 2}}, "/a", "a key is int, not a string"),
        ({"a": b"bytes"}, "/a", "bytes is not a JSON value"),
        ({"a": datetime(2026, 1, 1, tzinfo=UTC)}, "/a", "datetime is not a JSON value"),
        ({"a": uuid.UUID(int=1)}, "/a", "UUID is not a JSON value"),
        ({"a": {1, 2}}, "/a", "set is not a JSON value"),
        ({"a": 2**64}, "/a", "a number of more than 64 bits"),
        ({"a": -(2**63) - 1}, "/a", "a number of more than 64 bits"),
    ],
    ids=str,
)
def test_what_is_no_json_has_its_place_and_reason(
    value: object, pointer: str, message: str
) -> None:
    (problem,) = find_unencodable(value)
    assert (problem.code, problem.pointer) == ("MCP_PARAMETER_INVALID_TYPE", pointer)
    assert problem.message == message


def test_of_parsed_json_only_numbers_can_be_wrong() -> None:
    assert find_unencodable({"a": [None, 1], "b": "null"}, is_parsed=True) == []
    assert len(find_unencodable({"a": float("inf"), "b": 2**70}, is_parsed=True)) == 2


def test_every_place_is_told_up_to_a_bound() -> None:
    assert len(find_unencodable([float("nan")] * 5)) == 5
    assert len(find_unencodable([float("nan")] * 1000)) == MAX_REPORTED


def test_a_value_in_itself_and_one_too_deep_are_told() -> None:
    ring: list[object] = []
    ring.append(ring)
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    for value in (ring, deep):
        (problem,) = find_unencodable(value)
        assert "nested" in problem.message


def test_the_place_below_a_key_that_is_no_text_can_be_shown() -> None:
    problems = find_unencodable({"\ud800": float("nan")})
    assert [problem.pointer for problem in problems] == ["", "/?"]
