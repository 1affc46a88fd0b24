"""Words of other systems for the operations of a memory and for the operators of a filter."""

from typing import Any

import pytest
from tests.workflow.corpus.bases import Document, edge, node, whole, world

from toolweave import json_text
from toolweave.workflow.modes import object_at
from toolweave.workflow.report import Report, examine


def _report(ref: str, settings: Document, inputs: Document) -> Report:
    nodes = [
        node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"}),
        node("act", ref, configurations=settings, inputParams=inputs),
    ]
    return examine(json_text.write(whole("w", nodes, [edge("go", "act")])), world("alone"))


@pytest.mark.parametrize(
    ("ref", "written", "meant"),
    [
        ("MEMORY.VECTOR_DATABASE", "add_documents", "store"),
        ("MEMORY.VECTOR_DATABASE", "save_vectors", "store"),
        ("MEMORY.VECTOR_DATABASE", "delete_records", "delete"),
        ("MEMORY.DOCUMENT_STORE", "insert_document", "store"),
        ("MEMORY.DOCUMENT_STORE", "find_documents", "search"),
        ("MEMORY.KNOWLEDGE_BASE", "ingest_documents", "add"),
        ("MEMORY.KEY_VALUE_STORE", "put_item", "set"),
        ("MEMORY.KEY_VALUE_STORE", "fetch_item", "get"),
        ("MEMORY.ENTITY", "add_facts", "set"),
        ("MEMORY.ENTITY", "add_observations", "note"),
    ],
)
def test_an_operation_with_what_a_memory_keeps_is_the_operation(
    ref: str, written: str, meant: str
) -> None:
    report = _report(ref, {}, {"operation": written})
    (problem,) = (one for one in report.problems if one.code == "FIELD_OPTION_INVALID")
    # The other fields of the operation are missing here, so that the patch alone is withheld.
    assert (problem.hint or "").startswith(f"did you mean {meant!r}?")


@pytest.mark.parametrize(
    ("ref", "written"),
    [
        ("MEMORY.ENTITY", "add"),
        ("MEMORY.KEY_VALUE_STORE", "increment_item"),
        ("MEMORY.VECTOR_DATABASE", "count_documents"),
        ("MEMORY.DOCUMENT_STORE", "share_document"),
        ("MEMORY.KNOWLEDGE_BASE", "documents"),
    ],
)
def test_an_operation_that_a_memory_does_not_have_is_not_guessed(ref: str, written: str) -> None:
    report = _report(ref, {}, {"operation": written})
    (problem,) = (one for one in report.problems if one.code == "FIELD_OPTION_INVALID")
    assert "did you mean" not in (problem.hint or "")


def _condition(given: Document) -> Any:
    settings = {"filter_type": "simple_condition", "conditions": [{"field": "a", **given}]}
    report = _report("FLOW.FILTER", settings, {"data": [{"a": 1}]})
    found: Any = object_at(report.fixed.workflow.nodes[1].data, "configurations")["conditions"]
    return found[0]


@pytest.mark.parametrize(
    "written", ["is_not_null", "notNull", "isSet", "is_defined", "is_present", "has_value"]
)
def test_an_operator_for_a_value_that_is_there_is_exists(written: str) -> None:
    assert _condition({"operator": written}) == {"field": "a", "operator": "exists"}


@pytest.mark.parametrize("written", ["is_null", "isNull", "missing", "does_not_exist", "not_set"])
def test_an_operator_for_a_value_that_is_missing_is_exists_with_false(written: str) -> None:
    right = {"field": "a", "operator": "exists", "value": False}
    assert _condition({"operator": written}) == right


@pytest.mark.parametrize(
    "given", [{"operator": "is_not_null", "value": 5}, {"operator": "is_empty"}]
)
def test_an_operator_that_may_ask_something_else_is_not_guessed(given: Document) -> None:
    assert _condition(given) == {"field": "a", **given}
