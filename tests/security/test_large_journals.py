"""A run with a very large journal is shown in bounded memory, by every way that shows runs."""

import tracemalloc
from collections.abc import AsyncGenerator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx2
import orjson
import pytest
from tests.security.controls import Control

from publishing.desk import desk_in
from publishing.test_resources import text_of
from publishing.test_run_tools import until
from rest.drawn import pausing
from rest.house import House, house_in
from toolweave.engine.journal_reader import JournalReader
from toolweave.engine.journal_report import report_of
from toolweave.engine.runs import RunRequest
from toolweave.storage.database import Database, Statement
from toolweave.workflow.formats.load import read

pytestmark = pytest.mark.anyio

STEPS, CHARS = 800, 90_000
MAX_BYTES = 64_000_000
FLOW: dict[str, Any] = {
    "toolweave": 1,
    "name": "large",
    "nodes": [{"id": "t", "type": "TRIGGER", "data": {"subtype": "MANUAL"}}],
    "edges": [],
}
_ROW = "INSERT INTO journal (run, seq, at, kind, body) VALUES (?, ?, ?, ?, ?)"


@pytest.fixture
async def house(tmp_path: Path) -> AsyncGenerator[House]:
    async with house_in(tmp_path) as opened:
        yield opened


async def ended_run(house: House) -> str:
    answer = await house.client.post(
        "/api/v1/runs", json={"document": FLOW}, headers=await house.key()
    )
    assert answer.status_code == 202, answer.text
    run: str = answer.json()["id"]
    with anyio.fail_after(60):
        while True:
            if (await show(house, run))["finishedAt"] is not None:
                return run
            await anyio.sleep(0.02)


async def show(house: House, run: str, **query: Any) -> dict[str, Any]:
    answer = await house.client.get(
        f"/api/v1/runs/{run}", params=query, headers=await house.key("workflows:read")
    )
    assert answer.status_code == 200, answer.text[:300]
    shown: dict[str, Any] = answer.json()
    return shown


async def grow(database: Database, run: str) -> None:
    """Give a run the events of many more steps, before its last event."""
    at, seq = (await database.rows("SELECT at, seq FROM journal WHERE run = ? ORDER BY seq", run))[
        -1
    ]
    rows: list[tuple[str | int, ...]] = []
    for number in range(STEPS):
        body = {"key": f"each#{number}/step"}
        value = chr(97 + number % 26) * CHARS
        done = orjson.dumps({**body, "value": value}).decode()
        rows.append((run, 2 * number + seq, at, "step_started", orjson.dumps(body).decode()))
        rows.append((run, 2 * number + seq + 1, at, "step_finished", done))
    last = seq + len(rows)
    await database.at_once(
        [
            Statement("UPDATE journal SET seq = ? WHERE run = ? AND seq = ?", (last, run, seq)),
            Statement(_ROW, many=tuple(rows)),
            Statement("UPDATE runs SET seq = ? WHERE id = ?", (last, run)),
        ]
    )


async def peak_of(work: Callable[[], Awaitable[object]]) -> int:
    """How many bytes Python held at most while `work` was done."""
    tracemalloc.start()
    try:
        await work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


async def test_a_very_large_run_is_shown_in_bounded_memory(house: House, control: Control) -> None:
    run = await ended_run(house)
    control("a small run is shown whole", (await show(house, run))["execution"])

    async def names() -> httpx2.Response:
        body = {"document": FLOW, "node": "t", "run": run}
        answer = await house.client.post(
            "/api/v1/edit/names", json=body, headers=await house.key("workflows:read")
        )
        assert answer.status_code == 200, answer.text[:300]
        return answer

    control("a node is shown with its data", (await names()).json()["run"])
    journal = JournalReader(house.home.database)
    control("a small run is reported whole", (await report_of(journal, run)).is_whole)
    await grow(house.home.database, run)
    assert STEPS * CHARS > MAX_BYTES
    shown: list[dict[str, Any]] = []

    async def load(**query: Any) -> None:
        shown.append(await show(house, run, **query))

    async def follow() -> None:
        key = await house.key("workflows:read")
        path = f"/api/v1/runs/{run}/events"
        answer = await house.client.get(path, params={"maxChars": 100}, headers=key)
        assert answer.text.count("event: step_finished") == STEPS

    async def output() -> None:
        key, path = await house.key("workflows:read"), f"/api/v1/runs/{run}/output"
        answer = await house.client.get(path, params={"step": "each#7/step"}, headers=key)
        assert answer.json() == "h" * CHARS

    peaks = {
        "show": await peak_of(load),
        "show cut": await peak_of(lambda: load(maxChars=20_000)),
        "events": await peak_of(follow),
        "output": await peak_of(output),
        "names": await peak_of(names),
        "report": await peak_of(lambda: report_of(journal, run, keeps_result=True)),
    }
    report = await report_of(journal, run, keeps_result=True)
    assert (report.is_whole, report.entries[-1]) == (False, await journal.last(run))
    assert {name: peak for name, peak in peaks.items() if peak > MAX_BYTES} == {}
    for one in shown:
        steps = [step for step in one["steps"] if step["key"].startswith("each#")]
        assert len(steps) == STEPS
        assert {step["status"] for step in steps} == {"success"}
        assert steps[1]["value"] is None
        assert steps[1]["cut"]["value"]["chars"] == CHARS
        assert set(steps[1]["cut"]["value"]["text"]) == {"b"}
        assert one["execution"] == {}
        assert one["status"] == "success"


async def test_tools_and_resources_show_a_very_large_run_in_bounded_memory(
    tmp_path: Path, control: Control
) -> None:
    async with desk_in(tmp_path / "desk") as desk, desk.client() as client:
        engine = desk.studio.engine
        run = await engine.runs.start(RunRequest(read(pausing()).workflow, {"who": "Ada"}))
        small = await until(client, run, "waiting")
        control("a small run is shown", small["run_id"] == run)
        await wait_again(desk.home.database, run)
        await engine.cancel(run)
        await until(client, run, "cancelled")
        peaks: dict[str, int] = {}

        async def call(tool: str) -> None:
            result = await client.call_tool(tool, {"run_id": run})
            assert not result.is_error, result

        for tool in ("run_result", "run_status", "explain_run", "app_run"):
            peaks[tool] = await peak_of(partial(call, tool))
        for part in ("", "/timeline", "/timeline.svg"):
            uri = f"toolweave://runs/{run}{part}"
            peaks[part] = await peak_of(partial(text_of, client, uri))
        assert {name: peak for name, peak in peaks.items() if peak > MAX_BYTES} == {}


async def wait_again(database: Database, run: str) -> None:
    """Let the step `pause` resume and wait many times more, with much to remember."""
    (row,) = await database.rows("SELECT max(seq), max(at) FROM journal WHERE run = ?", run)
    seq, at = row
    begun = orjson.dumps({"key": "pause"}).decode()
    kept = {"key": "pause", "until": "2030-01-01T00:00:00.000Z", "memory": "m" * CHARS}
    waits = orjson.dumps(kept).decode()
    rows = [
        (run, seq + number, at, kind, body)
        for number, (kind, body) in enumerate(
            [("step_started", begun), ("step_waiting", waits)] * STEPS, 1
        )
    ]
    await database.at_once(
        [
            Statement(_ROW, many=tuple(rows)),
            Statement("UPDATE runs SET seq = ? WHERE id = ?", (seq + len(rows), run)),
        ]
    )
