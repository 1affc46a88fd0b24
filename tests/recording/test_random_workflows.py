"""Random workflows over the demo server record and replay identically."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from functools import partial
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from anyio.lowlevel import checkpoint
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.cli.test_run import mcp
from tests.engine.building import workflow
from tests.recording.conftest import House

from toolweave.app.open_engine import open_engine
from toolweave.app.studio import open_studio
from toolweave.engine.engine import Engine
from toolweave.engine.events import StepStarted
from toolweave.engine.runs import RunRequest
from toolweave.home import Home, open_home
from toolweave.recording.comparison import ReplayComparison, compare
from toolweave.recording.exchange_log import exchanges_of
from toolweave.recording.from_run import RunRecorder
from toolweave.recording.playback import PlayedResources
from toolweave.recording.replay import Replayer, open_replayer
from toolweave.settings import from_environment
from toolweave.tools.tool import ToolCall, ToolResult

NUMBERS = st.one_of(st.integers(-1000, 1000), st.sampled_from([0.5, 2.0, 1e9]))
# Braces begin a template, and half a one is refused before it runs: see tests/workflow.
TEXTS = st.text(max_size=20).filter(lambda text: "{{" not in text)
# Every one of these gives an object with a number or a text, whatever came in.
TOOLS = st.one_of(
    st.builds(partial(mcp, "add", "demo"), a=NUMBERS, b=NUMBERS),
    st.builds(partial(mcp, "echo", "demo"), text=TEXTS),
    st.just(mcp("counter", "demo", name="shared")),
    st.just(mcp("recall", "demo", key="nothing is here")),
)
# Chains that run side by side between the start and the end.
CHAINS = st.lists(st.lists(TOOLS, min_size=1, max_size=3), min_size=1, max_size=4)


@asynccontextmanager
async def opened(house: House) -> AsyncGenerator[tuple[Home, Engine, Replayer]]:
    environ = house.commands.environ | {"TOOLWEAVE_CALLS_PER_SESSION": "-1"}
    async with (
        open_home(from_environment(environ), environ=environ) as home,
        open_studio(home) as studio,
        open_engine(studio) as engine,
        open_replayer() as replayer,
    ):
        yield home, engine, replayer


@pytest.fixture(scope="module")
def portal() -> Generator[BlockingPortal]:
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture(scope="module")
def parts(house: House, portal: BlockingPortal) -> Generator[tuple[Home, Engine, Replayer]]:
    with portal.wrap_async_context_manager(opened(house)) as found:
        yield found


async def recorded_and_replayed(
    home: Home, engine: Engine, replayer: Replayer, nodes: dict[str, Any], edges: list[str]
) -> ReplayComparison:
    run = await engine.runs.start(RunRequest(workflow(nodes, edges), {"n": 1}, hold=True))
    ended = await engine.runs.run_to_end(run)
    entries = await engine.journal.read(run)
    calls = sum(isinstance(entry.event, StepStarted) for entry in entries)
    while len(await exchanges_of(home.database, run)) < calls:
        await home.clock.sleep(0.01)  # they are written in the background
    recording = await RunRecorder(home).record(ended, "random", "2026-01-01T00:00:00.000Z")
    return compare(recording, await replayer.replay(recording))


async def replayed_with_delays(random: Random, *args: Any) -> ReplayComparison:
    """Record and replay; in the replay each call is answered after a random number of turns."""
    answer = PlayedResources.call

    async def delayed(self: PlayedResources, call: ToolCall, **more: Any) -> ToolResult:
        for _ in range(random.randrange(6)):
            await checkpoint()
        return await answer(self, call, **more)

    with patch.object(PlayedResources, "call", delayed):
        return await recorded_and_replayed(*args)


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(chains=CHAINS, seed=st.integers(0, 2**32))
def test_random_workflows_record_and_replay_identically_under_random_scheduling(
    portal: BlockingPortal,
    parts: tuple[Home, Engine, Replayer],
    chains: list[list[Any]],
    seed: int,
) -> None:
    nodes: dict[str, Any] = {"s": "start"}
    edges: list[str] = []
    for number, chain in enumerate(chains):
        before = "s"
        for place, tool in enumerate(chain):
            name = f"c{number}n{place}"
            nodes[name] = tool
            edges.append(f"{before} > {name}")
            before = name
        edges.append(f"{before} > e")
    nodes["e"] = "end"
    found = portal.call(replayed_with_delays, Random(seed), *parts, nodes, edges)
    assert found.differences == ()
    assert found.unused == ()
