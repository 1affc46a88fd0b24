"""Structured answers of endpoints that cannot call tools: probed once, remembered, constrained."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.assistant.desk import Desk, a_desk

from toolweave.assistant.home_models import home_models, open_model_caller
from toolweave.assistant.models import NewModel
from toolweave.catalog.resources.model import ModelQuestion, ModelTool, Said
from toolweave.errors import ToolweaveError
from toolweave.json_text import JsonObject
from toolweave.testing.model import KEY, ScriptedModel, calls, fails, gives, hangs, says
from toolweave.testing.model_probe import Ability

pytestmark = pytest.mark.anyio

WEATHER: JsonObject = {"city": "Oslo", "days": 5}


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[Desk]:
    async with a_desk(tmp_path, provider="compatible") as opened:
        yield opened


def abilities(*names: Ability) -> frozenset[Ability]:
    return frozenset(names)


async def test_an_endpoint_with_tool_calls_keeps_them(desk: Desk) -> None:
    desk.model.answers(calls("weather", WEATHER))
    ended = await desk.described("weather", "Oslo, five days.")
    assert desk.called() == [("weather", WEATHER)], ended.error
    assert [tool["function"]["name"] for tool in desk.model.heard[0].body["tools"]] == ["weather"]
    assert len(desk.model.probes) == 1


@pytest.mark.parametrize(
    ("has", "path", "field"),
    [
        (abilities("json_schema"), "/v1/chat/completions", "response_format"),
        (abilities("format"), "/api/chat", "format"),
    ],
    ids=["json_schema", "ollama"],
)
async def test_without_tool_calls_the_schema_constrains_the_answer(
    desk: Desk, has: frozenset[Ability], path: str, field: str
) -> None:
    desk.model.abilities = has
    desk.model.answers(gives(WEATHER))
    ended = await desk.described("weather", "Oslo, five days.")
    assert desk.called() == [("weather", WEATHER)], ended.error
    heard = desk.model.heard[0]
    assert heard.path == path
    assert "tools" not in heard.body
    asked = heard.body[field]
    schema = asked if field == "format" else asked["json_schema"]["schema"]
    assert set(schema["properties"]) == {"city", "days"}
    # The call is recorded as any other, so that it can be shown and frozen.
    assert [part["kind"] for part in ended.parts] == ["model", "tool"]
    assert ended.parts[1]["arguments"] == WEATHER


async def test_an_endpoint_that_only_writes_text_is_asked_for_json_in_words(desk: Desk) -> None:
    desk.model.abilities = abilities()
    desk.model.answers(says("Of course!"), says(f"```json\n{json.dumps(WEATHER)}\n```"))
    ended = await desk.described("weather", "Oslo, five days.")
    assert desk.called() == [("weather", WEATHER)], ended.error
    assert '"maximum":14' in desk.model.heard[0].body["messages"][0]["content"].replace(" ", "")


async def test_refused_arguments_are_corrected_without_tool_calls(desk: Desk) -> None:
    desk.model.abilities = abilities("json_schema")
    desk.model.answers(gives({"city": "Oslo", "days": 99}), gives(WEATHER))
    ended = await desk.described("weather", "Oslo, five days.")
    assert desk.called() == [("weather", WEATHER)], ended.error
    last = desk.model.heard[-1].body["messages"]
    assert [message["role"] for message in last] == ["system", "user", "assistant", "user"]
    assert "/days" in last[-1]["content"]


async def test_a_task_chooses_a_tool_reads_its_result_and_answers(desk: Desk) -> None:
    desk.model.abilities = abilities("json_schema")
    desk.model.answers(
        gives({"next": "add"}), gives({"a": 1, "b": 2}), gives({"next": "answer"}), says("Three.")
    )
    ended = await desk.tasked("Add one and two.")
    assert (ended.value["text"], desk.called()) == ("Three.", [("add", {"a": 1, "b": 2})])
    choice = desk.model.heard[0].body["response_format"]["json_schema"]["schema"]
    assert {"add", "answer"} <= set(choice["properties"]["next"]["enum"])
    # The tokens of both requests of a step count.
    assert ended.value["usage"]["input_tokens"] == 40


@pytest.mark.parametrize(
    ("subtype", "config", "value"),
    [
        ("EXTRACT", {"fields": {"city": "string"}}, {"city": "Oslo"}),
        (
            "CLASSIFY",
            {"labels": ["good", "bad"]},
            {"label": "good", "confidence": 1, "reason": "It says so."},
        ),
    ],
)
async def test_ai_nodes_with_a_schema_work_at_an_ollama_like_endpoint(
    desk: Desk, subtype: str, config: Any, value: Any
) -> None:
    desk.model.abilities = abilities("format")
    desk.model.answers(gives(value))
    data = {"subtype": subtype, "configurations": config}
    data["inputParams"] = {"text": "Oslo is good."}
    ended = await desk.run(data, kind="AI_AGENT")
    assert ended.status == "success", ended.error
    assert set(value) <= set(desk.model.heard[0].body["format"]["properties"])


async def test_the_probe_s_result_is_remembered_until_the_address_changes(desk: Desk) -> None:
    desk.model.abilities = abilities("json_schema")
    desk.model.answers(gives(WEATHER))
    await desk.described("weather", "Oslo, five days.")
    probes = len(desk.model.probes)
    assert probes == 2
    await desk.described("weather", "Oslo, five days.")
    assert len(desk.model.probes) == probes
    models = home_models(desk.studio.home)
    assert (await models.get("m")).structured_output == "json_schema"
    url = desk.model.base_url("compatible")
    await models.add(NewModel("other", "compatible", "other-model", url, KEY))
    assert (await models.get("other")).structured_output is None
    await models.remove("m")
    await models.add(NewModel("m", "compatible", "some-model", url, KEY))
    assert (await models.get("m")).structured_output is None


async def test_what_is_no_answer_is_not_remembered(desk: Desk) -> None:
    """A rejected key says nothing about the endpoint."""
    models = home_models(desk.studio.home)
    tool = ModelTool(name="t", description="", parameters={"type": "object"})
    question = ModelQuestion(messages=(Said(text="Hi"),), tools=(tool,))
    async with open_model_caller(desk.studio.home) as asking:
        desk.model.probe_answer = fails(401, "no such key")
        with pytest.raises(ToolweaveError, match="rejected the API key"):
            await asking.ask(question)
        assert (await models.get("m")).structured_output is None
        desk.model.probe_answer = None
        await asking.ask(question)
    assert (await models.get("m")).structured_output == "tools"


async def test_an_endpoint_that_does_not_answer_its_probe_delays_no_other(desk: Desk) -> None:
    models = home_models(desk.studio.home)
    tool = ModelTool(name="t", description="", parameters={"type": "object"})
    question = ModelQuestion(messages=(Said(text="Hi"),), tools=(tool,), provider="m")
    with ScriptedModel().running() as other:
        other.probe_answer = hangs()
        await models.add(NewModel("stuck", "compatible", "some", other.base_url("compatible"), KEY))
        async with (
            open_model_caller(desk.studio.home) as asking,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(asking.ask, question.model_copy(update={"provider": "stuck"}))
            with anyio.fail_after(60):
                while not other.probes:  # noqa: ASYNC110 # the model is another thread
                    await anyio.sleep(0.01)
                assert (await asking.ask(question)).message.text == "Hello."
                assert other.heard == []  # the control: its probe still waits
                other.release()


@pytest.mark.parametrize("status", [400, 500])
async def test_an_endpoint_that_refuses_tools_is_probed_further(desk: Desk, status: int) -> None:
    """Ollama answers 400 for a model without tools, llama.cpp 500 without its option for them."""
    desk.model.abilities = abilities("json_schema")
    desk.model.tools_answer = fails(status, "tools are not supported")
    desk.model.answers(gives(WEATHER))
    await desk.described("weather", "Oslo, five days.")
    assert (await home_models(desk.studio.home).get("m")).structured_output == "json_schema"
