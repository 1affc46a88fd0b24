"""The shape of a workflow: order, cycles, reach."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tools.strategies import steady

from toolweave.workflow.graph import Graph
from toolweave.workflow.model import Edge, EdgeId, Node, NodeId, Workflow, WorkflowId

IDS = "abcdef"
EDGES = st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from(IDS)), max_size=12)


def _workflow(nodes: str | list[str], edges: list[tuple[str, str]]) -> Workflow:
    return Workflow(
        WorkflowId("w"),
        "w",
        tuple(Node(NodeId(node), "prompt", node) for node in nodes),
        tuple(
            Edge(EdgeId(str(at)), NodeId(source), NodeId(target))
            for at, (source, target) in enumerate(edges)
        ),
    )


def _graph(nodes: str | list[str], *edges: str) -> Graph:
    return Graph(_workflow(nodes, [(edge[0], edge[1]) for edge in edges]))


def test_edges_of_a_node_come_in_file_order() -> None:
    graph = _graph("abc", "ab", "ac", "ba", "cb")
    assert [edge.target for edge in graph.outgoing(NodeId("a"))] == ["b", "c"]
    assert [edge.source for edge in graph.incoming(NodeId("b"))] == ["a", "c"]
    assert graph.outgoing(NodeId("nobody")) == ()


def test_edges_to_nodes_that_do_not_exist_are_left_out() -> None:
    graph = _graph("ab", "ab", "ax", "xb")
    assert [(edge.source, edge.target) for edge in graph.edges] == [("a", "b")]


def test_of_two_nodes_with_one_id_the_first_counts() -> None:
    workflow = Workflow(
        WorkflowId("w"),
        "w",
        (Node(NodeId("a"), "start", "first"), Node(NodeId("a"), "end", "second")),
    )
    assert Graph(workflow).nodes[NodeId("a")].name == "first"


@pytest.mark.parametrize(
    ("nodes", "edges", "order"),
    [
        ("abc", [], "abc"),
        ("cba", [], "cba"),
        ("cba", ["ab", "bc"], "abc"),
        ("acb", ["ac"], "acb"),
        ("adbc", ["ab", "ac", "bd", "cd"], "abcd"),
        ("ab", ["ab", "ab"], "ab"),
    ],
)
def test_every_node_comes_after_those_before_it_in_file_order_where_there_is_a_choice(
    nodes: str, edges: list[str], order: str
) -> None:
    graph = _graph(nodes, *edges)
    assert "".join(graph.order) == order
    assert graph.cycle == ()


@pytest.mark.parametrize(
    ("edges", "cycle"),
    [(["aa"], "aa"), (["ab", "ba"], "aba"), (["ab", "bc", "cd", "db"], "bcdb")],
)
def test_a_cycle_is_named_node_by_node(edges: list[str], cycle: str) -> None:
    found = "".join(_graph("abcd", *edges).cycle)
    doubled = cycle[:-1] * 2
    assert len(found) == len(cycle)
    assert found[0] == found[-1]
    assert found[:-1] in doubled


def test_nodes_behind_a_cycle_have_no_place_in_the_order() -> None:
    assert _graph("abcd", "ab", "ba", "bc").order == ("d",)


def test_reach_goes_forward() -> None:
    graph = _graph("abcde", "ab", "bc", "dc")
    assert graph.reachable([NodeId("a")]) == {"a", "b", "c"}
    assert graph.reachable([NodeId("nobody")]) == frozenset()


def test_ten_thousand_nodes_in_one_line_are_ordered() -> None:
    nodes = [str(at) for at in range(10_000)]
    edges = [(str(at + 1), str(at)) for at in range(9_999)]
    graph = Graph(_workflow(nodes, edges))
    assert graph.order == tuple(reversed(nodes))
    assert len(graph.reachable([NodeId("9999")])) == 10_000
    circle = Graph(_workflow(nodes, [*edges, ("0", "9999")]))
    assert len(circle.cycle) == 10_001


@steady(300)
@given(EDGES)
def test_there_is_an_order_of_all_nodes_or_a_cycle(edges: list[tuple[str, str]]) -> None:
    graph = Graph(_workflow(IDS, edges))
    place = {node: at for at, node in enumerate(graph.order)}
    pairs = set(edges)
    assert (len(place) == len(IDS)) == (graph.cycle == ())
    assert all(
        place[NodeId(source)] < place[NodeId(target)]
        for source, target in pairs
        if NodeId(target) in place
    )
    assert all(step in pairs for step in zip(graph.cycle, graph.cycle[1:], strict=False))
