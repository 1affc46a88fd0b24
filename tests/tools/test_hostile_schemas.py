"""Schemas and values made to hang or crash: each is refused or done at once.

A hang shows as the time limit of the test; a stack overflow would end the process.
"""

import pytest
from tests.tools.builders import a_tool, repeated
from tests.tools.example import example_value

from toolweave.json_text import Json, JsonObject
from toolweave.tools.check import check_arguments, check_output
from toolweave.tools.coerce import coerce_arguments
from toolweave.tools.cost import Cost
from toolweave.tools.difference import difference
from toolweave.tools.parameter import Parameter
from toolweave.tools.read_schema import read_schema
from toolweave.tools.read_tool import read_tool
from toolweave.tools.schema import MAX_PROBLEMS, compile_schema
from toolweave.tools.tool import tool_hash
from toolweave.tools.violations import MAX_FAULTS

pytestmark = pytest.mark.timeout(20)


def nested(depth: int, inner: Json, key: str = "items") -> Json:
    for _ in range(depth):
        inner = {key: inner}
    return inner


def doubling(levels: int, keyword: str = "allOf") -> JsonObject:
    """Each definition names the next one twice."""
    definitions: JsonObject = {
        f"d{level}": {keyword: repeated({"$ref": f"#/$defs/d{level + 1}"}, 2)}
        for level in range(levels)
    }
    definitions[f"d{levels}"] = {"type": "string"}
    return {"$ref": "#/$defs/d0", "$defs": definitions}


def chain(levels: int) -> Json:
    """Each definition is only a reference to the next."""
    definitions: JsonObject = {
        f"d{level}": {"$ref": f"#/$defs/d{level + 1}"} for level in range(levels)
    }
    definitions[f"d{levels}"] = {}
    return {"$ref": "#/$defs/d0", "$defs": definitions}


def mutual(count: int) -> Json:
    """Each definition has a property of every definition."""
    named: JsonObject = {str(number): {"$ref": f"#/$defs/{number}"} for number in range(count)}
    definitions: JsonObject = {str(number): {"properties": named} for number in range(count)}
    return {"$ref": "#/$defs/0", "$defs": definitions}


def unevaluated(levels: int) -> Json:
    """Each level judges the next one again to find out what it evaluated."""
    inner: Json = {"properties": {"a": True}}
    for _ in range(levels):
        inner = {"allOf": [inner], "unevaluatedProperties": False}
    return inner


def properties(count: int, schema: Json) -> JsonObject:
    return {"type": "object", "properties": {f"p{number}": schema for number in range(count)}}


TOO_LARGE: dict[str, Json] = {
    "a billion checks by references": doubling(30),
    "a billion alternatives by references": doubling(30, "anyOf"),
    "a billion parts by references": doubling(30, "prefixItems"),
    "a long chain of references": chain(400),
    "definitions that all name each other": mutual(30),
    "unevaluated properties in each other": unevaluated(30),
    "nested 100,000 deep": nested(100_000, {}),
    "nested 100 deep": nested(100, {}),
    "an enum of 10 MB": {"enum": [f"{number:0100}" for number in range(100_000)]},
    "a text of 10 MB": {"const": "x" * 10_000_000},
    "20,000 properties": properties(20_000, {"type": "string"}),
    "6,000 properties": properties(6_000, True),
    "30,000 required names": {"required": [str(number) for number in range(30_000)]},
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_a_schema_that_costs_too_much_is_refused(name: str) -> None:
    compiled = compile_schema(TOO_LARGE[name])
    assert [problem.code for problem in compiled.problems] == ["MCP_TOOL_SCHEMA_TOO_LARGE"]
    assert not compiled.is_usable


@pytest.mark.parametrize("name", TOO_LARGE)
def test_a_tool_with_such_a_schema_is_unusable_and_nothing_hangs(name: str) -> None:
    entry: JsonObject = {
        "name": "bad",
        "inputSchema": TOO_LARGE[name],
        "outputSchema": TOO_LARGE[name],
    }
    tool = read_tool("server", entry)
    assert not tool.is_usable
    assert [problem.code for problem in check_arguments(tool, {})] == ["MCP_TOOL_SCHEMA_INVALID"]
    assert len(tool_hash(tool)) == 64
    assert [problem.pointer for problem in coerce_arguments(tool, ["no=1"])[1]] == ["/no"]
    assert difference(tool.raw, {"name": "other"}).kind == "changed"


@pytest.mark.parametrize("name", TOO_LARGE)
def test_the_tree_and_the_example_of_such_a_schema_come_back_too(name: str) -> None:
    assert isinstance(read_schema(TOO_LARGE[name]), Parameter)
    assert example_value(TOO_LARGE[name]) == (None, ["the schema is not usable"])


def test_text_that_cannot_be_json_is_an_error() -> None:
    compiled = compile_schema({"const": "\ud800"})
    assert [problem.code for problem in compiled.problems] == ["MCP_TOOL_SCHEMA_INVALID"]


def test_huge_counts_are_harmless() -> None:
    schema: JsonObject = {"minItems": 10**15, "maxLength": 10**15, "minProperties": 1e300}
    assert compile_schema(schema).judge([]).verdict == "invalid"
    assert example_value({"type": "array", "minItems": 10**15})[1] != []
    assert example_value({"type": "string", "minLength": 10**15})[1] != []
    assert example_value({"type": "object", "minProperties": 10**15})[1] != []


def test_thousands_of_flaws_are_reported_as_a_hundred() -> None:
    broken = compile_schema(properties(1_000, {"type": "text"}))
    assert len(broken.problems) == MAX_PROBLEMS
    warned = compile_schema(properties(1_000, {"pattern": "(?=a)"}))
    assert len(warned.problems) == MAX_PROBLEMS
    assert warned.is_usable


def test_the_gravest_of_many_flaws_are_kept() -> None:
    schema = properties(1_000, {"title": 3})
    schema["required"] = 3
    problems = compile_schema(schema).problems
    assert (problems[0].severity, problems[0].pointer) == ("error", "/required")


RECURSIVE_CHOICE: JsonObject = {
    "type": "object",
    "properties": {"q": {"$ref": "#/$defs/node"}},
    "$defs": {
        "node": {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {"a": {"$ref": "#/$defs/node"}},
                    "required": ["z"],
                },
                {"type": "object", "properties": {"a": {"$ref": "#/$defs/node"}}},
                {"type": "string"},
            ]
        }
    },
}


def test_a_fault_deep_in_recursive_alternatives_is_explained_at_its_place() -> None:
    tool = read_tool("server", {"name": "tool", "inputSchema": RECURSIVE_CHOICE})
    (problem,) = check_arguments(tool, {"q": nested(40, 3, "a")})
    assert problem.pointer == "/q" + "/a" * 40
    assert problem.code == "MCP_PARAMETER_INVALID_TYPE"


def test_a_fault_too_deep_to_explain_is_still_a_refusal() -> None:
    tool = read_tool("server", {"name": "tool", "inputSchema": RECURSIVE_CHOICE})
    problems = check_arguments(tool, {"q": nested(250, 3, "a")})
    assert [(p.severity, p.pointer) for p in problems] == [("error", "")]


def test_a_fault_in_too_large_a_value_to_explain_is_still_a_refusal() -> None:
    tool = a_tool({"a": {"type": "array", "items": {"type": "integer"}}})
    numbers: list[Json] = [*range(20_000), "text"]
    problems = check_arguments(tool, {"a": numbers})
    assert [(p.severity, p.pointer) for p in problems] == [("error", "")]


def test_thousands_of_faults_are_reported_as_a_hundred() -> None:
    tool = a_tool({"a": {"type": "array", "items": {"type": "integer"}}})
    assert len(check_arguments(tool, {"a": repeated("text", 5_000)})) == MAX_FAULTS


def test_a_value_nested_100_000_deep_is_not_checked() -> None:
    tool = read_tool(
        "server", {"name": "tool", "inputSchema": {"additionalProperties": {"$ref": "#"}}}
    )
    (problem,) = check_arguments(tool, nested(100_000, {}, "a"))
    assert (problem.code, problem.severity) == ("MCP_VALUE_UNCHECKED", "error")


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"items": {"enum": [{"a": n} for n in range(2_000)]}}, repeated({"a": 1}, 2_000)),
        ({"items": {"anyOf": [{"const": n} for n in range(2_000)]}}, repeated(1999, 5_000)),
        ({"pattern": "([01]*1[01]{300}|[01]*0[01]{299}){1,4}x"}, "01" * 50_000),
        (doubling(14), repeated("text", 200)),
        (unevaluated(9), {str(n): n for n in range(5_000)}),
    ],
    ids=["objects in enum", "alternatives", "pattern", "references", "unevaluated"],
)
def test_a_value_that_would_hold_up_the_event_loop_is_not_checked(
    schema: Json, value: Json
) -> None:
    entry: JsonObject = {"name": "tool", "inputSchema": {}, "outputSchema": schema}
    tool = read_tool("server", entry)
    assert [problem.code for problem in check_output(tool, value)] == ["MCP_VALUE_UNCHECKED"]


def test_cost_is_counted_per_part_of_the_value() -> None:
    assert Cost(checks=2, pattern_steps=3).of_value(nodes=10, chars=100) == 10 * 2 * 50 + 12_000


def test_ordinary_large_output_is_checked() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {"rows": {"type": "array", "items": properties(10, {"type": "string"})}},
    }
    tool = read_tool("server", {"name": "t", "inputSchema": {}, "outputSchema": schema})
    row: Json = {f"p{number}": "x" * 50 for number in range(10)}
    assert check_output(tool, {"rows": repeated(row, 10_000)}) == []
    assert check_output(tool, {"rows": [*repeated(row, 5_000), "text"]}) != []
