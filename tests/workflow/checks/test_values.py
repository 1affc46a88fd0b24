"""Values of catalog nodes against their specifications: what is told, and what is not."""

from collections.abc import Mapping

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.catalog.builders import live_catalog, our_catalog, our_spec
from tests.tools.example import example_value
from tests.tools.strategies import steady, values_of
from tests.workflow.checks.values_building import (
    UNDER_TEST,
    a_case,
    a_workflow,
    assert_mends,
    catalog_node,
    errors,
    every_problem,
    found,
    plain_node,
)

from toolweave.catalog.schema import configuration_schema, input_schema
from toolweave.catalog.spec import Example, NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.tools.read_schema import read_schema
from toolweave.tools.schema import compile_schema
from toolweave.workflow.checks.cel_fields import CEL_FIELDS
from toolweave.workflow.checks.values import check
from toolweave.workflow.model import Edge, EdgeId, NodeId, Workflow, WorkflowId

URL = "https://news.example"
EXAMPLES = [(spec.ref, example) for spec in our_catalog() for example in spec.examples]
LIVE = [spec for spec in live_catalog() if spec.origin is not None]


def only(problems: list[Problem]) -> Problem:
    (problem,) = problems
    return problem


def configured(ref: str, configurations: Mapping[str, object]) -> list[Problem]:
    """What is said of the configurations of a node that is fed."""
    return found(check, catalog_node(ref, configurations))


@pytest.mark.parametrize(
    ("ref", "example"), EXAMPLES, ids=[f"{ref}: {one.name}" for ref, one in EXAMPLES]
)
def test_no_example_of_the_catalog_has_a_problem(ref: str, example: Example) -> None:
    node = catalog_node(ref, example.configurations, example.input_params)
    assert every_problem(a_case(a_workflow(node))) == []


@pytest.mark.parametrize(
    ("configurations", "code", "severity", "at", "mended"),
    [
        ({"method": "PSOT", "url": URL}, "FIELD_OPTION_INVALID", "error", "method", "POST"),
        ({"method": "get", "url": URL}, "FIELD_OPTION_INVALID", "error", "method", "GET"),
        (
            {"method": "GET", "url": URL, "body_type": "jason"},
            *("FIELD_OPTION_INVALID", "error", "body_type", "json"),
        ),
        (
            {"method": "GET", "url": URL, "timeout": "30"},
            *("FIELD_TYPE_INVALID", "error", "timeout", 30),
        ),
        (
            {"method": "GET", "url": URL, "follow_redirects": "no"},
            *("FIELD_TYPE_INVALID", "error", "follow_redirects", False),
        ),
        (
            {"method": "GET", "url": URL, "headers": '{"Accept": "text/html"}'},
            *("FIELD_TYPE_INVALID", "error", "headers", {"Accept": "text/html"}),
        ),
    ],
)
def test_a_wrong_configuration_is_told_and_mended(
    configurations: JsonObject, code: str, severity: str, at: str, mended: Json
) -> None:
    case = a_case(a_workflow(catalog_node("ACTION.HTTP_REQUEST", configurations)))
    problem = only(list(check(case)))
    place = f"{UNDER_TEST}/configurations/{at}"
    assert (problem.code, problem.severity, problem.pointer) == (code, severity, place)
    after = assert_mends(case, problem).workflow.nodes[1].data["configurations"]
    assert isinstance(after, dict)
    assert after[at] == mended


def test_a_misspelt_optional_field_is_a_warning_with_the_right_name() -> None:
    node = catalog_node("ACTION.HTTP_REQUEST", {"method": "GET", "url": URL, "heders": {"a": "b"}})
    case = a_case(a_workflow(node))
    problem = only(list(check(case)))
    assert (problem.code, problem.severity) == ("FIELD_UNKNOWN", "warning")
    assert problem.pointer == f"{UNDER_TEST}/configurations/heders"
    assert_mends(case, problem)


def test_a_misspelt_required_field_is_missing_and_mended_once() -> None:
    case = a_case(a_workflow(catalog_node("FLOW.IF", {"condtion_expression": "data.ok"})))
    missing, unknown = check(case)
    assert (missing.code, missing.severity) == ("FIELD_REQUIRED", "error")
    assert missing.pointer == f"{UNDER_TEST}/configurations/condition_expression"
    assert (unknown.code, unknown.severity, unknown.patch) == ("FIELD_UNKNOWN", "warning", None)
    assert every_problem(assert_mends(case, missing)) == []


def test_a_patch_never_brings_an_unreadable_expression_to_light() -> None:
    missing, _ = configured("FLOW.IF", {"condtion_expression": "data. ok >"})
    assert missing.code == "FIELD_REQUIRED"
    assert missing.patch is None


def test_an_unknown_field_like_no_other_is_a_warning_that_lists_the_known() -> None:
    problem = only(configured("FLOW.DELAY", {"colour": {"red": 255}}))
    assert (problem.code, problem.severity, problem.patch) == ("FIELD_UNKNOWN", "warning", None)
    assert problem.hint == ("available: 'duration_seconds', 'enabled', 'retry_attempts', 'timeout'")


@pytest.mark.parametrize("value", ["auto", False])
def test_an_unknown_value_that_asks_for_nothing_is_removed(value: Json) -> None:
    problem = only(configured("FLOW.DELAY", {"duration_seconds": 1, "colour": value}))
    assert (problem.hint, problem.severity) == ("remove it", "warning")
    assert problem.patch == ({"op": "remove", "path": f"{UNDER_TEST}/configurations/colour"},)


@pytest.mark.parametrize(
    "settings",
    [
        # A control key asks for something; what is alone may be what is meant.
        {"duration_seconds": 1, "retry_colour": "red"},
        {"hour": 8},
        {"colour": 3},
        # A number says how much of something.
        {"duration_seconds": 1, "indent": 2},
        # A word or a switch asks for something.
        {"duration_seconds": 1, "colour": "red"},
        {"duration_seconds": 1, "colour": True},
    ],
)
def test_an_unknown_value_that_may_mean_something_is_kept(settings: JsonObject) -> None:
    problems = [one for one in configured("FLOW.DELAY", settings) if one.code == "FIELD_UNKNOWN"]
    assert [one.patch for one in problems] == [None]


@pytest.mark.parametrize(
    ("configurations", "at"),
    [
        ({"retry_attempts": 11}, "retry_attempts"),
        ({"retry_attempts": -1}, "retry_attempts"),
        ({"iteration_variable": "two words"}, "iteration_variable"),
        ({"max_iterations": 0}, "max_iterations"),
    ],
)
def test_a_value_outside_its_limits_is_an_error(configurations: JsonObject, at: str) -> None:
    problem = only(configured("FLOW.LOOP", configurations))
    assert (problem.code, problem.severity) == ("FIELD_LIMIT_VIOLATED", "error")
    assert problem.pointer == f"{UNDER_TEST}/configurations/{at}"


def test_what_has_a_default_may_be_left_out() -> None:
    assert configured("FLOW.LOOP", {}) == []
    assert found(check, catalog_node("FLOW.LOOP")) == []


def test_null_means_not_set() -> None:
    assert configured("FLOW.LOOP", {"max_iterations": None, "array_path": None}) == []
    problem = only(configured("FLOW.IF", {"condition_expression": None}))
    assert problem.code == "FIELD_REQUIRED"


def test_null_is_a_value_where_anything_is() -> None:
    node = catalog_node("FLOW.DELAY", {}, {"data": None})
    assert found(check, node, is_fed=False) == []


def test_other_names_of_a_field_are_as_good() -> None:
    node = catalog_node(
        "AI_AGENT.OPENAI_CHATGPT",
        {"model_version": "gpt-5", "system_prompt": "Be brief."},
        {"user_input": "Hello"},
    )
    assert found(check, node, is_fed=False) == []


def test_suggested_options_are_not_the_only_ones() -> None:
    configurations = {"model": "gpt-17", "system_prompt": "Be brief."}
    assert configured("AI_AGENT.OPENAI_CHATGPT", configurations) == []


def test_a_required_input_is_missed_only_where_nothing_feeds_the_node() -> None:
    node = catalog_node("FLOW.DELAY", {"duration_seconds": 1})
    assert found(check, node, is_fed=True) == []
    problem = only(found(check, node, is_fed=False))
    assert (problem.code, problem.severity) == ("FIELD_REQUIRED", "error")
    assert problem.pointer == f"{UNDER_TEST}/inputParams/data"


def test_a_misspelt_required_input_of_a_fed_node_is_an_error_with_a_patch() -> None:
    configurations = {"notion_token": "${vault:notion}"}
    node = catalog_node("EXTERNAL_ACTION.NOTION", configurations, {"instructon": "Add a page"})
    case = a_case(a_workflow(node))
    first, second = check(case)
    assert [first.severity, second.severity] == ["error", "warning"]
    assert_mends(case, first)


def test_a_misspelt_input_of_several_names_is_mended_where_it_is_unknown() -> None:
    node = catalog_node("AI_AGENT.ANTHROPIC_CLAUDE", {"model": "m"}, {"user_promt": "Hello"})
    case = a_case(a_workflow(node, is_fed=False))
    missing, unknown = check(case)
    assert (missing.code, missing.severity) == ("FIELD_REQUIRED", "error")
    fixing = missing if missing.patch else unknown
    assert every_problem(assert_mends(case, fixing)) == []


def test_what_an_agent_uses_is_fed_by_its_model() -> None:
    configurations = {"mcp_server_url": "https://mcp.example", "access_token": "${vault:t}"}
    tool = catalog_node("TOOL.SLACK_MCP_TOOL", configurations, node_id="tool")
    memory = catalog_node("MEMORY.CONVERSATION_BUFFER", {}, node_id="memory")
    data = {"subtype": "OPENAI_CHATGPT", "attachedNodes": ["tool", "memory", 7]}
    more = {"configurations": {"model": "gpt-5", "system_prompt": "Hi"}}
    agent = plain_node("AI_AGENT", data | more | {"inputParams": {"user_prompt": "Hello"}}, "agent")
    nodes = (agent, tool, memory)
    workflow = Workflow(WorkflowId("w"), "w", nodes)
    assert every_problem(a_case(workflow)) == []
    attach = Edge(EdgeId("e"), NodeId("tool"), NodeId("agent"), "ai_tool")
    apart = plain_node("AI_AGENT", data | more | {"attachedNodes": 3}, "agent")
    joined = Workflow(WorkflowId("w"), "w", (apart, tool), (attach,))
    assert errors(every_problem(a_case(joined))) == []


@pytest.mark.parametrize(
    ("ref", "configurations", "severity"),
    [
        ("EXTERNAL_ACTION.SLACK", {"channel": "#a", "action_type": "send_message"}, "warning"),
        (
            "EXTERNAL_ACTION.SLACK",
            {"channel": "#a", "action_type": "send_message", "use_oauth": "{{ data.o }}"},
            "warning",
        ),
        (
            "EXTERNAL_ACTION.SLACK",
            {"channel": "#a", "action_type": "send_message", "use_oauth": False},
            "error",
        ),
        ("EXTERNAL_ACTION.NOTION", {}, "error"),
        ("TOOL.SLACK_MCP_TOOL", {"mcp_server_url": "https://mcp.example"}, "warning"),
        ("TOOL.SLACK_MCP_TOOL", {"access_token": "${vault:t}"}, "warning"),
    ],
)
def test_a_missing_secret_is_an_error_unless_it_can_come_from_elsewhere(
    ref: str, configurations: JsonObject, severity: str
) -> None:
    problem = only(configured(ref, configurations))
    assert (problem.code, problem.severity) == ("FIELD_REQUIRED", severity)


def test_nothing_in_a_disabled_node_is_an_error() -> None:
    problem = only(configured("FLOW.IF", {"enabled": False}))
    assert (problem.code, problem.severity) == ("FIELD_REQUIRED", "warning")


@pytest.mark.parametrize(
    ("ref", "configurations", "severity"),
    [
        ("ACTION.DATA_TRANSFORMATION", {"operation": "custom"}, "error"),
        ("FLOW.FILTER", {"filter_type": "custom_function"}, "error"),
        ("FLOW.LOOP", {"loop_type": "while"}, "error"),
        ("FLOW.WAIT", {}, "error"),
    ],
)
def test_the_expression_of_the_chosen_way_is_missed(
    ref: str, configurations: JsonObject, severity: str
) -> None:
    problem = only(configured(ref, configurations))
    assert (problem.code, problem.severity) == ("FIELD_REQUIRED", severity)


@pytest.mark.parametrize(
    ("data", "code", "is_mended"),
    [
        ({"configurations": []}, "FIELD_TYPE_INVALID", True),
        ({"configurations": "x"}, "FIELD_TYPE_INVALID", False),
        ({"inputParams": ["x"]}, "FIELD_TYPE_INVALID", False),
        ({"configuratons": {"duration_seconds": 1}}, "FIELD_UNKNOWN", True),
        ({"input_params": {"data": 1}}, "FIELD_UNKNOWN", True),
        ({"configuration": 7}, "FIELD_UNKNOWN", False),
        ({"configuration": {"duration_seconds": "x"}}, "FIELD_UNKNOWN", False),
    ],
)
def test_the_parts_of_a_catalog_node_are_objects_of_known_names(
    data: JsonObject, code: str, is_mended: bool
) -> None:
    case = a_case(a_workflow(plain_node("FLOW", {"subtype": "DELAY", **data})))
    problem = only(list(check(case)))
    assert problem.code == code
    assert (problem.patch is not None) == is_mended
    if is_mended:
        assert_mends(case, problem)


@pytest.mark.parametrize(
    "configurations",
    [
        {"method": "{{ data.method }}", "url": "{{ data.url }}", "timeout": "{{ data.t }}"},
        {"method": "GET", "url": URL, "headers": {"A": "{{ data.a }}", "B": "x"}},
        {"method": "GET", "url": "https://{{ data.host }}/", "retry_attempts": "{{ 3 }}"},
        {"method": "GET", "url": URL, "query_params": "{{ data.query }}"},
    ],
)
def test_a_template_is_never_judged_as_text(configurations: JsonObject) -> None:
    assert configured("ACTION.HTTP_REQUEST", configurations) == []


def test_a_template_hides_no_fault_beside_it() -> None:
    node = catalog_node(
        "FLOW.FILTER",
        {"filter_mode": "inclde", "conditions": [{"field": "{{ data.f }}"}, 7]},
        {"metadata": "{{ data.m }}"},
    )
    case = a_case(a_workflow(node))
    mode, item = check(case)
    assert (mode.code, item.code) == ("FIELD_OPTION_INVALID", "FIELD_TYPE_INVALID")
    assert item.pointer == f"{UNDER_TEST}/configurations/conditions/1"
    assert_mends(case, mode)


def test_a_misspelt_name_of_a_template_is_mended() -> None:
    node = catalog_node("ACTION.HTTP_REQUEST", {"method": "GET", "url": URL, "tmeout": "{{ 1 }}"})
    case = a_case(a_workflow(node))
    problem = only(list(check(case)))
    assert_mends(case, problem)


def test_an_entry_of_a_live_tool_is_judged_by_the_tool() -> None:
    spec = next(one for one in LIVE if one.inputs and one.inputs[0].required)
    value, _ = example_value(input_schema(spec))
    assert isinstance(value, dict)
    good = a_case(a_workflow(catalog_node(spec.ref, {}, value)), catalog=live_catalog())
    assert errors(every_problem(good)) == []
    empty = a_workflow(
        catalog_node(spec.ref, {}, {}), catalog_node("FLOW.DELAY", {}, {}, "d"), is_fed=False
    )
    after = Edge(EdgeId("e"), NodeId("n"), NodeId("d"))
    workflow = Workflow(WorkflowId("w"), "w", empty.nodes, (after,))
    codes = {one.code for one in check(a_case(workflow, catalog=live_catalog()))}
    assert codes == {"MCP_PARAMETER_REQUIRED"}


@pytest.mark.parametrize("spec", LIVE[::7], ids=lambda spec: str(spec.subtype))
def test_the_example_of_a_live_tool_has_no_error(spec: NodeSpec) -> None:
    value, problems = example_value(input_schema(spec))
    if problems or not isinstance(value, dict):
        pytest.skip("no example can be made")
    case = a_case(a_workflow(catalog_node(spec.ref, {}, value)), catalog=live_catalog())
    assert errors(list(check(case))) == []


@st.composite
def spoilt(draw: st.DrawFn, value: Json) -> Json:
    """The value with slips: letters swapped or left out, numbers as texts, parts lost."""
    if isinstance(value, dict) and value:
        wrong = draw(st.sampled_from(sorted(value)))
        rest = {key: one for key, one in value.items() if key != wrong}
        match draw(st.integers(0, 3)):
            case 0:
                return rest
            case 1:
                return rest | {str(draw(spoilt(wrong))): value[wrong]}
            case _:
                return rest | {wrong: draw(spoilt(value[wrong]))}
    if isinstance(value, list) and value:
        return [draw(spoilt(value[0])), *value[1:]]
    if isinstance(value, str) and len(value) > 1:
        at = draw(st.integers(0, len(value) - 2))
        swapped = value[:at] + value[at + 1] + value[at] + value[at + 2 :]
        return draw(st.sampled_from([swapped, value[:at] + value[at + 1 :], value.upper()]))
    return str(value)


@given(st.data())
@steady(150)
def test_no_patch_of_a_spoilt_example_brings_a_new_error(data: st.DataObject) -> None:
    ref, example = data.draw(st.sampled_from(EXAMPLES))
    parts: list[JsonObject] = []
    for given_values in (example.configurations, example.input_params):
        wrong = data.draw(spoilt(given_values))
        parts.append(wrong if isinstance(wrong, dict) else {})
    node = catalog_node(ref, parts[0], parts[1])
    case = a_case(a_workflow(node, is_fed=data.draw(st.booleans())))
    for problem in every_problem(case):
        if problem.patch is not None:
            assert_mends(case, problem)


@st.composite
def with_templates(draw: st.DrawFn, value: Json) -> Json:
    """The value with some of its parts replaced by templates."""
    if draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from(["{{ data.x }}", "a {{ data.y }} b"]))
    if isinstance(value, dict):
        return {key: draw(with_templates(one)) for key, one in value.items()}
    return [draw(with_templates(one)) for one in value] if isinstance(value, list) else value


REFS = sorted(spec.ref for spec in our_catalog())


@given(st.data())
@steady(100)
def test_values_that_fit_the_schema_are_never_an_error_with_or_without_templates(
    data: st.DataObject,
) -> None:
    spec = our_spec(data.draw(st.sampled_from(REFS)))
    parts: list[JsonObject] = []
    for schema in (configuration_schema(spec), input_schema(spec)):
        example, _ = example_value(schema)
        drawn = data.draw(values_of(read_schema(schema)))
        assert isinstance(drawn, dict)
        values = (example if isinstance(example, dict) else {}) | drawn
        assume(compile_schema(schema).judge(values).verdict == "valid")
        filled = data.draw(with_templates(dict(values)))
        parts.append(filled if isinstance(filled, dict) else values)
    node = catalog_node(spec.ref, parts[0], parts[1])
    # What is missing by the choice of another field is told by no schema.
    needed = {f"{UNDER_TEST}/configurations/{one.name}" for one in CEL_FIELDS.get(spec.ref, ())}
    wrong = errors(found(check, node, is_fed=False))
    assert [one for one in wrong if one.pointer not in needed] == []


def test_a_misspelt_node_is_checked_as_the_one_that_is_meant() -> None:
    node = plain_node("FLOW_NODE", {"subtype": "IF", "configurations": {}})
    (problem,) = found(check, node)
    assert problem.pointer == f"{UNDER_TEST}/configurations/condition_expression"
    assert found(check, plain_node("FLOW", {"subtype": 5})) == []


def test_only_the_first_of_two_nodes_with_one_id_is_fed() -> None:
    node = catalog_node("FLOW.DELAY", {})
    workflow = a_workflow(node)
    twice = Workflow(WorkflowId("w"), "w", (*workflow.nodes, catalog_node("FLOW.DELAY")))
    places = [one.pointer for one in check(a_case(twice))]
    assert places == ["/nodes/1/data/inputParams/data", "/nodes/2/data/inputParams/data"]
    joined = Workflow(WorkflowId("w"), "w", twice.nodes, workflow.edges)
    assert [one.pointer for one in check(a_case(joined))] == ["/nodes/2/data/inputParams/data"]


def test_a_long_text_is_no_problem_of_a_node_of_ours() -> None:
    configurations = {"model": "gpt-5", "system_prompt": "x" * 200_000}
    assert configured("AI_AGENT.OPENAI_CHATGPT", configurations) == []
