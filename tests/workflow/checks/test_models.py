"""A node that asks a model is reported where none is configured; a plain prompt is not."""

from dataclasses import replace

import pytest
from tests.workflow.checks.building import known, node, whole
from tests.workflow.mcp_nodes import described, detailed, tasked

from toolweave.problems import Problem
from toolweave.workflow.checks.context import CheckContext, KnownHome
from toolweave.workflow.checks.models import check
from toolweave.workflow.model import Node


def said(one: Node, models: frozenset[str] | None, *, is_run: bool = False) -> list[Problem]:
    home = None if models is None else KnownHome(models, {}, {})
    world = replace(known(), home=home, is_run=is_run)
    return list(check(CheckContext(whole([node("s", "start"), one]), world)))


ASKING = node("p", "prompt", prompt="Greet Ada.", answeredBy="model")


@pytest.mark.parametrize("one", [described(), tasked(), ASKING], ids=["words", "task", "prompt"])
def test_a_node_that_needs_a_model_is_told_the_three_ways_to_add_one(one: Node) -> None:
    (problem,) = said(one, frozenset())
    assert (problem.code, problem.pointer, problem.severity) == (
        *("MODEL_NEEDED", "/nodes/1", "warning"),
    )
    assert problem.hint is not None
    for way in ("--provider anthropic|openai|gemini", "--provider compatible", "ANTHROPIC_API_KEY"):
        assert way in problem.hint
    # To check a file is one thing, to run it another.
    assert [one.severity for one in said(one, frozenset(), is_run=True)] == ["error"]
    assert said(one, frozenset({"m", "anthropic"})) == []
    assert said(one, None) == []


@pytest.mark.parametrize(
    "one",
    [detailed(), node("p"), node("t", "template"), node("b", "ifElse"), node("f", "FLOW.IF")],
    ids=lambda one: one.type,
)
def test_other_nodes_need_none(one: Node) -> None:
    assert said(one, frozenset()) == []
