"""MCP Apps: the page of a published workflow, and the tools that only the page calls."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import mcp_types as types
import pytest
from mcp import Client
from mcp.client.extension import advertise
from mcp.shared.exceptions import MCPError

from publishing.desk import MODES, Desk, Mode, desk_in
from publishing.drawing import asking, failing
from rest.drawn import asking_mcp, greeting, pausing
from rest.house import House, house_in
from rest.test_authorization import LIMITED_SCOPES, mcp_client
from toolweave.app.open_engine import open_engine
from toolweave.app.studio import open_studio
from toolweave.engine.events import PureStepsDone, StepStarted
from toolweave.engine.runs import RunRequest
from toolweave.home import open_home
from toolweave.publishing import app_page
from toolweave.settings import Settings
from toolweave.workflow.formats.load import read

pytestmark = pytest.mark.anyio

EXTENSION = "io.modelcontextprotocol/ui"
MIME_TYPE = "text/html;profile=mcp-app"
SHOWS_APPS = [advertise(EXTENSION, {"mimeTypes": [MIME_TYPE]})]
APP_TOOLS = {
    *("app_workflow", "app_start", "app_run"),
    *("app_answer", "app_rerun", "app_cancel"),
}
FORBIDDEN = -32003


@pytest.fixture(autouse=True)
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page in place of the built one, which needs node."""
    folder = tmp_path / "package" / "static"
    folder.mkdir(parents=True)
    page = '<!doctype html><script type="application/json">__TOOLWEAVE_APP__</script>'
    (folder / "run_app.html").write_text(page, encoding="utf-8")

    def files(_: str) -> Path:
        return folder.parent

    monkeypatch.setattr(app_page, "files", files)


async def called(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    answer = await client.call_tool(name, arguments)
    assert answer.is_error is False, answer
    (text,) = answer.content
    assert isinstance(text, types.TextContent)
    assert text.text
    return answer.structured_content


async def settled(client: Client, run: str, *statuses: str) -> dict[str, Any]:
    """The run once it has one of these statuses."""
    with anyio.fail_after(60):
        while True:
            shown = await called(client, "app_run", run_id=run)
            if shown["status"] in statuses:
                return shown
            await anyio.lowlevel.checkpoint()


@pytest.mark.parametrize("mode", MODES)
async def test_a_published_tool_names_its_app_and_hosts_without_apps_get_text(
    desk: Desk, mode: Mode
) -> None:
    await desk.publish(greeting("Say hello"))
    async with desk.client(mode, extensions=SHOWS_APPS) as client:
        capabilities = client.session.server_capabilities
        assert capabilities is not None
        assert EXTENSION in (capabilities.extensions or {})
        tools = {one.name: one for one in (await client.list_tools()).tools}
        meta = tools["say_hello"].meta or {}
        uri = "ui://toolweave/say_hello.html"
        assert (meta["ui"]["resourceUri"], meta["ui/resourceUri"]) == (uri, uri)
        assert tools.keys() >= APP_TOOLS
        for name in APP_TOOLS:
            assert (tools[name].meta or {})["ui"] == {"visibility": ["app"]}
        (page,) = (await client.read_resource(uri)).contents
        assert isinstance(page, types.TextResourceContents)
        assert (page.mime_type, page.meta) == (MIME_TYPE, {"ui": {"prefersBorder": True}})
        assert '{"tool":"say_hello"}' in page.text
        for wrong in ("ui://toolweave/nope.html", "ui://toolweave/", "ui://other/say_hello.html"):
            with pytest.raises(MCPError, match="no "):
                await client.read_resource(wrong)
        result = await client.call_tool("say_hello", {"who": "Ada"})
        assert (result.meta or {})["toolweave/run"]
        (text,) = result.content
        assert isinstance(text, types.TextContent)
        assert text.text == "Hello, Ada!"
    async with desk.client(mode) as client:
        names = {one.name for one in (await client.list_tools()).tools}
        assert "say_hello" in names
        assert not names & APP_TOOLS  # its model would see them
        plain = await client.call_tool("say_hello", {"who": "Ada"})
        assert plain.content == result.content


@pytest.mark.parametrize("mode", MODES)
async def test_the_app_runs_a_workflow_answers_it_and_runs_it_again_from_a_node(
    desk: Desk, mode: Mode
) -> None:
    await desk.publish(asking("colour"))
    async with desk.client(mode, extensions=SHOWS_APPS) as client:
        form = await called(client, "app_workflow", tool="colour")
        assert (form["title"], form["input_schema"]["type"]) == ("colour", "object")
        started = await called(client, "app_start", tool="colour", arguments={})
        run = started["run_id"]
        waiting = await settled(client, run, "waiting")
        (question,) = waiting["asks"]
        assert (question["step"], question["may_answer"]) == ("ask", True)
        assert "Which colour?" in question["text"]
        titles = {one["title"]: one["status"] for one in waiting["steps"]}
        assert titles == {"Start": "success", "Ask": "waiting", "End": "pending"}
        # The model's call of the same tool is found by its arguments while it waits.
        found = await called(client, "app_run", tool="colour", arguments={})
        assert found["run_id"] == run
        other = await called(client, "app_run", tool="colour", arguments={"x": 1})
        assert other["run_id"] is None
        wrong = await client.call_tool(
            "app_answer", {"run_id": run, "step": "ask", "reply": {"answer": 5}}
        )
        assert (wrong.is_error, wrong.structured_content["code"]) == (True, "ANSWER_INVALID")
        await called(client, "app_answer", run_id=run, step="ask", reply={"answer": "Blue"})
        ended = await settled(client, run, "success")
        assert "Blue" in str(ended["result"])
        assert all(one["can_rerun"] for one in ended["steps"])
        assert all(one["took_ms"] >= 0 for one in ended["steps"])
        again = await called(client, "app_rerun", run_id=run, node="end")
        assert again["run_id"] != run
        assert again["fork_of"] == run
        second = await settled(client, again["run_id"], "success")
        reused = [one["title"] for one in second["steps"] if one.get("is_reused")]
        assert reused == ["Start", "Ask"]


async def test_the_app_shows_why_a_run_failed_and_what_is_wrong_with_its_inputs(
    desk: Desk,
) -> None:
    await desk.publish(failing("fails"))
    await desk.publish(pausing("pause"))
    async with desk.client(extensions=SHOWS_APPS) as client:
        wrong = await client.call_tool("app_start", {"tool": "fails", "arguments": {}})
        assert wrong.is_error is True
        assert wrong.structured_content["problems"][0]["pointer"] == "/who"
        unknown = await client.call_tool("app_workflow", {"tool": "fail"})
        assert unknown.structured_content["code"] == "NOT_PUBLISHED"
        run = (await called(client, "app_start", tool="fails", arguments={"who": "Ada"}))["run_id"]
        ended = await settled(client, run, "partial", "failed")
        assert "No more" in ended["error"]["message"]
        (stopped,) = [one for one in ended["steps"] if one["status"] == "failed"]
        assert (stopped["title"], "No more" in stopped["error"]["message"]) == ("Stop", True)
        paused = await called(client, "app_start", tool="pause", arguments={"who": "Ada"})
        await called(client, "app_cancel", run_id=paused["run_id"])
        await settled(client, paused["run_id"], "cancelled")


async def left_in_doubt(home: Path) -> str:
    """A run as a process leaves it that is killed in the middle of a call."""
    async with (
        open_home(Settings(home=home), environ={}) as opened,
        open_studio(opened) as studio,
        open_engine(studio) as engine,
    ):
        run = await engine.runs.start(RunRequest(read(asking_mcp()).workflow, {}))
        await engine.journal.add(run, PureStepsDone([["start", 0]], [{}]))
        await engine.journal.add(run, StepStarted("call"))
        return run


async def test_a_step_that_may_have_happened_is_decided_about_in_the_app(tmp_path: Path) -> None:
    run = await left_in_doubt(tmp_path / "home")
    async with desk_in(tmp_path / "home") as desk, desk.client(extensions=SHOWS_APPS) as client:
        shown = await settled(client, run, "uncertain")
        assert shown["uncertain"] == [{"step": "call", "title": "Call"}]
        both = {"run_id": run, "step": "call", "choice": "skip", "reply": "x"}
        assert (await client.call_tool("app_answer", both)).is_error is True
        await called(client, "app_answer", run_id=run, step="call", choice="skip")
        assert (await settled(client, run, "success"))["uncertain"] == []


async def refusal(client: Client, name: str, **arguments: Any) -> object:
    """The code that refuses a call."""
    try:
        answer = await client.call_tool(name, arguments)
    except MCPError as error:
        return error.error.code
    assert answer.is_error is True, answer
    return answer.structured_content["code"]


async def start(house: House, name: str) -> str:
    body = {"workflow": name, "inputs": {"who": "Ada"}}
    answer = await house.client.post("/api/v1/runs", json=body, headers=await house.key())
    return str(answer.json()["id"])


async def test_a_limited_key_acts_in_the_app_only_on_runs_of_its_tools(tmp_path: Path) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        full = await house.key()
        for document in (greeting(), pausing()):
            path, body = document["name"], {"document": document}
            await house.client.put(f"/api/v1/workflows/{path}", json=body, headers=full)
            await house.client.put(f"/api/v1/published/{path}", json={}, headers=full)
        mine, other = await start(house, "greet"), await start(house, "pause")
        acts: list[tuple[str, dict[str, Any]]] = [
            ("app_run", {}),
            ("app_answer", {"step": "pause", "reply": "x"}),
            ("app_rerun", {"node": "start"}),
            ("app_cancel", {}),
        ]
        _, text = await house.keys.create("limited", LIMITED_SCOPES, ["greet"])
        async with app_client(house, {"X-API-Key": text}) as client:
            names = {one.name for one in (await client.list_tools()).tools}
            assert names & (APP_TOOLS | {"greet", "pause"}) == APP_TOOLS | {"greet"}
            assert (await client.read_resource("ui://toolweave/greet.html")).contents
            with pytest.raises(MCPError, match="no app"):
                await client.read_resource("ui://toolweave/pause.html")
            for name, more in acts:
                code = await refusal(client, name, run_id=other, **more)
                assert code == "RUN_UNKNOWN", name
                # Not by the first characters either, which would show that the run exists.
                assert await refusal(client, name, run_id=other[:8], **more) == "RUN_UNKNOWN"
            for tool in ("pause", "nope"):
                for name in ("app_workflow", "app_run", "app_start"):
                    more = {} if name == "app_workflow" else {"arguments": {"who": "Ada"}}
                    assert await refusal(client, name, tool=tool, **more) == "NOT_PUBLISHED"
            assert (await called(client, "app_workflow", tool="greet"))["title"] == "greet"
            assert (await settled(client, mine, "success"))["result"] == "Hello, Ada!"
            again = await called(client, "app_rerun", run_id=mine, node="greet")
            await settled(client, again["run_id"], "success")
        async with app_client(house, await house.key("tools:read", "workflows:run")) as client:
            assert await refusal(client, "app_run", run_id=mine) == FORBIDDEN
            names = {one.name for one in (await client.list_tools()).tools}
            assert "app_run" not in names
            assert {"app_start", "greet", "pause"} <= names
        async with app_client(house, await house.key("tools:read", "workflows:read")) as client:
            assert await refusal(client, "app_start", tool="greet", arguments={}) == FORBIDDEN
            names = {one.name for one in (await client.list_tools()).tools}
            assert "app_run" in names
            assert not names & {"greet", "pause", "app_start", "run_cancel"}
        async with app_client(house, full) as client:  # the positive control
            for name, more in acts[1:]:
                await called(client, name, run_id=other, **more)


def app_client(house: House, headers: dict[str, str]) -> AbstractAsyncContextManager[Client]:
    return mcp_client(house, headers, extensions=SHOWS_APPS)


async def test_without_the_built_page_the_resource_says_what_to_do(
    desk: Desk, tmp_path: Path
) -> None:
    (tmp_path / "package" / "static" / "run_app.html").unlink()
    await desk.publish(greeting())
    async with desk.client(extensions=SHOWS_APPS) as client:
        with pytest.raises(MCPError, match="build_web"):
            await client.read_resource("ui://toolweave/greet.html")
