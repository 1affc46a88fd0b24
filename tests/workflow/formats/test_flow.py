"""Flow files in their three forms."""

import pytest
from tests.workflow.sample_files import sample

from toolweave.json_text import Json, JsonObject, write
from toolweave.workflow.formats.flow import MAX_BYTES
from toolweave.workflow.formats.flow import format as flow_format
from toolweave.workflow.formats.load import convert, dump, load, read
from toolweave.workflow.model import Position


def _flow(*nodes: JsonObject, edges: list[Json] | None = None, **meta: Json) -> JsonObject:
    listed: list[Json] = [*nodes]
    return {
        "metadata": {"name": "F", "version": "1.0.0", **meta},
        "nodes": listed,
        "edges": edges or [],
    }


def _kinds(name: str) -> list[str | None]:
    return [edge.kind for edge in sample(name).workflow.edges]


def test_the_metadata_of_a_flow_are_the_workflows_own_fields() -> None:
    workflow = sample("flow/seed-003.json").workflow
    assert (workflow.id, workflow.name) == ("Marketing_Strategy", "Marketing_Strategy")
    assert workflow.version == "1.0.0"
    assert workflow.description == "Brand positioning to campaign plan flow"
    assert workflow.created_at == workflow.updated_at == "2025-10-07T00:00:00.000Z"
    assert workflow.metadata == {}


def test_the_label_of_a_node_is_its_name_and_the_rest_its_data() -> None:
    entry, template, _, result = sample("flow/seed-003.json").workflow.nodes
    assert (entry.type, entry.name) == ("multi_input", "Inputs")
    assert entry.data == {"variables": ["company_name", "market", "budget"]}
    assert (template.id, template.name) == ("node-2", "Brand positioning")
    assert template.position == Position(300, 100)
    assert template.data == {
        "template": "Position {company_name} in {market}.",
        "variables": ["company_name", "market"],
        "selectedTemplateId": "Brand_Positioning_Strategy",
    }
    assert (result.type, result.name, result.data) == ("result", "Plan", {})


def test_an_edge_says_whether_it_is_data_or_chain() -> None:
    edges = sample("flow/seed-003.json").workflow.edges
    assert [(edge.id, edge.source, edge.target, edge.kind) for edge in edges] == [
        ("edge-1", "node-1", "node-2", "data"),
        ("edge-2", "node-2", "node-3", "chain"),
        ("edge-3", "node-3", "node-4", "chain"),
    ]


def test_an_export_gives_its_first_flow_and_the_others_as_sub_flows() -> None:
    workflow = sample("flow/export.json").workflow
    assert (workflow.id, workflow.name) == ("flow_1729", "Weekly digest")
    assert workflow.created_at == "2025-10-01T00:00:00.000Z"
    assert workflow.metadata == {"folder": "news"}
    assert workflow.extras == {"viewport": {"x": 0, "y": 0, "zoom": 0.75}}
    assert [(flow.id, flow.name) for flow in workflow.subflows] == [("flow_1730", "Empty")]


def test_problems_of_an_export_point_into_its_flow() -> None:
    document: Json = {"flows": [_flow(), _flow({"id": "x"})]}
    loaded = read(document)
    assert [problem.pointer for problem in loaded.problems] == ["/flows/1/nodes/0"]
    assert loaded.places.subflows[0].original("/nodes/0/name") == "/flows/1/nodes/0/data/label"


def test_a_workflow_with_sub_flows_is_written_as_an_export_that_counts_them() -> None:
    document = convert(sample("ccwf/all-node-types.json").workflow, "flow")
    assert isinstance(document, dict)
    assert document["metadata"] == {"version": "1.0.0", "flowCount": 2}


def test_the_kind_of_an_exported_edge_stands_in_its_data() -> None:
    assert _kinds("flow/export.json") == ["data", "result"]
    edge = sample("flow/export.json").workflow.edges[1]
    assert edge.extras == {"type": "smoothstep", "data": {"label": "end"}}


def test_an_edge_without_an_id_is_named_by_its_ends() -> None:
    twice: Json = {"source": "a", "target": "b"}
    workflow = read(_flow(edges=[twice, twice])).workflow
    assert [edge.id for edge in workflow.edges] == ["a->b", "a->b-2"]


def test_the_third_form_gives_the_same_parts() -> None:
    workflow = sample("flow/third.json").workflow
    assert [(node.type, node.name) for node in workflow.nodes] == [
        ("input", "Question"),
        ("template", "Draft"),
        ("flow-link", "Hand over"),
        ("result", "Reply"),
    ]
    assert workflow.nodes[2].data == {"flow": "Escalation"}
    assert [edge.condition for edge in workflow.edges] == [
        None,
        "confidence > 0.8",
        "confidence <= 0.8",
    ]


@pytest.mark.parametrize(
    ("variables", "names", "values"),
    [
        (["a", "b"], ["a", "b"], None),
        ([{"key": "a", "value": 1}, {"key": "b", "value": None}], ["a", "b"], {"a": 1, "b": None}),
        ([{"key": "a", "value": "x", "id": 9}, "b"], ["a", "b"], {"a": "x"}),
        ([{"key": "a"}], ["a"], None),
        ([{"value": 1}], [{"value": 1}], None),
    ],
)
def test_variables_of_an_input_are_names_and_values_and_written_as_they_were(
    variables: list[Json], names: list[Json], values: Json
) -> None:
    node: JsonObject = {"id": "i", "type": "multi_input", "data": {"variables": variables}}
    workflow = read(_flow(node)).workflow
    data = workflow.nodes[0].data
    assert (data["variables"], data.get("values")) == (names, values)
    assert flow_format.write(workflow) == _flow(node)


def test_values_without_a_variable_are_not_forced_into_pairs() -> None:
    data: JsonObject = {"variables": ["a"], "values": {"b": 1}}
    document = _flow({"id": "i", "type": "multi_input", "data": data})
    workflow = read(document).workflow
    assert workflow.nodes[0].data == data
    assert flow_format.write(workflow) == document


def test_an_id_that_is_used_twice_is_a_problem_at_the_second_place() -> None:
    node: JsonObject = {"id": "a", "type": "result", "data": {"label": "x"}}
    edge: Json = {"id": "e", "source": "a", "target": "a", "type": "data"}
    problems = read(_flow(node, node, edges=[edge, edge])).problems
    assert [(problem.code, problem.pointer) for problem in problems] == [
        ("NODE_ID_DUPLICATE", "/nodes/1/id"),
        ("EDGE_ID_DUPLICATE", "/edges/1/id"),
    ]


def test_a_flow_over_one_megabyte_is_refused_and_another_workflow_is_not() -> None:
    workflow = read(_flow({"id": "a", "type": "result", "data": {"x": "y" * MAX_BYTES}})).workflow
    flow, ours = load(dump(workflow, "flow")), load(dump(workflow, "toolweave"))
    assert [(problem.code, problem.severity) for problem in flow.problems] == [
        ("WORKFLOW_TOO_LARGE", "error")
    ]
    assert ours.problems == ()


def test_ports_travel_as_handles() -> None:
    edge: Json = {"id": "e", "source": "a", "target": "b", "sourceHandle": "true"}
    workflow = read(_flow(edges=[edge])).workflow
    assert (workflow.edges[0].source_port, workflow.edges[0].target_port) == ("true", "input")


def test_a_type_that_is_no_text_does_not_break_the_recognition_of_a_flow() -> None:
    nodes: list[Json] = [{"id": "a", "type": ["llm"]}, {"id": "b", "type": {}}]
    problems = load(write({"metadata": {}, "nodes": nodes})).problems
    assert any(problem.pointer.startswith("/nodes/0") for problem in problems)
