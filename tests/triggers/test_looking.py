"""Files, and runs that went wrong, as what starts runs."""

import os
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.triggers.hosting import Host, catalog, hosting, node, trigger

from toolweave.engine.runs import RunRequest
from toolweave.errors import Denied
from toolweave.triggers import failed_runs as failures
from toolweave.triggers import file_watch as watching

pytestmark = pytest.mark.anyio


@pytest.fixture
async def host(tmp_path: Path) -> AsyncGenerator[Host]:
    async with hosting(tmp_path / "home") as opened:
        yield opened


async def look_at_files(host: Host) -> None:
    await host.clock.advance(5)
    await host.triggers.poller.once(watching.REF, host.triggers.watching.poll)


async def look_at_runs(host: Host) -> None:
    await host.clock.advance(1)
    await host.triggers.poller.once(failures.REF, host.triggers.failures.poll)


def inbox(host: Host) -> Path:
    folder = host.home.settings.home / "files" / "inbox"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


async def seen(host: Host) -> list[tuple[str, str]]:
    return [(str(one["path"]), str(one["event_type"])) for one in await host.inputs()]


@pytest.mark.exercises("TRIGGER.FILE_WATCH.path", "TRIGGER.FILE_WATCH.pattern")
async def test_every_change_of_a_file_starts_one_run(host: Host) -> None:
    folder = inbox(host)
    (folder / "before.csv").write_text("old", encoding="utf-8")
    every = ["created", "modified", "deleted"]
    watch = trigger("FILE_WATCH", path="inbox", pattern="*.csv", events=every)
    await host.enable("Inbox", watch, node("end"))
    file = folder / "a.csv"
    for content in (b"x", b"longer", None):
        if content is None:
            file.unlink()
        else:
            file.write_bytes(content)
        (folder / "other.txt").touch()
        for _ in range(3):
            await look_at_files(host)
    assert await seen(host) == [("a.csv", "created"), ("a.csv", "modified"), ("a.csv", "deleted")]
    first = (await host.inputs())[0]
    assert first["full_path"] == str(file)
    assert (first["name"], first["size"]) == ("a.csv", 1)
    run = (await host.runs())[0]
    assert await host.engine.advance(run.id) == "success"


@pytest.mark.exercises("TRIGGER.FILE_WATCH.events=created|modified|deleted")
@pytest.mark.parametrize("event", ["created", "modified", "deleted"])
async def test_only_the_wanted_changes_count(host: Host, event: str) -> None:
    folder = inbox(host)
    await host.enable("Inbox", trigger("FILE_WATCH", path="inbox", events=[event]), node("end"))
    for content in ("x", "longer", None):
        if content is None:
            (folder / "a").unlink()
        else:
            (folder / "a").write_text(content, encoding="utf-8")
        for _ in range(2):
            await look_at_files(host)
    assert await seen(host) == [("a", event)]


@pytest.mark.exercises("TRIGGER.FILE_WATCH.poll_interval")
async def test_a_folder_is_looked_at_as_often_as_it_wants(host: Host) -> None:
    folder = inbox(host)
    watch = trigger("FILE_WATCH", path="inbox", poll_interval=20)
    await host.enable("Inbox", watch, node("end"))
    await look_at_files(host)
    (folder / "a").touch()
    for _ in range(7):  # 35 s, one look
        await look_at_files(host)
        assert await seen(host) == []
    await look_at_files(host)
    assert await seen(host) == [("a", "created")]


async def test_a_file_that_is_being_written_waits_until_it_is_done(host: Host) -> None:
    folder = inbox(host)
    await host.enable("Inbox", trigger("FILE_WATCH", path="inbox"), node("end"))
    for size in range(1, 4):
        (folder / "big").write_text("x" * size, encoding="utf-8")
        await look_at_files(host)
        assert await seen(host) == []
    await look_at_files(host)
    assert [one["size"] for one in await host.inputs()] == [3]


async def test_what_changes_while_nobody_looks_is_seen_after_the_restart(
    host: Host, tmp_path: Path
) -> None:
    folder = inbox(host)
    await host.enable("Inbox", trigger("FILE_WATCH", path="inbox"), node("end"))
    (folder / "a").touch()
    for _ in range(3):
        async with hosting(tmp_path / "home", clock=host.clock) as again:
            for _ in range(2):
                await look_at_files(again)
    assert await seen(host) == [("a", "created")]


@pytest.mark.exercises("TRIGGER.FILE_WATCH.recursive")
async def test_one_file_and_folders_below_can_be_watched(host: Host) -> None:
    folder = inbox(host)
    (folder / "deep").mkdir()
    (folder / "one.json").touch()
    one = trigger("FILE_WATCH", path="inbox/one.json")
    await host.enable("One", one, node("end"))
    await host.enable("All", trigger("FILE_WATCH", path="inbox", recursive=True), node("end"))
    os.utime(folder / "one.json", (1, 1))
    (folder / "deep" / "x").touch()
    for _ in range(2):
        await look_at_files(host)
    found = {(run.workflow, path) for run, (path, _) in zip(
        await host.runs(), await seen(host), strict=True)}  # fmt: skip
    assert found == {("One", "one.json"), ("All", "one.json"), ("All", "deep/x")}


async def test_a_folder_outside_the_roots_is_not_watched(host: Host, tmp_path: Path) -> None:
    inbox(host)
    for path in ("../..", str(tmp_path)):
        await host.store("Out", trigger("FILE_WATCH", path=path), node("end"))
        with pytest.raises(Denied) as refused:
            await host.triggers.switches.enable("Out")
        assert refused.value.code == "FILE_DENIED"


async def failing_run(host: Host, name: str = "Import") -> str:
    """A run that fails; the workflow stops with an error of its own."""
    stops = catalog("stop", "FLOW.STOP", outcome="error", message="no rows")
    await host.store(name, trigger("MANUAL"), stops)
    stored = await host.studio.home.workflows.load(name)
    run = await host.engine.runs.start(RunRequest(stored.workflow, {}, trigger="test"))
    await host.engine.advance(run)
    return run


async def test_a_run_that_fails_starts_one_run_of_whoever_watches(
    host: Host, tmp_path: Path
) -> None:
    before = await failing_run(host)
    await host.clock.advance(1)
    await host.enable("Alarm", trigger("WORKFLOW_FAILED"), node("end"))
    await host.clock.advance(1)
    failed = await failing_run(host)
    assert (await host.engine.get(failed)).status == "failed"
    for _ in range(3):
        await look_at_runs(host)
    async with hosting(tmp_path / "home", clock=host.clock) as again:
        await look_at_runs(again)
    alarms = [run for run in await host.runs() if run.workflow == "Alarm"]
    assert [alarm.trigger for alarm in alarms] == ["workflow_failed"]
    told = next(one for one in await host.inputs() if "failed_run_id" in one)
    assert told["failed_run_id"] == failed != before
    assert told["workflow"] == "Import"
    assert await host.engine.advance(alarms[0].id) == "success"


async def test_an_alarm_that_fails_starts_no_further_alarm(host: Host) -> None:
    stops = catalog("stop", "FLOW.STOP", outcome="error", message="broken")
    for name in ("Alarm", "Other alarm"):
        await host.enable(name, trigger("WORKFLOW_FAILED"), stops)
    await host.clock.advance(1)
    await failing_run(host)
    for _ in range(3):
        await look_at_runs(host)
        for run in await host.runs():
            await host.engine.advance(run.id)
    names = sorted(run.workflow for run in await host.runs())
    assert names == ["Alarm", "Import", "Other alarm"]
