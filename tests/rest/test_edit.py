"""`/api/v1/edit`: pure operations on the workflow that is sent; bad ones are told why."""

from typing import Any

import anyio
import httpx2
import pytest
from tests.workflow.sample_files import FOLDER, JSON_FILES, text_of

from mcp_server.approving import approve, definition
from rest.drawn import asking_mcp, drawn, greeting
from rest.house import House
from toolweave import json_text
from toolweave.json_text import Json
from toolweave.rest.routes.edit import TARGETS
from toolweave.tools.read_tool import read_tool

pytestmark = pytest.mark.anyio

SLACK = {"subtype": "SLACK", "configurations": {"slack_token": "xoxb-1234567890-abcdef"}}


async def post(house: House, path: str, body: object) -> httpx2.Response:
    key = await house.key("workflows:read")
    return await house.client.post(f"/api/v1/edit/{path}", json=body, headers=key)


def code(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


async def test_a_workflow_without_faults_is_valid(house: House) -> None:
    answer = await post(house, "validate", {"document": greeting()})
    assert answer.status_code == 200
    told = answer.json()
    assert (told["valid"], told["format"]) == (True, "toolweave")
    assert "statuses" not in told


async def test_faults_are_told_with_place_and_patch(house: House) -> None:
    document = greeting()
    edge = document["connections"][1]
    edge["to"] = edge["to"].upper()
    told = (await post(house, "validate", {"document": document})).json()
    assert not told["valid"]
    [problem] = [one for one in told["problems"] if one["pointer"].startswith("/connections/1")]
    assert problem["severity"] == "error"
    assert problem["patch"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "WORKFLOW_NOT_JSON"),
        ("{", "WORKFLOW_NOT_JSON"),
        ('{"a": 1, "a": 2}', "WORKFLOW_NOT_JSON"),
        ("[" * 100_000, "WORKFLOW_NOT_JSON"),
        ("NaN", "WORKFLOW_NOT_JSON"),
        ("5", "WORKFLOW_UNKNOWN_DIALECT"),
        ("{}", "WORKFLOW_UNKNOWN_DIALECT"),
    ],
)
async def test_what_is_no_workflow_is_not_valid_and_cannot_be_worked_on(
    house: House, text: str, expected: str
) -> None:
    told = (await post(house, "validate", {"text": text})).json()
    assert not told["valid"]
    assert [problem["code"] for problem in told["problems"]] == [expected]
    assert code(await post(house, "fix", {"text": text})) == (422, expected)
    refused = await post(house, "export", {"text": text, "to": "mermaid"})
    assert code(refused) == (422, expected)
    assert refused.json()["error"]["hint"]
    mode = {"text": text, "node": "a", "mode": "detailed"}
    assert code(await post(house, "mode", mode)) == (404, "MCP_NODE_NOT_FOUND")


@pytest.mark.parametrize("name", JSON_FILES)
async def test_every_dialect_is_checked_as_document_and_as_text_alike(
    house: House, name: str
) -> None:
    text = text_of(name)
    by_text = (await post(house, "validate", {"text": text})).json()
    document = json_text.read(text)
    assert (await post(house, "validate", {"document": document})).json() == by_text


async def test_yaml_is_checked_too(house: House) -> None:
    text = (FOLDER / "agent-team" / "current.yaml").read_text(encoding="utf-8")
    told = (await post(house, "validate", {"text": text})).json()
    assert told["format"] == "agent-team"


async def test_what_can_be_mended_is_mended_and_told(house: House) -> None:
    document = greeting()
    document["connections"][1]["to"] = "edn"
    answer = await post(house, "fix", {"document": document})
    assert answer.status_code == 200
    told = answer.json()
    assert told["mended"]
    assert not [problem for problem in told["problems"] if problem["severity"] == "error"]
    again = await post(house, "validate", {"document": told["document"]})
    assert again.json()["valid"]


async def test_what_needs_no_mending_comes_back_as_it_was(house: House) -> None:
    told = (await post(house, "fix", {"document": greeting()})).json()
    assert (told["document"], told["mended"]) == (greeting(), [])


@pytest.mark.requirement(
    "000:switch.detailed-to-param.preserve",
    "000:switch.param-to-detailed.restore",
    "000:switch.detailed-to-full.snapshot",
)
async def test_a_mode_is_switched_and_switched_back_without_loss(house: House) -> None:
    await approve(house.home, "box", definition("echo"))
    document = asking_mcp()
    document["nodes"][1]["data"]["parameterValues"] = {"text": "hi"}
    words = "say hello to everybody who is in the room"
    to = {"node": "call", "mode": "naturalLanguageParam", "description": words}
    there = await post(house, "mode", {"document": document, **to})
    assert there.status_code == 200, there.text
    data = there.json()["document"]["nodes"][1]["data"]
    assert data["mode"] == "naturalLanguageParam"
    assert data["naturalLanguageParamConfig"]["description"] == words
    back = {"document": there.json()["document"], "node": "call", "mode": "detailed"}
    data = (await post(house, "mode", back)).json()["document"]["nodes"][1]["data"]
    assert data["parameterValues"] == {"text": "hi"}
    full = {"document": document, "node": "call", "mode": "fullNaturalLanguage"}
    data = (await post(house, "mode", full)).json()["document"]["nodes"][1]["data"]
    tools = data["fullNaturalLanguageConfig"]["availableTools"]
    assert [tool["name"] for tool in tools] == ["echo"]


async def test_a_tool_that_is_approved_meanwhile_is_known_at_once(house: House) -> None:
    await approve(house.home, "shed", definition("dig"))
    body = {"document": asking_mcp("shed", "dig"), "node": "call", "mode": "detailed"}
    refused = await post(house, "mode", {**body, "tool": "plant"})
    assert code(refused) == (422, "MCP_TOOL_NOT_FOUND")
    tools = [read_tool("shed", definition(name)) for name in ("dig", "plant")]
    house.home.lockfile.pin("shed", tools)
    data = (await post(house, "mode", {**body, "tool": "plant"})).json()["document"]["nodes"][1]
    assert data["data"]["toolName"] == "plant"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"node": "nobody"}, (404, "MCP_NODE_NOT_FOUND")),
        ({"node": "start"}, (422, "MCP_NODE_VALIDATION_FAILED")),
        ({"mode": "other"}, (422, "BODY_INVALID")),
        ({"description": "words"}, (422, "MCP_MODE_CONFIG_MISMATCH")),
        ({"tool": "nothing"}, (422, "MCP_TOOL_NOT_FOUND")),
        ({"mode": "fullNaturalLanguage"}, (422, "MCP_TOOL_LIST_EMPTY")),
        ({"node": 5}, (422, "BODY_INVALID")),
        ({"live": "yes"}, (422, "BODY_INVALID")),
    ],
)
async def test_a_switch_that_cannot_be_is_refused(
    house: House, change: dict[str, Json], expected: tuple[int, str]
) -> None:
    document = asking_mcp(server="nowhere")
    body = {"document": document, "node": "call", "mode": "detailed", **change}
    assert code(await post(house, "mode", body)) == expected


async def test_asking_servers_takes_the_scope_to_run(house: House) -> None:
    body = {"document": asking_mcp(server="nowhere"), "live": True}
    assert code(await post(house, "validate", body)) == (403, "SCOPE_MISSING")
    mode = {**body, "node": "call", "mode": "detailed"}
    assert code(await post(house, "mode", mode)) == (403, "SCOPE_MISSING")
    key = await house.key("workflows:read", "workflows:run")
    answer = await house.client.post("/api/v1/edit/validate", json=body, headers=key)
    told = answer.json()
    assert told["statuses"] == {"call": "missing"}
    assert list(told["unreachable"]) == ["nowhere"]
    answer = await house.client.post("/api/v1/edit/mode", json=mode, headers=key)
    assert code(answer) == (404, "MCP_SERVER_NOT_FOUND")


@pytest.mark.parametrize("target", TARGETS)
async def test_an_export_has_files_and_comes_back_as_the_workflow(
    house: House, target: str
) -> None:
    answer = await post(house, "export", {"document": greeting(), "to": target})
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert told["target"] == target
    back = await post(house, "import", {"text": told["files"][0]["text"]})
    assert back.status_code == 200, back.text
    assert back.json()["document"]["nodes"] == greeting()["nodes"]


async def test_no_secret_is_exported(house: House) -> None:
    document = drawn("s", {"id": "say", "type": "EXTERNAL_ACTION", "name": "Say", "data": SLACK})
    answer = await post(house, "export", {"document": document, "to": "claude-skill"})
    assert "xoxb-1234567890" not in answer.text
    assert "EXPORT_SECRET_HIDDEN" in [one["code"] for one in answer.json()["problems"]]


@pytest.mark.parametrize("text", ["", "# just text", "<!-- -->", "\u202e", "x" * 100_000])
async def test_what_is_no_export_is_not_imported(house: House, text: str) -> None:
    answer = await post(house, "import", {"text": text})
    assert code(answer) == (422, "EXPORT_NOT_OURS")
    assert answer.json()["error"]["hint"]


async def test_an_unknown_target_is_refused_with_those_there_are(house: House) -> None:
    answer = await post(house, "export", {"document": greeting(), "to": "claude-skil"})
    assert code(answer) == (422, "EXPORT_TARGET_UNKNOWN")
    assert "claude-skill" in answer.json()["error"]["hint"]


@pytest.mark.parametrize("path", ["validate", "fix", "mode", "export", "import"])
@pytest.mark.parametrize(
    "body",
    [
        *([], 5, "x", {}, {"document": None}, {"document": 5}, {"text": 5}),
        {"document": {}, "text": ""},
        {"text": "{}", "more": 1},
    ],
)
async def test_a_body_of_another_form_is_refused(house: House, path: str, body: Any) -> None:
    answer = await post(house, path, body)
    assert code(answer) == (422, "BODY_INVALID")
    assert answer.json()["error"]["problems"]
    assert answer.json()["error"]["hint"]


async def test_a_large_workflow_is_checked_while_others_are_answered(house: House) -> None:
    nodes = [
        {"id": f"n{i}", "type": "prompt", "name": "p", "data": {"prompt": "{{x}}"}}
        for i in range(600)
    ]
    document = drawn("large", *nodes)
    document["connections"][-1]["to"] = "nowhere"
    answers: dict[str, httpx2.Response] = {}

    async def check() -> None:
        answers["large"] = await post(house, "validate", {"document": document})

    async def look() -> None:
        while "large" not in answers:
            answers["meanwhile"] = await house.client.get("/health")
            await anyio.sleep(0.01)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(check)
            tasks.start_soon(look)
    assert (answers["large"].status_code, answers["large"].json()["valid"]) == (200, False)
    assert answers["meanwhile"].status_code == 200


async def test_nodes_become_a_sub_workflow_that_nobody_saved(house: House) -> None:
    body = {"document": greeting(), "nodes": ["greet"], "name": "Say hello"}
    answer = await post(house, "extract", body)
    assert answer.status_code == 200, answer.text
    done = answer.json()
    assert done["node"] == "say_hello"
    assert [node["id"] for node in done["document"]["nodes"]] == ["start", "say_hello", "end"]
    assert [node["id"] for node in done["extracted"]["nodes"]] == ["start", "greet", "end"]
    again = await post(house, "validate", {"document": done["extracted"]})
    assert again.json()["valid"]
    refused = await post(house, "extract", body | {"nodes": ["start"]})
    assert code(refused) == (422, "EXTRACTION_IMPOSSIBLE")
    assert refused.json()["error"]["hint"]
    assert code(await post(house, "extract", body | {"nodes": ["gone"]})) == (
        404,
        "NODE_ID_UNKNOWN",
    )
