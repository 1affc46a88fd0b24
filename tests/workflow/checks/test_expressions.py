"""Templates and CEL fields that cannot be read, older syntax, and conversions in Python."""

from dataclasses import replace

import pytest
from tests.catalog.builders import our_catalog
from tests.workflow.checks.values_building import (
    UNDER_TEST,
    a_case,
    a_workflow,
    assert_mends,
    catalog_node,
    errors,
    found,
    plain_node,
)

from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.workflow.checks.cel_fields import CEL_FIELDS
from toolweave.workflow.checks.expressions import check
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.model import Edge, Node, Workflow


def condition(text: str, format: FormatName = "toolweave") -> list[Problem]:
    node = catalog_node("FLOW.IF", {"condition_expression": text})
    return list(check(a_case(a_workflow(node), format=format)))


def templated(text: Json) -> list[Problem]:
    return found(check, catalog_node("FLOW.DELAY", {}, {"data": text}))


def test_every_configuration_that_is_cel_is_known_as_such() -> None:
    described = {
        (spec.ref, one.name)
        for spec in our_catalog()
        for one in spec.configurations
        if one.description.startswith("CEL")
    }
    assert described == {(ref, one.name) for ref, some in CEL_FIELDS.items() for one in some}


@pytest.mark.parametrize(
    "text",
    [
        "data.amount > 100 && data.status == 'open'",
        "has(data.x) ? data.x : true",
        "input.count > 0",
        "data.ok",
        "data.length > 3",
        "{{ data.condition }}",
    ],
)
def test_a_condition_that_can_be_read_is_no_problem(text: str) -> None:
    assert condition(text) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("data.amount >", "EXPRESSION_INVALID"),
        ("data.amount > (1", "EXPRESSION_INVALID"),
        ("", "EXPRESSION_INVALID"),
        ("data.x = 5", "EXPRESSION_INVALID"),
        ("the amount is large", "EXPRESSION_INVALID"),
        ("foo(data.x)", "EXPRESSION_FUNCTION_UNKNOWN"),
        ("true && 1", "EXPRESSION_TYPE"),
    ],
)
def test_a_condition_that_cannot_be_read_is_an_error(text: str, code: str) -> None:
    (problem,) = condition(text)
    assert (problem.code, problem.severity) == (code, "error")
    assert problem.pointer == f"{UNDER_TEST}/configurations/condition_expression"


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("data.status === 'ok'", "data.status == 'ok'"),
        ("data.tags.includes('x')", "data.tags.contains('x')"),
        ("data.active == True", "data.active == true"),
        ("$json.count > 0", "data.count > 0"),
    ],
)
def test_an_older_syntax_is_a_warning_with_ours_as_its_patch(text: str, ours: str) -> None:
    case = a_case(a_workflow(catalog_node("FLOW.IF", {"condition_expression": text})))
    (problem,) = check(case)
    assert (problem.code, problem.severity) == ("EXPRESSION_OLDER_SYNTAX", "warning")
    after = assert_mends(case, problem)
    assert after.workflow.nodes[1].data["configurations"] == {"condition_expression": ours}
    assert list(check(after)) == []


def test_a_word_of_another_language_is_ours_unless_the_file_is_of_that_system() -> None:
    assert condition("data.length > 3") == []
    (problem,) = condition("data.length > 3", "agent-team")
    assert problem.code == "EXPRESSION_OLDER_SYNTAX"


def test_a_translation_that_needs_true_or_false_says_so() -> None:
    problems = condition("data.a and data.b")
    assert {one.code for one in problems} == {"EXPRESSION_OLDER_SYNTAX", "EXPRESSION_TRUTH"}
    assert errors(problems) == []


@pytest.mark.parametrize(
    ("ref", "configurations", "severity"),
    [
        ("FLOW.LOOP", {"loop_type": "while", "loop_condition": "a b"}, "error"),
        ("FLOW.LOOP", {"loop_type": "for_each", "loop_condition": "a b"}, "warning"),
        ("FLOW.LOOP", {"loop_condition": "a b"}, "warning"),
        ("FLOW.LOOP", {"loop_type": "{{ data.t }}", "loop_condition": "a b"}, "warning"),
        ("FLOW.WAIT", {"wait_condition": "a b"}, "error"),
        ("FLOW.WAIT", {"wait_type": "file", "wait_condition": "a b"}, "error"),
        ("FLOW.IF", {"condition_expression": "a b", "enabled": False}, "warning"),
        (
            "ACTION.DATA_TRANSFORMATION",
            {"operation": "custom", "transformation_script": "a b"},
            "error",
        ),
        (
            "FLOW.FILTER",
            {"filter_type": "complex_expression", "conditions": [{"expression": "a b"}, {}, 3]},
            "error",
        ),
        ("FLOW.FILTER", {"conditions": [{"expression": "a b"}]}, "warning"),
    ],
)
def test_an_unreadable_expression_is_an_error_only_where_it_is_read(
    ref: str, configurations: JsonObject, severity: str
) -> None:
    (problem,) = found(check, catalog_node(ref, configurations))
    assert (problem.code, problem.severity) == ("EXPRESSION_INVALID", severity)


def test_a_script_may_give_anything() -> None:
    configurations = {"operation": "custom", "transformation_script": "size(data)"}
    assert found(check, catalog_node("ACTION.DATA_TRANSFORMATION", configurations)) == []


@pytest.mark.parametrize(
    "text",
    [
        "{{ data.x }}",
        "a {{ nodes['node-1'].output.b }} c {{ trigger.d }}",
        "{{ '{{' }}",
        "{ not a template }",
        {"deep": ["{{ data.x + 1 }}", 3, None]},
    ],
)
def test_a_template_that_can_be_read_is_no_problem(text: Json) -> None:
    assert templated(text) == []


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ("{{ data.x", "TEMPLATE_UNCLOSED", ""),
        ("{{ data. }}", "EXPRESSION_INVALID", ""),
        ({"a": ["x", "{{ foo(1) }}"]}, "EXPRESSION_FUNCTION_UNKNOWN", "/a/1"),
        ("{{$placeholder}}", "TEMPLATE_PLACEHOLDER", ""),
        ("to {{ $recipient }}", "TEMPLATE_PLACEHOLDER", ""),
    ],
)
def test_a_template_that_cannot_be_read_is_an_error(text: Json, code: str, at: str) -> None:
    (problem,) = templated(text)
    assert (problem.code, problem.severity) == (code, "error")
    assert problem.pointer == f"{UNDER_TEST}/inputParams/data{at}"


def test_the_place_in_a_longer_text_is_told() -> None:
    (problem,) = templated("Hello {{ data.x }}, and {{ data. }}")
    assert "column" in problem.message


def test_older_references_in_a_text_are_translated_together() -> None:
    text = "{{$json.name}} and {{ data.x }} and {{$node['fetch'].result.body}}"
    case = a_case(a_workflow(catalog_node("FLOW.DELAY", {}, {"data": text})))
    (problem,) = check(case)
    assert problem.code == "EXPRESSION_OLDER_SYNTAX"
    after = assert_mends(case, problem)
    assert after.workflow.nodes[1].data["inputParams"] == {
        "data": "{{ data.name }} and {{ data.x }} and {{ nodes.fetch.result.body }}"
    }


def test_values_of_mcp_nodes_are_looked_at_in_detailed_mode() -> None:
    data: JsonObject = {"parameterValues": {"a": "{{ data. }}"}}
    (problem,) = found(check, plain_node("mcp", data))
    assert problem.pointer == f"{UNDER_TEST}/parameterValues/a"
    assert found(check, plain_node("mcp", data | {"mode": "naturalLanguageParam"})) == []


def test_a_prompt_is_no_expression() -> None:
    assert found(check, plain_node("prompt", {"prompt": "{{ my name }} {{#if x}}"})) == []


def edged(target: Node, **change: str | JsonObject) -> Workflow:
    workflow = a_workflow(target)
    edge: Edge = replace(workflow.edges[0], **change)  # type: ignore[arg-type] # fields of an edge
    return replace(workflow, edges=(edge,))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("confidence > 0.8", 0),
        ("urgent and open", 0),
        ("the reply is kind", 0),
        ("status === 'ok'", 1),
    ],
)
def test_the_condition_of_an_edge_may_be_plain_words(text: str, count: int) -> None:
    case = a_case(edged(catalog_node("FLOW.DELAY"), condition=text))
    problems = list(check(case))
    assert [one.pointer for one in problems] == ["/connections/0/condition"] * count
    for problem in problems:
        assert list(check(assert_mends(case, problem))) == []


MAPPING = "def convert(input_data):\n    return {'total': input_data['sum']}"


@pytest.mark.parametrize(
    ("data", "source", "inputs"),
    [
        ({}, "lambda x: x", None),
        ({}, MAPPING, {"data": "{{ {'total': data.sum} }}"}),
        ({"inputParams": {}}, MAPPING, {"data": "{{ {'total': data.sum} }}"}),
    ],
)
def test_a_plain_conversion_is_mapped_in_the_node_that_receives_it(
    data: JsonObject, source: str, inputs: Json
) -> None:
    node = plain_node("FLOW", {"subtype": "DELAY", **data})
    case = a_case(edged(node, extras={"conversion_function": source}))
    (problem,) = check(case)
    assert (problem.code, problem.severity) == ("CONVERSION_NOT_RUN", "warning")
    assert problem.pointer == "/connections/0/conversion_function"
    after = assert_mends(case, problem)
    assert after.workflow.nodes[1].data.get("inputParams") == inputs
    assert list(check(after)) == []


@pytest.mark.parametrize(
    ("node", "source"),
    [
        (catalog_node("FLOW.DELAY"), "def convert(d):\n    return len(d)"),
        (catalog_node("FLOW.DELAY", {}, {"data": 1}), MAPPING),
        (catalog_node("FLOW.DELAY", {}, {"other": 1}, "x"), "import os"),
        (catalog_node("ACTION.DATA_TRANSFORMATION"), MAPPING),
        (plain_node("prompt", {"prompt": "x"}), MAPPING),
    ],
)
def test_a_conversion_with_no_plain_place_is_only_told(node: Node, source: str) -> None:
    case = a_case(edged(node, extras={"conversion_function": source}))
    (problem,) = check(case)
    assert (problem.code, problem.patch) == ("CONVERSION_NOT_RUN", None)


def test_a_conversion_that_is_no_text_is_nothing() -> None:
    case = a_case(edged(catalog_node("FLOW.DELAY"), extras={"conversion_function": {"a": 1}}))
    assert list(check(case)) == []


def test_plain_cel_in_a_file_of_another_system_is_no_problem() -> None:
    assert condition("data.count > 3", "agent-team") == []
    assert condition("data.list.length", "agent-team") == []


def test_an_expression_by_the_name_of_a_field_is_checked_at_its_place() -> None:
    for text, codes in {"data.a +": ["EXPRESSION_INVALID"], "data.a + 1": []}.items():
        settings = {"expressions": {"total": text}}
        found = list(check(a_case(a_workflow(catalog_node("ACTION.SET_FIELDS", settings, {})))))
        assert [problem.code for problem in found] == codes
        place = "/nodes/1/data/configurations/expressions/total"
        assert all(problem.pointer == place for problem in found)
