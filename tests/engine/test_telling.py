"""What steps say while they run is in the journal: bounded, in order, and without consequence."""

import pytest
from tests.engine.building import workflow
from tests.engine.conftest import Opened

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.engine.events import StepProgress
from toolweave.engine.runs import RunRequest
from toolweave.engine.step_attempts import MAX_LINES, MAX_MESSAGE, StepProgressReporter
from toolweave.tools.tool import ToolProgress

pytestmark = pytest.mark.anyio

LINE = workflow({"s": "start", "a": "once", "e": "end"}, ["s > a", "a > e"])


async def test_what_a_step_says_is_kept_in_order_and_changes_nothing(engine: Opened) -> None:
    async def counts(context: NodeContext) -> Outcome:
        for done in range(1, 501):
            await context.progress(ToolProgress(done, 500, f"{done} of 500"))
        await context.progress(ToolProgress(500, message="a piece", is_piece=True))
        return Outcome("done")

    runs = await engine(a=counts)
    run = await runs.runs.start(RunRequest(LINE))
    assert await runs.advance(run) == "success"
    events = [entry.event for entry in await runs.journal.read(run)]
    said = [event for event in events if isinstance(event, StepProgress)]
    assert said[0] == StepProgress("a", 1, 500, "1 of 500")
    assert said[-1] == StepProgress("a", 500, 500, "500 of 500")
    assert [one.done for one in said] == sorted({one.done for one in said})
    assert len(said) <= MAX_LINES
    assert [event.kind for event in events][-1] == "finished"
    again = await runs.runs.start(RunRequest(LINE))  # and none of it is in the way of another
    assert await runs.advance(again) == "success"


def test_lines_are_short_and_few_and_the_last_word_is_among_them() -> None:
    said: list[StepProgress] = []
    teller = StepProgressReporter("a", 2, said.append)
    for done in range(10):
        teller.hear(ToolProgress(done, message="x" * 2_000))
    assert [one.done for one in said] == [0]
    teller.end()
    teller.end()
    assert [(one.done, one.attempt) for one in said] == [(0, 2), (9, 2)]
    assert {len(one.message or "") for one in said} == {MAX_MESSAGE}
