"""Questions of tools that a model called inside a run: in both language modes and in an agent."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import anyio
import pytest

from publishing.desk import Desk, desk_in
from publishing.test_calls import Person, accepted, ended
from publishing.test_tool_questions import ERAS, FORM, TITLE, booking
from rest.drawn import drawn
from toolweave.assistant.home_models import home_models
from toolweave.assistant.models import NewModel
from toolweave.people.inbox import Inbox
from toolweave.servers.definition import definition_hash
from toolweave.testing.model import ScriptedModel, calls, says
from toolweave.testing.server import Era, ScriptedServer, asks, tells

pytestmark = pytest.mark.anyio

Node = dict[str, Any]
AT = "2026-11-17T00:00:00.000Z"


@pytest.fixture
def model() -> Generator[ScriptedModel]:
    with ScriptedModel().running() as running:
        yield running


def filling() -> list[Node]:
    config = {"description": "Book a room for me, please.", "timestamp": AT}
    data = {
        "serverId": "mine",
        "toolName": "book",
        "mode": "naturalLanguageParam",
        "naturalLanguageParamConfig": config,
    }
    return [{"id": "t", "type": "mcp", "name": "T", "data": data}]


def task() -> list[Node]:
    config = {"taskDescription": "Book a room for me, please.", "timestamp": AT}
    data = {
        "serverId": "mine",
        "mode": "fullNaturalLanguage",
        "fullNaturalLanguageConfig": config,
    }
    return [{"id": "t", "type": "mcp", "name": "T", "data": data}]


def agent() -> list[Node]:
    data = {
        "subtype": "OPENAI_COMPATIBLE",
        "configurations": {},
        "inputParams": {"user_prompt": "Book a room."},
        "attachedNodes": ["tool"],
    }
    call = {"serverId": "mine", "toolName": "book", "mode": "detailed"}
    return [
        {"id": "t", "type": "AI_AGENT", "name": "T", "data": data},
        {"id": "tool", "type": "mcp", "name": "Tool", "data": call},
    ]


NODES = {"filling": filling, "task": task, "agent": agent}


async def published(
    desk: Desk, server: ScriptedServer, model: ScriptedModel, nodes: list[Node]
) -> None:
    await home_models(desk.home).add(
        NewModel("m", "compatible", "x", model.base_url("compatible"), None)
    )
    await desk.home.registry.add("mine", server.definition)
    await desk.home.registry.approve("mine", definition_hash(server.definition))
    desk.home.lockfile.pin("mine", await desk.studio.gate.tools("mine"))
    whole = drawn("room", nodes[0])
    whole["nodes"] += [{**one, "position": {"x": 0, "y": 300}} for one in nodes[1:]]
    await desk.publish(whole)
    model.answers(calls("book", {"text": "a room"}), says("It is booked."))


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", NODES)
async def test_a_question_of_a_tool_that_a_model_called_is_put_to_the_caller(
    desk: Desk, model: ScriptedModel, tmp_path: Path, kind: str, era: Era
) -> None:
    address = "https://example.com/pay?order=1"
    pay = asks("Pay first", mode="url", elicitationId="1", url=address, requestedSchema=None)
    long = asks("How long?", requestedSchema=FORM)
    server = booking(tmp_path, era, pay, long, tells())
    await published(desk, server, model, NODES[kind]())
    person = Person(accepted(answer="confirmed"), accepted(days=3))
    async with desk.client(elicitation_callback=person) as client:
        with anyio.fail_after(60):
            result = await client.call_tool("room", {})
    assert result.is_error is False, result
    assert person.asked == [
        f"{TITLE}\n\nPay first\n\nOpen {address} and confirm when you are done.",
        f"{TITLE}\n\nHow long?",
    ]
    shown = json.dumps(result.structured_content)
    if kind != "filling":  # its result is the tool's; the others end with the model's words
        assert "It is booked." in shown
        shown = json.dumps(model.heard[-1].body)
    assert '"days": 3' in shown.replace("\\", "")


@pytest.mark.parametrize("era", ERAS)
async def test_without_a_caller_who_answers_the_question_of_an_agents_tool_is_in_the_inbox(
    model: ScriptedModel, tmp_path: Path, era: Era
) -> None:
    server = booking(tmp_path, era, asks("How long?", requestedSchema=FORM), tells())
    async with desk_in(tmp_path / "home") as first:
        await published(first, server, model, agent())
        async with first.client() as client:
            with anyio.fail_after(60):
                parked = (await client.call_tool("room", {})).structured_content
                (question,) = [one.question for one in await Inbox(first.studio.engine).list()]
        assert (question.title, question.text, question.schema) == (TITLE, "How long?", FORM)
    run = parked["run_id"]
    # After a restart the tool is called again only where its protocol does so.
    async with desk_in(tmp_path / "home") as second, second.client() as client:
        with anyio.fail_after(60):
            await client.call_tool("run_respond", {"run_id": run, "reply": {"days": 2}})
            await ended(client, run)
            found = (await client.call_tool("run_result", {"run_id": run})).structured_content
    if era == "modern":
        assert found["status"] == "success", found
        assert "days" in json.dumps(model.heard[-1].body)
    else:
        assert "CALL_ENDED_UNANSWERED" in json.dumps(found)
        assert len(model.heard) == 1  # the model does not try it again
