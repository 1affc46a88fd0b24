"""A value that is too large or too deep to check is refused at every border.

Each border has the same rule, an amount of at most 100. The attack hides a wrong amount among so
many values that the schema is not applied.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.security.controls import Control
from tests.triggers.hosting import node, trigger
from tests.triggers.serving import serving

from rest.drawn import drawn
from rest.house import BASE, House, house_in
from rest.test_inbox import asked, reply
from servers.rooms import a_studio, pinned
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.testing.server import ScriptedServer, a_tool, says
from toolweave.tools.check import check_value
from toolweave.tools.schema import MAX_VALUE_NODES, compile_schema
from toolweave.tools.tool import ToolCall

pytestmark = pytest.mark.anyio

PAD: list[Json] = [0] * (MAX_VALUE_NODES + 1)
LARGE_TEXT = "x" * 1_000_000
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"amount": {"type": "integer", "maximum": 100}},
    "required": ["amount"],
}
UNCHECKED = "MCP_VALUE_UNCHECKED"


def paying(name: str = "pay") -> dict[str, Any]:
    data = {"prompt": "Pay {{amount}}."}
    made = drawn(name, {"id": "say", "type": "prompt", "name": "Say", "data": data})
    return {**made, "inputSchema": SCHEMA}


def code_and_problems(answer: httpx2.Response) -> tuple[str, list[str]]:
    error = answer.json()["error"]
    problems = error.get("problems") or error.get("details", {}).get("problems", [])
    return error["code"], [one["code"] for one in problems]


async def start(house: House, inputs: JsonObject, **more: Any) -> httpx2.Response:
    body = {"document": paying(), "inputs": inputs, **more}
    return await house.client.post("/api/v1/runs", json=body, headers=await house.key())


def test_the_message_says_the_size_and_the_bound(control: Control) -> None:
    compiled = compile_schema(SCHEMA)
    large = check_value(compiled, {"amount": 1, "x": LARGE_TEXT})
    control("a large text is checked", [one.severity for one in large] == ["warning"])
    (problem,) = check_value(compiled, {"amount": 1, "pad": PAD})
    assert (problem.code, problem.severity) == (UNCHECKED, "error")
    assert f"{MAX_VALUE_NODES:,}" in problem.message
    deep: Json = 1
    for _ in range(300):
        deep = [deep]
    (problem,) = check_value(compiled, {"amount": 1, "pad": deep})
    assert (problem.code, problem.severity) == (UNCHECKED, "error")
    assert "256" in problem.message


async def test_inputs_of_a_run(tmp_path: Path, control: Control) -> None:
    async with house_in(tmp_path / "home") as house:
        control("a good amount starts", (await start(house, {"amount": 7})).status_code == 202)
        large = await start(house, {"amount": 7, "text": LARGE_TEXT})
        control("a large input that fits starts", large.status_code == 202)
        wrong = await start(house, {"amount": 999_999})
        assert (wrong.status_code, code_and_problems(wrong)[0]) == (422, "RUN_INPUT_INVALID")
        padded = await start(house, {"amount": 999_999, "pad": PAD})
        assert padded.status_code == 422
        assert code_and_problems(padded) == ("RUN_INPUT_INVALID", [UNCHECKED])


async def test_inputs_of_a_run_whose_schema_cannot_be_used(
    tmp_path: Path, control: Control
) -> None:
    async with house_in(tmp_path / "home") as house:
        control("a usable schema starts", (await start(house, {"amount": 7})).status_code == 202)
        for broken in ({"type": 5}, {"$ref": "#/nowhere"}, {"properties": 3}):
            body = {"document": {**paying(), "inputSchema": broken}, "inputs": {"amount": 7}}
            answer = await house.client.post("/api/v1/runs", json=body, headers=await house.key())
            assert answer.status_code == 422, broken


async def test_the_form_of_a_question(tmp_path: Path, control: Control) -> None:
    async with house_in(tmp_path / "home") as house:
        found = await asked(house)
        padded = await reply(house, found["id"], {"reply": {"boxes": 0, "pad": PAD}})
        assert padded.status_code == 422
        assert code_and_problems(padded) == ("ANSWER_INVALID", [UNCHECKED])
        good = await reply(house, found["id"], {"reply": {"boxes": 2}})
        control("a good form is taken", good.json()["counts"])


async def test_an_answer_by_the_step_of_a_run(tmp_path: Path, control: Control) -> None:
    async with house_in(tmp_path / "home") as house:
        found = await asked(house)
        _, text = await house.keys.create("ada", ["workflows:run"])

        async def answer(value: Json) -> httpx2.Response:
            return await house.client.post(
                f"/api/v1/runs/{found['run']}/answer",
                json={"step": found["step"], "reply": value},
                headers={"X-API-Key": text},
            )

        wrong_answers: list[Json] = [{"boxes": 0}, {"boxes": 0, "pad": PAD}]
        for wrong in wrong_answers:
            refused = await answer(wrong)
            assert refused.status_code == 422
            assert code_and_problems(refused)[0] == "ANSWER_INVALID"
        control("a good form is taken", (await answer({"boxes": 2})).json()["counts"])


@pytest.mark.parametrize("multiple", [False, True])
async def test_a_choice_is_one_of_its_options(
    tmp_path: Path, control: Control, multiple: bool
) -> None:
    options = [{"id": one, "label": one.title()} for one in ("red", "blue")]
    data = {"questionText": "Which?", "options": options, "multiSelect": multiple}
    choice = {"id": "ask", "type": "askUserQuestion", "name": "Ask", "data": data}
    document = drawn("choose", choice)
    document["connections"][1]["fromPort"] = "output" if multiple else "branch-0"
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        key = await house.key()
        for reply, status in (("Red", "success"), ("Green", "failed"), (["Green"], "failed")):
            made = await house.client.post("/api/v1/runs", json={"document": document}, headers=key)
            assert made.status_code == 202, made.text
            path = f"/api/v1/runs/{made.json()['id']}"

            async def settled(*not_yet: str, path: str = path) -> str:
                with anyio.fail_after(60):
                    while True:
                        shown = (await house.client.get(path, headers=key)).json()["status"]
                        if shown not in {"running", *not_yet}:
                            return shown
                        await anyio.sleep(0.02)

            assert await settled() == "waiting"
            await house.client.post(
                f"{path}/answer", json={"step": "ask", "reply": reply}, headers=key
            )
            ended = await settled("waiting")
            if status == "success":
                control("an option is accepted", ended == status)
            assert ended == status, reply


async def test_a_published_tool_with_a_limited_key(tmp_path: Path, control: Control) -> None:
    async with house_in(tmp_path / "home", rate_per_s=1e6, burst=10**6) as house:
        key = await house.key()
        for path, body in (
            ("workflows/pay", {"document": paying()}),
            ("published/pay", {"description": "Pays."}),
        ):
            made = await house.client.put(f"/api/v1/{path}", json=body, headers=key)
            assert made.is_success, made.text
        _, text = await house.keys.create("limited", ["tools:read", "workflows:run"], ["pay"])
        transport = httpx2.ASGITransport(house.app, client=("127.0.0.1", 50_000))
        async with (
            httpx2.AsyncClient(
                transport=transport, headers={"X-API-Key": text}, timeout=30
            ) as http,
            Client(streamable_http_client(f"{BASE}/mcp", http_client=http)) as client,
        ):
            paid = await client.call_tool("pay", {"amount": 7})
            control("a good amount is paid", paid.structured_content == {"result": "Pay 7."})
            padded = await client.call_tool("pay", {"amount": 999_999, "pad": PAD})
            assert padded.is_error
            assert UNCHECKED in str(padded.structured_content)


async def test_arguments_of_a_tool_call(tmp_path: Path, control: Control) -> None:
    server = ScriptedServer(tmp_path / "server", a_tool("pay", inputSchema=SCHEMA))
    server.on_call("pay", [says("paid")], [says("paid again")])
    async with a_studio(tmp_path / "home") as studio:
        await pinned(studio, "bank", server.definition)
        gate = studio.gate
        paid = await gate.call(ToolCall("bank", "pay", {"amount": 7}))
        control("a good amount is paid", paid.text == "paid")
        with pytest.raises(Invalid) as caught:
            await gate.call(ToolCall("bank", "pay", {"amount": 999_999, "pad": PAD}))
        assert caught.value.code == "MCP_ARGUMENTS_INVALID"
        assert [one.code for one in caught.value.problems] == [UNCHECKED]


async def test_the_delivery_of_a_webhook(tmp_path: Path, control: Control) -> None:
    async with serving(tmp_path / "home") as served:
        host = served.host
        await host.enable("Orders", trigger("WEBHOOK", webhook_path="/pay"), node("end"))
        stored = await host.home.workflows.load("Orders")
        body = {"type": "object", "properties": {"body": SCHEMA}, "required": ["body"]}
        changed = replace(stored.workflow, extras={"inputSchema": body})
        await host.home.workflows.save(changed, over=stored.revision)
        await host.triggers.switches.enable("Orders")
        assert (await served.post("/pay", json={"amount": 7})).status_code == 202
        (good,) = await host.runs()
        control("a good delivery runs", await host.engine.advance(good.id) == "success")
        await served.post("/pay", json={"amount": 999_999, "pad": PAD})
        runs = [one for one in await host.runs() if one.id != good.id]
        assert [one.status for one in runs] in ([], ["failed"])
