"""The three questions: what is answered, in which order, and what is refused."""

from typing import cast

import pytest
from tests.catalog.builders import (
    entries,
    live_knowledge,
    our_catalog,
    our_knowledge,
    refs,
)

from toolweave.catalog.index import Catalog
from toolweave.catalog.knowledge import Knowledge
from toolweave.catalog.serialise import serialise
from toolweave.catalog.tool_service import ask
from toolweave.errors import Invalid
from toolweave.json_text import JsonObject, write


@pytest.mark.parametrize("given", ["AI_AGENT", "ai-agent", "AI_AGENT_NODE", "agent"])
def test_one_type_can_be_asked_for_however_it_is_written(given: str) -> None:
    assert our_knowledge().node_types(given) == {
        "AI_AGENT": [
            *("OPENAI_CHATGPT", "ANTHROPIC_CLAUDE", "GOOGLE_GEMINI"),
            *("CLASSIFY", "EXTRACT", "OPENAI_COMPATIBLE"),
        ]
    }


@pytest.mark.parametrize("given", [None, "", "  "])
def test_no_filter_is_all_types(given: str | None) -> None:
    assert our_knowledge().node_types(given) == our_catalog().types()


def test_an_unknown_type_is_an_error_and_never_an_empty_answer() -> None:
    for call in (
        lambda: our_knowledge().node_types("ELEPHANT"),
        lambda: our_knowledge().search("x", type_filter="ELEPHANT"),
    ):
        with pytest.raises(Invalid) as caught:
            call()
        assert caught.value.code == "NODE_TYPE_UNKNOWN"
        assert "HUMAN_IN_THE_LOOP" in str(caught.value.hint)
        assert [problem.pointer for problem in caught.value.problems] == ["/type_filter"]


def test_details_come_in_the_order_they_are_asked_for() -> None:
    asked = [("TRIGGER", "WEBHOOK"), ("FLOW", "IF"), ("TRIGGER", "WEBHOOK")]
    answer = our_knowledge().node_details(asked, max_tokens=100_000)
    assert refs(answer, "nodes") == ["TRIGGER.WEBHOOK", "FLOW.IF", "TRIGGER.WEBHOOK"]
    assert entries(answer)[1] == serialise(next(s for s in our_catalog() if s.ref == "FLOW.IF"))


def test_a_warning_is_given_to_him_who_needs_it_only() -> None:
    knowledge = Knowledge(our_catalog())
    knowledge.node_details([("flow", "if")])
    (exact,) = entries(knowledge.node_details([("FLOW", "IF")]))
    assert "warning" not in exact


def test_no_nodes_give_no_details() -> None:
    assert our_knowledge().node_details([]) == {"nodes": []}


def test_names_from_outside_are_repeated_briefly_and_can_always_be_written() -> None:
    (entry,) = entries(our_knowledge().node_details([("\ud800" * 1000, "x" * 100_000)]))
    assert len(write(entry)) < 1000


def test_an_error_tells_of_nothing_but_what_was_asked() -> None:
    (entry,) = entries(our_knowledge().node_details([("who", "what")]))
    assert entry["error"] == "Node type not found: 'who.what'"


@pytest.mark.requirement("004:future.caching")
def test_a_node_is_serialised_once_and_answers_do_not_depend_on_earlier_ones() -> None:
    knowledge = Knowledge(our_catalog())
    first = knowledge.node_details([("FLOW", "IF")])
    knowledge.search("slack")
    knowledge.node_details([("FLOW", "IF")], max_tokens=50)
    knowledge.node_details([("FLOW", "IF")], include_examples=False)
    again = knowledge.node_details([("FLOW", "IF")])
    assert first == again == Knowledge(our_catalog()).node_details([("FLOW", "IF")])
    assert entries(first)[0] is entries(again)[0]


def test_what_was_asked_for_is_told_to_whoever_counts() -> None:
    heard: list[str] = []
    knowledge = Knowledge(our_catalog(), on_asked=heard.extend)
    knowledge.node_details([("flow", "if"), ("FLOW", "TELEPORT"), ("FLOW", "LOOP")], max_tokens=50)
    knowledge.node_types()
    knowledge.search("cron")
    assert heard == ["FLOW.IF", "FLOW.LOOP"]


def test_a_result_of_a_search_says_what_a_node_needs_and_gives() -> None:
    answer = our_knowledge().search("cron", limit=1)
    assert answer == {
        "results": [
            {
                "node_type": "TRIGGER",
                "subtype": "CRON",
                "description": "Start the workflow on a schedule given as a cron expression.",
                "required": ["cron_expression"],
                "outputs": ["output"],
            }
        ]
    }


def test_a_long_description_is_cut_in_a_search() -> None:
    answer = live_knowledge().search("", type_filter="TOOL", limit=100)
    texts = [str(one["description"]) for one in entries(answer, "results")]
    assert max(map(len, texts)) == 200
    assert any(text.endswith("…") for text in texts)


def test_preparing_changes_no_answer() -> None:
    knowledge = Knowledge(our_catalog())
    knowledge.prepare()
    assert knowledge.search("cron") == our_knowledge().search("cron")


def test_questions_are_asked_with_their_arguments_as_json() -> None:
    knowledge = our_knowledge()
    assert ask(knowledge, "get_node_types", {}) == knowledge.node_types()
    assert ask(knowledge, "get_node_types", {"type_filter": "FLOW", "max_tokens": 500}) == {
        "FLOW": our_catalog().types()["FLOW"]
    }
    node: JsonObject = {"node_type": "FLOW", "subtype": "IF"}
    assert ask(knowledge, "get_node_details", {"nodes": [node]}) == knowledge.node_details(
        [("FLOW", "IF")]
    )
    assert ask(
        knowledge,
        "get_node_details",
        {"nodes": [node], "include_examples": False, "include_schemas": False, "max_tokens": 99},
    ) == knowledge.node_details(
        [("FLOW", "IF")], include_examples=False, include_schemas=False, max_tokens=99
    )
    assert ask(knowledge, "search_nodes", {"query": "cron"}) == knowledge.search("cron")
    assert ask(
        knowledge,
        "search_nodes",
        {"query": "", "type_filter": "FLOW", "tag": "flow", "after": node, "limit": 2},
    ) == knowledge.search("", type_filter="FLOW", tag="flow", after=("FLOW", "IF"), limit=2)


def test_a_question_nobody_knows_is_a_fault_of_ours() -> None:
    with pytest.raises(AssertionError, match="no query"):
        ask(our_knowledge(), "get_elephants", {})


def test_an_empty_catalog_answers_too() -> None:
    knowledge = Knowledge(Catalog([]))
    assert knowledge.node_types() == {}
    assert knowledge.search("cron") == {"results": []}


def test_a_found_node_names_each_required_field_once() -> None:
    answer = our_knowledge().search("gemini", limit=5, max_tokens=5_000)
    results = cast("list[dict[str, list[str]]]", answer["results"])
    assert any("user_prompt" in one["required"] for one in results)
    assert all(len(one["required"]) == len(set(one["required"])) for one in results)
