"""Nodes of the visual editor and of flows: what they must hold."""

import pytest
from tests.workflow.checks.values_building import (
    UNDER_TEST,
    a_case,
    a_workflow,
    assert_mends,
    errors,
    found,
    plain_node,
)
from tests.workflow.sample_files import FILES, sample

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.checks.node_content import check

QUESTION: JsonObject = {"questionText": "Which?", "options": [{"label": "A"}, {"label": "B"}]}
BRANCHES: JsonObject = {
    "branches": [{"label": "Yes", "condition": "it is"}, {"label": "No", "isDefault": True}]
}
GOOD: list[tuple[str, JsonObject]] = [
    ("prompt", {"prompt": "Hello {{name}}", "variables": {"name": "you"}}),
    ("prompt", {"prompt": "Hello", "variables": ["a", {"name": "b"}]}),
    ("subAgent", {"description": "Writes", "prompt": "Write."}),
    ("subAgent", {"description": "Looks", "builtInType": "explore"}),
    ("subAgentFlow", {"subAgentFlowId": "f", "label": "F"}),
    ("askUserQuestion", QUESTION),
    ("askUserQuestion", {"questionText": "Which?", "useAiSuggestions": True, "options": []}),
    ("ifElse", BRANCHES),
    ("switch", BRANCHES),
    ("branch", BRANCHES),
    ("skill", {"name": "s", "description": "d", "skillPath": "p", "scope": "user"}),
    ("codex", {"prompt": "Review.", "promptMode": "fixed"}),
    ("group", {"label": "G"}),
    ("template", {"template": "Hi {a}", "variables": ["a"]}),
    ("template", {"selectedTemplateId": "t-1"}),
    ("multi_input", {"variables": ["a", {"key": "b", "value": 1}]}),
    ("result", {}),
    ("input", {}),
    ("flow-link", {"flow": "Other"}),
    ("start", {}),
    ("unheard-of", {}),
]


@pytest.mark.parametrize(("kind", "data"), GOOD)
def test_a_whole_node_has_no_problem(kind: str, data: JsonObject) -> None:
    assert found(check, plain_node(kind, data)) == []


@pytest.mark.parametrize("name", FILES)
def test_no_sample_has_an_error(name: str) -> None:
    assert errors(list(check(a_case(sample(name).workflow)))) == []


@pytest.mark.parametrize(
    ("kind", "at"),
    [
        ("prompt", "prompt"),
        ("subAgent", "prompt"),
        ("subAgentFlow", "subAgentFlowId"),
        ("askUserQuestion", "questionText"),
        ("askUserQuestion", "options"),
        ("ifElse", "branches"),
        ("switch", "branches"),
        ("branch", "branches"),
        ("skill", "name"),
        ("codex", "prompt"),
        ("template", "template"),
        ("multi_input", "variables"),
        ("flow-link", "flow"),
    ],
)
def test_a_node_with_nothing_to_do_is_an_error(kind: str, at: str) -> None:
    places = {one.pointer: one.code for one in errors(found(check, plain_node(kind, {})))}
    assert places[f"{UNDER_TEST}/{at}"] == "FIELD_REQUIRED"


@pytest.mark.parametrize("text", ["", "  ", None])
def test_an_empty_text_is_none(text: Json) -> None:
    (problem,) = found(check, plain_node("prompt", {"prompt": text}))
    assert problem.code == "FIELD_REQUIRED"


@pytest.mark.parametrize(
    ("kind", "data", "code", "at", "severity"),
    [
        ("prompt", {"promt": "Hello"}, "FIELD_REQUIRED", "/prompt", "error"),
        ("prompt", {"prompt": 5}, "FIELD_TYPE_INVALID", "/prompt", "error"),
        ("prompt", {"prompt": "x", "label": 5}, "FIELD_TYPE_INVALID", "/label", "warning"),
        (
            "prompt",
            {"prompt": "x", "answeredBy": "modle"},
            "FIELD_OPTION_INVALID",
            "/answeredBy",
            "error",
        ),
        (
            "askUserQuestion",
            QUESTION | {"multiSelect": "true"},
            *("FIELD_TYPE_INVALID", "/multiSelect", "warning"),
        ),
        (
            "askUserQuestion",
            QUESTION | {"options": ["A", {"label": "B"}]},
            *("FIELD_TYPE_INVALID", "/options/0", "warning"),
        ),
        (
            "askUserQuestion",
            QUESTION | {"options": [{"lable": "A"}, {"label": "B"}]},
            *("FIELD_REQUIRED", "/options/0/label", "error"),
        ),
        (
            "ifElse",
            {"branches": [{"label": 1, "condition": "a"}, {"label": "B", "condition": "b"}]},
            *("FIELD_TYPE_INVALID", "/branches/0/label", "warning"),
        ),
        (
            "ifElse",
            {"branches": [{"label": "A", "conditon": "a"}, {"label": "B", "condition": "b"}]},
            *("FIELD_REQUIRED", "/branches/0/condition", "warning"),
        ),
        ("multi_input", {"varables": ["a"]}, "FIELD_REQUIRED", "/variables", "error"),
        ("multi_input", {"variables": {"a": 1}}, "FIELD_TYPE_INVALID", "/variables", "error"),
    ],
)
def test_a_slip_is_told_and_mended(
    kind: str, data: JsonObject, code: str, at: str, severity: str
) -> None:
    case = a_case(a_workflow(plain_node(kind, data)))
    (problem,) = check(case)
    assert (problem.code, problem.pointer) == (code, UNDER_TEST + at)
    assert problem.severity == severity
    assert list(check(assert_mends(case, problem))) == []


@pytest.mark.parametrize(
    ("kind", "data", "code", "at"),
    [
        ("prompt", {"prompt": ["x"]}, "FIELD_TYPE_INVALID", "/prompt"),
        ("prompt", {"prompt": "x", "variables": 5}, "FIELD_TYPE_INVALID", "/variables"),
        ("ifElse", {"branches": ["A", BRANCHES]}, "FIELD_TYPE_INVALID", "/branches/0"),
        ("switch", {"branches": "A"}, "FIELD_TYPE_INVALID", "/branches"),
        ("template", {"template": "x", "variables": [5]}, "FIELD_TYPE_INVALID", "/variables/0"),
        ("prompt", {"promt": 5}, "FIELD_REQUIRED", "/prompt"),
    ],
)
def test_what_cannot_be_mended_is_told(kind: str, data: JsonObject, code: str, at: str) -> None:
    first, *_ = found(check, plain_node(kind, data))
    assert (first.code, first.pointer, first.patch) == (code, UNDER_TEST + at, None)


def test_two_defaults_are_a_warning() -> None:
    branch = {"label": "A", "isDefault": True}
    (problem,) = found(check, plain_node("switch", {"branches": [branch, branch]}))
    assert (problem.code, problem.severity) == ("BRANCH_DEFAULT_TWICE", "warning")


def test_a_branch_that_says_nothing_is_an_error() -> None:
    branches = [{}, {"label": "B", "condition": "b"}]
    problems = found(check, plain_node("switch", {"branches": branches}))
    assert [one.severity for one in problems] == ["error", "error"]
