"""A patch is offered only where there is one answer; each case has a control that is fixed."""

from typing import Any

import pytest
from tests.workflow.corpus.bases import Document, edge, node, whole, world

from toolweave import json_text
from toolweave.json_text import JsonObject
from toolweave.problems import Problem
from toolweave.tools.check import check_value
from toolweave.tools.schema import compile_schema
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.modes import object_at
from toolweave.workflow.report import Report, examine


def _report(document: Document, known: KnownEnvironment | None = None) -> Report:
    return examine(json_text.write(document), known or world("alone"))


def _one(report: Report, code: str) -> Problem:
    (found,) = (problem for problem in report.problems if problem.code == code)
    return found


def _request(**settings: Any) -> Document:
    return {"method": "GET", "url": "https://api.example.com/items", **settings}


def _with_port(port: str) -> Document:
    nodes = [
        node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"}),
        node("get", "ACTION.HTTP_REQUEST", configurations=_request()),
        node("wait", "FLOW.DELAY", configurations={"duration_seconds": 1}),
    ]
    return whole("ports", nodes, [edge("go", "get"), edge("get", "wait", port)])


@pytest.mark.parametrize(
    "port",
    ["on_error", "onError", "failure", "failed", "catch", "exception", "eror", "error_output"],
)
def test_a_port_named_after_an_error_becomes_the_error_port(port: str) -> None:
    problem = _one(_report(_with_port(port)), "EDGE_PORT_UNKNOWN")

    assert problem.patch is not None
    assert [one["value"] for one in problem.patch] == ["error"]


@pytest.mark.parametrize(
    ("port", "meant"), [("main", "output"), ("success", "output"), ("outptu", "output")]
)
def test_a_port_named_after_the_result_becomes_the_output(port: str, meant: str) -> None:
    problem = _one(_report(_with_port(port)), "EDGE_PORT_UNKNOWN")

    assert problem.patch is not None
    assert [one["value"] for one in problem.patch] == [meant]


@pytest.mark.parametrize("port", ["false", "rejected", "timeout", "branch-1", "retry", "empty"])
def test_a_port_of_another_meaning_is_not_guessed(port: str) -> None:
    problem = _one(_report(_with_port(port)), "EDGE_PORT_UNKNOWN")

    assert (problem.severity, problem.patch) == ("error", None)
    assert "output, error" in problem.message


@pytest.mark.parametrize(
    "text",
    [
        *("bug or urgent, now", "bug\nurgent", "data.labels", "data.items[0]", "$.labels"),
        *("$json.labels", "${labels}", "=labels", "nodes['a'].labels", "labels.split(',')"),
    ],
)
def test_a_text_that_is_no_single_item_is_not_wrapped_in_a_list(text: str) -> None:
    nodes = [
        node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"}),
        node("find", "TRIGGER.GITHUB", configurations={}),
    ]
    nodes[1]["data"]["configurations"] = {
        "repository": "me/app",
        "events": ["push"],
        "branches": text,
    }
    report = _report(whole("lists", nodes[1:], []))

    problem = _one(report, "FIELD_TYPE_INVALID")
    assert problem.patch is None


def test_a_single_word_is_wrapped_in_a_list() -> None:
    settings = {"repository": "me/app", "events": ["push"], "branches": "main"}
    report = _report(whole("lists", [node("on", "TRIGGER.GITHUB", configurations=settings)], []))

    problem = _one(report, "FIELD_TYPE_INVALID")
    assert problem.patch is not None
    assert problem.patch[0]["value"] == ["main"]


def _asking(**inputs: Any) -> Document:
    """A model that is asked with what a declared input of the run brings."""
    declared = {"user_prompts": {"type": "string"}, "title": {"type": "string"}}
    nodes = [
        node("go", "start"),
        node("ask", "AI_AGENT.EXTRACT", configurations={"fields": ["a"]}, inputParams=inputs),
    ]
    schema = {"type": "object", "properties": declared, "additionalProperties": False}
    return {**whole("ask", nodes, [edge("go", "ask")]), "inputSchema": schema}


def test_a_missing_input_is_not_filled_beside_a_key_that_may_be_meant() -> None:
    """`contents` is the misspelt input, so no reference is put beside it."""
    report = _report(_asking(contents="{{ data.title }}"))

    patches = [one.patch for one in report.problems if one.patch]
    assert not [one for one in patches if one[0]["op"] == "add"]


def test_a_default_is_not_added_beside_a_key_that_may_be_meant() -> None:
    fields: JsonObject = {"kind": {"const": "issue"}, "title": {"type": "string"}}
    schema: JsonObject = {"type": "object", "properties": fields, "required": ["kind"]}
    compiled = compile_schema({**schema, "additionalProperties": False})

    missing, _ = check_value(compiled, {"category": "bug"})
    (control,) = check_value(compiled, {"title": "A"})

    assert (missing.code, missing.patch) == ("MCP_PARAMETER_REQUIRED", None)
    assert control.patch == ({"op": "add", "path": "/kind", "value": "issue"},)


def _agent(*attached: str) -> Document:
    settings = {"model": "claude-sonnet-4-5-20250929"}
    agent = node("agent", "AI_AGENT.ANTHROPIC_CLAUDE", configurations=settings)
    agent["data"] |= {"inputParams": {"user_prompt": "Hi"}, "attachedNodes": [*attached]}
    memory = node("notes", "MEMORY.ENTITY", configurations={"memory_name": "people"})
    return whole("agent", [node("go", "start"), agent, memory], [edge("go", "agent")])


def test_an_attached_node_with_a_wrong_id_stays_attached() -> None:
    problem = _one(_report(_agent("people-memory")), "ATTACHED_UNKNOWN")

    assert problem.patch is None
    assert problem.hint == "use one of 'notes', or remove it"
    control = _one(_report(_agent("note")), "ATTACHED_UNKNOWN")
    assert control.patch is not None
    assert control.patch[0]["value"] == "notes"


@pytest.mark.parametrize(
    ("action", "meant"), [("delete", None), ("remove", None), ("invite", "create_invite")]
)
def test_a_verb_that_destroys_is_not_completed(action: str, meant: str | None) -> None:
    settings = {"action_type": action, "server_id": "81384788765712384"}
    given = node("act", "EXTERNAL_ACTION.DISCORD_ACTION", configurations=settings)
    start = node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"})
    report = _report(whole("acts", [start, given], [edge("go", "act")]))
    problem = _one(report, "FIELD_OPTION_INVALID")

    assert [one["value"] for one in problem.patch or ()] == ([meant] if meant else [])


@pytest.mark.parametrize(
    ("tool", "values", "is_fixed"),
    [
        # In the second, a required value is missing as well.
        ("weather", {"city": "Oslo", "verbose": True}, True),
        ("recall", {"city": "Oslo", "verbose": True}, False),
    ],
)
def test_a_value_is_not_removed_where_another_tool_may_be_meant(
    tool: str, values: JsonObject, is_fixed: bool
) -> None:
    data = {"serverId": "demo", "toolName": tool, "mode": "detailed", "parameterValues": values}
    nodes = [node("start", "start"), node("call", "mcp", **data), node("end", "end")]
    report = _report(
        whole("calls", nodes, [edge("start", "call"), edge("call", "end")]), world("pinned")
    )
    unknown = [one for one in report.problems if one.pointer.endswith("/verbose")]

    assert [one.code for one in unknown] == ["MCP_PARAMETER_UNKNOWN"]
    assert (unknown[0].patch is not None) == is_fixed


@pytest.mark.parametrize("is_broken", [False, True])
def test_an_end_is_not_connected_past_an_edge_to_an_annotation(is_broken: bool) -> None:
    prompts = [node(name, "prompt", prompt="Hi") for name in ("one", "two")]
    nodes = [node("start", "start"), *prompts, node("frame", "group", "Frame"), node("end", "end")]
    edges = [edge("start", "one"), edge("start", "two")]
    edges += [edge("one", "frame")] if is_broken else []
    problem = _one(_report(whole("framed", nodes, edges)), "END_UNREACHED")

    assert (problem.patch is None) == is_broken


@pytest.mark.parametrize("key", ["iteration_variable", "as"])
def test_a_reference_waits_for_the_fix_that_gives_its_name_a_meaning(key: str) -> None:
    loop = {"array_path": "data.rows", key: "city"}
    line = {"expressions": {"line": "city + '!'"}}
    nodes = [
        node("start", "start"),
        node("each", "FLOW.FOR_EACH", configurations=loop, inputParams={"data": "{{ trigger }}"}),
        node("keep", "ACTION.SET_FIELDS", configurations=line, inputParams={"data": {"city": "a"}}),
        node("end", "end"),
    ]
    edges = [edge("start", "each"), edge("each", "keep", "loop"), edge("each", "end", "done")]
    report = _report(whole("loops", nodes, edges))
    references = [one for one in report.problems if one.code == "REFERENCE_NAME_UNKNOWN"]

    assert [one.patch for one in references] == [None] * len(references)
    assert bool(references) == (key == "as")
    fixed = report.fixed.workflow.nodes
    assert object_at(fixed[1].data, "configurations")["iteration_variable"] == "city"
    assert object_at(fixed[2].data, "configurations") == line


@pytest.mark.parametrize("subtype", ["MCP:demo/", "MCP:/weather", "MCP:demo", "MCP:"])
def test_a_tool_without_its_server_or_name_is_an_error_wherever_it_is_checked(subtype: str) -> None:
    nodes = [
        node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"}),
        node("call", f"TOOL.{subtype}"),
    ]
    for home in ("alone", "pinned"):
        problem = _one(
            _report(whole("calls", nodes, [edge("go", "call")]), world(home)), "NODE_UNKNOWN"
        )
        assert (problem.severity, problem.patch) == ("error", None)


@pytest.mark.parametrize(
    ("field", "is_fixed"), [("indx", True), ("counter", False), ("iteration", False)]
)
def test_a_number_of_a_loop_under_another_name_is_not_guessed(field: str, is_fixed: bool) -> None:
    line = {"set": {"number": f"{{{{ loop.{field} }}}}"}}
    nodes = [
        node("start", "start"),
        node("each", "FLOW.FOR_EACH", inputParams={"data": [1, 2]}),
        node("keep", "ACTION.SET_FIELDS", configurations=line, inputParams={"data": {}}),
        node("end", "end"),
    ]
    edges = [edge("start", "each"), edge("each", "keep", "loop"), edge("each", "end", "done")]
    problem = _one(_report(whole("counts", nodes, edges)), "REFERENCE_FIELD_UNKNOWN")
    assert (problem.patch is not None) == is_fixed


@pytest.mark.parametrize("enabled", [True, False])
def test_a_field_of_a_disabled_node_is_not_guessed(enabled: bool) -> None:
    get = _request(enabled=enabled)
    condition = {"condition_expression": "get.content != ''"}
    nodes = [
        node("go", "TRIGGER.WEBHOOK", configurations={"webhook_path": "/a"}),
        node("get", "ACTION.HTTP_REQUEST", configurations=get),
        node("if", "FLOW.IF", configurations=condition, inputParams={"data": {}}),
    ]
    report = _report(whole("off", nodes, [edge("go", "get"), edge("get", "if")]))
    problem = _one(report, "REFERENCE_FIELD_UNKNOWN")
    assert (problem.patch is not None) == enabled


@pytest.mark.parametrize(
    ("event", "is_fixed"), [("pull_requests", True), ("pull_request.opened", False)]
)
def test_a_value_that_means_less_than_an_option_is_not_guessed(event: str, is_fixed: bool) -> None:
    settings = {"repository": "acme/site", "events": [event]}
    report = _report(whole("events", [node("go", "TRIGGER.GITHUB", configurations=settings)], []))
    problem = _one(report, "FIELD_OPTION_INVALID")
    assert (problem.patch is not None) == is_fixed
