"""The flowchart: shapes, groups, labels that stay labels, ids that Mermaid takes."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from tests.export.speaking import HOSTILE, a_node, a_workflow, speaking
from tests.tools.strategies import steady
from tests.workflow.strategies import WORKFLOWS

from toolweave.export.diagram import NOTES, diagram, diagram_ids
from toolweave.workflow.model import Edge, EdgeId, Node, NodeId, Workflow, WorkflowId

ID = r"[A-Za-z0-9_]+"
LABEL = r'"(?:[^#"\[\](){}<>|&%`\\\n]|#\d+;)+"'
STATEMENT = re.compile(
    rf"flowchart TD|    end|    subgraph {ID}\[{LABEL}\]|    {ID} -->(\|{LABEL}\|)? {ID}"
    rf"|    {ID}(\(\[{LABEL}\]\)|\[{LABEL}\]|\[\[{LABEL}\]\]|\{{{LABEL}\}})"
)


@steady(80)
@given(text=HOSTILE)
def test_every_line_is_a_statement_whatever_the_labels_say(text: str) -> None:
    lines = diagram(speaking(text)).split("\n")
    assert [line for line in lines if not STATEMENT.fullmatch(line)] == []
    assert len(lines) == len(diagram(speaking("x")).split("\n"))


@steady(60)
@given(workflow=WORKFLOWS)
def test_any_workflow_is_drawn_with_an_id_for_every_node(workflow: Workflow) -> None:
    lines = diagram(workflow).split("\n")
    assert [line for line in lines if not STATEMENT.fullmatch(line)] == []
    ids = diagram_ids(workflow)
    assert len({one.lower() for one in ids}) == len(workflow.nodes)
    drawn = [line for line in lines[1:] if "-->" not in line and line != "    end"]
    assert len(drawn) == sum(node.type not in NOTES for node in workflow.nodes)
    opened = sum("subgraph" in line for line in lines)
    assert opened == sum(line == "    end" for line in lines)


@pytest.mark.parametrize(
    ("id", "drawn"),
    [
        ("end-1", "end_1"),
        ("end", "end_"),
        ("End", "End_"),
        ("graph", "n_graph"),
        ("style-guide", "n_style_guide"),
        ("classroom", "n_classroom"),
        ("endless", "endless"),
        ("a b", "a_b"),
        ("", "node"),
        ("漢", "_"),
    ],
)
def test_an_id_is_one_that_mermaid_takes(id: str, drawn: str) -> None:
    assert diagram_ids(a_workflow(Node(NodeId(id), "prompt", "x"))) == [drawn]


def test_signs_of_mermaid_in_a_label_are_numbers() -> None:
    node = a_node("prompt", {}, name='a "b" [c] (d) {e} <f> #g |h| \n i')
    assert diagram(a_workflow(node)).split("\n")[1] == (
        '    prompt["a #34;b#34; #91;c#93; #40;d#41; #123;e#125; #60;f#62; #35;g #124;h#124; i"]'
    )


def test_shapes_tell_the_kinds_apart() -> None:
    kinds = {
        "start": '(["x"])',
        "end": '(["x"])',
        "prompt": '["x"]',
        "subAgent": '["x"]',
        **dict.fromkeys(("ifElse", "switch", "branch", "askUserQuestion"), '{"x"}'),
        **dict.fromkeys(("skill", "mcp", "codex", "subAgentFlow"), '[["x"]]'),
    }
    for kind, shape in kinds.items():
        node = a_node(kind, {}, name="x", id="a")
        assert diagram(a_workflow(node)) == f"flowchart TD\n    a{shape}"
    assert diagram(a_workflow(a_node("FLOW", {"subtype": "IF"}, name="x", id="a"))).endswith(
        '{"x"}'
    )


def test_ways_out_are_labelled() -> None:
    ask = a_node("askUserQuestion", {"options": [{"label": "Yes"}, {"label": ""}]}, id="a")
    ports = ("branch-0", "branch-1", "branch-7", "true", "output")
    edges = tuple(Edge(EdgeId(port), ask.id, NodeId("b"), port) for port in ports)
    nowhere = Edge(EdgeId("x"), ask.id, NodeId("gone"))
    workflow = replace(a_workflow(ask, a_node("end", {}, id="b")), edges=(*edges, nowhere))
    labels = re.findall(r'-->(?:\|"(.*)"\|)? b', diagram(workflow))
    assert labels == ["Yes", "branch-1", "branch-7", "true", ""]


def test_groups_hold_their_nodes_and_groups_in_a_circle_are_drawn_side_by_side() -> None:
    def node(id: str, kind: str, parent: str | None) -> Node:
        return Node(NodeId(id), kind, id, parent=NodeId(parent) if parent else None)

    nodes = (
        node("out", "group", None),
        node("in", "group", "out"),
        node("a", "prompt", "in"),
        node("p", "group", "q"),
        node("q", "group", "p"),
        node("b", "prompt", "a"),
    )
    assert diagram(Workflow(WorkflowId("w"), "w", nodes)).split("\n")[1:] == [
        '    subgraph out["out"]',
        '    subgraph in["in"]',
        '    a["a"]',
        *("    end", "    end"),
        *('    subgraph p["p"]', "    end", '    subgraph q["q"]', "    end"),
        '    b["b"]',
    ]
