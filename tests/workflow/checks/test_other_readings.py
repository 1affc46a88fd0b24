"""A fix that another value, node or place contradicts is not offered; without it, it is."""

import json
from itertools import pairwise
from typing import Any

import pytest
from tests.catalog.builders import our_catalog
from tests.workflow.checks.test_fixes_by_meaning import report, step
from tests.workflow.corpus.bases import NOW, Document, edge, node, whole

from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.report import Report, examine


def _fixes(kind: str, settings: dict[str, Any], inputs: dict[str, Any]) -> list[Any]:
    type_, _, subtype = kind.partition(".")
    found = report(step(type_, subtype, configurations=settings, inputParams=inputs))
    return [one.patch for one in found.problems if one.patch and one.pointer.startswith("/nodes/1")]


@pytest.mark.parametrize(
    ("kind", "settings", "two", "one"),
    [
        # Two options in one value.
        ("ACTION.HTTP_REQUEST", {"url": "https://a.b"}, {"method": "GET|PUT"}, {"method": "get"}),
        ("FLOW.FILTER", {}, {"logical_operator": "OR_NOT"}, {"logical_operator": "or"}),
        # Another form of a page, and the only one.
        (
            "ACTION.HTTP_REQUEST",
            {"url": "https://a.b", "method": "POST"},
            {"body_type": "multipart/form-data"},
            {"body_type": "application/x-www-form-urlencoded"},
        ),
        # Two words, and a sentence.
        (
            "HUMAN_IN_THE_LOOP.MANUAL_REVIEW",
            {},
            {"reviewers": "mod-1 mod-2"},
            {"reviewers": "mod-1"},
        ),
        # An option of another setting.
        (
            "HUMAN_IN_THE_LOOP.MANUAL_REVIEW",
            {},
            {"reviewers": "pass_fail"},
            {"reviewers": "ada"},
        ),
        # Two numbers, and one with groups of digits.
        ("FLOW.DELAY", {}, {"duration_seconds": "120 121"}, {"duration_seconds": "1 200"}),
        # A text that says something is kept.
        (
            "FLOW.SORT",
            {"sort_field": "a"},
            {"since": "2026-01-01"},
            {"colour": False},
        ),
    ],
)
def test_a_value_with_another_reading_gets_no_patch(
    kind: str, settings: dict[str, Any], two: dict[str, Any], one: dict[str, Any]
) -> None:
    inputs = {"data": "{{ trigger.rows }}"} if kind.startswith("FLOW.") else {}
    assert _fixes(kind, {**settings, **two}, inputs) == []
    assert _fixes(kind, {**settings, **one}, inputs) != []


def _examined(document: Document) -> Report:
    return examine(json.dumps(document), KnownEnvironment(our_catalog(), NOW))


def _line(*nodes: Document) -> Document:
    go = node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"})
    listed = [go, *nodes]
    return whole("line", listed, [edge(one["id"], two["id"]) for one, two in pairwise(listed)])


def _read(id: str) -> Document:
    title = id if id == "load" else "Second"
    return node(id, "ACTION.FILE_READ", title, configurations={"path": f"{id}.txt"})


def _write(text: str) -> Document:
    settings = {"path": "out.txt"}
    return node("out", "ACTION.FILE_WRITE", configurations=settings, inputParams={"content": text})


@pytest.mark.parametrize(
    ("before", "asked", "is_fixed"),
    [
        (["load"], "loadz.content", True),
        (["load", "loads"], "loadz.content", False),
    ],
)
def test_a_name_as_near_to_two_nodes_is_not_corrected(
    before: list[str], asked: str, is_fixed: bool
) -> None:
    found = _examined(_line(*map(_read, before), _write(f"{{{{ {asked} }}}}")))
    (problem,) = (one for one in found.problems if one.code == "REFERENCE_NAME_UNKNOWN")
    assert (problem.patch is not None) == is_fixed


@pytest.mark.parametrize(("has_other", "is_fixed"), [(False, True), (True, False)])
def test_an_output_that_another_node_has_is_not_renamed(has_other: bool, is_fixed: bool) -> None:
    keep = {"operation": "custom", "transformation_script": "data"}
    inputs = {"data": ["{{ rows.data }}"]}
    made = node("kept", "ACTION.DATA_TRANSFORMATION", configurations=keep, inputParams=inputs)
    rows = node("rows", "ACTION.PARSE", configurations={"format": "csv"}, inputParams={"text": "a"})
    nodes = [rows, *([made] if has_other else []), _write("{{ rows.transformed_data }}")]
    found = _examined(_line(*nodes))
    (problem,) = (one for one in found.problems if one.code == "REFERENCE_FIELD_UNKNOWN")
    assert (problem.patch is not None) == is_fixed
    assert ("kept.transformed_data" in (problem.hint or "")) == has_other


def test_an_end_in_capitals_is_the_node_end() -> None:
    document = _line(_read("load"), {**_write("{{ load.content }}"), "id": "end"})
    document["connections"][-1]["to"] = "END"
    fixed = _examined(document).fixed.workflow
    assert [one.target for one in fixed.edges] == ["load", "end"]


def test_settings_beside_their_part_are_moved_together() -> None:
    settings = {"webhook_path": "/a", "authentication": "header_token", "auth_token": "${vault:t}"}
    hook = node("hook", "TRIGGER.WEBHOOK", configurations=settings)
    hook["data"] |= hook["data"].pop("configurations")
    fixed = _examined(whole("w", [hook], [])).fixed.workflow
    assert fixed.nodes[0].data["configurations"] == settings
