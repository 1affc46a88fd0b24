"""Workflows of the catalog's own system: current, older, and YAML."""

import pytest
from tests.workflow.sample_files import sample

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.formats.agent_team import format as agent_team
from toolweave.workflow.formats.load import convert, dump, load, read
from toolweave.workflow.model import Edge


def _workflow(nodes: list[Json], connections: Json = None) -> JsonObject:
    return {
        "metadata": {"id": "w", "name": "w", "version": "1.0.0"},
        "nodes": nodes,
        "connections": [] if connections is None else connections,
        "triggers": [],
    }


def _node(kind: Json, subtype: Json) -> JsonObject:
    return {"id": "n", "name": "N", "type": kind, "subtype": subtype}


def _ends(edges: tuple[Edge, ...]) -> list[tuple[str, str, str, str]]:
    return [(edge.source, edge.source_port, edge.target, edge.target_port) for edge in edges]


def test_the_metadata_are_the_workflows_own_fields_and_the_rest_is_kept() -> None:
    workflow = sample("agent-team/current.json").workflow
    assert (workflow.id, workflow.name, workflow.version) == ("wf_digest", "Daily digest", "1.3.0")
    assert list(workflow.metadata) == ["tags", "created_time", "created_by", "statistics"]
    assert workflow.extras == {"triggers": ["cron"]}


def test_the_parts_of_a_node_are_its_data_under_canonical_names() -> None:
    agent = sample("agent-team/current.json").workflow.node("agent")
    assert agent is not None
    assert agent.ref == "AI_AGENT.ANTHROPIC_CLAUDE"
    assert list(agent.data) == [
        *("description", "subtype", "configurations", "inputParams", "outputParams"),
        "attachedNodes",
    ]
    assert agent.data["attachedNodes"] == ["tool", "memory"]


def test_templates_and_conditions_stay_as_they_are_written() -> None:
    workflow = sample("agent-team/current.json").workflow
    configurations = [node.data["configurations"] for node in workflow.nodes]
    assert {"url": "https://news.example/{{$json.timezone}}"}.items() <= dict(
        configurations[1] if isinstance(configurations[1], dict) else {}
    ).items()
    assert configurations[2] == {"condition_expression": "input.count > 0 && input.status === 'ok'"}


def test_output_keys_are_ports_and_result_is_the_usual_one() -> None:
    assert _ends(sample("agent-team/current.json").workflow.edges)[1:3] == [
        ("fetch", "output", "gate", "input"),
        ("gate", "true", "agent", "input"),
    ]


def test_a_conversion_function_is_kept_never_run_and_warned_about() -> None:
    loaded = sample("agent-team/current.json")
    (problem,) = loaded.problems
    assert (problem.code, problem.severity) == ("CONVERSION_NOT_RUN", "warning")
    assert problem.pointer == "/connections/1/conversion_function"
    assert str(loaded.workflow.edges[1].extras["conversion_function"]).startswith("def convert")


@pytest.mark.parametrize(
    ("kind", "subtype", "ref"),
    [
        ("TRIGGER_NODE", "TRIGGER_MANUAL", "TRIGGER.MANUAL"),
        ("trigger", "manual", "TRIGGER.MANUAL"),
        ("AI_AGENT_NODE", "openai_chatgpt", "AI_AGENT.OPENAI_CHATGPT"),
        ("human in the loop", "manual-review", "HUMAN_IN_THE_LOOP.MANUAL_REVIEW"),
        ("TOOL", "MCP:time/get_now", "TOOL.MCP:time/get_now"),
    ],
)
def test_older_names_of_types_are_read_as_todays(kind: str, subtype: str, ref: str) -> None:
    document = _workflow([_node(kind, subtype)])
    loaded = read(document)
    assert loaded.workflow.nodes[0].ref == ref
    assert convert(loaded.workflow, "agent-team") == document


def test_a_correction_is_a_warning_with_its_patch() -> None:
    problems = read(_workflow([_node("FLOW_NODE", "IF")])).problems
    assert [(found.code, found.pointer, found.severity) for found in problems] == [
        ("NODE_TYPE_CORRECTED", "/nodes/0/type", "warning")
    ]
    assert problems[0].patch == ({"op": "replace", "path": "/nodes/0/type", "value": "FLOW"},)


def test_a_type_nobody_knows_stays_as_it_is() -> None:
    workflow = read(_workflow([_node("QUANTUM", "leap")])).workflow
    assert (workflow.nodes[0].type, workflow.nodes[0].data) == ("QUANTUM", {"subtype": "leap"})


def test_older_parameters_are_configurations() -> None:
    node = sample("agent-team/ports.json").workflow.nodes[0]
    assert node.data == {"subtype": "EMAIL", "configurations": {"mailbox": "INBOX"}}
    assert list(node.extras) == [
        *("type_version", "credentials", "disabled", "on_error", "webhooks"),
    ]


def test_older_connections_by_ports_in_their_three_ways_are_read_alike() -> None:
    assert _ends(sample("agent-team/ports.json").workflow.edges) == [
        ("n1", "output", "n2", "input"),
        ("n2", "true", "n3", "input"),
        ("n2", "false", "n3", "input"),
    ]


def test_a_map_of_connections_may_call_nodes_by_name() -> None:
    workflow = sample("agent-team/map.json").workflow
    assert _ends(workflow.edges) == [
        ("trigger_1", "output", "agent_1", "input"),
        ("agent_1", "output", "action_1", "input"),
        ("agent_1", "error", "action_1", "input"),
        ("tool_1", "ai_tool", "agent_1", "input"),
    ]
    assert [edge.kind for edge in workflow.edges] == [None, None, None, "AI_TOOL"]


def test_problems_in_a_map_of_connections_point_into_the_map() -> None:
    connections: Json = {"a/b": {"connection_types": {"main": {"connections": [{"node": 5.5}, 1]}}}}
    place = "/connections/a~1b/connection_types/main/connections"
    problems = read(_workflow([_node("FLOW", "IF")], connections)).problems
    assert {problem.pointer for problem in problems} == {
        f"{place}/0",
        f"{place}/0/node",
        f"{place}/1",
    }


def test_a_map_of_lists_is_read_too() -> None:
    assert _ends(sample("agent-team/lists.json").workflow.edges) == [
        ("a", "output", "b", "input"),
        ("a", "output", "c", "input"),
    ]


def test_a_name_two_nodes_have_names_none_of_them() -> None:
    nodes: list[Json] = [
        {"id": "a", "name": "Twin", "type": "FLOW", "subtype": "IF"},
        {"id": "b", "name": "Twin", "type": "FLOW", "subtype": "IF"},
    ]
    connections: Json = {"a": [{"node": "Twin"}]}
    assert read(_workflow(nodes, connections)).workflow.edges[0].target == "Twin"


def test_numbers_for_times_stay_numbers() -> None:
    workflow = sample("agent-team/ports.json").workflow
    assert workflow.created_at is None
    assert workflow.extras["created_at"] == 1757000000000


def test_a_node_of_another_dialect_keeps_its_data_as_configurations() -> None:
    document = convert(sample("toolweave/seed-001.json").workflow, "agent-team")
    node = agent_team.read(document).workflow.nodes[1]
    assert (node.type, node.data["serverId"]) == ("mcp", "aws-knowledge-mcp")


def test_yaml_is_read_as_the_same_workflow_as_json() -> None:
    loaded = sample("agent-team/current.yaml")
    fetch = loaded.workflow.nodes[1]
    assert loaded.problems == ()
    assert fetch.data["configurations"] == {
        "method": "GET",
        "url": "https://site.example/health",
        "since": "2026-01-01",
        "follow_redirects": "on",
        "max_redirects": 3,
    }
    assert load(dump(loaded.workflow, "agent-team")).workflow == loaded.workflow
