"""MCP nodes in detailed mode: values against the live tool, or what the node remembers of it."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tools.builders import corpus
from tests.tools.example import example_arguments
from tests.tools.strategies import steady
from tests.workflow.checks.values_building import (
    UNDER_TEST,
    a_case,
    a_workflow,
    assert_mends,
    errors,
    every_problem,
    found,
    plain_node,
)

from toolweave.catalog.live import specs_of
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool
from toolweave.workflow.checks.tools import check
from toolweave.workflow.model import Node
from toolweave.workflow.modes import tool_fields

PROPERTIES: JsonObject = {
    "region": {"type": "string", "minLength": 2, "pattern": "^[a-z0-9-]+$"},
    "kind": {"type": "string", "enum": ["product", "api", "cfn"]},
    "limit": {"type": "integer", "minimum": 1, "maximum": 100},
    "filter": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "size": {"type": "integer"}},
        "required": ["name"],
        "additionalProperties": False,
    },
    "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    "maybe": {"anyOf": [{"$ref": "#/$defs/Box"}, {"type": "null"}]},
}
DEFS: JsonObject = {
    "Box": {
        "type": "object",
        "properties": {"width": {"type": "integer"}, "name": {"type": "string"}},
        "additionalProperties": False,
    }
}
GOOD: JsonObject = {"region": "us-east-1", "kind": "api"}


def a_tool(name: str = "availability", **keywords: Json) -> Tool:
    schema: JsonObject = {"type": "object", "properties": PROPERTIES, "required": ["region"]}
    schema |= {"$defs": DEFS} | keywords
    return read_tool("aws", {"name": name, "inputSchema": schema})


TOOL = a_tool()


def a_node(values: Mapping[str, object], **more: object) -> Node:
    return plain_node("mcp", {**tool_fields(TOOL), "parameterValues": values, **more})


def live(node: Node, *tools: Tool) -> list[Problem]:
    return list(check(a_case(a_workflow(node), live={"aws": tools or [TOOL]})))


@pytest.mark.parametrize("is_live", [True, False])
@pytest.mark.parametrize(
    ("values", "code", "at", "is_mended"),
    [
        ({"kind": "api"}, "MCP_PARAMETER_REQUIRED", "/region", False),
        ({"reigon": "us-east-1"}, "MCP_PARAMETER_REQUIRED", "/region", True),
        (GOOD | {"limit": "5"}, "MCP_PARAMETER_INVALID_TYPE", "/limit", True),
        (GOOD | {"limit": 1.5}, "MCP_PARAMETER_INVALID_TYPE", "/limit", False),
        (GOOD | {"limit": 101}, "MCP_PARAMETER_CONSTRAINT_VIOLATED", "/limit", False),
        (GOOD | {"region": "x"}, "MCP_PARAMETER_CONSTRAINT_VIOLATED", "/region", False),
        (GOOD | {"region": "US!"}, "MCP_PARAMETER_CONSTRAINT_VIOLATED", "/region", False),
        (GOOD | {"kind": "API"}, "MCP_PARAMETER_ENUM_INVALID", "/kind", True),
        (GOOD | {"kind": "prodcut"}, "MCP_PARAMETER_ENUM_INVALID", "/kind", True),
        (GOOD | {"kind": "thing"}, "MCP_PARAMETER_ENUM_INVALID", "/kind", False),
        (GOOD | {"filter": {}}, "MCP_PARAMETER_REQUIRED", "/filter/name", False),
        (
            GOOD | {"filter": {"name": "{{ data.n }}", "sice": 3}},
            *("MCP_PARAMETER_UNKNOWN", "/filter/sice", True),
        ),
        (GOOD | {"tags": ["{{ data.t }}", 7]}, "MCP_PARAMETER_INVALID_TYPE", "/tags/1", True),
    ],
)
def test_a_value_the_tool_would_refuse_is_an_error(
    values: JsonObject, code: str, at: str, is_mended: bool, is_live: bool
) -> None:
    case = a_case(a_workflow(a_node(values)), live={"aws": [TOOL]} if is_live else None)
    problem, *more = check(case)
    assert errors(more) == []
    assert (problem.code, problem.severity) == (code, "error")
    assert problem.pointer == f"{UNDER_TEST}/parameterValues{at}"
    assert (problem.patch is not None) == is_mended
    if is_mended:
        after = assert_mends(case, problem)
        assert every_problem(after) == []


@pytest.mark.parametrize(
    "values",
    [
        GOOD,
        {"region": "{{ data.region }}", "limit": "{{ data.limit }}", "kind": "{{ data.kind }}"},
        {"region": "r-{{ data.n }}", "filter": "{{ data.filter }}"},
        GOOD | {"filter": {"name": "x", "size": "{{ data.size }}"}},
        GOOD | {"tags": ["a", "{{ data.a }}", "{{ data.a }}"]},
        GOOD | {"maybe": {"width": "{{ data.w }}"}},
        GOOD | {"maybe": None},
    ],
)
def test_what_may_fit_is_no_problem(values: JsonObject) -> None:
    assert live(a_node(values)) == []
    assert found(check, a_node(values)) == []


def test_a_fault_beside_a_template_is_found_behind_references_and_alternatives() -> None:
    (problem,) = live(a_node(GOOD | {"maybe": {"width": "{{ data.w }}", "nmae": "x"}}))
    assert problem.pointer == f"{UNDER_TEST}/parameterValues/maybe/nmae"
    assert problem.patch is not None


def test_a_misspelt_parameter_of_an_open_tool_is_a_warning_with_its_name() -> None:
    case = a_case(a_workflow(a_node(GOOD | {"limt": 5})), live={"aws": [TOOL]})
    (problem,) = check(case)
    assert (problem.code, problem.severity) == ("MCP_PARAMETER_UNKNOWN", "warning")
    assert every_problem(assert_mends(case, problem)) == []


def test_a_misspelt_parameter_whose_value_does_not_fit_is_only_told() -> None:
    (problem,) = live(a_node(GOOD | {"limt": "many"}))
    assert (problem.hint, problem.patch) == ("did you mean 'limit'?", None)


def test_a_parameter_like_no_other_of_an_open_tool_is_a_warning() -> None:
    (problem,) = live(a_node(GOOD | {"colour": "red"}))
    assert (problem.severity, problem.hint) == ("warning", "the tool may ignore it")


def test_a_parameter_that_a_closed_tool_does_not_know_is_an_error() -> None:
    closed = a_tool(additionalProperties=False)
    (problem,) = errors(live(a_node(GOOD | {"limt": 5}), closed))
    assert problem.code == "MCP_PARAMETER_UNKNOWN"
    assert problem.patch is not None


def test_without_values_the_required_ones_are_missing() -> None:
    data = {key: value for key, value in a_node({}).data.items() if key != "parameterValues"}
    (problem,) = live(plain_node("mcp", data))
    assert problem.code == "MCP_PARAMETER_REQUIRED"
    assert problem.patch is None


@pytest.mark.parametrize("values", [[], "x"])
def test_values_that_are_no_object_are_left_to_the_mode(values: Json) -> None:
    assert live(plain_node("mcp", {**a_node({}).data, "parameterValues": values})) == []


@pytest.mark.parametrize("mode", ["naturalLanguageParam", "fullNaturalLanguage", "nonsense"])
def test_only_detailed_mode_has_values(mode: str) -> None:
    assert found(check, a_node({"limit": "x"}, mode=mode)) == []


def test_the_live_tool_is_the_authority() -> None:
    now = a_tool(required=["region", "kind"])
    problems = live(a_node({"region": "us-east-1"}), now)
    assert {one.code for one in errors(problems)} == {"MCP_PARAMETER_REQUIRED"}
    # A change that the values survive does not stop the run.
    assert {one.code for one in live(a_node(GOOD), now)} == {"MCP_TOOL_SCHEMA_CHANGED"}
    assert errors(live(a_node(GOOD), now)) == []


def test_a_misspelt_tool_is_mended_by_the_live_one() -> None:
    case = a_case(a_workflow(a_node(GOOD, toolName="availabilty")), live={"aws": [TOOL]})
    (problem,) = check(case)
    assert (problem.code, problem.pointer) == ("MCP_TOOL_NOT_FOUND", f"{UNDER_TEST}/toolName")
    assert every_problem(assert_mends(case, problem)) == []


def test_a_misspelt_tool_that_could_be_two_is_only_told() -> None:
    tools = (a_tool("list_as"), a_tool("list_at"))
    (problem,) = live(a_node(GOOD, toolName="list_ax"), *tools)
    assert (problem.code, problem.patch) == ("MCP_TOOL_NOT_FOUND", None)


def test_a_right_name_that_would_show_new_faults_is_no_patch() -> None:
    other = read_tool(
        "aws",
        {
            "name": "availability",
            "inputSchema": {"type": "object", "properties": {"id": {}}, "required": ["id"]},
        },
    )
    (problem,) = live(a_node(GOOD, toolName="availabilty"), other)
    assert (problem.hint, problem.patch) == ("did you mean 'availability'?", None)


def test_a_right_name_brings_the_fix_of_what_it_shows() -> None:
    values: JsonObject = {"region": "us-east-1", "limits": 5}
    other = a_tool(additionalProperties=False)
    case = a_case(
        a_workflow(a_node(values, toolName="availabilty", parameters=[])), live={"aws": [other]}
    )
    problem = next(one for one in check(case) if one.code == "MCP_TOOL_NOT_FOUND")
    assert every_problem(assert_mends(case, problem)) == []


def test_a_misspelt_server_is_mended_by_one_that_answers() -> None:
    from_catalog = a_case(a_workflow()).known.catalog.with_specs(specs_of([TOOL]))
    node = a_node(GOOD, serverId="asw")
    case = a_case(a_workflow(node), catalog=from_catalog, live={"aws": [TOOL]})
    (problem,) = check(case)
    assert (problem.code, problem.pointer) == ("MCP_SERVER_NOT_FOUND", f"{UNDER_TEST}/serverId")
    assert every_problem(assert_mends(case, problem)) == []


def test_a_server_like_no_other_is_only_told() -> None:
    (problem,) = live(a_node(GOOD, serverId="elsewhere"))
    assert (problem.code, problem.severity) == ("MCP_SERVER_NOT_FOUND", "error")
    assert problem.patch is None


@pytest.mark.parametrize("data", [{"serverId": ""}, {"serverId": "aws", "toolName": ""}])
def test_a_name_that_is_not_there_is_left_to_the_mode(data: JsonObject) -> None:
    assert live(plain_node("mcp", data)) == []


def test_a_tool_that_cannot_be_called_is_told_once() -> None:
    broken = a_tool(properties={"a": {"type": "nonsense"}})
    assert [one.code for one in live(a_node(GOOD), broken)] == ["MCP_TOOL_SCHEMA_INVALID"]


CORPUS = [tool for one in corpus() if (tool := read_tool(one.server, one.entry)).is_usable]


@st.composite
def with_templates(draw: st.DrawFn, value: Json) -> Json:
    if draw(st.integers(0, 3)) == 0:
        return "{{ data.x }}"
    if isinstance(value, dict):
        return {key: draw(with_templates(one)) for key, one in value.items()}
    return [draw(with_templates(one)) for one in value] if isinstance(value, list) else value


@given(st.data())
@steady(150)
def test_templates_in_good_values_of_real_tools_are_never_an_error(data: st.DataObject) -> None:
    tool = data.draw(st.sampled_from(CORPUS))
    values, _ = example_arguments(tool)
    if values is None:
        return
    templated = {key: data.draw(with_templates(value)) for key, value in values.items()}
    node = plain_node("mcp", {**tool_fields(tool), "parameterValues": templated})
    problems = list(check(a_case(a_workflow(node), live={tool.server: [tool]})))
    assert errors(problems) == []
    assert [one for one in problems if one.code == "MCP_VALUE_UNCHECKED"] == []


@pytest.mark.parametrize("is_live", [True, False])
def test_parameters_that_cannot_be_json_are_left_to_the_mode(is_live: bool) -> None:
    node = plain_node("mcp", {**a_node(GOOD).data, "parameters": ["\ud800"], "toolName": "other"})
    case = a_case(a_workflow(node), live={"aws": []} if is_live else None)
    assert list(check(case)) == []


def test_a_node_that_remembers_no_parameters_is_not_judged() -> None:
    data = {key: value for key, value in a_node({"x": 1}).data.items() if key != "parameters"}
    assert found(check, plain_node("mcp", data)) == []
