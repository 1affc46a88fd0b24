"""Checking arguments and outputs: every problem with its place, its words and its fix."""

from typing import NamedTuple

import pytest
from tests.tools.builders import a_tool, repeated

from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.tools.check import check_arguments, check_output
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool

TOOL = a_tool(
    {
        "region": {"type": "string", "enum": ["us-east-1", "eu-west-1"]},
        "count": {"type": "integer", "minimum": 1, "maximum": 10},
        "name": {"type": "string", "minLength": 2, "maxLength": 5, "pattern": "^[a-z]*$"},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        "config": {
            "type": "object",
            "properties": {"key": {"type": "string"}, "level": {"type": "number"}},
            "required": ["key"],
        },
        "mode": {"const": "fast"},
        "when": {"type": "string", "format": "date-time"},
        "rows": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"cells": {"type": "array", "items": {"type": "integer"}}},
            },
        },
    },
    required=["region"],
    additionalProperties=False,
)


def found(tool: Tool, arguments: Json) -> list[tuple[str, str]]:
    """Code and pointer of every problem."""
    return [(p.code, p.pointer) for p in check_arguments(tool, arguments)]


def one(tool: Tool, arguments: Json) -> Problem:
    (problem,) = check_arguments(tool, arguments)
    return problem


def test_arguments_that_fit_have_no_problem() -> None:
    assert found(TOOL, {"region": "us-east-1"}) == []
    assert found(TOOL, {"region": "eu-west-1", "count": 3, "config": {"key": "", "more": 1}}) == []


class Wrong(NamedTuple):
    """Arguments with one fault."""

    arguments: JsonObject
    code: str
    pointer: str


@pytest.mark.parametrize(
    "wrong",
    [
        Wrong({"region": "mars"}, "MCP_PARAMETER_ENUM_INVALID", "/region"),
        Wrong({"region": 5}, "MCP_PARAMETER_INVALID_TYPE", "/region"),
        Wrong({"count": 0}, "MCP_PARAMETER_CONSTRAINT_VIOLATED", "/count"),
        Wrong({"count": 11}, "MCP_PARAMETER_CONSTRAINT_VIOLATED", "/count"),
        Wrong({"count": 1.5}, "MCP_PARAMETER_INVALID_TYPE", "/count"),
        Wrong({"count": True}, "MCP_PARAMETER_INVALID_TYPE", "/count"),
        Wrong({"name": "a"}, "MCP_PARAMETER_CONSTRAINT_VIOLATED", "/name"),
        Wrong({"name": "abcdef"}, "MCP_PARAMETER_CONSTRAINT_VIOLATED", "/name"),
        Wrong({"name": "AB"}, "MCP_PARAMETER_CONSTRAINT_VIOLATED", "/name"),
        Wrong({"tags": ["a", 1]}, "MCP_PARAMETER_INVALID_TYPE", "/tags/1"),
        Wrong({"tags": ["a", "a"]}, "MCP_PARAMETER_CONSTRAINT_VIOLATED", "/tags"),
        Wrong({"config": {}}, "MCP_PARAMETER_REQUIRED", "/config/key"),
        Wrong({"config": {"key": 1}}, "MCP_PARAMETER_INVALID_TYPE", "/config/key"),
        Wrong({"rows": [{}, {"cells": [1, "x"]}]}, "MCP_PARAMETER_INVALID_TYPE", "/rows/1/cells/1"),
        Wrong({"mode": "slow"}, "MCP_PARAMETER_ENUM_INVALID", "/mode"),
        Wrong({"other": 1}, "MCP_PARAMETER_UNKNOWN", "/other"),
    ],
    ids=lambda wrong: str(wrong.arguments),
)
def test_a_wrong_value_is_reported_with_its_code_and_place(wrong: Wrong) -> None:
    arguments: JsonObject = {"region": "us-east-1"} | wrong.arguments
    assert found(TOOL, arguments) == [(wrong.code, wrong.pointer)]


def test_all_problems_are_reported_at_once() -> None:
    arguments: Json = {"count": "many", "name": "A", "config": {"level": []}, "zzz": 1}
    assert sorted(found(TOOL, arguments)) == sorted(
        [
            ("MCP_PARAMETER_REQUIRED", "/region"),
            ("MCP_PARAMETER_INVALID_TYPE", "/count"),
            ("MCP_PARAMETER_CONSTRAINT_VIOLATED", "/name"),
            ("MCP_PARAMETER_CONSTRAINT_VIOLATED", "/name"),
            ("MCP_PARAMETER_REQUIRED", "/config/key"),
            ("MCP_PARAMETER_INVALID_TYPE", "/config/level"),
            ("MCP_PARAMETER_UNKNOWN", "/zzz"),
        ]
    )


def test_a_message_says_what_was_expected_and_what_came() -> None:
    problems = check_arguments(TOOL, {"count": 99, "tags": [None], "config": 3, "mode": 1})
    assert {problem.pointer: problem.message for problem in problems} == {
        "/region": "'region' is required; expected one of 'us-east-1', 'eu-west-1'",
        "/count": "'count' is 99, which is too large; expected at most 10",
        "/tags/0": "item 0 is null; expected a string",
        "/config": "'config' is 3, an integer; expected an object",
        "/mode": "'mode' is 1; expected 'fast'",
    }


@pytest.mark.parametrize(
    ("schema", "value", "words"),
    [
        ({"exclusiveMinimum": 1}, 1, "more than 1"),
        ({"exclusiveMaximum": 1}, 1, "less than 1"),
        ({"multipleOf": 2}, 3, "not a multiple of 2"),
        ({"minItems": 1}, [], "at least 1"),
        ({"maxItems": 1}, [1, 2], "an array of 2, which has too many items"),
        ({"minProperties": 1}, {}, "an object with 0 keys"),
        ({"maxProperties": 0}, {"a": 1}, "an object with 1 key"),
        ({"contains": {"type": "string"}}, [1], "does not contain"),
        ({"contains": {"type": "integer"}, "minContains": 2}, [1], "does not contain"),
        ({"contains": {"type": "integer"}, "maxContains": 1}, [1, 2], "does not contain"),
        ({"not": {"const": 1}}, 1, "is excluded"),
        ({"not": {}}, 1, "is excluded"),
        (False, 1, "is not allowed"),
        ({"oneOf": [{"minimum": 1}, {"maximum": 5}]}, 3, "matches 2 alternatives"),
        ({"uniqueItems": True}, [1, 1], "duplicate"),
        ({"pattern": "^a"}, "b", "does not match the pattern '^a'"),
        ({"propertyNames": {"maxLength": 1}}, {"long": 1}, "not an allowed key"),
        ({"type": ["string", "null"]}, 1, "expected a string or null"),
    ],
)
def test_every_constraint_has_words_of_its_own(schema: Json, value: Json, words: str) -> None:
    tool = a_tool({"a": schema})
    assert words in one(tool, {"a": value}).message


def test_a_limit_of_draft_4_can_be_exclusive() -> None:
    tool = a_tool(
        {"a": {"minimum": 1, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": True}},
        {"$schema": "http://json-schema.org/draft-04/schema#"},
    )
    assert found(tool, {"a": 2}) == []
    assert one(tool, {"a": 1}).message == "'a' is 1, which is too small; expected at least 1"
    assert one(tool, {"a": 9}).pointer == "/a"


def test_a_long_value_is_cut_in_the_message() -> None:
    problem = one(TOOL, {"region": "x" * 5_000})
    assert len(problem.message) < 200
    problems = check_arguments(TOOL, {"x" * 5_000: 1, "region": "\x00" * 70})
    assert all(len(problem.message) < 200 for problem in problems)
    many = a_tool({"a": {"enum": [f"option{number}" for number in range(50)]}})
    assert one(many, {"a": ""}).message.endswith("'option7' and 42 more")


def test_a_number_of_any_size_can_be_shown() -> None:
    assert str(10**30) in one(TOOL, {"region": "us-east-1", "count": 10**30}).message
    assert str(10**30) in one(TOOL, {"region": 10**30}).message


def test_without_values_nothing_of_them_is_shown() -> None:
    secret = "hunter22"
    arguments: Json = {"region": secret, "name": secret, "count": secret, "regionn": secret}
    problems = check_arguments(TOOL, arguments, show_values=False)
    assert len(problems) == 5
    assert all(secret not in str(problem) for problem in problems)


@pytest.mark.parametrize("mark", [{"format": "password"}, {"writeOnly": True}])
def test_a_value_the_schema_calls_secret_is_never_shown(mark: JsonObject) -> None:
    tool = a_tool({"token": {"type": "string", "pattern": "^t-", **mark}})
    problem = one(tool, {"token": "hunter2"})
    assert "hunter2" not in str(problem)
    assert "(hidden)" in problem.message


def test_a_doubtful_format_is_only_a_warning() -> None:
    problem = one(TOOL, {"region": "us-east-1", "when": "yesterday"})
    assert (problem.severity, problem.pointer) == ("warning", "/when")
    assert "date-time" in problem.message


def test_a_key_of_a_doubtful_format_is_only_a_warning() -> None:
    tool = a_tool({"sites": {"propertyNames": {"format": "uri"}}})
    assert found(tool, {"sites": {"https://example.com": 1}}) == []
    problem = one(tool, {"sites": {"example": 1}})
    assert (problem.severity, problem.pointer) == ("warning", "/sites/example")


def test_a_fault_beside_a_doubtful_format_is_still_an_error() -> None:
    tool = a_tool(
        {"when": {"type": "string", "format": "date"}, "list": {"unevaluatedItems": False}},
    )
    problems = check_arguments(tool, {"when": "x", "list": [1]})
    assert [(p.severity, p.pointer) for p in problems] == [("warning", "/when"), ("error", "")]


def test_without_constraints_only_very_long_texts_are_reported() -> None:
    tool = a_tool({"a": {"type": "string"}, "n": {"type": "number"}, "l": {"type": "array"}})
    assert found(tool, {"a": "", "n": -1.7e308}) == []
    assert found(tool, {"a": "x" * 10_000, "n": 1.7e308}) == []
    problem = one(tool, {"l": ["x", 5, "x" * 10_001]})
    assert (problem.code, problem.pointer, problem.severity) == (
        "MCP_TOOL_LIMIT_EXCEEDED",
        "/l/2",
        "warning",
    )


def test_a_tool_that_cannot_be_used_refuses_every_call() -> None:
    tool = read_tool("server", {"name": "bad", "inputSchema": {"properties": 3}})
    problem = one(tool, {})
    assert (problem.code, problem.severity) == ("MCP_TOOL_SCHEMA_INVALID", "error")
    assert "'bad'" in problem.message


@pytest.mark.parametrize("arguments", [None, [], "text", 3])
def test_arguments_must_be_an_object(arguments: Json) -> None:
    assert found(TOOL, arguments) == [("MCP_PARAMETER_INVALID_TYPE", "")]


# Alternatives

SHAPES: Json = {
    "oneOf": [
        {
            "type": "object",
            "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}},
            "required": ["kind", "r"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {
                "kind": {"enum": ["rect"]},
                "w": {"type": "number"},
                "h": {"type": "number"},
            },
            "required": ["kind", "w", "h"],
            "additionalProperties": False,
        },
    ]
}
CHOICES = a_tool(
    {
        "shape": SHAPES,
        "value": {
            "anyOf": [{"type": "string", "minLength": 3}, {"type": "number"}, {"type": "null"}]
        },
        "option": {"anyOf": [{"const": "a"}, {"enum": ["b", "c"]}]},
        "free": {
            "anyOf": [
                {"type": "object", "required": ["a"]},
                {"type": "object", "required": ["b", "c"]},
            ]
        },
    }
)


@pytest.mark.parametrize(
    ("arguments", "problems"),
    [
        ({"shape": {"kind": "circle", "r": 1}}, []),
        ({"shape": {"kind": "circle"}}, [("MCP_PARAMETER_REQUIRED", "/shape/r")]),
        (
            {"shape": {"kind": "rect", "w": "x", "r": 1}},
            [
                ("MCP_PARAMETER_REQUIRED", "/shape/h"),
                ("MCP_PARAMETER_INVALID_TYPE", "/shape/w"),
                ("MCP_PARAMETER_UNKNOWN", "/shape/r"),
            ],
        ),
        ({"shape": {"kind": "blob"}}, [("MCP_PARAMETER_ENUM_INVALID", "/shape/kind")]),
        ({"shape": {}}, [("MCP_PARAMETER_REQUIRED", "/shape/kind")]),
        ({"shape": 3}, [("MCP_PARAMETER_INVALID_TYPE", "/shape")]),
        ({"value": "ab"}, [("MCP_PARAMETER_CONSTRAINT_VIOLATED", "/value")]),
        ({"value": []}, [("MCP_PARAMETER_INVALID_TYPE", "/value")]),
        ({"option": "d"}, [("MCP_PARAMETER_ENUM_INVALID", "/option")]),
        ({"free": {}}, [("MCP_PARAMETER_REQUIRED", "/free/a")]),
    ],
)
def test_of_alternatives_only_the_one_that_was_meant_is_reported(
    arguments: Json, problems: list[tuple[str, str]]
) -> None:
    assert found(CHOICES, arguments) == problems


def test_what_all_alternatives_ask_for_is_said_together() -> None:
    assert "a string or a number or null" in one(CHOICES, {"value": []}).message
    assert "'a', 'b', 'c'" in one(CHOICES, {"option": "d"}).message
    assert "'circle', 'rect'" in one(CHOICES, {"shape": {"kind": "blob"}}).message
    assert "'circle', 'rect'" in one(CHOICES, {"shape": {}}).message


# Keywords that apply others

CONDITIONAL = a_tool(
    {"a": {"type": "string"}, "b": {}},
    {
        "if": {"properties": {"a": {"const": "x"}}, "required": ["a"]},
        "then": {"required": ["b"]},
        "else": {"not": {"required": ["c"]}},
        "dependentRequired": {"d": ["e"]},
        "dependentSchemas": {"f": {"properties": {"g": {"type": "integer"}}}},
        "patternProperties": {"^x-": {"type": "integer"}},
    },
)


@pytest.mark.parametrize(
    ("arguments", "problems"),
    [
        ({"a": "x"}, [("MCP_PARAMETER_REQUIRED", "/b")]),
        ({"a": "y", "c": 1}, [("MCP_PARAMETER_CONSTRAINT_VIOLATED", "")]),
        ({"d": 1}, [("MCP_PARAMETER_REQUIRED", "/e")]),
        ({"f": 1, "g": "x"}, [("MCP_PARAMETER_INVALID_TYPE", "/g")]),
        ({"x-a": "x"}, [("MCP_PARAMETER_INVALID_TYPE", "/x-a")]),
    ],
)
def test_conditions_and_dependencies_are_explained(
    arguments: Json, problems: list[tuple[str, str]]
) -> None:
    assert found(CONDITIONAL, arguments) == problems


def test_dependencies_of_draft_7_are_explained() -> None:
    tool = a_tool(
        {"list": {"items": [{"type": "string"}], "additionalItems": {"type": "integer"}}},
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "dependencies": {"a": ["b"], "c": {"required": ["d"]}},
        },
    )
    assert found(tool, {"a": 1, "c": 1}) == [
        ("MCP_PARAMETER_REQUIRED", "/b"),
        ("MCP_PARAMETER_REQUIRED", "/d"),
    ]
    assert found(tool, {"list": [1, "x"]}) == [
        ("MCP_PARAMETER_INVALID_TYPE", "/list/0"),
        ("MCP_PARAMETER_INVALID_TYPE", "/list/1"),
    ]


def test_a_lone_reference_of_draft_7_is_explained_by_its_target() -> None:
    tool = a_tool(
        {"a": {"$ref": "#/definitions/n", "type": "string"}},
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "definitions": {"n": {"type": "integer"}},
        },
    )
    assert found(tool, {"a": 1}) == []
    assert found(tool, {"a": "x"}) == [("MCP_PARAMETER_INVALID_TYPE", "/a")]


def test_a_schema_that_is_a_circle_is_explained() -> None:
    tool = a_tool(
        {"a": {"$ref": "#/$defs/one"}},
        {
            "$defs": {
                "one": {"$ref": "#/$defs/two"},
                "two": {"$ref": "#/$defs/one", "type": "string"},
            }
        },
    )
    assert found(tool, {"a": 1}) == [("MCP_PARAMETER_INVALID_TYPE", "/a")]


def test_the_same_fault_said_by_two_schemas_is_one_problem() -> None:
    tool = a_tool({"a": {"allOf": [{"minimum": 3}, {"minimum": 3}]}})
    assert found(tool, {"a": 1}) == [("MCP_PARAMETER_CONSTRAINT_VIOLATED", "/a")]


UNEVALUATED = a_tool(
    {"own": {}},
    {
        "$defs": {"shared": {"properties": {"by_ref": {}}}},
        "$ref": "#/$defs/shared",
        "allOf": [{"patternProperties": {"^x-": {}}}],
        "anyOf": [{"properties": {"either": {}}, "required": ["either"]}, True],
        "if": {"properties": {"if": {}}, "required": ["if"]},
        "then": {"properties": {"then": {}}},
        "dependentSchemas": {"dep": {"properties": {"dep": {}, "dep2": {}}}},
        "unevaluatedProperties": False,
    },
)


@pytest.mark.parametrize(
    "known", [["own"], ["by_ref"], ["x-1"], ["either"], ["if", "then"], ["dep", "dep2"]]
)
def test_keys_spoken_of_anywhere_are_evaluated(known: list[str]) -> None:
    assert found(UNEVALUATED, dict.fromkeys(known, 1)) == []


@pytest.mark.parametrize("unknown", ["then", "dep2", "zzz"])
def test_a_key_that_nothing_speaks_of_is_unknown(unknown: str) -> None:
    assert found(UNEVALUATED, {unknown: 1}) == [("MCP_PARAMETER_UNKNOWN", f"/{unknown}")]


def test_unevaluated_keys_can_have_a_schema() -> None:
    tool = a_tool({"a": {}}, unevaluatedProperties={"type": "integer"})
    assert found(tool, {"a": "x", "b": "x"}) == [("MCP_PARAMETER_INVALID_TYPE", "/b")]
    nested = a_tool(allOf=[{"unevaluatedProperties": True}], unevaluatedProperties=False)
    assert found(nested, {"a": 1}) == []
    extra = a_tool(
        allOf=[{"additionalProperties": True}], unevaluatedProperties=False, minProperties=2
    )
    assert found(extra, {"a": 1}) == [("MCP_PARAMETER_CONSTRAINT_VIOLATED", "")]


# Outputs


def a_tool_with_output(schema: Json) -> Tool:
    return read_tool("server", {"name": "tool", "inputSchema": {}, "outputSchema": schema})


def test_an_output_that_does_not_fit_is_reported_under_its_own_code() -> None:
    tool = a_tool_with_output({"type": "object", "properties": {"a": {"type": "integer"}}})
    assert check_output(tool, {"a": 1}) == []
    (problem,) = check_output(tool, {"a": "5"})
    assert (problem.code, problem.pointer, problem.patch) == ("MCP_OUTPUT_INVALID", "/a", None)


def test_without_an_output_schema_every_output_is_good() -> None:
    assert check_output(TOOL, {"anything": 1}) == []


def test_an_output_schema_that_cannot_be_used_leaves_outputs_unchecked() -> None:
    tool = a_tool_with_output({"properties": 3})
    assert tool.is_usable
    assert [problem.code for problem in check_output(tool, {})] == ["MCP_VALUE_UNCHECKED"]


def test_an_output_is_hidden_on_request() -> None:
    tool = a_tool_with_output({"type": "integer"})
    (problem,) = check_output(tool, "secret", show_values=False)
    assert "secret" not in str(problem)


def test_an_array_of_many_wrong_items_names_the_first_ones() -> None:
    tool = a_tool({"a": {"type": "array", "items": {"type": "string"}}})
    pointers = [pointer for _, pointer in found(tool, {"a": repeated(1, 3)})]
    assert pointers == ["/a/0", "/a/1", "/a/2"]
