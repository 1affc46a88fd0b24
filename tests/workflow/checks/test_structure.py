"""The whole: nothing to run, no start or several, no end, nodes aside."""

import pytest
from tests.workflow.checks.building import (
    NOW,
    after_patch,
    drawing,
    everything,
    found,
    known,
    line,
    node,
    told,
    whole,
)

from toolweave.catalog.index import Catalog
from toolweave.json_text import Json
from toolweave.workflow.checks.context import CheckContext, KnownEnvironment
from toolweave.workflow.checks.structure import check
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.model import Node, Workflow

START, END = node("start", "start"), node("end", "end")
A, B = node("a"), node("b")
TRIGGER = node("t", "TRIGGER.MANUAL")
FETCH, IF = node("fetch", "ACTION.HTTP_REQUEST"), node("if", "FLOW.IF")
BRANCHES: list[Json] = [{"label": "Yes", "condition": "a"}, {"label": "No", "condition": "b"}]


@pytest.mark.parametrize("nodes", [[], [node("g", "group"), node("n", "note")]])
@pytest.mark.parametrize("format", ["toolweave", "ccwf", "flow", "agent-team"])
def test_a_workflow_without_anything_that_runs_is_an_error(
    nodes: list[Node], format: FormatName
) -> None:
    assert told(check, whole(nodes), format) == [("error", "WORKFLOW_EMPTY", "/nodes")]


@pytest.mark.parametrize(
    ("workflow", "format"),
    [
        (line(START, A, END), "ccwf"),
        (line(START, A, END), "toolweave"),
        (line(TRIGGER, FETCH, IF), "agent-team"),
        (line(START, FETCH, END), "toolweave"),
        (whole([node("t", "template")]), "flow"),
        (line(node("i", "multi_input"), node("t", "template"), node("r", "result")), "flow"),
    ],
)
def test_a_workflow_with_beginning_and_end_has_no_problem(
    workflow: Workflow, format: FormatName
) -> None:
    assert told(check, workflow, format) == []


@pytest.mark.parametrize(("format", "severity"), [("ccwf", "error"), ("toolweave", "warning")])
def test_a_drawing_without_a_start_gets_one_before_its_first_steps(
    format: FormatName, severity: str
) -> None:
    workflow = whole([A, B, END], ["a > end", "b > end"])
    assert told(check, workflow, format) == [(severity, "START_MISSING", "/nodes")]
    after = after_patch(check, workflow, "START_MISSING", format)
    assert drawing(after) == ["a > end", "b > end", "start > a", "start > b"]
    assert told(check, after, format) == []


def test_a_catalog_workflow_without_a_trigger_runs_and_gets_one() -> None:
    workflow = line(FETCH, IF)
    assert told(check, workflow, "agent-team") == [("warning", "START_MISSING", "/nodes")]
    after = after_patch(check, workflow, "START_MISSING", "agent-team")
    assert after.nodes[-1].ref == "TRIGGER.MANUAL"
    assert drawing(after) == ["fetch > if", "trigger > fetch"]


def test_a_misspelt_start_is_not_missed_as_well() -> None:
    assert told(check, line(node("s", "strat"), A, END), "ccwf") == []
    assert told(check, line(node("t", "MANUAL.TRIGGER"), FETCH)) == []


@pytest.mark.parametrize(("format", "severity"), [("ccwf", "error"), ("toolweave", "warning")])
def test_a_further_start_of_the_same_steps_is_removed(format: FormatName, severity: str) -> None:
    workflow = whole([START, node("again", "start"), A, END], ["start > a", "again > a", "a > end"])
    assert told(check, workflow, format) == [(severity, "START_TWICE", "/nodes/1")]
    after = after_patch(check, workflow, "START_TWICE", format)
    assert drawing(after) == ["start > a", "a > end"]
    assert told(check, after, format) == []


def test_a_further_start_of_other_steps_is_left_to_a_person() -> None:
    workflow = whole(
        [START, node("again", "start"), A, END], ["start > a", "again > end", "a > end"]
    )
    (problem,) = (one for one in found(check, workflow) if one.code == "START_TWICE")
    assert problem.patch is None


def test_a_further_start_that_an_expression_may_mean_is_left_to_a_person() -> None:
    user = node("a", prompt="{{ nodes.again.output }}")
    workflow = whole(
        [START, node("again", "start"), user, END], ["start > a", "again > a", "a > end"]
    )
    assert [one.patch for one in found(check, workflow)] == [None]


def test_a_further_start_of_the_same_id_is_removed_with_its_problem() -> None:
    again = node("start", "start", label="again")
    workflow = whole([START, again, END], ["start > end"])
    after = after_patch(check, workflow, "START_TWICE", "ccwf")
    assert [one.id for one in after.nodes] == ["start", "end"]


def test_a_further_start_that_something_leads_to_is_left_to_a_person() -> None:
    workflow = whole(
        [START, node("again", "start"), A, END], ["start > a", "a > again", "again > end"]
    )
    (problem,) = (one for one in found(check, workflow) if one.code == "START_TWICE")
    assert problem.patch is None


def test_a_start_with_another_nodes_id_is_not_missed_as_well() -> None:
    workflow = whole([node("a"), node("a", "start"), END], ["a > end"])
    assert told(check, workflow, "ccwf") == []


def test_without_a_trigger_to_add_there_is_no_patch() -> None:
    bare = KnownEnvironment(
        Catalog([spec for spec in known().catalog if spec.type != "TRIGGER"]), NOW
    )
    (problem,) = check(CheckContext(line(FETCH, IF), bare))
    assert (problem.code, problem.patch) == ("START_MISSING", None)


def test_a_drawing_without_an_end_runs_and_gets_one_after_its_last_steps() -> None:
    workflow = whole([START, A, B], ["start > a", "start > b"])
    assert told(check, workflow, "ccwf") == [("warning", "END_MISSING", "/nodes")]
    after = after_patch(check, workflow, "END_MISSING", "ccwf")
    assert drawing(after)[2:] == ["a > end", "b > end"]
    assert told(check, after, "ccwf") == []


def test_an_end_nobody_reaches_is_joined_with_the_last_step() -> None:
    workflow = whole([START, A, END], ["start > a"])
    assert told(check, workflow, "ccwf") == [("warning", "END_UNREACHED", "/nodes/2")]
    (problem,) = found(check, workflow, "ccwf")
    assert problem.message == "the end 'end' is not connected"
    after = after_patch(check, workflow, "END_UNREACHED", "ccwf")
    assert drawing(after) == ["start > a", "a > end"]


def test_a_last_decision_is_led_to_the_end_by_every_port() -> None:
    choice = node("c", "ifElse", branches=BRANCHES)
    after = after_patch(check, line(START, choice), "END_MISSING", "ccwf")
    assert drawing(after) == ["start > c", "c.branch-0 > end", "c.branch-1 > end"]


@pytest.mark.parametrize("format", ["ccwf", "toolweave"])
def test_a_broken_chain_is_joined_where_it_broke(format: FormatName) -> None:
    workflow = whole([START, A, B, END], ["start > a", "b > end"])
    assert told(check, workflow, format) == [
        ("warning", "NODE_UNREACHED", "/nodes/2"),
        ("warning", "END_UNREACHED", "/nodes/3"),
    ]
    after = after_patch(check, workflow, "NODE_UNREACHED", format)
    assert drawing(after) == ["start > a", "b > end", "a > b"]
    assert everything(after, format) == []


def test_a_lost_branch_of_a_decision_is_joined_again() -> None:
    choice = node("c", "ifElse", branches=BRANCHES)
    drawn = ["start > c", "c.branch-0 > a", "a > end", "b > end"]
    workflow = whole([START, choice, A, B, END], drawn)
    after = after_patch(check, workflow, "NODE_UNREACHED", "ccwf")
    assert drawing(after)[-1] == "c.branch-1 > b"


def test_where_two_places_could_be_meant_nothing_is_joined() -> None:
    workflow = whole([TRIGGER, IF, FETCH, node("x", "FLOW.SORT")], ["t > if", "if.true > fetch"])
    (problem,) = found(check, workflow)
    assert (problem.code, problem.patch) == ("NODE_UNREACHED", None)


def test_a_node_that_nothing_leads_to_runs_and_is_a_warning() -> None:
    assert told(check, whole([TRIGGER, FETCH, IF], ["t > fetch"])) == [
        ("warning", "NODE_UNREACHED", "/nodes/2")
    ]


def test_nodes_behind_one_that_nothing_leads_to_are_not_told_again() -> None:
    workflow = whole([START, END, A, B], ["start > end", "a > b"])
    assert told(check, workflow) == [("warning", "NODE_UNREACHED", "/nodes/2")]


def test_attached_nodes_need_no_edge() -> None:
    agent = node("agent", "AI_AGENT.OPENAI_CHATGPT", attachedNodes=["tool"])
    tool, memory = node("tool", "TOOL.SLACK_MCP_TOOL"), node("m", "MEMORY.KEY_VALUE_STORE")
    workflow = whole([TRIGGER, agent, tool, memory], ["t > agent", "m.ai_memory > agent"])
    assert told(check, workflow) == []
    assert told(check, whole([TRIGGER, tool])) == [("warning", "NODE_UNREACHED", "/nodes/1")]


def test_groups_and_notes_need_no_edge() -> None:
    notes = [node("g", "group"), node("n", "note")]
    assert told(check, whole([START, END, *notes], ["start > end"])) == []


def test_a_node_of_a_flow_without_any_edge_is_a_warning() -> None:
    nodes = [node("i", "multi_input"), node("t", "template"), node("u", "template")]
    workflow = whole([*nodes, node("r", "result")], ["t > r"])
    assert told(check, workflow, "flow") == [("warning", "NODE_UNREACHED", "/nodes/2")]


def test_a_start_that_an_edge_still_names_is_left_to_that_problem() -> None:
    workflow = whole([A, END], ["start > a", "a > end"])
    (problem,) = found(check, workflow, "ccwf")
    assert (problem.code, problem.patch) == ("START_MISSING", None)


def test_thousands_of_starts_and_nodes_aside_are_told() -> None:
    starts = [node(f"s{at}", "start") for at in range(2_000)]
    aside = [node(f"a{at}") for at in range(2_000)]
    assert len(found(check, whole([*starts, *aside]), "ccwf")) == 1_999 + 2_000 + 1
