"""`/api/v1/chat`: an answer as a stream of events, one at a time, for its own key only."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import httpx2
import pytest

from rest.house import House
from servers.rooms import approved
from toolweave.app.studio import open_studio
from toolweave.assistant.home_models import home_models
from toolweave.assistant.models import NewModel
from toolweave.testing.model import ScriptedModel, calls, hangs, says
from toolweave.testing.server import ScriptedServer, a_tool, answers

pytestmark = pytest.mark.anyio


@pytest.fixture
def model() -> Generator[ScriptedModel]:
    with ScriptedModel().running() as running:
        yield running


async def use(house: House, model: ScriptedModel, key: str | None = None) -> None:
    models = home_models(house.home)
    for one in await models.list():
        await models.remove(one.name)
    await models.add(NewModel("m", "compatible", "x", model.base_url("compatible"), key))


def events(answer: httpx2.Response) -> list[dict[str, Any]]:
    return [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: ")]


async def test_an_answer_is_streamed_with_its_calls_and_goes_on(
    house: House, model: ScriptedModel, tmp_path: Path
) -> None:
    await use(house, model)
    server = ScriptedServer(tmp_path / "s", a_tool("copy"))
    async with open_studio(house.home) as studio:
        await approved(studio, "mine", server.definition)
        house.home.lockfile.pin("mine", await studio.gate.tools("mine"))
    key = await house.key("tools:execute")
    model.answers(calls("mine__copy", {"text": "hi"}), says("It says hi."))
    said = await house.client.post("/api/v1/chat", json={"message": "Copy hi."}, headers=key)
    told = events(said)
    assert [one["type"] for one in told if one["type"] != "text"] == [
        *("chat", "call", "result", "answer", "end"),
    ]
    assert server.heard("tools/call")[0]["arguments"] == {"text": "hi"}
    more = {"message": "And?", "chat": told[0]["id"]}
    await house.client.post("/api/v1/chat", json=more, headers=key)
    assert "It says hi." in json.dumps(model.heard[-1].body)
    tools = await house.client.get("/api/v1/chat/tools?server=mine", headers=key)
    assert [one["toolName"] for one in tools.json()["tools"]] == ["copy"]
    other = await house.key("tools:execute")
    foreign = await house.client.post("/api/v1/chat", json=more, headers=other)
    assert foreign.json()["error"]["code"] == "CHAT_UNKNOWN"
    gone = await house.client.delete(f"/api/v1/chat/{told[0]['id']}", headers=key)
    assert gone.status_code == 204
    await house.home.registry.remove("mine")


async def test_media_of_a_tool_are_in_the_chat(
    house: House, model: ScriptedModel, tmp_path: Path
) -> None:
    await use(house, model)
    image = {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}
    link = {"type": "resource_link", "uri": "https://a.test/b", "name": "b", "size": 3}
    server = ScriptedServer(tmp_path / "s", a_tool("draw"))
    content = [{"type": "text", "text": "Here."}, image, link]
    server.on_call("draw", [answers({"content": content, "structuredContent": {"width": 7}})])
    async with open_studio(house.home) as studio:
        await approved(studio, "mine", server.definition)
        house.home.lockfile.pin("mine", await studio.gate.tools("mine"))
    model.answers(calls("mine__draw", {}), says("Done."))
    key = await house.key("tools:execute")
    said = await house.client.post("/api/v1/chat", json={"message": "Draw."}, headers=key)
    (result,) = [one for one in events(said) if one["type"] == "result"]
    assert result["text"].startswith('Here.\n{"width":7}')
    shown, linked = result["content"]
    assert (shown["type"], shown["data"], shown["mimeType"]) == ("image", "aGVsbG8=", "image/png")
    assert (linked["uri"], linked["name"], linked["size"]) == ("https://a.test/b", "b", 3)
    await house.home.registry.remove("mine")


@pytest.mark.parametrize("api_key", ["another-key-of-the-model", "the-key-of-the-model-4711"])
async def test_a_secret_that_a_model_repeats_is_masked_wherever_its_text_is_cut(
    house: House, model: ScriptedModel, api_key: str
) -> None:
    await use(house, model, api_key)
    model.answers(says("It is the-key-of-the-model-4711, they say."))
    key = await house.key("tools:execute")
    said = await house.client.post("/api/v1/chat", json={"message": "Which?"}, headers=key)
    told = events(said)
    streamed = "".join(one["text"] for one in told if one["type"] == "text")
    answer = next(one["text"] for one in told if one["type"] == "answer")
    is_secret = api_key.endswith("4711")
    shown = "***" if is_secret else "the-key-of-the-model-4711"  # the positive control
    assert streamed == answer == f"It is {shown}, they say."


@pytest.mark.requirement("002:AIToolContext.sectionBinding", "002:AIToolContext.tools")
async def test_a_chat_about_a_section_has_only_the_tools_of_its_server(
    house: House, model: ScriptedModel, tmp_path: Path
) -> None:
    await use(house, model)
    async with open_studio(house.home) as studio:
        for name in ("mine", "other"):
            server = ScriptedServer(tmp_path / name, a_tool(f"use_{name}"))
            await approved(studio, name, server.definition)
            house.home.lockfile.pin(name, await studio.gate.tools(name))
    front = "---\ntoolweave:\n  bindings:\n    - {heading: Bound, server: other}\n---\n"
    notes = house.home.settings.home / "files" / "notes.md"
    notes.parent.mkdir(exist_ok=True)
    notes.write_text(f"{front}# Free\n\nAbout cats.\n\n# Bound\n\nAbout dogs.\n", "utf-8")
    key = await house.key("tools:execute", "workflows:read")

    async def chat(**body: str) -> httpx2.Response:
        model.answers(says("Yes."))
        return await house.client.post("/api/v1/chat", json={"message": "Hi."} | body, headers=key)

    told = events(await chat(document="notes.md", heading="Bound"))
    assert (told[0]["servers"], told[0]["tools"]) == (["other"], 1)
    asked = json.dumps(model.heard[-1].body)
    assert ("use_other" in asked, "use_mine" in asked) == (True, False)
    assert ("dogs" in asked, "cats" in asked) == (True, False)
    free = events(await chat(document="notes.md", heading="Free"))
    assert sorted(free[0]["servers"]) == ["mine", "other"]
    missing = await chat(document="notes.md", heading="Bund")
    assert missing.json()["error"]["code"] == "DOCUMENT_SECTION_NOT_FOUND"
    assert (await chat(heading="Bound")).status_code == 422
    outside = await chat(document="/etc/hostname")
    assert outside.status_code in (403, 404, 422)
    key = await house.key("tools:execute")
    assert (await chat(document="notes.md")).json()["error"]["code"] == "SCOPE_MISSING"
    assert events(await chat())[-1]["type"] == "end"
    for name in ("mine", "other"):
        await house.home.registry.remove(name)


async def test_an_answer_can_be_stopped_and_there_is_one_at_a_time(
    house: House, model: ScriptedModel
) -> None:
    await use(house, model)
    key = await house.key("tools:execute")
    begun = await house.client.post("/api/v1/chat", json={"message": "Hi."}, headers=key)
    chat = events(begun)[0]["id"]
    more = {"message": "Think.", "chat": chat}
    model.answers(hangs())
    answers: list[httpx2.Response] = []

    async def ask() -> None:
        answers.append(await house.client.post("/api/v1/chat", json=more, headers=key))

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            assert await anyio.to_thread.run_sync(model.wait_for, 2)
            busy = await house.client.post("/api/v1/chat", json=more, headers=key)
            assert busy.json()["error"]["code"] == "CHAT_BUSY"
            stopped = await house.client.post(f"/api/v1/chat/{chat}/stop", headers=key)
            assert stopped.json() == {"stopped": True}
    assert [one["type"] for one in events(answers[0])] == ["chat", "stopped", "end"]
    idle = await house.client.post(f"/api/v1/chat/{chat}/stop", headers=key)
    assert idle.json() == {"stopped": False}


async def test_an_error_is_an_event_of_its_own(house: House) -> None:
    models = home_models(house.home)
    for one in await models.list():
        await models.remove(one.name)
    key = await house.key("tools:execute")
    said = await house.client.post("/api/v1/chat", json={"message": "Hi."}, headers=key)
    told = events(said)
    assert [one["type"] for one in told] == ["chat", "error", "end"]
    assert told[1]["code"] == "MODEL_NEEDED"
    bound = {"message": "Hi.", "server": "nobody"}
    refused = await house.client.post("/api/v1/chat", json=bound, headers=key)
    assert refused.status_code == 404
