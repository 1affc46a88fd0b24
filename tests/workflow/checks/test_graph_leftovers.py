"""Edges and starts that are left over: tools by edge and idle starts."""

from typing import Any

import pytest
from tests.workflow.corpus.bases import Document, edge, node, whole, world

from toolweave import json_text
from toolweave.workflow.report import Report, examine


def _report(document: Document) -> Report:
    return examine(json_text.write(document), world("alone"))


def _agent(**data: Any) -> Document:
    settings = {"system_prompt": "Be brief."}
    prompt = {"user_prompt": "{{ trigger.question }}"}
    return node(
        "ask", "AI_AGENT.ANTHROPIC_CLAUDE", configurations=settings, inputParams=prompt, **data
    )


GO = node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"})
MEMORY = node("talk", "MEMORY.CONVERSATION_BUFFER", configurations={})
STORE = node("facts", "MEMORY.KEY_VALUE_STORE", configurations={})
WAIT = node("wait", "FLOW.DELAY", configurations={"duration_seconds": 1})


@pytest.mark.parametrize(
    "edges",
    [
        [edge("talk", "ask"), edge("facts", "ask")],
        [edge("ask", "talk", "memory"), edge("ask", "facts", "memory")],
    ],
)
def test_what_an_edge_connects_to_an_agent_is_attached(edges: list[Document]) -> None:
    document = whole("tools", [GO, _agent(), MEMORY, STORE], [edge("go", "ask"), *edges])

    report = _report(document)

    assert report.fixed.workflow.nodes[1].data["attachedNodes"] == ["talk", "facts"]
    assert [one.target for one in report.fixed.workflow.edges] == ["ask"]
    assert _report(
        whole("t", [GO, _agent(attachedNodes=["talk"]), MEMORY], [edge("go", "ask")])
    ).is_valid


@pytest.mark.parametrize(
    "edges",
    [
        [edge("go", "ask"), edge("go", "talk"), edge("talk", "ask")],  # a step
        [edge("go", "ask"), edge("talk", "ask"), edge("talk", "wait")],  # also for another node
        [edge("talk", "ask")],  # nothing else leads to the agent
        [edge("go", "ask"), edge("ask", "talk")],  # the step after the agent
    ],
)
def test_a_step_that_leads_to_an_agent_is_not_attached(edges: list[Document]) -> None:
    document = whole("tools", [GO, _agent(), MEMORY, WAIT], edges)

    nodes = _report(document).fixed.workflow.nodes
    assert not any("attachedNodes" in one.data for one in nodes)


def test_a_memory_that_is_read_is_not_attached() -> None:
    read = node("wait", "FLOW.DELAY", configurations={"duration_seconds": "{{ talk.count }}"})
    edges = [edge("go", "ask"), edge("talk", "ask"), edge("ask", "wait")]
    nodes = _report(whole("tools", [GO, _agent(), MEMORY, read], edges)).fixed.workflow.nodes

    assert not any("attachedNodes" in one.data for one in nodes)


def test_a_start_that_leads_nowhere_is_reported() -> None:
    other = node("other", "TRIGGER.MANUAL", configurations={"trigger_name": "Other"})
    nodes = [GO, WAIT, other]
    both = _report(whole("starts", nodes, [edge("go", "wait"), edge("other", "wait")]))
    one = _report(whole("starts", nodes, [edge("go", "wait")]))

    assert "START_TWICE" not in {found.code for found in both.problems}
    assert "START_TWICE" in {found.code for found in one.problems}
