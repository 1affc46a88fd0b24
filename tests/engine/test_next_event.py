"""An event that must directly follow another: of several at once, one is written."""

import anyio
import pytest
from tests.engine.building import waits, workflow
from tests.engine.conftest import Opened

from toolweave.engine.events import Answered
from toolweave.engine.runs import RunRequest
from toolweave.errors import Conflict
from toolweave.json_text import Json

pytestmark = pytest.mark.anyio

ASKING = workflow({"s": "start", "a": "once"}, ["s > a"])
QUESTION: dict[str, Json] = {"kind": "approval", "text": "May it?"}
PEOPLE = [f"person{number}" for number in range(8)]


async def test_of_several_events_after_one_number_one_is_written(engine: Opened) -> None:
    runs = await engine(a=waits(question=QUESTION))
    run = await runs.runs.start(RunRequest(ASKING, {}))
    await runs.runs.run_to_end(run)
    last = (await runs.journal.last(run)).seq
    written: list[str] = []

    async def add(person: str, after: int) -> None:
        if await runs.journal.add_next(run, Answered("a", "yes", person), after):
            written.append(person)

    async with anyio.create_task_group() as tasks:
        for person in PEOPLE:
            tasks.start_soon(add, person, last)
    (first,) = written
    entries = [entry for entry in await runs.journal.read(run) if isinstance(entry.event, Answered)]
    assert [entry.seq for entry in entries] == [last + 1]
    # The number after it is free, and numbers have no gap.
    await add("another", last)
    await add("second", last + 1)
    assert written == [first, "second"]
    assert [entry.seq for entry in await runs.journal.read(run)] == list(range(1, last + 3))


async def test_of_several_answers_at_once_one_counts(engine: Opened) -> None:
    runs = await engine(a=waits(question=QUESTION))
    run = await runs.runs.start(RunRequest(ASKING, {}))
    await runs.runs.run_to_end(run)
    counted: list[str] = []
    refused: list[str] = []

    async def answer(person: str) -> None:
        try:
            await runs.answer(run, "a", "yes", by=person)
            counted.append(person)
        except Conflict as error:
            refused.append(error.code)

    async with anyio.create_task_group() as tasks:
        for person in PEOPLE:
            tasks.start_soon(answer, person)
    assert len(counted) == 1
    assert set(refused) <= {"STEP_ANSWERED", "STEP_NOT_WAITING"}
    assert len(refused) == len(PEOPLE) - 1
    entries = await runs.journal.read(run)
    assert [e.event.by for e in entries if isinstance(e.event, Answered)] == counted
