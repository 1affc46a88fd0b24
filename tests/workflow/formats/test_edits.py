"""A workflow that was changed after reading: the change is written, the rest is spelt as it was."""

from dataclasses import replace

from tests.workflow.sample_files import sample

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.formats.agent_team import format as agent_team
from toolweave.workflow.formats.flow import format as flow
from toolweave.workflow.formats.load import convert, dump, load, read
from toolweave.workflow.formats.toolweave import format as toolweave
from toolweave.workflow.model import Edge, EdgeId, Node, NodeId, Workflow


def _object(value: Json) -> JsonObject:
    assert isinstance(value, dict)
    return value


def _list(value: Json) -> list[Json]:
    assert isinstance(value, list)
    return value


def _renamed(workflow: Workflow, at: int, name: str) -> Workflow:
    nodes = list(workflow.nodes)
    nodes[at] = replace(nodes[at], name=name)
    return replace(workflow, nodes=tuple(nodes))


def test_one_renamed_node_changes_its_name_and_the_connections_that_call_it_by_name() -> None:
    text = dump(sample("agent-team/map.json").workflow, "agent-team")
    changed = dump(_renamed(sample("agent-team/map.json").workflow, 2, "Diary"), "agent-team")
    difference = [
        (old, new)
        for old, new in zip(text.splitlines(), changed.splitlines(), strict=True)
        if old != new
    ]
    assert [(old.strip(), new.strip()) for old, new in difference] == [
        ('"name": "Calendar",', '"name": "Diary",'),
        ('"Calendar": {', '"Diary": {'),
    ]


def test_an_edge_by_name_still_means_its_node_when_that_is_renamed() -> None:
    changed = _renamed(sample("agent-team/map.json").workflow, 1, "Assistant")
    again = load(dump(changed, "agent-team")).workflow
    assert again == changed


def test_a_node_that_was_added_is_written_in_the_dialects_usual_way() -> None:
    workflow = sample("flow/third.json").workflow
    added = Node(NodeId("new"), "result", "Also", data={"x": 1})
    document = _object(flow.write(replace(workflow, nodes=(*workflow.nodes, added))))
    assert _list(document["nodes"])[-1] == {
        "id": "new",
        "type": "result",
        "data": {"label": "Also", "x": 1},
    }
    assert _list(document["nodes"])[:-1] == _list(_object(flow.write(workflow))["nodes"])


def test_a_node_that_was_removed_is_gone_and_the_others_keep_their_spelling() -> None:
    workflow = sample("agent-team/ports.json").workflow
    fewer = replace(workflow, nodes=workflow.nodes[1:], edges=workflow.edges[1:])
    before, after = _object(agent_team.write(workflow)), _object(agent_team.write(fewer))
    assert _list(after["nodes"]) == _list(before["nodes"])[1:]
    assert _list(after["connections"]) == _list(before["connections"])[1:]


def test_ids_that_were_made_up_are_written_once_their_order_has_changed() -> None:
    document: Json = {
        "id": "w",
        "name": "w",
        "version": "1",
        "connections": [],
        "nodes": [{"type": "start", "data": {}}, {"type": "end", "data": {}}],
    }
    workflow = toolweave.read(document).workflow
    changed = replace(workflow, nodes=workflow.nodes[1:])
    again = toolweave.read(toolweave.write(changed)).workflow
    assert again == changed
    assert [node.id for node in again.nodes] == ["node-2"]


def test_a_port_that_was_changed_is_not_respelt() -> None:
    workflow = sample("toolweave/older-schema.json").workflow
    edge = replace(workflow.edges[0], source_port="branch-1")
    document = _object(toolweave.write(replace(workflow, edges=(edge, workflow.edges[1]))))
    assert _list(document["connections"])[0] == {
        "id": "1",
        "from": "s",
        "to": "p",
        "fromPort": "branch-1",
        "toPort": "in",
    }


def test_an_edge_added_to_a_map_of_connections_stands_in_the_map() -> None:
    workflow = sample("agent-team/lists.json").workflow
    edge = Edge(EdgeId("new"), NodeId("b"), NodeId("c"))
    connections = _object(
        _object(agent_team.write(replace(workflow, edges=(edge,))))["connections"]
    )
    assert list(connections) == ["b"]


def test_a_sub_flow_that_was_added_makes_a_flow_an_export() -> None:
    workflow = sample("flow/seed-003.json").workflow
    both = replace(workflow, subflows=(replace(workflow, name="Copy"),))
    document = _object(convert(both, "flow"))
    assert [_object(_object(one)["meta"])["name"] for one in _list(document["flows"])] == [
        "Marketing_Strategy",
        "Copy",
    ]
    assert read(document).workflow == both


def test_a_change_made_in_another_dialect_comes_back() -> None:
    text = dump(sample("ccwf/wrapped-modes.json").workflow, "flow").replace("by-hand", "by-heart")
    back = _object(convert(load(text).workflow, "ccwf"))
    names = [_object(node)["name"] for node in _list(_object(back["workflow"])["nodes"])]
    assert names == ["start", "by-heart", "by-words", "by-task", "end"]
    assert "meta" in back


def test_a_memory_of_spellings_cannot_smuggle_in_another_meaning() -> None:
    aside: Json = {
        "spelling": {"flow": {"at": {"/type": {"was": "result", "as": "template"}}}},
    }
    node: Json = {"id": "a", "type": "result", "name": "A", "data": {}, "x-toolweave": aside}
    document: Json = {
        "id": "w",
        "name": "w",
        "version": "1",
        "schemaVersion": "1.3.0",
        "nodes": [node],
        "connections": [],
    }
    written = _object(flow.write(toolweave.read(document).workflow))
    assert _object(_list(written["nodes"])[0])["type"] == "result"
