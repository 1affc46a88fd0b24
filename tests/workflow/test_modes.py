"""The three modes as a union: read from a node's data, whatever it holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tools.strategies import JSON, steady
from tests.workflow.mcp_nodes import PARAMETERS, STAMP, a_tool, described, detailed, tasked

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.modes import (
    KEPT_PARAM,
    KEPT_TASK,
    MODES,
    PARAM_CONFIG,
    PRESERVED,
    TASK_CONFIG,
    DescribedParameters,
    DescribedTask,
    Detailed,
    Preserved,
    mode_of,
    read_mode,
)


def test_there_are_the_three_modes_of_the_seed_and_no_other() -> None:
    assert MODES == ("detailed", "naturalLanguageParam", "fullNaturalLanguage")
    assert [mode_of({"mode": mode}) for mode in MODES] == list(MODES)
    assert mode_of({"mode": "Detailed"}) is None
    assert mode_of({"mode": ["detailed"]}) is None


def test_a_node_without_a_mode_reads_as_detailed() -> None:
    data = detailed().data
    assert "mode" not in data
    assert mode_of(data) == mode_of({**data, "mode": None}) == "detailed"
    mode = read_mode(data)
    assert isinstance(mode, Detailed)
    assert mode.values == {"region": "us-east-1", "resource_type": "api"}
    assert mode.tool.name == "get_regional_availability"
    assert [parameter.name for parameter in mode.tool.parameters] == ["region", "resource_type"]
    assert mode.preserved is None


def test_described_parameters_read_with_their_words_and_tool() -> None:
    mode = read_mode(described("List all buckets").data)
    assert isinstance(mode, DescribedParameters)
    assert (mode.description, mode.timestamp) == ("List all buckets", STAMP)
    assert mode.tool.input_schema["required"] == ["region", "resource_type"]


def test_a_described_task_reads_with_its_snapshot_of_tools() -> None:
    mode = read_mode(tasked("Find out about bucket policies").data)
    assert isinstance(mode, DescribedTask)
    assert (mode.server, mode.task, mode.timestamp) == (
        "aws",
        "Find out about bucket policies",
        STAMP,
    )
    assert [tool.name for tool in mode.tools] == ["get_regional_availability"]
    assert mode.tools[0].parameters == a_tool().parameters


def test_a_snapshot_in_the_spelling_of_seed_001_reads_the_same() -> None:
    schema: JsonObject = {"type": "object", "properties": {"q": {"type": "integer"}}}
    entries: list[Json] = [
        {"toolName": "search", "description": "d", "inputSchema": schema, "serverId": "other"},
        {"toolName": "find", "normalizedParameters": PARAMETERS},
        {"name": "bare"},
        "no tool",
    ]
    mode = read_mode(tasked(fullNaturalLanguageConfig={"availableTools": entries}).data)
    assert isinstance(mode, DescribedTask)
    assert [(tool.server, tool.name) for tool in mode.tools] == [
        ("other", "search"),
        ("aws", "find"),
        ("aws", "bare"),
    ]
    assert mode.tools[0].input_schema == schema
    assert len(mode.tools[1].parameters) == 2


@pytest.mark.parametrize("make", [detailed, described, tasked])
def test_every_mode_may_carry_preserved_values(make: type) -> None:
    kept = {"parameterValues": {"region": "eu"}, "timestamp": STAMP, "toolName": "t", "x": 1}
    data = make(**{PRESERVED: kept}).data
    mode = read_mode(data)
    assert mode.preserved == Preserved({"region": "eu"}, STAMP, "t")


_KEYS = st.sampled_from(
    [
        *("mode", "serverId", "toolName", "toolDescription", "parameters", "parameterValues"),
        *(PARAM_CONFIG, TASK_CONFIG, PRESERVED, KEPT_PARAM, KEPT_TASK, "unknown"),
    ]
)
_INNER = st.dictionaries(
    st.sampled_from(["description", "taskDescription", "availableTools", "timestamp", "more"]),
    JSON,
    max_size=4,
)
_BROKEN = st.dictionaries(_KEYS, JSON | _INNER | st.sampled_from(MODES), max_size=8)


@steady(100)
@given(_BROKEN)
def test_whatever_there_is_reads_as_one_of_the_modes(data: JsonObject) -> None:
    assert isinstance(read_mode(data), (Detailed, DescribedParameters, DescribedTask))
