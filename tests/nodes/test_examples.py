"""Every example of a specification that says what is expected, in a real run of the node."""

from pathlib import Path

import pytest
from tests.nodes.flow.running import NODES, alone, an_engine, finish, outcome_of

from toolweave.app.open_engine import open_resources
from toolweave.catalog.node import Effectful, Looping, Pure
from toolweave.catalog.spec import Example
from toolweave.engine.runs import RunRequest
from toolweave.home import open_home
from toolweave.settings import Settings
from toolweave.testing.clock import FakeClock

pytestmark = pytest.mark.anyio

RUNNABLE = {ref for ref, node in NODES.items() if isinstance(node, Pure | Effectful | Looping)}
# Nodes that cannot be run yet: those of models, services and people. This may only shrink.
WITHOUT_CODE = set[str]()
EXPECTING = [
    pytest.param(ref, example, id=f"{ref}: {example.name}")
    for ref in sorted(RUNNABLE)
    for example in NODES[ref].spec.examples
    if example.expected_output is not None
]


def test_only_the_nodes_that_are_listed_have_no_code_yet() -> None:
    assert NODES.keys() - RUNNABLE == WITHOUT_CODE


@pytest.mark.parametrize(("ref", "example"), EXPECTING)
async def test_an_example_gives_what_it_says(ref: str, example: Example, tmp_path: Path) -> None:
    clock = FakeClock()
    graph = alone(ref, example.configurations, example.input_params)
    async with (
        open_home(Settings(home=tmp_path), clock=clock, environ={}, directory=tmp_path) as home,
        open_resources(home) as resources,
        an_engine(home.database, clock, resources) as engine,
    ):
        # What came in is what templates name `data`.
        run = await engine.runs.start(
            RunRequest(graph, example.input_params.get("data", example.input_params))
        )
        assert await finish(engine, clock, run) == "success"
        outcome = await outcome_of(engine, run)
    assert outcome.ports == example.ports
    assert isinstance(outcome.value, dict)
    assert outcome.value.keys() == {given.name for given in NODES[ref].spec.outputs}
    assert example.expected_output is not None
    assert {name: outcome.value[name] for name in example.expected_output} == (
        example.expected_output
    )
