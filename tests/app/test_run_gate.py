"""An invalid workflow does not start, wherever the run comes from; a valid one does."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from tests.cli.driving import Commands
from tests.library.repo import Repo, flow
from tests.triggers.hosting import Host, catalog, hosting, node, trigger
from tests.triggers.serving import serving

from publishing.desk import desk_in
from rest.drawn import drawn, greeting
from rest.house import house_in
from toolweave.documents.workspace import StoredWorkflows
from toolweave.engine.events import StepFailed
from toolweave.engine.runs import RunRequest
from toolweave.errors import Invalid
from toolweave.json_text import JsonObject
from toolweave.library.flow_runner import FlowRequest
from toolweave.library.home_libraries import flow_runner, library_store
from toolweave.workflow.formats.load import read

pytestmark = pytest.mark.anyio

# In plain words, and no model is configured: a workflow with it can be stored, published and
# activated, but not run.
NEEDS_MODEL: JsonObject = {
    "serverId": "box",
    "mode": "fullNaturalLanguage",
    "fullNaturalLanguageConfig": {
        "taskDescription": "Say something nice about the weather.",
        "timestamp": "2025-01-01T00:00:00.000Z",
        "availableTools": [{"name": "echo", "description": "Echoes.", "inputSchema": {}}],
    },
}


def refused(name: str = "greet") -> dict[str, Any]:
    """`greeting` that cannot run."""
    plain = {"id": "plain", "type": "mcp", "name": "Plain", "data": NEEDS_MODEL}
    return drawn(name, plain)


def codes(error: Invalid) -> set[str]:
    return {problem.code for problem in error.problems}


async def save(host: Host, document: dict[str, Any]) -> None:
    there = [one for one in await host.home.workflows.list() if one.name == document["name"]]
    over = there[0].revision if there else None
    await host.home.workflows.save(read(document).workflow, over=over)


async def test_rest_refuses_an_invalid_workflow(tmp_path: Path) -> None:
    async with house_in(tmp_path / "home") as house:
        key = await house.key()
        for document, status in ((refused(), 422), (greeting(), 202)):
            sent = {"document": document, "inputs": {"who": "Ada"}}
            answer = await house.client.post("/api/v1/runs", json=sent, headers=key)
            assert answer.status_code == status, answer.text
            if status == 422:
                error = answer.json()["error"]
                assert error["code"] == "WORKFLOW_INVALID"
                assert [one["code"] for one in error["problems"]] == ["MODEL_NEEDED"]


@pytest.mark.parametrize("is_valid", [False, True])
async def test_rest_refuses_to_run_a_trigger_of_an_invalid_workflow(
    tmp_path: Path, is_valid: bool
) -> None:
    document = greeting() if is_valid else refused()
    document["nodes"][0] |= {"type": "TRIGGER", "data": {"subtype": "MANUAL"}}
    async with house_in(tmp_path / "home") as house:
        await house.home.workflows.save(read(document).workflow, over=None)
        path, key = "/api/v1/triggers/greet/run", await house.key()
        answer = await house.client.post(path, json={}, headers=key)
        if is_valid:
            assert answer.status_code == 202, answer.text
        else:
            assert answer.json()["error"]["code"] == "WORKFLOW_INVALID", answer.text


async def test_a_published_tool_refuses_an_invalid_workflow(tmp_path: Path) -> None:
    async with desk_in(tmp_path / "home") as desk:
        await desk.publish(refused("bad"))
        await desk.publish(greeting("good"))
        async with desk.client() as client:
            bad = await client.call_tool("bad", {})
            good = await client.call_tool("good", {"who": "Ada"})
    assert bad.is_error
    assert bad.structured_content["code"] == "WORKFLOW_INVALID"
    assert [one["code"] for one in bad.structured_content["problems"]] == ["MODEL_NEEDED"]
    assert good.structured_content == {"result": "Hello, Ada!"}


async def test_a_document_block_refuses_an_invalid_workflow(tmp_path: Path) -> None:
    async with hosting(tmp_path / "home") as host:

        async def engine() -> Any:
            return host.engine

        workflows = StoredWorkflows(engine, host.home.workflows)
        await save(host, refused())
        with pytest.raises(Invalid) as caught:
            await workflows.run_workflow("greet", {"who": "Ada"}, trigger="document:x")
        assert (caught.value.code, codes(caught.value)) == ("WORKFLOW_INVALID", {"MODEL_NEEDED"})
        assert await host.runs() == []
        await save(host, greeting())
        given = await workflows.run_workflow("greet", {"who": "Ada"}, trigger="document:x")
        assert given == "Hello, Ada!"


async def test_a_step_refuses_to_call_an_invalid_workflow(tmp_path: Path) -> None:
    call = catalog("call", "FLOW.SUBWORKFLOW", workflow="greet")
    async with hosting(tmp_path / "home") as host:
        await host.store("Outer", node("start", "start"), call, node("end"))
        outer = (await host.home.workflows.load("outer")).workflow
        await save(host, refused())
        run = await host.engine.runs.start(RunRequest(outer, {"who": "Ada"}))
        assert (await host.engine.runs.run_to_end(run)).status == "failed"
        failed = [
            entry.event.code
            for entry in await host.engine.journal.read(run)
            if isinstance(entry.event, StepFailed)
        ]
        assert failed == ["WORKFLOW_INVALID"]
        assert len(await host.runs()) == 1
        await save(host, greeting())
        run = await host.engine.runs.start(RunRequest(outer, {"who": "Ada"}))
        assert (await host.engine.runs.run_to_end(run)).status == "success"
        assert len(await host.runs()) == 3


async def test_a_library_flow_with_errors_is_refused(tmp_path: Path) -> None:
    step: JsonObject = {"id": "n", "type": "FLOW", "data": {"subtype": "IF", "configurations": {}}}
    start: JsonObject = {"id": "s", "type": "start", "data": {}}
    repo = Repo(tmp_path / "repo")
    repo.commit({"flows/Bad.json": flow("Bad", [start, step], "s > n")})
    async with hosting(tmp_path / "home") as host:
        shelf = library_store(host.home)
        await shelf.add("team", str(repo.folder), ref=None, folder=repo.folder)
        runner = flow_runner(host.home, host.engine, shelf)
        told: Any = await runner.execute(FlowRequest("team", "Bad"))
        assert (told["status"], told["error"]["code"]) == ("failed", "VALIDATION_ERROR"), told
        assert told["error"]["problems"]
        assert await host.runs() == []
        given = {"company_name": "TechCorp", "market": "AI", "budget": "1"}
        told = await runner.execute(FlowRequest("team", "Marketing_Strategy", inputs=given))
        assert told["status"] == "success", told


async def test_a_hook_refuses_to_start_an_invalid_workflow_and_says_why_to_its_owner(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path / "home") as served:
        host = served.host
        plain = node("plain", "mcp", **NEEDS_MODEL)
        await host.enable("Bad", trigger("WEBHOOK", webhook_path="/bad"), plain, node("end"))
        await host.enable("Good", trigger("WEBHOOK", webhook_path="/good"), node("end"))
        answer = await served.post("/bad", json={})
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "WORKFLOW_INVALID")
        assert answer.json()["error"]["problems"] == []
        assert await host.runs() == []
        (row,) = [one.row for one in await _active(host) if one.name == "Bad"]
        assert (row.failure or "").startswith("WORKFLOW_INVALID"), row
        await host.triggers.recent_events.save()
        (event,) = (await host.triggers.recent_events.recent())["bad", "when"]
        assert (event.outcome, (event.reason or "")[:16]) == ("refused", "WORKFLOW_INVALID")
        assert (await served.post("/good?wait=0", json={})).status_code == 202
        assert len(await host.runs()) == 1


async def _active(host: Host) -> Any:
    await host.triggers.active.refresh()
    return host.triggers.active.active


async def test_a_schedule_does_not_start_an_invalid_workflow(tmp_path: Path) -> None:
    minutely = {"cron_expression": "* * * * *", "timezone": "UTC"}
    async with hosting(tmp_path / "home") as host:
        plain = node("plain", "mcp", **NEEDS_MODEL)
        await host.enable("Bad", trigger("CRON", **minutely), plain, node("end"))
        await host.enable("Good", trigger("CRON", **minutely), node("end"))
        looking, schedules = host.triggers.poller, host.triggers.schedules
        await looking.once("TRIGGER.CRON", schedules.poll)
        await host.clock.advance(60)
        await looking.once("TRIGGER.CRON", schedules.poll)
        assert [run.workflow for run in await host.runs()] == ["Good"]
        (row,) = [one.row for one in await _active(host) if one.name == "Bad"]
        assert (row.failure or "").startswith("WORKFLOW_INVALID"), row


async def test_a_fork_is_refused_once_its_workflow_is_invalid(tmp_path: Path) -> None:
    async with hosting(tmp_path / "home") as host:
        run = await host.engine.runs.start(RunRequest(read(greeting()).workflow, {"who": "Ada"}))
        await host.engine.runs.run_to_end(run)
        with pytest.raises(Invalid) as caught:
            await host.engine.runs.fork(run, "end", None, read(refused()))
        assert (caught.value.code, codes(caught.value)) == ("WORKFLOW_INVALID", {"MODEL_NEEDED"})
        again = await host.engine.runs.fork(run, "greet")
        assert (await host.engine.runs.run_to_end(again)).status == "success"


def test_commands_refuse_an_invalid_workflow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tw = Commands(tmp_path / "home", tmp_path / "project")
    tw.home.mkdir()
    tw.project.mkdir()
    monkeypatch.chdir(tw.project)
    monkeypatch.setattr(logging, "lastResort", logging.lastResort)
    bad, good = refused("bad"), greeting("good")
    for document in (bad, good):
        document["nodes"][0] |= {"type": "TRIGGER", "data": {"subtype": "MANUAL"}}
    for document in (bad, good):
        path = tw.project / f"{document['name']}.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        tw.ok("workflows", "save", path.name)
    for command in (("run",), ("schedules", "run-now")):
        ran = tw(*command, "bad")
        assert ran.code == 1
        assert "WORKFLOW_INVALID" in ran.err
        assert tw(*command, "good").code == 0
