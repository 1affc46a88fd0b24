"""The visual editor's files: wrapped or bare, both vocabularies of modes, groups, sub-flows."""

import pytest
from tests.workflow.sample_files import sample

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.formats.ccwf import format as ccwf
from toolweave.workflow.formats.dialect_detection import DRAWN
from toolweave.workflow.formats.load import convert, dump, load, read


def _workflow(*nodes: JsonObject, **fields: Json) -> JsonObject:
    listed: list[Json] = [*nodes]
    return {
        "id": "w",
        "name": "w",
        "version": "1.0.0",
        "nodes": listed,
        "connections": [],
        **fields,
    }


def _mcp(**data: Json) -> JsonObject:
    return {"id": "m", "type": "mcp", "name": "m", "data": {"serverId": "s", **data}}


def test_every_node_type_of_the_tool_is_read() -> None:
    types = {node.type for node in sample("ccwf/all-node-types.json").workflow.nodes}
    assert types == {*DRAWN, "start", "end", "prompt", "mcp"}


def test_children_of_a_group_know_it() -> None:
    nodes = sample("ccwf/all-node-types.json").workflow.nodes
    assert [(node.id, node.parent) for node in nodes if node.parent] == [
        ("prm", "grp"),
        ("agt", "grp"),
    ]


def test_sub_agent_flows_are_workflows_of_their_own() -> None:
    (flow,) = sample("ccwf/all-node-types.json").workflow.subflows
    assert (flow.id, flow.name, flow.description) == (
        "flow-research",
        "research",
        "Collect sources.",
    )
    assert [node.id for node in flow.nodes] == ["rs", "ra", "re"]
    assert [(edge.source, edge.target) for edge in flow.edges] == [("rs", "ra"), ("ra", "re")]


def test_what_the_tool_keeps_beside_the_nodes_is_found_under_its_own_names() -> None:
    extras = sample("ccwf/all-node-types.json").workflow.extras
    assert list(extras) == ["conversationHistory", "slashCommandOptions", "tour"]


def test_the_label_of_a_chosen_option_is_the_edges_condition() -> None:
    edges = sample("ccwf/all-node-types.json").workflow.edges
    assert [(edge.source_port, edge.condition) for edge in edges if edge.condition] == [
        ("branch-0", "Dry"),
        ("branch-1", "Warm"),
    ]


def test_a_wrapped_file_is_read_and_its_problems_point_into_the_wrapping() -> None:
    loaded = read({"meta": {}, "workflow": _workflow({"id": "a"})})
    assert loaded.format == "ccwf"
    assert "/workflow/nodes/0" in {problem.pointer for problem in loaded.problems}
    assert loaded.places.original("/nodes/0/data/x") == "/workflow/nodes/0/data/x"


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("manualParameterConfig", "detailed"),
        ("aiParameterConfig", "naturalLanguageParam"),
        ("aiToolSelection", "fullNaturalLanguage"),
    ],
)
def test_the_tools_mode_names_are_read_as_the_seeds_and_written_back(
    theirs: str, ours: str
) -> None:
    document = _workflow(_mcp(mode=theirs))
    workflow = read(document).workflow
    assert workflow.nodes[0].data["mode"] == ours
    assert convert(workflow, "ccwf") == document
    assert f'"mode": "{ours}"' in dump(workflow, "toolweave")


@pytest.mark.parametrize("ours", ["detailed", "naturalLanguageParam", "fullNaturalLanguage"])
def test_the_seeds_mode_names_are_read_as_they_are_and_written_back(ours: str) -> None:
    document = _workflow(_mcp(mode=ours))
    workflow = ccwf.read(document).workflow
    assert workflow.nodes[0].data["mode"] == ours
    assert ccwf.write(workflow) == document


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("aiParameterConfig", "naturalLanguageParamConfig"),
        ("aiToolSelectionConfig", "fullNaturalLanguageConfig"),
        ("preservedManualParameterConfig", "preservedDetailedConfig"),
    ],
)
def test_the_tools_configurations_are_found_under_the_seeds_names(theirs: str, ours: str) -> None:
    config: Json = {"timestamp": "t"}
    document = _workflow(_mcp(**{theirs: config}))
    workflow = read(document).workflow
    assert workflow.nodes[0].data == {"serverId": "s", ours: {"timestamp": "t"}}
    assert convert(workflow, "ccwf") == document


def test_a_node_with_both_names_of_a_configuration_keeps_both() -> None:
    data: JsonObject = {"aiParameterConfig": {"a": 1}, "naturalLanguageParamConfig": {"b": 2}}
    document = _workflow(_mcp(**data))
    workflow = ccwf.read(document).workflow
    assert workflow.nodes[0].data == {"serverId": "s", **data}
    assert ccwf.write(workflow) == document


def test_a_node_without_a_mode_stays_without_one() -> None:
    workflow = sample("ccwf/all-node-types.json").workflow
    assert all("mode" not in node.data for node in workflow.nodes)


def test_a_mode_of_a_node_that_is_no_mcp_node_is_left_alone() -> None:
    node: JsonObject = {
        "id": "c",
        "type": "codex",
        "name": "c",
        "data": {"mode": "aiToolSelection"},
    }
    assert ccwf.read(_workflow(node)).workflow.nodes[0].data["mode"] == "aiToolSelection"


def test_a_file_with_the_seeds_names_is_taken_for_ours() -> None:
    assert read(_workflow(_mcp(mode="detailed"), tour=[])).format == "toolweave"


def test_a_file_we_made_from_the_tools_is_not_taken_for_the_tools() -> None:
    wrapped = dump(sample("ccwf/wrapped-modes.json").workflow, "toolweave")
    assert load(wrapped).format == "toolweave"
