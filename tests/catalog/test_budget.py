"""Answers within a token budget: never over it, the most useful first, what is left out named."""

from typing import cast

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.catalog.builders import (
    entries,
    live_catalog,
    live_knowledge,
    our_catalog,
    our_knowledge,
    our_spec,
)
from tests.tools.strategies import steady

from toolweave.catalog.budget import fit_list, fit_lists, fit_nodes, tokens
from toolweave.catalog.knowledge import Knowledge
from toolweave.catalog.serialise import serialise
from toolweave.catalog.tool_definitions import MIN_TOKENS
from toolweave.catalog.tool_service import ToolService
from toolweave.catalog.truncation import Truncatable
from toolweave.json_text import Json, JsonObject

budgets = st.integers(MIN_TOKENS, 10_000) | st.integers(MIN_TOKENS, 300)
names = st.sampled_from([(spec.type, spec.subtype) for spec in live_catalog()])
ours = st.sampled_from([(spec.type, spec.subtype) for spec in our_catalog()])
wrong = st.tuples(st.sampled_from(["FLOW", "TOOL", "flow_node", "?"]), st.text(max_size=200))
asked = st.lists(ours | names | wrong, min_size=1, max_size=25)
FIELDS = ("configurations", "input_params_schema")


def required_of(fields: Json) -> set[str]:
    found = cast("dict[str, JsonObject]", fields)
    return {name for name, field in found.items() if field.get("required")}


@steady(300)
@given(asked, budgets, st.booleans(), st.booleans())
def test_no_answer_about_nodes_is_over_its_budget(
    nodes: list[tuple[str, str]], budget: int, examples: bool, schemas: bool
) -> None:
    answer = live_knowledge().node_details(
        nodes, include_examples=examples, include_schemas=schemas, max_tokens=budget
    )
    assert -(-len(orjson.dumps(answer)) // 4) <= budget
    shown = entries(answer)
    is_short = any("omitted" in node for node in shown) or len(shown) < len(nodes)
    assert ("get_the_rest" in answer) == is_short
    assert answer.get("left_out", 0) == len(nodes) - len(shown)


@steady(300)
@given(ours, budgets)
def test_what_is_required_stays_as_long_as_anything_optional(
    node: tuple[str, str], budget: int
) -> None:
    (whole,) = entries(our_knowledge().node_details([node], max_tokens=100_000))
    (shown,) = entries(our_knowledge().node_details([node], max_tokens=budget))
    for section in FIELDS:
        if set(cast("JsonObject", shown.get(section, {}))) > required_of(whole[section]):
            for other in FIELDS:
                assert required_of(whole[other]) <= set(cast("JsonObject", shown[other]))
    if "omitted" in shown and "examples" in shown:
        assert shown["configurations"] is not None
        assert set(cast("JsonObject", shown["configurations"])) == set(
            cast("JsonObject", whole["configurations"])
        )


@steady(300)
@given(
    st.text(max_size=60) | st.sampled_from(["send a message", "search", "get page", ""]),
    st.sampled_from([None, "TOOL", "flow"]),
    st.sampled_from([None, ("TRIGGER", "GITHUB"), ("triggr", "github"), ("AI_AGENT", "CLAUDE")]),
    st.integers(1, 100),
    budgets,
)
def test_no_answer_of_a_search_is_over_its_budget(
    query: str, only: str | None, after: tuple[str, str] | None, limit: int, budget: int
) -> None:
    answer = live_knowledge().search(
        query, type_filter=only, after=after, limit=limit, max_tokens=budget
    )
    assert tokens(answer) <= budget
    whole = live_knowledge().search(
        query, type_filter=only, after=after, limit=limit, max_tokens=1_000_000
    )
    found, shown = entries(whole, "results"), entries(answer, "results")
    assert answer.get("left_out", 0) == len(found) - len(shown)
    assert [one["subtype"] for one in shown] == [one["subtype"] for one in found][: len(shown)]


@steady(100)
@given(st.sampled_from([None, "TOOL", "FLOW"]), budgets)
def test_no_list_of_types_is_over_its_budget(only: str | None, budget: int) -> None:
    answer, notes = live_knowledge().types_and_notes(only, max_tokens=budget)
    assert tokens(answer) + tokens(notes) <= budget + 1
    whole = live_catalog().types(only)
    assert set(answer) <= set(whole)
    if "left_out" not in notes:
        assert answer == whole
    elif isinstance(left := notes["left_out"], dict):
        for kind, subtypes in whole.items():
            kept = cast("list[str]", answer[kind])
            assert kept == subtypes[: len(kept)]
            assert len(kept) + cast("int", left.get(kind, 0)) == len(subtypes)
    else:
        assert left == sum(map(len, whole.values()))


@pytest.mark.parametrize("budget", [50, 60, 200, 2000])
@pytest.mark.parametrize("count", [1, 150])
def test_a_refusal_is_within_the_budget_too(budget: int, count: int) -> None:
    wrong_nodes: list[Json] = [{"node_type": 1, "subtyp": "x" * 400} for _ in range(count)]
    answer = ToolService(our_knowledge).call(
        "get_node_details", {"nodes": wrong_nodes, "max_tokens": budget}
    )
    assert answer["isError"]
    assert tokens(answer["structuredContent"]) <= budget
    shown = cast("JsonObject", answer["structuredContent"])
    assert len(cast("list[Json]", shown["problems"])) > 0 or "left_out" in shown


def test_by_default_many_nodes_are_kept_within_eight_thousand_tokens() -> None:
    nodes = [(spec.type, spec.subtype) for spec in live_catalog()][:200]
    answer = live_knowledge().node_details(nodes)
    assert 7_000 < tokens(answer) <= 8_000
    assert answer["left_out"] == 200 - len(entries(answer))
    assert "get_node_details with fewer nodes or max_tokens" in str(answer["get_the_rest"])


def test_the_call_that_is_named_gets_the_rest() -> None:
    knowledge = our_knowledge()
    nodes = [("FLOW", "IF"), ("EXTERNAL_ACTION", "GOOGLE_CALENDAR")]
    answer = knowledge.node_details(nodes, max_tokens=900)
    named = int(str(answer["get_the_rest"]).rpartition(" ")[2])
    assert knowledge.node_details(nodes, max_tokens=named) == knowledge.node_details(nodes)
    assert "get_the_rest" not in knowledge.node_details(nodes, max_tokens=named)


def test_what_goes_first_is_what_is_said_twice() -> None:
    body = serialise(our_spec("FLOW.FILTER"))
    node = Truncatable(body)
    for share, gone in (
        (0.95, {"parameters"}),
        (0.6, {"parameters", "default_configurations", "default_input_params"}),
    ):
        short = node.within(int(node.size * share))
        assert gone <= set(cast("JsonObject", short["omitted"]))
        assert set(short) >= set(body) - set(cast("JsonObject", short["omitted"]))


def test_optional_fields_lose_their_description_then_go_and_then_options_are_cut() -> None:
    node = Truncatable(serialise(our_spec("EXTERNAL_ACTION.GITHUB"), include_examples=False))
    seen: list[str] = []
    for room in range(node.size, 0, -40):
        omitted = node.within(room).get("omitted")
        seen += [key for key in omitted if key not in seen] if isinstance(omitted, dict) else []
    assert seen == [
        *("parameters", "default_output_params", "default_input_params"),
        *("default_configurations", "enum_values", "input_ports", "ports", "descriptions"),
        *("configurations", "output_params_schema", "input_params_schema"),
        *("version", "tags", "effect", "options", "guidance"),
    ]


def test_at_last_a_node_is_shown_as_in_a_search_and_then_by_its_name() -> None:
    node = Truncatable(
        serialise(our_spec("HUMAN_IN_THE_LOOP.SLACK_INTERACTION")) | {"warning": "W"}
    )
    name: JsonObject = {"node_type": "HUMAN_IN_THE_LOOP", "subtype": "SLACK_INTERACTION"}
    said: JsonObject = {"warning": "W", "description": node.body["description"]}
    brief: JsonObject = {
        **name,
        **said,
        "required": ["channel", "bot_token", "clarification_question_template"],
        "outputs": ["confirmed", "rejected", "unrelated", "timeout"],
        "omitted": "all else",
    }
    assert node.within(tokens(brief) * 4) == brief
    assert node.within(210) == {**name, **said, "omitted": "all else"}
    assert node.within(0) == {**name, "omitted": "all else"}
    assert node.smallest == len(orjson.dumps(node.within(0)))


def test_every_step_counts_what_it_takes_out() -> None:
    body: JsonObject = {
        "node_type": "FLOW",
        "subtype": "X",
        "description": "d" * 300,
        "parameters": [{"name": "a"}, {"name": "b"}, {"name": "c"}],
        "configurations": {
            "a": {"required": True, "description": "Why.", "options": [str(n) for n in range(30)]},
            "b": {"required": False, "description": "Why."},
        },
        "output_ports": [{"name": "output", "type": "main", "description": "Out."}],
    }
    node = Truncatable(body)
    assert node.within(node.size - 30)["omitted"] == {"parameters": 3, "ports": 1}
    assert node.within(570)["omitted"] == {
        "parameters": 3,
        "ports": 2,
        "descriptions": 1,
        "configurations": 1,
        "options": 27,
    }
    assert node.body == body


def test_room_that_one_node_does_not_need_goes_to_the_others() -> None:
    small, large = Truncatable(_node("A", 10)), Truncatable(_node("B", 4000))
    answer = fit_nodes([small, large], 600, again="ask")
    first, second = entries(answer)
    assert first == small.body
    assert "omitted" in second
    assert tokens(answer) > 450


def _node(subtype: str, fields: int) -> JsonObject:
    configurations: JsonObject = {f"f{n}": {"type": "any"} for n in range(fields // 20)}
    return {"node_type": "FLOW", "subtype": subtype, "configurations": configurations}


def test_results_lose_their_details_before_they_are_left_out() -> None:
    found: list[JsonObject] = [{"name": str(n), "details": "x" * 80} for n in range(10)]
    answer = fit_list(found, 60, key="results", again="ask", details=["details"], frame={"a": 1})
    assert tokens(answer) <= 60
    assert entries(answer, "results")[0] == {"name": "0"}
    assert answer["a"] == 1
    assert fit_list(found, 1000, key="results", again="ask", frame={"a": 1})["a"] == 1


def test_what_frames_an_answer_goes_when_there_is_no_room_for_it() -> None:
    found: list[JsonObject] = [{"name": "x" * 50} for _ in range(10)]
    answer = fit_list(found, 50, key="results", again="ask", frame={"after": "y" * 200})
    assert "after" not in answer
    assert tokens(answer) <= 50


def test_lists_are_cut_evenly_and_at_last_only_counted() -> None:
    lists = {"A": [f"a{n}" for n in range(50)], "B": ["b0", "b1"]}
    cut, left = fit_lists(lists, 40, again="ask")
    assert cut["B"] == ["b0", "b1"]
    assert left["left_out"] == {"A": 50 - len(cast("list[str]", cut["A"]))}
    many = {f"type number {n}": ["x"] for n in range(50)}
    assert fit_lists(many, 50, again="ask") == ({}, {"left_out": 50, "get_the_rest": "ask"})
    assert fit_lists({}, 50, again="ask") == ({}, {})


def test_average_and_worst_node_are_small() -> None:
    sizes = [tokens(serialise(spec)) for spec in our_catalog()]
    assert sum(sizes) / len(sizes) < 2_100
    assert max(sizes) < 4_000
    assert Knowledge(our_catalog()).node_types() == our_catalog().types()


@steady(400)
@given(names, st.integers(MIN_TOKENS, 1_500))
def test_no_optional_field_is_shown_while_a_required_one_is_not(
    node: tuple[str, str], budget: int
) -> None:
    (whole,) = entries(live_knowledge().node_details([node], max_tokens=100_000))
    for shown in entries(live_knowledge().node_details([node], max_tokens=budget)):
        fields = {(at, name) for at in FIELDS for name in cast("JsonObject", shown.get(at, {}))}
        required = {(at, name) for at in FIELDS for name in required_of(whole[at])}
        assert fields >= required or not fields
        if not fields and "required" in shown:
            assert set(cast("list[str]", shown["required"])) == {name for _, name in required}


@pytest.mark.parametrize("ref", ["EXTERNAL_ACTION.GITHUB", "AI_AGENT.OPENAI_CHATGPT"])
def test_even_a_small_budget_has_room_for_the_names_of_what_is_required(ref: str) -> None:
    spec = our_spec(ref)
    wanted = {field.name for field in (*spec.configurations, *spec.inputs) if field.required}
    asked_for = [(spec.type, spec.subtype)]
    for budget in (120, 200, 300, 500):
        (shown,) = entries(our_knowledge().node_details(asked_for, max_tokens=budget))
        fields = {name for at in FIELDS for name in cast("JsonObject", shown.get(at, {}))}
        assert wanted
        assert wanted <= fields | set(cast("list[str]", shown.get("required", [])))
