"""Which names a node's expressions see, what can have run before it, and what is known of both."""

from dataclasses import replace
from itertools import pairwise
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tools.strategies import steady
from tests.workflow.checks.building import known, node, whole
from tests.workflow.strategies import WORKFLOWS

from toolweave.catalog.live import spec_of as made_spec
from toolweave.catalog.node import NodeContext
from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.mcp._answers import parsed_of
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Content, ToolResult
from toolweave.workflow.graph import Graph
from toolweave.workflow.model import Node, NodeId, Workflow
from toolweave.workflow.scope.completions import completions_at
from toolweave.workflow.scope.reachability import Reach
from toolweave.workflow.scope.references import references_of
from toolweave.workflow.scope.scope import Scope
from toolweave.workflow.shapes import UNKNOWN, look_up


def spec_of(one: Node) -> NodeSpec | None:
    return known().catalog.get(one.type, str(one.data.get("subtype")))


def scope_of(workflow: Workflow) -> Scope:
    return Scope(workflow, spec_of)


def reach(nodes: list[Node], *edges: str) -> Reach:
    return Reach(Graph(whole(nodes, list(edges))))


def runs_before(found: Reach, node_id: str, other: str) -> bool:
    return found.can_have_run(NodeId(node_id), NodeId(other))


def plain(*ids: str) -> list[Node]:
    return [node(one, "mcp") for one in ids]


def loop(node_id: str, **configurations: Json) -> Node:
    return node(node_id, "FLOW.LOOP", configurations=configurations)


def test_only_what_edges_lead_from_can_have_run() -> None:
    found = reach(plain("a", "b", "c", "d"), "a > b", "b > c", "a > d")
    assert runs_before(found, "a", "c")
    assert not runs_before(found, "c", "a")
    assert not runs_before(found, "c", "c")
    assert not runs_before(found, "d", "c")


def test_what_is_behind_one_of_two_branches_may_have_run() -> None:
    branching = node("if", "FLOW.IF")
    nodes = [branching, *plain("yes", "no", "end")]
    found = reach(nodes, "if.true > yes", "if.false > no", "yes > end", "no > end")
    assert runs_before(found, "yes", "end")
    assert not runs_before(found, "yes", "no")


@pytest.mark.parametrize("back", [[], ["two > each.next"]])
def test_the_body_of_a_loop_is_seen_in_its_iteration_only(
    back: list[str],
) -> None:
    nodes = [*plain("a", "one", "two", "after", "last"), loop("each")]
    edges = ["a > each", "each.loop > one", "one > two", "each.done > after", "after > last"]
    found = reach(nodes, *edges, *back)
    assert runs_before(found, "one", "two")
    assert not runs_before(found, "two", "one")
    assert not runs_before(found, "one", "last")
    assert not runs_before(found, "each", "one")
    assert runs_before(found, "each", "last")
    assert not runs_before(found, "last", "two")
    assert not runs_before(found, "one", "a")
    assert [one.id for one in found.loops_around(NodeId("two")) or ()] == ["each"]
    assert found.loops_around(NodeId("after")) == ()


def test_loops_within_loops_are_known_from_the_inside() -> None:
    nodes = [*plain("a", "deep", "between", "after"), loop("outer"), loop("inner")]
    found = reach(
        nodes,
        "a > outer",
        "outer.loop > inner",
        "inner.loop > deep",
        "inner.done > between",
        "outer.done > after",
    )
    around = {one: found.loops_around(NodeId(one)) or () for one in ("deep", "between", "after")}
    assert [one.id for one in around["deep"]] == ["inner", "outer"]
    assert [one.id for one in around["between"]] == ["outer"]
    assert around["after"] == ()
    assert not runs_before(found, "deep", "after")
    assert not runs_before(found, "deep", "between")
    assert runs_before(found, "inner", "between")
    assert not runs_before(found, "inner", "after")
    assert not runs_before(found, "after", "deep")


def test_nothing_is_said_of_nodes_on_a_cycle() -> None:
    nodes = [*plain("a", "b", "c"), node("ai", "AI_AGENT.X", attachedNodes=["m", 3])]
    found = reach([*nodes, *plain("m", "d")], "a > b", "b > a", "d > ai")
    assert runs_before(found, "c", "a")
    assert found.loops_around(NodeId("a")) is None
    assert not runs_before(found, "ai", "c")


def test_an_attached_node_sees_what_its_agent_sees_and_is_not_seen() -> None:
    nodes = [*plain("before", "m", "other"), node("ai", "AI_AGENT.X", attachedNodes=["m"])]
    found = reach([*nodes, *plain("after")], "before > ai", "ai > after")
    assert runs_before(found, "before", "m")
    assert not runs_before(found, "other", "m")
    assert not runs_before(found, "ai", "m")
    assert not runs_before(found, "m", "after")


def test_a_long_line_is_no_trouble() -> None:
    ids = [f"n{at}" for at in range(3_000)]
    edges = [f"{one} > {other}" for one, other in pairwise(ids)]
    found = reach(plain(*ids), *edges)
    assert runs_before(found, "n0", "n2999")
    assert not runs_before(found, "n2999", "n0")


@given(WORKFLOWS)
@steady(60)
def test_what_can_have_run_agrees_with_the_graph_where_there_is_no_loop(
    workflow: Workflow,
) -> None:
    graph = Graph(workflow)
    found = Reach(graph)
    for other in found.order:
        after = graph.reachable(edge.target for edge in graph.outgoing(other))
        for one in found.order:
            assert found.is_before(other, one) == (one in after)


def test_every_path_that_a_node_reads_is_listed_with_its_place() -> None:
    data: JsonObject = {
        "configurations": {"condition_expression": "data.x > nodes.a.output.y"},
        "inputParams": {"data": {"deep": ["{{ a.z }} and {{ has(b.c) }}"]}},
    }
    gate = replace(node("gate", "FLOW.IF"), data={"subtype": "IF", **data})
    uses = references_of(gate, spec_of(gate))
    assert [(one.pointer, one.reference.text, one.reference.is_optional) for one in uses] == [
        ("/data/configurations/condition_expression", "data.x", False),
        ("/data/configurations/condition_expression", "nodes.a.output.y", False),
        ("/data/inputParams/data/deep/0", "a.z", False),
        ("/data/inputParams/data/deep/0", "b.c", True),
    ]


def test_older_syntax_is_read_as_what_it_means() -> None:
    sender = node("b", "mcp", parameterValues={"x": '{{$node["a"].output.y}}{{$json.z}}'})
    assert [one.reference.text for one in references_of(sender)] == ["nodes.a.output.y", "data.z"]


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("mcp", {"mode": "naturalLanguageParam", "parameterValues": {"x": "{{ a.b }}"}}),
        ("start", {"prompt": "{{ a + b }}"}),
        ("prompt", {"prompt": "{{name}} {{ not } cel }} {{#each x}}"}),
        ("template", {"template": "{name}"}),
        ("ifElse", {"branches": [{"condition": "the answer is no"}, 3]}),
    ],
)
def test_what_is_no_expression_reads_nothing(kind: str, data: JsonObject) -> None:
    assert references_of(replace(node("a", kind), data=data)) == []


def test_what_came_in_by_several_edges_is_one_of_them_or_all_by_id() -> None:
    nodes = [
        node("ai", "AI_AGENT.OPENAI_CHATGPT"),
        node("buffer", "MEMORY.CONVERSATION_BUFFER"),
        node("end", "mcp"),
    ]
    came = scope_of(whole(nodes, ["ai > end", "buffer > end"])).incoming(NodeId("end"))
    steps = ("content", "messages", "ai", "buffer", "contnet")
    assert [look_up(came, step).verdict for step in steps] == ["named"] * 4 + ["absent"]


def test_what_passes_through_is_known_behind_it() -> None:
    nodes = [
        node("ai", "AI_AGENT.OPENAI_CHATGPT"),
        node("if", "FLOW.IF", inputParams={"data": "{{ ai.token_usage }}"}),
        node("wait", "FLOW.DELAY", configurations={"enabled": False}),
        node("delay", "FLOW.DELAY"),
        node("end", "end"),
    ]
    edges = ["ai > wait", "wait > delay", "delay > end", "ai > if"]
    scope = scope_of(whole(nodes, edges))
    assert look_up(scope.value_of(NodeId("end")), "contnet").verdict == "absent"
    assert look_up(scope.value_of(NodeId("end")), "content").verdict == "named"
    assert scope.data_of(NodeId("if")).words == "an object"
    assert look_up(scope.data_of(NodeId("if")), "total_tokens").verdict == "named"
    assert look_up(scope.data_of(NodeId("if")), "anything").verdict == "absent"


@pytest.mark.parametrize(
    ("edge", "extras"),
    [("ai.nowhere > end", {}), ("ai > end", {"conversion_function": "def f(x): ..."})],
)
def test_what_is_not_known_stays_unknown(edge: str, extras: JsonObject) -> None:
    workflow = whole([node("ai", "AI_AGENT.OPENAI_CHATGPT"), node("end", "end")], [edge])
    workflow = replace(workflow, edges=(replace(workflow.edges[0], extras=extras),))
    assert scope_of(workflow).incoming(NodeId("end")) is UNKNOWN


def test_a_node_with_a_way_out_for_errors_gives_its_outputs_or_the_error() -> None:
    nodes = [node("ai", "AI_AGENT.OPENAI_CHATGPT"), *plain("ok", "oops")]
    scope = scope_of(whole(nodes, ["ai > ok", "ai.error > oops"]))
    steps = ("content", "error", "gone")
    shapes = (
        scope.value_of(NodeId("ai")),
        scope.incoming(nodes[1].id),
        scope.incoming(nodes[2].id),
    )
    assert [[look_up(shape, step).verdict for step in steps] for shape in shapes] == [
        ["named", "named", "absent"],
        ["named", "absent", "absent"],
        ["absent", "named", "absent"],
    ]


def test_the_names_of_a_node_are_those_it_can_begin_with() -> None:
    nodes = [node("s", "start"), loop("each", iteration_variable="page"), *plain("body", "node-2")]
    scope = scope_of(whole(nodes, ["s > each", "each.loop > body", "each.done > node-2"]))
    inside, after = scope.names(nodes[2]), scope.names(nodes[3])
    assert {"data", "nodes", "loop", "page", "s"} <= set(inside)
    assert "each" not in inside
    assert {"loop", "page", "node-2", "body"}.isdisjoint(after)
    assert {"s", "each"} <= set(after)


@pytest.mark.parametrize(
    ("path", "trouble"),
    [
        (("nodes",), None),
        (("nodes", 0), None),
        (("nodes", "s"), None),
        (("nodes", "s", "output", "anything"), None),
        (("nodes", "s", "nowhere"), "port"),
        (("nodes", "gone"), "node"),
        (("s", "anything"), None),
        (("run", "id"), None),
        (("run", "id", "x"), "field"),
        (("inputs", "main", "x"), None),
        (("config", "x"), None),
        (("loop", "index"), "loop"),
        (("gone",), "name"),
        (("b", "x"), "order"),
    ],
)
def test_a_path_leads_somewhere_or_it_is_known_which_step_does_not(
    path: tuple[str | int, ...], trouble: str | None
) -> None:
    nodes = [node("s", "start"), *plain("b")]
    scope = scope_of(whole(nodes, ["s > b"]))
    assert scope.find(nodes[1], path).trouble == trouble


@given(WORKFLOWS, st.lists(st.sampled_from(("data", "nodes", "a", "output", 0, "run")), min_size=1))
@steady(40)
def test_any_path_in_any_workflow_is_looked_up(workflow: Workflow, path: list[str | int]) -> None:
    scope = scope_of(workflow)
    for one in workflow.nodes:
        found = scope.find(one, (str(path[0]), *path[1:]))
        assert 0 <= found.at < len(path)


def live_spec(gives: JsonObject | None) -> NodeSpec:
    entry: JsonObject = {"name": "find", "inputSchema": {"type": "object"}}
    if gives is not None:
        entry["outputSchema"] = gives
    return made_spec(read_tool("shop", entry))


CLOSED: JsonObject = {
    "type": "object",
    "properties": {"name": {"type": "string"}},
    "additionalProperties": False,
}


@pytest.mark.parametrize(("gives", "verdict"), [(CLOSED, "absent"), (None, "unsaid")])
def test_a_live_tool_gives_what_it_says(gives: JsonObject | None, verdict: str) -> None:
    spec = live_spec(gives)
    workflow = whole([node("a", spec.ref)])
    scope = Scope(workflow, lambda _: spec)
    assert look_up(scope.value_of(NodeId("a")), "nmae").verdict == verdict


@pytest.mark.anyio
@pytest.mark.parametrize(("gives", "structured"), [(CLOSED, {"name": "x"}), (None, None)])
async def test_catalog_completion_and_run_agree_on_what_a_tool_gives(
    gives: JsonObject | None, structured: Json
) -> None:
    spec = live_spec(gives)
    nodes = [node("a", spec.ref), *plain("b")]
    scope = Scope(whole(nodes, ["a > b"]), lambda one: spec if one.id == "a" else None)
    answer = ToolResult((Content("text", text='{"n": 1}'),), structured=structured)
    # Only media ask where they are kept.
    value = await parsed_of(cast("NodeContext", None), answer)
    assert isinstance(value, dict)
    offered = [one.path for one in completions_at(scope, nodes[1], {}, lambda _, value: str(value))]
    for name in value:
        assert name in {one.name for one in spec.outputs}
        assert f"nodes.a.output.{name}" in offered
        assert scope.find(nodes[1], ("a", name)).trouble is None
    assert scope.find(nodes[1], ("a", "result")).trouble == "field"


def test_a_field_called_data_is_what_a_node_reads_as_its_data() -> None:
    wrapped: JsonObject = {
        "type": "object",
        "properties": {"data": CLOSED, "other": {}},
        "required": ["data"],
    }
    specs = {"a": live_spec(wrapped), "if": known().catalog.get("FLOW", "IF")}
    workflow = whole([node("a", "TOOL.X"), node("if", "FLOW.IF")], ["a > if"])
    data = Scope(workflow, lambda one: specs[one.id]).data_of(NodeId("if"))
    assert [look_up(data, step).verdict for step in ("name", "other")] == ["named", "absent"]
    unsaid: JsonObject = {"type": "object", "properties": {"name": {}}}
    specs["a"] = live_spec(unsaid)
    data = Scope(workflow, lambda one: specs[one.id]).data_of(NodeId("if"))
    assert data.is_unknown
    assert [look_up(data, step).verdict for step in ("name", "other")] == ["named", "unsaid"]


def test_the_name_of_a_loops_variable_may_be_known_only_when_it_runs() -> None:
    nodes = [loop("each", iteration_variable="{{ trigger.name }}"), *plain("body")]
    scope = scope_of(whole(nodes, ["each.loop > body"]))
    assert scope.find(nodes[1], ("whatever",)).trouble is None
    assert scope.find(nodes[1], ("each", "page")).trouble == "order"


@pytest.mark.parametrize(
    ("other", "port", "trouble"),
    [
        (node("x", "FLOW.IF"), "true", None),
        (node("x", "FLOW.IF"), "maybe", "port"),
        (node("x", "FLOW.LOOP"), "iteration", None),
        (node("x", "mcp"), "error", None),
        (node("x", "askUserQuestion"), "branch-7", None),
    ],
)
def test_a_value_is_read_by_a_port_the_node_has(
    other: Node, port: str, trouble: str | None
) -> None:
    nodes = [other, *plain("b")]
    scope = scope_of(whole(nodes, ["x > b"]))
    assert scope.find(nodes[1], ("nodes", "x", port)).trouble == trouble


def test_an_expression_in_a_prompt_is_read_too() -> None:
    asking = node("p", "prompt", prompt="{{ a.b + 'x' }} {{ nodes[ \"c-d\" ].output }}")
    uses = references_of(asking)
    assert [one.reference.text for one in uses] == ["a.b", "nodes['c-d'].output"]
    assert [one.asked.is_binding for one in uses] == [False, False]
    assert [one.asked.path for one in uses] == [None, ("nodes", "c-d", "output")]
