"""Published workflows as tools: listed, called, asked about, cancelled; in either era."""

import base64
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client
from mcp.client.context import ClientRequestContext
from mcp.shared.exceptions import MCPError

from publishing.desk import MODES, Desk, Mode
from publishing.drawing import asking, counting, failing
from rest.drawn import drawn, greeting, pausing
from toolweave.publishing.service import unpublish
from toolweave.servers.definition import definition_hash
from toolweave.testing.server import ScriptedServer, a_tool, answers, says

pytestmark = pytest.mark.anyio


def text_of(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


@pytest.mark.parametrize("mode", MODES)
async def test_a_published_workflow_is_a_tool_with_schemas(desk: Desk, mode: Mode) -> None:
    await desk.publish(greeting("Say hello"), description="Greets somebody.")
    async with desk.client(mode) as client:
        (tool,) = [one for one in (await client.list_tools()).tools if one.name == "say_hello"]
        assert (tool.title, tool.description) == ("Say hello", "Greets somebody.")
        assert tool.input_schema["required"] == ["who"]
        assert tool.output_schema is not None
        result = await client.call_tool("say_hello", {"who": "Ada"})
        assert result.structured_content == {"result": "Hello, Ada!"}
        assert (text_of(result), result.is_error) == ("Hello, Ada!", False)
        wrong = await client.call_tool("say_hello", {})
        assert wrong.is_error is True
        assert wrong.structured_content["problems"][0]["pointer"] == "/who"
        await unpublish(desk.home, "Say hello")
        with pytest.raises(MCPError, match="no tool 'say_hello'"):
            await client.call_tool("say_hello", {"who": "Ada"})
        assert "say_hello" not in {one.name for one in (await client.list_tools()).tools}


@pytest.mark.requirement("003:tool.execution-shape")
@pytest.mark.parametrize("mode", MODES)
async def test_a_run_that_fails_tells_where_and_what_was_there_before(
    desk: Desk, mode: Mode
) -> None:
    await desk.publish(failing("fails"))
    async with desk.client(mode) as client:
        result = await client.call_tool("fails", {"who": "Ada"})
    assert result.is_error is True
    told = result.structured_content
    assert told["status"] == "partial"
    assert told["error"]["failedAt"]["nodeId"] == "stop"
    assert [step["nodeId"] for step in told["partialResults"]] == ["start", "greet"]
    assert "stop" in text_of(result)


@pytest.mark.parametrize("mode", MODES)
async def test_progress_comes_from_the_journal(desk: Desk, mode: Mode) -> None:
    await desk.publish(counting("steps"))
    heard: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async with desk.client(mode) as client:
        result = await client.call_tool("steps", {}, progress_callback=hear)
    assert result.is_error is False
    assert [one[0] for one in heard] == [1, 2, 3, 4, 5]
    assert {one[1] for one in heard} == {5}
    assert [one[2] for one in heard][1:4] == ["One", "Two", "Three"]


PICTURE = base64.b64encode(b"\x89PNG picture").decode()
MEDIA: list[dict[str, Any]] = [
    {"type": "text", "text": "Here it is."},
    {"type": "image", "data": PICTURE, "mimeType": "image/png"},
    {"type": "audio", "data": PICTURE, "mimeType": "audio/wav"},
    {
        "type": "resource",
        "resource": {"uri": "file:///a.txt", "text": "a", "mimeType": "text/plain"},
    },
    {"type": "resource", "resource": {"uri": "file:///a.bin", "blob": PICTURE}},
    {
        "type": "resource_link",
        "uri": "https://a.test/b/c.pdf",
        "name": "report",
        "title": "The report",
        "description": "Figures of the year",
        "mimeType": "application/pdf",
    },
]


@pytest.mark.parametrize("mode", MODES)
async def test_media_of_a_tool_passes_through_a_published_workflow(
    desk: Desk, mode: Mode, tmp_path: Path
) -> None:
    server = ScriptedServer(tmp_path / "s", a_tool("draw"), a_tool("write"))
    server.on_call("draw", [answers({"content": MEDIA})])
    server.on_call("write", [says("Only text.")])
    await desk.home.registry.add("mine", server.definition)
    await desk.home.registry.approve("mine", definition_hash(server.definition))
    desk.home.lockfile.pin("mine", await desk.studio.gate.tools("mine"))
    for tool in ("draw", "write"):
        call = {"serverId": "mine", "toolName": tool, "mode": "detailed"}
        await desk.publish(drawn(tool, {"id": "t", "type": "mcp", "name": "T", "data": call}))
    async with desk.client(mode) as client:
        drawing = await client.call_tool("draw", {})
        writing = await client.call_tool("write", {})
    found = [block.model_dump(by_alias=True, exclude_none=True) for block in drawing.content]
    assert found == MEDIA
    assert "Only text." in text_of(writing)  # the control: text alone stays data
    assert writing.structured_content["text"] == "Only text."


class Person:
    """Fills in forms, in either era."""

    def __init__(self, *answers: types.ElicitResult) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(
        self, context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        self.asked.append(params.message)
        return self.answers.pop(0)


def accepted(**content: Any) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content=content)


@pytest.mark.parametrize("mode", MODES)
async def test_a_question_of_a_run_is_put_to_the_clients_person(desk: Desk, mode: Mode) -> None:
    await desk.publish(asking("ask"))
    person = Person(accepted(answer="no such option"), accepted(answer="Red"))
    async with desk.client(mode, elicitation_callback=person) as client:
        with anyio.fail_after(60):
            result = await client.call_tool("ask", {})
    assert result.is_error is False
    assert result.structured_content["answer"] == "Red"
    assert person.asked == ["Which colour?", "Which colour?"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("has_forms", [True, False])
async def test_a_run_nobody_can_answer_at_once_is_parked_with_its_id(
    desk: Desk, mode: Mode, has_forms: bool
) -> None:
    await desk.publish(asking("ask"))
    more: dict[str, Any] = {}
    if has_forms:
        more["elicitation_callback"] = Person(types.ElicitResult(action="cancel"))
    async with desk.client(mode, **more) as client:
        with anyio.fail_after(60):
            told = (await client.call_tool("ask", {})).structured_content
            assert told["status"] == "waiting"
            assert (told["asks"][0]["step"], told["asks"][0]["text"]) == ("ask", "Which colour?")
            reply = {"run_id": told["run_id"], "reply": {"answer": "Blue"}}
            await client.call_tool("run_respond", reply)
            await ended(client, told["run_id"])
            again = await client.call_tool("run_respond", reply)
            assert again.is_error is True
            assert again.structured_content["code"] == "STEP_NOT_WAITING"
            found = await client.call_tool("run_result", {"run_id": told["run_id"]})
    assert found.structured_content["finalResult"]["answer"] == "Blue"


async def ended(client: Client, run: str) -> None:
    with anyio.fail_after(60):
        while True:
            shown = (await client.call_tool("run_status", {"run_id": run})).structured_content
            if shown["status"] not in {"running", "waiting"}:
                return
            await anyio.sleep(0.01)


async def stands(desk: Desk, status: str) -> None:
    """Wait until the only run stands so."""
    with anyio.fail_after(60):
        while status not in await statuses(desk):  # noqa: ASYNC110 # another process reports the run
            await anyio.sleep(0.01)


async def statuses(desk: Desk) -> list[str]:
    return [run.status for run in await desk.studio.engine.newest()]


# In memory a client of the older era says that it cancels; one of the modern era is just gone.
@pytest.mark.parametrize(
    ("mode", "if_left", "status"),
    [
        ("auto", "cancel", "cancelled"),
        ("auto", "continue", "waiting"),
        ("legacy", "cancel", "cancelled"),
        ("legacy", "continue", "cancelled"),
    ],
)
async def test_whoever_cancels_stops_the_run_and_whoever_leaves_as_the_tool_says(
    desk: Desk, mode: Mode, if_left: Any, status: str
) -> None:
    await desk.publish(pausing("pause"), if_left=if_left)
    async with desk.client(mode) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(client.call_tool, "pause", {"who": "Ada"})
        await stands(desk, "waiting")
        tasks.cancel_scope.cancel()
    await stands(desk, status)
    assert await statuses(desk) == [status]
