"""The mode rules: what each mode needs and forbids, the five codes, and the repairs."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tools.strategies import JSON, steady
from tests.workflow.mcp_nodes import (
    NOW,
    NOW_STAMP,
    PARAMETERS,
    STAMP,
    a_node,
    a_tool,
    described,
    detailed,
    patched,
    seed_message,
    tasked,
)

from toolweave.clock import timestamp
from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.workflow.mode_check import check_mode
from toolweave.workflow.model import Node, NodeId
from toolweave.workflow.modes import (
    KEPT_PARAM,
    MODES,
    PARAM_CONFIG,
    PRESERVED,
    TASK_CONFIG,
    write_snapshot,
)

OPTIONAL = {"parameterValues", "parameters", "toolDescription"}


def problems_of(node: Node) -> list[Problem]:
    return list(check_mode(node, NOW))


def the_problem(node: Node) -> Problem:
    [problem] = problems_of(node)
    return problem


def test_a_node_that_is_no_mcp_node_is_left_alone() -> None:
    assert problems_of(Node(NodeId("a"), "prompt", "a", data={"mode": "odd"})) == []


@pytest.mark.parametrize("mode", ["turbo", 7, [], {}])
def test_a_mode_outside_the_three_is_invalid(mode: Json) -> None:
    problem = the_problem(detailed(mode=mode))
    assert (problem.code, problem.pointer) == ("MCP_INVALID_MODE", "/mode")
    assert problem.message == seed_message("000:MCP_INVALID_MODE")
    assert problem.patch is None
    assert "detailed, naturalLanguageParam, fullNaturalLanguage" in str(problem.hint)


@pytest.mark.parametrize(
    ("node", "wrong"),
    [
        (detailed(), "Detailled"),
        (detailed(), "manualParameterConfig"),
        (described(), "aiParameterConfig"),
        (tasked(), "aiToolSelection"),
    ],
)
def test_a_misspelt_mode_is_mended_when_the_rest_fits(node: Node, wrong: str) -> None:
    problem = the_problem(a_node(node.data | {"mode": wrong}))
    assert problem.code == "MCP_INVALID_MODE"
    mended = patched(node.data | {"mode": wrong}, problem.patch)
    assert mended == node.data | {"mode": node.data.get("mode", "detailed")}


def test_an_invented_mode_is_not_guessed_from_the_configuration() -> None:
    problem = the_problem(a_node(tasked().data | {"mode": "whatever"}))
    assert problem.patch is None
    assert "fullNaturalLanguage" in str(problem.hint)


def test_a_misspelt_mode_is_not_mended_into_another_fault() -> None:
    problem = the_problem(detailed(mode="naturalLanguageParams"))
    assert problem.patch is None
    assert (
        problem.hint
        == "'naturalLanguageParams' is not a mode; did you mean 'naturalLanguageParam'?"
    )


@pytest.mark.parametrize(
    ("node", "fields"),
    [
        (
            detailed(),
            ["serverId", "toolName", "toolDescription", "parameters", "parameterValues"],
        ),
        (described(), ["serverId", "toolName", "toolDescription", "parameters"]),
        (tasked(), ["serverId"]),
    ],
    ids=MODES,
)
def test_each_mode_misses_exactly_the_fields_it_needs(node: Node, fields: list[str]) -> None:
    for field in node.data.keys() - {"mode"}:
        left = {key: value for key, value in node.data.items() if key != field}
        found = [p for p in problems_of(a_node(left)) if p.code == "MCP_NODE_FIELD_INVALID"]
        assert [p.pointer for p in found] == ([f"/{field}"] if field in fields else [])
        for problem in found:
            assert problem.severity == ("warning" if field in OPTIONAL else "error")
            if problem.patch is not None:
                assert problems_of(a_node(patched(left, problem.patch))) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [("serverId", ""), ("serverId", 5), ("toolName", ""), ("parameters", {}), ("toolName", {})],
)
def test_a_field_of_the_wrong_type_is_not_guessed(field: str, value: Json) -> None:
    problem = the_problem(detailed(**{field: value}))
    assert (problem.code, problem.pointer) == ("MCP_NODE_FIELD_INVALID", f"/{field}")
    assert problem.patch is None


def test_a_broken_parameter_is_pointed_at() -> None:
    entries: list[Json] = [*PARAMETERS, {"name": "x", "type": "text", "required": False}]
    problem = the_problem(described(parameters=entries))
    assert (problem.code, problem.pointer) == ("MCP_TOOL_SCHEMA_INVALID", "/parameters/2/type")


def test_a_kept_configuration_is_moved_back() -> None:
    data = described().data
    moved = {key: value for key, value in data.items() if key != PARAM_CONFIG}
    moved[KEPT_PARAM] = data[PARAM_CONFIG]
    problem = the_problem(a_node(moved))
    assert patched(moved, problem.patch) == data


def test_the_only_configuration_there_is_decides_the_mode() -> None:
    data = tasked(mode="naturalLanguageParam").data
    found = [p for p in problems_of(a_node(data)) if p.code == "MCP_MODE_CONFIG_MISMATCH"]
    [problem] = found
    assert problem.severity == "error"
    assert patched(data, problem.patch) == tasked().data


def test_a_configuration_that_would_be_wrong_too_is_not_moved() -> None:
    data = described().data
    moved = {key: value for key, value in data.items() if key != PARAM_CONFIG}
    moved[KEPT_PARAM] = {"description": "short", "timestamp": STAMP}
    assert the_problem(a_node(moved)).patch is None


@pytest.mark.parametrize("make", [described, tasked])
def test_words_that_are_no_text_are_told_apart_from_missing_ones(make: type) -> None:
    problem = the_problem(make(5))
    assert problem.code == "MCP_NODE_FIELD_INVALID"
    assert problem.message.endswith("is 5; expected text")


@pytest.mark.parametrize(
    ("written", "mended"),
    [
        ("2025-11-16T10:30:00Z", "2025-11-16T10:30:00.000Z"),
        ("2025-11-16T10:30:00.000", "2025-11-16T10:30:00.000Z"),
        ("2025-11-16T12:30:00.000+02:00", "2025-11-16T10:30:00.000Z"),
        ("2025-11-16", "2025-11-16T00:00:00.000Z"),
        ("2099-01-01", NOW_STAMP),
        ("2025-02-30T10:30:00.000Z", NOW_STAMP),
        ("2025-11-16T25:30:00.000Z", NOW_STAMP),
        ("0001-01-01T00:00:00.000+23:59", NOW_STAMP),
        ("٢٠٢٥-11-16T10:30:00.000Z", NOW_STAMP),
        ("yesterday", NOW_STAMP),
        ("", NOW_STAMP),
        (1763289000, NOW_STAMP),
        (None, NOW_STAMP),
    ],
)
def test_a_timestamp_of_another_form_is_a_warning_with_a_repair(written: Json, mended: str) -> None:
    config: JsonObject = {"description": "List all buckets", "timestamp": written}
    node = described(**{PARAM_CONFIG: config})
    problem = the_problem(node)
    assert problem.code == "MCP_TIMESTAMP_INVALID"
    assert (problem.severity, problem.pointer) == ("warning", f"/{PARAM_CONFIG}/timestamp")
    repaired = patched(node.data, problem.patch)
    assert repaired[PARAM_CONFIG] == config | {"timestamp": mended}
    assert problems_of(a_node(repaired)) == []


def test_a_missing_timestamp_is_added() -> None:
    node = described(**{PARAM_CONFIG: {"description": "List all buckets"}})
    problem = the_problem(node)
    assert problem.message.startswith("a timestamp is missing")
    assert problems_of(a_node(patched(node.data, problem.patch))) == []


def test_a_timestamp_in_the_future_becomes_now_with_a_warning() -> None:
    config: JsonObject = {
        "description": "List all buckets",
        "timestamp": timestamp(NOW + timedelta(seconds=1)),
    }
    node = described(**{PARAM_CONFIG: config})
    problem = the_problem(node)
    assert (problem.code, problem.severity) == ("MCP_TIMESTAMP_FUTURE", "warning")
    assert patched(node.data, problem.patch)[PARAM_CONFIG] == config | {"timestamp": NOW_STAMP}
    assert problems_of(described(**{PARAM_CONFIG: config | {"timestamp": NOW_STAMP}})) == []


def a_snapshot(**more: object) -> Node:
    config: dict[str, object] = {
        "taskDescription": "Find AWS documentation about buckets",
        "availableTools": [write_snapshot(a_tool())],
        "timestamp": STAMP,
    }
    return tasked(**{TASK_CONFIG: config | more})


@pytest.mark.parametrize("tools", [[], None])
def test_a_task_without_tools_is_an_error(tools: Json) -> None:
    problem = the_problem(a_snapshot(availableTools=tools))
    assert problem.code == "MCP_TOOL_LIST_EMPTY"
    assert problem.pointer == f"/{TASK_CONFIG}/availableTools"
    assert problem.message == seed_message("000:MCP_TOOL_LIST_EMPTY")


def test_a_snapshot_holds_at_most_two_hundred_tools() -> None:
    entry = write_snapshot(a_tool())
    assert problems_of(a_snapshot(availableTools=[entry] * 200)) == []
    assert the_problem(a_snapshot(availableTools=[entry] * 201)).code == "MCP_TOOL_LIST_TOO_LONG"


def test_tools_that_are_no_list_are_an_error() -> None:
    assert the_problem(a_snapshot(availableTools={"a": 1})).code == "MCP_NODE_FIELD_INVALID"


@pytest.mark.parametrize(
    ("entry", "place"),
    [
        ("list", ""),
        ({"name": "a"}, "/parameters"),
        ({"name": "a", "parameters": "none"}, "/parameters"),
        ({"name": "", "parameters": []}, "/name"),
        ({"name": "a", "parameters": [{"name": "x", "type": "text"}]}, "/parameters/0/type"),
        ({"name": "a", "inputSchema": {"type": "array"}}, "/inputSchema/type"),
        (
            {"name": "a", "inputSchema": {"properties": {"x": {"type": "text"}}}},
            "/inputSchema/properties/x/type",
        ),
        ({"toolName": "a", "normalizedParameters": [5]}, "/normalizedParameters/0"),
    ],
)
def test_each_tool_of_a_snapshot_has_a_valid_schema(entry: Json, place: str) -> None:
    good = write_snapshot(a_tool())
    problem = the_problem(a_snapshot(availableTools=[good, entry]))
    assert problem.code == "MCP_TOOL_SCHEMA_INVALID"
    assert problem.pointer == f"/{TASK_CONFIG}/availableTools/1{place}"


@pytest.mark.parametrize(
    "entry",
    [
        {"toolName": "a", "inputSchema": {"type": "object", "description": "b" * 2000}},
        {"name": "a", "inputSchema": {}, "description": "long " * 1000},
    ],
)
def test_a_tool_that_is_only_odd_is_no_problem_of_the_mode(entry: Json) -> None:
    assert problems_of(a_snapshot(availableTools=[entry])) == []


def test_a_snapshot_over_seven_days_old_gives_a_warning() -> None:
    fresh = timestamp(NOW - timedelta(days=7))
    stale = timestamp(NOW - timedelta(days=7, milliseconds=1))
    assert problems_of(a_snapshot(timestamp=fresh)) == []
    problem = the_problem(a_snapshot(timestamp=stale))
    assert (problem.code, problem.severity) == ("MCP_TOOL_LIST_STALE", "warning")
    assert problem.message == seed_message("000:integrity.stale-tools")


def preserving(values: Json, **more: Json) -> Node:
    return described(**{PRESERVED: {"parameterValues": values, "timestamp": STAMP, **more}})


@pytest.mark.parametrize(
    "node",
    [
        preserving({}),
        preserving({"region": "eu"}),
        preserving({"region": {"deep": ["{{ data.region }}"]}, "resource_type": "api"}),
        preserving({"other": "tool"}, toolName="another_tool"),
        tasked(**{PRESERVED: {"parameterValues": {"region": 5}, "timestamp": STAMP}}),
    ],
    ids=["none", "incomplete", "expression", "another tool", "no tool"],
)
def test_preserved_values_that_cannot_be_judged_are_left_alone(node: Node) -> None:
    assert problems_of(node) == []


@pytest.mark.parametrize("kept", [5, {"timestamp": STAMP}, {"parameterValues": []}])
def test_preserved_values_that_are_none_are_an_error(kept: Json) -> None:
    problem = the_problem(described(**{PRESERVED: kept}))
    assert (problem.code, problem.pointer) == ("MCP_NODE_FIELD_INVALID", f"/{PRESERVED}")


_CHANGES = st.dictionaries(
    st.sampled_from(
        [
            *("mode", "serverId", "toolName", "toolDescription", "parameters", "parameterValues"),
            *(PARAM_CONFIG, TASK_CONFIG, PRESERVED, KEPT_PARAM),
        ]
    ),
    JSON
    | st.sampled_from(["detailed", "aiParameterConfig", "fullNaturalLanguag", "", "x"])
    | st.sampled_from([described().data[PARAM_CONFIG], tasked().data[TASK_CONFIG]])
    | st.just({"description": "short", "timestamp": "2099-01-01T00:00:00.000Z"}),
    max_size=4,
)


@steady(400)
@given(st.sampled_from([detailed(), described(), tasked()]), _CHANGES)
def test_no_check_raises_and_no_patch_makes_a_new_error(node: Node, changes: JsonObject) -> None:
    broken = a_node(node.data | changes)
    before = problems_of(broken)
    errors = {(p.code, p.pointer) for p in before if p.severity == "error"}
    for problem in before:
        if problem.patch is not None:
            after = problems_of(a_node(patched(broken.data, problem.patch)))
            assert problem not in after
            assert {(p.code, p.pointer) for p in after if p.severity == "error"} <= errors
