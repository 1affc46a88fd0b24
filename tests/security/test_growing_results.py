"""Results that grow from step to step end their run, not the service."""

from itertools import pairwise
from pathlib import Path

import pytest
from tests.engine.building import EchoTools, Kinds, workflow
from tests.security.controls import Control

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.engine import result_size
from toolweave.engine.context import EngineServices
from toolweave.engine.engine import Engine
from toolweave.engine.heavy_work import MAX_RESULT_BYTES
from toolweave.engine.journal import Journal
from toolweave.engine.result_size import MAX_DEPTH, MAX_KEPT_BYTES, ResultSizes
from toolweave.engine.runs import RunRequest
from toolweave.json_text import Json
from toolweave.storage.database import open_database
from toolweave.storage.migrations import migrate
from toolweave.testing.clock import FakeClock
from toolweave.testing.unchecked import Unchecked

pytestmark = pytest.mark.anyio


def nested(levels: int) -> Json:
    value: Json = 1
    for _ in range(levels):
        value = [value]
    return value


def test_a_result_is_measured_as_it_would_be_written(control: Control) -> None:
    value: Json = ["x"]
    control("a small result is kept", ResultSizes().of(value) == 17)
    for _ in range(60):
        value = {"a": value, "b": value}
    assert ResultSizes().of(value) is None
    control("a deep result is kept", ResultSizes().of(nested(MAX_DEPTH - 1)) is not None)
    assert ResultSizes().of(nested(MAX_DEPTH)) is None
    assert ResultSizes().of("x" * (MAX_RESULT_BYTES + 1)) is None
    many: list[Json] = [["x" * 1_000_000]] * 1_000
    assert ResultSizes().of(many) is None


def test_what_was_measured_is_not_measured_again(control: Control) -> None:
    sizes, text = ResultSizes(), "x" * (MAX_RESULT_BYTES // 4)
    value: Json = [text]
    for _ in range(100):
        value = {"data": value}  # passed on a hundred times, and kept once
        control("it is kept", sizes.of(value) is not None)
    kept = [sizes.of([text + str(number)]) for number in range(20)]
    assert kept.count(None) == 20 - (MAX_KEPT_BYTES - 2 * len(text)) // (len(text) + 16) - 1


async def test_steps_that_double_their_input_end_the_run(
    tmp_path: Path, control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result_size, "MAX_ANSWER_BYTES", 100_000)

    async def doubled(context: NodeContext) -> Outcome:
        return Outcome([context.given.incoming, context.given.incoming])

    async with open_database(tmp_path / "runs.db") as database:
        await migrate(database)
        clock = FakeClock()
        journal = Journal(database, clock)
        names = [f"n{number}" for number in range(60)]
        kinds = Kinds(**dict.fromkeys(names, doubled))
        services = EngineServices(EchoTools(), clock)
        engine = Engine(database, journal, kinds, services=services, checker=Unchecked())
        async with engine.running():
            for count, status in ((3, "success"), (60, "failed")):
                steps = ["s", *names[:count]]
                nodes = {"s": "start", **dict.fromkeys(names[:count], "once")}
                graph = workflow(nodes, [f"{one} > {next_}" for one, next_ in pairwise(steps)])
                run = await engine.runs.start(RunRequest(graph, {"x": "y" * 100_000}))
                ended = await engine.advance(run)
                if count == 3:
                    control("a few doublings are kept", ended == status)
            assert ended == "failed"
            assert "STEP_OUTPUT_LIMIT" in str((await engine.state(run)).failures)
