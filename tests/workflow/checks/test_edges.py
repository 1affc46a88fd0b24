"""Edges: unknown ends, ports, doubles, and edges where none should be."""

from dataclasses import replace

import pytest
from tests.workflow.checks.building import (
    after_patch,
    drawing,
    everything,
    found,
    line,
    node,
    told,
    whole,
)

from toolweave.json_text import Json
from toolweave.workflow.checks.edges import check
from toolweave.workflow.model import Edge, EdgeId, Node, NodeId, Workflow

START, END = node("start", "start"), node("end", "end")
TRIGGER, IF = node("t", "TRIGGER.MANUAL"), node("if", "FLOW.IF")


def branches(*labels: str) -> list[Json]:
    return [{"label": label, "condition": "true"} for label in labels]


@pytest.mark.parametrize("written", ["colect", "Collect", "collect_"])
def test_a_misspelt_target_is_an_error_and_becomes_the_node_meant(written: str) -> None:
    workflow = whole([START, node("collect"), END], [f"start > {written}", "collect > end"])
    assert told(check, workflow) == [("error", "EDGE_TARGET_UNKNOWN", "/connections/0/to")]
    after = after_patch(check, workflow, "EDGE_TARGET_UNKNOWN")
    assert drawing(after) == ["start > collect", "collect > end"]


def test_a_misspelt_source_is_an_error_and_becomes_the_node_meant() -> None:
    workflow = whole([START, node("collect"), END], ["start > collect", "colect > end"])
    assert told(check, workflow) == [("error", "EDGE_SOURCE_UNKNOWN", "/connections/1/from")]
    after = after_patch(check, workflow, "EDGE_SOURCE_UNKNOWN")
    assert drawing(after) == ["start > collect", "collect > end"]


def test_an_end_that_names_a_node_by_its_name_becomes_its_id() -> None:
    named = replace(node("n-17"), name="Collect sources")
    workflow = whole([START, named, END], ["start > Collect sources", "n-17 > end"])
    after = after_patch(check, workflow, "EDGE_TARGET_UNKNOWN")
    assert drawing(after) == ["start > n-17", "n-17 > end"]


def test_an_end_that_is_the_name_of_two_nodes_is_not_guessed_and_both_are_named() -> None:
    twins = [replace(node(one), name="Collect sources") for one in ("n-17", "x-2")]
    drawn = ["start > Collect sources", "n-17 > end", "x-2 > end"]
    (problem,) = found(check, whole([START, *twins, END], drawn))
    assert (problem.code, problem.patch) == ("EDGE_TARGET_UNKNOWN", None)
    assert "'n-17' or 'x-2'" in (problem.hint or "")


def test_an_edge_to_nothing_known_is_not_guessed() -> None:
    workflow = whole([START, node("a"), END], ["start > a", "a > end", "a > ghost"])
    (problem,) = found(check, workflow)
    assert (problem.code, problem.patch) == ("EDGE_TARGET_UNKNOWN", None)


def test_an_end_as_near_to_two_nodes_is_not_guessed_by_its_type() -> None:
    nodes = [START, node("stats"), node("a"), END]
    workflow = whole(nodes, ["start > stats", "stats > a", "stat > a", "a > end"])
    (problem,) = found(check, workflow)
    assert (problem.code, problem.patch) == ("EDGE_SOURCE_UNKNOWN", None)


def test_another_number_is_another_node_and_no_misspelling() -> None:
    drawn = ["start > node-1", "node-1 > end", "start > node-2"]
    (problem,) = found(check, whole([START, node("node-1"), END], drawn))
    assert problem.patch is None


@pytest.mark.parametrize("drawn", ["if.false > ghost", "ghost.true > a"])
def test_an_edge_to_or_from_nothing_known_is_not_led_elsewhere(drawn: str) -> None:
    workflow = whole([TRIGGER, IF, node("a"), END], ["t > if", drawn, "a > end"])
    problem = next(one for one in found(check, workflow) if one.code.endswith("_UNKNOWN"))
    assert (problem.severity, problem.patch) == ("error", None)


def test_an_edge_without_ends_is_left_to_the_reader() -> None:
    assert told(check, whole([START], [" > start", "start > "])) == []


def test_what_would_close_a_cycle_was_not_meant() -> None:
    workflow = whole([START, node("collect"), node("b")], ["start > collect", "collect > b"])
    bad = Edge(EdgeId("x"), NodeId("b"), NodeId("colect"))
    workflow = replace(workflow, edges=(*workflow.edges, bad))
    (problem,) = found(check, workflow)
    assert (problem.code, problem.patch) == ("EDGE_TARGET_UNKNOWN", None)


def test_an_edge_without_any_known_end_is_not_guessed() -> None:
    workflow = whole([START, END], ["start > end", "x > y"])
    assert told(check, workflow) == [
        ("error", "EDGE_SOURCE_UNKNOWN", "/connections/1/from"),
        ("error", "EDGE_TARGET_UNKNOWN", "/connections/1/to"),
    ]
    assert [one.patch for one in found(check, workflow)] == [None, None]


@pytest.mark.parametrize(
    ("nodes", "code", "kind"),
    [
        ([node("a"), END], "EDGE_SOURCE_UNKNOWN", "start"),
        ([START, node("a")], "EDGE_TARGET_UNKNOWN", "end"),
    ],
)
def test_a_start_or_end_that_edges_still_name_is_added_again(
    nodes: list[Node], code: str, kind: str
) -> None:
    workflow = whole(nodes, ["start > a", "a > end"])
    after = after_patch(check, workflow, code, "ccwf")
    assert (kind, kind) in [(one.id, one.type) for one in after.nodes]
    assert [one.code for one in everything(after, "ccwf")] == []


def test_an_edge_to_its_own_source_is_an_error_and_not_guessed() -> None:
    workflow = whole([START, node("a"), END], ["start > a", "a > a", "a > end"])
    assert told(check, workflow) == [("error", "EDGE_TO_ITSELF", "/connections/1")]
    assert [one.patch for one in found(check, workflow)] == [None]


def test_a_loop_without_a_body_may_lead_back_to_itself() -> None:
    loop = node("l", "FLOW.LOOP")
    assert told(check, whole([TRIGGER, loop], ["t > l", "l.loop > l.next"])) == []
    assert told(check, whole([TRIGGER, loop], ["t > l", "l.done > l"])) == [
        ("error", "EDGE_TO_ITSELF", "/connections/1")
    ]


def test_the_same_edge_again_is_a_warning_and_removed() -> None:
    workflow = whole([START, END], ["start > end", "start > end"])
    assert told(check, workflow) == [("warning", "EDGE_DUPLICATE", "/connections/1")]
    assert drawing(after_patch(check, workflow, "EDGE_DUPLICATE")) == ["start > end"]


def test_edges_of_two_kinds_or_ports_are_two_edges() -> None:
    flow = whole([node("a", "template"), node("b", "result")], ["a > b", "a > b"])
    one, other = flow.edges
    flow = replace(flow, edges=(replace(one, kind="data"), replace(other, kind="chain")))
    assert told(check, flow, "flow") == []
    assert (
        told(check, whole([TRIGGER, IF, END], ["t > if", "if.true > end", "if.false > end"])) == []
    )


PORTS: list[tuple[Node, str, str]] = [
    (node("x"), "out1", "output"),
    (node("x", "mcp"), "success", "output"),
    (IF, "ture", "true"),
    (IF, "True", "true"),
    (IF, "else", "false"),
    (node("x", "HUMAN_IN_THE_LOOP.MANUAL_REVIEW"), "approved", "confirmed"),
    (node("x", "HUMAN_IN_THE_LOOP.MANUAL_REVIEW"), "rejcted", "rejected"),
    (node("x", "FLOW.LOOP"), "body", "loop"),
    (node("x", "FLOW.LOOP"), "finished", "done"),
    (node("x", "ifElse", branches=branches("True", "False")), "branch0", "branch-0"),
    (node("x", "ifElse", branches=branches("A", "B")), "false", "branch-1"),
    (node("x", "switch", branches=branches("Users", "Staff", "Others")), "staff", "branch-1"),
    (node("x", "askUserQuestion", options=branches("Dry", "Warm")), "Warm", "branch-1"),
]


@pytest.mark.parametrize(("source", "written", "meant"), PORTS)
def test_a_port_that_a_node_does_not_have_is_an_error_and_becomes_the_one_meant(
    source: Node, written: str, meant: str
) -> None:
    workflow = whole([source, END], [f"{source.id}.{written} > end"])
    problems = [one for one in told(check, workflow) if one[0] == "error"]
    assert problems == [("error", "EDGE_PORT_UNKNOWN", "/connections/0/fromPort")]
    after = after_patch(check, workflow, "EDGE_PORT_UNKNOWN")
    assert after.edges[0].source_port == meant


def test_a_branch_beyond_the_last_is_an_error_without_a_guess() -> None:
    source = node("x", "switch", branches=branches("A", "B", "C"))
    (problem,) = (
        one
        for one in found(check, whole([source, END], ["x.branch-3 > end"]))
        if one.code[0] == "E"
    )
    assert (problem.code, problem.severity, problem.patch) == ("EDGE_PORT_UNKNOWN", "error", None)


def test_the_one_port_left_is_meant_by_an_edge_that_names_none() -> None:
    workflow = whole([TRIGGER, IF, node("a"), END], ["t > if", "if.true > a", "if > end"])
    after = after_patch(check, workflow, "EDGE_PORT_UNKNOWN")
    assert after.edges[2].source_port == "false"
    both_free = whole([TRIGGER, IF, END], ["t > if", "if > end"])
    assert [one.patch for one in found(check, both_free)] == [None]


def test_older_numbers_of_ways_out_are_understood() -> None:
    workflow = whole([TRIGGER, IF, END], ["t > if", "if > end"])
    numbered = replace(workflow.edges[1], extras={"index": 1})
    workflow = replace(workflow, edges=(workflow.edges[0], numbered))
    assert after_patch(check, workflow, "EDGE_PORT_UNKNOWN").edges[1].source_port == "false"


@pytest.mark.parametrize("name", ["main", "result"])
def test_another_name_of_the_one_way_out_is_a_warning(name: str) -> None:
    workflow = whole([node("a"), END], [f"a.{name} > end"])
    assert told(check, workflow) == [("warning", "EDGE_PORT_UNKNOWN", "/connections/0/fromPort")]
    assert after_patch(check, workflow, "EDGE_PORT_UNKNOWN").edges[0].source_port == "output"


FINE: list[tuple[Node, str]] = [
    (node("x"), "error"),
    (IF, "error"),
    (node("x", "FLOW.LOOP"), "iteration"),
    (node("x", "FLOW.FILTER"), "passed"),
    (node("x", "FLOW.WAIT"), "completed"),
    (node("x", "askUserQuestion", options=branches("A", "B"), multiSelect=True), "output"),
    (node("x", "askUserQuestion", useAiSuggestions=True), "output"),
    (node("x", "subAgent", outputPorts=3), "branch-2"),
    (node("x", "switch", outputPorts=2), "branch-1"),
    (node("x", "branch"), "anything"),
    (node("x", "template"), "right-handle"),
    (node("x", "nobody-knows"), "anything"),
    (node("x", "TOOL.SLACK_MCP_TOOL"), "ai_tool"),
]


@pytest.mark.parametrize(("source", "port"), FINE)
def test_a_port_that_a_node_has_or_may_have_is_fine(source: Node, port: str) -> None:
    assert told(check, whole([source, END], [f"{source.id}.{port} > end"])) == []


def test_a_way_in_that_is_not_there_is_a_warning() -> None:
    workflow = whole([TRIGGER, IF], ["t > if.inptu"])
    assert told(check, workflow) == [
        ("warning", "EDGE_TARGET_PORT_UNKNOWN", "/connections/0/toPort")
    ]
    assert after_patch(check, workflow, "EDGE_TARGET_PORT_UNKNOWN").edges[0].target_port == "input"
    other = whole([TRIGGER, IF], ["t > if.left"])
    assert after_patch(check, other, "EDGE_TARGET_PORT_UNKNOWN").edges[0].target_port == "input"


@pytest.mark.parametrize(
    ("target", "port"),
    [
        (IF, "data"),
        (node("l", "FLOW.LOOP"), "next"),
        (node("x", "template"), "left-handle"),
        (node("p", prompt="{{ inputs.left }}"), "left"),
    ],
)
def test_a_way_in_that_is_there_or_asked_for_is_fine(target: Node, port: str) -> None:
    assert told(check, whole([TRIGGER, target], [f"t > {target.id}.{port}"])) == []


@pytest.mark.parametrize(
    ("workflow", "code", "place"),
    [
        (whole([node("a"), START], ["a > start"]), "EDGE_INTO_START", "/connections/0"),
        (whole([IF, TRIGGER], ["if.true > t"]), "EDGE_INTO_START", "/connections/0"),
        (whole([END, node("a")], ["end > a"]), "EDGE_OUT_OF_END", "/connections/0"),
        (whole([node("g", "group"), node("a")], ["g > a"]), "EDGE_AT_GROUP", "/connections/0"),
    ],
)
def test_an_edge_where_none_should_be_is_a_warning_and_never_removed(
    workflow: Workflow, code: str, place: str
) -> None:
    assert told(check, workflow) == [("warning", code, place)]
    steps = [step for one in found(check, workflow) for step in one.patch or ()]
    assert [step for step in steps if step["op"] == "remove"] == []


@pytest.mark.parametrize(
    ("nodes", "edges", "is_turned"),
    [
        ([node("a"), START, END], ["a > start", "a > end"], True),
        ([START, node("a"), END], ["start > a", "end > a"], True),
        # It may be meant otherwise: the start leads on already, and so does the node.
        ([START, node("a"), node("b")], ["start > b", "a > start"], False),
        ([START, node("a"), node("b"), END], ["start > a", "a > b", "end > a"], False),
    ],
)
def test_an_edge_is_turned_around_where_a_way_lacks_it(
    nodes: list[Node], edges: list[str], is_turned: bool
) -> None:
    problems = [one for one in found(check, whole(nodes, edges)) if one.code.startswith("EDGE_")]
    assert [one.patch is not None for one in problems] == [is_turned]


def test_a_choice_that_leads_nowhere_is_a_warning_if_others_lead_on() -> None:
    ask = node("ask", "askUserQuestion", options=branches("Dry", "Warm"))
    assert told(check, whole([START, ask, END], ["start > ask", "ask.branch-0 > end"])) == [
        ("warning", "BRANCH_OPEN", "/nodes/1/data/options/1")
    ]
    assert told(check, line(START, ask)) == []


def test_a_kind_no_flow_has_is_a_warning_and_mended_if_clear() -> None:
    flow = whole([node("a", "template"), node("b", "result")], ["a > b"])
    wrong = replace(flow, edges=(replace(flow.edges[0], kind="chian"),))
    assert told(check, wrong, "flow") == [("warning", "EDGE_KIND_UNKNOWN", "/connections/0/kind")]
    assert after_patch(check, wrong, "EDGE_KIND_UNKNOWN", "flow").edges[0].kind == "chain"
    other = replace(flow, edges=(replace(flow.edges[0], kind="control"),))
    assert after_patch(check, other, "EDGE_KIND_UNKNOWN", "flow").edges[0].kind == "chain"
    for kind in ("error", "conditional", "ai_tool"):
        asking = replace(flow, edges=(replace(flow.edges[0], kind=kind),))
        assert [one.patch for one in found(check, asking, "flow")] == [None]
    for kind in ("data", "chain", "result", "smoothstep"):
        fine = replace(flow, edges=(replace(flow.edges[0], kind=kind),))
        assert told(check, fine, "flow") == []


def test_thousands_of_wrong_ports_are_all_told() -> None:
    source = node("x", "switch", branches=branches(*map(str, range(3_000))))
    workflow = whole([source, END], [f"x.p{at} > end" for at in range(3_000)])
    problems = [one for one in found(check, workflow) if one.code == "EDGE_PORT_UNKNOWN"]
    assert len(problems) == 3_000
    workflow = whole([START, END], [f"start > end.p{at}" for at in range(3_000)])
    assert {one.severity for one in found(check, workflow)} == {"warning"}


def test_thousands_of_wrong_ends_are_all_told() -> None:
    nodes = [node(f"n{at}") for at in range(3_000)]
    workflow = whole(nodes, [f"n{at} > m{at}" for at in range(3_000)])
    assert len(found(check, workflow)) == 3_000
