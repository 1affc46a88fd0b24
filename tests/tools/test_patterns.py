"""Patterns that cannot be linear: the tool stays usable, and no good value is ever refused."""

import pytest

from toolweave.json_text import Json, JsonObject
from toolweave.tools.patterns import pattern_cost
from toolweave.tools.schema import compile_schema

LOOK_AHEAD = "^(?=.*[0-9])[a-z0-9]+$"


def accepts(schema: Json, value: Json) -> bool:
    compiled = compile_schema(schema)
    assert compiled.is_usable, compiled.problems
    return compiled.judge(value).verdict == "valid"


@pytest.mark.parametrize("pattern", [LOOK_AHEAD, r"(a)\1", "(?<!a)b", "a{1,1000000}", "("])
def test_a_pattern_that_cannot_be_linear_is_left_out_with_a_warning(pattern: str) -> None:
    schema: JsonObject = {"properties": {"a": {"type": "string", "pattern": pattern}}}
    problems = compile_schema(schema).problems
    assert [(p.code, p.pointer, p.severity) for p in problems] == [
        ("MCP_TOOL_PATTERN_UNCHECKED", "/properties/a/pattern", "warning")
    ]
    assert accepts(schema, {"a": "anything"})
    assert not accepts(schema, {"a": 1})


def test_other_patterns_of_the_same_schema_are_still_checked() -> None:
    schema: JsonObject = {"properties": {"a": {"pattern": LOOK_AHEAD}, "b": {"pattern": "^b$"}}}
    assert accepts(schema, {"a": "x", "b": "b"})
    assert not accepts(schema, {"b": "c"})


def test_a_lost_key_pattern_lets_every_key_pass() -> None:
    schema: JsonObject = {
        "patternProperties": {LOOK_AHEAD: {"type": "integer"}, "^n": {"type": "integer"}},
        "additionalProperties": False,
    }
    assert [p.pointer for p in compile_schema(schema).problems] == [
        f"/patternProperties/{LOOK_AHEAD}"
    ]
    assert accepts(schema, {"a1": 5})
    assert accepts(schema, {"whatever": "text"})
    assert not accepts(schema, {"n": "text"})


NOT_LINEAR: Json = {"type": "string", "pattern": LOOK_AHEAD}


@pytest.mark.parametrize(
    ("schema", "good"),
    [
        ({"not": NOT_LINEAR}, "abc"),
        ({"not": {"anyOf": [{"properties": {"a": NOT_LINEAR}}]}}, {"a": "abc"}),
        ({"if": NOT_LINEAR, "then": {"minLength": 10}}, "abc"),
        ({"oneOf": [NOT_LINEAR, {"const": "abc"}]}, "abc"),
        ({"allOf": [True], "oneOf": [NOT_LINEAR, {"const": "abc"}]}, "abc"),
        ({"contains": NOT_LINEAR, "maxContains": 1}, ["a1", "abc", "abx"]),
        ({"not": {"$ref": "#/$defs/a"}, "$defs": {"a": NOT_LINEAR}}, "abc"),
        ({"$ref": "#/x-odd", "x-odd": {"not": NOT_LINEAR}}, "abc"),
    ],
)
def test_a_lost_pattern_never_turns_into_a_refusal(schema: Json, good: Json) -> None:
    assert accepts(schema, good)


def test_around_a_lost_pattern_the_rest_is_still_checked() -> None:
    schema: JsonObject = {"oneOf": [NOT_LINEAR, {"type": "integer"}], "not": {"const": 7}}
    assert accepts(schema, 5)
    assert not accepts(schema, [])
    assert not accepts(schema, 7)


def test_the_cost_of_a_pattern_grows_with_its_program() -> None:
    cheap, dear = pattern_cost("^[a-z]+$"), pattern_cost("^([a-z]{1,40}-){1,20}[a-z]{1,40}$")
    assert cheap == 1
    assert dear is not None
    assert dear > 50
    assert pattern_cost(LOOK_AHEAD) is None
    assert pattern_cost("a" * 30_000) is None
    assert pattern_cost(r"\w" * 100) is None


def test_patterns_beyond_the_effort_allowed_for_one_schema_are_left_out() -> None:
    dear = [r"\d" * 40 + str(number) for number in range(10)]
    properties: JsonObject = {str(index): {"pattern": text} for index, text in enumerate(dear)}
    problems = compile_schema({"properties": properties}).problems
    assert 0 < len(problems) < len(dear)
    assert {problem.code for problem in problems} == {"MCP_TOOL_PATTERN_UNCHECKED"}
