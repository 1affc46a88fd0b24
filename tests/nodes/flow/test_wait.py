"""FLOW.WAIT and FLOW.DELAY: every kind of wait, in real runs on a clock that the test moves."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.nodes.flow.conftest import Opened
from tests.nodes.flow.running import NODES, alone, fields, finish, outcome_of

from toolweave.access.mask import Masker
from toolweave.access.secret_destinations import Destination
from toolweave.access.secret_text import SecretTexts
from toolweave.catalog.resources.http import Response
from toolweave.catalog.resources.record import Resources
from toolweave.engine.engine import Engine
from toolweave.engine.events import StepWaiting
from toolweave.engine.runs import RunRequest
from toolweave.errors import Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.resources.databases import SqlDatabases
from toolweave.resources.files import AllowedFolders
from toolweave.testing.clock import FakeClock

pytestmark = pytest.mark.anyio

DATA: JsonObject = {"job": "j-1", "ready_at": "2026-01-01T00:00:12Z"}


async def begun(runs: Engine, **config: Json) -> str:
    run = await runs.runs.start(RunRequest(alone("FLOW.WAIT", config, {}), DATA))
    assert await runs.advance(run) == "waiting"
    return run


async def refused(runs: Engine, **config: Json) -> str:
    """The code of a wait that fails at once."""
    config["retry_attempts"] = 0
    run = await runs.runs.start(RunRequest(alone("FLOW.WAIT", config, {}), DATA))
    assert await runs.advance(run) == "failed"
    finished = (await runs.state(run)).finished
    assert finished is not None
    assert finished.error is not None
    return str(finished.error["code"])


async def answer(runs: Engine, run: str, reply: Json) -> str:
    await runs.answer(run, "n", reply)
    await runs.advance(run)
    return (await runs.get(run)).status


async def ended(runs: Engine, run: str) -> tuple[str, JsonObject, Json]:
    """The port, `wait_result` and `trigger_data`."""
    outcome = await outcome_of(runs, run)
    value = fields(outcome)
    assert value["data"] == DATA
    result = value["wait_result"]
    assert isinstance(result, dict)
    (port,) = outcome.ports
    return port, result, value["trigger_data"]


async def question(runs: Engine, run: str) -> JsonObject | None:
    return (await runs.state(run)).waiting["n"].question


async def intervals(runs: Engine, run: str) -> list[float]:
    """How long it meant to wait, each time."""
    entries = await runs.journal.read(run)
    waits = [one.event.until for one in entries if isinstance(one.event, StepWaiting)]
    return [float(str(until)[17:-1]) for until in waits]


def test_every_kind_of_wait_is_tested_here() -> None:
    (kind,) = [one for one in NODES["FLOW.WAIT"].spec.configurations if one.name == "wait_type"]
    here = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in kind.options if f'"{name}"' not in here] == []


@pytest.mark.exercises("FLOW.WAIT.wait_type=condition")
async def test_a_condition_is_looked_at_again_and_again_until_it_holds(
    engine: Opened, clock: FakeClock
) -> None:
    runs = await engine()
    run = await begun(
        runs,
        wait_type="condition",
        wait_condition="timestamp(now) >= timestamp(data.ready_at)",
        check_interval_seconds=5,
    )
    assert await finish(runs, clock, run) == "success"
    port, result, trigger = await ended(runs, run)
    assert (port, trigger) == ("output", {})
    assert await intervals(runs, run) == pytest.approx([5, 10, 15], abs=0.1)
    assert result["attempts_made"] == 4
    assert result["condition_met"] is True
    assert result["message"] is None


async def test_an_answer_is_what_a_condition_looks_at(engine: Opened) -> None:
    runs = await engine()
    config: JsonObject = {"wait_type": "condition", "wait_condition": "trigger.status == 'done'"}
    run = await begun(runs, **config)
    assert await answer(runs, run, {"status": "busy"}) == "waiting"
    assert await answer(runs, run, {"status": "done"}) == "success"
    port, result, trigger = await ended(runs, run)
    assert (port, trigger) == ("output", {"status": "done"})
    assert result["attempts_made"] == 3


async def test_the_time_between_looks_grows_and_the_last_look_is_at_the_deadline(
    engine: Opened, clock: FakeClock
) -> None:
    runs = await engine()
    run = await begun(
        runs,
        wait_type="condition",
        wait_condition="data.gone == 1",
        check_interval_seconds=2,
        exponential_backoff=True,
        backoff_multiplier=2,
        timeout_seconds=20,
    )
    assert await finish(runs, clock, run) == "success"
    assert await intervals(runs, run) == pytest.approx([2, 6, 14, 20], abs=0.1)
    port, result, trigger = await ended(runs, run)
    assert (port, trigger) == ("timeout", {})
    assert result["timeout_occurred"] is True
    assert result["condition_met"] is False
    assert "gone" in str(result["message"])
    assert result["wait_duration_seconds"] == pytest.approx(20, abs=0.1)


async def test_after_so_many_looks_it_goes_on_by_timeout(engine: Opened, clock: FakeClock) -> None:
    runs = await engine()
    run = await begun(runs, wait_type="condition", wait_condition="data.job == ''", max_attempts=3)
    assert await finish(runs, clock, run) == "success"
    port, result, _ = await ended(runs, run)
    assert (port, result["attempts_made"]) == ("timeout", 3)


@pytest.mark.exercises("FLOW.WAIT.cancellable")
@pytest.mark.parametrize("kind", ["condition", "signal", "event", "approval", "webhook"])
async def test_a_wait_is_ended_early_by_a_person_only_where_that_is_allowed(
    engine: Opened, kind: str
) -> None:
    runs = await engine()
    config: JsonObject = {
        "wait_type": kind,
        "wait_condition": "trigger.status == 'done'",
        "event_config": {"name": "e"},
        "webhook_config": {"endpoint_path": "/e"},
    }
    run = await begun(runs, **config)
    assert await answer(runs, run, {"cancelled": True}) == "success"
    port, result, _ = await ended(runs, run)
    assert (port, result["was_cancelled"], result["timeout_occurred"]) == ("timeout", True, False)
    run = await begun(runs, **config, cancellable=False)
    assert await answer(runs, run, {"cancelled": True}) == "waiting"


@pytest.mark.exercises("FLOW.WAIT.wait_type=event", "FLOW.WAIT.event_config")
async def test_an_event_is_waited_for_by_name_and_what_must_be_in_it(engine: Opened) -> None:
    runs = await engine()
    run = await begun(
        runs,
        wait_type="event",
        event_config={"name": "job.finished", "match": {"job": "{{ data.job }}"}},
        wait_condition="trigger.status == 'done'",
    )
    asked = await question(runs, run)
    assert asked == {
        "kind": "event",
        "name": "job.finished",
        "match": {"job": "j-1"},
        "cancellable": True,
    }
    assert await answer(runs, run, {"job": "j-2", "status": "done"}) == "waiting"
    assert await answer(runs, run, {"job": "j-1", "status": "busy"}) == "waiting"
    assert await answer(runs, run, {"job": "j-1", "status": "done", "more": 1}) == "success"
    port, _, trigger = await ended(runs, run)
    assert (port, trigger) == ("output", {"job": "j-1", "status": "done", "more": 1})


@pytest.mark.exercises("FLOW.WAIT.wait_type=signal")
@pytest.mark.parametrize("reply", [None, "go", {"any": ["thing"]}])
async def test_any_answer_is_a_signal(engine: Opened, reply: Json) -> None:
    runs = await engine()
    run = await begun(runs, wait_type="signal")
    assert await answer(runs, run, reply) == "success"
    port, _, trigger = await ended(runs, run)
    assert (port, trigger) == ("output", {} if reply is None else reply)


@pytest.mark.exercises("FLOW.WAIT.wait_type=approval")
@pytest.mark.parametrize(
    ("reply", "port"),
    [
        (True, "output"),
        ({"approved": True, "by": "Ada"}, "output"),
        (False, "timeout"),
        ({"approved": False}, "timeout"),
    ],
)
async def test_an_approval_is_given_or_refused(engine: Opened, reply: Json, port: str) -> None:
    runs = await engine()
    run = await begun(runs, wait_type="approval")
    asked = await question(runs, run)
    assert asked is not None
    assert (asked["kind"], asked["data"]) == ("approval", DATA)
    assert await answer(runs, run, "perhaps") == "waiting"
    assert await answer(runs, run, reply) == "success"
    left_by, result, trigger = await ended(runs, run)
    assert (left_by, trigger) == (port, reply)
    assert result["condition_met"] is (port == "output")


@pytest.mark.exercises("FLOW.WAIT.wait_type=webhook", "FLOW.WAIT.webhook_config")
async def test_a_call_from_outside_is_waited_for_with_what_it_must_hold(engine: Opened) -> None:
    runs = await engine()
    config: JsonObject = {
        "endpoint_path": "/paid",
        "method": "POST",
        "expected_payload": {"state": {"code": 1}},
        "authentication_required": True,
    }
    run = await begun(runs, wait_type="webhook", webhook_config=config)
    assert await question(runs, run) == {"kind": "webhook", **config, "cancellable": True}
    assert await answer(runs, run, {"state": {"code": True}}) == "waiting"
    assert await answer(runs, run, {"state": {"code": 1, "text": "ok"}}) == "success"
    assert (await ended(runs, run))[0] == "output"


async def test_nobody_answers_and_the_time_is_up(engine: Opened, clock: FakeClock) -> None:
    runs = await engine()
    run = await begun(runs, wait_type="signal", timeout_seconds=86_400)
    assert await finish(runs, clock, run) == "success"
    port, result, _ = await ended(runs, run)
    assert (port, result["timeout_occurred"], result["attempts_made"]) == ("timeout", True, 0)


@pytest.mark.exercises("FLOW.WAIT.wait_type=file", "FLOW.WAIT.file_config")
@pytest.mark.parametrize("watched", ["creation", "modification", "deletion"])
async def test_a_file_is_watched_for_every_kind_of_change(
    engine: Opened, clock: FakeClock, tmp_path: Path, watched: str
) -> None:
    file = tmp_path / "report.csv"
    if watched != "creation":
        file.write_text("Total", encoding="utf-8")
    runs = await engine(Resources(files=AllowedFolders([tmp_path])))
    config: Json = {"file_path": "report.csv", "watch_type": watched}
    run = await begun(runs, wait_type="file", file_config=config, check_interval_seconds=5)
    await clock.advance(6)
    assert await runs.advance(run) == "waiting"
    if watched == "deletion":
        file.unlink()
    else:
        file.write_text("Total: 5", encoding="utf-8")
    await clock.advance(6)
    assert await runs.advance(run) == "success"
    port, _, trigger = await ended(runs, run)
    assert isinstance(trigger, dict)
    assert (port, trigger["watch_type"]) == ("output", watched)
    assert trigger.get("size") == (None if watched == "deletion" else 8)


async def test_a_file_must_hold_what_is_expected(
    engine: Opened, clock: FakeClock, tmp_path: Path
) -> None:
    (tmp_path / "report.csv").write_text("half of it", encoding="utf-8")
    runs = await engine(Resources(files=AllowedFolders([tmp_path])))
    config: Json = {"file_path": "report.csv", "expected_content": "Total"}
    run = await begun(runs, wait_type="file", file_config=config, timeout_seconds=9)
    assert await finish(runs, clock, run) == "success"
    port, result, _ = await ended(runs, run)
    assert (port, result["message"]) == ("timeout", "the file does not hold the expected content")


def reply(status: int, body: bytes) -> Response:
    return Response(status, {}, body, "https://api.test/", (), 1.0)


class Scripted:
    """An `http` whose answers are given; a fault is raised."""

    def __init__(self, *answers: Response | Unavailable) -> None:
        self._answers = list(answers)
        self.sent: list[tuple[str, str, Mapping[str, str] | None, bytes | None]] = []

    # Any: only FLOW.WAIT asks here, and of the rest it says nothing.
    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        **others: Any,
    ) -> Response:
        assert not others
        self.sent.append((method, url, headers, body))
        answer = self._answers.pop(0)
        if isinstance(answer, Unavailable):
            raise answer
        return answer


@pytest.mark.exercises("FLOW.WAIT.wait_type=api_response", "FLOW.WAIT.api_config")
async def test_an_api_is_asked_until_it_answers_as_expected(
    engine: Opened, clock: FakeClock
) -> None:
    http = Scripted(
        Unavailable("HTTP_UNREACHABLE", "not up yet"),
        reply(503, b"busy"),
        reply(200, b'{"state": "queued"}'),
        reply(200, b'{"state": "ready", "url": "u"}'),
    )
    runs = await engine(Resources(http=http))
    run = await begun(
        runs,
        wait_type="api_response",
        api_config={
            "url": "https://api.example.com/jobs/{{ data.job }}",
            "method": "post",
            "headers": {"x-a": 1},
            "body": {"a": 1},
            "expected_response": {"state": "ready"},
        },
    )
    assert await finish(runs, clock, run) == "success"
    port, result, trigger = await ended(runs, run)
    assert (port, result["attempts_made"]) == ("output", 4)
    assert trigger == {"status_code": 200, "body": {"state": "ready", "url": "u"}}
    sent = ("POST", "https://api.example.com/jobs/j-1", {"x-a": "1"}, b'{"a":1}')
    assert http.sent == [sent] * 4


@pytest.mark.parametrize(("expected", "status"), [(404, 404), ([202, 204], 204), (None, 201)])
async def test_the_status_that_is_expected_may_be_any(
    engine: Opened, expected: Json, status: int
) -> None:
    runs = await engine(Resources(http=Scripted(reply(status, b"it is gone"))))
    config: Json = {"url": "https://e.com", "expected_response": "gone"}
    assert isinstance(config, dict)
    if expected is not None:
        config["expected_status"] = expected
    run = await runs.runs.start(
        RunRequest(
            alone("FLOW.WAIT", {"wait_type": "api_response", "api_config": config}, {}), DATA
        )
    )
    assert await runs.advance(run) == "success"
    assert (await ended(runs, run))[2] == {"status_code": status, "body": "it is gone"}


@pytest.mark.exercises("FLOW.WAIT.wait_type=resource", "FLOW.WAIT.resource_config")
@pytest.mark.parametrize("kind", ["cpu", "memory", "disk"])
async def test_this_machine_is_waited_for_until_enough_is_free(
    engine: Opened, clock: FakeClock, kind: str
) -> None:
    runs = await engine()
    free: Json = {"resource_type": kind, "availability_threshold": 100_000}
    graph = alone("FLOW.WAIT", {"wait_type": "resource", "resource_config": free}, {})
    run = await runs.runs.start(RunRequest(graph, DATA))
    assert await runs.advance(run) == "success"
    port, _, trigger = await ended(runs, run)
    assert isinstance(trigger, dict)
    assert (port, trigger["resource_type"]) == ("output", kind)
    full: Json = {"resource_type": kind, "availability_threshold": -1}
    run = await begun(runs, wait_type="resource", resource_config=full, max_attempts=2)
    assert await finish(runs, clock, run) == "success"
    assert (await ended(runs, run))[0] == "timeout"


class Orders:
    """The resource `databases` on a file of the test, as the app has it."""

    def __init__(self, folder: Path) -> None:
        self.resource = SqlDatabases(AllowedFolders([folder]), SecretTexts(NoSecrets(), Masker()))
        self._path = folder / "orders.db"
        self.write("CREATE TABLE orders (id INTEGER, state TEXT)")

    def write(self, sql: str) -> None:
        with closing(sqlite3.connect(self._path)) as opened, opened:
            opened.execute(sql)


class NoSecrets:
    async def use(self, name: str, to: Destination) -> str:
        raise AssertionError(name)


@pytest.mark.exercises("FLOW.WAIT.wait_type=database_change", "FLOW.WAIT.database_config")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT count(*) FROM orders WHERE state = 'paid'", 1),
        ("SELECT id, state FROM orders", {"state": "paid"}),
        ("SELECT id FROM orders", [{"id": 7}]),
        ("SELECT id FROM orders", None),
    ],
)
async def test_a_database_is_asked_until_it_answers_as_expected(
    engine: Opened, clock: FakeClock, tmp_path: Path, query: str, expected: Json
) -> None:
    orders = Orders(tmp_path)
    runs = await engine(Resources(databases=orders.resource))
    config: JsonObject = {"connection_string": "orders.db", "condition_query": query}
    if expected is not None:
        config["expected_result"] = expected
    run = await begun(runs, wait_type="database_change", database_config=config)
    await clock.advance(6)
    assert await runs.advance(run) == "waiting"
    orders.write("INSERT INTO orders VALUES (7, 'paid')")
    await clock.advance(6)
    assert await runs.advance(run) == "success"
    port, result, trigger = await ended(runs, run)
    assert (port, result["attempts_made"]) == ("output", 3)
    assert isinstance(trigger, dict)
    assert trigger["rows"] not in ([], None)


async def test_a_database_is_only_read(engine: Opened, tmp_path: Path) -> None:
    runs = await engine(Resources(databases=Orders(tmp_path).resource))
    config: Json = {"connection_string": "orders.db", "condition_query": "DELETE FROM orders"}
    code = await refused(runs, wait_type="database_change", database_config=config)
    assert code == "DATABASE_DENIED"


async def test_what_is_not_built_in_says_so(engine: Opened) -> None:
    config: Json = {"queue_name": "orders", "queue_type": "kafka"}
    code = await refused(await engine(), wait_type="queue_message", queue_config=config)
    assert code == "WAIT_NOT_BUILT_IN"


@pytest.mark.parametrize(
    "config",
    [
        {"wait_type": "condition"},
        {"wait_type": "event"},
        {"wait_type": "webhook"},
        {"wait_type": "file"},
        {"wait_type": "file", "file_config": {"file_path": "a", "watch_type": "looking"}},
        {"wait_type": "api_response"},
        {"wait_type": "queue_message"},
        {"wait_type": "database_change"},
        {"wait_type": "database_change", "database_config": {"connection_string": "a"}},
        {"wait_type": "resource"},
        {"wait_type": "resource", "resource_config": {"resource_type": "luck"}},
        {
            "wait_type": "resource",
            "resource_config": {"resource_type": "cpu", "availability_threshold": "much"},
        },
    ],
)
async def test_a_wait_that_lacks_what_it_needs_is_refused(
    engine: Opened, config: JsonObject
) -> None:
    assert await refused(await engine(), **config) == "WAIT_INVALID"


async def test_a_condition_that_can_never_hold_fails_at_once(engine: Opened) -> None:
    config: JsonObject = {"wait_type": "condition", "wait_condition": "data.job"}
    assert await refused(await engine(), **config) == "CONDITION_FAILED"


async def test_neither_data_nor_facts_are_given_where_nobody_wants_them(engine: Opened) -> None:
    runs = await engine()
    run = await begun(
        runs, wait_type="signal", pass_through_data=False, include_wait_metadata=False
    )
    assert await answer(runs, run, "go") == "success"
    value = fields(await outcome_of(runs, run))
    assert value == {"data": None, "wait_result": {}, "trigger_data": "go"}


async def test_a_delay_passes_its_data_on_after_the_time(engine: Opened, clock: FakeClock) -> None:
    runs = await engine()
    run = await runs.runs.start(
        RunRequest(alone("FLOW.DELAY", {"duration_seconds": 90.5}, {}), DATA)
    )
    assert await runs.advance(run) == "waiting"
    await clock.advance(90)
    assert await runs.advance(run) == "waiting"
    await clock.advance(1)
    assert await runs.advance(run) == "success"
    assert fields(await outcome_of(runs, run)) == {
        "data": DATA,
        "delay_info": {
            "planned_delay_seconds": 90.5,
            "actual_delay_seconds": 91,
            "delay_start_time": "2026-01-01T00:00:00.000Z",
            "delay_end_time": "2026-01-01T00:01:31.000Z",
            "delay_type_used": "fixed",
            "was_cancelled": False,
        },
    }


async def test_a_delay_of_nothing_does_not_wait_and_an_answer_ends_one_early(
    engine: Opened, clock: FakeClock
) -> None:
    runs = await engine()
    run = await runs.runs.start(RunRequest(alone("FLOW.DELAY", {"duration_seconds": 0}, {}), DATA))
    assert await runs.advance(run) == "success"
    run = await runs.runs.start(RunRequest(alone("FLOW.DELAY", {"duration_seconds": 60}, {}), DATA))
    assert await runs.advance(run) == "waiting"
    await clock.advance(2)
    assert await answer(runs, run, True) == "success"
    info = fields(await outcome_of(runs, run))["delay_info"]
    assert isinstance(info, dict)
    assert (info["was_cancelled"], info["actual_delay_seconds"]) == (True, 2)
