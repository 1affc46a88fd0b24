"""Which node a wrong name means: by its words where the settings agree, and never against them."""

import pytest
from tests.catalog.builders import our_catalog
from tests.workflow.checks.test_fixes_by_meaning import of_code, patches, report, step

from toolweave.json_text import JsonObject
from toolweave.workflow.checks.node_names import meant_node
from toolweave.workflow.model import Node, NodeId

CRON: JsonObject = {"cron_expression": "0 9 * * 1"}
CLAUDE: JsonObject = {"model": "claude-sonnet-4-5-20250929", "system_prompt": "Be brief."}
GPT: JsonObject = {"model": "gpt-5-mini", "system_prompt": "Be brief."}
MERGE: JsonObject = {"merge_strategy": "concatenate", "handle_duplicates": "keep_all"}


@pytest.mark.parametrize(
    ("kind", "name", "settings", "meant"),
    [
        ("TRIGGER", "SCHEDULE", CRON, "CRON"),
        ("TRIGGER", "SCHEDULE", {}, None),
        ("TRIGGER", "SCHEDULE", {"webhook_path": "/a"}, None),
        ("FLOW", "CONDITION", {"condition_expression": "data.a > 1"}, "IF"),
        ("AI_AGENT", "CLASSIFIER", {"labels": ["a", "b"]}, "CLASSIFY"),
        ("ACTION", "SQL_QUERY", {"database": "a.db", "query": "SELECT 1"}, "DATABASE_QUERY"),
        ("FLOW", "PARALLEL", MERGE, None),
        ("AI_AGENT", "MISTRAL", CLAUDE, None),
        ("AI_AGENT", "OPENAI", GPT, "OPENAI_CHATGPT"),
        ("AI_AGENT", "OPENAI", CLAUDE, None),
        # A word that several nodes of the type have.
        ("HUMAN_IN_THE_LOOP", "APPROVAL", {"review_title": "Check", "reviewers": ["a"]}, None),
        ("n8n-nodes-base.code", "SET_FIELDS", {"set": {"a": 1}}, None),
        # What other systems call a node, where the settings are not those of another.
        ("TRIGGER", "ERROR_TRIGGER", {}, "WORKFLOW_FAILED"),
        ("TRIGGER", "errorTrigger", {}, "WORKFLOW_FAILED"),
        ("TRIGGER", "FILESYSTEM", {"paths": ["a"]}, "FILE_WATCH"),
        ("TRIGGER", "IMAP", {}, "EMAIL"),
        ("FLOW", "ROUTER", {}, "SWITCH"),
        ("FLOW", "JOIN", {"merge_strategy": "union"}, "MERGE"),
        ("MEMORY", "VECTOR_STORE", {}, "VECTOR_DATABASE"),
        ("MEMORY", "CHAT_HISTORY", {}, "CONVERSATION_BUFFER"),
        ("HUMAN_IN_THE_LOOP", "HUMAN_REVIEW", {"reviewers": ["a"]}, "MANUAL_REVIEW"),
        ("n8n-nodes-base.emailReadImap", "EMAIL", {}, "EMAIL"),
        ("FLOW", "ROUTER", {"sort_field": "a", "order": "asc"}, None),
        ("FLOW", "PARALLEL", {}, None),
        ("MEMORY", "REDIS", {}, None),
        ("n8n-nodes-base.setFields", "SET_FIELDS", {"set": {"a": 1}}, "SET_FIELDS"),
    ],
)
def test_a_related_name_is_taken_only_with_the_settings_of_its_node(
    kind: str, name: str, settings: JsonObject, meant: str | None
) -> None:
    node = Node(NodeId("a"), kind, "a", data={"subtype": name, "configurations": settings})
    found = meant_node(our_catalog(), node)
    assert (found and found.subtype) == meant


def test_the_configurations_of_a_node_without_subtype_stay_its_configurations() -> None:
    document = {"sort_field": "a", "order": "desc"}
    found = report(step("FLOW", "SORT", configurations=document))
    assert of_code(found, "NODE_UNKNOWN") == []
    joined = report(step("SORT", None, configurations=document))
    (problem,) = of_code(joined, "NODE_UNKNOWN")
    assert problem.patch is not None
    fixed = joined.fixed.workflow.nodes[1]
    assert (fixed.ref, fixed.data["configurations"]) == ("FLOW.SORT", document)


@pytest.mark.parametrize(
    ("value", "fixed"),
    [
        ("{{ rows.filtered_data > 1 }}", None),
        ({"data": "{{ go.rows }}"}, "{{ go.rows }}"),
        ({"other": "{{ go.rows }}"}, None),
    ],
)
def test_an_object_around_a_template_is_not_put_into_a_list(value: object, fixed: object) -> None:
    settings = {"filter_type": "simple_condition", "filter_mode": "include"}
    conditions = [{"field": "a", "operator": "equals", "value": 1}]
    given = {"configurations": {**settings, "conditions": conditions}, "inputParams": {}}
    right = report(step("FLOW", "FILTER", **given | {"inputParams": {"data": "{{ go.rows }}"}}))
    assert of_code(right, "FIELD_TYPE_INVALID") == []
    wrong = report(step("FLOW", "FILTER", **given | {"inputParams": {"data": value}}))
    found = [one for one in patches(wrong, "FIELD_TYPE_INVALID") if one]
    assert [one["value"] for one in found if isinstance(one, dict)] == ([fixed] if fixed else [])
