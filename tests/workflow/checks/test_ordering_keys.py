"""Edges that are said by keys of nodes, such as `depends_on`."""

from dataclasses import replace

import pytest
from tests.workflow.checks.building import drawing, found, mended, node, whole

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.checks.control_keys import check
from toolweave.workflow.model import Workflow

TRIGGER = node("t", "TRIGGER.MANUAL")


def _keyed(keys: dict[str, JsonObject], *edges: str, kind: str = "FLOW.DELAY") -> Workflow:
    nodes = [TRIGGER, node("a", kind), node("b", "FLOW.DELAY"), node("c", "FLOW.DELAY")]
    return whole([replace(one, extras=keys.get(one.id, {})) for one in nodes], list(edges))


@pytest.mark.parametrize(
    "keys",
    [
        {"a": {"depends_on": ["t"]}, "b": {"needs": "a"}, "c": {"dependsOn": ["b"]}},
        {"t": {"next": "a"}, "a": {"next": ["b"]}, "b": {"then": "c"}},
        {"t": {"next": "a"}, "a": {"depends_on": ["t"], "next": "b"}, "c": {"after": "b"}},
    ],
)
def test_every_key_is_reported_with_one_patch_that_makes_all_edges(
    keys: dict[str, JsonObject],
) -> None:
    workflow = _keyed(keys)
    problems = found(check, workflow)
    assert all(one.patch == problems[0].patch for one in problems)
    after = mended(workflow, problems[0])
    assert sorted(drawing(after)) == ["a > b", "b > c", "t > a"]
    assert all(not one.extras for one in after.nodes)
    assert found(check, after) == []


def test_a_filter_is_left_by_its_usual_port() -> None:
    workflow = _keyed({"a": {"needs": "t"}, "b": {"needs": "a"}}, kind="FLOW.FILTER")
    problems = found(check, workflow)
    assert drawing(mended(workflow, problems[0])) == ["t > a", "a > b"]


def test_ports_may_be_the_keys_of_what_comes_next() -> None:
    workflow = _keyed({"a": {"next": {"true": "b", "false": "c"}}}, kind="FLOW.IF")
    (problem,) = found(check, workflow)
    assert drawing(mended(workflow, problem)) == ["a.true > b", "a.false > c"]


@pytest.mark.parametrize("wanted", ["a", ["a", "ghost"], 5, {"x": "a"}, "b", []])
def test_an_edge_from_one_of_several_ports_or_from_nothing_is_not_guessed(wanted: Json) -> None:
    problems = found(check, _keyed({"b": {"depends_on": wanted}}, kind="FLOW.IF"))
    assert [one.patch for one in problems] == [None]


def test_what_is_not_clear_does_not_keep_the_other_edges_from_being_made() -> None:
    workflow = _keyed(
        {"a": {"needs": "t"}, "b": {"needs": "a"}, "c": {"needs": "t"}}, kind="FLOW.IF"
    )
    first, second, third = found(check, workflow)
    assert second.patch is None
    assert first.patch == third.patch
    assert drawing(mended(workflow, first)) == ["t > a", "t > c"]
