"""Values, paths and expressions in shapes that authors bring from other systems."""

from typing import Any

import pytest
from tests.workflow.checks.test_one_answer import (
    CONFIG,
    MESSAGE,
    _after_start,  # pyright: ignore[reportPrivateUsage]  the same documents
    _fixed,  # pyright: ignore[reportPrivateUsage]
    _mcp,  # pyright: ignore[reportPrivateUsage]
    _problems,  # pyright: ignore[reportPrivateUsage]
    _slack,  # pyright: ignore[reportPrivateUsage]
    _text,  # pyright: ignore[reportPrivateUsage]
)
from tests.workflow.corpus.bases import Document

from toolweave.tools.conversions import conversions

INPUTS = "/nodes/1/data/inputParams"
ITEMS: Document = {"data": "{{ trigger.rows }}"}
FIELDS = {"name": "string", "size": "integer"}
SCHEMA = {"type": "object", "properties": {name: {"type": one} for name, one in FIELDS.items()}}
QUERY: Document = {"database": "a.db", "query": "SELECT name FROM people WHERE day = :today"}


def _set(expression: str) -> Document:
    settings = {"expressions": {"x": expression}}
    return _after_start("ACTION.SET_FIELDS", {"configurations": settings, "inputParams": ITEMS})


def _node(kind: str, inputs: Document, **settings: Any) -> Document:
    return _after_start(kind, {"configurations": settings, "inputParams": inputs})


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ("stars * 20 + size(tags)", "item.stars * 20 + size(item.tags)"),
        ("{{ item.total * 1.19 }}", "item.total * 1.19"),
        ("={{ item.total * 1.19 }}", "item.total * 1.19"),
        (
            "{{ item.name }} ({{ item.size }})",
            "string(item.name) + ' (' + string(item.size) + ')'",
        ),
        ("item.name .. '!'", "item.name + '!'"),
    ],
)
def test_an_expression_over_an_item_reads_the_item(given: str, right: str) -> None:
    assert _fixed(_set(given), f"{CONFIG}/expressions/x") == right


@pytest.mark.parametrize("given", ["hello", "kind == bug", "type(name) == str"])
def test_a_word_that_may_be_a_text_is_no_field(given: str) -> None:
    before = f"{CONFIG}/expressions/x"
    assert "item." not in str(_fixed(_set(given), before))
    assert _fixed(_set("stars * 2"), before) == "item.stars * 2"  # the control


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ("in_array('Rome', [trigger.city])", "'Rome' in [trigger.city]"),
        ("trigger.city ILIKE '%ome'", "trigger.city.lowerAscii().endsWith('ome')"),
        ("trigger.count >= 1 and <= 5", "trigger.count >= 1 && trigger.count <= 5"),
        ("trigger.count > 5,000", "trigger.count > 5000"),
    ],
)
def test_a_comparison_of_other_languages_is_translated(given: str, right: str) -> None:
    document = _after_start("FLOW.IF", {"condition_expression": given})
    assert _fixed(document, f"{CONFIG}/condition_expression") == right


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ({"answers": "COUNT(*)", "sure": "AVG(score)"}, {"answers": "count", "sure": "avg(score)"}),
        ({"sure": "avg:score"}, {"sure": "avg(score)"}),
        ({"sure": {"avg": "score"}}, {"sure": "avg(score)"}),
    ],
)
def test_an_aggregation_is_written_as_a_call(given: Document, right: Document) -> None:
    document = _node(
        "ACTION.DATA_TRANSFORMATION", ITEMS, operation="aggregate", aggregation_functions=given
    )
    assert _fixed(document, f"{CONFIG}/aggregation_functions") == right


@pytest.mark.parametrize("given", [SCHEMA, {"properties": SCHEMA["properties"]}])
def test_a_schema_is_no_list_of_fields(given: Document) -> None:
    document = _node("AI_AGENT.EXTRACT", {"text": "a"}, fields=given)
    assert _fixed(document, f"{CONFIG}/fields") == FIELDS
    own = _node("AI_AGENT.EXTRACT", {"text": "a"}, fields={"type": "string", "size": "integer"})
    assert _fixed(own, f"{CONFIG}/fields") == {"type": "string", "size": "integer"}


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ({"name": "price", "kind": "x"}, {"data": {"name": "price", "kind": "x"}}),
        ({"payload": {"a": 1}}, {"data": {"a": 1}}),
        ({"dta": {"a": 1}}, {"data": {"a": 1}}),
    ],
)
def test_inputs_of_a_called_workflow_are_members_of_data(given: Document, right: Document) -> None:
    assert _fixed(_node("FLOW.SUBWORKFLOW", given, workflow="other"), INPUTS) == right


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ([{"name": "today", "value": "x"}], {"today": "x"}),
        (["x"], {"today": "x"}),
        (["x", "y"], ["x", "y"]),
        ([{"name": "other", "value": "x"}], [{"name": "other", "value": "x"}]),
    ],
)
def test_values_of_a_query_get_the_names_it_asks_for(given: list[Any], right: Any) -> None:
    document = _node("ACTION.DATABASE_QUERY", {"parameters": given}, **QUERY)
    assert _fixed(document, f"{INPUTS}/parameters") == right


@pytest.mark.parametrize("token", ["vault://slack-bot", "vault:slack-bot", "${vault.slack-bot}"])
def test_the_vault_in_another_spelling_is_read(token: str) -> None:
    assert _fixed(_slack(token), f"{CONFIG}/bot_token") == "${vault:slack-bot}"


def test_values_of_a_tool_beside_their_place_are_moved_together() -> None:
    document = _mcp(toolName="greet")
    data: Document = document["nodes"][1]["data"]
    del data["parameterValues"]
    data |= {"name": "{{ trigger.city }}", "language": "fr"}
    moved = _fixed(document, "/nodes/1/data/parameterValues")
    assert moved == {"name": "{{ trigger.city }}", "language": "fr"}


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ("{{ trigger.count }}, {{ trigger.count }}", ["{{ trigger.count }}"] * 2),
        ("[1, 2]", [1, 2]),
    ],
)
def test_several_numbers_in_a_text_are_a_list(given: str, right: list[Any]) -> None:
    document = _mcp(toolName="summarize_numbers", parameterValues={"numbers": given})
    assert _fixed(document, "/nodes/1/data/parameterValues/numbers") == right


def test_the_only_node_before_has_other_names() -> None:
    document = _text("{{ previous.content }}")
    assert all(one.patch is None for one in _problems(document).values())
    right = _text("{{ previous.city }}")
    assert _fixed(right, MESSAGE) == "{{ go.city }}"


@pytest.mark.parametrize(
    ("given", "right"),
    [("$.rows", "data.rows"), ("$.rows[*]", "data.rows"), ("$..rows", "$..rows")],
)
def test_the_path_of_a_loop_may_be_a_json_path(given: str, right: str) -> None:
    inputs: Document = {"data": "{{ trigger }}"}
    document = _node("FLOW.LOOP", inputs, loop_type="for_each", array_path=given)
    schema = {"type": "object", "properties": {"rows": {"type": "array"}}, "required": ["rows"]}
    assert _fixed({**document, "inputSchema": schema}, f"{CONFIG}/array_path") == right


@pytest.mark.parametrize("kind", ["HTTP.REQUEST", "http.request", "N8N.HTTP_REQUEST"])
def test_a_name_in_two_fields_is_one_name(kind: str) -> None:
    node = _after_start(kind, {"method": "GET", "url": "https://api.example.com/items"})
    assert _fixed(node, "/nodes/1/type") == "ACTION"
    assert _fixed(node, "/nodes/1/data/subtype") == "HTTP_REQUEST"


def test_an_empty_list_in_an_object_stays_an_empty_list() -> None:
    assert list(conversions({"items": []}, ["array"], "rows")) == [[]]
    assert list(conversions({"rows": [{"a": 1}]}, ["array"], "rows")) == [[{"a": 1}]]


def test_placeholders_far_apart_are_no_list() -> None:
    text = "{{ trigger.count }}" + "\n" * 50 + "and {{ trigger.count }}"
    problems = _problems(_mcp(toolName="summarize_numbers", parameterValues={"numbers": text}))
    assert any(one.code == "VALUE_TYPE_MISFIT" for one in problems.values())
    assert all(one.patch is None for one in problems.values())
