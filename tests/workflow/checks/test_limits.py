"""Limits of each dialect: reported, never a crash, and refused only where a seed says so."""

import pytest
from tests.workflow.checks.building import node, told, whole

from toolweave.json_text import Json
from toolweave.workflow.checks.limits import check
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.model import Node


def many(count: int, kind: str) -> list[Node]:
    return [node(f"n{at}", kind) for at in range(count)]


def choices(count: int) -> list[Json]:
    return [{"label": f"c{at}"} for at in range(count)]


def deciding(kind: str, key: str, count: int) -> Node:
    made = node("a", kind)
    made.data[key] = choices(count)
    return made


@pytest.mark.parametrize("format", ["ccwf", "toolweave"])
def test_a_drawing_of_over_100_nodes_is_a_warning(format: FormatName) -> None:
    assert told(check, whole(many(100, "prompt")), format) == []
    assert told(check, whole(many(101, "prompt")), format) == [
        ("warning", "NODES_TOO_MANY", "/nodes")
    ]


def test_a_catalog_workflow_has_no_such_limit() -> None:
    assert told(check, whole(many(500, "FLOW.SORT"))) == []
    assert told(check, whole(many(500, "FLOW.SORT")), "agent-team") == []


@pytest.mark.parametrize(
    ("kind", "key", "most"),
    [("prompt", "prompt", 10_000), ("askUserQuestion", "questionText", 500), ("end", "label", 50)],
)
def test_a_text_over_the_limit_is_a_warning(kind: str, key: str, most: int) -> None:
    options = choices(2)
    fits, over = node("a", kind, options=options), node("a", kind, options=options)
    fits.data[key], over.data[key] = "x" * most, "x" * (most + 1)
    assert told(check, whole([fits])) == []
    assert told(check, whole([over])) == [("warning", "TEXT_TOO_LONG", f"/nodes/0/data/{key}")]


@pytest.mark.parametrize(
    ("kind", "key", "few", "fine", "many"),
    [
        ("askUserQuestion", "options", 1, (2, 4), 5),
        ("ifElse", "branches", 1, (2, 2), 3),
        ("switch", "branches", 0, (2, 10), 11),
        ("branch", "branches", 1, (2, 10), 11),
    ],
)
def test_too_few_and_too_many_choices_are_a_warning(
    kind: str, key: str, few: int, fine: tuple[int, int], many: int
) -> None:
    place = f"/nodes/0/data/{key}"
    found = {
        count: told(check, whole([deciding(kind, key, count)])) for count in (few, *fine, many)
    }
    assert found[few] == [("warning", "CHOICES_TOO_FEW", place)]
    assert found[many] == [("warning", "CHOICES_TOO_MANY", place)]
    assert [found[count] for count in fine] == [[], []]


def test_options_that_a_model_suggests_need_not_be_there() -> None:
    assert told(check, whole([node("a", "askUserQuestion", useAiSuggestions=True)])) == []


@pytest.mark.parametrize("value", [None, 7, "text", {}])
def test_choices_that_are_no_list_are_too_few(value: Json) -> None:
    assert told(check, whole([node("a", "switch", branches=value)])) == [
        ("warning", "CHOICES_TOO_FEW", "/nodes/0/data/branches")
    ]
