"""Server-sent events: a silent stream beats, a lost listener ends it, a real one misses nothing."""

from collections.abc import AsyncIterator, Callable, Generator
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import httpx2
import orjson
import pytest
from starlette.types import Message, Receive

from mcp_server.approving import ground_of
from rest.drawn import asking_mcp, greeting, pausing
from rest.house import house_in
from rest.process import Served, served
from servers.rooms import eventually
from toolweave.app.open_engine import open_engine
from toolweave.app.studio import open_studio
from toolweave.engine.events import PureStepsDone, StepStarted
from toolweave.engine.runs import RunRequest
from toolweave.rest.stream import EventStream, SentEvent
from toolweave.workflow.formats.load import read

pytestmark = pytest.mark.anyio

SCOPE: dict[str, Any] = {"type": "http", "method": "GET", "path": "/", "headers": []}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    with served(tmp_path_factory.mktemp("stream") / "home") as running:
        yield running


async def never() -> AsyncIterator[SentEvent]:
    await anyio.sleep_forever()
    yield SentEvent(1, "never", None)


async def two() -> AsyncIterator[SentEvent]:
    yield SentEvent(1, "first", {"text": "a\nb\u2028"})
    yield SentEvent(2, "second", None)


def listens(until: anyio.Event) -> Receive:
    async def receive() -> Message:
        await until.wait()
        return {"type": "http.disconnect"}

    return receive


async def test_a_silent_stream_beats_until_nobody_listens() -> None:
    gone, sent = anyio.Event(), list[Message]()

    async def send(message: Message) -> None:
        sent.append(message)
        if len(sent) == 4:
            gone.set()

    with anyio.fail_after(60):
        await EventStream(never(), beat_every_s=0.01)(SCOPE, listens(gone), send)
    assert sent[0]["status"] == 200
    assert {message["body"] for message in sent[1:4]} == {b": still here\n\n"}


async def test_an_event_is_one_line_of_json_under_its_number() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    with anyio.fail_after(60):
        await EventStream(two())(SCOPE, listens(anyio.Event()), send)
    assert b"content-length" not in dict(sent[0]["headers"])
    body = b"".join(message["body"] for message in sent[1:])
    first, second = body.decode().split("\n\n")[:2]
    assert first == 'id: 1\nevent: first\ndata: {"text":"a\\nb\u2028"}'
    assert second == "id: 2\nevent: second\ndata: null"
    assert sent[-1]["more_body"] is False


async def listen(
    client: httpx2.AsyncClient, path: str, after: int, until: Callable[[dict[str, Any]], bool]
) -> list[dict[str, Any]]:
    """The events from `after` on, until one is the last that is wanted or there are no more."""
    heard: list[dict[str, Any]] = []
    async with client.stream("GET", path, headers={"Last-Event-ID": str(after)}) as stream:
        assert stream.status_code == 200
        async for line in stream.aiter_lines():
            if line.startswith("data: "):
                heard.append(orjson.loads(line.removeprefix("data: ")))
                if until(heard[-1]):
                    return heard
    return heard


async def test_who_lost_the_connection_goes_on_where_it_was_and_misses_nothing(
    server: Served,
) -> None:
    async with httpx2.AsyncClient(base_url=server.url, headers=server.headers) as client:
        body = {"document": pausing(), "inputs": {"who": "Ada"}}
        run = (await client.post("/api/v1/runs", json=body)).json()["id"]
        path = f"/api/v1/runs/{run}"
        with anyio.fail_after(60):
            before = await listen(
                client, f"{path}/events", 0, lambda event: event["type"] == "step_waiting"
            )
            answer = {"step": "pause", "reply": "go on"}
            assert (await client.post(f"{path}/answer", json=answer)).status_code == 202
            rest = await listen(client, f"{path}/events", before[-1]["seq"], lambda _: False)
            whole = await listen(client, f"{path}/events", 0, lambda _: False)
    assert [*before, *rest] == whole
    assert [event["seq"] for event in whole] == list(range(1, len(whole) + 1))
    assert (rest[-1]["type"], rest[-1]["status"]) == ("finished", "success")
    assert rest[-1]["result"] == "Hi, Ada!"
    answered = next(event for event in rest if event["type"] == "answered")
    assert answered["by"]  # the name of the key


async def test_the_service_stops_while_a_run_is_followed_and_the_run_waits_for_it(
    tmp_path: Path,
) -> None:
    with served(tmp_path / "home") as first:
        async with httpx2.AsyncClient(base_url=first.url, headers=first.headers) as client:
            body = {"document": pausing(), "inputs": {"who": "Ada"}}
            run = (await client.post("/api/v1/runs", json=body)).json()["id"]
            async with client.stream("GET", f"/api/v1/runs/{run}/events") as stream:
                async for line in stream.aiter_lines():
                    if line == "event: step_waiting":
                        break
                first.process.terminate()
                with anyio.fail_after(60):
                    assert await anyio.to_thread.run_sync(first.process.wait) == 0
    assert "Traceback" not in first.log.read_text(encoding="utf-8")
    async with house_in(tmp_path / "home") as house:
        key = await house.key()
        path = f"/api/v1/runs/{run}"
        assert (await house.client.get(path, headers=key)).json()["status"] == "waiting"


async def test_a_run_that_was_cut_off_goes_on_when_the_service_opens(tmp_path: Path) -> None:
    async with (
        ground_of(tmp_path) as home,
        open_studio(home) as studio,
        open_engine(studio) as engine,
    ):
        run = await engine.runs.start(RunRequest(read(greeting()).workflow, {"who": "Ada"}))
        assert (await engine.get(run)).status == "running"
    async with house_in(tmp_path) as house:
        key = await house.key("workflows:read")
        with anyio.fail_after(60):
            events = await house.client.get(f"/api/v1/runs/{run}/events", headers=key)
    assert '"result":"Hello, Ada!"' in events.text


@pytest.mark.parametrize(("choice", "status"), [("skip", "success"), ("fail", "failed")])
async def test_a_step_that_may_have_happened_waits_for_a_decision(
    tmp_path: Path, choice: str, status: str
) -> None:
    async with (
        ground_of(tmp_path) as home,
        open_studio(home) as studio,
        open_engine(studio) as engine,
    ):
        run = await engine.runs.start(RunRequest(read(asking_mcp()).workflow, {}))
        # As a process leaves it that is killed in the middle of the call.
        await engine.journal.add(run, PureStepsDone([["start", 0]], [{}]))
        await engine.journal.add(run, StepStarted("call"))
    async with house_in(tmp_path) as house:
        key = await house.key()
        path = f"/api/v1/runs/{run}"

        async def status_is(wanted: str) -> bool:
            return (await house.client.get(path, headers=key)).json()["status"] == wanted

        with anyio.fail_after(60):
            await eventually(lambda: status_is("uncertain"))
            body = {"step": "call", "choice": choice}
            answer = await house.client.post(f"{path}/answer", json=body, headers=key)
            assert answer.status_code == 202
            events = await house.client.get(f"{path}/events", headers=key)
        assert "event: resolved" in events.text
        assert await status_is(status)
